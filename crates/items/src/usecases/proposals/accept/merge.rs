//! Carrying the change of a proposal onto what its item is now.

use std::collections::BTreeSet;
use std::sync::Arc;

use interline_edit::hunks;

use crate::fields::Tags;
use crate::usecases::changes::TextPart;
use crate::usecases::items::{TextMerge, is_about_content, merge_field_values};
use crate::usecases::{Caller, Interline};
use crate::{
    ConflictPlace, Error, FailedMerge, Fields, Item, ItemId, Proposal, ProposalError, ProposedStates, Snapshot,
    UnfitCause,
};

use super::super::find::{ProposalBase, text_part};

/// What of a proposal is to be applied.
#[derive(Clone)]
pub(super) struct ChosenChange<'p> {
    pub(super) fields: &'p Fields,
    pub(super) content: Option<Arc<str>>,
    pub(super) states: ProposedStates,
}

/// What comes of three contents.
enum MergedContent {
    Clean(Option<Arc<str>>),
    Conflicts { places: Vec<ConflictPlace>, total: usize },
}

/// The state of an item to which a proposal leads.
pub(super) struct Merged {
    pub(super) item: Item,
    pub(super) content: Option<Arc<str>>,
    pub(super) states: ProposedStates,
}

impl Interline {
    /// Carries the change from the base to what is wanted onto what the item is now.
    pub(super) async fn merged(
        &self,
        caller: &Caller,
        proposal: &Proposal,
        base: &ProposalBase,
        present: Option<&Snapshot>,
        wanted: ChosenChange<'_>,
    ) -> Result<Result<Merged, UnfitCause>, Error> {
        let ChosenChange { fields, content, states } = wanted;
        let (mut item, content) = match present {
            None => (Item { fields: fields.clone(), ..proposal.item.clone() }, content),
            Some(present) => {
                let theirs = &present.item.fields;
                let tags = merge_tags(&base.fields.tags, &fields.tags, &theirs.tags);
                let (merged, both_changed) = merge_field_values(&base.fields, fields, theirs, Some(tags));
                let text = self.merged_text(caller, &base.content, &content, &present.content).await?;
                let (places, total, content) = match text {
                    MergedContent::Clean(content) => (Vec::new(), 0, content),
                    MergedContent::Conflicts { places, total } => (places, total, None),
                };
                if total > 0 || !both_changed.is_empty() {
                    let failed = FailedMerge::BothChanged { fields: both_changed, places, total };
                    return Ok(Err(UnfitCause::Merge(Box::new(failed))));
                }
                (Item { fields: merged, ..present.item.clone() }, content)
            }
        };
        // An unchanged content fits unchanged arguments: both were checked when they were stored.
        let is_changed = present
            .is_none_or(|present| content != present.content || item.fields.arguments != present.item.fields.arguments);
        if is_changed {
            let (limit, actual) = (self.limits.content_bytes, content.as_ref().map_or(0, |text| text.len()));
            if actual > limit {
                return Err(Error::TooLarge { limit: limit as u64, actual: actual as u64 });
            }
            match self.check_content(caller, item.kind, &item.fields, content.clone()).await {
                Ok(checked) => checked.apply_to(&mut item),
                Err(error) if is_about_content(&error) => {
                    return Ok(Err(UnfitCause::Merge(Box::new(FailedMerge::Invalid(error)))));
                }
                Err(error) => return Err(error),
            }
        }
        let stored_path = present.map(|present| &present.item.fields.path);
        if stored_path != Some(&item.fields.path) {
            self.refuse_second_spelling(item.space, item.kind, Some(item.id), item.fields.path.as_ref()).await?;
        }
        Ok(Ok(Merged { item, content, states }))
    }

    /// The content that comes of a proposed one; no content is an empty text, but stays the none that was proposed.
    async fn merged_text(
        &self,
        caller: &Caller,
        base: &Option<Arc<str>>,
        ours: &Option<Arc<str>>,
        theirs: &Option<Arc<str>>,
    ) -> Result<MergedContent, Error> {
        if base == theirs || ours == theirs {
            return Ok(MergedContent::Clean(ours.clone()));
        }
        if ours == base {
            return Ok(MergedContent::Clean(theirs.clone()));
        }
        let texts = [base, ours, theirs].map(|text| text.clone().unwrap_or_default());
        Ok(match self.merge_contents(caller, texts).await? {
            TextMerge::Clean(None) => MergedContent::Clean(theirs.clone()),
            TextMerge::Clean(Some(merged)) if merged.new.is_empty() && ours.is_none() => MergedContent::Clean(None),
            TextMerge::Clean(Some(merged)) => MergedContent::Clean(Some(merged.new)),
            TextMerge::Conflicts { places, total } => MergedContent::Conflicts { places, total },
        })
    }
}

impl Interline {
    /// What a proposal would leave of the base with only some of its hunks.
    pub(super) async fn with_hunks(
        &self,
        caller: &Caller,
        proposal: &Proposal,
        base: &ProposalBase,
        proposed: &Option<Arc<str>>,
        ids: &[String],
    ) -> Result<Arc<str>, Error> {
        let (part, item, ids) = (text_part(proposal, base, proposed), proposal.item.id, ids.to_vec());
        let accept = move |parts: &[TextPart]| match parts.first() {
            Some(part) => text_with_hunks(part, item, &ids),
            None => Ok(Arc::default()),
        };
        self.compared(caller, vec![part], accept).await?
    }
}

/// The text before a change with only some of its hunks.
fn text_with_hunks(part: &TextPart, item: ItemId, ids: &[String]) -> Result<Arc<str>, Error> {
    let refs = part.hunk_refs(item);
    let mut selected = BTreeSet::new();
    for id in ids {
        let index = refs.iter().position(|hunk| hunk.id == *id);
        selected.insert(index.ok_or_else(|| Error::Proposal(ProposalError::UnknownHunk(id.clone())))?);
    }
    let selected: Vec<usize> = selected.into_iter().collect();
    let accepted = hunks(&part.before, &part.after).accept(&selected);
    let accepted = accepted.map_err(|unknown| Error::Internal(unknown.to_string()))?;
    let text = accepted.apply(&part.before).map_err(|mismatch| Error::Internal(mismatch.to_string()))?;
    Ok(text.into())
}

/// Tags one by one: those that were added to the base and removed from it, on what there is now.
fn merge_tags(base: &Tags, ours: &Tags, theirs: &Tags) -> Tags {
    let (base, ours) = (base.as_slice(), ours.as_slice());
    let is_removed = |tag| base.contains(tag) && !ours.contains(tag);
    let mut tags: Vec<String> =
        theirs.as_slice().iter().filter(|tag| !is_removed(tag)).map(|tag| tag.as_str().to_owned()).collect();
    for tag in ours.iter().filter(|tag| !base.contains(tag)) {
        if !tags.iter().any(|present| present == tag.as_str()) {
            tags.push(tag.as_str().to_owned());
        }
    }
    Tags::from_stored(tags)
}
