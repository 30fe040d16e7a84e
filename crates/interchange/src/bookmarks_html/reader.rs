//! Reading a bookmark file.

use std::ops::ControlFlow;

use super::entities::decode;
use super::tokens::{Tag, Token, Tokens};
use crate::bookmarks::{BookmarkCollector, SourceBookmark};
use crate::markdown::utf8;
use crate::times::from_number_text;
use crate::{Format, ReadError, Since, Sink};

/// Folders that browsers make themselves, which say nothing about a bookmark.
const ROOTS: [&str; 28] = [
    "bookmarks",
    "bookmarks bar",
    "bookmarks menu",
    "bookmarks toolbar",
    "bookmark bar",
    "bookmarks toolbar folder",
    "other bookmarks",
    "unsorted bookmarks",
    "unfiled bookmarks",
    "mobile bookmarks",
    "synced bookmarks",
    "speed dial",
    "favorites",
    "favorites bar",
    "other favorites",
    "mobile favorites",
    "favourites",
    "favourites bar",
    "other favourites",
    "imported",
    "lesezeichenleiste",
    "weitere lesezeichen",
    "mobile lesezeichen",
    "lesezeichen-menü",
    "lesezeichen-symbolleiste",
    "barre de favoris",
    "autres favoris",
    "autres marque-pages",
];

/// The tag by which linkding says that a bookmark is archived.
const LINKDING_ARCHIVED: &str = "linkding:bookmarks.archived";

/// How deep folders are followed; deeper ones give no more tags.
const MAX_DEPTH: usize = 100;

/// Reads a whole file.
pub(crate) fn read_bookmarks_html(bytes: &[u8], sink: &mut Sink<'_>) -> Result<ControlFlow<()>, ReadError> {
    let html = utf8(bytes).map_err(|reason| ReadError::not(Format::BookmarksHtml, reason))?;
    let mut reader = Reader::default();
    for token in Tokens::new(html) {
        reader.token(token);
    }
    reader.end_bookmark();
    if !reader.has_links {
        let reason = "there is no link in it: export the bookmarks as HTML";
        return Err(ReadError::not(Format::BookmarksHtml, reason));
    }
    Ok(reader.bookmarks.finish(sink))
}

#[derive(Default)]
struct Reader {
    /// The tag of each open folder; `None` where it has none.
    folders: Vec<Option<String>>,
    /// The tag of the folder whose list comes next.
    next_folder: Option<String>,
    /// What the text that comes next is.
    text: String,
    part: Part,
    is_root_folder: bool,
    is_archive: bool,
    bookmark: Option<SourceBookmark>,
    bookmarks: BookmarkCollector,
    has_links: bool,
}

/// What the text that is read belongs to.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Nothing,
    Heading,
    Folder,
    Title,
    Description,
}

impl Reader {
    fn token(&mut self, token: Token<'_>) {
        match token {
            Token::Text(text) => {
                if self.part != Part::Nothing {
                    self.text.push_str(text);
                }
            }
            Token::Open(tag) => self.open(&tag),
            Token::Close(name) => self.close(name),
            Token::CutOff => self.bookmarks.skip("the end of the file", "it is cut off in the middle of a tag"),
        }
    }

    fn open(&mut self, tag: &Tag<'_>) {
        match tag.name.to_ascii_lowercase().as_str() {
            "br" if self.part == Part::Description => self.text.push('\n'),
            "h1" => self.begin(Part::Heading),
            "h2" | "h3" | "h4" => {
                self.end_bookmark();
                let is = |name: &str| tag.attribute(name).is_some_and(|value| value.eq_ignore_ascii_case("true"));
                self.is_root_folder = is("PERSONAL_TOOLBAR_FOLDER") || is("UNFILED_BOOKMARKS_FOLDER");
                self.begin(Part::Folder);
            }
            "dl" | "ul" => {
                self.end_bookmark();
                let folder = self.next_folder.take();
                self.folders.push(folder);
            }
            "dt" | "li" | "hr" => self.end_bookmark(),
            "a" => {
                self.end_bookmark();
                self.begin_bookmark(tag);
            }
            "dd" => {
                self.end_text();
                self.begin(Part::Description);
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name.to_ascii_lowercase().as_str() {
            "dl" | "ul" => {
                self.end_bookmark();
                self.folders.pop();
            }
            "a" | "h1" | "h2" | "h3" | "h4" | "dd" => self.end_text(),
            _ => {}
        }
    }

    fn begin(&mut self, part: Part) {
        self.end_text();
        self.part = part;
    }

    /// Gives the text to what it belongs to.
    fn end_text(&mut self) {
        let part = std::mem::take(&mut self.part);
        let text = std::mem::take(&mut self.text);
        let text = text.trim();
        match part {
            Part::Nothing => {}
            Part::Heading => self.is_archive = text.eq_ignore_ascii_case("Read Archive"),
            Part::Folder => {
                let name = decode(text);
                let folded: String = name.chars().flat_map(char::to_lowercase).collect();
                let is_root = self.folders.iter().all(Option::is_none) && ROOTS.contains(&folded.as_str());
                self.next_folder = (!is_root && !self.is_root_folder && !name.is_empty()).then_some(name);
            }
            Part::Title => {
                if let Some(bookmark) = &mut self.bookmark {
                    bookmark.title = Some(decode(&text.replace(['\r', '\n'], " ")));
                }
            }
            Part::Description => {
                if let Some(bookmark) = &mut self.bookmark {
                    describe(bookmark, &decode(text));
                }
            }
        }
    }

    fn begin_bookmark(&mut self, tag: &Tag<'_>) {
        self.has_links = true;
        let attribute = |name: &str| tag.attribute(name).map(decode);
        let mut bookmark = SourceBookmark { url: attribute("HREF").unwrap_or_default(), ..SourceBookmark::default() };
        for folder in self.folders.iter().take(MAX_DEPTH).flatten() {
            bookmark.tags.add(folder);
        }
        for name in attribute("TAGS").unwrap_or_default().split(',') {
            if name.trim() == LINKDING_ARCHIVED {
                bookmark.archived = Some(Since::Unknown);
            } else {
                bookmark.tags.add(name);
            }
        }
        if attribute("TOREAD").is_some_and(|value| matches!(value.as_str(), "1" | "yes" | "true")) {
            bookmark.tags.add("toread");
        }
        if self.is_archive || attribute("ARCHIVED").is_some_and(|value| value == "1") {
            bookmark.archived = Some(Since::Unknown);
        }
        let time = |name: &str| from_number_text(&attribute(name)?);
        bookmark.created_at = time("ADD_DATE").or(time("TIME_ADDED"));
        bookmark.updated_at = time("LAST_MODIFIED");
        self.bookmark = Some(bookmark);
        self.part = Part::Title;
    }

    fn end_bookmark(&mut self) {
        self.end_text();
        if let Some(bookmark) = self.bookmark.take() {
            self.bookmarks.add(bookmark);
        }
    }
}

/// The text after `<DD>`; linkding puts its notes there too, and those are the content.
fn describe(bookmark: &mut SourceBookmark, text: &str) {
    const BEGIN: &str = "[linkding-notes]";
    const END: &str = "[/linkding-notes]";
    let notes = text.split_once(BEGIN).and_then(|(before, after)| Some((before, after.rsplit_once(END)?.0)));
    match notes {
        Some((before, notes)) => {
            bookmark.description = Some(before.trim().to_owned());
            bookmark.content = Some(notes.to_owned());
        }
        None => bookmark.description = Some(text.to_owned()),
    }
}
