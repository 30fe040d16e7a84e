//! The formats, their names, and guessing one from a file's name and first bytes.

use std::fmt;
use std::io;

use crate::archive::guess_zip;

/// A format that can be imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// A folder or zip of Markdown files with front matter: an Obsidian vault, or our own export. One file is one note.
    Markdown,
    /// The zip that Notion exports as "Markdown & CSV".
    Notion,
    /// The bookmark file of every browser (Netscape), of linkding and of Pocket.
    BookmarksHtml,
    /// The backup that Firefox makes of its bookmarks.
    FirefoxJson,
    /// Pocket's CSV.
    PocketCsv,
    /// Raindrop.io's CSV.
    RaindropCsv,
    /// Karakeep's (formerly Hoarder's) JSON.
    KarakeepJson,
    /// Prompts as Langfuse's API lists them.
    LangfuseJson,
    /// Folders with a `SKILL.md`, each a prompt.
    Skill,
    /// Interline's own: everything, with its history.
    JsonLines,
}

impl Format {
    /// Every one, in the order in which they are shown.
    pub const ALL: [Format; 10] = [
        Format::Markdown,
        Format::Notion,
        Format::BookmarksHtml,
        Format::FirefoxJson,
        Format::PocketCsv,
        Format::RaindropCsv,
        Format::KarakeepJson,
        Format::LangfuseJson,
        Format::Skill,
        Format::JsonLines,
    ];

    /// The stable name, as it is typed and sent.
    pub fn name(self) -> &'static str {
        match self {
            Format::Markdown => "markdown",
            Format::Notion => "notion",
            Format::BookmarksHtml => "bookmarks-html",
            Format::FirefoxJson => "firefox-json",
            Format::PocketCsv => "pocket-csv",
            Format::RaindropCsv => "raindrop-csv",
            Format::KarakeepJson => "karakeep-json",
            Format::LangfuseJson => "langfuse-json",
            Format::Skill => "skill",
            Format::JsonLines => "jsonl",
        }
    }

    /// The format with that name.
    pub fn parse(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }

    /// How a source of this format is read.
    pub fn shape(self) -> Shape {
        match self {
            Format::Markdown | Format::Skill => Shape::Files,
            Format::Notion => Shape::Archive,
            Format::JsonLines => Shape::Lines,
            Format::BookmarksHtml
            | Format::FirefoxJson
            | Format::PocketCsv
            | Format::RaindropCsv
            | Format::KarakeepJson
            | Format::LangfuseJson => Shape::Document,
        }
    }

    /// The format that one file probably has, by its name and its first bytes (some 4 KiB are enough). A zip is Markdown unless
    /// its name says that it is Notion's: [`Format::guess_archive`] looks inside.
    pub fn guess(file_name: &str, first_bytes: &[u8]) -> Option<Format> {
        let name = file_name.rsplit(['/', '\\']).next().unwrap_or(file_name).to_ascii_lowercase();
        let start = String::from_utf8_lossy(&first_bytes[..first_bytes.len().min(GUESSED_BYTES)]);
        let start = start.trim_start_matches('\u{feff}').trim_start();
        if first_bytes.starts_with(b"PK\x03\x04") {
            // `Export-<id>.zip` and `<id>_Export-<id>.zip` are Notion's names.
            return Some(if name.contains("export-") { Format::Notion } else { Format::Markdown });
        }
        if name == "skill.md" {
            return Some(Format::Skill);
        }
        if name.ends_with(".md") || name.ends_with(".markdown") {
            return Some(Format::Markdown);
        }
        match start.chars().next()? {
            '<' => guess_html(&start.to_ascii_lowercase()),
            '{' | '[' => guess_json(start),
            _ => guess_csv(start),
        }
    }
}

impl Format {
    /// The format of a zip, by the names of the files in it; `None` if it has no file that is read, or is no zip.
    pub fn guess_archive(input: impl io::Read + io::Seek) -> Option<Format> {
        guess_zip(input)
    }
}

/// How the source of a format is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A folder: each file by itself ([`read_file`](crate::read_file)), or all in a zip
    /// ([`read_archive`](crate::read_archive)).
    Files,
    /// A zip ([`read_archive`](crate::read_archive)).
    Archive,
    /// One file, read whole ([`read_document`](crate::read_document)).
    Document,
    /// One file, read line by line ([`JsonLinesReader`](crate::JsonLinesReader)).
    Lines,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How much of a file is looked at to guess its format.
const GUESSED_BYTES: usize = 4096;

fn guess_html(start: &str) -> Option<Format> {
    let is_bookmarks = start.contains("netscape-bookmark-file") || start.contains("<dl") || start.contains("<dt");
    // Pocket's older export is a plain list.
    let is_pocket = start.contains("pocket export") || start.contains("time_added=");
    (is_bookmarks || is_pocket).then_some(Format::BookmarksHtml)
}

fn guess_json(start: &str) -> Option<Format> {
    let has = |key: &str| start.contains(&format!("\"{key}\""));
    if start.starts_with('{') && has("interline") {
        return Some(Format::JsonLines);
    }
    if has("typeCode") || has("text/x-moz-place-container") || (has("guid") && has("root")) {
        return Some(Format::FirefoxJson);
    }
    if has("prompt") && has("version") {
        return Some(Format::LangfuseJson);
    }
    (has("bookmarks") || has("tags") && has("createdAt") && has("content")).then_some(Format::KarakeepJson)
}

fn guess_csv(start: &str) -> Option<Format> {
    let header = start.split('\n').next().unwrap_or(start).to_ascii_lowercase();
    let columns: Vec<&str> = header.trim_end().split(',').map(|column| column.trim_matches('"')).collect();
    let has = |name: &str| columns.contains(&name);
    if has("url") && has("time_added") {
        return Some(Format::PocketCsv);
    }
    (has("url") && has("folder") && has("created")).then_some(Format::RaindropCsv)
}
