//! Snippets: where in an item a search matches.

use serde_json::{Value, json};

use super::{Parameters, address, found};
use crate::support::client::{Client, text};
use crate::support::test_store::TestStore;

on_both!(
    a_match_in_the_content_is_shown_with_its_line_and_marks,
    a_match_elsewhere_has_no_line,
    a_line_of_a_match_can_be_read_and_edited,
    a_long_line_is_cut_around_the_match,
    a_list_has_no_snippets,
);

/// The snippet of the one item that is found.
async fn snippet(client: &Client, parameters: Parameters<'_>) -> Value {
    let items = found(client, "content", parameters).await;
    assert_eq!(items.len(), 1, "{parameters:?}");
    items[0]["snippet"].clone()
}

async fn a_match_in_the_content_is_shown_with_its_line_and_marks(store: TestStore) {
    let owner = store.serve().await.owner();
    owner.note("Wool", Some("intro\r\n  Größe: Wool-Socks “fine”\r\nsocks\n")).await;
    let line = "  Größe: Wool-Socks “fine”";
    for (q, marks) in [
        ("wool", json!([[9, 13]])),
        ("wool sock", json!([[9, 13], [14, 19]])),
        ("wool OR fine", json!([[9, 13], [21, 25]])),
        ("groesse OR größe", json!([[2, 7]])),
        ("ool-so", json!([[10, 16]])),
        ("\"\\\"fine\\\"\"", json!([[20, 26]])),
        ("wool -cotton", json!([[9, 13]])),
    ] {
        let expected = json!({"field": "content", "line": 2, "text": line, "marks": marks});
        assert_eq!(snippet(&owner, &[("q", q)]).await, expected, "{q}");
        assert_eq!(snippet(&owner, &[("q", q), ("include_content", "true")]).await, expected, "{q}");
    }
    // A phrase that goes on in the next line.
    let expected = json!({"field": "content", "line": 2, "text": line, "marks": [[20, 26]]});
    assert_eq!(snippet(&owner, &[("q", "\"\\\"fine\\\" socks\"")]).await, expected);
    let expected = json!({"field": "content", "line": 2, "text": line, "marks": [[9, 19]]});
    assert_eq!(snippet(&owner, &[("regex", "W.*ks")]).await, expected);
}

async fn a_match_elsewhere_has_no_line(store: TestStore) {
    let owner = store.serve().await.owner();
    let about =
        json!({"title": "Alpha", "description": "one\nbeta two", "url": "https://gamma.example/", "content": "x"});
    owner.create("bookmarks", about).await;
    owner.create("prompts", json!({"name": "delta-one", "content": "x"})).await;
    for (q, field, text, marks) in [
        ("alpha", "title", "Alpha", json!([[0, 5]])),
        ("beta", "description", "beta two", json!([[0, 4]])),
        ("gamma", "url", "https://gamma.example/", json!([[8, 13]])),
        ("delta", "title", "delta-one", json!([[0, 5]])),
    ] {
        let expected = json!({"field": field, "line": null, "text": text, "marks": marks});
        assert_eq!(snippet(&owner, &[("q", q)]).await, expected, "{q}");
    }
}

async fn a_line_of_a_match_can_be_read_and_edited(store: TestStore) {
    let owner = store.serve().await.owner();
    let content: String = (1..=500).map(|line| format!("line {line}\tis “here”\r\n")).collect();
    let id = text(&owner.note("long", Some(&content)).await["id"]);
    let snippet = snippet(&owner, &[("q", "\"line 321\"")]).await;
    let (line, shown) = (snippet["line"].as_u64().unwrap(), text(&snippet["text"]));
    assert_eq!(line, 321);
    let read = owner.get(&format!("/notes/{id}?start_line={line}&end_line={line}")).await.expect(200, json!({})).json();
    assert_eq!(text(&read["content"]).trim_end_matches(['\r', '\n']), shown);
    let edit = json!({"old_str": shown, "new_str": "changed"});
    let done = json!({"match_type": "exact", "line": 321});
    owner.check(&format!("PATCH /notes/{id}/str-replace"), edit, 200, done).await;
}

async fn a_long_line_is_cut_around_the_match(store: TestStore) {
    let owner = store.serve().await.owner();
    owner.note("long", Some(&format!("{}\n{} needle {}", "z".repeat(300), "ä".repeat(9_000), "ö".repeat(9_000)))).await;
    for parameters in [[("q", "needle")], [("regex", "needle")]] {
        let snippet = snippet(&owner, &parameters).await;
        let shown: Vec<char> = text(&snippet["text"]).chars().collect();
        let [start, end] = [0, 1].map(|end| usize::try_from(snippet["marks"][0][end].as_u64().unwrap()).unwrap());
        assert_eq!(shown[start..end].iter().collect::<String>(), "needle");
        assert_eq!((shown.len(), &snippet["line"]), (200, &json!(2)));
    }
}

async fn a_list_has_no_snippets(store: TestStore) {
    let owner = store.serve().await.owner();
    owner.note("wool", Some("wool")).await;
    for parameters in [&[][..], &[("q", "")], &[("include_content", "true")]] {
        let list = owner.get(&address("notes", parameters)).await.expect(200, json!({"total": 1})).json();
        assert_eq!(list["items"][0].get("snippet"), None, "{parameters:?}");
    }
}
