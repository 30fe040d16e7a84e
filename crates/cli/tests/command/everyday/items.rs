//! `new`, `get`, `list`, `search`: on the local store and against a server.

use std::process::Stdio;

use super::store_access::{StoreAccess, at_both};

#[test]
fn an_item_is_made_and_read_byte_for_byte() {
    at_both(|place| {
        let content = "first\r\nsecond\tüß\n\nno newline";
        let made = place.with_input(&["new", "note", "Plan", "-", "--tag", "work", "--json"], content.as_bytes());
        assert_eq!(made.code, Some(0), "{made:?}");
        assert_eq!(place.ok(&["get", "@last"]), content);
        assert_eq!(place.ok(&["get", "@last", "--lines", "2-3"]), "second\tüß\n");
        assert_eq!(place.ok(&["get", "@last", "--lines", "4-"]), "no newline");
        let file = place.sandbox.write("text.md", "from a file\n");
        place.ok(&[
            "new",
            "bookmark",
            "https://example.org/a",
            "--file",
            file.to_str().expect("UTF-8"),
            "--title",
            "A",
        ]);
        assert_eq!(place.ok(&["get", "@last"]), "from a file\n");
        assert_eq!(place.json(&["get", "@last"])["url"], "https://example.org/a");
        assert!(place.ok(&["new", "note", "Empty"]).starts_with("Created note "));
        assert_eq!(place.ok(&["get", "@last"]), "");
    });
}

#[test]
fn json_is_what_the_api_answers() {
    at_both(|place| {
        let id = place.note("Plan", "one\ntwo\n");
        place.note("Other", "three");
        assert_eq!(place.json(&["get", &id]), place.rest(&format!("/content/{id}")));
        assert_eq!(place.json(&["list"]), place.rest("/content"));
        assert_eq!(place.json(&["search", "two"]), place.rest("/content?q=two"));
        assert_eq!(place.json(&["history", &id]), place.rest(&format!("/content/{id}/history")));
        assert_eq!(place.json(&["tags"]), place.rest("/tags"));
        assert_eq!(place.json(&["get", &id])["version"], 1);
        assert_eq!(place.json(&["history", &id])["items"][0]["source"], place_source(place));
    });
}

/// Changes of the local store come through the command line, those of a server through REST.
fn place_source(place: &StoreAccess) -> &'static str {
    if place.is_served() { "rest" } else { "cli" }
}

#[test]
fn an_item_is_named_in_several_ways() {
    at_both(|place| {
        let id = place.note("Plan", "text");
        let prompt = place.json(&["new", "prompt", "greet", "--content", "Hello {{ name }}", "--argument", "name!"]);
        let prompt = prompt["id"].as_str().expect("an id").to_owned();
        for name in [id.as_str(), &id[..23], &id.to_ascii_uppercase(), &id.replace('-', "")] {
            assert_eq!(place.ok(&["get", name]), "text", "{name}");
        }
        assert_eq!(place.json(&["get", "greet"])["id"], prompt.as_str());
        let ambiguous = place.run(&["get", &id[..4]]);
        ambiguous.refused(1, &["2 items are called", &id, &prompt, "Plan", "hint: write more of the id"]);
        assert_eq!(place.ok(&["get", &id[..4], "--type", "note"]), "text");
        assert_eq!(place.ok(&["get", &id[..4], "--kind", "note"]), "text");
        place.run(&["get", "nothing"]).refused(1, &["there is no item nothing", "hint: "]);
        place.run(&["get", "..", "--type", "module"]).refused(1, &["there is no module .."]);
        place.run(&["get", "019"]).refused(1, &["there is no item 019", "4 or more digits"]);
        place.run(&["get", &id, "--type", "prompt"]).refused(1, &["hint: "]);
        place.run(&["get", "01890000-0000-7000-8000-000000000000"]).refused(1, &["01890000"]);
    });
}

#[test]
fn last_is_what_was_made_or_changed_here() {
    at_both(|place| {
        let first = place.note("First", "a");
        place.note("Second", "b");
        assert_eq!(place.ok(&["get", "@last"]), "b");
        place.ok(&["get", &first]);
        assert_eq!(place.ok(&["get", "@last"]), "b", "reading changes nothing");
        place.ok(&["archive", &first]);
        assert_eq!(place.ok(&["get", "@last"]), "a");
    });
    let place = StoreAccess::local();
    place.ok(&["org", "add", "Acme"]);
    place.run(&["get", "@last"]).refused(1, &["there is no @last", "hint: "]);
}

#[test]
fn lists_and_searches_are_plain_when_piped() {
    at_both(|place| {
        let id = place.note("Plan \u{1b}[31mred", "the quick brown fox");
        place.ok(&["new", "bookmark", "https://example.org", "--tag", "reading"]);
        let list = place.ok(&["list"]);
        assert!(!list.contains('\u{1b}') && !list.contains('\t'), "{list:?}");
        let lines: Vec<&str> = list.split_terminator('\n').collect();
        assert_eq!(lines.len(), 3, "{list}");
        assert!(lines[0].starts_with("ID ") && lines[0].ends_with("  CHANGED"), "{list}");
        assert!(lines[2].starts_with(&format!("{id}  note      Plan \u{fffd}[31mred")), "{list}");
        assert!(lines[1].contains("  bookmark  https://example.org/") && lines[1].contains("  reading  20"), "{list}");
        assert_eq!(place.json(&["list", "--type", "bookmark"])["total"], 1);
        assert_eq!(place.json(&["list", "--tag", "reading", "--tag", "x", "--any-tag"])["total"], 1);
        assert_eq!(place.json(&["list", "--view", "deleted", "--view", "archived"])["total"], 0);
        assert_eq!(place.json(&["list", "--sort", "title", "--order", "asc", "--limit", "1"])["has_more"], true);
        let found = place.ok(&["search", "brown"]);
        assert_eq!(found, format!("{id}  note      Plan \u{fffd}[31mred\n    1: the quick brown fox\n"));
        assert_eq!(place.ok(&["search", "--regex", "qu\\w+k"]), found);
        let nothing = place.run(&["search", "zebra"]);
        assert_eq!((nothing.code, &*nothing.stdout, &*nothing.stderr), (Some(0), "", "nothing found\n"));
    });
}

#[test]
fn what_the_store_refuses_is_said_with_what_to_do() {
    at_both(|place| {
        place.ok(&["new", "prompt", "greet", "--content", "Hi"]);
        place.run(&["new", "note", " "]).refused(1, &["title"]);
        place.run(&["new", "bookmark", "nowhere"]).refused(1, &["url"]);
        place.run(&["new", "prompt", "greet", "--content", "Hi"]).refused(1, &["hint: "]);
        place.run(&["new", "prompt", "other", "--content", "{{ x"]).refused(1, &["hint: "]);
        place.run(&["new", "prompt", "other", "--content", "{{ x }}"]).refused(1, &["x"]);
        place.run(&["list", "--limit", "1000"]).refused(1, &["limit: must be a whole number from 1 to 100"]);
        place.run(&["search", "--regex", "("]).refused(1, &["hint: "]);
        place.run(&["get", "greet", "--lines", "9"]).refused(1, &["hint: "]);
        let binary = place.with_input(&["new", "note", "Binary", "-"], b"a\xff");
        binary.refused(1, &["stdin is not UTF-8", "byte 1", "hint: "]);
    });
}

#[test]
fn wrong_usage_is_code_2() {
    let place = StoreAccess::local();
    let wrong: &[&[&str]] = &[
        &["new", "note"],
        &["new", "note", "x", "y"],
        &["new", "note", "x", "--content", "a", "-"],
        &["new", "prompt", "x"],
        &["get"],
        &["get", "@last", "--lines", "x"],
        &["list", "--type", "song"],
        &["list", "--sort", "size"],
        &["edit", "@last", "--new", "x"],
        &["edit", "@last", "--old", "x"],
        &["edit", "@last", "--old-file", "-", "--new-file", "-"],
        &["patch", "@last"],
        &["patch", "@last", "1"],
        &["patch", "@last", "1", "2"],
        &["patch", "@last", "--op", "1,2"],
        &["render", "x", "y"],
        &["render", "x", "a=1", "a=2"],
        &["completions", "tcsh"],
        &["man", "frobnicate"],
    ];
    for arguments in wrong {
        let output = place.run(arguments);
        assert_eq!(output.code, Some(2), "{arguments:?}: {output:?}");
    }
    assert!(!place.sandbox.data_dir().exists());
    place.run(&["list"]).refused(1, &["there is no store in", "hint: "]);
    assert!(!place.sandbox.data_dir().exists());
}

#[test]
fn stdin_that_is_closed_and_a_pipe_that_is_broken_are_no_failures() {
    let place = StoreAccess::local();
    let made = place.with_input(&["new", "note", "Nothing", "-"], b"");
    assert_eq!(made.code, Some(0), "{made:?}");
    assert_eq!(place.json(&["get", "@last"])["content"], "");
    place.note("Long", &"a line that is long enough\n".repeat(4_000));
    for arguments in [&["get", "@last"][..], &["list"], &["get", "@last", "--json"], &["man"], &["completions", "bash"]]
    {
        let mut command = place.command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("its end");
        assert!(output.status.success() && output.stderr.is_empty(), "{arguments:?}: {output:?}");
    }
}

#[test]
fn a_bad_token_is_refused() {
    let place = StoreAccess::local();
    place.note("Plan", "x");
    let served = place.sandbox.serve(&[]);
    for arguments in [&["list"][..], &["new", "note", "x"], &["get", "01890000-0000-7000-8000-000000000000"]] {
        let mut command = place.command(arguments);
        let output = crate::harness::run(command.env("INTERLINE_URL", served.url()).env("INTERLINE_TOKEN", "il_wrong"));
        output.refused(1, &["hint: give a valid token"]);
    }
}
