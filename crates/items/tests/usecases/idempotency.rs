//! Idempotency keys: writes that are sent again.

use interline_items::{
    Caller, EditRequest, Error, Expectation, ExpectedVersion, IdempotencyKeyProblem, IdempotentRequest,
    IdempotentStart, Kind, OnStale, PassageChange, Rank, TextChange, WriteOutcome,
};
use rusqlite::Connection;

use crate::samples::{content, note, note_of, tag, tagged, title, token};
use crate::world::{World, by_id, code};

fn write(key: &str, body: &str) -> IdempotentRequest {
    let answer = |outcome: &WriteOutcome<'_>| match outcome {
        WriteOutcome::Created(item) => format!("created {}", item.stamp.version),
        WriteOutcome::Changed(item) => format!("changed {}", item.stamp.version),
        WriteOutcome::Merged(item, from) => {
            format!("merged {} of {} and {}", item.stamp.version, from.base, from.theirs)
        }
        WriteOutcome::Edited(edited) => format!("edited line {:?}", edited.line),
        WriteOutcome::Removed(_) => "removed".to_owned(),
        WriteOutcome::Retagged(items) => format!("retagged {items}"),
    };
    IdempotentRequest::parse(key, &[body.as_bytes()], answer).unwrap()
}

impl World {
    async fn begin(&self, key: &str, body: &str) -> Result<IdempotentStart, Error> {
        self.interline.begin(self.owner.clone(), write(key, body)).await
    }

    async fn first(&self, key: &str) -> Caller {
        match self.begin(key, "body").await.unwrap() {
            IdempotentStart::First(caller) => caller,
            IdempotentStart::Replay(answer) => panic!("{key} was answered: {answer}"),
        }
    }

    async fn repeated(&self, key: &str) -> String {
        match self.begin(key, "body").await.unwrap() {
            IdempotentStart::Replay(answer) => answer,
            IdempotentStart::First(_) => panic!("{key} has no stored answer"),
        }
    }
}

/// What is wrong with the key of a request that was refused for it.
fn key_problem<T>(outcome: Result<T, Error>) -> IdempotencyKeyProblem {
    match outcome.map(|_| ()) {
        Err(Error::InvalidIdempotencyKey(problem)) => problem,
        other => panic!("{other:?} is no refusal of a key"),
    }
}

#[tokio::test]
async fn every_write_is_stored_with_its_answer() {
    let world = World::new().await;
    let interline = &world.interline;
    let item = interline.create(&world.first("create").await, Kind::Note, tagged(note_of("a\nb"), &["x"])).await;
    let which = by_id(&item.unwrap().item);
    let any = ExpectedVersion::Any;
    interline.update(&world.first("update").await, &which, any, title("New")).await.unwrap();
    let replace = PassageChange { old_str: "b".to_owned(), new_str: "c".to_owned(), expected_matches: 1 };
    let request = EditRequest::new(TextChange::Replace(replace));
    interline.edit(&world.first("edit").await, &which, request).await.unwrap();
    let (base, merge) = (ExpectedVersion::Exactly(1, Expectation::ExpectedVersion), Some(OnStale::Merge));
    interline.update_or_merge(&world.first("merge").await, &which, base, merge, content("0\na\nb")).await.unwrap();
    let same = content("0\na\nc");
    interline.update_or_merge(&world.first("same").await, &which, base, merge, same).await.unwrap();
    interline.archive(&world.first("archive").await, &which, any).await.unwrap();
    interline.rename_tag(&world.first("rename").await, &tag("x"), &tag("y")).await.unwrap();
    interline.delete(&world.first("delete").await, &which, any).await.unwrap();
    interline.purge(&world.first("purge").await, &which, any).await.unwrap();
    for (key, answer) in [
        ("create", "created 1"),
        ("update", "changed 2"),
        ("edit", "edited line Some(2)"),
        ("merge", "merged 4 of 1 and 3"),
        ("same", "changed 4"),
        ("archive", "changed 4"),
        ("rename", "retagged 1"),
        ("delete", "removed"),
        ("purge", "removed"),
    ] {
        assert_eq!(world.repeated(key).await, answer);
    }
}

#[tokio::test]
async fn a_key_stands_for_one_request_of_one_user() {
    let world = World::new().await;
    world.interline.create(&world.first("key").await, Kind::Note, note("a")).await.unwrap();
    assert_eq!(key_problem(world.begin("key", "another body").await), IdempotencyKeyProblem::Reused);
    let other = world.user("other", Rank::Member).await;
    let begun = world.interline.begin(other, write("key", "another body")).await;
    assert!(matches!(begun, Ok(IdempotentStart::First(_))), "{begun:?}");
}

#[tokio::test]
async fn a_write_that_is_in_flight_is_not_begun_again() {
    let world = World::new().await;
    let first = world.first("key").await;
    assert_eq!(code(world.begin("key", "body").await), "conflict");
    drop(first);
    world.first("key").await;
}

#[tokio::test]
async fn another_process_with_the_same_key_loses_and_writes_nothing() {
    let world = World::new().await;
    let other_process = world.limited(interline_items::fields::Limits::default());
    let mine = world.first("key").await;
    let IdempotentStart::First(theirs) = other_process.begin(world.owner.clone(), write("key", "body")).await.unwrap()
    else {
        panic!("nothing was written yet");
    };
    world.interline.create(&mine, Kind::Note, note("a")).await.unwrap();
    assert_eq!(code(other_process.create(&theirs, Kind::Note, note("a")).await), "conflict");
    drop((mine, theirs));
    assert_eq!(world.repeated("key").await, "created 1");
}

#[tokio::test]
async fn failures_are_not_stored() {
    let world = World::new().await;
    let refused = world.interline.create(&world.first("key").await, Kind::Note, note(" ")).await;
    assert_eq!(code(refused), "validation_failed");
    world.first("key").await;
}

#[tokio::test]
async fn a_write_that_changed_nothing_changes_nothing_later_either() {
    let world = World::new().await;
    let interline = &world.interline;
    let item = world.create(Kind::Note, note_of("same")).await;
    let (which, any) = (by_id(&item), ExpectedVersion::Any);
    interline.update(&world.first("update").await, &which, any, title("Plan")).await.unwrap();
    interline.unarchive(&world.first("unarchive").await, &which, any).await.unwrap();
    let same = PassageChange { old_str: "same".to_owned(), new_str: "same".to_owned(), expected_matches: 1 };
    let request = EditRequest::new(TextChange::Replace(same));
    interline.edit(&world.first("edit").await, &which, request).await.unwrap();
    interline.restore_version(&world.first("restore").await, &which, 1, any).await.unwrap();
    assert_eq!(world.item(&item).await.stamp, item.stamp);
    for (key, answer) in
        [("update", "changed 1"), ("unarchive", "changed 1"), ("edit", "edited line Some(1)"), ("restore", "changed 1")]
    {
        assert_eq!(world.repeated(key).await, answer);
    }
}

#[tokio::test]
async fn another_token_cannot_have_the_answer() {
    let world = World::new().await;
    world.interline.create(&world.first("key").await, Kind::Note, note("secret")).await.unwrap();
    let other = world.narrowed(token()).await;
    let begun = world.interline.begin(other, write("key", "body")).await;
    assert_eq!(key_problem(begun), IdempotencyKeyProblem::Reused);
}

#[tokio::test]
async fn after_a_day_a_key_is_free_again() {
    let world = World::new().await;
    world.interline.create(&world.first("key").await, Kind::Note, note("a")).await.unwrap();
    let day = 24 * 60 * 60 * 1_000_000_i64;
    let connection = Connection::open(world.file()).unwrap();
    assert_eq!(connection.execute("UPDATE idempotency SET at = at - ?1", [day + 1]).unwrap(), 1);
    world.interline.create(&world.first("key").await, Kind::Note, note("b")).await.unwrap();
    assert_eq!(world.repeated("key").await, "created 1");
}

#[test]
fn a_key_is_short_and_visible() {
    let parse = |key: &str| IdempotentRequest::parse(key, &[], |_| String::new()).map(|_| ());
    for key in ["", "two words", "ümlaut", "tab\t", &"x".repeat(256)] {
        assert_eq!(key_problem(parse(key)), IdempotencyKeyProblem::Malformed { max_chars: 255 }, "{key}");
    }
    parse(&"x".repeat(255)).unwrap();
}
