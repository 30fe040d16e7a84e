//! What an edit makes of an item, without writing it.

use std::sync::Arc;

use interline_edit::{Edit, UnifiedDiff};
use interline_python::SdkName;

use crate::fields::{Arguments, Limits};
use crate::threads::LargeStack;
use crate::{Batch, CodeKind, ContentInfo, ContentWrite, Error, Item, Snapshot};

use super::super::examine::{check_code, fit_arguments, parse_template};
use super::super::update::write;
use super::super::{Caller, WriteOutcome};
use super::text::{Bounds, Meant, meant, of_another_text};
use super::{EditMode, EditRequest, EditResult, EditUnit};

/// How many times the longest content a text may be on the way; only the last one of several edits is a content.
const MAX_GROWTH: usize = 4;

/// An edit that can be committed on the item that it was prepared for.
pub(super) struct Prepared {
    /// What it did, if it is committed; the stamp and the time of the change are still those before.
    pub(super) edited: EditResult,
    /// What becomes of the content.
    pub(super) content: ContentWrite,
}

impl Prepared {
    /// What the edit does, and what is to be committed for it: nothing for a dry run, or where nothing changes.
    pub(super) fn finish(self, caller: &Caller, before: &Item, mode: EditMode) -> (EditResult, Option<Batch>) {
        let Prepared { mut edited, content } = self;
        let write = write(caller, before, &edited.after.item, content);
        let (EditMode::Write, Some(write)) = (mode, write) else { return (edited, None) };
        edited.after.item = write.after.clone();
        let at = write.record.at;
        let batch = caller.batch(vec![write], &WriteOutcome::Edited(&edited), at);
        (edited, Some(batch))
    }
}

/// Prepares an edit of a kind whose content is any text.
pub(super) fn prepare_text(before: &Snapshot, request: &EditRequest, limits: &Limits) -> Result<Prepared, Error> {
    request.check()?;
    let new = NewText::of(before, request, limits)?;
    if request.arguments.is_some() {
        return Err(Error::field("arguments", "is not a field of this kind of item"));
    }
    Ok(new.prepared(before, request.unit))
}

/// Prepares an edit of a kind whose content is a template: the text is found and made first, then it is read, then the
/// arguments, and then both together.
pub(super) fn prepare_template(
    before: &Snapshot,
    request: &EditRequest,
    limits: &Limits,
    stack: &LargeStack,
) -> Result<Prepared, Error> {
    request.check()?;
    let new = NewText::of(before, request, limits)?;
    if new.is_unchanged() && request.arguments.is_none() {
        return Ok(new.prepared(before, request.unit));
    }
    let template = parse_template(new.text.as_deref().unwrap_or_default(), stack)?;
    let mut after = before.item.fields.clone();
    if let Some(arguments) = &request.arguments {
        let arguments = Arguments::parse(arguments.clone(), limits);
        after.arguments = Some(arguments.map_err(|error| Error::ValidationFailed(vec![error]))?);
    }
    fit_arguments(&template, &after.arguments.clone().unwrap_or_default())?;
    let mut prepared = new.prepared(before, request.unit);
    prepared.edited.after.item.fields = after;
    Ok(prepared)
}

/// Prepares an edit of code: the text is found and made first, then it is checked as a whole.
pub(super) fn prepare_code(
    before: &Snapshot,
    request: &EditRequest,
    rules: (CodeKind, &SdkName, &Limits),
    stack: &LargeStack,
) -> Result<Prepared, Error> {
    let (kind, sdk, limits) = rules;
    let mut prepared = prepare_text(before, request, limits)?;
    let after = &mut prepared.edited.after;
    if !prepared.edited.edit.is_empty() {
        after.item.functions = check_code(kind, after.content.as_deref().unwrap_or_default(), sdk, stack)?;
    }
    Ok(prepared)
}

/// A content after an edit.
struct NewText {
    meant: Meant,
    /// The text; `None` where there is none, as before.
    text: Option<Arc<str>>,
    undo: Edit,
    diff: UnifiedDiff,
    lines_changed: usize,
}

impl NewText {
    fn of(before: &Snapshot, request: &EditRequest, limits: &Limits) -> Result<NewText, Error> {
        let old = before.content.as_deref().unwrap_or_default();
        let limit = limits.content_bytes;
        let on_the_way = limit.max(old.len()).saturating_mul(MAX_GROWTH);
        let meant = meant(request, before, Bounds { limit, on_the_way })?;
        if meant.edit.is_empty() {
            let (text, undo, diff) = (before.content.clone(), Edit::default(), UnifiedDiff::default());
            return Ok(NewText { meant, text, undo, diff, lines_changed: 0 });
        }
        let text = meant.edit.apply(old).map_err(of_another_text)?;
        // Limits may have changed since the item got its content: it can always become shorter.
        if text.len() > limit && text.len() >= old.len() {
            return Err(Error::TooLarge { limit: limit as u64, actual: text.len() as u64 });
        }
        let undo = meant.edit.invert(old).map_err(of_another_text)?;
        let diff = meant.edit.diff(old).map_err(of_another_text)?;
        let lines_changed = match lines_of(&diff) {
            Some(lines) => lines,
            None => lines_touched(&meant.edit, &text)?.max(lines_touched(&undo, old)?),
        };
        Ok(NewText { meant, text: Some(text.into()), undo, diff, lines_changed })
    }

    fn is_unchanged(&self) -> bool {
        self.meant.edit.is_empty()
    }

    fn prepared(self, before: &Snapshot, unit: EditUnit) -> Prepared {
        let is_unchanged = self.is_unchanged();
        let mut item = before.item.clone();
        let content = match (&self.text, &before.content) {
            _ if is_unchanged => ContentWrite::Keep,
            (Some(new), Some(_)) => ContentWrite::Edit { new: Arc::clone(new), undo: self.undo },
            (new, None) => ContentWrite::Set { old: None, new: new.clone() },
            (None, Some(_)) => ContentWrite::Keep,
        };
        if !is_unchanged {
            item.content = self.text.as_deref().map(ContentInfo::of);
        }
        let Meant { edit, level, line, places } = self.meant;
        let edited = EditResult {
            after: Snapshot { item, content: self.text },
            match_type: level,
            line,
            count: places,
            unit,
            diff: self.diff,
            lines_changed: self.lines_changed,
            edit,
        };
        Prepared { edited, content }
    }
}

/// The larger of the numbers of lines that a diff removes and adds; `None` of one that was cut.
fn lines_of(diff: &UnifiedDiff) -> Option<usize> {
    // The first two lines name the files.
    let (mut removed, mut added) = (0, 0);
    for line in diff.text.split('\n').skip(2) {
        removed += usize::from(line.starts_with('-'));
        added += usize::from(line.starts_with('+'));
    }
    (!diff.truncated).then(|| removed.max(added))
}

/// How many lines of the text after an edit it touched.
fn lines_touched(edit: &Edit, after: &str) -> Result<usize, Error> {
    let touched = edit.changed_lines(after, 0).map_err(of_another_text)?;
    Ok(touched.iter().map(|lines| lines.end_line + 1 - lines.start_line).sum())
}
