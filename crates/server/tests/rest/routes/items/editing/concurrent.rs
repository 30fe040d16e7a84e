//! Many edits of one item at once, each on a connection of its own.

use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{changes_of, of_every_kind};
use crate::support::client::{Answer, Client};
use crate::support::test_store::TestStore;

on_both!(
    of_edits_of_different_passages_none_is_lost,
    of_edits_of_the_same_passage_one_succeeds,
    of_edits_for_one_version_one_succeeds,
    every_kind_of_edit_at_once_is_there_afterwards,
);

const MANY: usize = 64;

/// What the requests answer, in no order.
async fn all_at_once(owner: &Client, requests: Vec<(String, Value)>) -> Vec<Answer> {
    let mut tasks = JoinSet::new();
    for (line, body) in requests {
        let client = owner.afresh();
        tasks.spawn(async move { client.send(&line, Some(&body)).await });
    }
    tasks.join_all().await
}

fn statuses(answers: &[Answer], status: u16) -> usize {
    answers.iter().filter(|answer| answer.status == status).count()
}

fn passages() -> String {
    (0..MANY).map(|number| format!("<{number}>\n")).collect()
}

async fn of_edits_of_different_passages_none_is_lost(store: TestStore) {
    let owner = store.serve().await.owner();
    for path in of_every_kind(&owner, Some(&passages())).await {
        let replace = |number| {
            let body = json!({"old_str": format!("<{number}>"), "new_str": format!("({number})")});
            (format!("PATCH {path}/str-replace"), body)
        };
        let answers = all_at_once(&owner, (0..MANY).map(replace).collect()).await;
        assert_eq!(statuses(&answers, 200), MANY);
        let mut versions: Vec<u64> = answers.iter().map(|answer| answer.json()["version"].as_u64().unwrap()).collect();
        versions.sort_unstable();
        assert_eq!(versions, (2..=MANY as u64 + 1).collect::<Vec<_>>(), "each answer is of its own version");
        let after = passages().replace('<', "(").replace('>', ")");
        owner.get(&path).await.expect(200, json!({"content": after, "version": MANY + 1}));
        assert_eq!(changes_of(&owner, &path).await, MANY + 1);
    }
}

async fn of_edits_of_the_same_passage_one_succeeds(store: TestStore) {
    let owner = store.serve().await.owner();
    for path in of_every_kind(&owner, Some("the only one")).await {
        let replace = |number| {
            (format!("PATCH {path}/str-replace"), json!({"old_str": "only", "new_str": format!("{number}th")}))
        };
        let answers = all_at_once(&owner, (0..MANY).map(replace).collect()).await;
        assert_eq!(statuses(&answers, 200), 1);
        let refused: Vec<Value> =
            answers.iter().filter(|answer| answer.status == 400).map(|answer| answer.json()["error"].clone()).collect();
        assert_eq!(refused, vec!["no_match"; MANY - 1]);
        let done = answers.iter().find(|answer| answer.status == 200).unwrap().json();
        owner.get(&path).await.expect(200, json!({"content": done["content"], "version": 2}));
    }
}

async fn of_edits_for_one_version_one_succeeds(store: TestStore) {
    let owner = store.serve().await.owner();
    for path in of_every_kind(&owner, Some(&passages())).await {
        let replace = |number| {
            let body = json!({"old_str": format!("<{number}>"), "new_str": "x", "expected_version": 1});
            (format!("PATCH {path}/str-replace"), body)
        };
        let answers = all_at_once(&owner, (0..MANY).map(replace).collect()).await;
        assert_eq!((statuses(&answers, 200), statuses(&answers, 409)), (1, MANY - 1));
        owner.get(&path).await.expect(200, json!({"version": 2}));
    }
}

async fn every_kind_of_edit_at_once_is_there_afterwards(store: TestStore) {
    let owner = store.serve().await.owner();
    for path in of_every_kind(&owner, Some(&passages())).await {
        let edit = |number: usize| {
            let old = format!("<{number}>");
            match number % 4 {
                0 => (format!("PATCH {path}/str-replace"), json!({"old_str": old, "new_str": format!("r{number};")})),
                1 => (format!("POST {path}/insert"), json!({"after_str": old, "new_str": format!("i{number};")})),
                2 => (format!("POST {path}/delete-content"), json!({"content_to_delete": old})),
                _ => (
                    format!("POST {path}/edits"),
                    json!({"edits": [{"old_str": old, "new_str": "…"}, {"old_str": "…", "new_str": format!("e{number};")}]}),
                ),
            }
        };
        let answers = all_at_once(&owner, (0..MANY).map(edit).collect()).await;
        assert_eq!(statuses(&answers, 200), MANY);
        let expected: String = (0..MANY)
            .map(|number| match number % 4 {
                0 => format!("r{number};\n"),
                1 => format!("<{number}>i{number};\n"),
                2 => "\n".to_owned(),
                _ => format!("e{number};\n"),
            })
            .collect();
        owner.get(&path).await.expect(200, json!({"content": expected, "version": MANY + 1}));
    }
}
