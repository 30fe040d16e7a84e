//! Records as lines of JSON, a line each, in the words of the REST API: for programs that read the files of a source
//! themselves, and leave it to the store what becomes of them. Histories stand inside the line.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::line::{FieldsValue, id_text};
use super::reader::{parse_id, parse_kind, parse_time, without_position};
use super::writer::{time_text, write_line};
use crate::{Since, SourceChange, SourceRecord, SourceVersion};

/// A record with all that belongs to it. (That unknown keys are refused beside flattened ones is held by a test.)
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
struct SourceRecordLine<'a> {
    source: Cow<'a, str>,
    #[serde(rename = "type")]
    kind: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Cow<'a, str>>,
    #[serde(flatten)]
    fields: FieldsValue<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used_at: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "is_false")]
    archived: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    archived_at: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "is_false")]
    deleted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_at: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    history: Vec<ChangeValue<'a>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notices: Vec<Cow<'a, str>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChangeValue<'a> {
    version: Option<u64>,
    action: Cow<'a, str>,
    #[serde(default)]
    changed_fields: Vec<Cow<'a, str>>,
    at: Option<Cow<'a, str>>,
    source: Option<Cow<'a, str>>,
    user: Option<Cow<'a, str>>,
    token: Option<Cow<'a, str>>,
    state: Option<StateValue<'a>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StateValue<'a> {
    #[serde(flatten)]
    fields: FieldsValue<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Cow<'a, str>>,
}

/// Writes a record as a line.
pub fn write_record_line(output: &mut impl Write, record: &SourceRecord) -> io::Result<()> {
    let at = |since: Option<Since>| since.and_then(Since::timestamp).map(time_text);
    let line = SourceRecordLine {
        source: Cow::Borrowed(&record.source_key),
        kind: Cow::Borrowed(record.kind.name()),
        id: record.id.map(id_text),
        fields: FieldsValue::from_fields(&record.fields),
        content: record.content.as_deref().map(Cow::Borrowed),
        created_at: record.created_at.map(time_text),
        updated_at: record.updated_at.map(time_text),
        last_used_at: record.last_used_at.map(time_text),
        archived: record.archived.is_some(),
        archived_at: at(record.archived),
        deleted: record.deleted.is_some(),
        deleted_at: at(record.deleted),
        version: record.version,
        history: record.history.iter().map(ChangeValue::from_change).collect(),
        notices: borrowed_all(&record.notices),
    };
    write_line(output, &line)
}

/// The record of a line, with or without its line break; what is wrong with it otherwise.
pub fn parse_record_line(line: &[u8]) -> Result<SourceRecord, String> {
    let line: SourceRecordLine<'_> = serde_json::from_slice(line).map_err(|error| without_position(&error))?;
    let kind = parse_kind("type", &line.kind)?;
    let since = |is_so: bool, field, at: Option<&str>| {
        let at = parse_time(field, at)?.map(Since::At);
        Ok::<_, String>(at.or(is_so.then_some(Since::Unknown)))
    };
    Ok(SourceRecord {
        id: line.id.as_deref().map(parse_id).transpose()?,
        created_at: parse_time("created_at", line.created_at.as_deref())?,
        updated_at: parse_time("updated_at", line.updated_at.as_deref())?,
        last_used_at: parse_time("last_used_at", line.last_used_at.as_deref())?,
        archived: since(line.archived, "archived_at", line.archived_at.as_deref())?,
        deleted: since(line.deleted, "deleted_at", line.deleted_at.as_deref())?,
        version: line.version,
        history: line.history.into_iter().map(ChangeValue::into_change).collect::<Result<_, _>>()?,
        notices: owned_all(line.notices),
        fields: line.fields.into_fields(),
        content: line.content.map(Cow::into_owned),
        ..SourceRecord::new(line.source, kind)
    })
}

impl<'a> ChangeValue<'a> {
    fn from_change(change: &'a SourceChange) -> ChangeValue<'a> {
        let borrowed = |text: &'a Option<String>| text.as_deref().map(Cow::Borrowed);
        ChangeValue {
            version: change.version,
            action: Cow::Borrowed(&change.action),
            changed_fields: borrowed_all(&change.changed_fields),
            at: change.at.map(time_text),
            source: borrowed(&change.source),
            user: borrowed(&change.user),
            token: borrowed(&change.token),
            state: change.state.as_ref().map(|state| StateValue {
                fields: FieldsValue::from_fields(&state.fields),
                content: borrowed(&state.content),
            }),
        }
    }

    fn into_change(self) -> Result<SourceChange, String> {
        let owned = |text: Option<Cow<'a, str>>| text.map(Cow::into_owned);
        let version = |state: StateValue<'a>| SourceVersion {
            fields: state.fields.into_fields(),
            content: state.content.map(Cow::into_owned),
        };
        Ok(SourceChange {
            version: self.version,
            action: self.action.into_owned(),
            changed_fields: owned_all(self.changed_fields),
            at: parse_time("at", self.at.as_deref())?,
            source: owned(self.source),
            user: owned(self.user),
            token: owned(self.token),
            state: self.state.map(version),
        })
    }
}

fn borrowed_all(texts: &[String]) -> Vec<Cow<'_, str>> {
    texts.iter().map(|text| Cow::Borrowed(text.as_str())).collect()
}

fn owned_all(texts: Vec<Cow<'_, str>>) -> Vec<String> {
    texts.into_iter().map(Cow::into_owned).collect()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_false(value: &bool) -> bool {
    !value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SourceArgument, SourceFields, SourceKind};

    fn full() -> SourceRecord {
        let time = |second| jiff::Timestamp::from_second(second).unwrap();
        let fields = SourceFields {
            title: Some("T".to_owned()),
            description: Some("\u{1}\"".to_owned()),
            tags: vec!["a".to_owned()],
            url: Some("https://a.example/".to_owned()),
            name: Some("n".to_owned()),
            arguments: Some(vec![SourceArgument { name: "x".to_owned(), description: None, required: true }]),
            front_matter: Some("a: 1\n".to_owned()),
        };
        let state = SourceVersion { fields: fields.clone(), content: Some(String::new()) };
        let change = SourceChange {
            version: Some(1),
            action: "create".to_owned(),
            changed_fields: vec!["title".to_owned()],
            at: Some(time(3)),
            source: Some("api".to_owned()),
            user: Some("ada".to_owned()),
            token: Some("t".to_owned()),
            state: Some(state),
        };
        SourceRecord {
            id: Some(uuid::Uuid::from_u128(7)),
            fields,
            content: Some("a\r\nb\u{2028}".to_owned()),
            created_at: Some(time(1)),
            updated_at: Some(time(2)),
            last_used_at: Some(time(4)),
            archived: Some(Since::At(time(5))),
            deleted: Some(Since::Unknown),
            version: Some(2),
            history: vec![change],
            notices: vec!["a notice".to_owned()],
            ..SourceRecord::new("a/b.md", SourceKind::Prompt)
        }
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        for record in [full(), SourceRecord::new("k", SourceKind::Note)] {
            let mut line = Vec::new();
            write_record_line(&mut line, &record).unwrap();
            assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
            assert_eq!(parse_record_line(&line).unwrap(), record);
        }
    }

    #[test]
    fn what_a_record_leaves_out_is_not_there() {
        let record = parse_record_line(br#"{"source": "k", "type": "note"}"#).unwrap();
        assert_eq!(record, SourceRecord::new("k", SourceKind::Note));
        let argument = br#"{"source": "k", "type": "prompt", "arguments": [{"name": "x"}]}"#;
        assert!(!parse_record_line(argument).unwrap().fields.arguments.unwrap()[0].required);
    }

    #[test]
    fn unknown_keys_are_refused_at_every_depth() {
        for (line, key) in [
            (r#"{"source": "k", "type": "note", "titel": "T"}"#, "titel"),
            (r#"{"source": "k", "type": "note", "state": {}}"#, "state"),
            (r#"{"source": "k", "type": "note", "arguments": [{"name": "x", "typ": 1}]}"#, "typ"),
            (r#"{"source": "k", "type": "note", "history": [{"action": "a", "who": 1}]}"#, "who"),
            (r#"{"source": "k", "type": "note", "history": [{"action": "a", "state": {"titel": 1}}]}"#, "titel"),
        ] {
            let reason = parse_record_line(line.as_bytes()).unwrap_err();
            assert!(reason.contains(&format!("unknown field `{key}`")), "{line}: {reason}");
        }
    }

    #[test]
    fn the_reason_is_short_however_long_the_line() {
        let line = format!(r#"{{"source": "k", "type": "note", "{}": 1}}"#, "x".repeat(100_000));
        assert!(parse_record_line(line.as_bytes()).unwrap_err().len() < 400);
        let line = format!(r#"{{"source": "k", "type": "{}"}}"#, "x".repeat(100_000));
        assert!(parse_record_line(line.as_bytes()).unwrap_err().len() < 400);
    }
}
