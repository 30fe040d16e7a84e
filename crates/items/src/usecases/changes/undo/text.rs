//! Taking the changes of a content back: carried over what came later, by merging lines.

use std::collections::BTreeSet;
use std::sync::Arc;

use interline_edit::hunks;

use crate::usecases::items::TextMerge;
use crate::usecases::{Caller, Interline};
use crate::{ContentWrite, Error, ItemId, Snapshot};

use super::super::net_change::TextPart;
use super::{UndoCause, UndoConflict};

/// A content from which changes were taken back.
pub(super) struct UndoneText {
    pub(super) content: Option<Arc<str>>,
    pub(super) write: ContentWrite,
}

impl Interline {
    /// The content of an item without the parts of a set, or without some of their hunks; `None` if that is what it is already.
    pub(super) async fn undone_text(
        &self,
        caller: &Caller,
        before: &Snapshot,
        parts: &[TextPart],
        hunk_ids: Option<&BTreeSet<String>>,
    ) -> Result<Result<Option<UndoneText>, UndoConflict>, Error> {
        let mut text = before.content.clone().unwrap_or_default();
        for part in parts.iter().rev() {
            let without = match hunk_ids {
                None => Arc::clone(&part.before),
                Some(ids) => {
                    let (item, ids) = (before.item.id, ids.clone());
                    let without = move |parts: &[TextPart]| parts.first().map(|part| without_hunks(item, part, &ids));
                    let without = self.compared(caller, vec![part.clone()], without).await?;
                    without.unwrap_or_else(|| Ok(Arc::clone(&part.before)))?
                }
            };
            let texts = [Arc::clone(&part.after), without, Arc::clone(&text)];
            match self.merge_contents(caller, texts).await? {
                TextMerge::Clean(None) => {}
                TextMerge::Clean(Some(merged)) => text = merged.new,
                TextMerge::Conflicts { places, .. } => {
                    let conflict = UndoConflict::new(before.item.id, UndoCause::Lines);
                    return Ok(Err(UndoConflict { places, ..conflict }));
                }
            }
        }
        if before.content.as_deref().unwrap_or_default() == &*text {
            return Ok(Ok(None));
        }
        let content = Some(text);
        let write = ContentWrite::between(&before.content, &content);
        Ok(Ok(Some(UndoneText { content, write })))
    }

    /// The change from one text to another, made to a third; `None` if that is not clean.
    pub(in crate::usecases::changes) async fn carried_over(
        &self,
        caller: &Caller,
        from: &Arc<str>,
        to: &Arc<str>,
        onto: &Arc<str>,
    ) -> Result<Option<Arc<str>>, Error> {
        let texts = [Arc::clone(from), Arc::clone(to), Arc::clone(onto)];
        match self.merge_contents(caller, texts).await? {
            TextMerge::Clean(None) => Ok(Some(Arc::clone(onto))),
            TextMerge::Clean(Some(merged)) => Ok(Some(merged.new)),
            TextMerge::Conflicts { .. } => Ok(None),
        }
    }
}

/// What a part would have left without some of its hunks.
fn without_hunks(item: ItemId, part: &TextPart, ids: &BTreeSet<String>) -> Result<Arc<str>, Error> {
    let refs = part.hunk_refs(item);
    let selected: Vec<usize> =
        refs.iter().enumerate().filter(|(_, hunk)| ids.contains(&hunk.id)).map(|(index, _)| index).collect();
    let internal = |problem: String| Error::Internal(problem);
    let reverted =
        hunks(&part.before, &part.after).revert(&selected).map_err(|unknown| internal(unknown.to_string()))?;
    let text = reverted.apply(&part.after).map_err(|mismatch| internal(mismatch.to_string()))?;
    Ok(text.into())
}

#[cfg(test)]
mod tests {
    use interline_edit::merge;

    /// The merge that an undo is: base is what the set left, ours what it found, theirs what is there now.
    #[test]
    fn a_change_is_taken_back_and_what_came_later_stays() {
        let (found, left, now) = ("a\nb\nc\nd\n", "a\nB\nc\nd\n", "a\nB\nc\nD\n");
        assert_eq!(merge(left, found, now).unwrap().apply(now).unwrap(), "a\nb\nc\nD\n");
        let twice = merge(left, found, found).unwrap();
        assert_eq!(twice.apply(found).unwrap(), found, "it was taken back already");
    }
}
