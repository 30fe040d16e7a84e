//! Import on the wire: the report.

use interline_items::{ImportMode, ImportReport, ReportedRecord};
use serde::Serialize;
use utoipa::ToSchema;

/// How many problems an error that ends an import lists.
const PROBLEMS_IN_ERROR: usize = 20;

/// What an import has done; in a dry run, what it would do.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ImportReport)]
pub(crate) struct ImportResponse<'a> {
    /// Items that were made.
    #[schema(value_type = i64, minimum = 0)]
    created: u64,
    /// Items that got a new version, because their source had changed, or because they lacked what the source has.
    #[schema(value_type = i64, minimum = 0)]
    updated: u64,
    /// The same, where the item had been changed too, and both changes fit.
    #[schema(value_type = i64, minimum = 0)]
    merged: u64,
    /// Records that were imported before and have not changed, or whose item has all that they have.
    #[schema(value_type = i64, minimum = 0)]
    unchanged: u64,
    /// Records that cannot be imported: not valid, in the trash, a name that is taken.
    #[schema(value_type = i64, minimum = 0)]
    skipped: u64,
    /// Records whose changes do not fit those of their item, which was left alone.
    #[schema(value_type = i64, minimum = 0)]
    conflicts: u64,
    /// Those that were skipped or conflict, the first 1,000 of them.
    problems: Vec<ReportedRecordResponse<'a>>,
    /// How many were skipped or conflict.
    #[schema(value_type = i64, minimum = 0)]
    problems_total: u64,
    /// What was changed or left out on the way, the first 1,000 of them.
    notices: Vec<ReportedRecordResponse<'a>>,
    /// How many notices there were.
    #[schema(value_type = i64, minimum = 0)]
    notices_total: u64,
    /// Files of the source that are no items, such as images.
    #[schema(value_type = i64, minimum = 0)]
    attachments: u64,
    /// Whether nothing was written.
    dry_run: bool,
}

/// A record of the source that a report names.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ReportedRecord)]
pub(crate) struct ReportedRecordResponse<'a> {
    /// Where it stands in the source.
    source: &'a str,
    /// What is to be said of it.
    reason: &'a str,
}

impl<'a> From<&'a ReportedRecord> for ReportedRecordResponse<'a> {
    fn from(record: &'a ReportedRecord) -> ReportedRecordResponse<'a> {
        ReportedRecordResponse { source: &record.source, reason: &record.reason }
    }
}

impl<'a> ImportResponse<'a> {
    pub(crate) fn new(report: &'a ImportReport, mode: ImportMode) -> ImportResponse<'a> {
        let listed = |records: &'a [ReportedRecord]| records.iter().map(ReportedRecordResponse::from).collect();
        ImportResponse {
            created: report.created,
            updated: report.updated,
            merged: report.merged,
            unchanged: report.unchanged,
            skipped: report.skipped,
            conflicts: report.conflicts,
            problems: listed(&report.problems),
            problems_total: report.problems_total(),
            notices: listed(&report.notices),
            notices_total: report.notices_total,
            attachments: report.attachments,
            dry_run: mode == ImportMode::DryRun,
        }
    }

    /// The report in an error, which is short.
    pub(crate) fn in_error(mut self) -> ImportResponse<'a> {
        self.problems.truncate(PROBLEMS_IN_ERROR);
        self.notices.clear();
        self
    }
}
