//! What a reader sees first: the introduction, and the groups of operations with items first.

use std::collections::BTreeSet;

use crate::support::openapi_document::{document, operations};

#[test]
fn it_says_what_interline_is_and_how_to_begin() {
    let info = &document()["info"];
    assert_eq!(info["title"], "Interline");
    let introduction = info["description"].as_str().unwrap();
    for part in [
        "a store for text that AI agents read and edit precisely",
        "Authorization: Bearer il_",
        "start_line=10&end_line=40",
        "/str-replace",
        "Errors have one shape",
    ] {
        assert!(introduction.contains(part), "`{part}` is not in the introduction");
    }
}

#[test]
fn groups_are_described_and_items_come_first() {
    let groups: Vec<(&str, &str)> = document()["tags"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tag| (tag["name"].as_str().unwrap(), tag["description"].as_str().unwrap_or_default()))
        .collect();
    let names: Vec<&str> = groups.iter().map(|(name, _)| *name).collect();
    assert_eq!(names[..4], ["notes", "bookmarks", "prompts", "content"]);
    for (name, description) in &groups {
        assert!(!description.is_empty(), "{name} has no description");
    }
    let used: BTreeSet<&str> = operations()
        .iter()
        .flat_map(|one| one.description["tags"].as_array().unwrap())
        .filter_map(|tag| tag.as_str())
        .collect();
    assert_eq!(names.iter().copied().collect::<BTreeSet<_>>(), used);
}

#[test]
fn summaries_name_the_kind() {
    let summary = |path: &str, method: &str| document()["paths"][path][method]["summary"].as_str().unwrap().to_owned();
    for (path, method, expected) in [
        ("/notes", "post", "Create a note"),
        ("/bookmarks/{id}", "get", "Read a bookmark"),
        ("/prompts", "get", "List prompts, or search over them"),
        ("/content/{id}", "get", "Read an item"),
    ] {
        assert_eq!(summary(path, method), expected);
    }
    for operation in operations().iter().filter(|one| !one.path.starts_with("/content")) {
        let summary = operation.description["summary"].as_str().unwrap();
        assert!(!summary.contains("item"), "{} {}: {summary}", operation.method, operation.path);
    }
}
