//! Why a text is not Python: the line, the column and the message of its first problem.

use std::fmt;

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
    pub(crate) fn new(source: &str, problem: Problem) -> CodeError {
        // Nothing is on the empty line after a final newline: what is missing there is missing at the end of the line before.
        let lines_end = if source.ends_with('\n') { source.len() - 1 } else { source.len() };
        let before = source.get(..problem.offset.min(lines_end)).unwrap_or(source);
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

pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// What is wrong, and at which byte.
#[derive(Debug)]
pub(crate) struct Problem {
    /// In bytes of the source.
    pub(crate) offset: usize,
    pub(crate) message: String,
}

impl Problem {
    pub(crate) fn new(offset: usize, message: impl Into<String>) -> Problem {
        Problem { offset, message: message.into() }
    }
}
