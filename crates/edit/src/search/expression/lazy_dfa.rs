//! Steps through a deterministic automaton that is built as it is walked: one look-up for most bytes. It can stop after
//! any byte, which a call into the `regex` crate cannot.

use std::ops::Range;

use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{Compiler, NFA, WhichCaptures};
use regex_automata::{Anchored, Input, MatchError, MatchErrorKind, MatchKind};
use regex_syntax::hir::Hir;

use super::super::SearchInterrupted;
use super::super::work_budget::WorkBudget;
use super::candidates::Candidates;

/// The automaton that reads backwards may take this much. A larger one is not worth its building.
const MAX_REVERSE_BYTES: usize = 1 << 20;

/// The states of one direction that are kept. When they are more, all are forgotten.
const CACHE_BYTES: usize = 1 << 20;

/// When the states were forgotten so often, after fewer bytes for each of them, another method is faster.
const MIN_CLEARINGS: usize = 3;
const MIN_BYTES_PER_STATE: usize = 10;

/// Bytes between two withdrawals from the budget, and how many of them cost one unit if all states are built.
const RUN: usize = 4 << 10;
const STEPPED_BYTES: usize = 4;

/// An automaton for the end of a match and one for its start.
#[derive(Debug, Clone)]
pub(super) struct LazyDfas {
    forward: DFA,
    reverse: DFA,
    /// What a state costs that is not yet built.
    state_units: usize,
}

/// The states built so far.
#[derive(Debug)]
pub(super) struct LazyCaches {
    forward: Cache,
    reverse: Cache,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Stop {
    Interrupted(SearchInterrupted),
    /// The automaton cannot go beyond this byte.
    Quit(usize),
    /// The automaton has too many states for this text.
    GaveUp,
}

impl From<SearchInterrupted> for Stop {
    fn from(interrupted: SearchInterrupted) -> Stop {
        Stop::Interrupted(interrupted)
    }
}

impl From<MatchError> for Stop {
    fn from(error: MatchError) -> Stop {
        match error.kind() {
            MatchErrorKind::Quit { offset, .. } => Stop::Quit(*offset),
            _ => Stop::GaveUp,
        }
    }
}

impl LazyDfas {
    /// `None` if they would be too large. `width` is the number of states that the automaton can be in at once.
    pub(super) fn new(tree: &Hir, nfa: &NFA, candidates: &Candidates, width: usize) -> Option<LazyDfas> {
        let config = NFA::config()
            .utf8(true)
            .reverse(true)
            .which_captures(WhichCaptures::None)
            .nfa_size_limit(Some(MAX_REVERSE_BYTES));
        let reverse = Compiler::new().configure(config).build_from_hir(tree).ok()?;
        let config = DFA::config()
            .cache_capacity(CACHE_BYTES)
            .minimum_cache_clear_count(Some(MIN_CLEARINGS))
            .minimum_bytes_per_state(Some(MIN_BYTES_PER_STATE))
            .unicode_word_boundary(true);
        let forward = DFA::builder()
            .configure(config.clone().prefilter(candidates.prefilter().cloned()))
            .build_from_nfa(nfa.clone())
            .ok()?;
        let reverse = DFA::builder().configure(config.match_kind(MatchKind::All)).build_from_nfa(reverse).ok()?;
        Some(LazyDfas { forward, reverse, state_units: width.saturating_add(1) })
    }

    pub(super) fn create_caches(&self) -> LazyCaches {
        LazyCaches { forward: self.forward.create_cache(), reverse: self.reverse.create_cache() }
    }

    /// The leftmost match in `text[span]`; what stands around it is seen by `^`, `$`, `\b` and the like.
    pub(super) fn find(
        &self,
        caches: &mut LazyCaches,
        candidates: &Candidates,
        text: &str,
        span: Range<usize>,
        budget: &mut WorkBudget<'_>,
    ) -> Result<Option<Range<usize>>, Stop> {
        let mut start = span.start;
        while start <= span.end {
            let Some(end) = self.find_end(&mut caches.forward, candidates, text, start..span.end, budget)? else {
                return Ok(None);
            };
            if text.is_char_boundary(end) {
                let found = self.find_start(&mut caches.reverse, text, start..end, budget)?;
                return Ok(Some(found..end));
            }
            // Only an empty match ends within a character.
            start = text.ceil_char_boundary(end);
        }
        Ok(None)
    }

    /// The end of the leftmost match.
    fn find_end(
        &self,
        cache: &mut Cache,
        candidates: &Candidates,
        text: &str,
        span: Range<usize>,
        budget: &mut WorkBudget<'_>,
    ) -> Result<Option<usize>, Stop> {
        let bytes = text.as_bytes();
        let begin = |cache: &mut Cache, at| {
            self.forward.start_state_forward(cache, &Input::new(text).span(at..span.end)).map_err(Stop::from)
        };
        let Some(mut at) = candidates.next(text, span.clone(), budget)? else { return Ok(None) };
        budget.spend(self.state_units)?;
        let mut state = begin(cache, at)?;
        let mut found = None;
        cache.search_start(at);
        while at < span.end {
            let run_end = at.saturating_add(RUN).min(span.end);
            budget.spend((run_end - at) / STEPPED_BYTES)?;
            while at < run_end {
                state = self.step(&self.forward, cache, state, bytes[at], at, budget)?;
                // The automaton is a byte late: what it says here is of the position before this byte.
                if state.is_tagged() {
                    if state.is_match() {
                        found = Some(at);
                    } else if state.is_dead() {
                        return Ok(found);
                    } else if state.is_quit() {
                        return Err(Stop::Quit(at));
                    } else if state.is_start() && found.is_none() {
                        let Some(candidate) = candidates.next(text, at + 1..span.end, budget)? else {
                            return Ok(None);
                        };
                        if candidate > at + 1 {
                            at = candidate;
                            state = begin(cache, at)?;
                            continue;
                        }
                    }
                }
                at += 1;
            }
            cache.search_update(at);
        }
        let last = self.finish(&self.forward, cache, state, bytes.get(span.end).copied(), span.end)?;
        Ok(if last.is_match() { Some(span.end) } else { found })
    }

    /// The start of the leftmost match that ends at the end of the span.
    fn find_start(
        &self,
        cache: &mut Cache,
        text: &str,
        span: Range<usize>,
        budget: &mut WorkBudget<'_>,
    ) -> Result<usize, Stop> {
        let bytes = text.as_bytes();
        budget.spend(self.state_units)?;
        let input = Input::new(text).span(span.clone()).anchored(Anchored::Yes);
        let mut state = self.reverse.start_state_reverse(cache, &input)?;
        let mut found = None;
        let mut at = span.end;
        cache.search_start(at);
        while at > span.start {
            let run_end = at.saturating_sub(RUN).max(span.start);
            budget.spend((at - run_end) / STEPPED_BYTES)?;
            while at > run_end {
                at -= 1;
                state = self.step(&self.reverse, cache, state, bytes[at], at, budget)?;
                if state.is_tagged() {
                    if state.is_match() {
                        found = Some(at + 1);
                    } else if state.is_dead() {
                        return found.ok_or(Stop::GaveUp);
                    } else if state.is_quit() {
                        return Err(Stop::Quit(at));
                    }
                }
            }
            cache.search_update(at);
        }
        let before = span.start.checked_sub(1).map(|before| bytes[before]);
        let last = self.finish(&self.reverse, cache, state, before, span.start)?;
        if last.is_match() { Ok(span.start) } else { found.ok_or(Stop::GaveUp) }
    }

    #[inline]
    fn step(
        &self,
        dfa: &DFA,
        cache: &mut Cache,
        state: LazyStateID,
        byte: u8,
        at: usize,
        budget: &mut WorkBudget<'_>,
    ) -> Result<LazyStateID, Stop> {
        if !state.is_tagged() {
            let next = dfa.next_state_untagged(cache, state, byte);
            if !next.is_unknown() {
                return Ok(next);
            }
        }
        // Whether the next state is built already is not known of all; those that are cost less.
        budget.spend(self.state_units)?;
        cache.search_update(at);
        dfa.next_state(cache, state, byte).map_err(|_| Stop::GaveUp)
    }

    /// The state that says whether there is a match at the end of the span, given the byte beyond it.
    fn finish(
        &self,
        dfa: &DFA,
        cache: &mut Cache,
        state: LazyStateID,
        beyond: Option<u8>,
        at: usize,
    ) -> Result<LazyStateID, Stop> {
        let last = match beyond {
            Some(byte) => dfa.next_state(cache, state, byte),
            None => dfa.next_eoi_state(cache, state),
        };
        match last {
            Ok(last) if last.is_quit() => Err(Stop::Quit(at)),
            Ok(last) => Ok(last),
            Err(_) => Err(Stop::GaveUp),
        }
    }
}
