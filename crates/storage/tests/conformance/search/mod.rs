//! `search`, `index` and `check`: a table of queries, an oracle, and laws that hold however much of the items is indexed.

pub(crate) mod consistency;
mod corpus;
mod damage;
mod files;
mod indexers;
mod random;
mod rows;
mod table;
mod writes;

// One oracle for what a search is and for what the storages find.
#[path = "../../../../search/tests/search/generate.rs"]
mod generate;
#[path = "../../../../search/tests/search/oracle.rs"]
mod oracle;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use interline_items::fair::Checkpoint;
use interline_items::fields::{CodePath, Description, PromptName, Title, Url};
use interline_items::search::{IndexStep, IndexStepResult, SearchHit, SearchOrder, SearchQuery, SearchResults};
use interline_items::{Contents, Filter, PageStart, Snapshot, SortOrder, Store, View};
use interline_search::{Search, SnippetField};

use crate::fixtures::samples::at;
use oracle::Texts;

/// A search by relevance, with all results on one page.
pub(crate) fn looking_for(query: &str, filter: Filter) -> SearchQuery {
    let search = Search::parse(query).unwrap().expect("something to look for");
    SearchQuery {
        search: Arc::new(search),
        filter,
        order: SearchOrder::Relevance(SortOrder::Descending),
        start: PageStart::Offset(0),
        limit: 1_000,
        contents: Contents::Read,
        checkpoint: Checkpoint::until(Instant::now() + Duration::from_secs(60)),
    }
}

/// The filter, limited to items that are neither archived nor deleted.
fn active(filter: Filter) -> Filter {
    Filter { views: BTreeSet::from([View::Active]), ..filter }
}

/// A step of the index that takes on every stale item, however lately it changed.
async fn step(store: &dyn Store) -> IndexStepResult {
    store.index(IndexStep { unchanged_since: at(1_000_000_000) }).await.unwrap()
}

/// Steps until no item is stale.
async fn complete(store: &dyn Store) {
    loop {
        match step(store).await {
            IndexStepResult::Added { .. } | IndexStepResult::Tidied => {}
            IndexStepResult::Nothing { stale } => break assert_eq!(stale, 0, "the index knows everything"),
            IndexStepResult::Elsewhere => panic!("another process is at the index"),
        }
    }
}

/// The integrity check finds no problem.
async fn sound(store: &dyn Store) {
    let report = store.check().await.unwrap();
    assert_eq!((report.problems, report.total_problems), (Vec::new(), 0));
}

/// The hits of all pages from the first to the last, each from the cursor of the one before.
async fn walk(store: &dyn Store, mut query: SearchQuery) -> Vec<SearchHit> {
    let mut walked = Vec::new();
    loop {
        let SearchResults { items, total, next } = store.search(&query).await.unwrap();
        assert!(items.len() <= query.limit);
        walked.extend(items);
        match next {
            Some(next) => query.start = PageStart::After(next),
            None => {
                assert_eq!(total, walked.len() as u64, "the total is that of all pages");
                return walked;
            }
        }
        assert!(walked.len() < 1_000, "the walk does not end");
    }
}

/// The searched fields of an item.
fn texts(snapshot: &Snapshot) -> Texts {
    let fields = &snapshot.item.fields;
    Texts {
        title: fields.title.as_ref().map(Title::as_str).map(str::to_owned),
        name: fields.name.as_ref().map(PromptName::as_str).map(str::to_owned),
        description: fields.description.as_ref().map(Description::as_str).map(str::to_owned),
        url: fields.url.as_ref().map(Url::as_str).map(str::to_owned),
        path: fields.path.as_ref().map(CodePath::as_str).map(str::to_owned),
        content: snapshot.content.as_deref().map(str::to_owned),
    }
}

/// The snippet of a hit is a part of the field that it names.
fn shows_where(found: &SearchHit) {
    let Some(snippet) = &found.snippet else { return };
    let texts = texts(&found.snapshot);
    let line = match snippet.field {
        SnippetField::Content(line) => {
            let content = texts.content.as_deref().expect("a content");
            content.split('\n').nth(usize::try_from(line).unwrap() - 1).map(str::to_owned)
        }
        SnippetField::Title => Some([texts.title, texts.name].into_iter().flatten().collect::<Vec<_>>().join("\n")),
        SnippetField::Description => texts.description,
        SnippetField::Url => texts.url,
        SnippetField::Path => texts.path,
    };
    assert!(line.expect("the line is there").contains(&snippet.text), "{snippet:?}");
    let characters = snippet.text.chars().count();
    assert!(characters <= 200 && !snippet.marks.is_empty(), "{snippet:?}");
    assert!(snippet.marks.iter().all(|mark| mark.start < mark.end && mark.end <= characters), "{snippet:?}");
}
