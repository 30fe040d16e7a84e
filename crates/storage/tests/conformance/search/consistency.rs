//! `search`, `index` and `check`: however much of the items is indexed, a search finds all that match.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use interline_edit::Case;
use interline_items::fair::Checkpoint;
use interline_items::search::{IndexStep, IndexStepResult, SearchOrder, SearchQuery, SearchResults};
use interline_items::{
    Action, CheckProblem, CheckReport, Contents, ItemId, PageStart, Snapshot, Sort, SortBy, SortOrder, Space, Store,
    StoreError,
};
use interline_search::{Search, SnippetField};
use jiff::Timestamp;

use crate::fixtures::authors::{Author, author};
use crate::fixtures::samples::{Sample, at, note};
use crate::fixtures::test_store::TestStore;
use crate::items::lists::whole;

on_both!(
    what_is_written_is_found_before_it_is_indexed_and_after,
    changes_deletions_and_purges_are_seen_at_once,
    an_expression_that_any_text_may_match_finds_each_item_once,
    every_page_of_an_order_has_its_snippets,
    an_item_that_changed_lately_is_indexed_later,
    many_small_steps_leave_few_segments,
    two_stores_take_turns,
    steps_at_the_same_time_do_no_harm,
    a_search_that_is_out_of_time_says_so,
    a_check_tells_what_was_damaged,
    the_index_is_asked_in_time,
);

/// Later than all that the tests write.
fn later() -> Timestamp {
    at(1_000_000)
}

/// All items of a space that match, the best first.
pub(crate) fn query(space: &Space, words: &str) -> SearchQuery {
    let search = Search::parse(words).unwrap().expect("something to look for");
    of_search(space, search)
}

fn of_search(space: &Space, search: Search) -> SearchQuery {
    SearchQuery {
        search: Arc::new(search),
        filter: whole(space),
        order: SearchOrder::Relevance(SortOrder::Descending),
        start: PageStart::Offset(0),
        limit: 100,
        contents: Contents::Read,
        checkpoint: Checkpoint::until(Instant::now() + Duration::from_secs(60)),
    }
}

/// What a page has, which is all that was found.
fn ids(page: &SearchResults) -> Vec<ItemId> {
    assert_eq!(page.items.len() as u64, page.total);
    page.items.iter().map(|found| found.snapshot.item.id).collect()
}

async fn found(store: &dyn Store, space: &Space, words: &str) -> BTreeSet<ItemId> {
    let page = store.search(&query(space, words)).await.unwrap();
    let found: BTreeSet<ItemId> = ids(&page).into_iter().collect();
    assert_eq!(found.len() as u64, page.total, "each item once");
    found
}

fn set<'a>(items: impl IntoIterator<Item = &'a Snapshot>) -> BTreeSet<ItemId> {
    items.into_iter().map(|snapshot| snapshot.item.id).collect()
}

/// Steps until there is nothing to do; how many items were indexed.
async fn index_all(store: &dyn Store) -> u64 {
    let mut all = 0;
    loop {
        match store.index(IndexStep { unchanged_since: later() }).await.unwrap() {
            IndexStepResult::Added { items, .. } => all += items,
            IndexStepResult::Tidied => {}
            IndexStepResult::Nothing { stale } => {
                assert_eq!(stale, 0);
                return all;
            }
            IndexStepResult::Elsewhere => panic!("nobody else is at it"),
        }
    }
}

async fn checked(store: &dyn Store) -> CheckReport {
    let report = store.check().await.unwrap();
    assert_eq!((report.total_problems, &report.problems[..]), (0, &[][..]));
    report
}

async fn purge(store: &dyn Store, author: &Author, old: &Snapshot) {
    store.purge(old.item.id, old.item.stamp, author.record(Action::Delete, at(99)), None).await.unwrap();
}

async fn what_is_written_is_found_before_it_is_indexed_and_after(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let one = ada.create(store, note(&ada.space, "Running shoes").with_content("Buy them\nin spring")).await;
    let two = ada.create(store, note(&ada.space, "Spring cleaning")).await;
    let other = author(store, "bob").await;
    other.create(store, note(&other.space, "Spring")).await;
    for indexed in [0, 3] {
        assert_eq!(index_all_of(store, indexed).await, indexed);
        let space = &ada.space;
        assert_eq!(found(store, space, "run").await, set([&one]));
        assert_eq!(found(store, space, "ring").await, set([&one, &two]));
        assert_eq!(found(store, space, "\"them in\"").await, set([&one]));
        assert_eq!(found(store, space, "spring -shoes").await, set([&two]));
        assert_eq!(found(store, space, "nowhere").await, set([]));
        let page = store.search(&query(space, "spring")).await.unwrap();
        assert_eq!(ids(&page), [two.item.id, one.item.id], "the title weighs more");
        assert_eq!(page.items[1].snapshot, one);
        let snippet = page.items[1].snippet.as_ref().unwrap();
        assert_eq!((snippet.field, snippet.text.as_str()), (SnippetField::Content(2), "in spring"));
    }
    assert_eq!(checked(store).await.items, 3);
}

/// Indexes all, unless it is not time for it yet.
async fn index_all_of(store: &dyn Store, items: u64) -> u64 {
    if items == 0 { 0 } else { index_all(store).await }
}

async fn changes_deletions_and_purges_are_seen_at_once(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let space = &ada.space;
    let mut notes = Vec::new();
    for number in 0..4 {
        notes.push(ada.create(store, note(space, &format!("Note {number}")).with_content("a zebra")).await);
    }
    index_all(store).await;
    let [kept, edited, deleted, purged] = &notes[..] else { panic!("four") };
    let edited = ada.change(store, edited, ada.rewriting(edited, Some("a giraffe"))).await.unwrap();
    let deleted = ada.change(store, deleted, ada.deleting(deleted)).await.unwrap();
    purge(store, &ada, purged).await;
    for indexed in [0, 3] {
        assert_eq!(index_all_of(store, indexed).await, indexed);
        assert_eq!(found(store, space, "zebra").await, set([kept, &deleted]), "all views are asked for");
        assert_eq!(found(store, space, "giraffe").await, set([&edited]));
        let mut active = query(space, "zebra");
        active.filter.views.remove(&interline_items::View::Deleted);
        assert_eq!(ids(&store.search(&active).await.unwrap()), [kept.item.id]);
        let report = checked(store).await;
        assert_eq!((report.items, report.versions), (3, 4));
        assert_eq!(report.stale, if indexed == 0 { 2 } else { 0 });
    }
    assert_eq!(test.count("SELECT count(*) FROM stale_items").await, 0);
}

async fn an_expression_that_any_text_may_match_finds_each_item_once(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let indexed = ada.create(store, note(&ada.space, "One").with_content("one")).await;
    index_all(store).await;
    let stale = ada.create(store, note(&ada.space, "Two").with_content("two")).await;
    ada.create(store, note(&ada.space, "Without content")).await;
    let mut query = of_search(&ada.space, Search::regex(".", Case::Sensitive).unwrap());
    query.order = SearchOrder::Sorted(Sort { by: SortBy::Title, order: SortOrder::Ascending });
    assert_eq!(ids(&store.search(&query).await.unwrap()), [indexed.item.id, stale.item.id]);
}

async fn every_page_of_an_order_has_its_snippets(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    for number in 0..7 {
        ada.create(store, note(&ada.space, &format!("Title {number}")).with_content("needle")).await;
        if number == 3 {
            index_all(store).await;
        }
    }
    let by_title = SearchOrder::Sorted(Sort { by: SortBy::Title, order: SortOrder::Descending });
    for order in [by_title, SearchOrder::Relevance(SortOrder::Ascending)] {
        let mut query = query(&ada.space, "needle");
        (query.order, query.limit, query.contents) = (order, 3, Contents::Omit);
        let mut titles = Vec::new();
        loop {
            let page = store.search(&query).await.unwrap();
            assert_eq!(page.total, 7);
            for found in page.items {
                assert_eq!((found.snapshot.content, found.snippet.unwrap().text.as_str()), (None, "needle"));
                titles.push(found.snapshot.item.fields.title.unwrap().as_str().to_owned());
            }
            match page.next {
                Some(next) => query.start = PageStart::After(next),
                None => break,
            }
        }
        let mut expected: Vec<String> = (0..7).map(|number| format!("Title {number}")).collect();
        if order == by_title {
            expected.reverse();
        }
        assert_eq!(titles, expected);
    }
}

async fn an_item_that_changed_lately_is_indexed_later(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let old = ada.create(store, note(&ada.space, "Old").made_at(at(10))).await;
    ada.create(store, note(&ada.space, "New").made_at(at(20))).await;
    let step = async |seconds| store.index(IndexStep { unchanged_since: at(seconds) }).await.unwrap();
    assert_eq!(step(9).await, IndexStepResult::Nothing { stale: 2 });
    assert_eq!(step(10).await, IndexStepResult::Added { items: 1, stale: 1 });
    assert_eq!(step(19).await, IndexStepResult::Nothing { stale: 1 });
    purge(store, &ada, &old).await;
    assert_eq!(step(98).await, IndexStepResult::Added { items: 1, stale: 1 });
    assert_eq!(step(98).await, IndexStepResult::Nothing { stale: 1 });
    assert!(matches!(step(99).await, IndexStepResult::Added { items: 1, stale: 0 }));
}

async fn many_small_steps_leave_few_segments(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let live = async || test.count("SELECT count(*) FROM search_segments WHERE state = 1").await;
    let mut notes = Vec::new();
    for number in 0..60 {
        let content = format!("needle number{number} among the hay of bale {}", number % 7);
        notes.push(ada.create(store, note(&ada.space, "A note").with_content(&content)).await);
        if number % 3 == 2 {
            let old = notes[number / 2].clone();
            notes[number / 2] =
                ada.change(store, &old, ada.retitling(&old, &format!("Changed {number}"))).await.unwrap();
        }
        index_all(store).await;
        assert!(live().await < 8, "after {number}");
    }
    assert_eq!(test.count("SELECT count(*) FROM search_segments").await, live().await, "nothing is left behind");
    let ids = test.count("SELECT max(number) FROM search_segments").await;
    assert!(ids > 60, "there were merges: {ids}");
    assert_eq!(found(store, &ada.space, "needle").await, set(&notes));
    assert_eq!(found(store, &ada.space, "number17").await, set([&notes[17]]));
    assert_eq!(found(store, &ada.space, "changed").await.len(), 20);
    assert_eq!(checked(store).await.stale, 0);
    for old in &notes {
        purge(store, &ada, old).await;
    }
    index_all(store).await;
    assert_eq!(test.count("SELECT count(*) FROM search_segments").await, 0, "of nothing there is no index");
    checked(store).await;
}

async fn two_stores_take_turns(test: TestStore) {
    let other = test.database.open().await;
    let stores = [&*test.store, &*other];
    let ada = author(stores[0], "ada").await;
    let step = IndexStep { unchanged_since: later() };
    let mut notes = Vec::new();
    for number in 0..30 {
        let [one, two] = [stores[number % 2], stores[(number + 1) % 2]];
        notes.push(ada.create(one, note(&ada.space, &format!("Needle {number}"))).await);
        assert!(matches!(one.index(step).await.unwrap(), IndexStepResult::Added { .. } | IndexStepResult::Tidied));
        assert_eq!(two.index(step).await.unwrap(), IndexStepResult::Elsewhere);
        assert_eq!(found(two, &ada.space, "needle").await, set(&notes));
        // As if the time of the one were over.
        test.execute("DELETE FROM meta WHERE key = 'indexer'").await;
    }
    index_all(stores[0]).await;
    assert_eq!(found(stores[1], &ada.space, "needle").await, set(&notes));
    checked(stores[1]).await;
}

async fn steps_at_the_same_time_do_no_harm(test: TestStore) {
    let store = Arc::clone(&test.store);
    let ada = author(&*store, "ada").await;
    let writing = async {
        let mut notes = Vec::new();
        for number in 0..60 {
            let made = ada.create(&*store, note(&ada.space, "A note").with_content(&format!("needle {number}"))).await;
            match number % 4 {
                0 => purge(&*store, &ada, &made).await,
                1 => notes.push(ada.change(&*store, &made, ada.rewriting(&made, Some("a needle"))).await.unwrap()),
                _ => notes.push(made),
            }
        }
        notes
    };
    // Of one store: no lease keeps them apart.
    let stepping = async || {
        for _ in 0..100 {
            store.index(IndexStep { unchanged_since: later() }).await.unwrap();
        }
    };
    let (notes, (), ()) = tokio::join!(writing, stepping(), stepping());
    index_all(&*store).await;
    assert_eq!(found(&*store, &ada.space, "needle").await, set(&notes));
    checked(&*store).await;
}

async fn a_search_that_is_out_of_time_says_so(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    ada.create(&*test.store, note(&ada.space, "Needle").with_content("hay")).await;
    let mut query = query(&ada.space, "needle");
    query.checkpoint = Checkpoint::until(Instant::now());
    let late = test.store.search(&query).await;
    assert!(matches!(late, Err(StoreError::OutOfTime)), "{late:?}");
}

async fn a_check_tells_what_was_damaged(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let sound = ada.create(store, note(&ada.space, "Sound").with_content("text")).await;
    let bad = ada.create(store, note(&ada.space, "Bad").with_content("text")).await;
    index_all(store).await;
    checked(store).await;
    let problems = async || store.check().await.unwrap().problems;
    let id = bad.item.id;
    test.execute("UPDATE items SET title = 'Other' WHERE title = 'Bad'").await;
    assert_eq!(problems().await, [CheckProblem::Index(id)]);
    test.execute("UPDATE items SET title = 'Bad', content_lines = 7 WHERE title = 'Other'").await;
    assert_eq!(problems().await, [CheckProblem::Content(id)]);
    test.execute("UPDATE items SET content_lines = 1 WHERE title = 'Bad'").await;
    test.execute("UPDATE versions SET content_bytes = 9 WHERE item IN (SELECT item FROM versions LIMIT 1)").await;
    assert!(matches!(problems().await[..], [CheckProblem::Version { version: 1, .. }]));
    test.execute("UPDATE versions SET content_bytes = 4").await;
    purge(store, &ada, &bad).await;
    assert_eq!(checked(store).await.stale, 0, "who is gone is not counted");
    test.execute("DELETE FROM stale_items").await;
    assert!(matches!(problems().await[..], [CheckProblem::Damage(_)]));
    test.execute("DELETE FROM search_blocks").await;
    assert_eq!(problems().await, [CheckProblem::Index(sound.item.id)]);
}

/// Also where no item must be read: words that are like many take long.
async fn the_index_is_asked_in_time(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    ada.create(store, note(&ada.space, "Running shoes")).await;
    index_all(store).await;
    let query = SearchQuery { checkpoint: Checkpoint::until(Instant::now()), ..query(&ada.space, "absent") };
    assert!(matches!(store.search(&query).await, Err(StoreError::OutOfTime)));
}
