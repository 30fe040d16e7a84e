//! Searches over random corpora, against the oracle.
//!
//! `INTERLINE_ORACLE_CASES` sets the number of corpora, `INTERLINE_ORACLE_FIRST` the first seed.

use std::cmp::Reverse;

use interline_items::search::{SearchHit, SearchQuery, SearchResults};
use interline_items::{CursorKey, Filter, Item, ItemId, Kind, Snapshot, Space, Store, View};
use interline_search::{Search, SnippetField};

use super::generate::Chance;
use super::oracle::{Query, Texts};
use super::{active, complete, looking_for, shows_where, sound, step, texts, walk};
use crate::fixtures::authors::{Author, author};
use crate::fixtures::samples::{Sample, description, name, note, path, title, url};
use crate::fixtures::test_store::TestStore;
use crate::items::lists::whole;

on_both!(what_is_found_is_what_the_oracle_finds);

const ITEMS: usize = 20;
const QUERIES: usize = 40;

/// What a query finds in a corpus, the best first, with how well it matches.
pub(super) fn expected(items: &[Snapshot], query: &str, filter: &Filter) -> Option<Vec<(u32, ItemId)>> {
    let query = Query::parse(query).ok()??;
    let is_there = |item: &&Snapshot| filter.views.contains(&View::from_item(&item.item));
    let scored = items.iter().filter(is_there).map(|item| (query.score(&texts(item)), &item.item));
    let mut found: Vec<(u32, &Item)> = scored.filter_map(|(score, item)| Some((score?, item))).collect();
    found.sort_unstable_by_key(|(score, item)| (Reverse(*score), View::from_item(item), Reverse(item.id)));
    Some(found.into_iter().map(|(score, item)| (score, item.id)).collect())
}

/// An item by chance.
pub(super) fn sample(chance: &mut Chance, space: &Space, number: usize) -> Snapshot {
    let Texts { title: heading, name: called, description: about, url: address, path: test, content } = chance.texts();
    let mut sample = note(space, "");
    sample.item.kind = match (&called, &address, &test) {
        (Some(_), ..) => Kind::Prompt,
        (None, Some(_), _) => Kind::Bookmark,
        (None, None, Some(_)) => Kind::Module,
        (None, None, None) => Kind::Note,
    };
    let fields = &mut sample.item.fields;
    fields.title = heading.as_deref().map(title);
    fields.description = about.as_deref().map(description);
    // No two have the same.
    fields.name = called.map(|text| name(&format!("{text} n{number}")));
    fields.path = test.map(|text| path(&format!("p{number}/{text}")));
    fields.url = address.map(|text| url(&format!("{text}/u{number}")));
    match content {
        Some(content) => sample.with_content(&content),
        None => sample,
    }
}

/// Changes an item in one way or another.
pub(super) async fn change(chance: &mut Chance, author: &Author, store: &dyn Store, item: &mut Snapshot) {
    let write = match (chance.below(6), View::from_item(&item.item)) {
        (0, _) => author.retitling(item, &chance.text(4)),
        (1, View::Active) => author.archiving(item),
        (1, View::Archived) => author.unarchiving(item),
        (2, View::Deleted) => author.restoring(item),
        (2, _) => author.deleting(item),
        (3, _) => author.rewriting(item, None),
        (4, _) if item.content.is_some() => author.editing(item, 0..0, &chance.text(2)),
        _ => author.rewriting(item, Some(&chance.text(25))),
    };
    *item = author.change(store, item, write).await.unwrap();
}

async fn what_is_found_is_what_the_oracle_finds(test: TestStore) {
    let (first, count) =
        (from_environment("INTERLINE_ORACLE_FIRST", 0), from_environment("INTERLINE_ORACLE_CASES", 100));
    let mut compared = 0;
    for seed in first..first + count {
        compared += compare(&*test.store, seed).await;
    }
    assert!(compared >= count * QUERIES as u64 * 3 / 4, "{compared} were compared");
    sound(&*test.store).await;
    complete(&*test.store).await;
    sound(&*test.store).await;
}

/// How many queries were compared.
async fn compare(store: &dyn Store, seed: u64) -> u64 {
    let mut chance = Chance::new(seed);
    let ada = author(store, &format!("ada {seed}")).await;
    let mut items: Vec<Snapshot> = (0..ITEMS).map(|number| sample(&mut chance, &ada.space, number)).collect();
    store.commit(items.iter().map(|item| ada.creation(item)).collect()).await.unwrap();
    steps(&mut chance, store).await;
    for _ in 0..chance.below(8) {
        let changed = chance.below(items.len());
        change(&mut chance, &ada, store, &mut items[changed]).await;
    }
    steps(&mut chance, store).await;

    let filter = if chance.below(2) == 0 { whole(&ada.space) } else { active(whole(&ada.space)) };
    let corpus: Vec<Texts> = items.iter().map(texts).collect();
    let mut compared = 0;
    for _ in 0..QUERIES {
        let query = chance.query(&corpus);
        let Some(expected) = expected(&items, &query, &filter) else {
            assert!(!matches!(Search::parse(&query), Ok(Some(_))), "seed {seed}: {query:?} is no query");
            continue;
        };
        let asked = looking_for(&query, filter.clone());
        let page = store.search(&asked).await.unwrap();
        let found: Vec<ItemId> = page.items.iter().map(|found| found.snapshot.item.id).collect();
        let ids: Vec<ItemId> = expected.iter().map(|(_, id)| *id).collect();
        assert_eq!(found, ids, "seed {seed}: {query:?}");
        assert_eq!(page.total, ids.len() as u64, "seed {seed}: {query:?}");
        page.items.iter().for_each(shows_where);
        for found in &page.items {
            assert!(items.contains(&found.snapshot), "seed {seed}: {query:?} finds what is not there");
            let Some(snippet) = &found.snippet else { continue };
            let shown = Texts { content: Some(snippet.text.clone()), ..Texts::default() };
            let asked = Query::parse(&query).unwrap().unwrap();
            // A text that goes on in the next line is marked to the end of its first, and is there in full with the next.
            let goes_on = || {
                snippet.marks.iter().any(|mark| mark.end == snippet.text.chars().count())
                    && asked.shows_any(&Texts { content: Some(from_there(found)), ..Texts::default() })
            };
            assert!(asked.shows_any(&shown) || goes_on(), "seed {seed}: {query:?} shows {snippet:?}");
        }
        if compared % 4 == 0 {
            scores_are(store, &asked, &expected).await;
        }
        compared += 1;
    }
    compared
}

/// The field of a snippet, from the snippet on.
fn from_there(found: &SearchHit) -> String {
    let snippet = found.snippet.as_ref().expect("a snippet");
    let Texts { title, name, description, url, path, content } = texts(&found.snapshot);
    let (text, line) = match snippet.field {
        SnippetField::Content(line) => (content, usize::try_from(line).unwrap() - 1),
        SnippetField::Description => (description, 0),
        SnippetField::Url => (url, 0),
        SnippetField::Path => (path, 0),
        SnippetField::Title => (title.filter(|title| title.contains(&snippet.text)).or(name), 0),
    };
    let text = text.expect("the field is there");
    let line: String = text.split_inclusive('\n').skip(line).collect();
    let start = line.find(&snippet.text).expect("the snippet is there");
    line[start..].to_owned()
}

/// Pages of one tell how well items match by where the next one starts.
async fn scores_are(store: &dyn Store, query: &SearchQuery, expected: &[(u32, ItemId)]) {
    if let &[(score, id), _, ..] = expected {
        let SearchResults { next, .. } = store.search(&SearchQuery { limit: 1, ..query.clone() }).await.unwrap();
        let next = next.expect("there are more");
        let CursorKey::Score { score: found, .. } = next.key.expect("a score") else { panic!("no score") };
        assert_eq!((found, next.id), (score, id));
        let walked = walk(store, SearchQuery { limit: 1 + expected.len() / 2, ..query.clone() }).await;
        assert!(walked.iter().map(|found| found.snapshot.item.id).eq(expected.iter().map(|(_, id)| *id)));
    }
}

/// No step of the index, some, or all that there are.
async fn steps(chance: &mut Chance, store: &dyn Store) {
    match chance.below(3) {
        0 => {}
        1 => {
            step(store).await;
        }
        _ => complete(store).await,
    }
}

#[expect(clippy::disallowed_methods, reason = "the runner of the tests asks through the environment")]
fn from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().unwrap())
}
