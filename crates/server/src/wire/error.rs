//! The body of an error, which is the same at all doors: its code, message, suggestion and data.

use interline_items::KindMismatch;
use interline_items::fields::FieldError;
use interline_items::{
    Error, InvalidOperation, Item, ItemId, Kind, MatchLocation, MergeOffer, MultipleMatches, NeedsText, NoMatch,
    PassageField, SimilarPassage, SpaceId, StaleOperation, View, quoted_names,
};
use interline_python::CodeError;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::ItemResponse;
use super::code::OLD_STRING;
use super::conflict::{change_set_error, conflict, proposal_error};

/// How many lines a place is shown with, before and after its own.
const CONTEXT_LINES: usize = 2;
/// The longest body of an error.
const MAX_BYTES: usize = 64 * 1024;

/// `{error, message, suggestion, …data of the code}`.
#[derive(Debug, Serialize)]
pub(crate) struct ErrorBody {
    error: &'static str,
    message: String,
    suggestion: String,
    #[serde(flatten)]
    data: Map<String, Value>,
}

/// The codes of errors that only HTTP has.
const HTTP_CODES: [&str; 3] = ["method_not_allowed", "request_timeout", "rate_limited"];

/// Every code of an error.
pub(super) fn error_codes() -> impl Iterator<Item = &'static str> {
    Error::CODES.into_iter().chain(HTTP_CODES)
}

impl ErrorBody {
    pub(crate) fn new(error: &'static str, message: String, suggestion: String) -> ErrorBody {
        ErrorBody { error, message, suggestion, data: Map::new() }
    }

    /// The body of an error of a use case, with its data.
    pub(crate) fn from_error(error: &Error) -> ErrorBody {
        ErrorBody { data: data_of(error), ..ErrorBody::new(error.code(), message_of(error), suggestion_of(error)) }
    }

    /// The body with one more member of data.
    pub(crate) fn with(mut self, key: &str, value: impl Into<Value>) -> ErrorBody {
        self.data.insert(key.to_owned(), value.into());
        self
    }

    /// The body with another message or suggestion, where one is given.
    pub(crate) fn reworded(self, message: Option<String>, suggestion: Option<String>) -> ErrorBody {
        let (message, suggestion) = (message.unwrap_or(self.message), suggestion.unwrap_or(self.suggestion));
        ErrorBody { message, suggestion, ..self }
    }

    /// The body with less of its data, where it is longer than an agent should have to read.
    pub(crate) fn bounded(mut self) -> ErrorBody {
        while serde_json::to_vec(&self).is_ok_and(|text| text.len() > MAX_BYTES) {
            // The places of a failed merge say more than the diff beside them.
            if self.data.contains_key("conflicts") && self.data.remove("diff").is_some() {
                self.data.insert("diff_truncated".to_owned(), true.into());
                continue;
            }
            let longest = self.data.values_mut().filter_map(Value::as_array_mut).max_by_key(|list| list.len());
            if let Some(list) = longest.filter(|list| !list.is_empty()) {
                // By halves: one at a time would write a long list as often as it has entries.
                list.truncate(list.len() / 2);
            } else if self.data.remove("diff").is_none() && self.data.remove("current").is_none() {
                self.data.clear();
                self.message.truncate(self.message.floor_char_boundary(1_000));
                self.suggestion.truncate(self.suggestion.floor_char_boundary(1_000));
                break;
            }
        }
        self
    }

    /// The stable code.
    pub(crate) fn code(&self) -> &'static str {
        self.error
    }
}

/// The field of errors about an idempotency key.
const IDEMPOTENCY_KEY: &str = "Idempotency-Key";
/// The field of errors about a space.
const SPACE_ID: &str = "space_id";

/// The message of an error: the one of items, but for errors whose words are those of HTTP.
fn message_of(error: &Error) -> String {
    match error {
        Error::ValidationFailed(errors) => {
            let fields: Vec<(&str, &str)> =
                errors.iter().map(|error| (error.field.as_str(), error.message.as_str())).collect();
            fields_message("field", &fields)
        }
        Error::UnknownSpace(_) => fields_message("field", &[(SPACE_ID, "")]),
        Error::InvalidIdempotencyKey(_) => fields_message("field", &[(IDEMPOTENCY_KEY, "")]),
        Error::KeyInFlight => format!("a request with the same {IDEMPOTENCY_KEY} is being carried out"),
        error => error.to_string(),
    }
}

/// Which fields (or arguments) are refused. What is wrong with each is in `errors` beside it, and not said twice; that one is
/// missing is all there is to say about it.
pub(crate) fn fields_message(noun: &str, errors: &[(&str, &str)]) -> String {
    let names: Vec<&str> = errors.iter().map(|(field, _)| *field).collect();
    let (s, names) = (if names.len() == 1 { "" } else { "s" }, quoted_names(&names));
    if errors.iter().all(|(_, message)| message.starts_with("is required")) {
        return format!("missing {noun}{s}: {names}");
    }
    format!("{noun}{s} that cannot be accepted: {names}")
}

/// The suggestion of an error: the one of items, but for errors whose words are those of HTTP.
fn suggestion_of(error: &Error) -> String {
    match error {
        Error::UnknownSpace(_) | Error::InvalidIdempotencyKey(_) => "correct the fields named in `errors`".to_owned(),
        Error::Missing { what: "webhook", .. } => "GET /webhooks lists yours".to_owned(),
        Error::ContentEmpty(NeedsText::Lines) => {
            "read the item without `start_line` and `end_line`, or give it a text first: PATCH it with `content`"
                .to_owned()
        }
        Error::ContentEmpty(_) => "there is no text to change yet: PATCH the item with `content`, or POST its first \
                                   text to its `/insert` with `at`: \"end\""
            .to_owned(),
        Error::Unauthorized => {
            "check the token in `Authorization: Bearer`, or make a new one with `interline token add`".to_owned()
        }
        Error::Unknown(_) => format!(
            "it may have been applied: read the item before sending it again, or send it again with the same \
             {IDEMPOTENCY_KEY}"
        ),
        error => error.suggestion(),
    }
}

fn unknown_space(space: SpaceId) -> String {
    format!("there is no space {space}; GET /spaces lists yours")
}

fn field_error(field: &str, message: impl Into<String>) -> Map<String, Value> {
    object([("errors", json!([{"field": field, "message": message.into()}]))])
}

fn data_of(error: &Error) -> Map<String, Value> {
    match error {
        Error::NotFound { kind, requested, actual } => not_found(*kind, requested, *actual),
        Error::Missing { what, requested, .. } => object([("type", (*what).into()), ("id", requested.as_str().into())]),
        Error::TagNotFound(tag) => object([("type", "tag".into()), ("id", tag.as_str().into())]),
        Error::VersionNotFound { kind, id, version, current } => version_not_found(*kind, *id, *version, *current),
        Error::ValidationFailed(errors) => {
            let one = |error: &FieldError| json!({"field": error.field, "message": error.message});
            object([("errors", errors.iter().map(one).collect())])
        }
        Error::UnknownSpace(space) => field_error(SPACE_ID, unknown_space(*space)),
        Error::InvalidIdempotencyKey(problem) => field_error(IDEMPOTENCY_KEY, problem.to_string()),
        Error::TooLarge { limit, actual } | Error::PageTooLarge { limit, actual } => {
            object([("limit", (*limit).into()), ("actual", (*actual).into())])
        }
        Error::InvalidTemplate { line, detail, undefined_variables, unused_arguments } => object([
            ("line", (*line).into()),
            ("detail", detail.as_str().into()),
            ("undefined_variables", undefined_variables.clone().into()),
            ("unused_arguments", unused_arguments.clone().into()),
        ]),
        Error::InvalidCode(CodeError { line, column, message }) => {
            object([("line", (*line).into()), ("column", (*column).into()), ("detail", message.as_str().into())])
        }
        Error::EntityTypeMismatch(KindMismatch { declared, detected, .. }) => {
            object([("declared", declared.name().into()), ("detected", detected.name().into())])
        }
        Error::InvalidArguments { missing, unknown } => {
            object([("missing", missing.clone().into()), ("unknown", unknown.clone().into())])
        }
        Error::RenderFailed { line, detail } => object([("line", (*line).into()), ("detail", detail.as_str().into())]),
        Error::InvalidLines { total_lines } => object([("total_lines", (*total_lines).into())]),
        Error::InvalidPattern { detail, position } => {
            object([("detail", detail.as_str().into()), ("position", (*position).into())])
        }
        Error::NoMatch { none, merged, .. } => with_offer(no_match(none), merged.as_deref()),
        Error::LostIndentation { line, merged } => with_offer(object([("line", (*line).into())]), merged.as_deref()),
        Error::StaleOffer { current } => stale_offer(current),
        Error::MultipleMatches { field, many } => multiple_matches(*field, many),
        Error::InvalidOperations { operations, total } => {
            let one = |operation: &InvalidOperation| json!({"index": operation.index, "message": operation.problem.to_string()});
            object([("operations", operations.iter().map(one).collect()), ("total_invalid", (*total).into())])
        }
        Error::StaleLines { operations, current, .. } => stale_lines(operations, current),
        Error::AtEdit { index, error, .. } => {
            let mut data = data_of(error);
            data.insert("edit_index".to_owned(), (*index).into());
            data
        }
        Error::Conflict { expected_version, current, diff, merge, .. } => {
            conflict(*expected_version, current, diff.as_ref(), merge.as_deref())
        }
        Error::Duplicate { field, existing } => object([
            ("field", field.name().into()),
            ("existing_id", existing.id.to_string().into()),
            ("existing_state", state(existing).into()),
        ]),
        Error::SlugTaken(app) => object([
            ("field", "slug".into()),
            ("existing_id", app.id.to_string().into()),
            ("existing_state", "active".into()),
        ]),
        Error::CorruptContent { item, versions, .. } => {
            object([("id", item.map(|id| id.to_string()).into()), ("versions", versions.clone().into())])
        }
        Error::ChangeSet(error) => change_set_error(error),
        Error::Proposal(error) => proposal_error(error),
        Error::CursorExpired { current } => object([("cursor", current.to_string().into())]),
        Error::ContentEmpty(_)
        | Error::InvalidParameters(_)
        | Error::KeyInFlight
        | Error::Unauthorized
        | Error::Forbidden(_)
        | Error::Unavailable(_)
        | Error::Overloaded(_)
        | Error::Unknown(_)
        | Error::Internal(_) => Map::new(),
    }
}

/// The data with the field `merged`, where a change is offered.
fn with_offer(mut data: Map<String, Value>, offer: Option<&MergeOffer>) -> Map<String, Value> {
    let Some(MergeOffer { id, line, end_line, diff }) = offer else { return data };
    let mut merged = json!({"id": id, "line": line, "end_line": end_line, "diff": diff.text});
    if diff.truncated {
        merged["diff_truncated"] = true.into();
    }
    data.insert("merged".to_owned(), merged);
    data
}

fn stale_lines(operations: &[StaleOperation], current: &Item) -> Map<String, Value> {
    let one = |operation: &StaleOperation| json!({"index": operation.index, "present": operation.present});
    object([
        ("current_version", current.stamp.version.into()),
        ("operations", operations.iter().map(one).collect()),
        ("current", item(current)),
    ])
}

fn stale_offer(current: &Item) -> Map<String, Value> {
    object([("current_version", current.stamp.version.into()), ("current", item(current))])
}

fn no_match(none: &NoMatch) -> Map<String, Value> {
    let passage = |near: &SimilarPassage| {
        json!({"line": near.first_line, "end_line": near.last_line, "similarity": near.similarity,
            "text": near.text, "diff": near.diff})
    };
    object([("nearest", none.nearest.iter().map(passage).collect())])
}

fn multiple_matches(field: PassageField, many: &MultipleMatches) -> Map<String, Value> {
    let place = |place: &MatchLocation| json!({"field": "content", "line": place.line, "context": place.context});
    let mut data = object([
        ("total_matches", many.total.into()),
        ("match_type", many.level.name().into()),
        ("matches", many.locations.iter().map(place).collect()),
    ]);
    if field == OLD_STRING {
        data.insert("match_locations".to_owned(), many.locations.iter().map(location).collect());
    }
    data
}

/// A match by its line, which stands in the middle of its context.
fn location(place: &MatchLocation) -> Value {
    let before = place.line.saturating_sub(1).min(CONTEXT_LINES);
    json!({"line": place.line, "preview": place.context.split('\n').nth(before).unwrap_or_default()})
}

pub(super) fn object<const N: usize>(members: [(&str, Value); N]) -> Map<String, Value> {
    members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// An item without its content.
pub(super) fn item(item: &Item) -> Value {
    serde_json::to_value(ItemResponse::without_content(item)).unwrap_or_default()
}

fn state(item: &Item) -> &'static str {
    match View::from_item(item) {
        View::Active => "active",
        View::Archived => "archived",
        View::Deleted => "deleted",
    }
}

fn not_found(kind: Option<Kind>, requested: &str, actual: Option<Kind>) -> Map<String, Value> {
    let mut data = object([("type", kind.map(Kind::name).into()), ("id", requested.into())]);
    data.extend(actual.map(|actual| ("actual_type".to_owned(), actual.name().into())));
    data
}

fn version_not_found(kind: Kind, id: ItemId, version: u64, current: u64) -> Map<String, Value> {
    object([
        ("type", kind.name().into()),
        ("id", id.to_string().into()),
        ("version", version.into()),
        ("current_version", current.into()),
    ])
}

#[cfg(test)]
mod tests {
    use interline_items::IdempotencyKeyProblem;

    use super::*;

    #[test]
    fn errors_about_what_http_names_are_in_its_words() {
        let space = SpaceId::generate();
        let no_space = format!("there is no space {space}; GET /spaces lists yours");
        let in_flight = "a request with the same Idempotency-Key is being carried out";
        let reused = "was used for another request; use a new key";
        let malformed = "must be from 1 to 255 visible ASCII characters";
        let correct = "correct the fields named in `errors`";
        let unknown = "it may have been applied: read the item before sending it again, or send it again with the same \
                       Idempotency-Key";
        let bearer = "check the token in `Authorization: Bearer`, or make a new one with `interline token add`";
        let in_a_moment = "wait for its answer, or send the same request again in a moment";
        for (error, code, message, suggestion, field) in [
            (
                Error::InvalidIdempotencyKey(IdempotencyKeyProblem::Malformed { max_chars: 255 }),
                "validation_failed",
                "field that cannot be accepted: `Idempotency-Key`".to_owned(),
                correct,
                json!([{"field": "Idempotency-Key", "message": malformed}]),
            ),
            (
                Error::InvalidIdempotencyKey(IdempotencyKeyProblem::Reused),
                "validation_failed",
                "field that cannot be accepted: `Idempotency-Key`".to_owned(),
                correct,
                json!([{"field": "Idempotency-Key", "message": reused}]),
            ),
            (
                Error::UnknownSpace(space),
                "validation_failed",
                "field that cannot be accepted: `space_id`".to_owned(),
                correct,
                json!([{"field": "space_id", "message": no_space}]),
            ),
            (Error::KeyInFlight, "conflict", in_flight.to_owned(), in_a_moment, Value::Null),
            (
                Error::Unauthorized,
                "unauthorized",
                "the token is not valid: it is mistyped, removed or expired".to_owned(),
                bearer,
                Value::Null,
            ),
            (
                Error::Unknown("x".to_owned()),
                "unavailable",
                "the store lost the answer to this change".to_owned(),
                unknown,
                Value::Null,
            ),
        ] {
            let body = ErrorBody::from_error(&error);
            assert_eq!((body.code(), body.message, body.suggestion.as_str()), (code, message, suggestion));
            assert_eq!(body.data.get("errors").cloned().unwrap_or_default(), field);
        }
    }

    #[test]
    fn a_webhook_that_is_not_there_is_found_in_the_list() {
        let missing = Error::Missing { what: "webhook", requested: "7".to_owned(), hint: "" };
        assert_eq!(ErrorBody::from_error(&missing).suggestion, "GET /webhooks lists yours");
    }
}
