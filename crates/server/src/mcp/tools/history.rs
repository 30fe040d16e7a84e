//! Arguments and result of the tools that show a history: its records, or the diff of one version.

use interline_items::{Error, HistoryQuery, HistoryRecord, ItemRef};
use schemars::JsonSchema;
use serde::Serialize;

use crate::mcp::protocol::arguments::{BoundedInt, NonNegativeInt, PositiveInt};
use crate::mcp::protocol::tool::CallContext;
use crate::wire::{MergedFromResponse, RejectedProposalResponse, Time, invalid_field};

/// How many records a result has unless the call asks for more.
const DEFAULT_LIMIT: u64 = 20;

/// The part of a history that a call asks for.
pub(super) struct HistoryArgs {
    pub(super) version: Option<PositiveInt>,
    pub(super) against: Option<NonNegativeInt>,
    pub(super) limit: Option<BoundedInt<1, 100>>,
}

/// A list of records, or the diff of a version.
#[derive(Default, Serialize, JsonSchema)]
pub(super) struct HistoryResult {
    #[serde(skip_serializing_if = "Option::is_none")]
    records: Option<Vec<HistoryRecordResult>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changed_fields: Option<Vec<&'static str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff_truncated: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<RejectionSchema>")]
    rejected: Vec<RejectedProposalResponse>,
}

/// A proposal of the caller that was refused.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it describes `RejectedProposalResponse`")]
struct RejectionSchema {
    id: String,
    reason: Option<String>,
    at: Time,
}

#[derive(Serialize, JsonSchema)]
struct HistoryRecordResult {
    /// Left out for archiving, deleting and their way back.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u64>,
    action: &'static str,
    changed_fields: Vec<String>,
    created_at: Time,
    source: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    client: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_length: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    merged_from: Option<MergedFromResponse>,
}

impl HistoryResult {
    pub(super) async fn read(call: &CallContext, item: &ItemRef, args: HistoryArgs) -> Result<HistoryResult, Error> {
        match (args.version, args.against.map(|version| version.0)) {
            (None, None) => {
                let query = HistoryQuery { offset: 0, limit: args.limit.unwrap_or(BoundedInt(DEFAULT_LIMIT)).count() };
                let page = call.interline.history(&call.caller, item, query).await?;
                let records = page.records.into_iter().map(HistoryRecordResult::from).collect();
                let rejected = call.interline.own_rejections(&call.caller, item).await?;
                let rejected = rejected.iter().map(RejectedProposalResponse::from).collect();
                let total = Some(page.total);
                Ok(HistoryResult { records: Some(records), total, rejected, ..HistoryResult::default() })
            }
            (Some(version), against) => {
                let diff = call.interline.compare_versions(&call.caller, item, version.0, against).await?;
                Ok(HistoryResult {
                    from: Some(diff.from),
                    to: Some(diff.to),
                    changed_fields: Some(diff.changed_fields),
                    diff: Some(diff.diff.text),
                    diff_truncated: diff.diff.truncated.then_some(true),
                    ..HistoryResult::default()
                })
            }
            (None, Some(_)) => Err(invalid_field("version", "is required where `against` is given")),
        }
    }
}

impl From<HistoryRecord> for HistoryRecordResult {
    fn from(record: HistoryRecord) -> HistoryRecordResult {
        HistoryRecordResult {
            version: record.version,
            action: record.action.name(),
            changed_fields: record.changed_fields,
            created_at: Time(record.at),
            source: record.source.name(),
            user: record.user.name,
            token: record.token.and_then(|token| token.name),
            client: record.attribution.client.name().to_owned(),
            reason: record.attribution.reason.map(|reason| reason.as_str().to_owned()),
            content_length: record.content.map(|size| size.characters),
            merged_from: record.merged_from.map(MergedFromResponse::from),
        }
    }
}
