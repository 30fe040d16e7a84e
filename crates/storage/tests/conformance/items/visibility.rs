//! Point reads for a caller: what does not exist for the caller is not read.

use std::collections::BTreeSet;

use interline_items::{HashCheck, Kind, PointRead, SpaceId, Visibility};

use crate::fixtures::authors::author;
use crate::fixtures::samples::{Sample, note};
use crate::fixtures::test_store::{Database, TestStore};

on_both!(
    only_items_of_visible_spaces_and_kinds_are_found,
    a_content_that_is_not_visible_is_not_read,
    a_point_read_returns_short_contents_alone,
);

fn visible(spaces: &[SpaceId], kinds: &[Kind]) -> Visibility {
    Visibility::new(spaces.iter().copied().collect(), kinds.iter().copied().collect::<BTreeSet<_>>())
}

async fn only_items_of_visible_spaces_and_kinds_are_found(test: TestStore) {
    let store = &*test.store;
    let (ada, bob) = (author(store, "ada").await, author(store, "bob").await);
    let made = ada.create(store, note(&ada.space, "Mine").with_content("text")).await;
    let (id, both) = (made.item.id, [ada.space.id, bob.space.id]);
    for (who, finds) in [
        (visible(&[ada.space.id], &Kind::ALL), true),
        (visible(&both, &[Kind::Note, Kind::Prompt]), true),
        (visible(&[bob.space.id], &Kind::ALL), false),
        (visible(&both, &[Kind::Prompt]), false),
        (visible(&[], &Kind::ALL), false),
        (visible(&both, &[]), false),
    ] {
        let expected = finds.then(|| made.clone());
        assert_eq!(store.visible_item(id, &who).await.unwrap(), expected.clone().map(|made| made.item));
        for check in [HashCheck::Always, HashCheck::Remembered] {
            assert_eq!(store.visible_snapshot(id, &who, check).await.unwrap(), expected);
            let point_read = store.visible_point_read(id, &who, check).await.unwrap();
            assert_eq!(point_read, expected.clone().map(PointRead::Whole));
        }
    }
}

/// A text that no database compresses to nothing.
fn long_text(bytes: usize) -> String {
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut text = String::with_capacity(bytes + 16);
    while text.len() < bytes {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.push_str(&format!("{:016x}", state ^ state >> 29));
    }
    text
}

async fn a_content_that_is_not_visible_is_not_read(test: TestStore) {
    const READS: u64 = 20;
    let store = &*test.store;
    let (ada, bob) = (author(store, "ada").await, author(store, "bob").await);
    let made = ada.create(store, note(&ada.space, "Long").with_content(&long_text(7_000_000))).await;
    let (own, foreign) = (visible(&[ada.space.id], &Kind::ALL), visible(&[bob.space.id], &Kind::ALL));
    // Another process, which has nothing of it in its cache.
    let reader = test.database.open().await;
    let before = work(&test).await;
    for _ in 0..READS {
        assert_eq!(reader.visible_snapshot(made.item.id, &foreign, HashCheck::Always).await.unwrap(), None);
        assert_eq!(reader.visible_point_read(made.item.id, &foreign, HashCheck::Always).await.unwrap(), None);
        let without_content = Some(PointRead::WithoutContent(made.item.clone()));
        assert_eq!(reader.visible_point_read(made.item.id, &own, HashCheck::Always).await.unwrap(), without_content);
    }
    let hidden = work(&test).await - before;
    let found = reader.visible_snapshot(made.item.id, &own, HashCheck::Always).await.unwrap();
    assert_eq!(found, Some(made));
    let one = work_after_reading(&test, before + hidden).await - before - hidden;
    assert!(hidden * 20 < one, "{READS} reads that find nothing: {hidden}; one that finds it: {one}");
}

async fn a_point_read_returns_short_contents_alone(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let own = visible(&[ada.space.id], &Kind::ALL);
    let limit = usize::try_from(PointRead::MAX_BYTES).unwrap();
    for (content, is_short) in
        [(None, true), (Some(""), true), (Some(&*"é".repeat(limit / 2)), true), (Some(&*"x".repeat(limit + 1)), false)]
    {
        let draft = note(&ada.space, "Some");
        let made = ada.create(store, content.map_or(draft.clone(), |content| draft.with_content(content))).await;
        let expected = if is_short { PointRead::Whole(made.clone()) } else { PointRead::WithoutContent(made.item) };
        assert_eq!(
            store.visible_point_read(expected.item().id, &own, HashCheck::Remembered).await.unwrap(),
            Some(expected)
        );
    }
}

/// How much was read: bytes of files by this process (SQLite), blocks of long values by the server (PostgreSQL).
async fn work(test: &TestStore) -> u64 {
    match &test.database {
        Database::Sqlite { .. } => {
            let io = std::fs::read_to_string("/proc/self/io").unwrap();
            let bytes = io.split('\n').find_map(|line| line.strip_prefix("rchar: ")).unwrap();
            bytes.parse().unwrap()
        }
        Database::Postgres { .. } => {
            let blocks = "SELECT coalesce(toast_blks_read + toast_blks_hit, 0) FROM pg_statio_user_tables WHERE relname = 'contents'";
            test.count(blocks).await.cast_unsigned()
        }
    }
}

/// The same after a read that must count: PostgreSQL's backends report a little later what they did.
async fn work_after_reading(test: &TestStore, before: u64) -> u64 {
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
    loop {
        let now = work(test).await;
        if now > before + 100 || std::time::Instant::now() > deadline {
            return now;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}
