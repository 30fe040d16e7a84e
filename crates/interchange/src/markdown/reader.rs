//! Reading a Markdown file.

use serde_json::Value;
use uuid::Uuid;

use crate::front_matter::{FrontMatter, OWN_PREFIX, Rest, WHOLE, split, tags, text, time};
use crate::texts::{clean_description, clean_title, is_blank, note_title};
use crate::{Entry, FileTimes, MAX_FRONT_MATTER_BYTES, Since, SourceArgument, SourceKind, SourceRecord};

/// Names by which other tools write a field, after our own.
pub(super) const CREATED: &[&str] = &["created", "date", "created_at", "date created"];
pub(super) const UPDATED: &[&str] = &["updated", "modified", "updated_at", "date modified"];
pub(super) const DESCRIPTION: &[&str] = &["description", "summary"];
pub(super) const TAGS: &[&str] = &["tags", "tag"];

/// Reads one file. Front matter that is no valid mapping stays in the content, and so nothing is lost.
pub(crate) fn read_markdown(path: &str, bytes: &[u8], times: FileTimes) -> Entry {
    match utf8(bytes) {
        Ok(text) => Entry::Record(Box::new(read_text(path, text, times))),
        Err(reason) => Entry::skipped(path, reason),
    }
}

/// The text of a file, or why it is none.
pub(crate) fn utf8(bytes: &[u8]) -> Result<&str, String> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(_) if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") => {
            Err("it is UTF-16; save it as UTF-8".to_owned())
        }
        Err(error) => Err(format!("it is not UTF-8 (byte {}); save it as UTF-8", error.valid_up_to() + 1)),
    }
}

/// The name of a file without its folder and ending.
pub(crate) fn file_stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

pub(super) fn read_text(path: &str, source: &str, times: FileTimes) -> SourceRecord {
    let parts = split(source);
    let mut record = SourceRecord::new(path, SourceKind::Note);
    record.content = Some(parts.body.to_owned());
    let whole = || Some(source.strip_prefix('\u{feff}').unwrap_or(source).to_owned());
    match parts.yaml.map(FrontMatter::parse) {
        None => {}
        Some(Ok(mut front_matter)) => {
            take_fields(&mut record, &mut front_matter, parts.body);
            if !keep_rest(&mut record, &mut front_matter) {
                record.content = whole();
            }
        }
        Some(Err(reason)) => {
            record.notices.push(format!("its front matter {reason}: it stays in the content"));
            record.content = whole();
        }
    }
    if record.kind == SourceKind::Note && record.fields.title.as_deref().is_none_or(is_blank) {
        record.fields.title = Some(note_title(file_stem(path), &mut record.notices));
    }
    let earliest = [times.created, times.modified].into_iter().flatten().min();
    record.created_at = record.created_at.or(earliest);
    record.updated_at = record.updated_at.or(times.modified);
    record
}

fn take_fields(record: &mut SourceRecord, front_matter: &mut FrontMatter<'_>, body: &str) {
    record.id = front_matter.take(&["id"], |value| Uuid::try_parse(value.as_str()?).ok());
    take_kind(record, front_matter);
    let notices = &mut record.notices;
    let title = front_matter.take(&["title"], text);
    record.fields.title = title.map(|title| clean_title(&title, notices));
    let description = front_matter.take(DESCRIPTION, text);
    record.fields.description = description.map(|description| clean_description(&description, notices));
    if let Some((tags, mut changed)) = front_matter.take(TAGS, tags) {
        record.fields.tags = tags;
        notices.append(&mut changed);
    }
    record.created_at = front_matter.take(CREATED, time);
    record.updated_at = front_matter.take(UPDATED, time);
    if record.id.is_some() || record.kind != SourceKind::Note {
        record.archived = front_matter.take(&["archived"], time).map(Since::At);
        take_empty_content(record, front_matter, body);
    }
}

/// The kind, and the fields without which there is none of it. A note of somebody else's may have a `kind` too, without
/// being one of ours: a bookmark has a text as its `url`, a prompt as its `name`.
fn take_kind(record: &mut SourceRecord, front_matter: &mut FrontMatter<'_>) {
    let kind = |value: &Value| SourceKind::parse(value.as_str()?);
    let is_of_kind = |key: &str| front_matter.peek(&[&format!("{OWN_PREFIX}{key}"), key], text).is_some();
    let is_complete = match front_matter.peek(&["interline_kind", "kind"], kind) {
        Some(SourceKind::Bookmark) => is_of_kind("url"),
        Some(SourceKind::Prompt) => is_of_kind("name"),
        Some(SourceKind::Note) => front_matter.has("interline_kind"),
        None => false,
    };
    let Some(kind) = is_complete.then(|| front_matter.take(&["kind"], kind)).flatten() else { return };
    record.kind = kind;
    match kind {
        SourceKind::Note => {}
        SourceKind::Bookmark => record.fields.url = front_matter.take(&["url"], text),
        SourceKind::Prompt => {
            record.fields.name = front_matter.take(&["name"], text);
            record.fields.arguments = front_matter.take(&["arguments"], arguments);
        }
    }
}

/// Tells no content from an empty one: a note without text has an empty one unless said otherwise, other kinds have none.
fn take_empty_content(record: &mut SourceRecord, front_matter: &mut FrontMatter<'_>, body: &str) {
    let state = |value: &Value| match value.as_str()? {
        "none" => Some(None),
        "empty" => Some(Some(String::new())),
        _ => None,
    };
    if !body.is_empty() {
        return;
    }
    match front_matter.take(&["content"], state) {
        Some(content) => record.content = content,
        None if record.kind != SourceKind::Note => record.content = None,
        None => {}
    }
}

/// The arguments of a prompt, as our own export has them.
pub(crate) fn arguments(value: &Value) -> Option<Vec<SourceArgument>> {
    let argument = |value: &Value| {
        let is = |name: &str| value.get(name).and_then(Value::as_str);
        Some(SourceArgument {
            name: is("name")?.to_owned(),
            description: is("description").map(str::to_owned),
            required: is("required") == Some("true"),
        })
    };
    value.as_array()?.iter().map(argument).collect()
}

/// Keeps the keys that have no field. `false` if they cannot be kept apart from the content.
pub(crate) fn keep_rest(record: &mut SourceRecord, front_matter: &mut FrontMatter<'_>) -> bool {
    let own = front_matter.take(&[WHOLE], text);
    let mut lines = own.unwrap_or_default();
    match front_matter.rest() {
        Rest::Nothing if lines.is_empty() => return true,
        Rest::Nothing => {}
        Rest::Lines(rest) => lines.push_str(&rest),
        Rest::Rewritten(rest) => {
            record.notices.push("its front matter was written anew: keys shared lines or anchors".to_owned());
            lines.push_str(&rest);
        }
        Rest::Inseparable => {
            record.notices.push("its front matter cannot be taken apart: it stays in the content".to_owned());
            return false;
        }
    }
    if lines.len() > MAX_FRONT_MATTER_BYTES {
        let size = lines.len();
        record.notices.push(format!(
            "its front matter has {size} bytes; the limit is {MAX_FRONT_MATTER_BYTES}: it stays in the content"
        ));
        return false;
    }
    record.fields.front_matter = Some(lines);
    true
}
