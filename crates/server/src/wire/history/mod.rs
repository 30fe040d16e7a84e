//! The history of an item in responses: its records, the diff of two versions, and from which version each line came.

mod blame;

use interline_items::{
    AcceptedProposal, Client, HistoryPage, HistoryQuery, HistoryRecord, ImportedFrom, MergedFrom, NamedId, Reason,
    VersionDiff,
};
use schemars::JsonSchema;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

pub(crate) use blame::BlameResponse;

use super::Time;
use super::enumerations::{AcceptedText, ChangeSource, HistoryAction, ItemField, ReviewState};

/// A part of a history, newest first.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = History)]
pub(crate) struct HistoryList<'a> {
    /// The records.
    items: Vec<HistoryRecordResponse<'a>>,
    /// How many there are in all.
    #[schema(value_type = i64, minimum = 0)]
    total: u64,
    /// How many newer ones are left out.
    #[schema(value_type = i64, minimum = 0)]
    offset: u64,
    /// How many are sent at the most.
    #[schema(value_type = i64, minimum = 1)]
    limit: usize,
    /// Whether there are older ones.
    has_more: bool,
    /// Always null: a history is paged by `offset`.
    next_cursor: Option<String>,
}

/// What history tells about one change.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = HistoryRecord)]
pub(crate) struct HistoryRecordResponse<'a> {
    /// The version that it made; null for archiving, deleting and their way back.
    #[schema(value_type = Option<i64>, minimum = 1)]
    version: Option<u64>,
    /// What was done. `restore` with a version is that of an older version; without, that from the trash.
    #[schema(value_type = HistoryAction)]
    action: &'static str,
    /// The fields that changed.
    #[schema(value_type = Vec<ItemField>)]
    changed_fields: &'a [String],
    /// When.
    created_at: Time,
    /// The door that it came through.
    #[schema(value_type = ChangeSource)]
    source: &'static str,
    /// Whose change it is.
    user: NamedIdResponse<'a>,
    /// The token that was used, if one was.
    token: Option<NamedIdResponse<'a>>,
    /// The program that made it, as it calls itself.
    client: ClientResponse<'a>,
    /// Why, in the words of who made it.
    reason: Option<&'a str>,
    /// What one client did in one go; it is read at `/changes/{id}`.
    change_set: Uuid,
    /// What people have decided about it.
    #[schema(value_type = ReviewState)]
    review: &'static str,
    /// Who made the change where it was imported from, as that source names them; null where it was made here.
    imported_from: Option<ImportedFromResponse<'a>>,
    /// The length of the content after it, in characters; null without content.
    #[schema(value_type = Option<i64>, minimum = 0)]
    content_length: Option<u64>,
    /// The versions that it merged, where it is a merge.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    merged_from: Option<MergedFromResponse>,
    /// The proposal that it applied, and who accepted that.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    accepted: Option<AcceptedResponse<'a>>,
}

/// A proposal that a version applied.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Accepted)]
pub(crate) struct AcceptedResponse<'a> {
    /// The proposal.
    proposal: Uuid,
    /// Who accepted it.
    by: NamedIdResponse<'a>,
    /// Whose text the content is.
    #[schema(value_type = AcceptedText)]
    text: &'static str,
}

impl<'a> From<&'a AcceptedProposal> for AcceptedResponse<'a> {
    fn from(accepted: &'a AcceptedProposal) -> AcceptedResponse<'a> {
        let AcceptedProposal { proposal, by, text } = accepted;
        AcceptedResponse { proposal: proposal.uuid(), by: NamedIdResponse::new(by, by.id.uuid()), text: text.name() }
    }
}

/// The versions that a merge was made of, beside the content that was sent.
#[derive(Clone, Copy, Debug, Serialize, ToSchema, JsonSchema)]
#[schema(as = MergedFrom)]
pub(crate) struct MergedFromResponse {
    /// The version for which the content was written.
    #[schema(value_type = i64, minimum = 1)]
    base: u64,
    /// The version with which it was merged.
    #[schema(value_type = i64, minimum = 1)]
    theirs: u64,
}

impl From<MergedFrom> for MergedFromResponse {
    fn from(merged_from: MergedFrom) -> MergedFromResponse {
        let MergedFrom { base, theirs } = merged_from;
        MergedFromResponse { base, theirs }
    }
}

/// The names of the user and the token of a change that was imported. Nobody has checked them.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ImportedFrom)]
pub(crate) struct ImportedFromResponse<'a> {
    /// The user.
    user: Option<&'a str>,
    /// The token.
    token: Option<&'a str>,
}

impl<'a> From<&'a ImportedFrom> for ImportedFromResponse<'a> {
    fn from(from: &'a ImportedFrom) -> ImportedFromResponse<'a> {
        ImportedFromResponse { user: from.user.as_deref(), token: from.token.as_deref() }
    }
}

/// A program, as it calls itself.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Client)]
pub(crate) struct ClientResponse<'a> {
    /// What it is called.
    name: &'a str,
    /// Its version, if it told it.
    version: Option<&'a str>,
}

impl<'a> From<&'a Client> for ClientResponse<'a> {
    fn from(client: &'a Client) -> ClientResponse<'a> {
        ClientResponse { name: client.name(), version: client.version() }
    }
}

/// A user or token in a history, which may be gone since.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Named)]
pub(crate) struct NamedIdResponse<'a> {
    /// Its identifier.
    id: Uuid,
    /// What it is or was called.
    name: Option<&'a str>,
}

impl<'a> HistoryList<'a> {
    pub(crate) fn new(page: &'a HistoryPage, query: HistoryQuery) -> HistoryList<'a> {
        let HistoryQuery { offset, limit } = query;
        HistoryList {
            items: page.records.iter().map(HistoryRecordResponse::from).collect(),
            total: page.total,
            offset,
            limit,
            has_more: offset + (page.records.len() as u64) < page.total,
            next_cursor: None,
        }
    }
}

impl<'a> From<&'a HistoryRecord> for HistoryRecordResponse<'a> {
    fn from(record: &'a HistoryRecord) -> HistoryRecordResponse<'a> {
        HistoryRecordResponse {
            version: record.version,
            action: record.action.name(),
            changed_fields: &record.changed_fields,
            created_at: Time(record.at),
            source: record.source.name(),
            user: NamedIdResponse::new(&record.user, record.user.id.uuid()),
            token: record.token.as_ref().map(|token| NamedIdResponse::new(token, token.id.uuid())),
            client: ClientResponse::from(&record.attribution.client),
            reason: record.attribution.reason.as_ref().map(Reason::as_str),
            change_set: record.attribution.change_set.id.uuid(),
            review: record.review.name(),
            imported_from: record.imported_from.as_ref().map(ImportedFromResponse::from),
            content_length: record.content.map(|size| size.characters),
            merged_from: record.merged_from.map(MergedFromResponse::from),
            accepted: record.accepted.as_ref().map(AcceptedResponse::from),
        }
    }
}

impl<'a> NamedIdResponse<'a> {
    pub(in crate::wire) fn new<Id>(named: &'a NamedId<Id>, id: Uuid) -> NamedIdResponse<'a> {
        NamedIdResponse { id, name: named.name.as_deref() }
    }
}

/// What leads from one version to another.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = VersionDiffBody)]
pub(crate) struct VersionDiffResponse<'a> {
    /// The version that it leads from; 0 is before the item was made.
    #[schema(value_type = i64, minimum = 0)]
    from: u64,
    /// The version that it leads to.
    #[schema(value_type = i64, minimum = 1)]
    to: u64,
    /// The change of the content, as a unified diff.
    diff: &'a str,
    /// Whether the diff is too long to be whole.
    diff_truncated: bool,
    /// The fields in which the versions differ.
    #[schema(value_type = Vec<ItemField>)]
    changed_fields: &'a [&'static str],
}

impl<'a> From<&'a VersionDiff> for VersionDiffResponse<'a> {
    fn from(diff: &'a VersionDiff) -> VersionDiffResponse<'a> {
        VersionDiffResponse {
            from: diff.from,
            to: diff.to,
            diff: &diff.diff.text,
            diff_truncated: diff.diff.truncated,
            changed_fields: &diff.changed_fields,
        }
    }
}
