//! The report of an import: counts, and the records that need a look.

/// How many problems, and how many notices, are kept word for word.
const MAX_REPORTED: usize = 1_000;

/// What an import has done; in a dry run, what it would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// Items that were made.
    pub created: u64,
    /// Items that got a new version, because their source had changed, or because they lacked what the source has.
    pub updated: u64,
    /// The same, where the item had been changed too, and both changes fit.
    pub merged: u64,
    /// Records that were imported before and have not changed, or whose item has all that they have.
    pub unchanged: u64,
    /// Records that cannot be imported.
    pub skipped: u64,
    /// Records whose changes do not fit those of their item, which was left alone.
    pub conflicts: u64,
    /// The first of those that were skipped or conflict, with the reason.
    pub problems: Vec<ReportedRecord>,
    /// The first things that were changed or left out on the way.
    pub notices: Vec<ReportedRecord>,
    /// How many notices there were.
    pub notices_total: u64,
    /// Files of the source that are no items.
    pub attachments: u64,
}

/// A record of the source that the report names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedRecord {
    /// Where it stands in the source.
    pub source: String,
    /// What is to be said of it.
    pub reason: String,
}

/// What became of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Created,
    Updated,
    Merged,
    Unchanged,
    Skipped,
    Conflict,
}

impl ImportReport {
    /// How many records were skipped or conflict.
    pub fn problems_total(&self) -> u64 {
        self.skipped + self.conflicts
    }

    /// Counts a record that is done.
    pub(super) fn done(&mut self, outcome: Outcome, key: &str, notices: Vec<String>) {
        self.count(outcome);
        self.notices_total += notices.len() as u64;
        let room = MAX_REPORTED.saturating_sub(self.notices.len());
        let reported = notices.into_iter().map(|reason| ReportedRecord { source: key.to_owned(), reason });
        self.notices.extend(reported.take(room));
    }

    /// Counts a record that is left alone.
    pub(super) fn problem(&mut self, outcome: Outcome, source: String, reason: String) {
        self.count(outcome);
        if self.problems.len() < MAX_REPORTED {
            self.problems.push(ReportedRecord { source, reason });
        }
    }

    fn count(&mut self, outcome: Outcome) {
        *match outcome {
            Outcome::Created => &mut self.created,
            Outcome::Updated => &mut self.updated,
            Outcome::Merged => &mut self.merged,
            Outcome::Unchanged => &mut self.unchanged,
            Outcome::Skipped => &mut self.skipped,
            Outcome::Conflict => &mut self.conflicts,
        } += 1;
    }
}
