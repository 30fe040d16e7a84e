//! Files as they are sent.

use interline_items::fields::CodePath;
use interline_items::{Caller, EditMode, EditResult, FilePage, Item, ReadItem, ReplacedFile};
use serde::Serialize;
use utoipa::ToSchema;

use super::Place;
use crate::wire::{Cut, Time};

/// Files of code.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FileList {
    /// The first 1,000, in the order of their paths.
    pub(crate) files: Vec<FileBody>,
    /// How many there are.
    #[schema(value_type = i64, minimum = 0)]
    pub(crate) count: u64,
    /// There, and true, where there are more than are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    truncated: Option<bool>,
}

/// A file without its content.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CodeFile)]
pub(crate) struct FileBody {
    /// Where it stands.
    path: String,
    /// What it is: `app_file`, `workflow` or `module`.
    entity_type: &'static str,
    #[serde(flatten)]
    place: Place,
    /// The identifier of its item: `/content/{id}` has its history.
    id: uuid::Uuid,
    /// The length of its content in characters.
    #[schema(value_type = i64, minimum = 0)]
    content_length: u64,
    /// How many lines it has.
    #[schema(value_type = i64, minimum = 1)]
    total_lines: u64,
    /// 1 at creation, and 1 more for each change.
    #[schema(value_type = i64, minimum = 1)]
    version: u64,
    /// When it was last changed.
    updated_at: Time,
    /// Its content, where that was asked for; of a long one the lines of the first 100,000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    content: Option<String>,
    /// There, and true, where the content was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    truncated: Option<bool>,
}

/// Lines of a file.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FileLines {
    path: String,
    entity_type: &'static str,
    #[serde(flatten)]
    place: Place,
    /// The first line that is sent.
    #[schema(value_type = i64, minimum = 1)]
    start_line: u64,
    /// The last line that is sent.
    #[schema(value_type = i64, minimum = 1)]
    end_line: u64,
    /// How many lines the file has.
    #[schema(value_type = i64, minimum = 1)]
    total_lines: u64,
    /// The version that they are of.
    #[schema(value_type = i64, minimum = 1)]
    version: u64,
    /// The lines, each as `<number>: <line>`.
    content: String,
}

/// What an edit of a file did.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PatchedBody {
    /// Always true; refusals are errors.
    success: bool,
    /// There, and true, where nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    dry_run: Option<bool>,
    path: String,
    entity_type: &'static str,
    #[serde(flatten)]
    place: Place,
    /// The line of the first place.
    #[schema(value_type = Option<i64>, minimum = 1)]
    line: Option<usize>,
    /// The loosest level at which a passage was found.
    #[schema(value_type = Option<String>)]
    match_type: Option<&'static str>,
    /// How many lines differ.
    #[schema(value_type = i64, minimum = 0)]
    lines_changed: usize,
    /// The version afterwards.
    #[schema(value_type = i64, minimum = 1)]
    version: u64,
}

/// What became of a file that was written as a whole.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ReplacedBody {
    /// Always true; refusals are errors.
    success: bool,
    path: String,
    entity_type: &'static str,
    #[serde(flatten)]
    place: Place,
    /// Whether there was no file at its path.
    pub(crate) created: bool,
    /// The version afterwards.
    #[schema(value_type = i64, minimum = 1)]
    version: u64,
}

/// What was deleted.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeletedBody {
    /// Always true; refusals are errors.
    success: bool,
    path: String,
    entity_type: &'static str,
    #[serde(flatten)]
    place: Place,
    /// The identifier of the item: `/content/{id}/restore` brings it back.
    id: uuid::Uuid,
}

impl FileList {
    pub(crate) fn of(page: &FilePage, caller: &Caller) -> FileList {
        FileList::placed(page, |item| Place::of(item, caller))
    }

    /// The files of an app.
    pub(crate) fn of_app(page: &FilePage, app: interline_items::AppId) -> FileList {
        FileList::placed(page, |_| Place::of_app(app))
    }

    fn placed(page: &FilePage, place: impl Fn(&Item) -> Place) -> FileList {
        let files: Vec<FileBody> = page.files.iter().map(|item| FileBody::bare(item, place(item))).collect();
        let truncated = (files.len() as u64) < page.total;
        FileList { files, count: page.total, truncated: truncated.then_some(true) }
    }
}

impl FileBody {
    fn bare(item: &Item, place: Place) -> FileBody {
        let content = item.content.as_ref();
        FileBody {
            path: path_of(item),
            entity_type: item.kind.name(),
            place,
            id: item.id.uuid(),
            content_length: content.map_or(0, |content| content.characters),
            total_lines: content.map_or(1, |content| content.lines),
            version: item.stamp.version,
            updated_at: Time(item.updated_at),
            content: None,
            truncated: None,
        }
    }

    /// A file with its content, cut where it is too long for one answer.
    pub(crate) fn with_content(read: &ReadItem, caller: &Caller) -> FileBody {
        let text = read.part.as_ref().map_or("", |part| &*part.text);
        let cut = Cut::of(text);
        FileBody {
            content: Some(cut.shown(text).to_owned()),
            truncated: match cut {
                Cut::Whole => None,
                Cut::AtLineEnd(_) | Cut::InsideLine(_) => Some(true),
            },
            ..FileBody::bare(&read.item, Place::of(&read.item, caller))
        }
    }
}

impl FileLines {
    pub(crate) fn of(read: &ReadItem, caller: &Caller) -> FileLines {
        let total_lines = read.item.content.as_ref().map_or(1, |content| content.lines);
        let (text, start_line, end_line) =
            read.part.as_ref().map_or(("", 1, 1), |part| (&*part.text, part.start_line, part.end_line));
        FileLines {
            path: path_of(&read.item),
            entity_type: read.item.kind.name(),
            place: Place::of(&read.item, caller),
            start_line,
            end_line,
            total_lines,
            version: read.item.stamp.version,
            content: numbered(text, start_line, end_line),
        }
    }
}

impl PatchedBody {
    pub(crate) fn of(edited: &EditResult, mode: EditMode, caller: &Caller) -> PatchedBody {
        let item = &edited.after.item;
        PatchedBody {
            success: true,
            dry_run: match mode {
                EditMode::Write => None,
                EditMode::DryRun => Some(true),
            },
            path: path_of(item),
            entity_type: item.kind.name(),
            place: Place::of(item, caller),
            line: edited.line,
            match_type: edited.match_type.map(interline_items::Level::name),
            lines_changed: edited.lines_changed,
            version: item.stamp.version,
        }
    }
}

impl ReplacedBody {
    pub(crate) fn of(replaced: &ReplacedFile, caller: &Caller) -> ReplacedBody {
        let item = &replaced.file().item;
        match replaced {
            ReplacedFile::Created(_) => ReplacedBody::created(item, caller),
            ReplacedFile::Updated(_) => ReplacedBody::changed(item, caller),
        }
    }

    pub(crate) fn created(item: &Item, caller: &Caller) -> ReplacedBody {
        ReplacedBody { created: true, ..ReplacedBody::changed(item, caller) }
    }

    pub(crate) fn changed(item: &Item, caller: &Caller) -> ReplacedBody {
        ReplacedBody {
            success: true,
            path: path_of(item),
            entity_type: item.kind.name(),
            place: Place::of(item, caller),
            created: false,
            version: item.stamp.version,
        }
    }
}

impl DeletedBody {
    pub(crate) fn of(item: &Item, caller: &Caller) -> DeletedBody {
        DeletedBody {
            success: true,
            path: path_of(item),
            entity_type: item.kind.name(),
            place: Place::of(item, caller),
            id: item.id.uuid(),
        }
    }
}

fn path_of(item: &Item) -> String {
    item.fields.path.as_ref().map(CodePath::as_str).unwrap_or_default().to_owned()
}

/// Lines with their numbers, joined by `\n`; their own endings are left out.
pub(crate) fn numbered(text: &str, start_line: u64, end_line: u64) -> String {
    let mut told = String::with_capacity(text.len() + text.len() / 4);
    for (number, line) in (start_line..=end_line).zip(text.split('\n')) {
        if number > start_line {
            told.push('\n');
        }
        told.push_str(&number.to_string());
        told.push_str(": ");
        told.push_str(line.strip_suffix('\r').unwrap_or(line));
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_as_they_are_in_the_file() {
        for (text, start, end, told) in [
            ("", 1, 1, "1: "),
            ("a\r\nb\n", 7, 8, "7: a\n8: b"),
            ("a\nb\n", 1, 3, "1: a\n2: b\n3: "),
            ("only", 1_000, 1_000, "1000: only"),
        ] {
            assert_eq!(numbered(text, start, end), told, "{text:?}");
        }
    }
}
