//! From which older versions restores and undos have brought lines back, found among the records of a history.

use std::collections::{BTreeMap, BTreeSet};

use interline_items::{ChangeSetId, SourceExtent, TextSource};

/// A version that has brought lines back.
pub(crate) struct BroughtBack {
    pub(crate) version: u64,
    /// The hash of its content.
    pub(crate) hash: Option<[u8; 32]>,
    /// The change set that it undoes, if it is an undo.
    pub(crate) undoes: Option<ChangeSetId>,
}

/// Any version.
pub(crate) struct SetVersion {
    pub(crate) version: u64,
    pub(crate) hash: Option<[u8; 32]>,
    pub(crate) change_set: ChangeSetId,
}

/// A search for the sources of some versions: it is given all versions, newest first.
pub(crate) struct SourceSearch {
    brought_back: Vec<BroughtBack>,
    /// The oldest version so far with each content.
    by_hash: BTreeMap<[u8; 32], Option<u64>>,
    undone: BTreeSet<ChangeSetId>,
    /// The version before the first so far of each undone set.
    before_set: BTreeMap<ChangeSetId, u64>,
    /// The set of the version that was looked at last, if it is undone.
    last: Option<ChangeSetId>,
}

impl SourceSearch {
    pub(crate) fn new(brought_back: Vec<BroughtBack>) -> SourceSearch {
        SourceSearch {
            by_hash: brought_back.iter().filter_map(|version| version.hash).map(|hash| (hash, None)).collect(),
            undone: brought_back.iter().filter_map(|version| version.undoes).collect(),
            brought_back,
            before_set: BTreeMap::new(),
            last: None,
        }
    }

    /// Looks at the next older version.
    pub(crate) fn look_at(&mut self, older: &SetVersion) {
        if let Some(set) = self.last {
            self.before_set.insert(set, older.version);
        }
        self.last = Some(older.change_set).filter(|set| self.undone.contains(set));
        if let Some(set) = self.last {
            // What was before a newer version of the set is not before all of it.
            self.before_set.remove(&set);
        }
        if let Some(oldest) = older.hash.and_then(|hash| self.by_hash.get_mut(&hash)) {
            *oldest = Some(older.version);
        }
    }

    /// What was found.
    pub(crate) fn finish(self) -> Vec<TextSource> {
        let source = |brought_back: &BroughtBack| {
            let BroughtBack { version, hash, undoes } = *brought_back;
            let whole = hash.and_then(|hash| self.by_hash.get(&hash).copied().flatten());
            let some = undoes.and_then(|set| self.before_set.get(&set).copied());
            let older = |source: Option<u64>| source.filter(|source| *source < version);
            let whole = older(whole).map(|source| (source, SourceExtent::Whole));
            let (source, extent) = whole.or_else(|| older(some).map(|source| (source, SourceExtent::Some)))?;
            Some(TextSource { version, source, extent })
        };
        self.brought_back.iter().filter_map(source).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_content_that_is_equal_comes_before_the_version_before_a_set() {
        let (agent, other) = (ChangeSetId::generate(), ChangeSetId::generate());
        let brought_back = |version, content, undoes| BroughtBack { version, hash: Some([content; 32]), undoes };
        let mut search = SourceSearch::new(vec![
            brought_back(9, 1, None),
            brought_back(8, 7, Some(agent)),
            brought_back(7, 6, Some(other)),
        ]);
        let sets = [(9, 1, other), (8, 7, other), (7, 6, other), (6, 5, agent), (5, 4, other), (4, 3, agent)];
        for (version, content, change_set) in sets.into_iter().chain([(3, 1, other), (2, 2, other), (1, 1, other)]) {
            search.look_at(&SetVersion { version, hash: Some([content; 32]), change_set });
        }
        let source = |version, source, extent| TextSource { version, source, extent };
        // Nothing is before the set that has the first version.
        assert_eq!(search.finish(), [source(9, 1, SourceExtent::Whole), source(8, 3, SourceExtent::Some)]);
    }
}
