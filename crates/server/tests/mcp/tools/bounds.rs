//! Results of tools are short, however long the stored texts are.

use serde_json::json;

use crate::agent::Agent;
use crate::support::test_store::{TestStore, on_sqlite};

async fn agent(store: TestStore) -> Agent {
    let world = store.serve().await;
    let agent = Agent::new(world.address, "content", Some(&world.store.secret));
    agent.tools().await;
    agent
}

/// How many bytes of messages a call takes.
async fn bytes_of(agent: &Agent, call: impl Future<Output = ()>) -> usize {
    let before = agent.bytes();
    call.await;
    agent.bytes() - before
}

#[test]
fn an_edit_of_a_long_note_takes_little() {
    on_sqlite(async |store| {
        let agent = agent(store).await;
        let content: String =
            (0..4_500).map(|line| format!("line {line} has a text of about fifty characters\n")).collect();
        assert!(content.len() > 200_000, "{}", content.len());
        let id = agent.note("Long", &content).await;
        let bytes = bytes_of(&agent, async {
            let edit = json!({"id": id, "old_str": "line 2718 has a text", "new_str": "line 2718 has another text"});
            agent.check("edit_content", edit, json!({"version": 2, "line": 2_719})).await;
        })
        .await;
        assert!(bytes <= 2_048, "{bytes} bytes sent and received");
        let whole = bytes_of(&agent, async { drop(agent.call("get_item", json!({"id": id})).await) }).await;
        assert!(whole < 450_000, "{whole}: both forms of half of it");
    });
}

#[test]
fn a_long_read_ends_with_a_line_and_says_how_to_go_on() {
    on_sqlite(async |store| {
        let agent = agent(store).await;
        let content: String = (1..=30_000).map(|line| format!("{line:09}\n")).collect();
        let id = agent.note("Long", &content).await;
        let mut read = String::new();
        let mut start = 1;
        for expected_end in [10_000, 20_000] {
            let result =
                agent.check("get_item", json!({"id": id, "start_line": start}), json!({"truncated": true})).await;
            let text = result["content"].as_str().unwrap();
            assert_eq!(text.chars().count(), 99_999, "from {start}");
            assert_eq!(result["content_length"], 300_000);
            let part =
                json!({"total_lines": 30_001, "start_line": start, "end_line": expected_end, "is_partial": true});
            assert_eq!(result["content_metadata"], part);
            start = expected_end + 1;
            let next = result["next"].as_str().unwrap();
            assert!(next.contains(&format!("start_line={start} (of 30001 lines)")), "{next}");
            read = read + text + "\n";
        }
        let last = agent.check("get_item", json!({"id": id, "start_line": start}), json!({})).await;
        assert!(last.get("truncated").is_none() && last.get("next").is_none(), "{}", last["next"]);
        assert_eq!(read + last["content"].as_str().unwrap(), content);
    });
}

#[test]
fn a_line_that_is_too_long_is_cut_and_the_answer_says_so() {
    on_sqlite(async |store| {
        let agent = agent(store).await;
        let id = agent.note("Long", &format!("{}\nend\n", "é".repeat(150_000))).await;
        let result = agent.check("get_item", json!({"id": id}), json!({"truncated": true})).await;
        assert_eq!(result["content"].as_str().unwrap(), "é".repeat(100_000));
        assert_eq!(result["content_metadata"]["end_line"], 1);
        let next = result["next"].as_str().unwrap();
        assert!(next.contains("line 1 is cut") && next.contains("start_line=2"), "{next}");
        let exactly = agent.note("Exact", &"x".repeat(100_000)).await;
        let result = agent.check("get_item", json!({"id": exactly}), json!({})).await;
        assert!(result.get("truncated").is_none(), "{}", result["next"]);
    });
}

#[test]
fn writes_echo_no_document() {
    on_sqlite(async |store| {
        let agent = agent(store).await;
        let id = agent.note("Long", "start\nmiddle\nend\n").await;
        let long: String = (0..20_000).map(|line| format!("{line} {}\n", "x".repeat(20))).collect();
        let edit = json!({"id": id, "old_str": "middle\n", "new_str": long});
        let result = agent.check("edit_content", edit, json!({"version": 2, "truncated": true})).await;
        assert!(result.to_string().len() < 4_096, "{}", result.to_string().len());
        let [change] = result["changes"].as_array().unwrap().as_slice() else { panic!("{result}") };
        assert_eq!((&change["start_line"], &change["end_line"]), (&json!(1), &json!(43)), "40 lines and those around");
        let everywhere = json!({"id": id, "old_str": "xx xx", "new_str": "y", "expected_matches": 1});
        agent.refused("edit_content", everywhere, json!({"error": "no_match"})).await;
        let everywhere = json!({"id": id, "old_str": "x".repeat(20), "new_str": "y", "expected_matches": 20_000});
        let result = agent.check("edit_content", everywhere, json!({"replacements": 20_000, "truncated": true})).await;
        assert!(result.to_string().len() < 4_096, "{}", result.to_string().len());
        let rewrite = json!({"id": id, "content": long, "expected_version": 3});
        let result = agent.check("rewrite_content", rewrite, json!({"version": 4})).await;
        assert!(result.to_string().len() < 1_024, "{result}");
    });
}

#[test]
fn a_search_is_bounded_and_counts_all_matches() {
    on_sqlite(async |store| {
        let agent = agent(store).await;
        let id = agent.note("Many", &"needle in a line\n".repeat(5_000)).await;
        let search = json!({"id": id, "query": "needle"});
        let result = agent.check("search_in_content", search, json!({"total_matches": 5_000, "truncated": true})).await;
        assert_eq!(result["matches"].as_array().unwrap().len(), 50);
        let wide = agent.note("Wide", &format!("{}\n", "needle ".repeat(20_000)).repeat(8)).await;
        let search = json!({"id": wide, "query": "needle", "context_lines": 10});
        let result = agent.check("search_in_content", search, json!({"truncated": true})).await;
        assert!(result.to_string().len() < 200_000, "{}", result.to_string().len());
        for number in 0..30 {
            agent.note(&format!("Note {number}"), &"found\n".repeat(1_000)).await;
        }
        let result =
            agent.check("search_items", json!({"query": "found"}), json!({"total": 30, "has_more": true})).await;
        assert_eq!(result["items"].as_array().unwrap().len(), 20);
        assert!(result.to_string().len() < 40_000, "{}", result.to_string().len());
        let page = json!({"query": "found", "offset": 20});
        let result = agent.check("search_items", page, json!({"total": 30, "has_more": false, "offset": 20})).await;
        let first = &result["items"][0];
        assert_eq!(first["content_length"], 6_000);
        assert_eq!(first["content_preview"].as_str().unwrap().chars().count(), 150);
        assert_eq!(first["snippet"], json!({"line": 1, "text": "found"}));
    });
}
