//! The data of a conflict: the present state of the item, what changed since, and where a merge failed.

use interline_items::{
    ChangeSetError, ConflictPassage, ConflictPlace, FailedMerge, Item, MAX_PENDING_PROPOSALS, ProposalError,
    UndoConflict, UnfitCause, UnifiedDiff,
};
use serde_json::{Map, Value, json};

use super::error::{ErrorBody, item, object};

/// The data of a change that was made for another version.
pub(super) fn conflict(
    expected_version: u64,
    current: &Item,
    diff: Option<&UnifiedDiff>,
    merge: Option<&FailedMerge>,
) -> Map<String, Value> {
    let mut data = object([
        ("current_version", current.stamp.version.into()),
        ("expected_version", expected_version.into()),
        ("current", item(current)),
        ("diff", diff.map(|diff| diff.text.as_str()).into()),
        ("diff_truncated", diff.map(|diff| diff.truncated).into()),
    ]);
    data.extend(merge.into_iter().flat_map(failed_merge));
    data
}

fn failed_merge(merge: &FailedMerge) -> Map<String, Value> {
    match merge {
        FailedMerge::BothChanged { fields, places, total } => {
            let mut data = object([("conflicts", places.iter().map(place).collect())]);
            if places.len() < *total {
                data.insert("total_conflicts".to_owned(), (*total).into());
            }
            if !fields.is_empty() {
                data.insert("fields".to_owned(), fields.clone().into());
            }
            data
        }
        FailedMerge::Invalid(error) => {
            let refusal = serde_json::to_value(ErrorBody::from_error(error)).unwrap_or_default();
            object([("conflicts", json!([])), ("refusal", refusal)])
        }
    }
}

/// The data of a change set that is not joined, or not taken back.
pub(super) fn change_set_error(error: &ChangeSetError) -> Map<String, Value> {
    match error {
        ChangeSetError::Closed(set) => object([("change_set", set.to_string().into())]),
        ChangeSetError::Conflicts(conflicts) => object([("conflicts", conflicts.iter().map(undo_conflict).collect())]),
        ChangeSetError::UnknownHunk(hunk) => object([("hunk", hunk.as_str().into())]),
    }
}

/// The data of a proposal that is not made, or not decided.
pub(super) fn proposal_error(error: &ProposalError) -> Map<String, Value> {
    match error {
        ProposalError::TooMany => object([("limit", MAX_PENDING_PROPOSALS.into())]),
        ProposalError::Decided(state) => object([("state", state.name().into())]),
        ProposalError::OtherRevision { current } => object([("revision", (*current).into())]),
        ProposalError::UnknownHunk(hunk) => object([("hunk", hunk.as_str().into())]),
        ProposalError::Unfit { cause, state } => {
            let mut data = match cause {
                UnfitCause::Merge(merge) => failed_merge(merge),
                UnfitCause::Forgotten | UnfitCause::Gone => object([("conflicts", json!([]))]),
            };
            data.insert("state".to_owned(), state.name().into());
            data
        }
    }
}

/// Why the changes of an item cannot be taken back.
pub(super) fn undo_conflict(conflict: &UndoConflict) -> Value {
    let UndoConflict { item, cause, places, fields } = conflict;
    let mut data =
        json!({"id": item.to_string(), "cause": cause.name(), "places": places.iter().map(place).collect::<Vec<_>>()});
    if !fields.is_empty() {
        data["fields"] = fields.clone().into();
    }
    data
}

fn place(place: &ConflictPlace) -> Value {
    json!({"base": passage(&place.base), "ours": passage(&place.ours), "theirs": passage(&place.theirs)})
}

fn passage(passage: &ConflictPassage) -> Value {
    let ConflictPassage { start_line, end_line, text, truncated } = passage;
    let mut lines = json!({"start_line": start_line, "end_line": end_line, "text": text});
    if *truncated {
        lines["truncated"] = true.into();
    }
    lines
}
