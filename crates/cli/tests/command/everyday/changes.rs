//! `changes`, `review`, `undo`, `blame`: what agents did is seen, kept and taken back; `--reason` and the client's name.

use serde_json::{Value, json};

use super::store_access::{StoreAccess, at_both};
use crate::harness::CommandOutput;
use crate::mcp_client::McpClient;

const NO_ID: &str = "01990000-0000-7000-8000-000000000000";

/// Lets an agent change the first and the last of ten lines of a new note; the ids of the note and of the change set.
fn edited(place: &StoreAccess) -> (String, String) {
    let note = place.note("Plan", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
    let mut agent = McpClient::connect(&place.sandbox, "content", &[]);
    for (old, new, reason) in [("1\n2", "one\n2", "words, not digits"), ("10", "ten", "the last one, too")] {
        let edit = json!({"id": note, "old_str": old, "new_str": new, "reason": reason});
        agent.call_tool("edit_content", edit);
    }
    agent.close();
    let sets = place.json(&["changes", "--state", "unreviewed", "--item", &note]);
    let set = sets["items"][0]["id"].as_str().expect("a set").to_owned();
    (note, set)
}

fn unreviewed(place: &StoreAccess) -> Vec<Value> {
    place.json(&["changes", "--state", "unreviewed"])["items"].as_array().expect("sets").clone()
}

#[test]
fn change_sets_are_listed_by_who_and_why() {
    at_both(|place| {
        let (note, set) = edited(place);
        let list = place.ok(&["changes", "--state", "unreviewed"]);
        let lines: Vec<&str> = list.split_terminator('\n').collect();
        assert!(lines[0].starts_with("ID ") && lines[0].ends_with("  STATE       ITEMS  LINES  REASON"), "{list}");
        assert!(lines[1].starts_with(&set) && lines[1].contains("  test (ada)  unreviewed  Plan   +2 -2  "), "{list}");
        assert!(lines[1].ends_with("  words, not digits"), "{list}");
        assert_eq!(place.json(&["changes"]), place.rest("/changes"));
        for (arguments, found) in [
            (&["--agent"][..], 1),
            (&["--client", "test"], 1),
            (&["--client", "interline-cli"], 1),
            (&["--client", "nobody"], 0),
            (&["--item", &note[..13], "--state", "kept"], 1),
            (&["--limit", "1"], 1),
            (&[], 2),
        ] {
            let sets = place.json(&[&["changes"], arguments].concat());
            assert_eq!(sets["items"].as_array().map(Vec::len), Some(found), "{arguments:?}: {sets}");
        }
        place.run(&["changes", "--limit", "0"]).refused(1, &["limit"]);
        place.run(&["changes", &set, "--agent"]).refused(2, &[]);
    });
}

#[test]
fn a_change_set_is_shown_with_the_ids_of_its_hunks() {
    at_both(|place| {
        let (note, set) = edited(place);
        let details = place.rest(&format!("/changes/{set}"));
        assert_eq!(place.json(&["changes", &set]), details);
        let hunk = |index: usize| details["items"][0]["hunks"][index]["id"].as_str().expect("an id").to_owned();
        let shown = place.ok(&["changes", &set]);
        assert!(shown.starts_with("words, not digits\nthe last one, too\nada via test 1 (an agent), "), "{shown}");
        assert!(
            shown.contains(&format!("\nchange set {set}, unreviewed\n\nPlan  +2 -2\nnote {note}, version 1 to 3\n"))
        );
        let first = format!("\nhunk {}, line 1\n@@ -1,4 +1,4 @@\n-1\n+one\n 2\n", hunk(0));
        let second = format!("\nhunk {}, line 10\n@@ -7,4 +7,4 @@\n 7\n 8\n 9\n-10\n+ten\n", hunk(1));
        assert!(shown.contains(&first) && shown.ends_with(&second), "{shown}");
        assert_eq!(place.ok(&["changes", &set[..23]]), shown, "a beginning is a name");
        for name in ["abc", "ffff", "plan", NO_ID] {
            place.run(&["changes", name]).refused(1, &["error: ", "hint: "]);
        }
        let all = place.run(&["changes", &set[..4]]);
        all.refused(1, &["2 change sets begin with", &set, "hint: write more of the id"]);
    });
}

#[test]
fn an_undo_keeps_what_came_later_and_is_undone_by_its_id() {
    at_both(|place| {
        let (note, set) = edited(place);
        place.ok(&["edit", &note, "--old", "5", "--new", "five"]);
        let undone = place.ok(&["undo", &set[..23], "--reason", "Ziffern, bitte: größer\nals Wörter"]);
        assert!(undone.starts_with("Took back the changes of:\n  Plan (note "), "{undone}");
        assert_eq!(place.ok(&["get", &note]), "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n");
        let newest = place.json(&["changes", "--limit", "1"])["items"][0].clone();
        assert_eq!(newest["reasons"], json!(["Ziffern, bitte: größer als Wörter"]));
        let undo = newest["id"].as_str().expect("an id");
        assert!(undone.ends_with(&format!("That is change set {undo}; `interline undo {undo}` brings them back.\n")));
        assert_eq!(place.ok(&["undo", &set]), "Nothing was left to take back.\n");
        assert_eq!(place.json(&["changes", &set])["state"], "undone");
        place.ok(&["undo", undo]);
        assert_eq!(place.ok(&["get", &note]), "one\n2\n3\n4\nfive\n6\n7\n8\n9\nten\n");
    });
}

#[test]
fn some_of_a_set_is_taken_back() {
    at_both(|place| {
        let (note, set) = edited(place);
        let other = place.note("Other", "x");
        let hunk = place.json(&["changes", &set])["items"][0]["hunks"][1]["id"].as_str().expect("an id").to_owned();
        place.run(&["undo", &set, "--hunk", "no-such-hunk"]).refused(1, &["no-such-hunk"]);
        place.ok(&["undo", &set, "--hunk", &hunk]);
        assert_eq!(place.ok(&["get", &note]), "one\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
        assert_eq!(place.json(&["changes", &set])["state"], "partly_undone");
        assert_eq!(place.json(&["undo", &set, "--item", &note])["skipped"], json!([]));
        assert_eq!(place.ok(&["get", &note]), "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
        assert_ne!(place.run(&["undo", &set, "--item", &other]).code, Some(3));
    });
}

#[test]
fn an_undo_in_conflict_is_refused_with_the_places() {
    at_both(|place| {
        let (note, set) = edited(place);
        place.ok(&["edit", &note, "--old", "ten", "--new", "X"]);
        let places = [
            "error: others changed the same since, and nothing was taken back:\n",
            &format!("\n  Plan ({note}): the same lines were changed later\n    line 10:\n"),
            "      the set wrote: ten\n      now there is:  X\n",
            &format!("hint: `interline undo {set} --skip-conflicts`"),
        ];
        place.run(&["undo", &set]).refused(1, &places);
        place.run(&["undo", &set, "--skip-conflicts"]).refused(1, &["error: everything is in conflict", &note]);
        assert_eq!(place.ok(&["get", &note]), "one\n2\n3\n4\n5\n6\n7\n8\n9\nX\n");
        assert_eq!(unreviewed(place).len(), 1);
    });
}

#[test]
fn without_a_terminal_the_inbox_is_listed_and_sets_are_kept_by_name() {
    at_both(|place| {
        assert_eq!(place.note("Own", "x").len(), 36);
        assert_eq!(place.ok(&["review"]), "Nothing to review.\n");
        let (_, set) = edited(place);
        let CommandOutput { code, stdout, stderr } = place.with_input(&["review"], b"y\n");
        assert_eq!((code, stdout), (Some(0), place.ok(&["changes", "--state", "unreviewed"])));
        assert!(stderr.starts_with("hint: ") && stderr.contains("interline review --yes SET"), "{stderr}");
        assert_eq!(place.json(&["review"]), place.json(&["changes", "--state", "unreviewed", "--limit", "100"]));
        place.run(&["review", "--yes", NO_ID]).refused(1, &[NO_ID]);
        assert_eq!(place.ok(&["review", "--yes", &set]), format!("Kept {set} (Plan).\n"));
        assert!(unreviewed(place).is_empty());
    });
}

#[test]
fn on_a_terminal_each_set_of_the_inbox_is_asked_about() {
    at_both(|place| {
        let (kept, undone, in_conflict) = (edited(place), edited(place), edited(place));
        place.ok(&["edit", &in_conflict.0, "--old", "ten", "--new", "X"]);
        // Newest first. What is no answer is asked again.
        let shown = place.on_terminal(&["review", "--reason", "seen"], &[("NO_COLOR", "1")], "n\n?\nN\nyes\n");
        assert_eq!(shown.matches("Keep it? [y]es keep, [n]o undo, [s]kip, [q]uit: ").count(), 4, "{shown}");
        for part in ["1 of 3", "3 of 3", "the same lines were changed later", "Took back the changes of:", "Kept.\n"] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert!(shown.ends_with("1 kept, 1 taken back, 1 left.\n"), "{shown}");
        let state = |set: &str| place.json(&["changes", set])["state"].as_str().expect("a state").to_owned();
        assert_eq!([&kept, &undone, &in_conflict].map(|(_, set)| state(set)), ["kept", "undone", "unreviewed"]);
        assert_eq!(place.json(&["history", &undone.0])["items"][0]["reason"], "seen");
        let shown = place.on_terminal(&["review"], &[], "q\n");
        assert!(shown.ends_with("0 kept, 0 taken back, 1 left.\n"), "{shown}");
        assert!(shown.contains("\u{1b}[32m+one\u{1b}[0m"), "{shown}");
    });
}

#[test]
fn every_line_has_its_author() {
    at_both(|place| {
        let (note, set) = edited(place);
        let blame = place.json(&["blame", &note]);
        assert_eq!(blame, place.rest(&format!("/notes/{note}/blame")));
        let range = |index: usize| {
            let range = &blame["ranges"][index];
            [&range["start_line"], &range["version"], &range["client"]["name"]].map(Value::to_string).join(" ")
        };
        let expected = ["1 2 \"test\"", "2 1 \"interline-cli\"", "10 3 \"test\""];
        assert_eq!([range(0), range(1), range(2)], expected, "{blame}");
        assert_eq!(blame["ranges"][0]["change_set"], set.as_str(), "{blame}");
        let shown = place.ok(&["blame", "@last"]);
        let lines: Vec<&str> = shown.split_terminator('\n').collect();
        assert_eq!(lines.len(), 10, "{shown}");
        assert!(lines[0].starts_with("2  test (ada)           20") && lines[0].ends_with("   1  one"), "{shown}");
        assert!(lines[5].starts_with("1  interline-cli (ada)  20") && lines[5].ends_with("   6  6"), "{shown}");
        assert!(lines[9].ends_with("  10  ten"), "{shown}");
        place.run(&["blame", NO_ID]).refused(1, &[NO_ID]);
    });
}

#[test]
fn every_write_has_the_reason_and_the_name_of_the_command_line() {
    at_both(|place| {
        let why = ["--reason", "because"];
        let made = place.json(&[&["new", "note", "Plan", "--content", "one\n", "--tag", "a"][..], &why].concat());
        let note = made["id"].as_str().expect("an id");
        for arguments in [
            &["edit", note, "--old", "one", "--new", "two"][..],
            &["patch", note, "1", "1", "--content", "three"],
            &["restore", note, "--version", "1"],
            &["tags", "rename", "a", "b"],
            &["archive", note],
            &["unarchive", note],
            &["rm", note],
            &["restore", note],
        ] {
            place.ok(&[arguments, &why].concat());
        }
        let history = place.json(&["history", note]);
        let records = history["items"].as_array().expect("records");
        assert_eq!(records.len(), 9, "{history}");
        for record in records {
            assert_eq!(record["reason"], "because", "{record}");
            let client = json!({"name": "interline-cli", "version": env!("CARGO_PKG_VERSION")});
            assert_eq!(record["client"], client, "{record}");
        }
        let long = "x".repeat(501);
        place.run(&["archive", note, "--reason", &long]).refused(1, &["reason: ", "500"]);
        place.run(&["archive", note, "--reason", "\u{7}"]).refused(2, &["--reason"]);
    });
}
