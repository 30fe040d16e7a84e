//! A search finds what was written before it, and nothing of another user's.

use std::time::Duration;

use serde_json::{Value, json};

use super::{found, titles};
use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(
    a_search_right_after_a_write_sees_it,
    a_search_finds_nothing_of_others,
    a_token_finds_its_kinds_only,
    the_server_brings_the_index_up_to_date,
);

/// How long the index may take to follow on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(60);

async fn a_search_right_after_a_write_sees_it(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    for round in 0..10 {
        let (old, new) = (format!("before{round}x"), format!("after{round}x"));
        let sees = async |view: &str, q: &str| found(&owner, "content", &[("q", q), ("view", view)]).await.len();

        let id = text(&owner.note("note", Some(&format!("one {old} two"))).await["id"]);
        assert_eq!(sees("active", &old).await, 1, "created {round}");

        let path = format!("/notes/{id}");
        let edit = json!({"old_str": old, "new_str": new});
        owner.check(&format!("PATCH {path}/str-replace"), edit, 200, json!({})).await;
        assert_eq!((sees("active", &old).await, sees("active", &new).await), (0, 1), "edited {round}");
        let by_expression = titles(&owner, "content", &[("regex", &format!("^one {new} two$"))]).await;
        assert_eq!(by_expression, ["note"], "edited {round}");
        if round % 2 == 0 {
            // Half of the writes come to an index that knows the item.
            server.store.interline.complete_index().await.unwrap();
            assert_eq!((sees("active", &old).await, sees("active", &new).await), (0, 1), "indexed {round}");
        }

        owner.check(&format!("PATCH {path}"), json!({"title": old, "content": "x"}), 200, json!({})).await;
        assert_eq!((sees("active", &old).await, sees("active", &new).await), (1, 0), "changed {round}");

        owner.post(&format!("{path}/archive"), json!({})).await.expect(200, json!({}));
        assert_eq!((sees("active", &old).await, sees("archived", &old).await), (0, 1), "archived {round}");

        owner.delete(&path).await.expect(204, Value::Null);
        assert_eq!((sees("archived", &old).await, sees("deleted", &old).await), (0, 1), "deleted {round}");

        owner.delete(&format!("{path}?permanent=true")).await.expect(204, Value::Null);
        assert_eq!((sees("archived", &old).await, sees("deleted", &old).await), (0, 0), "gone {round}");
    }
}

async fn a_search_finds_nothing_of_others(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let (other, _) = owner.new_user("other").await;
    owner.note("wool", Some("wool")).await;
    let own = other.note("own", Some("a little wool")).await;
    for indexed in [false, true] {
        if indexed {
            server.store.interline.complete_index().await.unwrap();
        }
        for parameters in [("q", "wool"), ("q", "oo"), ("q", "wool OR zebra"), ("regex", "wo+l")] {
            let [mine] = &found(&other, "content", &[parameters]).await[..] else { panic!("{parameters:?}") };
            assert_eq!(mine["id"], own["id"], "{parameters:?}");
        }
    }
}

async fn a_token_finds_its_kinds_only(store: TestStore) {
    let owner = store.serve().await.owner();
    owner.note("note", Some("wool")).await;
    owner.create("bookmarks", json!({"title": "bookmark", "url": "https://wool.example", "content": "wool"})).await;
    let (narrow, _) = owner.new_token(json!({"name": "notes", "kinds": ["note"]})).await;
    for parameters in [("q", "wool"), ("regex", "wool")] {
        assert_eq!(titles(&narrow, "content", &[parameters]).await, ["note"]);
        assert_eq!(titles(&narrow, "bookmarks", &[parameters]).await, Vec::<String>::new());
    }
}

async fn the_server_brings_the_index_up_to_date(store: TestStore) {
    let server = store.serve().await;
    server.owner().note("note", Some("wool")).await;
    let interline = &server.store.interline;
    let fresh = async {
        while interline.check().await.unwrap().stale > 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, fresh).await.unwrap();
    let report = interline.check().await.unwrap();
    assert_eq!((report.items, report.versions, report.total_problems), (1, 1, 0), "{report:?}");
}
