//! Planning an edit: the new content, checked by the rules of its kind, its diff and its undo, without writing them.

use std::sync::Arc;

use interline_edit::{Edit, UnifiedDiff};
use interline_python::SdkName;

use crate::fields::{Arguments, Limits};
use crate::threads::LargeStack;
use crate::{Action, Batch, CodeKind, ContentInfo, ContentWrite, Error, Item, LineCounts, Snapshot};

use super::super::commit::new_version;
use super::super::items::{check_code, check_template_arguments, parse_template};
use super::super::{Caller, WriteOutcome};
use super::resolve::{ResolvedEdit, SizeBounds, engine_mismatch, resolve};
use super::{EditMode, EditRequest, EditResult, EditUnit};

/// How many times the longest content an intermediate text may be; only the result of the last of several edits is a
/// content.
const MAX_GROWTH: usize = 4;

/// An edit that can be committed on the state of the item that it was planned for.
pub(super) struct PlannedEdit {
    /// The result, if it is committed; the stamp and the time of the change are still those before.
    pub(super) edited: EditResult,
    /// The change of the content.
    pub(super) content: ContentWrite,
}

impl PlannedEdit {
    /// The result of the edit, and the batch to commit: none for a dry run, or where nothing changes.
    pub(super) fn finish(self, caller: &Caller, before: &Item, mode: EditMode) -> (EditResult, Option<Batch>) {
        let PlannedEdit { mut edited, content } = self;
        let write = new_version(caller, Action::Update, before, &edited.after.item, content);
        let (EditMode::Write, Some(mut write)) = (mode, write) else { return (edited, None) };
        if matches!(write.content, ContentWrite::Edit { .. }) {
            write.record.lines = line_counts_of_diff(&edited.diff);
        }
        edited.after.item = write.after.clone();
        let at = write.record.at;
        let batch = caller.batch(vec![write], &WriteOutcome::Edited(&edited), at);
        (edited, Some(batch))
    }
}

/// Plans an edit of a kind whose content is any text.
pub(super) fn plan_text(before: &Snapshot, request: &EditRequest, limits: &Limits) -> Result<PlannedEdit, Error> {
    request.check()?;
    let new = NewText::from_request(before, request, limits)?;
    if request.arguments.is_some() {
        return Err(Error::field("arguments", "is not a field of this kind of item"));
    }
    Ok(new.into_planned(before, request.unit))
}

/// Plans an edit of a kind whose content is a template. Errors come in this order: those of finding the passages, of the
/// template, of the arguments, and of both together.
pub(super) fn plan_template(
    before: &Snapshot,
    request: &EditRequest,
    limits: &Limits,
    stack: &LargeStack,
) -> Result<PlannedEdit, Error> {
    request.check()?;
    let new = NewText::from_request(before, request, limits)?;
    if new.is_unchanged() && request.arguments.is_none() {
        return Ok(new.into_planned(before, request.unit));
    }
    let template = parse_template(new.text.as_deref().unwrap_or_default(), stack)?;
    let mut after = before.item.fields.clone();
    if let Some(arguments) = &request.arguments {
        let arguments = Arguments::parse(arguments.clone(), limits);
        after.arguments = Some(arguments.map_err(|error| Error::ValidationFailed(vec![error]))?);
    }
    check_template_arguments(&template, &after.arguments.clone().unwrap_or_default())?;
    let mut planned = new.into_planned(before, request.unit);
    planned.edited.after.item.fields = after;
    Ok(planned)
}

/// Plans an edit of code: the passages are found first, then the new text is checked as a whole.
pub(super) fn plan_code(
    before: &Snapshot,
    request: &EditRequest,
    rules: (CodeKind, &SdkName, &Limits),
    stack: &LargeStack,
) -> Result<PlannedEdit, Error> {
    let (kind, sdk, limits) = rules;
    let mut planned = plan_text(before, request, limits)?;
    let after = &mut planned.edited.after;
    if !planned.edited.edit.is_empty() {
        after.item.functions = check_code(kind, after.content.as_deref().unwrap_or_default(), sdk, stack)?;
    }
    Ok(planned)
}

/// A content after an edit.
struct NewText {
    resolved: ResolvedEdit,
    /// The text; `None` where there is none, as before.
    text: Option<Arc<str>>,
    undo: Edit,
    diff: UnifiedDiff,
    lines_changed: usize,
}

impl NewText {
    fn from_request(before: &Snapshot, request: &EditRequest, limits: &Limits) -> Result<NewText, Error> {
        let old = before.content.as_deref().unwrap_or_default();
        let limit = limits.content_bytes;
        let intermediate = limit.max(old.len()).saturating_mul(MAX_GROWTH);
        let resolved = resolve(request, before, SizeBounds { limit, intermediate })?;
        if resolved.edit.is_empty() {
            let (text, undo, diff) = (before.content.clone(), Edit::default(), UnifiedDiff::default());
            return Ok(NewText { resolved, text, undo, diff, lines_changed: 0 });
        }
        let text = resolved.edit.apply(old).map_err(engine_mismatch)?;
        // Limits may have changed since the item got its content: it can always become shorter.
        if text.len() > limit && text.len() >= old.len() {
            return Err(Error::TooLarge { limit: limit as u64, actual: text.len() as u64 });
        }
        let undo = resolved.edit.invert(old).map_err(engine_mismatch)?;
        let diff = resolved.edit.diff(old).map_err(engine_mismatch)?;
        let lines_changed = match line_counts_of_diff(&diff) {
            Some(lines) => usize::try_from(lines.added.max(lines.removed)).unwrap_or(usize::MAX),
            None => lines_touched(&resolved.edit, &text)?.max(lines_touched(&undo, old)?),
        };
        Ok(NewText { resolved, text: Some(text.into()), undo, diff, lines_changed })
    }

    fn is_unchanged(&self) -> bool {
        self.resolved.edit.is_empty()
    }

    fn into_planned(self, before: &Snapshot, unit: EditUnit) -> PlannedEdit {
        let is_unchanged = self.is_unchanged();
        let mut item = before.item.clone();
        let content = match (&self.text, &before.content) {
            _ if is_unchanged => ContentWrite::Keep,
            (Some(new), Some(_)) => ContentWrite::Edit { new: Arc::clone(new), undo: self.undo },
            (new, None) => ContentWrite::Set { old: None, new: new.clone() },
            (None, Some(_)) => ContentWrite::Keep,
        };
        if !is_unchanged {
            item.content = self.text.as_deref().map(ContentInfo::from_text);
        }
        let ResolvedEdit { edit, match_type, line, places, warnings } = self.resolved;
        let edited = EditResult {
            after: Snapshot { item, content: self.text },
            match_type,
            warnings,
            line,
            count: places,
            unit,
            diff: self.diff,
            lines_changed: self.lines_changed,
            edit,
        };
        PlannedEdit { edited, content }
    }
}

/// How many lines a diff adds and removes; `None` of one that was cut.
fn line_counts_of_diff(diff: &UnifiedDiff) -> Option<LineCounts> {
    let mut counts = LineCounts::default();
    // The first two lines name the files.
    for line in diff.text.split('\n').skip(2) {
        counts.removed += u64::from(line.starts_with('-'));
        counts.added += u64::from(line.starts_with('+'));
    }
    (!diff.truncated).then_some(counts)
}

/// How many lines of the text after an edit it touched.
fn lines_touched(edit: &Edit, after: &str) -> Result<usize, Error> {
    let touched = edit.changed_lines(after, 0).map_err(engine_mismatch)?;
    Ok(touched.iter().map(|lines| lines.end_line + 1 - lines.start_line).sum())
}
