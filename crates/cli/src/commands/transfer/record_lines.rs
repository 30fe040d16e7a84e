//! Records of a source as the lines that `POST /import?format=records` takes.

use interline_interchange::{Since, SourceArgument, SourceRecord};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

/// A record of a folder, in JSON. (Histories come in documents alone, which are sent as they are.)
pub(super) fn record_line(record: &SourceRecord) -> Value {
    let mut line = Map::new();
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            line.insert(name.to_owned(), value);
        }
    };
    let text = |text: &Option<String>| text.as_deref().map(Value::from);
    let time = |time: Option<Timestamp>| time.map(|time| Value::from(time.to_string()));
    let fields = &record.fields;
    put("source", Some(record.source_key.as_str().into()));
    put("type", Some(record.kind.name().into()));
    put("id", record.id.map(|id| id.to_string().into()));
    put("title", text(&fields.title));
    put("description", text(&fields.description));
    put("tags", Some(fields.tags.clone().into()));
    put("url", text(&fields.url));
    put("name", text(&fields.name));
    put("arguments", fields.arguments.as_ref().map(|all| all.iter().map(argument).collect()));
    put("front_matter", text(&fields.front_matter));
    put("content", text(&record.content));
    put("created_at", time(record.created_at));
    put("updated_at", time(record.updated_at));
    put("archived", Some(record.archived.is_some().into()));
    put("archived_at", time(record.archived.and_then(Since::timestamp)));
    put("notices", Some(record.notices.clone().into()));
    Value::Object(line)
}

fn argument(argument: &SourceArgument) -> Value {
    json!({"name": argument.name, "description": argument.description, "required": argument.required})
}
