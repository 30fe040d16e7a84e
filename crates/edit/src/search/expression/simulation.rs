//! Simulates a nondeterministic automaton, all states at once: the slowest way to a match, but nothing makes it slower,
//! and it can stop after any byte.

use std::mem::swap;
use std::ops::Range;

use regex_automata::nfa::thompson::{NFA, State};
use regex_automata::util::primitives::StateID;

use super::super::SearchInterrupted;
use super::super::work_budget::WorkBudget;
use super::candidates::Candidates;

/// What a look at the characters around a position costs.
const LOOK_COST: usize = 4;

/// The states of a simulation; kept from match to match.
#[derive(Debug)]
pub(super) struct Simulation {
    current: Threads,
    next: Threads,
    /// The states whose successors are still to be followed.
    stack: Vec<StateID>,
}

/// The ways to a match that are still open, the preferred ones first.
#[derive(Debug)]
struct Threads {
    /// The state that each is in, and where its match starts.
    open: Vec<(StateID, usize)>,
    /// For each state the last round in which it was added: the first way to a state is the preferred one.
    added: Vec<u32>,
    round: u32,
}

impl Threads {
    fn new(states: usize) -> Threads {
        Threads { open: Vec::new(), added: vec![0; states], round: 1 }
    }

    fn clear(&mut self) {
        self.open.clear();
        self.round = self.round.checked_add(1).unwrap_or_else(|| {
            self.added.fill(0);
            1
        });
    }

    /// `None` if the state is there already.
    fn add(&mut self, state: StateID) -> Option<()> {
        let added = &mut self.added[state.as_usize()];
        (*added != self.round).then(|| *added = self.round)
    }
}

impl Simulation {
    pub(super) fn new(nfa: &NFA) -> Simulation {
        let states = nfa.states().len();
        Simulation { current: Threads::new(states), next: Threads::new(states), stack: Vec::new() }
    }

    /// The leftmost match in `text[span]`; what stands around it is seen by `^`, `$`, `\b` and the like.
    pub(super) fn find(
        &mut self,
        nfa: &NFA,
        candidates: &Candidates,
        text: &str,
        span: Range<usize>,
        budget: &mut WorkBudget<'_>,
    ) -> Result<Option<Range<usize>>, SearchInterrupted> {
        let mut found = None;
        let mut at = span.start;
        self.current.clear();
        while at <= span.end {
            if self.current.open.is_empty() {
                if found.is_some() || (nfa.is_always_start_anchored() && at > 0) {
                    break;
                }
                let Some(candidate) = candidates.next(text, at..span.end, budget)? else { break };
                at = candidate;
            }
            let mut visited = 1;
            if found.is_none() && text.is_char_boundary(at) {
                visited += follow(nfa, text, at, (nfa.start_anchored(), at), &mut self.stack, &mut self.current);
            }
            self.next.clear();
            for &(state, start) in &self.current.open {
                visited += 1;
                let byte = if at < span.end { Some(text.as_bytes()[at]) } else { None };
                let next = match (nfa.state(state), byte) {
                    (State::Match { .. }, _) => {
                        found = Some(start..at);
                        // All others are less preferred.
                        break;
                    }
                    (State::ByteRange { trans }, Some(byte)) => trans.matches_byte(byte).then_some(trans.next),
                    (State::Sparse(sparse), Some(byte)) => sparse.matches_byte(byte),
                    (State::Dense(dense), Some(byte)) => dense.matches_byte(byte),
                    _ => None,
                };
                if let Some(next) = next {
                    visited += follow(nfa, text, at + 1, (next, start), &mut self.stack, &mut self.next);
                }
            }
            swap(&mut self.current, &mut self.next);
            budget.spend(visited)?;
            at += 1;
        }
        Ok(found)
    }
}

/// Adds to `threads` the states that a thread reaches without reading a byte, the preferred ones first. Returns how many
/// it looked at.
fn follow(
    nfa: &NFA,
    text: &str,
    at: usize,
    (from, start): (StateID, usize),
    stack: &mut Vec<StateID>,
    threads: &mut Threads,
) -> usize {
    let mut visited = 0;
    stack.push(from);
    while let Some(id) = stack.pop() {
        visited += 1;
        if threads.add(id).is_none() {
            continue;
        }
        match nfa.state(id) {
            State::ByteRange { .. } | State::Sparse(_) | State::Dense(_) | State::Match { .. } => {
                threads.open.push((id, start));
            }
            State::Look { look, next } => {
                visited += LOOK_COST;
                if nfa.look_matcher().matches(*look, text.as_bytes(), at) {
                    stack.push(*next);
                }
            }
            State::Union { alternates } => stack.extend(alternates.iter().rev()),
            State::BinaryUnion { alt1, alt2 } => stack.extend([*alt2, *alt1]),
            State::Capture { next, .. } => stack.push(*next),
            State::Fail => {}
        }
    }
    visited
}
