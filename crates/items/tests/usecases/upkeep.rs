//! What the upkeep removes.

use interline_items::{Action, ExpectedVersion, HistoryQuery, Kind, Upkeep, UpkeepReport};
use jiff::SignedDuration;

use crate::samples::{content, note, title};
use crate::world::{World, by_id, code};

fn rules() -> Upkeep {
    Upkeep { trash: None, history: None, events: None, history_records: None }
}

#[tokio::test]
async fn the_trash_is_emptied_of_what_was_there_too_long() {
    let world = World::new().await;
    let (old, kept) = (world.create(Kind::Note, note("old")).await, world.create(Kind::Note, note("kept")).await);
    world.interline.delete(&world.owner, &by_id(&old), ExpectedVersion::Any).await.unwrap();
    assert_eq!(world.interline.run_upkeep(Upkeep::default()).await.unwrap(), UpkeepReport::default());
    assert_eq!(world.interline.run_upkeep(rules()).await.unwrap(), UpkeepReport::default());
    let at_once = Upkeep { trash: Some(SignedDuration::ZERO), ..rules() };
    let removed = world.interline.run_upkeep(at_once).await.unwrap();
    assert_eq!(removed, UpkeepReport { items: 1, ..UpkeepReport::default() });
    assert_eq!(code(world.read(&old, interline_items::ReadContent::Omit).await), "not_found");
    assert_eq!(world.item(&kept).await, kept);
}

#[tokio::test]
async fn old_records_of_a_history_go_and_the_newest_version_stays() {
    let world = World::new().await;
    let item = world.create(Kind::Note, note("a")).await;
    for text in ["one", "two", "three"] {
        world.update(&item, content(text)).await.unwrap();
    }
    let keep_two = Upkeep { history_records: Some(2), ..rules() };
    assert_eq!(world.interline.run_upkeep(keep_two).await.unwrap().records, 2);
    let page = HistoryQuery { offset: 0, limit: 10 };
    let history = world.interline.history(&world.owner, &by_id(&item), page).await.unwrap();
    assert_eq!(history.records.iter().map(|record| record.version).collect::<Vec<_>>(), [Some(4), Some(3)]);
    let all = Upkeep { history: Some(SignedDuration::ZERO), ..rules() };
    world.interline.run_upkeep(all).await.unwrap();
    let history = world.interline.history(&world.owner, &by_id(&item), page).await.unwrap();
    assert_eq!(history.records.len(), 1);
    assert_eq!(history.records[0].action, Action::Update);
    assert_eq!(world.update(&item, title("b")).await.unwrap().item.stamp.version, 5);
    assert_eq!(world.text(&item).await.as_deref(), Some("three"));
}
