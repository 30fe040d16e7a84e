//! Finds the matches of an expression so that the search can stop at any moment, whatever the expression and the text.

use std::ops::Range;
use std::sync::OnceLock;

use regex_automata::nfa::thompson::{Compiler, NFA, WhichCaptures};
use regex_syntax::hir::Hir;

use super::super::SearchInterrupted;
use super::super::pattern::PatternError;
use super::super::work_budget::WorkBudget;
use super::candidates::Candidates;
use super::lazy_dfa::{LazyCaches, LazyDfas, Stop};
use super::simulation::Simulation;

/// The automaton of an expression. It finds exactly the matches that the `regex` crate finds.
#[derive(Debug, Clone)]
pub(super) struct Automaton {
    tree: Hir,
    nfa: NFA,
    width: usize,
    /// Made for the first text that needs them: for most expressions there is none.
    aids: OnceLock<Aids>,
}

/// What makes the automaton faster.
#[derive(Debug, Clone)]
struct Aids {
    candidates: Candidates,
    dfas: Option<LazyDfas>,
}

/// What a search remembers from match to match.
#[derive(Debug, Default)]
pub(super) struct AutomatonCache {
    dfas: Option<LazyCaches>,
    simulation: Option<Simulation>,
    /// The deterministic automaton is not tried before this position.
    simulate_until: usize,
}

impl AutomatonCache {
    /// A cache for a search without the deterministic automaton.
    #[cfg(test)]
    pub(super) fn simulating() -> AutomatonCache {
        AutomatonCache { simulate_until: usize::MAX, ..AutomatonCache::default() }
    }
}

impl Automaton {
    /// `width` is the number of states that the automaton can be in at once.
    pub(super) fn new(tree: Hir, width: usize, max_bytes: usize) -> Result<Automaton, PatternError> {
        let config = NFA::config().utf8(true).which_captures(WhichCaptures::None).nfa_size_limit(Some(max_bytes));
        let nfa =
            Compiler::new().configure(config).build_from_hir(&tree).map_err(|error| match error.size_limit() {
                Some(_) => PatternError::TooLarge,
                None => PatternError::Invalid { detail: error.to_string(), position: None },
            })?;
        Ok(Automaton { tree, nfa, width, aids: OnceLock::new() })
    }

    /// The syntax tree that it was made from.
    pub(super) fn tree(&self) -> &Hir {
        &self.tree
    }

    /// The memory that it takes, without what makes it faster.
    pub(super) fn bytes(&self) -> usize {
        self.nfa.memory_usage()
    }

    /// The leftmost match in `text[span]`; what stands around it is seen by `^`, `$`, `\b` and the like.
    pub(super) fn find(
        &self,
        cache: &mut AutomatonCache,
        text: &str,
        span: Range<usize>,
        budget: &mut WorkBudget<'_>,
    ) -> Result<Option<Range<usize>>, SearchInterrupted> {
        let Aids { candidates, dfas } = self.aids.get_or_init(|| {
            let candidates = Candidates::from_hir(&self.tree);
            let dfas = LazyDfas::new(&self.tree, &self.nfa, &candidates, self.width);
            Aids { candidates, dfas }
        });
        if let Some(dfas) = dfas
            && span.start >= cache.simulate_until
        {
            let caches = cache.dfas.get_or_insert_with(|| dfas.create_caches());
            match dfas.find(caches, candidates, text, span.clone(), budget) {
                Ok(found) => return Ok(found),
                Err(Stop::Interrupted(interrupted)) => return Err(interrupted),
                Err(Stop::Quit(at)) => cache.simulate_until = at + 1,
                Err(Stop::GaveUp) => cache.simulate_until = usize::MAX,
            }
        }
        let simulation = cache.simulation.get_or_insert_with(|| Simulation::new(&self.nfa));
        simulation.find(&self.nfa, candidates, text, span, budget)
    }
}
