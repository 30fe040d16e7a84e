//! Whether a text is Python, as CPython's `compile(source, path, "exec")` judges it.
//!
//! Code comes from anyone, so each stage assumes the worst. Before parsing, `scan` bounds the depth of the tree and
//! refuses what is not made of matching brackets, ended strings and consistent indentation, and says where the text may
//! be cut between two statements. The parser says of each part whether it is a module; `walk` then says what a tree alone cannot: whether each name, `return`, `await` and `break` is where
//! it may be. What some Python from 3.8 to the newest known one accepts is accepted.
//!
//! The text is Unicode already, so a coding cookie (`# -*- coding: latin-1 -*-`) is a comment, as it is when
//! `compile` is given text. A byte order mark at the start is skipped.

mod blocks;
mod context;
mod decorated;
mod definitions;
mod expressions;
mod flow;
mod judge;
mod literals;
mod scan;
mod scopes;
mod walk;

use std::fmt;
use std::panic::{self, AssertUnwindSafe};

use super::{Function, SdkName};
use crate::Error;
use crate::threads::LargeStack;

/// Why a text is not Python.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeError {
    /// 1-based line; a line ends with `\n`.
    pub line: usize,
    /// 1-based column, in characters.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl CodeError {
    fn at(source: &str, problem: Problem) -> CodeError {
        let before = source.get(..problem.offset).unwrap_or(source);
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let shown = before[start..].trim_start_matches(BYTE_ORDER_MARK);
        CodeError { line, column: shown.chars().count() + 1, message: problem.message }
    }
}

impl fmt::Display for CodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for CodeError {}

const BYTE_ORDER_MARK: char = '\u{feff}';

/// What is wrong, and where.
#[derive(Debug)]
struct Problem {
    /// In bytes of the source.
    offset: usize,
    message: String,
}

impl Problem {
    fn new(offset: usize, message: impl Into<String>) -> Problem {
        Problem { offset, message: message.into() }
    }
}

/// What is known of a text that is Python.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Functions with a workflow decorator, in the order of the text.
    pub functions: Vec<Function>,
}

/// Accepts Python and says what its workflow functions are. The time and memory that it takes are proportional to the
/// text's length, whatever it is.
pub(crate) fn check(source: &str, sdk: &SdkName, stack: &LargeStack) -> Result<Checked, CodeError> {
    // The parser is not ours, and no text may end more than its own request.
    let failed = |_| Err(Problem::new(0, "the parser failed on this code"));
    let read = panic::catch_unwind(AssertUnwindSafe(|| judge::judge(source, sdk, stack))).unwrap_or_else(failed);
    read.map_err(|problem| CodeError::at(source, problem))
}

/// Accepts Python and says what its workflow functions are, on a thread of its own, waiting for it. The outer error is for
/// want of a thread.
pub fn check_blocking(source: &str, sdk: &SdkName) -> Result<Result<Checked, CodeError>, Error> {
    Ok(LargeStack::blocking(|stack| check(source, sdk, stack))?)
}
