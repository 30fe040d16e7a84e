//! What a tool tells of a history: its records, or one version's diff.

use interline_items::{Error, HistoryQuery, HistoryRecord, ItemRef};
use schemars::JsonSchema;
use serde::Serialize;

use super::arguments::{Number, Whole, invalid};
use super::tool::Call;
use crate::wire::Time;

/// How many records are told unless more are asked for.
const LIMIT: u64 = 20;

/// What is asked for of a history.
pub(super) struct HistoryAsked {
    pub(super) version: Option<Number>,
    pub(super) against: Option<Whole<0, { u64::MAX }>>,
    pub(super) limit: Option<Whole<1, 100>>,
}

/// A list of records, or the diff of a version.
#[derive(Default, Serialize, JsonSchema)]
pub(super) struct HistoryTold {
    #[serde(skip_serializing_if = "Option::is_none")]
    records: Option<Vec<RecordTold>>,
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
}

#[derive(Serialize, JsonSchema)]
struct RecordTold {
    /// Left out for archiving, deleting and their way back.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u64>,
    action: &'static str,
    changed_fields: Vec<String>,
    #[schemars(with = "String")]
    created_at: Time,
    source: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_length: Option<u64>,
}

impl HistoryTold {
    pub(super) async fn read(call: &Call, which: &ItemRef, asked: HistoryAsked) -> Result<HistoryTold, Error> {
        match (asked.version, asked.against.map(|version| version.0)) {
            (None, None) => {
                let query = HistoryQuery { offset: 0, limit: asked.limit.unwrap_or(Whole(LIMIT)).count() };
                let page = call.interline.history(&call.caller, which, query).await?;
                let records = page.records.into_iter().map(RecordTold::of).collect();
                Ok(HistoryTold { records: Some(records), total: Some(page.total), ..HistoryTold::default() })
            }
            (Some(version), against) => {
                let diff = call.interline.compare_versions(&call.caller, which, version.0, against).await?;
                Ok(HistoryTold {
                    from: Some(diff.from),
                    to: Some(diff.to),
                    changed_fields: Some(diff.changed_fields),
                    diff: Some(diff.diff.text),
                    diff_truncated: diff.diff.truncated.then_some(true),
                    ..HistoryTold::default()
                })
            }
            (None, Some(_)) => Err(invalid("version", "is required where `against` is given")),
        }
    }
}

impl RecordTold {
    fn of(record: HistoryRecord) -> RecordTold {
        RecordTold {
            version: record.version,
            action: record.action.name(),
            changed_fields: record.changed_fields,
            created_at: Time(record.at),
            source: record.source.name(),
            user: record.user.name,
            token: record.token.and_then(|token| token.name),
            content_length: record.content.map(|size| size.characters),
        }
    }
}
