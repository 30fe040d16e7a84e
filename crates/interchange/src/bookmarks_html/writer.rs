//! Writing a bookmark file that every browser reads.

use std::io::{self, Write};

use super::entities::encode;
use crate::{SourceKind, SourceRecord};

const BEGIN: &str = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<!-- This is an automatically generated file. -->\n\
                     <META HTTP-EQUIV=\"Content-Type\" CONTENT=\"text/html; charset=UTF-8\">\n<TITLE>Bookmarks</TITLE>\n\
                     <H1>Bookmarks</H1>\n<DL><p>\n";
const END: &str = "</DL><p>\n";

/// Writes a bookmark file, one bookmark after the other. It carries address, title, tags, description, whether it is
/// archived, and times to the second; the format has no room for contents.
pub struct BookmarksHtmlWriter<W> {
    output: W,
}

impl<W: Write> BookmarksHtmlWriter<W> {
    /// Writes the beginning.
    pub fn new(mut output: W) -> io::Result<BookmarksHtmlWriter<W>> {
        output.write_all(BEGIN.as_bytes())?;
        Ok(BookmarksHtmlWriter { output })
    }

    /// Writes a bookmark; a record of another kind, or without an address, is passed over.
    pub fn bookmark(&mut self, record: &SourceRecord) -> io::Result<()> {
        let (SourceKind::Bookmark, Some(url)) = (record.kind, &record.fields.url) else { return Ok(()) };
        let mut line = format!("    <DT><A HREF=\"{}\"", encode(url));
        for (name, time) in [("ADD_DATE", record.created_at), ("LAST_MODIFIED", record.updated_at)] {
            if let Some(time) = time {
                line.push_str(&format!(" {name}=\"{}\"", time.as_second()));
            }
        }
        if !record.fields.tags.is_empty() {
            line.push_str(&format!(" TAGS=\"{}\"", encode(&record.fields.tags.join(","))));
        }
        if record.archived.is_some() {
            line.push_str(" ARCHIVED=\"1\"");
        }
        line.push_str(&format!(">{}</A>\n", encode(record.fields.title.as_deref().unwrap_or_default())));
        if let Some(description) = record.fields.description.as_deref().filter(|text| !text.is_empty()) {
            line.push_str(&format!("    <DD>{}\n", encode(description)));
        }
        self.output.write_all(line.as_bytes())
    }

    /// Writes the end, and gives the output back.
    pub fn finish(mut self) -> io::Result<W> {
        self.output.write_all(END.as_bytes())?;
        Ok(self.output)
    }

    /// What is written to, to flush or take what is there.
    pub fn output(&mut self) -> &mut W {
        &mut self.output
    }
}
