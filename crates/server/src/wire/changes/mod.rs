//! Change sets in requests and responses: the list, one set with its diffs, what is kept and what is taken back; and the
//! attribution of writes in their bodies.

mod attributed;

pub(crate) use attributed::{Attributed, REASON, parse_change_set, parse_reason};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use interline_items::{
    Author, ChangeSetDetails, ChangeSetId, ChangeSetPage, ChangeSetRef, ChangeSetSummary, ChangedItem, DiffPart,
    HunkRef, ItemChange, ItemId, OnUndoConflict, Reason, UndoChangeSet,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Time;
use super::conflict::undo_conflict;
use super::enumerations::{ChangeSource, HistoryAction, ItemField, ItemType, ReviewState};
use super::history::{ClientResponse, NamedIdResponse};

/// A page of change sets, newest first.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChangeSets)]
pub(crate) struct ChangeSetList<'a> {
    /// The sets.
    items: Vec<ChangeSetResponse<'a>>,
    /// How many are sent at the most.
    #[schema(value_type = i64, minimum = 1)]
    limit: usize,
    /// Whether there may be more.
    has_more: bool,
    /// Where the next page begins, as `cursor`; null on the last one.
    next_cursor: Option<String>,
}

impl<'a> ChangeSetList<'a> {
    pub(crate) fn new(page: &'a ChangeSetPage, limit: usize) -> ChangeSetList<'a> {
        ChangeSetList {
            items: page.sets.iter().map(ChangeSetResponse::from).collect(),
            limit,
            has_more: page.next.is_some(),
            next_cursor: page.next.map(write_cursor),
        }
    }
}

/// What one client did in one go.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChangeSet)]
pub(crate) struct ChangeSetResponse<'a> {
    #[serde(flatten)]
    about: ChangeSetFields<'a>,
    /// The first items that it changed, at most 20.
    items: Vec<ChangedItemResponse<'a>>,
}

impl<'a> From<&'a ChangeSetSummary> for ChangeSetResponse<'a> {
    fn from(summary: &'a ChangeSetSummary) -> ChangeSetResponse<'a> {
        let items = summary.items.iter().take(LISTED_ITEMS).map(ChangedItemResponse::from).collect();
        ChangeSetResponse { about: ChangeSetFields::from(summary), items }
    }
}

/// How many items of a set are listed without their diffs.
const LISTED_ITEMS: usize = 20;

/// Who made a change set, when and why, and what was decided about it.
#[derive(Debug, Serialize, ToSchema)]
struct ChangeSetFields<'a> {
    /// Its identifier.
    id: Uuid,
    /// Whose changes they are.
    user: NamedIdResponse<'a>,
    /// The token that was used, if one was.
    token: Option<NamedIdResponse<'a>>,
    /// The program that made them, as it calls itself.
    client: ClientResponse<'a>,
    /// Whether an agent made them.
    agent: bool,
    /// The door that its first change came through.
    #[schema(value_type = ChangeSource)]
    source: &'static str,
    /// The first reasons that were given, at most 3.
    reasons: Vec<&'a str>,
    /// When its first change was made.
    first_at: Time,
    /// When its last change was made.
    last_at: Time,
    /// What people have decided about it.
    #[schema(value_type = ReviewState)]
    state: &'static str,
    /// How many items it changed.
    #[schema(value_type = i64, minimum = 1)]
    items_total: u64,
}

impl<'a> From<&'a ChangeSetSummary> for ChangeSetFields<'a> {
    fn from(summary: &'a ChangeSetSummary) -> ChangeSetFields<'a> {
        let ChangeSetSummary { set, user, token, client, author, source, .. } = summary;
        ChangeSetFields {
            id: set.id.uuid(),
            user: NamedIdResponse::new(user, user.id.uuid()),
            token: token.as_ref().map(|token| NamedIdResponse::new(token, token.id.uuid())),
            client: ClientResponse::from(client),
            agent: *author == Author::Agent,
            source: source.name(),
            reasons: summary.reasons.iter().map(Reason::as_str).collect(),
            first_at: Time(summary.first_at),
            last_at: Time(summary.last_at),
            state: summary.state.name(),
            items_total: summary.items_total,
        }
    }
}

/// An item that a change set changed.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChangedItem)]
pub(crate) struct ChangedItemResponse<'a> {
    /// The item.
    id: Uuid,
    /// What it is.
    #[serde(rename = "type")]
    #[schema(value_type = ItemType)]
    kind: &'static str,
    /// Its title now, or what else it is known by.
    title: Option<&'a str>,
    /// Its version before the set; null if the set made it.
    #[schema(value_type = Option<i64>, minimum = 1)]
    from_version: Option<u64>,
    /// Its version after the last change of the set.
    #[schema(value_type = i64, minimum = 1)]
    to_version: u64,
    /// How many lines of its content were added.
    #[schema(value_type = i64, minimum = 0)]
    lines_added: u64,
    /// How many lines of its content were removed; a line that was changed counts as both.
    #[schema(value_type = i64, minimum = 0)]
    lines_removed: u64,
    /// What people have decided about it.
    #[schema(value_type = ReviewState)]
    state: &'static str,
}

impl<'a> From<&'a ChangedItem> for ChangedItemResponse<'a> {
    fn from(item: &'a ChangedItem) -> ChangedItemResponse<'a> {
        ChangedItemResponse {
            id: item.id.uuid(),
            kind: item.kind.name(),
            title: item.title.as_deref(),
            from_version: item.from_version,
            to_version: item.to_version,
            lines_added: item.lines.added,
            lines_removed: item.lines.removed,
            state: item.state.name(),
        }
    }
}

/// A change set with what it did to its items.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChangeSetWithDiffs)]
pub(crate) struct ChangeSetDetailsResponse<'a> {
    #[serde(flatten)]
    about: ChangeSetFields<'a>,
    /// What it did to each of its first items, at most 100; `?item=` shows any other.
    items: Vec<ItemChangeResponse<'a>>,
}

impl<'a> From<&'a ChangeSetDetails> for ChangeSetDetailsResponse<'a> {
    fn from(details: &'a ChangeSetDetails) -> ChangeSetDetailsResponse<'a> {
        ChangeSetDetailsResponse {
            about: ChangeSetFields::from(&details.summary),
            items: details.changes.iter().map(ItemChangeResponse::from).collect(),
        }
    }
}

/// What a change set did to an item.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ItemChange)]
pub(crate) struct ItemChangeResponse<'a> {
    #[serde(flatten)]
    item: ChangedItemResponse<'a>,
    /// The fields that it changed.
    #[schema(value_type = Vec<ItemField>)]
    changed_fields: &'a [String],
    /// What it did beside making versions: `archive`, `delete`, …
    #[schema(value_type = Vec<HistoryAction>)]
    actions: Vec<&'static str>,
    /// The net change of the content, as a unified diff; null where there are `parts`, and where history has lost the versions.
    diff: Option<&'a str>,
    /// Whether the diff is too long to be whole.
    diff_truncated: bool,
    /// The hunks of the diff, all of them even where it is cut.
    hunks: Vec<HunkResponse<'a>>,
    /// Several diffs, where changes of others lie between that cannot be taken out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<DiffPartResponse<'a>>,
}

impl<'a> From<&'a ItemChange> for ItemChangeResponse<'a> {
    fn from(change: &'a ItemChange) -> ItemChangeResponse<'a> {
        let (one, parts) = match change.parts.as_slice() {
            [one] => (Some(one), &[][..]),
            parts => (None, parts),
        };
        let changed_text = change.fields.iter().any(|field| field == "content");
        ItemChangeResponse {
            item: ChangedItemResponse::from(&change.item),
            changed_fields: &change.fields,
            actions: change.actions.iter().map(|action| action.name()).collect(),
            diff: one.map(|part| part.diff.text.as_str()).or((!changed_text).then_some("")),
            diff_truncated: one.is_some_and(|part| part.diff.truncated),
            hunks: one.map_or_else(Vec::new, |part| part.hunks.iter().map(HunkResponse::from).collect()),
            parts: parts.iter().map(DiffPartResponse::from).collect(),
        }
    }
}

/// One of several diffs of an item.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DiffPart)]
struct DiffPartResponse<'a> {
    /// The version that it leads from; 0 is before the item was made.
    #[schema(value_type = i64, minimum = 0)]
    from_version: u64,
    /// The version that it leads to.
    #[schema(value_type = i64, minimum = 1)]
    to_version: u64,
    /// The change, as a unified diff.
    diff: &'a str,
    /// Whether the diff is too long to be whole.
    diff_truncated: bool,
    /// Its hunks.
    hunks: Vec<HunkResponse<'a>>,
}

impl<'a> From<&'a DiffPart> for DiffPartResponse<'a> {
    fn from(part: &'a DiffPart) -> DiffPartResponse<'a> {
        DiffPartResponse {
            from_version: part.from_version,
            to_version: part.to_version,
            diff: &part.diff.text,
            diff_truncated: part.diff.truncated,
            hunks: part.hunks.iter().map(HunkResponse::from).collect(),
        }
    }
}

/// A hunk of a diff, by whose id it is taken back or accepted.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Hunk)]
pub(crate) struct HunkResponse<'a> {
    /// Its identifier.
    id: &'a str,
    /// Its first line after the change.
    #[schema(value_type = i64, minimum = 1)]
    start_line: usize,
    /// Its last line, inclusive; one less than the first where it only removes lines.
    #[schema(value_type = i64, minimum = 0)]
    end_line: usize,
}

impl<'a> From<&'a HunkRef> for HunkResponse<'a> {
    fn from(hunk: &'a HunkRef) -> HunkResponse<'a> {
        HunkResponse { id: &hunk.id, start_line: hunk.start_line, end_line: hunk.end_line }
    }
}

/// Which changes of a set are kept.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeepChangesRequest {
    /// Only what was done to these items; everything unless given.
    #[serde(default)]
    #[schema(max_items = 1000)]
    pub(crate) items: Option<Vec<Uuid>>,
}

/// Change sets to keep.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeepChangeSetsRequest {
    /// The sets, at most 100.
    #[schema(max_items = 100)]
    pub(crate) ids: Vec<Uuid>,
}

/// The change sets that were kept.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = KeptChangeSets)]
pub(crate) struct KeptChangeSets<'a> {
    /// In the order of the request.
    pub(crate) items: Vec<ChangeSetResponse<'a>>,
}

/// Which changes of a set are taken back.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UndoChangesRequest {
    /// Only what was done to these items; everything unless given.
    #[serde(default)]
    #[schema(max_items = 1000)]
    items: Option<Vec<Uuid>>,
    /// Only these hunks of contents, by their ids.
    #[serde(default)]
    #[schema(max_items = 10000)]
    hunks: Option<Vec<String>>,
    /// Whether the rest is taken back where some items are in conflict; otherwise nothing is.
    #[serde(default)]
    skip_conflicts: bool,
}

impl UndoChangesRequest {
    pub(crate) fn into_undo(self) -> UndoChangeSet {
        let UndoChangesRequest { items, hunks, skip_conflicts } = self;
        let on_conflict = if skip_conflicts { OnUndoConflict::Skip } else { OnUndoConflict::Refuse };
        UndoChangeSet { items: items.map(item_ids), hunks, on_conflict }
    }
}

/// What taking changes back did.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct UndoneChangesResponse<'a> {
    /// The set that the undo is, by which it can be taken back; null where nothing was left to take back.
    pub(crate) change_set: Option<ChangeSetResponse<'a>>,
    /// The items that are in conflict and were left as they are: `{id, cause, places, fields}` of each.
    #[schema(value_type = Vec<Object>)]
    pub(crate) skipped: Vec<Value>,
}

impl<'a> UndoneChangesResponse<'a> {
    pub(crate) fn new(
        set: Option<&'a ChangeSetSummary>,
        skipped: &[interline_items::UndoConflict],
    ) -> UndoneChangesResponse<'a> {
        UndoneChangesResponse {
            change_set: set.map(ChangeSetResponse::from),
            skipped: skipped.iter().map(undo_conflict).collect(),
        }
    }
}

/// Items by their identifiers.
pub(crate) fn item_ids(ids: Vec<Uuid>) -> Vec<ItemId> {
    ids.into_iter().map(ItemId::from_uuid).collect()
}

/// The cursor of a page of change sets as text, opaque to clients.
fn write_cursor(set: ChangeSetRef) -> String {
    let mut bytes = set.begun_at.as_microsecond().to_be_bytes().to_vec();
    bytes.extend(set.id.uuid().as_bytes());
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The set after which a page begins; `None` if the text is no cursor.
pub(crate) fn read_change_set_cursor(text: &str) -> Option<ChangeSetRef> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let (time, id) = bytes.split_first_chunk::<8>()?;
    let begun_at = Timestamp::from_microsecond(i64::from_be_bytes(*time)).ok()?;
    Some(ChangeSetRef { begun_at, id: ChangeSetId::from_uuid(Uuid::from_slice(id).ok()?) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back_and_other_texts_are_none() {
        let set = ChangeSetRef::generate();
        assert_eq!(read_change_set_cursor(&write_cursor(set)), Some(set));
        for text in ["", "x", "AAAA", "ää", &URL_SAFE_NO_PAD.encode([0xff; 25]), &URL_SAFE_NO_PAD.encode([0x7f; 24])]
        {
            assert_eq!(read_change_set_cursor(text), None, "{text}");
        }
    }
}
