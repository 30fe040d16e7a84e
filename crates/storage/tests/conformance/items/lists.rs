//! `list`: every order and every page of it, against an oracle that sorts in memory.

use std::collections::BTreeSet;

use interline_items::fields::Tag;
use interline_items::{
    CodeKind, Contents, Cursor, Filter, Kind, ListQuery, PageStart, Snapshot, Sort, SortBy, SortOrder, Space, Store,
    TagMatch, View,
};

use crate::fixtures::authors::{Author, author};
use crate::fixtures::list_oracle::{Dice, called, matches, sorted};
use crate::fixtures::samples::{Sample, bookmark, file, note, prompt, tags};
use crate::fixtures::test_store::TestStore;

on_both!(
    an_empty_store_has_an_empty_list,
    every_order_by_offset_is_that_of_the_oracle,
    every_order_by_cursor_is_that_of_the_oracle,
    every_filter_is_that_of_the_oracle,
    contents_are_read_when_asked_for,
    an_offset_past_the_end_is_an_empty_page_with_the_total,
    an_item_without_a_title_sorts_by_its_name_address_or_path,
    a_cursor_stays_where_it_is_when_items_come_and_go,
    a_cursor_of_an_item_that_is_gone_still_works,
    an_item_is_in_exactly_one_view,
    nothing_is_in_no_space_no_kind_and_no_view,
);

const SORTS: [SortBy; 6] =
    [SortBy::CreatedAt, SortBy::UpdatedAt, SortBy::LastUsedAt, SortBy::Title, SortBy::ArchivedAt, SortBy::DeletedAt];
const ORDERS: [SortOrder; 2] = [SortOrder::Ascending, SortOrder::Descending];
pub(crate) const VIEWS: [View; 3] = [View::Active, View::Archived, View::Deleted];

/// All items of a space on one page, newest change first.
pub(crate) fn everything(space: &Space, contents: Contents) -> ListQuery {
    ListQuery {
        filter: whole(space),
        sort: Sort { by: SortBy::UpdatedAt, order: SortOrder::Descending },
        start: PageStart::Offset(0),
        limit: 1_000,
        contents,
    }
}

/// All items of a space.
pub(crate) fn whole(space: &Space) -> Filter {
    Filter {
        spaces: BTreeSet::from([space.id]),
        kinds: BTreeSet::from(Kind::ALL),
        tags: Vec::new(),
        tag_match: TagMatch::All,
        views: BTreeSet::from(VIEWS),
    }
}

/// Fills the store with items of all sorts, of two authors.
async fn fill(store: &dyn Store, authors: [&Author; 2]) -> Vec<Snapshot> {
    let mut dice = Dice::new(20_260_101);
    let mut all = Vec::new();
    let mut writes = Vec::new();
    for number in 0..70 {
        let author = authors[dice.below(2)];
        let sample = dice.item(&author.space, number);
        writes.push(author.creation(&sample));
        all.push(sample);
    }
    store.commit(writes.into_iter().collect()).await.unwrap();
    all
}

/// Every page from the first to the last, each by where the one before says that it starts.
async fn walk(store: &dyn Store, mut query: ListQuery) -> Vec<Snapshot> {
    let mut walked = Vec::new();
    loop {
        let page = store.list(&query).await.unwrap();
        assert!(page.items.len() <= query.limit);
        walked.extend(page.items);
        match page.next {
            Some(next) => query.start = PageStart::After(next),
            None => {
                assert_eq!(page.total, walked.len() as u64, "the total is that of the whole list");
                return walked;
            }
        }
        assert!(walked.len() < 1_000, "the walk does not end");
    }
}

async fn an_empty_store_has_an_empty_list(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let page = test.store.list(&everything(&ada.space, Contents::Read)).await.unwrap();
    assert_eq!((page.items, page.total, page.next), (Vec::new(), 0, None));
}

async fn every_order_by_offset_is_that_of_the_oracle(test: TestStore) {
    let (ada, ben) = (author(&*test.store, "ada").await, author(&*test.store, "ben").await);
    let all = fill(&*test.store, [&ada, &ben]).await;
    for (by, order) in SORTS.iter().flat_map(|by| ORDERS.map(|order| (*by, order))) {
        let sort = Sort { by, order };
        let mut query = ListQuery { sort, limit: 7, ..everything(&ada.space, Contents::Omit) };
        let expected = sorted(&all, &query);
        for offset in (0..=expected.len() + 3).step_by(5) {
            query.start = PageStart::Offset(offset as u64);
            let page = test.store.list(&query).await.unwrap();
            let rest = &expected[offset.min(expected.len())..];
            assert_eq!(page.items, rest[..rest.len().min(7)], "{sort:?} from {offset}");
            assert_eq!(page.total, expected.len() as u64);
            assert_eq!(page.next.is_some(), rest.len() > 7, "{sort:?} from {offset}");
        }
    }
}

async fn every_order_by_cursor_is_that_of_the_oracle(test: TestStore) {
    let (ada, ben) = (author(&*test.store, "ada").await, author(&*test.store, "ben").await);
    let all = fill(&*test.store, [&ada, &ben]).await;
    for (by, order) in SORTS.iter().flat_map(|by| ORDERS.map(|order| (*by, order))) {
        for limit in [1, 2, 9, 69, 70, 1_000] {
            let sort = Sort { by, order };
            let spaces = BTreeSet::from([ada.space.id, ben.space.id]);
            let filter = Filter { spaces, ..whole(&ada.space) };
            let query = ListQuery { filter, sort, limit, ..everything(&ada.space, Contents::Omit) };
            assert_eq!(walk(&*test.store, query.clone()).await, sorted(&all, &query), "{sort:?} by {limit}");
        }
    }
}

async fn every_filter_is_that_of_the_oracle(test: TestStore) {
    let (ada, ben) = (author(&*test.store, "ada").await, author(&*test.store, "ben").await);
    let all = fill(&*test.store, [&ada, &ben]).await;
    let mut dice = Dice::new(7);
    let mut found = 0;
    for _ in 0..200 {
        let mut query = everything(&ada.space, if dice.below(4) == 0 { Contents::Read } else { Contents::Omit });
        query.filter.spaces = dice.some(&[ada.space.id, ben.space.id]);
        query.filter.kinds = dice.some(&Kind::ALL);
        query.filter.views = dice.some(&VIEWS);
        let words: BTreeSet<&str> = dice.some(&["a", "b", "c", "d/e", "nowhere"]);
        query.filter.tags = tags_of(&words.into_iter().take(dice.below(4)).collect::<Vec<_>>());
        query.filter.tag_match = if dice.below(2) == 0 { TagMatch::All } else { TagMatch::Any };
        query.sort = Sort { by: SORTS[dice.below(SORTS.len())], order: ORDERS[dice.below(2)] };
        query.limit = 1 + dice.below(30);
        let walked = walk(&*test.store, query.clone()).await;
        assert_eq!(walked, sorted(&all, &query), "{query:?}");
        found += walked.len();
    }
    assert!(found > 500, "the filters leave {found} items: the test shows little");
}

fn tags_of(words: &[&str]) -> Vec<Tag> {
    tags(words).as_slice().to_vec()
}

async fn contents_are_read_when_asked_for(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let full = ada.create(&*test.store, note(&ada.space, "Full").with_content("text")).await;
    let page = test.store.list(&everything(&ada.space, Contents::Read)).await.unwrap();
    assert_eq!(page.items, std::slice::from_ref(&full));
    let page = test.store.list(&everything(&ada.space, Contents::Omit)).await.unwrap();
    assert_eq!(page.items, [Snapshot { content: None, ..full }]);
}

async fn an_offset_past_the_end_is_an_empty_page_with_the_total(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    ada.create(&*test.store, note(&ada.space, "Only")).await;
    for offset in [1, 2, u64::from(u32::MAX), i64::MAX as u64, u64::MAX] {
        let start = PageStart::Offset(offset);
        let page = test.store.list(&ListQuery { start, ..everything(&ada.space, Contents::Omit) }).await.unwrap();
        assert_eq!((page.items, page.total, page.next), (Vec::new(), 1, None), "{offset}");
    }
}

async fn an_item_without_a_title_sorts_by_its_name_address_or_path(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let named = ada.create(&*test.store, prompt(&ada.space, "greet")).await;
    for sample in [
        note(&ada.space, "Mole"),
        bookmark(&ada.space, "https://e.org/Z"),
        bookmark(&ada.space, "https://e.org/a"),
        file(&ada.space, CodeKind::Module, "Lib/Äther.py", "x = 1\n"),
        file(&ada.space, CodeKind::Module, "lib/zebra.py", "x = 1\n"),
    ] {
        ada.create(&*test.store, sample).await;
    }
    let listed = async || {
        let sort = Sort { by: SortBy::Title, order: SortOrder::Ascending };
        let query = ListQuery { sort, limit: 2, ..everything(&ada.space, Contents::Omit) };
        walk(&*test.store, query)
            .await
            .iter()
            .map(|one| called(&one.item.fields).unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let expected = ["greet", "https://e.org/a", "https://e.org/Z", "lib/zebra.py", "Lib/Äther.py", "Mole"];
    assert_eq!(listed().await, expected);
    // A change of the title moves it, and so does its end.
    let titled = ada.change(&*test.store, &named, ada.retitling(&named, "Zoo")).await.unwrap();
    assert_eq!(listed().await.last().map(String::as_str), Some("Zoo"));
    let mut untitling = ada.retitling(&titled, "");
    untitling.after.fields.title = None;
    ada.change(&*test.store, &titled, untitling).await.unwrap();
    assert_eq!(listed().await, expected);
}

async fn a_cursor_stays_where_it_is_when_items_come_and_go(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    for title in ["b", "d", "f", "h"] {
        ada.create(&*test.store, note(&ada.space, title)).await;
    }
    let sort = Sort { by: SortBy::Title, order: SortOrder::Ascending };
    let mut query = ListQuery { sort, limit: 2, ..everything(&ada.space, Contents::Omit) };
    let first = test.store.list(&query).await.unwrap();
    for title in ["a", "c", "e"] {
        ada.create(&*test.store, note(&ada.space, title)).await;
    }
    query.start = PageStart::After(first.next.expect("a second page"));
    let second = test.store.list(&query).await.unwrap();
    assert_eq!(titles(&second.items), ["e", "f"]);
    assert_eq!(second.total, 7);
}

async fn a_cursor_of_an_item_that_is_gone_still_works(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    for (by, order) in SORTS.iter().flat_map(|by| ORDERS.map(|order| (*by, order))) {
        let author = author(&*test.store, &format!("{by:?} {order:?}")).await;
        let sample = ada.creation(&note(&author.space, "kept"));
        test.store.commit(sample.into()).await.unwrap();
        let query = ListQuery { sort: Sort { by, order }, ..everything(&author.space, Contents::Omit) };
        let gone = Cursor { key: None, id: interline_items::ItemId::generate() };
        let page = test.store.list(&ListQuery { start: PageStart::After(gone), ..query }).await.unwrap();
        // An item without a key comes after all that have one, and after a smaller id.
        let has_key = matches!(by, SortBy::CreatedAt | SortBy::UpdatedAt | SortBy::Title);
        let comes_later = !has_key && order == SortOrder::Descending;
        assert_eq!(page.items.len(), usize::from(comes_later), "{by:?} {order:?}");
        assert_eq!(page.total, 1);
    }
}

fn titles(items: &[Snapshot]) -> Vec<&str> {
    items.iter().map(|listed| listed.item.fields.title.as_ref().map_or("", |title| title.as_str())).collect()
}

async fn an_item_is_in_exactly_one_view(test: TestStore) {
    let (ada, ben) = (author(&*test.store, "ada").await, author(&*test.store, "ben").await);
    let all = fill(&*test.store, [&ada, &ben]).await;
    let mut seen = 0;
    for view in VIEWS {
        let spaces = BTreeSet::from([ada.space.id, ben.space.id]);
        let filter = Filter { spaces, views: BTreeSet::from([view]), ..whole(&ada.space) };
        let query = ListQuery { filter, ..everything(&ada.space, Contents::Omit) };
        let listed = walk(&*test.store, query.clone()).await;
        assert!(!listed.is_empty() && listed.iter().all(|snapshot| matches(&snapshot.item, &query)));
        seen += listed.len();
    }
    assert_eq!(seen, all.len());
}

async fn nothing_is_in_no_space_no_kind_and_no_view(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    ada.create(&*test.store, note(&ada.space, "There")).await;
    let all = whole(&ada.space);
    for filter in [
        Filter { spaces: BTreeSet::new(), ..all.clone() },
        Filter { kinds: BTreeSet::new(), ..all.clone() },
        Filter { views: BTreeSet::new(), ..all.clone() },
    ] {
        let query = ListQuery { filter, ..everything(&ada.space, Contents::Omit) };
        let page = test.store.list(&query).await.unwrap();
        assert_eq!((page.items, page.total, page.next), (Vec::new(), 0, None));
    }
}
