//! Writing a Markdown file that is read back exactly.

use super::reader::{CREATED, DESCRIPTION, TAGS, UPDATED, read_text};
use crate::front_matter::{FrontMatter, OWN_PREFIX, WHOLE};
use crate::yaml::{flow_list, quoted, scalar};
use crate::{FileTimes, Since, SourceArgument, SourceKind, SourceRecord};

/// A file: front matter with the id first, then the fields, then the author's own front matter as it is; after the closing
/// fence nothing but the content. Reading it gives back the content and all these, byte for byte; an item in the trash is
/// not told from others.
pub fn write_markdown(record: &SourceRecord) -> String {
    let body = record.content.as_deref().unwrap_or_default();
    let mut file = head(record, body);
    file.push_str(body);
    file
}

fn head(record: &SourceRecord, body: &str) -> String {
    let raw = record.fields.front_matter.as_deref().unwrap_or_default();
    let own = FrontMatter::parse(raw).ok().map(|own| Head::new(record, body, Some(&own)).finish(raw));
    own.filter(|head| is_read_back(record, head)).unwrap_or_else(|| {
        let mut head = Head::new(record, body, None);
        head.put(WHOLE, &[], Some(quoted(raw)));
        head.finish("")
    })
}

/// Whether reading a head gives the fields that it was made of. What an author wrote as front matter can be any text.
fn is_read_back(record: &SourceRecord, head: &str) -> bool {
    let read = read_text("x.md", head, FileTimes::default());
    let raw = record.fields.front_matter.as_deref().filter(|raw| !raw.is_empty());
    read.content.as_deref().unwrap_or_default().is_empty()
        && read.fields.front_matter.as_deref() == raw
        && (read.kind, read.id) == (record.kind, record.id)
        && (read.fields.tags == record.fields.tags)
        && (read.fields.description == record.fields.description)
        && (read.created_at, read.updated_at) == (record.created_at, record.updated_at)
}

/// Front matter as it is written.
struct Head<'a> {
    out: String,
    /// What the author wrote: its keys are not written a second time.
    author: Option<&'a FrontMatter<'a>>,
}

impl<'a> Head<'a> {
    fn new(record: &SourceRecord, body: &str, author: Option<&'a FrontMatter<'a>>) -> Head<'a> {
        let mut head = Head { out: "---\n".to_owned(), author };
        let fields = &record.fields;
        let kind = record.kind;
        head.put("id", &[], record.id.map(|id| id.hyphenated().to_string()));
        head.put("kind", &[], (kind != SourceKind::Note || head.is_taken("kind")).then(|| kind.name().to_owned()));
        head.put("title", &[], fields.title.as_deref().map(scalar));
        head.put("tags", TAGS, (!fields.tags.is_empty()).then(|| flow_list(&fields.tags)));
        head.put("created", CREATED, record.created_at.map(|time| time.to_string()));
        head.put("updated", UPDATED, record.updated_at.map(|time| time.to_string()));
        head.put("description", DESCRIPTION, fields.description.as_deref().map(scalar));
        match kind {
            SourceKind::Note => {}
            SourceKind::Bookmark => head.put("url", &[], fields.url.as_deref().map(scalar)),
            SourceKind::Prompt => {
                head.put("name", &[], fields.name.as_deref().map(scalar));
                head.put("arguments", &[], fields.arguments.as_deref().map(argument_list));
            }
        }
        head.put("archived", &[], record.archived.and_then(Since::timestamp).map(|time| time.to_string()));
        if body.is_empty() {
            let state = match (&record.content, kind) {
                (None, SourceKind::Note) => Some("none"),
                (Some(_), SourceKind::Bookmark | SourceKind::Prompt) => Some("empty"),
                _ => None,
            };
            head.put("content", &[], state.map(str::to_owned));
        }
        head
    }

    fn is_taken(&self, key: &str) -> bool {
        self.author.is_some_and(|author| author.has(key) || author.has(&format!("{OWN_PREFIX}{key}")))
    }

    /// Writes a key, with a prefix where the author has the same. `others` are names that are read for it: where the author
    /// has one of them and we have no value, that is said, so that the author's is not taken for ours.
    fn put(&mut self, key: &str, others: &[&str], value: Option<String>) {
        let prefix = if self.is_taken(key) || key == WHOLE { OWN_PREFIX } else { "" };
        let line = match value {
            Some(value) => format!("{prefix}{key}: {value}\n"),
            None if self.is_taken(key) || others.iter().any(|other| self.is_taken(other)) => {
                format!("{OWN_PREFIX}{key}: null\n")
            }
            None => return,
        };
        self.out.push_str(&line);
    }

    fn finish(mut self, raw: &str) -> String {
        self.out.push_str(raw);
        self.out.push_str("---\n");
        self.out
    }
}

/// The arguments of a prompt on one line.
pub(crate) fn argument_list(arguments: &[SourceArgument]) -> String {
    let argument = |argument: &SourceArgument| {
        let description = argument.description.as_deref().map_or("null".to_owned(), quoted);
        format!("{{name: {}, description: {description}, required: {}}}", quoted(&argument.name), argument.required)
    };
    format!("[{}]", arguments.iter().map(argument).collect::<Vec<_>>().join(", "))
}
