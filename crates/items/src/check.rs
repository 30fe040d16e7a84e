//! The report of a check of everything that is stored.

use crate::ItemId;

/// What a check read, and the problems that it found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// How many items.
    pub items: u64,
    /// How many versions of them.
    pub versions: u64,
    /// How many items the search index does not have in their present state, and is not expected to yet.
    pub stale: u64,
    /// The first problems.
    pub problems: Vec<CheckProblem>,
    /// How many problems there are.
    pub total_problems: u64,
}

impl CheckReport {
    /// How many problems are listed.
    const MAX_LISTED: usize = 100;

    /// Adds a problem.
    pub fn add(&mut self, problem: CheckProblem) {
        self.total_problems += 1;
        if self.problems.len() < CheckReport::MAX_LISTED {
            self.problems.push(problem);
        }
    }
}

/// Two stored things that contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckProblem {
    /// The content of an item does not have the hash and size that its row says.
    Content(ItemId),
    /// The row of an item cannot be read.
    Item(ItemId),
    /// A version of an item cannot be rebuilt, or not with the size and hash that its record says.
    Version {
        /// The item.
        id: ItemId,
        /// The version.
        version: u64,
    },
    /// The search index does not say of an item what its content does.
    Index(ItemId),
    /// A table, one of its indexes or a page of it is damaged; the text says where.
    Table(String),
    /// The search index has an item that does not exist, or is damaged in a place that belongs to no single item; the text
    /// says where.
    Damage(String),
}
