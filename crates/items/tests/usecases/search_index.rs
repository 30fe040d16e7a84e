//! The index of a process that ends with its command.

use interline_items::{Interline, Kind};

use crate::samples::note;
use crate::world::World;

async fn stale(interline: &Interline) -> u64 {
    interline.check().await.unwrap().stale
}

#[tokio::test]
async fn a_backlog_is_indexed_when_it_is_large() {
    let world = World::new().await;
    for number in 0..255 {
        world.create(Kind::Note, note(&format!("note {number}"))).await;
    }
    world.interline.index_backlog(|| true).await.unwrap();
    assert_eq!(stale(&world.interline).await, 255, "a search reads so few quickly");
    world.create(Kind::Note, note("one more")).await;
    world.interline.index_backlog(|| false).await.unwrap();
    assert_eq!(stale(&world.interline).await, 256, "it may not go on");
    world.interline.index_backlog(|| true).await.unwrap();
    assert_eq!(stale(&world.interline).await, 0);
}
