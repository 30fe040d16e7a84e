//! Having an item summarized by a model.

use std::collections::BTreeSet;

use crate::fields::Tag;
use crate::{
    Caller, Enrichment, EnrichmentState, Error, Interline, Item, ItemId, ItemRef, JobEnd, Kind, Scope, Snapshot,
};

use super::super::now;
use super::{RunningJob, shortened};

/// How much of a content is sent to the model.
const MAX_READ_CHARS: usize = 24_000;
/// The longest summary that is stored.
const MAX_SUMMARY_CHARS: usize = 2_000;
/// How many tags are stored.
const MAX_TAGS: usize = 10;
/// How often a model is asked that answers in another form than it was asked for.
const MAX_WRONG_ANSWERS: u32 = 3;

/// What is sent to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryRequest {
    /// The item's kind.
    pub kind: Kind,
    /// Its title.
    pub title: Option<String>,
    /// Its description.
    pub description: Option<String>,
    /// Its address.
    pub url: Option<String>,
    /// The first part of its content.
    pub content: String,
}

/// The model's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryResult {
    /// The summary.
    pub summary: String,
    /// Tags that would fit, as the model spells them.
    pub tags: Vec<String>,
}

/// Why there is no summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SummaryError {
    /// The model could not be reached, or is busy: it is asked again.
    Unreachable(String),
    /// The model answered in another form than it was asked for.
    Wrong(String),
}

impl Interline {
    /// The stored enrichment of an item, and whether the model is to be asked again.
    pub async fn enrichment(&self, caller: &Caller, item: &ItemRef) -> Result<(Item, EnrichmentState), Error> {
        caller.require(Scope::Read)?;
        let item = self.visible_item(caller, item).await?;
        let state = self.store.enrichment(item.id).await?;
        Ok((item, state))
    }
}

impl RunningJob {
    /// Has the model summarize an item as it is now.
    pub(super) async fn enrich(&self, id: ItemId) -> Result<JobEnd, Error> {
        let store = &self.interline.store;
        let Some(Snapshot { item, content }) = store.snapshot(id).await? else { return Ok(JobEnd::Done) };
        let Some(request) = summary_request(&item, content.as_deref()) else {
            store.remove_enrichment(id).await?;
            return Ok(JobEnd::Done);
        };
        match self.outbound.summarize(&request).await {
            Ok(summary) => {
                store.put_enrichment(id, &self.enrichment(&item, &summary)).await?;
                Ok(JobEnd::Done)
            }
            Err(error) => Ok(self.after_summary_error(error)),
        }
    }

    fn after_summary_error(&self, error: SummaryError) -> JobEnd {
        let failures = self.job.failures + 1;
        let (failure, is_last) = match error {
            SummaryError::Unreachable(failure) => (failure, self.policy.gives_up(self.job.since, failures, now())),
            SummaryError::Wrong(failure) => (failure, failures >= MAX_WRONG_ANSWERS),
        };
        if is_last { JobEnd::GivenUp(shortened(&failure)) } else { self.failed(failures, &failure) }
    }

    /// The enrichment to store, bounded and with valid tags only: a model can answer anything.
    fn enrichment(&self, item: &Item, result: &SummaryResult) -> Enrichment {
        let limits = self.interline.limits();
        let mut seen: BTreeSet<Tag> = item.fields.tags.as_slice().iter().cloned().collect();
        let tags = result.tags.iter().filter_map(|tag| Tag::parse(&tag.trim().replace(' ', "-"), limits).ok());
        Enrichment {
            version: item.stamp.version,
            summary: first_chars(result.summary.trim(), MAX_SUMMARY_CHARS).replace('\0', ""),
            tags: tags.filter(|tag| seen.insert(tag.clone())).take(MAX_TAGS).collect(),
            model: self.outbound.model().unwrap_or_default().to_owned(),
            at: now(),
        }
    }
}

/// What is sent to the model of an item; `None` if the item is deleted or has no text.
fn summary_request(item: &Item, content: Option<&str>) -> Option<SummaryRequest> {
    let content = content.unwrap_or_default();
    let description = item.fields.description.as_ref().map(|description| description.as_str().to_owned());
    if item.deleted_at.is_some() || (content.trim().is_empty() && description.is_none()) {
        return None;
    }
    Some(SummaryRequest {
        kind: item.kind,
        title: item.fields.title.as_ref().map(|title| title.as_str().to_owned()),
        description,
        url: item.fields.url.as_ref().map(|url| url.as_str().to_owned()),
        content: first_chars(content, MAX_READ_CHARS).to_owned(),
    })
}

fn first_chars(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(end, _)| text.get(..end).unwrap_or(text))
}
