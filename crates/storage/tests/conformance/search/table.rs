//! The table of queries holds however much of the items is indexed.

use std::collections::BTreeMap;
use std::sync::Arc;

use interline_items::fields::Tag;
use interline_items::search::{SearchOrder, SearchQuery, SearchResults};
use interline_items::{
    Action, Case, ContentWrite, Filter, ItemId, ItemWrite, Kind, PageStart, Snapshot, Sort, SortBy, SortOrder,
    TagMatch, View,
};
use interline_search::{QueryError, Search};

use super::corpus::{corpus, of_another};
use super::oracle::Query;
use super::rows::{EXPRESSIONS, NOTHING, QUERIES, UNWANTED};
use super::{active, complete, looking_for, shows_where, sound, texts, walk};
use crate::fixtures::authors::{Author, author, stranger};
use crate::fixtures::samples::{Sample, note, tags, title};
use crate::fixtures::test_store::TestStore;
use crate::items::lists::whole;

on_both!(
    the_table_holds_while_nothing_is_indexed,
    the_table_holds_when_everything_is_indexed,
    the_table_holds_where_a_third_is_indexed_a_third_edited_since_and_a_third_new,
    the_table_holds_when_edits_are_indexed,
    filters_narrow_what_is_found,
    what_is_found_can_be_sorted,
    among_equal_matches_the_views_are_in_their_order,
    pages_do_not_overlap_and_leave_nothing_out,
);

/// A store with the corpus.
struct Table {
    test: TestStore,
    ada: Author,
    ben: Author,
    labels: BTreeMap<ItemId, &'static str>,
}

/// How the corpus comes into the store.
#[derive(Clone, Copy, PartialEq)]
enum Filled {
    NotIndexed,
    IndexStepResult,
    /// Of three items, one was indexed, one was edited since and one is new.
    HalfIndexed,
}

impl Table {
    async fn new(test: TestStore, filled: Filled) -> Table {
        let (ada, ben) = (author(&*test.store, "ada").await, author(&*test.store, "ben").await);
        let mut entries = corpus(&ada.space);
        entries.push(of_another(&ben.space));
        let labels = entries.iter().map(|entry| (entry.sample.item.id, entry.label)).collect();
        let is_half = filled == Filled::HalfIndexed;
        let (mut first, mut then) = (Vec::new(), Vec::new());
        for (index, entry) in entries.iter().enumerate() {
            match index % 3 {
                0 if is_half => then.push(ada.creation(&entry.sample)),
                1 if is_half => {
                    let before = before(&entry.sample);
                    first.push(ada.creation(&before));
                    then.push(becoming(&ada, &before, &entry.sample));
                }
                _ => first.push(ada.creation(&entry.sample)),
            }
        }
        test.store.commit(first.into_iter().collect()).await.unwrap();
        if filled != Filled::NotIndexed {
            complete(&*test.store).await;
        }
        test.store.commit(then.into_iter().collect()).await.unwrap();
        Table { test, ada, ben, labels }
    }

    fn of_ada(&self) -> Filter {
        active(whole(&self.ada.space))
    }

    fn labels(&self, page: &SearchResults) -> Vec<&'static str> {
        page.items.iter().map(|found| self.labels[&found.snapshot.item.id]).collect()
    }

    async fn search(&self, query: &SearchQuery) -> Vec<&'static str> {
        let page = self.test.store.search(query).await.unwrap();
        assert_eq!((page.total, page.next.is_some()), (page.items.len() as u64, false));
        page.items.iter().for_each(shows_where);
        self.labels(&page)
    }

    /// What the table says is what is found.
    async fn holds(&self) {
        let mut wrong = Vec::new();
        for (query, expected) in QUERIES {
            let found = self.search(&looking_for(query, self.of_ada())).await;
            if found != *expected {
                wrong.push(format!("{query:?} finds {found:?}, not {expected:?}"));
            }
        }
        for (expression, expected) in EXPRESSIONS {
            let search = Arc::new(Search::regex(expression, Case::Sensitive).unwrap());
            let order = SearchOrder::Sorted(Sort { by: SortBy::UpdatedAt, order: SortOrder::Descending });
            let found = self.search(&SearchQuery { search, order, ..looking_for("x", self.of_ada()) }).await;
            if found != *expected {
                wrong.push(format!("/{expression}/ finds {found:?}, not {expected:?}"));
            }
        }
        assert!(wrong.is_empty(), "{} rows are wrong:\n{}", wrong.len(), wrong.join("\n"));
    }
}

/// The item as it was before it became what the table is about. It has words that are looked for.
fn before(sample: &Snapshot) -> Snapshot {
    let mut before = sample.clone().with_content("run edit useState c++ % 東京 🚀 needle\nthe user_id or not\n");
    before.item.fields.title = Some(title("Before the run: node.js"));
    before.item.fields.description = None;
    before.item.fields.tags = tags(&["code", "food"]);
    (before.item.archived_at, before.item.deleted_at) = (None, None);
    before
}

fn becoming(author: &Author, before: &Snapshot, sample: &Snapshot) -> ItemWrite {
    let mut after = sample.item.clone();
    after.stamp.version = 2;
    ItemWrite {
        before: Some(before.item.stamp),
        after,
        content: ContentWrite::Set { old: before.content.clone(), new: sample.content.clone() },
        record: author.record(Action::Update, sample.item.updated_at),
    }
}

async fn the_table_holds_while_nothing_is_indexed(test: TestStore) {
    let table = Table::new(test, Filled::NotIndexed).await;
    table.holds().await;
    sound(&*table.test.store).await;
}

async fn the_table_holds_when_everything_is_indexed(test: TestStore) {
    let table = Table::new(test, Filled::IndexStepResult).await;
    table.holds().await;
    sound(&*table.test.store).await;
}

async fn the_table_holds_where_a_third_is_indexed_a_third_edited_since_and_a_third_new(test: TestStore) {
    let table = Table::new(test, Filled::HalfIndexed).await;
    table.holds().await;
    sound(&*table.test.store).await;
}

async fn the_table_holds_when_edits_are_indexed(test: TestStore) {
    let table = Table::new(test, Filled::HalfIndexed).await;
    complete(&*table.test.store).await;
    table.holds().await;
    sound(&*table.test.store).await;
}

/// The rows are right: a reader of the contract who is a program says the same.
#[test]
fn the_table_is_that_of_the_oracle() {
    let entries = corpus(&stranger("ada").space);
    let is_active = |sample: &Snapshot| View::from_item(&sample.item) == View::Active;
    let mut wrong = Vec::new();
    for (text, expected) in QUERIES {
        let query = Query::parse(text).unwrap().unwrap();
        let active = entries.iter().filter(|entry| is_active(&entry.sample));
        let scored = active.filter_map(|entry| Some((query.score(&texts(&entry.sample))?, entry)));
        let mut found: Vec<_> = scored.map(|(score, entry)| (score, entry.sample.item.id, entry.label)).collect();
        found.sort_unstable_by_key(|(score, id, _)| std::cmp::Reverse((*score, *id)));
        if !found.iter().map(|(.., label)| label).eq(*expected) {
            wrong.push(format!("{text:?} finds {found:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} rows are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(QUERIES.len() >= 130);
}

#[test]
fn what_says_nothing_or_too_much_is_no_search() {
    for query in NOTHING {
        assert!(matches!(Search::parse(query), Ok(None)), "{query:?}");
    }
    for query in UNWANTED {
        assert!(matches!(Search::parse(query), Err(QueryError::OnlyExcluded)), "{query:?}");
    }
    let words = |count: usize| "run ".repeat(count);
    assert!(matches!(Search::parse(&words(50)), Ok(Some(_))));
    assert!(matches!(Search::parse(&words(51)), Err(QueryError::TooManyTerms { actual: 51 })));
    assert!(matches!(Search::parse(&"é".repeat(1_000)), Ok(Some(_))));
    assert!(matches!(Search::parse(&"é".repeat(1_001)), Err(QueryError::TooLong { actual: 1_001 })));
    assert!(matches!(Search::parse(&"word ".repeat(10_000)), Err(QueryError::TooLong { .. })));
}

async fn filters_narrow_what_is_found(test: TestStore) {
    let table = Table::new(test, Filled::HalfIndexed).await;
    let all = whole(&table.ada.space);
    let viewed = |views: &[View]| Filter { views: views.iter().copied().collect(), ..all.clone() };
    let of_kinds = |kinds: &[Kind]| Filter { kinds: kinds.iter().copied().collect(), ..table.of_ada() };
    let tagged = |words: &[&str], tag_match| {
        let tags = words.iter().map(|word| Tag::from_stored((*word).to_owned())).collect();
        Filter { tags, tag_match, ..table.of_ada() }
    };
    let both = Filter { spaces: [table.ada.space.id, table.ben.space.id].into(), ..table.of_ada() };
    let rows: [(&str, Filter, &[&str]); 23] = [
        ("run", all.clone(), &["trashed", "running", "archived", "run"]),
        ("run", viewed(&[View::Archived]), &["archived"]),
        ("run", viewed(&[View::Deleted]), &["trashed"]),
        ("run", viewed(&[View::Active, View::Deleted]), &["trashed", "running", "run"]),
        ("log", viewed(&[View::Archived, View::Deleted]), &["archived"]),
        ("run", viewed(&[]), &[]),
        ("the", of_kinds(&[Kind::Bookmark]), &["rust"]),
        ("the", of_kinds(&[Kind::Prompt]), &["summarize"]),
        ("the", of_kinds(&[Kind::Bookmark, Kind::Prompt]), &["rust", "summarize"]),
        ("https", of_kinds(&[Kind::Note]), &[]),
        ("https", of_kinds(&[Kind::Bookmark]), &["docs", "rust", "mail", "menu"]),
        ("rust", tagged(&["code"], TagMatch::All), &["rust", "react"]),
        ("rust", tagged(&["code", "rust"], TagMatch::All), &["rust"]),
        ("rust", tagged(&["react", "rust"], TagMatch::Any), &["rust", "react"]),
        ("rust", tagged(&["react", "rust"], TagMatch::All), &[]),
        ("%", tagged(&["db", "shop"], TagMatch::Any), &["percent", "sql"]),
        ("%", tagged(&["code", "db"], TagMatch::All), &["sql"]),
        ("%", tagged(&["food"], TagMatch::All), &[]),
        ("cafe", tagged(&["food"], TagMatch::All), &["menu", "cafe"]),
        ("node", tagged(&["code"], TagMatch::All), &["node"]),
        ("run", active(whole(&table.ben.space)), &["elsewhere"]),
        ("run", both.clone(), &["running", "elsewhere", "run"]),
        ("run", Filter { spaces: [].into(), ..both }, &[]),
    ];
    for indexed in ["half", "all"] {
        for (query, filter, expected) in &rows {
            let found = table.search(&looking_for(query, filter.clone())).await;
            assert_eq!(found, *expected, "{query:?} with {filter:?}, {indexed} of it indexed");
        }
        complete(&*table.test.store).await;
    }
}

async fn what_is_found_can_be_sorted(test: TestStore) {
    let table = Table::new(test, Filled::HalfIndexed).await;
    let (up, down) = (SortOrder::Ascending, SortOrder::Descending);
    let by = |by: SortBy, order: SortOrder| SearchOrder::Sorted(Sort { by, order });
    let rows: [(&str, SearchOrder, &[&str]); 13] = [
        ("run OR edit", SearchOrder::Relevance(down), &["running", "run", "many", "editor"]),
        ("run OR edit", SearchOrder::Relevance(up), &["editor", "many", "run", "running"]),
        ("%", SearchOrder::Relevance(up), &["sql", "percent"]),
        ("run OR edit", by(SortBy::CreatedAt, up), &["running", "run", "many", "editor"]),
        ("run OR edit", by(SortBy::CreatedAt, down), &["editor", "many", "run", "running"]),
        ("run OR edit", by(SortBy::UpdatedAt, up), &["editor", "many", "run", "running"]),
        ("run OR edit", by(SortBy::UpdatedAt, down), &["running", "run", "many", "editor"]),
        ("run OR edit", by(SortBy::Title, up), &["many", "run", "running", "editor"]),
        ("run OR edit", by(SortBy::Title, down), &["editor", "running", "run", "many"]),
        ("run OR edit", by(SortBy::LastUsedAt, up), &["run", "many", "running", "editor"]),
        ("run OR edit", by(SortBy::LastUsedAt, down), &["many", "run", "editor", "running"]),
        ("user", by(SortBy::Title, up), &["docs", "sql", "path"]),
        ("user", by(SortBy::Title, down), &["path", "sql", "docs"]),
    ];
    for indexed in ["half", "all"] {
        for (query, order, expected) in rows {
            let query = SearchQuery { order, ..looking_for(query, table.of_ada()) };
            assert_eq!(table.search(&query).await, expected, "{order:?}, {indexed} of it indexed");
            for limit in 1..=expected.len() {
                let walked = walk(&*table.test.store, SearchQuery { limit, ..query.clone() }).await;
                let walked: Vec<_> = walked.iter().map(|found| table.labels[&found.snapshot.item.id]).collect();
                assert_eq!(walked, expected, "{order:?} in pages of {limit}, {indexed} of it indexed");
            }
        }
        complete(&*table.test.store).await;
    }
}

async fn among_equal_matches_the_views_are_in_their_order(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let store = &*test.store;
    let (mut ids, mut better) = (Vec::new(), Vec::new());
    for number in 0..12 {
        let sample = note(&ada.space, if number % 4 == 0 { "wool wool" } else { "wool" });
        let sample = if number % 4 == 0 { sample.with_content("wool") } else { sample };
        let made = ada.create(store, sample).await;
        let write = match number % 3 {
            0 => ada.deleting(&made),
            1 => ada.archiving(&made),
            _ => ada.retitling(&made, made.item.fields.title.as_ref().map_or("", |title| title.as_str())),
        };
        let made = ada.change(store, &made, write).await.unwrap();
        let place = (View::from_item(&made.item), made.item.id);
        if number % 4 == 0 {
            better.push(place);
        } else {
            ids.push(place);
        }
        if number == 6 {
            complete(store).await;
        }
    }
    for order in [SortOrder::Ascending, SortOrder::Descending] {
        for places in [&mut ids, &mut better] {
            places.sort_by(|a, b| {
                let by_id = a.1.cmp(&b.1);
                a.0.cmp(&b.0).then(if order == SortOrder::Ascending { by_id } else { by_id.reverse() })
            });
        }
        let expected = match order {
            SortOrder::Ascending => [&ids[..], &better].concat(),
            SortOrder::Descending => [&better[..], &ids].concat(),
        };
        for limit in [1, 2, 5, 12] {
            let order = SearchOrder::Relevance(order);
            let query = SearchQuery { order, limit, ..looking_for("wool", whole(&ada.space)) };
            let walked = walk(store, query).await;
            let walked = walked.iter().map(|found| &found.snapshot.item);
            let walked: Vec<_> = walked.map(|item| (View::from_item(item), item.id)).collect();
            assert_eq!(walked, expected, "{order:?} in pages of {limit}");
        }
    }
}

async fn pages_do_not_overlap_and_leave_nothing_out(test: TestStore) {
    let table = Table::new(test, Filled::HalfIndexed).await;
    for (text, expected) in QUERIES.iter().filter(|(_, expected)| expected.len() > 2) {
        for limit in [1, 2, 5] {
            let query = SearchQuery { limit, ..looking_for(text, table.of_ada()) };
            let walked = walk(&*table.test.store, query.clone()).await;
            let walked: Vec<_> = walked.iter().map(|found| table.labels[&found.snapshot.item.id]).collect();
            assert_eq!(walked, *expected, "{text:?} by cursors");
            let mut paged = Vec::new();
            for offset in (0..=expected.len()).step_by(limit) {
                let query = SearchQuery { start: PageStart::Offset(offset as u64), ..query.clone() };
                let page = table.test.store.search(&query).await.unwrap();
                assert_eq!(page.total, expected.len() as u64);
                assert_eq!(page.next.is_some(), offset + limit < expected.len(), "{text:?} from {offset}");
                paged.extend(table.labels(&page));
            }
            assert_eq!(paged, *expected, "{text:?} by offsets");
        }
    }
}
