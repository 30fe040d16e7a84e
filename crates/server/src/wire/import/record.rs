//! The format `records`: what a reader of another format gives, one record a line, for clients that read files themselves.

use interline_interchange::{
    Since, SourceArgument, SourceChange, SourceFields, SourceKind, SourceRecord, SourceVersion,
};
use jiff::Timestamp;
use serde::{Deserialize, Deserializer, de};
use uuid::Uuid;

/// A line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordLine {
    source: String,
    #[serde(rename = "type")]
    kind: KindName,
    id: Option<Uuid>,
    title: Option<String>,
    description: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    url: Option<String>,
    name: Option<String>,
    arguments: Option<Vec<ArgumentValue>>,
    front_matter: Option<String>,
    content: Option<String>,
    created_at: Option<TimeText>,
    updated_at: Option<TimeText>,
    last_used_at: Option<TimeText>,
    #[serde(default)]
    archived: bool,
    archived_at: Option<TimeText>,
    #[serde(default)]
    deleted: bool,
    deleted_at: Option<TimeText>,
    version: Option<u64>,
    #[serde(default)]
    history: Vec<ChangeValue>,
    #[serde(default)]
    notices: Vec<String>,
}

/// A time in RFC 3339.
struct TimeText(Timestamp);

impl<'de> Deserialize<'de> for TimeText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<TimeText, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(TimeText).map_err(|_| de::Error::custom("a time must be like 2026-01-31T08:00:00Z"))
    }
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum KindName {
    Note,
    Bookmark,
    Prompt,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ArgumentValue {
    name: String,
    description: Option<String>,
    #[serde(default)]
    required: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChangeValue {
    version: Option<u64>,
    action: String,
    #[serde(default)]
    changed_fields: Vec<String>,
    at: Option<TimeText>,
    source: Option<String>,
    user: Option<String>,
    token: Option<String>,
    state: Option<StateValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StateValue {
    title: Option<String>,
    description: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    url: Option<String>,
    name: Option<String>,
    arguments: Option<Vec<ArgumentValue>>,
    front_matter: Option<String>,
    content: Option<String>,
}

/// The record of a line; what is wrong with it otherwise.
pub(crate) fn parse_record_line(line: &[u8]) -> Result<SourceRecord, String> {
    let line: RecordLine = serde_json::from_slice(line).map_err(|error| {
        let message = error.to_string();
        message.split(" at line 1 column").next().unwrap_or(&message).chars().take(300).collect::<String>()
    })?;
    let since = |is_so: bool, at: Option<TimeText>| match at {
        Some(TimeText(at)) => Some(Since::At(at)),
        None => is_so.then_some(Since::Unknown),
    };
    let (archived, deleted) = (since(line.archived, line.archived_at), since(line.deleted, line.deleted_at));
    let kind = match line.kind {
        KindName::Note => SourceKind::Note,
        KindName::Bookmark => SourceKind::Bookmark,
        KindName::Prompt => SourceKind::Prompt,
    };
    let fields = SourceFields {
        title: line.title,
        description: line.description,
        tags: line.tags,
        url: line.url,
        name: line.name,
        arguments: line.arguments.map(into_arguments),
        front_matter: line.front_matter,
    };
    Ok(SourceRecord {
        id: line.id,
        fields,
        content: line.content,
        created_at: line.created_at.map(|time| time.0),
        updated_at: line.updated_at.map(|time| time.0),
        last_used_at: line.last_used_at.map(|time| time.0),
        archived,
        deleted,
        version: line.version,
        history: line.history.into_iter().map(ChangeValue::into_change).collect(),
        notices: line.notices,
        ..SourceRecord::new(line.source, kind)
    })
}

fn into_arguments(arguments: Vec<ArgumentValue>) -> Vec<SourceArgument> {
    let argument = |ArgumentValue { name, description, required }| SourceArgument { name, description, required };
    arguments.into_iter().map(argument).collect()
}

impl ChangeValue {
    fn into_change(self) -> SourceChange {
        let state = self.state.map(|state| SourceVersion {
            fields: SourceFields {
                title: state.title,
                description: state.description,
                tags: state.tags,
                url: state.url,
                name: state.name,
                arguments: state.arguments.map(into_arguments),
                front_matter: state.front_matter,
            },
            content: state.content,
        });
        SourceChange {
            version: self.version,
            action: self.action,
            changed_fields: self.changed_fields,
            at: self.at.map(|time| time.0),
            source: self.source,
            user: self.user,
            token: self.token,
            state,
        }
    }
}
