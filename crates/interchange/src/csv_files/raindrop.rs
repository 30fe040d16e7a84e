//! Raindrop.io's CSV: `id,title,note,excerpt,url,folder,tags,created,cover,highlights,favorite`.

use std::ops::ControlFlow;

use super::table::{Row, read_rows};
use crate::bookmarks::{BookmarkCollector, SourceBookmark};
use crate::{Format, ReadError, Sink};

/// Reads an export. The excerpt is the description, note and highlights are the content; nested folders are a tag each; covers
/// are left out.
pub(crate) fn read_raindrop_csv(bytes: &[u8], sink: &mut Sink<'_>) -> Result<ControlFlow<()>, ReadError> {
    let mut bookmarks = BookmarkCollector::default();
    read_rows(Format::RaindropCsv, bytes, &["url"], &mut |row| match row {
        Err((line, reason)) => bookmarks.skip(format!("line {line}"), reason),
        Ok(row) => bookmarks.add(bookmark(&row)),
    })?;
    Ok(bookmarks.finish(sink))
}

fn bookmark(row: &Row<'_>) -> SourceBookmark {
    let text = |column: &str| row.get(column).map(str::to_owned);
    let mut bookmark = SourceBookmark {
        url: text("url").unwrap_or_default(),
        title: text("title"),
        description: text("excerpt"),
        content: content(row),
        created_at: row.get("created").and_then(crate::times::parse),
        ..SourceBookmark::default()
    };
    // The folder of what has none.
    let folders = row.get("folder").filter(|folder| !matches!(*folder, "Unsorted" | "Unsorted bookmarks"));
    folders.unwrap_or_default().split('/').for_each(|folder| bookmark.tags.add(folder));
    row.get("tags").unwrap_or_default().split(',').for_each(|tag| bookmark.tags.add(tag));
    if row.get("favorite") == Some("true") {
        bookmark.tags.add("favorite");
    }
    bookmark
}

fn content(row: &Row<'_>) -> Option<String> {
    let note = row.get("note").map(str::to_owned);
    let highlights = row.get("highlights").map(|highlights| format!("## Highlights\n\n{highlights}"));
    match (note, highlights) {
        (Some(note), Some(highlights)) => Some(format!("{note}\n\n{highlights}")),
        (note, highlights) => note.or(highlights),
    }
}
