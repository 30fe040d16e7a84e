//! Many edits of one item at once.

use interline_items::{EditRequest, Error, Expectation, ExpectedVersion, Item, ItemRef, TextChange};
use tokio::task::JoinSet;

use super::{of_every_kind, replace};
use crate::world::{World, by_id, code};

/// What the edits answer, in no order.
async fn all_at_once(world: &World, item: &Item, changes: Vec<TextChange>) -> Vec<&'static str> {
    requests_at_once(world, item, changes.into_iter().map(EditRequest::new).collect()).await
}

async fn requests_at_once(world: &World, item: &Item, requests: Vec<EditRequest>) -> Vec<&'static str> {
    let mut tasks: JoinSet<Result<(), Error>> = JoinSet::new();
    for request in requests {
        let (interline, owner, which): (_, _, ItemRef) = (world.interline.clone(), world.owner.clone(), by_id(item));
        tasks.spawn(async move { interline.edit(&owner, &which, request).await.map(|_| ()) });
    }
    tasks.join_all().await.into_iter().map(code).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn of_edits_of_different_passages_none_is_lost() {
    let world = World::new().await;
    let before: String = (0..64).map(|number| format!("<{number}>\n")).collect();
    for item in of_every_kind(&world, &before).await {
        let changes = (0..64).map(|number| replace(&format!("<{number}>"), &format!("({number})"))).collect();
        assert_eq!(all_at_once(&world, &item, changes).await, ["ok"; 64]);
        let after = before.replace('<', "(").replace('>', ")");
        assert_eq!(world.text(&item).await, Some(after));
        assert_eq!(world.item(&item).await.stamp.version, 65);
        assert_eq!(world.history(&item).len(), 65);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn of_edits_of_the_same_passage_one_succeeds() {
    let world = World::new().await;
    for item in of_every_kind(&world, "the only one").await {
        let changes = (0..64).map(|number| replace("only", &format!("{number}th"))).collect();
        let mut outcomes = all_at_once(&world, &item, changes).await;
        outcomes.sort_unstable();
        assert_eq!(outcomes[..63], ["no_match"; 63]);
        assert_eq!(outcomes[63], "ok");
        assert_eq!(world.item(&item).await.stamp.version, 2);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn of_edits_for_one_version_one_succeeds_and_of_those_of_a_deleted_item_none_after() {
    let world = World::new().await;
    let before: String = (0..64).map(|number| format!("<{number}>\n")).collect();
    let requests = |expected| -> Vec<EditRequest> {
        let request = |number| EditRequest { expected, ..EditRequest::new(replace(&format!("<{number}>"), "x")) };
        (0..64).map(request).collect()
    };
    for item in of_every_kind(&world, &before).await {
        let expected = ExpectedVersion::Exactly(1, Expectation::ExpectedVersion);
        let mut outcomes = requests_at_once(&world, &item, requests(expected)).await;
        outcomes.sort_unstable();
        assert_eq!(outcomes[..63], ["conflict"; 63]);
        assert_eq!(outcomes[63], "ok");
    }
    for item in of_every_kind(&world, &before).await {
        let which = by_id(&item);
        let delete = world.interline.delete(&world.owner, &which, ExpectedVersion::Any);
        let (outcomes, deleted) = tokio::join!(requests_at_once(&world, &item, requests(ExpectedVersion::Any)), delete);
        assert!(outcomes.iter().all(|outcome| ["ok", "not_found"].contains(outcome)), "{outcomes:?}");
        let edits = outcomes.iter().filter(|outcome| **outcome == "ok").count() as u64;
        assert_eq!(world.item(&item).await.stamp.version, 1 + edits);
        assert_eq!(deleted.unwrap().stamp.version, 1 + edits, "what came after it found nothing");
    }
}

#[tokio::test]
async fn no_request_waits_for_a_long_edit_of_another() {
    let world = World::new().await;
    let long = "some words in a line that is nothing like it\n".repeat(20_000);
    for item in of_every_kind(&world, &long).await {
        let edit_request = EditRequest::new(replace("other words of a line\nthat are nowhere", "x"));
        let reads = async {
            for _ in 0..10 {
                assert_eq!(world.item(&item).await, item);
            }
        };
        // On one thread, and the edit is looked after first.
        tokio::select! {
            biased;
            edited = super::request(&world, &item, edit_request) => panic!("{edited:?}"),
            () = reads => {}
        }
    }
}
