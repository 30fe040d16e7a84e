//! The body of an error.

use interline_items::{Error, Item, Kind, View};
use serde::Serialize;
use serde_json::{Map, Value};

use super::ItemBody;

/// `{error, message, suggestion, …data of the code}`.
#[derive(Debug, Serialize)]
pub(in crate::http) struct ErrorBody {
    error: &'static str,
    message: String,
    suggestion: String,
    #[serde(flatten)]
    data: Map<String, Value>,
}

impl ErrorBody {
    pub(in crate::http) fn new(error: &'static str, message: String, suggestion: String) -> ErrorBody {
        ErrorBody { error, message, suggestion, data: Map::new() }
    }

    /// The body for what a use case refused, with its data.
    pub(in crate::http) fn of(error: &Error) -> ErrorBody {
        ErrorBody { data: data_of(error), ..ErrorBody::new(error.code(), error.to_string(), error.suggestion()) }
    }

    /// One more piece of data.
    pub(in crate::http) fn with(mut self, key: &str, value: impl Into<Value>) -> ErrorBody {
        self.data.insert(key.to_owned(), value.into());
        self
    }

    /// The stable code.
    pub(in crate::http) fn code(&self) -> &'static str {
        self.error
    }
}

fn data_of(error: &Error) -> Map<String, Value> {
    match error {
        Error::NotFound { kind, wanted } => {
            object([("type", kind.map(Kind::name).into()), ("id", wanted.as_str().into())])
        }
        Error::ValidationFailed(errors) => {
            let one = |error: &interline_items::fields::FieldError| {
                Value::Object(object([
                    ("field", error.field.as_str().into()),
                    ("message", error.message.as_str().into()),
                ]))
            };
            object([("errors", errors.iter().map(one).collect())])
        }
        Error::TooLarge { limit, actual } => object([("limit", (*limit).into()), ("actual", (*actual).into())]),
        Error::InvalidTemplate { line, detail, undefined_variables, unused_arguments } => object([
            ("line", (*line).into()),
            ("detail", detail.as_str().into()),
            ("undefined_variables", undefined_variables.clone().into()),
            ("unused_arguments", unused_arguments.clone().into()),
        ]),
        Error::InvalidArguments { missing, unknown } => {
            object([("missing", missing.clone().into()), ("unknown", unknown.clone().into())])
        }
        Error::RenderFailed { line, detail } => object([("line", (*line).into()), ("detail", detail.as_str().into())]),
        Error::InvalidLines { total_lines } => object([("total_lines", (*total_lines).into())]),
        Error::Conflict { expected_version, current, .. } => object([
            ("current_version", current.stamp.version.into()),
            ("expected_version", (*expected_version).into()),
            ("current", item(current)),
        ]),
        Error::Duplicate { field, existing } => object([
            ("field", field.name().into()),
            ("existing_id", existing.id.to_string().into()),
            ("existing_state", state(existing).into()),
        ]),
        Error::ContentEmpty
        | Error::InvalidParameters(_)
        | Error::Unauthorized
        | Error::Forbidden { .. }
        | Error::Unavailable(_)
        | Error::Internal(_) => Map::new(),
    }
}

fn object<const N: usize>(members: [(&str, Value); N]) -> Map<String, Value> {
    members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// An item without its content.
fn item(item: &Item) -> Value {
    serde_json::to_value(ItemBody::without_content(item)).unwrap_or_default()
}

fn state(item: &Item) -> &'static str {
    match View::of(item) {
        View::Active => "active",
        View::Archived => "archived",
        View::Deleted => "deleted",
    }
}
