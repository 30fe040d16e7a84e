//! Karakeep's (formerly Hoarder's) JSON: bookmarks and texts.

use std::ops::ControlFlow;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::bookmarks::{BookmarkCollector, SourceBookmark};
use crate::tags::{TagCollector, shown};
use crate::texts::{clean_description, note_title};
use crate::times::{from_number, parse};
use crate::{Entry, Format, ReadError, Since, Sink, SourceKind, SourceRecord};

/// Reads an export. Links are bookmarks with their note as content; texts are notes; stored files are reported.
pub(crate) fn read_karakeep_json(bytes: &[u8], sink: &mut Sink<'_>) -> Result<ControlFlow<()>, ReadError> {
    let not = |reason: String| ReadError::not(Format::KarakeepJson, reason);
    serde_json::from_slice::<serde::de::IgnoredAny>(bytes).map_err(|error| not(error.to_string()))?;
    let list = match export(bytes) {
        Some(list) => list,
        None => return Err(not("it has no list `bookmarks`: export from Karakeep's settings".to_owned())),
    };
    let mut collector = BookmarkCollector::default();
    let mut texts = Texts::default();
    for (index, raw) in list.iter().enumerate() {
        let place = format!("bookmark {}", index + 1);
        match serde_json::from_str::<Value>(raw.get()) {
            Ok(bookmark) => read_one(&bookmark, &place, &mut collector, &mut texts),
            Err(error) => collector.skip(place, error.to_string()),
        }
    }
    Ok(collector.finish(sink))
}

/// The bookmarks of a file; each is parsed by itself, so that a bad one does not stop the rest.
fn export(bytes: &[u8]) -> Option<Vec<&RawValue>> {
    #[derive(Deserialize)]
    struct Object<'a> {
        #[serde(borrow)]
        bookmarks: Vec<&'a RawValue>,
    }
    let object = serde_json::from_slice::<Object<'_>>(bytes).map(|object| object.bookmarks);
    object.or_else(|_| serde_json::from_slice(bytes)).ok()
}

/// Source keys of texts that were given out.
#[derive(Default)]
struct Texts {
    keys: std::collections::HashMap<String, usize>,
}

impl Texts {
    /// A key that no other text of the file has; the same at every reading.
    fn key(&mut self, key: String) -> String {
        let count = self.keys.entry(key.clone()).or_default();
        *count += 1;
        if *count == 1 { key } else { format!("{key} #{count}") }
    }
}

fn read_one(bookmark: &Value, place: &str, collector: &mut BookmarkCollector, texts: &mut Texts) {
    let text = |key: &str| bookmark.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
    let Some(content) = bookmark.get("content").filter(|content| content.is_object()) else {
        return collector.skip(text("title").unwrap_or_else(|| place.to_owned()), "it has no content that is exported");
    };
    let inner = |key: &str| content.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
    let is = |key: &str| bookmark.get(key).and_then(Value::as_bool) == Some(true);
    let mut tags = TagCollector::default();
    for tag in bookmark.get("tags").and_then(Value::as_array).into_iter().flatten() {
        let name = tag.as_str().or_else(|| tag.get("name")?.as_str());
        name.into_iter().for_each(|name| tags.add(name));
    }
    if is("favourited") {
        tags.add("favourite");
    }
    let archived = is("archived").then_some(Since::Unknown);
    let created_at = time(bookmark, "createdAt");
    let updated_at = time(bookmark, "modifiedAt");
    match content.get("type").and_then(Value::as_str) {
        Some("link") => collector.add(SourceBookmark {
            url: inner("url").unwrap_or_default(),
            title: text("title").or_else(|| inner("title")),
            description: text("summary").or_else(|| inner("description")),
            content: text("note"),
            tags,
            created_at,
            updated_at,
            archived,
            notices: Vec::new(),
        }),
        Some("text") => {
            let body = inner("text").unwrap_or_default();
            let first_line = body.split('\n').map(|line| line.trim().trim_start_matches('#').trim());
            let title = text("title").or_else(|| first_line.clone().find(|line| !line.is_empty()).map(str::to_owned));
            let title = title.unwrap_or_else(|| "Untitled".to_owned());
            let time_key = created_at.map(|time| time.to_string()).unwrap_or_default();
            let key = text("id").unwrap_or_else(|| format!("text {time_key} {}", shown(&title)));
            let mut record = SourceRecord::new(texts.key(key), SourceKind::Note);
            record.fields.title = Some(note_title(&title, &mut record.notices));
            let description = text("note").or_else(|| text("summary"));
            record.fields.description = description.map(|text| clean_description(&text, &mut record.notices));
            record.fields.tags = tags.finish(&mut record.notices);
            record.content = Some(body);
            (record.created_at, record.updated_at) = (created_at, updated_at.or(created_at));
            record.archived = archived;
            collector.push(Entry::Record(Box::new(record)));
        }
        Some("asset") => {
            let name = inner("fileName").or_else(|| text("title")).or_else(|| inner("assetId"));
            collector.push(Entry::Attachment { source: name.unwrap_or_else(|| place.to_owned()) });
        }
        _ => collector.skip(place, "its content is neither a link nor a text"),
    }
}

/// Seconds, or a text.
fn time(bookmark: &Value, key: &str) -> Option<Timestamp> {
    match bookmark.get(key)? {
        Value::Number(number) => from_number(number.as_i64()?),
        Value::String(text) => parse(text),
        _ => None,
    }
}
