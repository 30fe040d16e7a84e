//! Bookmarks of one source: checked, cleaned, and those with the same address made one.

use std::collections::HashMap;
use std::ops::ControlFlow;

use jiff::Timestamp;

use crate::tags::{TagCollector, shown};
use crate::texts::{clean_description, clean_title};
use crate::{Entry, Since, Sink, SourceKind, SourceRecord};

/// One bookmark as a source tells it.
#[derive(Default)]
pub(crate) struct SourceBookmark {
    pub(crate) url: String,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) content: Option<String>,
    /// Tags, and the folders that it is in.
    pub(crate) tags: TagCollector,
    pub(crate) created_at: Option<Timestamp>,
    pub(crate) updated_at: Option<Timestamp>,
    pub(crate) archived: Option<Since>,
    pub(crate) notices: Vec<String>,
}

/// Collects the bookmarks of a source, in their order. A source may have one address in several folders; it is one bookmark
/// with the tags of all.
#[derive(Default)]
pub(crate) struct BookmarkCollector {
    entries: Vec<Entry>,
    by_url: HashMap<String, usize>,
}

impl BookmarkCollector {
    /// Adds a bookmark; skips one whose address is not of the web.
    pub(crate) fn add(&mut self, bookmark: SourceBookmark) {
        let url = bookmark.url.trim().to_owned();
        if let Err(reason) = check_url(&url) {
            let title = bookmark.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
            return self.skip(shown(title.unwrap_or(&url)), reason);
        }
        let mut notices = bookmark.notices;
        let tags = bookmark.tags.finish(&mut notices);
        if let Some(Entry::Record(first)) = self.by_url.get(&url).and_then(|index| self.entries.get_mut(*index)) {
            first.created_at = [first.created_at, bookmark.created_at].into_iter().flatten().min();
            let mut all = TagCollector::default();
            first.fields.tags.iter().chain(&tags).for_each(|tag| all.add(tag));
            first.fields.tags = all.finish(&mut notices);
            first.notices.append(&mut notices);
            return;
        }
        let mut record = SourceRecord::new(url.clone(), SourceKind::Bookmark);
        let title = bookmark.title.filter(|title| !title.trim().is_empty());
        record.fields.title = title.map(|title| clean_title(&title, &mut notices));
        let description = bookmark.description.filter(|description| !description.is_empty());
        record.fields.description = description.map(|description| clean_description(&description, &mut notices));
        record.fields.tags = tags;
        record.fields.url = Some(url.clone());
        record.content = bookmark.content;
        record.created_at = bookmark.created_at;
        record.updated_at = bookmark.updated_at.or(bookmark.created_at);
        record.archived = bookmark.archived;
        record.notices = notices;
        self.by_url.insert(url, self.entries.len());
        self.entries.push(Entry::Record(Box::new(record)));
    }

    /// Says that something is no bookmark, in its place.
    pub(crate) fn skip(&mut self, source: impl Into<String>, reason: impl Into<String>) {
        self.entries.push(Entry::skipped(source, reason));
    }

    /// Hands all of them over.
    pub(crate) fn finish(self, sink: &mut Sink<'_>) -> ControlFlow<()> {
        self.entries.into_iter().try_for_each(sink)
    }
}

fn check_url(url: &str) -> Result<(), String> {
    let scheme = url.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    match scheme.as_deref() {
        Some("http" | "https") => Ok(()),
        _ if url.is_empty() => Err("it has no address".to_owned()),
        Some(scheme)
            if scheme.len() <= 30 && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b)) =>
        {
            Err(format!("its address is `{scheme}:…`; only http and https can be bookmarked"))
        }
        _ => Err(format!("`{}` is no web address", shown(url))),
    }
}
