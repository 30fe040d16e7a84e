//! Regular expressions: compiling them within limits, and walking over their matches in steps of bounded work.

mod automaton;
mod candidates;
mod lazy_dfa;
mod matches;
mod shape;
mod simulation;
mod syntax;

use regex_automata::meta;
use regex_automata::nfa::thompson::WhichCaptures;
use regex_syntax::hir::Hir;

use super::pattern::{Case, PatternError};
use super::required_text::RequiredText;
use super::work_budget::UNITS;
use automaton::{Automaton, AutomatonCache};
use shape::{Reach, class_bytes, width};
use syntax::parse;

pub(super) use matches::Matches;

/// What the automaton may take; compiling this much takes some 10 ms, without classes beyond ASCII.
const MAX_COMPILED_BYTES: usize = 4 << 20;

/// Room for some hundred and twenty times `\w`, or six thousand times `.`; compiling this much takes some 15 ms.
const MAX_CLASS_BYTES: usize = 768 << 10;

/// Beyond this size compiling for the fast engine too would take as long again, and its states would be many.
const MAX_FAST_BYTES: usize = 1 << 20;

/// What one call of the fast engine reads at the most and at the least: longer pieces are not faster, and shorter ones
/// slower than our own steps.
const MAX_CALL_BYTES: usize = 64 << 10;
const MIN_CALL_BYTES: usize = if cfg!(fuzzing) { 2 } else { 256 };

/// The fast engine's automaton that reads backwards is larger than the other one.
const MAX_REVERSE_BYTES: usize = 4 << 20;

/// The states that the fast engine may keep.
const FAST_CACHE_BYTES: usize = 1 << 20;

#[derive(Debug, Clone)]
pub(super) struct Expression {
    /// `None` for an expression that makes it slow.
    fast: Option<FastEngine>,
    automaton: Automaton,
    reach: Reach,
    /// The units of work for each byte.
    width: usize,
    /// The texts that every match contains.
    pub(super) required_text: RequiredText,
}

/// The engine of the `regex` crate. A call cannot be interrupted.
#[derive(Debug, Clone)]
struct FastEngine {
    regex: meta::Regex,
    /// How much text a call may read: what takes a bounded time in the worst case.
    max_bytes: usize,
}

impl Expression {
    pub(super) fn new(expression: &str, case: Case) -> Result<Self, PatternError> {
        Expression::compile(parse(expression, case)?)
    }

    fn compile(tree: Hir) -> Result<Self, PatternError> {
        if class_bytes(&tree) > MAX_CLASS_BYTES {
            return Err(PatternError::TooLarge);
        }
        let (reach, width) = (Reach::from_hir(&tree), width(&tree));
        let required_text = RequiredText::from_hir(&tree);
        let automaton = Automaton::new(tree, width, MAX_COMPILED_BYTES)?;
        let fast = if automaton.bytes() > MAX_FAST_BYTES { None } else { FastEngine::new(automaton.tree(), width) };
        Ok(Expression { fast, automaton, reach, width, required_text })
    }

    /// The matches in `text`, leftmost first, none overlapping.
    pub(super) fn matches<'a>(&'a self, text: &'a str) -> Matches<'a> {
        Matches::new(self, text, AutomatonCache::default())
    }
}

impl FastEngine {
    /// `None` if it would be too slow or too large.
    fn new(tree: &Hir, width: usize) -> Option<FastEngine> {
        let max_bytes = (UNITS / width.max(1)).min(MAX_CALL_BYTES);
        if max_bytes < MIN_CALL_BYTES {
            return None;
        }
        let config = meta::Config::new()
            .utf8_empty(true)
            .which_captures(WhichCaptures::Implicit)
            .nfa_size_limit(Some(MAX_REVERSE_BYTES))
            .hybrid_cache_capacity(FAST_CACHE_BYTES);
        let regex = meta::Builder::new().configure(config).build_from_hir(tree).ok()?;
        Some(FastEngine { regex, max_bytes })
    }
}

#[cfg(test)]
mod tests;
