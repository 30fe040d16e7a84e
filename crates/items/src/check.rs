//! What a look at everything that is stored comes to.

use crate::ItemId;

/// What was looked at, and what does not fit together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// How many items.
    pub items: u64,
    /// How many versions of them.
    pub versions: u64,
    /// How many items the index of searches does not know as they are, and is not expected to.
    pub stale: u64,
    /// The first problems.
    pub problems: Vec<CheckProblem>,
    /// How many problems there are.
    pub total_problems: u64,
}

impl CheckReport {
    /// How many problems are kept.
    const KEPT: usize = 100;

    /// Adds a problem.
    pub fn add(&mut self, problem: CheckProblem) {
        self.total_problems += 1;
        if self.problems.len() < CheckReport::KEPT {
            self.problems.push(problem);
        }
    }
}

/// Something that does not fit together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckProblem {
    /// The content of an item is not what is known of it.
    Content(ItemId),
    /// A version of an item cannot be rebuilt, or not to what is known of it.
    Version {
        /// The item.
        id: ItemId,
        /// The version.
        version: u64,
    },
    /// The index of searches says something else of an item than its content does.
    Index(ItemId),
    /// The index of searches has an item that is not there, or is damaged in a place that is no single item's; the text
    /// says where.
    Damage(String),
}
