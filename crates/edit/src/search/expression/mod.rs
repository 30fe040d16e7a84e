//! Regular expressions: compiling them within limits, and walking over their matches in steps of bounded work.

mod automaton;
mod candidates;
mod lazy_dfa;
mod matches;
mod shape;
mod simulation;

use regex_automata::meta;
use regex_automata::nfa::thompson::WhichCaptures;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::Hir;

use super::pattern::{Case, PatternError};
use super::required_text::RequiredText;
use super::work_budget::UNITS;
use automaton::{Automaton, AutomatonCache};
use shape::{Reach, least_bytes, width};

pub(super) use matches::Matches;

/// Parsing alone takes several kilobytes for each class such as `\w`, before the compiled size is known.
const MAX_EXPRESSION_BYTES: usize = 8 << 10;

/// Room for two hundred times `\w`; compiling this much takes some 30 ms.
const MAX_COMPILED_BYTES: usize = 4 << 20;

/// Groups in groups. Bounds the recursion over the syntax tree.
const MAX_NESTING: u32 = 100;

/// What one call of the fast engine reads at the most and at the least: longer pieces are not faster, and shorter ones
/// slower than our own steps.
const MAX_CALL_BYTES: usize = 64 << 10;
const MIN_CALL_BYTES: usize = if cfg!(fuzzing) { 2 } else { 256 };

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
        if expression.len() > MAX_EXPRESSION_BYTES {
            return Err(PatternError::TooLarge);
        }
        let tree = ParserBuilder::new()
            .multi_line(true)
            .crlf(true)
            .case_insensitive(case == Case::Insensitive)
            .nest_limit(MAX_NESTING)
            .build()
            .parse(expression)
            .map_err(|error| invalid(&error))?;
        Expression::compile(tree)
    }

    fn compile(tree: Hir) -> Result<Self, PatternError> {
        if least_bytes(&tree) > MAX_COMPILED_BYTES {
            return Err(PatternError::TooLarge);
        }
        let (reach, width) = (Reach::of(&tree), width(&tree));
        let required_text = RequiredText::from_hir(&tree);
        let automaton = Automaton::new(tree, width, MAX_COMPILED_BYTES).map_err(|error| match error.size_limit() {
            Some(_) => PatternError::TooLarge,
            None => PatternError::Invalid { detail: error.to_string(), position: None },
        })?;
        let fast = FastEngine::new(automaton.tree(), width);
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
            .nfa_size_limit(Some(MAX_COMPILED_BYTES))
            .hybrid_cache_capacity(FAST_CACHE_BYTES);
        let regex = meta::Builder::new().configure(config).build_from_hir(tree).ok()?;
        Some(FastEngine { regex, max_bytes })
    }
}

fn invalid(error: &regex_syntax::Error) -> PatternError {
    let (detail, position) = match error {
        regex_syntax::Error::Parse(error) => (error.kind().to_string(), Some(error.span().start.offset)),
        regex_syntax::Error::Translate(error) => (error.kind().to_string(), Some(error.span().start.offset)),
        other => (other.to_string(), None),
    };
    PatternError::Invalid { detail, position }
}

#[cfg(test)]
mod tests;
