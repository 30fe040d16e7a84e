//! Whole contents that were written for an older version: refused, or merged with what was stored since.
//!
//! The base of a merge is the version that the caller expects, *ours* what the request makes of it, *theirs* what is stored.
//! It is planned like any other change, on the state that was read, and planned again when that changed; the base stays.

mod fields;
mod text;

use std::sync::Arc;

use interline_edit::merge_memory;

use crate::fields::FieldError;
use crate::memory_budget::{WORK_FACTOR, take_in_all_for_work};
use crate::usecases::{Caller, ExpectedVersion, FieldChange, Interline, ItemChanges};
use crate::write::names;
use crate::{ContentWrite, Error, Expectation, FailedMerge, Fields, Item, Kind, Snapshot, Version};

use super::content_check::BIG_BYTES;
use super::repair::Before;
use super::update::Step;
pub(in crate::usecases) use fields::merge_field_values;
use fields::{MergedFields, merge_fields};
pub(in crate::usecases) use text::{TextMerge, merge_texts};

/// A merge that takes more memory compares so many lines that it holds up other requests, however short the lines are.
const SHORT_MERGE_MEMORY: usize = 1 << 20;

names! {
    /// What becomes of a whole content that was written for a version which is no longer the newest.
    OnStale {
        /// It is refused.
        Refuse = "refuse",
        /// It is merged with what was stored since.
        Merge = "merge",
    }
}

/// The version for which a change was made that may be merged.
pub(in crate::usecases) struct MergeBase {
    version: u64,
    expectation: Expectation,
    /// As history has it, once it was read.
    read: Option<Arc<Version>>,
}

impl MergeBase {
    /// The base of a request that may be merged; `None` of one that may not. Refused if a request says what becomes of a
    /// stale content, and has no content or does not say for which version it was written.
    pub(in crate::usecases) fn from_request(
        expected: ExpectedVersion,
        on_stale: Option<OnStale>,
        changes: &ItemChanges,
    ) -> Result<Option<MergeBase>, Error> {
        let Some(on_stale) = on_stale else { return Ok(None) };
        let mut missing = Vec::new();
        if matches!(changes.content, FieldChange::Keep) {
            missing.push(FieldError::new("content", "is required where `on_stale` is given"));
        }
        let ExpectedVersion::Exactly(version, expectation) = expected else {
            let message = "is required where `on_stale` is given: the version that the content was written for";
            missing.push(FieldError::new("expected_version", message));
            return Err(Error::ValidationFailed(missing));
        };
        match on_stale {
            _ if !missing.is_empty() => Err(Error::ValidationFailed(missing)),
            OnStale::Refuse => Ok(None),
            OnStale::Merge => Ok(Some(MergeBase { version, expectation, read: None })),
        }
    }

    /// Whether an item has changed since.
    pub(super) fn is_behind(&self, item: &Item) -> bool {
        item.stamp.version != self.version
    }

    fn conflict(&self, item: &Item, merge: Option<FailedMerge>) -> Error {
        Error::Conflict {
            expected_version: self.version,
            expectation: self.expectation,
            current: Box::new(item.clone()),
            diff: None,
            merge: merge.map(Box::new),
        }
    }
}

/// What a request makes of the base.
struct Ours {
    fields: Fields,
    content: Option<Arc<str>>,
}

impl Interline {
    /// The step that merges changes which were made for the base with what is stored.
    pub(super) async fn plan_merge(
        &self,
        caller: &Caller,
        base: &mut MergeBase,
        before: Before,
        changes: ItemChanges,
    ) -> Result<Step, Error> {
        let states = changes.states();
        match self.merge_changes(caller, base, &before, changes).await {
            Ok((after, content)) => Ok(Step { before, after, content, states, merged_base: Some(base.version) }),
            Err(error) => Err(self.with_diff(caller, error).await),
        }
    }

    async fn merge_changes(
        &self,
        caller: &Caller,
        base: &mut MergeBase,
        before: &Before,
        changes: ItemChanges,
    ) -> Result<(Snapshot, ContentWrite), Error> {
        let Before::Whole(theirs) = before else { return Err(base.conflict(before.item(), None)) };
        let origin = self.read_base(caller, base, &theirs.item).await?;
        let (kind, stored) = (theirs.item.kind, &theirs.item.fields);
        let MergedFields { ours, merged, both_changed, content } =
            merge_fields(kind, &origin.fields, stored, changes, &self.limits)?;
        let content = match content {
            FieldChange::Keep => origin.content.clone(),
            FieldChange::Clear => None,
            FieldChange::Set(text) => Some(text),
        };
        let ours = Ours { fields: ours, content };
        let texts = [&origin.content, &ours.content, &theirs.content].map(|text| text.clone().unwrap_or_default());
        let (places, total, text) = match self.merge_contents(caller, texts).await? {
            TextMerge::Conflicts { places, total } => (places, total, None),
            TextMerge::Clean(text) => (Vec::new(), 0, text),
        };
        if total > 0 || !both_changed.is_empty() {
            let failed = FailedMerge::BothChanged { fields: both_changed, places, total };
            return Err(base.conflict(&theirs.item, Some(failed)));
        }
        let (content, write) = match text {
            None => (theirs.content.clone(), ContentWrite::Keep),
            // No content is an empty text, but it stays the none that was asked for.
            Some(text) if text.new.is_empty() && ours.content.is_none() => {
                (None, ContentWrite::between(&theirs.content, &None))
            }
            Some(text) => (Some(Arc::clone(&text.new)), text.into_write(&theirs.content)),
        };
        let mut item = theirs.item.clone();
        item.fields = merged;
        let mut after = Snapshot { item, content };
        self.check_merged(caller, base, theirs, &ours, &mut after).await?;
        Ok((after, write))
    }

    /// The base, as history has it. A conflict if history does not have it, or not any more.
    async fn read_base(&self, caller: &Caller, base: &mut MergeBase, item: &Item) -> Result<Arc<Version>, Error> {
        if let Some(read) = &base.read {
            return Ok(Arc::clone(read));
        }
        match self.version(caller, item, base.version).await {
            Ok(version) => Ok(Arc::clone(base.read.insert(Arc::new(version)))),
            Err(Error::VersionNotFound { .. } | Error::CorruptContent { .. }) => Err(base.conflict(item, None)),
            Err(error) => Err(error),
        }
    }

    /// Merges base, ours and theirs: here if that takes a short time, on a thread of its own otherwise.
    pub(in crate::usecases) async fn merge_contents(
        &self,
        caller: &Caller,
        texts: [Arc<str>; 3],
    ) -> Result<TextMerge, Error> {
        let [base, ours, theirs] = &texts;
        let bytes = base.len() + ours.len() + theirs.len();
        let memory = merge_memory(base, ours, theirs);
        take_in_all_for_work(bytes.saturating_mul(WORK_FACTOR).saturating_add(memory))?;
        let merge = move || merge_texts(texts.each_ref().map(|text| &**text));
        let is_short = bytes <= BIG_BYTES && memory <= SHORT_MERGE_MEMORY;
        if is_short { merge() } else { self.threads.run(caller.work_for(), move |_| merge()).await? }
    }

    /// Checks what came of a merge, and gives the item what is derived from its content. What is refused is a conflict, unless
    /// what was sent is refused too.
    async fn check_merged(
        &self,
        caller: &Caller,
        base: &MergeBase,
        theirs: &Snapshot,
        ours: &Ours,
        after: &mut Snapshot,
    ) -> Result<(), Error> {
        let Snapshot { item, content } = after;
        let is_other_text = *content != theirs.content;
        if is_other_text || item.fields.arguments != theirs.item.fields.arguments {
            let checked = match self.check_size(theirs, content.as_ref()) {
                Ok(()) => self.check_content(caller, item.kind, &item.fields, content.clone()).await,
                Err(error) => Err(error),
            };
            match checked {
                Ok(checked) => checked.apply_to(item),
                Err(error) if is_about_content(&error) => {
                    self.check_ours(caller, item.kind, ours).await?;
                    return Err(base.conflict(&theirs.item, Some(FailedMerge::Invalid(error))));
                }
                Err(error) => return Err(error),
            }
        }
        if item.fields.path != theirs.item.fields.path {
            let path = item.fields.path.as_ref();
            self.refuse_second_spelling(item.space, item.kind, Some(item.id), path).await?;
        }
        Ok(())
    }

    async fn check_ours(&self, caller: &Caller, kind: Kind, ours: &Ours) -> Result<(), Error> {
        self.check_content(caller, kind, &ours.fields, ours.content.clone()).await.map(drop)
    }

    /// Limits may have changed since the item got its content: it can always become shorter.
    fn check_size(&self, theirs: &Snapshot, merged: Option<&Arc<str>>) -> Result<(), Error> {
        let (limit, actual) = (self.limits.content_bytes, merged.map_or(0, |text| text.len()));
        let before = theirs.content.as_ref().map_or(0, |text| text.len());
        if actual > limit && actual >= before {
            return Err(Error::TooLarge { limit: limit as u64, actual: actual as u64 });
        }
        Ok(())
    }
}

/// Whether an error is the refusal of a content by the rules of its kind.
pub(in crate::usecases) fn is_about_content(error: &Error) -> bool {
    matches!(
        error,
        Error::InvalidTemplate { .. } | Error::InvalidCode(_) | Error::EntityTypeMismatch(_) | Error::TooLarge { .. }
    )
}
