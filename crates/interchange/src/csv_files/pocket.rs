//! Pocket's CSV: `title,url,time_added,tags,status`.

use std::ops::ControlFlow;

use super::table::read_rows;
use crate::bookmarks::{BookmarkCollector, SourceBookmark};
use crate::times::from_number_text;
use crate::{Format, ReadError, Since, Sink};

/// Reads an export: tags stand between `|`, and `archive` is archived.
pub(crate) fn read_pocket_csv(bytes: &[u8], sink: &mut Sink<'_>) -> Result<ControlFlow<()>, ReadError> {
    let mut bookmarks = BookmarkCollector::default();
    read_rows(Format::PocketCsv, bytes, &["url"], &mut |row| match row {
        Err((line, reason)) => bookmarks.skip(format!("line {line}"), reason),
        Ok(row) => {
            let url = row.get("url").unwrap_or_default().to_owned();
            let mut bookmark = SourceBookmark {
                // Pocket writes the address where it knows no title.
                title: row.get("title").filter(|title| *title != url).map(str::to_owned),
                created_at: row.get("time_added").and_then(from_number_text),
                archived: (row.get("status") == Some("archive")).then_some(Since::Unknown),
                url,
                ..SourceBookmark::default()
            };
            row.get("tags").unwrap_or_default().split(['|', ',']).for_each(|tag| bookmark.tags.add(tag));
            bookmarks.add(bookmark);
        }
    })?;
    Ok(bookmarks.finish(sink))
}
