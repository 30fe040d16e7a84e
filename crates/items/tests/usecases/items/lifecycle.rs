//! Archiving, deleting and their way back.

use interline_items::{Caller, Error, Expectation, ExpectedVersion, Interline, Item, Kind, ReadContent, Stamp, View};

use crate::samples::{bookmark, by_name, greeting, note, note_of, title};
use crate::world::{World, by_id, code};

#[derive(Clone, Copy, Debug)]
enum Step {
    Archive,
    Unarchive,
    Delete,
    Restore,
}

impl Step {
    async fn take(self, interline: &Interline, caller: &Caller, item: &Item) -> Result<Item, Error> {
        self.take_expecting(interline, caller, item, ExpectedVersion::Any).await
    }

    async fn take_expecting(
        self,
        interline: &Interline,
        caller: &Caller,
        item: &Item,
        expected: ExpectedVersion,
    ) -> Result<Item, Error> {
        let which = by_id(item);
        match self {
            Step::Archive => interline.archive(caller, &which, expected).await,
            Step::Unarchive => interline.unarchive(caller, &which, expected).await,
            Step::Delete => interline.delete(caller, &which, expected).await,
            Step::Restore => interline.restore(caller, &which, expected).await,
        }
    }
}

#[tokio::test]
async fn every_step_from_every_state_leads_where_the_contract_says() {
    use Step::{Archive, Delete, Restore, Unarchive};
    let world = World::new().await;
    // The steps to a state, the step from there, and where it leads; `None` where there is no item for it.
    let cases: [(&[Step], Step, Option<View>); 16] = [
        (&[], Archive, Some(View::Archived)),
        (&[], Unarchive, Some(View::Active)),
        (&[], Delete, Some(View::Deleted)),
        (&[], Restore, Some(View::Active)),
        (&[Archive], Archive, Some(View::Archived)),
        (&[Archive], Unarchive, Some(View::Active)),
        (&[Archive], Delete, Some(View::Deleted)),
        (&[Archive], Restore, Some(View::Archived)),
        (&[Delete], Archive, None),
        (&[Delete], Unarchive, None),
        (&[Delete], Delete, None),
        (&[Delete], Restore, Some(View::Active)),
        (&[Archive, Delete], Archive, None),
        (&[Archive, Delete], Unarchive, None),
        (&[Archive, Delete], Delete, None),
        (&[Archive, Delete], Restore, Some(View::Archived)),
    ];
    for (before, step, expected) in cases {
        let item = world.create(Kind::Note, note_of("x")).await;
        for step in before {
            step.take(&world.interline, &world.owner, &item).await.unwrap();
        }
        let then = world.item(&item).await;
        let outcome = step.take(&world.interline, &world.owner, &item).await;
        let now = world.item(&item).await;
        match (outcome, expected) {
            (Ok(answer), Some(view)) => {
                let changes = u64::from(View::from_item(&then) != view);
                assert_eq!(answer, now, "{before:?} {step:?}");
                assert_eq!(View::from_item(&now), view, "{before:?} {step:?}");
                assert_eq!(now.stamp, Stamp { version: 1, revision: then.stamp.revision + changes });
                assert!(changes == 1 || now == then, "{before:?} {step:?}");
            }
            (outcome, None) => {
                assert_eq!(code(outcome), "not_found", "{before:?} {step:?}");
                assert_eq!(now, then);
            }
            (outcome, _) => panic!("{before:?} {step:?}: {outcome:?}"),
        }
        assert_eq!(now.updated_at, item.updated_at, "it is no change of the item");
        assert_eq!(world.history(&item).len() as u64, 1 + now.stamp.revision);
        assert_eq!(world.text(&item).await.as_deref(), Some("x"));
    }
}

#[tokio::test]
async fn lifecycle_changes_are_records_without_a_version() {
    let world = World::new().await;
    let item = world.create(Kind::Note, note("a")).await;
    for step in [Step::Archive, Step::Unarchive, Step::Delete, Step::Restore] {
        step.take(&world.interline, &world.owner, &item).await.unwrap();
    }
    world.update(&item, title("b")).await.unwrap();
    let told: Vec<_> = world.history(&item).into_iter().map(|told| (told.action, told.version)).collect();
    let told: Vec<_> = told.iter().map(|(action, version)| (action.as_str(), *version)).collect();
    assert_eq!(
        told,
        [
            ("create", Some(1)),
            ("archive", None),
            ("unarchive", None),
            ("delete", None),
            ("restore", None),
            ("update", Some(2))
        ]
    );
}

#[tokio::test]
async fn a_step_for_another_version_is_a_conflict_with_the_current_item() {
    use ExpectedVersion::{Any, Existing};
    let world = World::new().await;
    let (interline, owner) = (&world.interline, &world.owner);
    let exactly = |version| ExpectedVersion::Exactly(version, Expectation::Precondition);
    for step in [Step::Archive, Step::Unarchive, Step::Delete, Step::Restore] {
        let item = world.create(Kind::Note, note("a")).await;
        let item = world.update(&item, title("b")).await.unwrap().item;
        for wrong in [0, 1, 3, u64::MAX] {
            match step.take_expecting(interline, owner, &item, exactly(wrong)).await {
                Err(Error::Conflict { expected_version, expectation: Expectation::Precondition, current, .. }) => {
                    assert_eq!((expected_version, *current), (wrong, item.clone()), "{step:?}");
                }
                other => panic!("{step:?} {wrong}: {other:?}"),
            }
        }
        assert_eq!(world.item(&item).await, item);
        for right in [exactly(2), Existing, Any] {
            if View::from_item(&world.item(&item).await) == View::Deleted {
                step_back(&world, &item).await;
            }
            assert_eq!(code(step.take_expecting(interline, owner, &item, right).await), "ok", "{step:?} {right:?}");
        }
        for (expected, outcome) in [(exactly(1), "conflict"), (exactly(2), "ok")] {
            assert_eq!(code(interline.purge(owner, &by_id(&item), expected).await), outcome);
        }
        // What is not there is not found, whatever version was expected of it.
        for expected in [exactly(2), Existing] {
            assert_eq!(code(interline.purge(owner, &by_id(&item), expected).await), "not_found");
            assert_eq!(code(step.take_expecting(interline, owner, &item, expected).await), "not_found");
        }
    }
}

async fn step_back(world: &World, item: &Item) {
    world.interline.restore(&world.owner, &by_id(item), ExpectedVersion::Any).await.unwrap();
}

#[tokio::test]
async fn restoring_into_a_taken_address_or_name_is_refused() {
    let world = World::new().await;
    let (interline, owner) = (&world.interline, &world.owner);
    for (kind, draft) in [(Kind::Bookmark, bookmark("https://a.example/")), (Kind::Prompt, greeting())] {
        let old = world.create(kind, draft.clone()).await;
        interline.delete(owner, &by_id(&old), ExpectedVersion::Any).await.unwrap();
        let new = world.create(kind, draft).await;
        interline.archive(owner, &by_id(&new), ExpectedVersion::Any).await.unwrap();
        match interline.restore(owner, &by_id(&old), ExpectedVersion::Any).await {
            Err(Error::Duplicate { existing, .. }) => {
                assert_eq!((existing.id, View::from_item(&existing)), (new.id, View::Archived));
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(View::from_item(&world.item(&old).await), View::Deleted);
        interline.delete(owner, &by_id(&new), ExpectedVersion::Any).await.unwrap();
        assert_eq!(code(interline.restore(owner, &by_id(&old), ExpectedVersion::Any).await), "ok");
    }
}

#[tokio::test]
async fn a_purged_item_is_gone_with_its_history_whatever_its_state() {
    let world = World::new().await;
    let (interline, owner) = (&world.interline, &world.owner);
    for steps in [&[][..], &[Step::Archive], &[Step::Delete]] {
        let item = world.create(Kind::Prompt, greeting()).await;
        for step in steps {
            step.take(interline, owner, &item).await.unwrap();
        }
        interline.purge(owner, &by_id(&item), ExpectedVersion::Any).await.unwrap();
        assert_eq!(code(world.read(&item, ReadContent::Whole).await), "not_found");
        assert_eq!(code(interline.restore(owner, &by_id(&item), ExpectedVersion::Any).await), "not_found");
        assert_eq!(code(interline.purge(owner, &by_id(&item), ExpectedVersion::Any).await), "not_found");
        assert_eq!(world.history(&item), []);
    }
}

#[tokio::test]
async fn a_use_is_remembered_and_is_no_change() {
    let world = World::new().await;
    let (interline, owner) = (&world.interline, &world.owner);
    let item = world.create(Kind::Prompt, greeting()).await;
    let used = interline.track_usage(owner, &by_name("greet"), ExpectedVersion::Any).await.unwrap();
    assert!(used.last_used_at.is_some());
    assert_eq!(world.item(&item).await, used);
    assert_eq!(Item { last_used_at: None, ..used }, item);
    assert_eq!(world.history(&item).len(), 1);
    interline.archive(owner, &by_id(&item), ExpectedVersion::Any).await.unwrap();
    assert_eq!(code(interline.track_usage(owner, &by_id(&item), ExpectedVersion::Any).await), "ok");
    interline.delete(owner, &by_id(&item), ExpectedVersion::Any).await.unwrap();
    assert_eq!(code(interline.track_usage(owner, &by_id(&item), ExpectedVersion::Any).await), "not_found");
}
