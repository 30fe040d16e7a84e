//! Files of code in responses.

use interline_items::fields::CodePath;
use interline_items::{
    Caller, EditMode, EditResult, FilePage, Item, LineMatch, MergedFrom, ReadItem, ReplacedFile, Updated,
};
use serde::Serialize;
use utoipa::ToSchema;

use super::CodeOwner;
use crate::wire::enumerations::{EntityType, MatchType};
use crate::wire::{
    EditWarningResponse, MergedFromResponse, Time, Truncation, content_length, dry_run_flag, total_lines,
};

/// Files of code.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FileList {
    /// The first 1,000, in the order of their paths.
    pub(crate) files: Vec<FileResponse>,
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
pub(crate) struct FileResponse {
    /// Where it stands.
    path: String,
    /// What it is.
    #[schema(value_type = EntityType)]
    entity_type: &'static str,
    #[serde(flatten)]
    owner: CodeOwner,
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
    #[schema(value_type = EntityType)]
    entity_type: &'static str,
    #[serde(flatten)]
    owner: CodeOwner,
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
#[schema(as = PatchedBody)]
pub(crate) struct PatchFileResponse<'a> {
    /// Always true; refusals are errors.
    success: bool,
    /// There, and true, where nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    dry_run: Option<bool>,
    path: String,
    #[schema(value_type = EntityType)]
    entity_type: &'static str,
    #[serde(flatten)]
    owner: CodeOwner,
    /// The line of the first place.
    #[schema(value_type = Option<i64>, minimum = 1)]
    line: Option<usize>,
    /// The loosest level at which a passage was found.
    #[schema(value_type = Option<MatchType>)]
    match_type: Option<&'static str>,
    /// How many lines differ.
    #[schema(value_type = i64, minimum = 0)]
    lines_changed: usize,
    /// The version afterwards.
    #[schema(value_type = i64, minimum = 1)]
    version: u64,
    /// What was done as asked, and probably was not meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Option<Vec<EditWarningResponse>>, nullable = false)]
    warnings: Vec<EditWarningResponse<'a>>,
}

/// What became of a file that was written as a whole.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ReplacedBody)]
pub(crate) struct ReplaceFileResponse {
    /// Always true; refusals are errors.
    success: bool,
    path: String,
    #[schema(value_type = EntityType)]
    entity_type: &'static str,
    #[serde(flatten)]
    owner: CodeOwner,
    /// Whether there was no file at its path.
    pub(crate) created: bool,
    /// The version afterwards.
    #[schema(value_type = i64, minimum = 1)]
    version: u64,
    /// There where the content was merged with what was stored since the version that it was written for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    merged_from: Option<MergedFromResponse>,
}

/// What was deleted.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DeletedBody)]
pub(crate) struct DeleteFileResponse {
    /// Always true; refusals are errors.
    success: bool,
    path: String,
    #[schema(value_type = EntityType)]
    entity_type: &'static str,
    #[serde(flatten)]
    owner: CodeOwner,
    /// The identifier of the item: `/content/{id}/restore` brings it back.
    id: uuid::Uuid,
}

impl FileList {
    /// Files that the caller may see.
    pub(crate) fn for_caller(page: &FilePage, caller: &Caller) -> FileList {
        FileList::new(page, |item| CodeOwner::from_item(item, caller))
    }

    /// The files of an app.
    pub(crate) fn for_app(page: &FilePage, app: interline_items::AppId) -> FileList {
        FileList::new(page, |_| CodeOwner::from_app(app))
    }

    fn new(page: &FilePage, owner: impl Fn(&Item) -> CodeOwner) -> FileList {
        let files: Vec<FileResponse> =
            page.files.iter().map(|item| FileResponse::without_content(item, owner(item))).collect();
        let truncated = (files.len() as u64) < page.total;
        FileList { files, count: page.total, truncated: truncated.then_some(true) }
    }
}

impl FileResponse {
    fn without_content(item: &Item, owner: CodeOwner) -> FileResponse {
        FileResponse {
            path: code_path(item),
            entity_type: item.kind.name(),
            owner,
            id: item.id.uuid(),
            content_length: content_length(item).unwrap_or(0),
            total_lines: total_lines(item),
            version: item.stamp.version,
            updated_at: Time(item.updated_at),
            content: None,
            truncated: None,
        }
    }

    /// A file with its content, cut where it is too long for one answer.
    pub(crate) fn with_content(read: &ReadItem, caller: &Caller) -> FileResponse {
        let text = read.part.as_ref().map_or("", |part| &*part.text);
        let truncation = Truncation::new(text);
        FileResponse {
            content: Some(truncation.text(text).to_owned()),
            truncated: truncation.truncated(),
            ..FileResponse::without_content(&read.item, CodeOwner::from_item(&read.item, caller))
        }
    }
}

impl FileLines {
    pub(crate) fn new(read: &ReadItem, caller: &Caller) -> FileLines {
        let (text, start_line, end_line) =
            read.part.as_ref().map_or(("", 1, 1), |part| (&*part.text, part.start_line, part.end_line));
        FileLines {
            path: code_path(&read.item),
            entity_type: read.item.kind.name(),
            owner: CodeOwner::from_item(&read.item, caller),
            start_line,
            end_line,
            total_lines: total_lines(&read.item),
            version: read.item.stamp.version,
            content: numbered_lines(text, start_line, end_line),
        }
    }
}

impl<'a> PatchFileResponse<'a> {
    pub(crate) fn new(edited: &'a EditResult, mode: EditMode, caller: &Caller) -> PatchFileResponse<'a> {
        let item = &edited.after.item;
        PatchFileResponse {
            success: true,
            dry_run: dry_run_flag(mode),
            path: code_path(item),
            entity_type: item.kind.name(),
            owner: CodeOwner::from_item(item, caller),
            line: edited.line,
            match_type: edited.match_type.map(interline_items::MatchType::name),
            lines_changed: edited.lines_changed,
            version: item.stamp.version,
            warnings: edited.warnings.iter().map(EditWarningResponse::from).collect(),
        }
    }

    /// The response of an edit that was made before, for a repeated request: nothing of the content outlives the file.
    pub(crate) fn without_text(mut self) -> PatchFileResponse<'a> {
        self.warnings.iter_mut().for_each(EditWarningResponse::drop_text);
        self
    }
}

impl ReplaceFileResponse {
    pub(crate) fn new(replaced: &ReplacedFile, caller: &Caller) -> ReplaceFileResponse {
        let item = &replaced.file().item;
        match replaced {
            ReplacedFile::Created(_) => ReplaceFileResponse::created(item, caller),
            ReplacedFile::Updated(Updated { merged_from: Some(merged_from), .. }) => {
                ReplaceFileResponse::merged(item, *merged_from, caller)
            }
            ReplacedFile::Updated(_) => ReplaceFileResponse::changed(item, caller),
        }
    }

    pub(crate) fn merged(item: &Item, merged_from: MergedFrom, caller: &Caller) -> ReplaceFileResponse {
        ReplaceFileResponse { merged_from: Some(merged_from.into()), ..ReplaceFileResponse::changed(item, caller) }
    }

    pub(crate) fn created(item: &Item, caller: &Caller) -> ReplaceFileResponse {
        ReplaceFileResponse { created: true, ..ReplaceFileResponse::changed(item, caller) }
    }

    pub(crate) fn changed(item: &Item, caller: &Caller) -> ReplaceFileResponse {
        ReplaceFileResponse {
            success: true,
            path: code_path(item),
            entity_type: item.kind.name(),
            owner: CodeOwner::from_item(item, caller),
            created: false,
            version: item.stamp.version,
            merged_from: None,
        }
    }
}

impl DeleteFileResponse {
    pub(crate) fn new(item: &Item, caller: &Caller) -> DeleteFileResponse {
        DeleteFileResponse {
            success: true,
            path: code_path(item),
            entity_type: item.kind.name(),
            owner: CodeOwner::from_item(item, caller),
            id: item.id.uuid(),
        }
    }
}

/// The path of a file; every file has one.
pub(crate) fn code_path(item: &Item) -> String {
    item.fields.path.as_ref().map(CodePath::as_str).unwrap_or_default().to_owned()
}

/// Lines with their numbers, joined by `\n`; their own endings are left out.
pub(crate) fn numbered_lines(text: &str, start_line: u64, end_line: u64) -> String {
    let mut numbered = String::with_capacity(text.len() + text.len() / 4);
    for (number, line) in (start_line..=end_line).zip(text.split('\n')) {
        if number > start_line {
            numbered.push('\n');
        }
        push_numbered(&mut numbered, number, line);
    }
    numbered
}

/// The lines around a match, those before and those after it, each with its number; their own endings are left out.
pub(crate) fn numbered_context(found: &LineMatch) -> (Vec<String>, Vec<String>) {
    let number_from = |first: usize, lines: &[String]| {
        let numbered = (first as u64..).zip(lines).map(|(number, line)| {
            let mut numbered = String::with_capacity(line.len() + 8);
            push_numbered(&mut numbered, number, line);
            numbered
        });
        numbered.collect()
    };
    (number_from(found.line - found.before.len(), &found.before), number_from(found.line + 1, &found.after))
}

fn push_numbered(text: &mut String, number: u64, line: &str) {
    text.push_str(&number.to_string());
    text.push_str(": ");
    text.push_str(line.strip_suffix('\r').unwrap_or(line));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_as_they_are_in_the_file() {
        for (text, start, end, numbered) in [
            ("", 1, 1, "1: "),
            ("a\r\nb\n", 7, 8, "7: a\n8: b"),
            ("a\nb\n", 1, 3, "1: a\n2: b\n3: "),
            ("only", 1_000, 1_000, "1000: only"),
        ] {
            assert_eq!(numbered_lines(text, start, end), numbered, "{text:?}");
        }
    }
}
