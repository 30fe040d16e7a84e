//! `on_stale` of `rewrite_content` and `replace_content`.

use serde_json::{Value, json};

use crate::agent::Agent;
use crate::support::test_store::TestStore;

on_both!(a_stale_rewrite_is_merged_or_refused, a_stale_file_is_merged_or_refused);

const BASE: &str = "one\ntwo\nthree\nfour\nfive\n";
const OURS: &str = "ONE\ntwo\nthree\nfour\nfive\n";
const THEIRS: &str = "one\ntwo\nthree\nfour\nFIVE\n";
const MERGED: &str = "ONE\ntwo\nthree\nfour\nFIVE\n";

fn with(mut one: Value, more: &Value) -> Value {
    one.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    one
}

async fn a_stale_rewrite_is_merged_or_refused(store: TestStore) {
    let world = store.serve().await;
    let (rest, agent) = (world.owner(), Agent::new(world.address, "content", Some(&world.store.secret)));
    for (collection, draft) in
        [("notes", json!({"title": "Plan"})), ("bookmarks", json!({"url": "https://example.org/"}))]
    {
        let made = rest.create(collection, with(draft, &json!({"content": BASE}))).await;
        let id = made["id"].as_str().unwrap();
        rest.patch(&format!("/content/{id}"), json!({"content": THEIRS})).await.expect(200, json!({"version": 2}));
        let rewrite =
            |content: &str, more: Value| with(json!({"id": id, "content": content, "expected_version": 1}), &more);
        for more in [json!({}), json!({"on_stale": null}), json!({"on_stale": "refuse"})] {
            let refused = agent.refused("rewrite_content", rewrite(OURS, more), json!({"error": "conflict"})).await;
            assert!(refused.get("conflicts").is_none(), "{refused}");
        }
        let merge = || json!({"on_stale": "merge"});
        let expected = json!({"error": "conflict", "current_version": 2,
            "conflicts": [{"base": {"start_line": 5, "end_line": 5, "text": "five\n"}, "ours": {"text": "5\n"},
                "theirs": {"text": "FIVE\n"}}]});
        agent.refused("rewrite_content", rewrite("one\ntwo\nthree\nfour\n5\n", merge()), expected).await;
        for wrong in [json!("overwrite"), json!(true), json!("")] {
            let expected = json!({"error": "validation_failed", "errors": [{"field": "on_stale"}]});
            agent.refused("rewrite_content", rewrite(OURS, json!({"on_stale": wrong})), expected).await;
        }
        let no_version = json!({"id": id, "content": OURS, "on_stale": "merge"});
        let expected = json!({"error": "validation_failed", "errors": [{"field": "expected_version"}]});
        agent.refused("rewrite_content", no_version, expected).await;
        assert_eq!(agent.content(id).await, THEIRS, "nothing was stored");

        let from = json!({"base": 1, "theirs": 2});
        let expected = json!({"id": id, "version": 3, "merged_from": from});
        agent.check("rewrite_content", rewrite(OURS, merge()), expected).await;
        assert_eq!(agent.content(id).await, MERGED);
        let same = agent.check("rewrite_content", rewrite(OURS, merge()), json!({"version": 3})).await;
        assert!(same.get("merged_from").is_none(), "{same}");
        let history = agent.check("item_history", json!({"id": id}), json!({"total": 3})).await;
        assert_eq!(history["records"][0]["merged_from"], from, "{history}");
        assert!(history["records"][1].get("merged_from").is_none(), "{history}");
    }
}

async fn a_stale_file_is_merged_or_refused(store: TestStore) {
    let world = store.serve().await;
    let agent = Agent::new(world.address, "code", Some(&world.store.secret));
    agent.check("create_app", json!({"name": "Shop"}), json!({})).await;
    for target in [
        json!({"entity_type": "module", "path": "a.py"}),
        json!({"entity_type": "app_file", "path": "a.txt", "app_id": "shop"}),
    ] {
        let write = async |content: &str, more: Value, expected: Value| {
            let content = content.replace('\n', " = 1\n");
            agent
                .check("replace_content", with(with(target.clone(), &json!({"content": content})), &more), expected)
                .await
        };
        write(BASE, json!({}), json!({"created": true, "version": 1})).await;
        write(THEIRS, json!({"on_stale": null}), json!({"created": false, "version": 2})).await;
        let refused = async |content: &str, more: Value, expected: Value| {
            let content = content.replace('\n', " = 1\n");
            let arguments = with(with(target.clone(), &json!({"content": content})), &more);
            agent.refused("replace_content", arguments, expected).await
        };
        let merge = || json!({"expected_version": 1, "on_stale": "merge"});
        let place =
            json!({"base": {"text": "five = 1\n"}, "ours": {"text": "cinq = 1\n"}, "theirs": {"text": "FIVE = 1\n"}});
        let expected = json!({"error": "conflict", "current_version": 2, "conflicts": [place]});
        refused("one\ntwo\nthree\nfour\ncinq\n", merge(), expected).await;
        refused(OURS, json!({"expected_version": 1, "on_stale": "refuse"}), json!({"error": "conflict"})).await;
        let missing = json!({"error": "validation_failed", "errors": [{"field": "expected_version"}]});
        refused(OURS, json!({"on_stale": "merge"}), missing).await;
        let wrong = json!({"error": "validation_failed", "errors": [{"field": "on_stale"}]});
        refused(OURS, json!({"expected_version": 1, "on_stale": "ours"}), wrong).await;

        let from = json!({"base": 1, "theirs": 2});
        write(OURS, merge(), json!({"created": false, "version": 3, "merged_from": from})).await;
        let read = agent.check("get_content", target.clone(), json!({"version": 3})).await;
        assert_eq!(read["content"], MERGED.replace('\n', " = 1\n"), "{read}");
        let history = agent.check("content_history", target.clone(), json!({"total": 3})).await;
        assert_eq!(history["records"][0]["merged_from"], from, "{history}");
    }
}
