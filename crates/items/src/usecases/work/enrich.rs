//! Having an item summarized by a model.

use std::collections::BTreeSet;

use crate::fields::Tag;
use crate::{
    Caller, Enrichment, EnrichmentState, Error, Interline, Item, ItemId, ItemRef, JobEnd, Kind, Scope, Snapshot,
};

use super::super::now;
use super::{Doing, short};

/// How much of a content a model reads.
const MAX_READ_CHARS: usize = 24_000;
/// The longest summary that is kept.
const MAX_SUMMARY_CHARS: usize = 2_000;
/// How many tags are kept.
const MAX_TAGS: usize = 10;
/// How often a model is asked that answers, but not what it was asked for.
const MAX_WRONG_ANSWERS: u32 = 3;

/// What a model is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryRequest {
    /// What it is.
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

/// What a model said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryResult {
    /// What it is about.
    pub summary: String,
    /// Tags that would fit, as the model spells them.
    pub tags: Vec<String>,
}

/// Why a model said nothing of use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SummaryError {
    /// It could not be reached, or is busy: later it may.
    Unreachable(String),
    /// It answered something else than it was asked for.
    Wrong(String),
}

impl Interline {
    /// What a model said about an item, and what is being done about it.
    pub async fn enrichment(&self, caller: &Caller, item: &ItemRef) -> Result<(Item, EnrichmentState), Error> {
        caller.needs(Scope::Read)?;
        let item = self.find(caller, item).await?;
        let state = self.store.enrichment(item.id).await?;
        Ok((item, state))
    }
}

impl Doing {
    /// Has an item summarized as it is now.
    pub(super) async fn enrich(&self, id: ItemId) -> Result<JobEnd, Error> {
        let store = &self.interline.store;
        let Some(Snapshot { item, content }) = store.snapshot(id).await? else { return Ok(JobEnd::Done) };
        let Some(text) = to_summarize(&item, content.as_deref()) else {
            store.drop_enrichment(id).await?;
            return Ok(JobEnd::Done);
        };
        match self.outside.summarize(&text).await {
            Ok(said) => {
                store.put_enrichment(id, &self.kept(&item, &said)).await?;
                Ok(JobEnd::Done)
            }
            Err(not_said) => Ok(self.after_silence(not_said)),
        }
    }

    fn after_silence(&self, not_said: SummaryError) -> JobEnd {
        let failures = self.job.failures + 1;
        let (failure, is_last) = match not_said {
            SummaryError::Unreachable(failure) => (failure, self.rules.gives_up(self.job.since, failures, now())),
            SummaryError::Wrong(failure) => (failure, failures >= MAX_WRONG_ANSWERS),
        };
        if is_last { JobEnd::GivenUp(short(&failure)) } else { self.failed(failures, &failure) }
    }

    /// What is kept of what a model said: a model can say anything.
    fn kept(&self, item: &Item, said: &SummaryResult) -> Enrichment {
        let limits = self.interline.limits();
        let mut seen: BTreeSet<Tag> = item.fields.tags.as_slice().iter().cloned().collect();
        let tags = said.tags.iter().filter_map(|tag| Tag::parse(&tag.trim().replace(' ', "-"), limits).ok());
        Enrichment {
            version: item.stamp.version,
            summary: first_chars(said.summary.trim(), MAX_SUMMARY_CHARS).replace('\0', ""),
            tags: tags.filter(|tag| seen.insert(tag.clone())).take(MAX_TAGS).collect(),
            model: self.outside.model().unwrap_or_default().to_owned(),
            at: now(),
        }
    }
}

/// What a model reads of an item; `None` if there is nothing to read.
fn to_summarize(item: &Item, content: Option<&str>) -> Option<SummaryRequest> {
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
