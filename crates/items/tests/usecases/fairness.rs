//! Fairness: the work of one user leaves threads, searches and reads to others.

use std::collections::{BTreeMap, BTreeSet};

use interline_items::fair::pool_places;
use interline_items::{
    Caller, Case, CodeKind, CodeScope, Contents, Error, Filter, FindItems, ItemDraft, ItemRef, Kind, OverloadCause,
    Overloaded, PageStart, QuerySyntax, Rank, ReadContent, SearchField, SearchFiles, SearchInside, TagCountFilter,
    TagMatch, TextFilter, View,
};
use tokio::task::JoinSet;

use crate::samples::{note_of, prompt};
use crate::world::{World, by_id, code, set};

/// How many requests the hostile user has in flight.
const REQUESTS: usize = 16;
/// How many of them must still be in flight when the other user is answered: each takes seconds, and a few run at a time.
const UNANSWERED: usize = REQUESTS - 4;

/// An expression whose automaton has thousands of states, each of which takes part at each byte of [`hostile_text`].
const HOSTILE: &str = "[a-z]{0,999}[a-z]{0,999}$";

fn hostile_text() -> String {
    "aaaaaaaaab".repeat(200_000)
}

fn hostile_search_inside() -> SearchInside {
    SearchInside {
        query: HOSTILE.to_owned(),
        syntax: QuerySyntax::Regex,
        case: Case::Sensitive,
        fields: set([SearchField::Content]),
        context_lines: 0,
        limit: 1,
    }
}

fn find(text: TextFilter) -> FindItems {
    let order = text.order(None, None).unwrap();
    let filter = Filter {
        spaces: BTreeSet::new(),
        kinds: set([Kind::Note]),
        tags: Vec::new(),
        tag_match: TagMatch::All,
        views: set([View::Active]),
    };
    FindItems { text, filter, order, start: PageStart::Offset(0), limit: 10, contents: Contents::Omit }
}

/// A world with a hostile item of its owner, and another user with a prompt.
async fn world_of_two() -> (World, ItemRef, Caller, ItemRef) {
    let world = World::new().await;
    let item = world.create(Kind::Note, note_of(&hostile_text())).await;
    let other = world.user("bystander", Rank::Member).await;
    let draft: ItemDraft = prompt("greeting", "Hello", &[]);
    let made = world.interline.create(&other, Kind::Prompt, draft).await.unwrap().item;
    (world, by_id(&item), other, by_id(&made))
}

#[tokio::test(flavor = "multi_thread")]
async fn endless_searches_in_an_item_leave_threads_to_others() {
    let (world, hostile, other, prompt) = world_of_two().await;
    let mut requests = JoinSet::new();
    for _ in 0..REQUESTS {
        let (interline, owner, hostile) = (world.interline.clone(), world.owner.clone(), hostile.clone());
        requests.spawn(async move { interline.search_inside(&owner, &hostile, hostile_search_inside()).await });
    }
    for _ in 0..10 {
        let rendered = world.interline.render(&other, &prompt, BTreeMap::new()).await.unwrap();
        assert_eq!(rendered, "Hello");
    }
    let answered = std::iter::from_fn(|| requests.try_join_next()).count();
    assert!(answered <= REQUESTS - UNANSWERED, "the bystander waited for {answered} of {REQUESTS} requests");
}

/// Its own endless searches keep it waiting, which says nothing about its expression.
#[tokio::test(flavor = "multi_thread")]
async fn the_time_that_a_search_in_an_item_waited_does_not_count() {
    let (world, hostile, ..) = world_of_two().await;
    let short = by_id(&world.create(Kind::Note, note_of("short")).await);
    let mut endless = JoinSet::new();
    for _ in 0..pool_places() {
        let (interline, owner, hostile) = (world.interline.clone(), world.owner.clone(), hostile.clone());
        endless.spawn(async move { interline.search_inside(&owner, &hostile, hostile_search_inside()).await });
    }
    // Those with a place are answered first; as many wait.
    assert_eq!(code(endless.join_next().await.unwrap().unwrap()), "invalid_pattern");
    let search = SearchInside { query: "s.*t".to_owned(), ..hostile_search_inside() };
    let found = world.interline.search_inside(&world.owner, &short, search).await.unwrap();
    assert_eq!(found.total_matches, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn endless_searches_leave_it_to_others_to_be_told_that_an_expression_is_wrong() {
    let (world, ..) = world_of_two().await;
    let mut requests = JoinSet::new();
    for _ in 0..REQUESTS {
        let (interline, owner) = (world.interline.clone(), world.owner.clone());
        let hostile = find(TextFilter::parse(None, Some(HOSTILE)).unwrap());
        requests.spawn(async move { interline.find_items(&owner, hostile).await });
    }
    let wrong = SearchFiles {
        scope: CodeScope { kind: CodeKind::Module, app: None, organization: None },
        pattern: "(".to_owned(),
        syntax: QuerySyntax::Regex,
        case: Case::Sensitive,
        path: None,
        path_prefix: None,
        context_lines: 0,
        limit: 1,
    };
    for _ in 0..10 {
        assert_eq!(code(world.interline.search_code(&world.owner, wrong.clone()).await), "invalid_pattern");
    }
    let answered = std::iter::from_fn(|| requests.try_join_next()).count();
    assert!(answered <= REQUESTS - UNANSWERED, "it waited for {answered} of {REQUESTS} searches");
}

#[tokio::test(flavor = "multi_thread")]
async fn endless_searches_of_all_items_leave_lists_searches_and_events_to_others() {
    let (world, _, other, _) = world_of_two().await;
    let mut requests = JoinSet::new();
    for _ in 0..REQUESTS {
        let (interline, owner) = (world.interline.clone(), world.owner.clone());
        let hostile = find(TextFilter::parse(None, Some(HOSTILE)).unwrap());
        requests.spawn(async move { interline.find_items(&owner, hostile).await });
    }
    for _ in 0..10 {
        world.interline.find_items(&other, find(TextFilter::Everything)).await.unwrap();
        world.interline.find_items(&other, find(TextFilter::parse(Some("word"), None).unwrap())).await.unwrap();
        world.interline.tags(&other, &TagCountFilter::default()).await.unwrap();
        // The hostile user's own lists do not wait for its searches either.
        world.interline.find_items(&world.owner, find(TextFilter::Everything)).await.unwrap();
    }
    let answered = std::iter::from_fn(|| requests.try_join_next()).count();
    assert!(answered <= REQUESTS - UNANSWERED, "the bystander waited for {answered} of {REQUESTS} requests");
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_of_long_contents_wait_in_a_queue_of_their_own_user() {
    // More than twice as many as may wait: some have ended before all are queued.
    const READS: usize = 600;
    let (world, ..) = world_of_two().await;
    let long = world.create(Kind::Note, note_of(&"a line of text\n".repeat(300_000))).await;
    let (interline, long) = (&world.interline, by_id(&long));
    let mut reads = JoinSet::new();
    for _ in 0..READS {
        let (interline, owner, long) = (interline.clone(), world.owner.clone(), long.clone());
        reads.spawn(async move { interline.read(&owner, &long, ReadContent::Whole).await });
    }
    let all = reads.join_all().await;
    let is_refused = |read: &&Result<_, Error>| {
        matches!(read, Err(Error::Overloaded(Overloaded { cause: OverloadCause::Caller, .. })))
    };
    let refused = all.iter().filter(is_refused).count();
    assert!(refused > 0 && all.iter().filter(|read| read.is_ok()).count() == READS - refused, "{refused} refused");
    assert!(interline.read(&world.owner, &long, ReadContent::Whole).await.is_ok(), "the queue is empty again");
}
