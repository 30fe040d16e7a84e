//! `history`, `diff`, `restore`, `archive`, `unarchive`, `rm`, `render`, `tags`, `org`.

use super::store_access::at_both;

#[test]
fn versions_are_listed_compared_and_restored() {
    at_both(|place| {
        place.note("Plan", "one\n");
        place.ok(&["edit", "@last", "--old", "one", "--new", "two"]);
        place.ok(&["edit", "@last", "--old", "two", "--new", "three"]);
        let history = place.ok(&["history", "@last"]);
        let lines: Vec<&str> = history.split_terminator('\n').collect();
        assert_eq!(lines.len(), 4, "{history}");
        assert!(lines[0].starts_with("VERSION  CHANGE ") && lines[3].starts_with("1        create"), "{history}");
        let diff = place.ok(&["diff", "@last"]);
        assert!(diff.contains("\n-two\n+three\n") && !diff.contains('\u{1b}'), "{diff}");
        assert!(place.ok(&["diff", "@last", "2"]).contains("\n-one\n+two\n"));
        assert!(place.ok(&["diff", "@last", "3", "1"]).contains("\n-one\n+three\n"));
        assert!(place.ok(&["diff", "@last", "1"]).contains("\n+one\n"));
        let same = place.run(&["diff", "@last", "2", "2"]);
        assert_eq!((same.code, &*same.stdout), (Some(0), ""), "{same:?}");
        assert_eq!(place.ok(&["get", "@last", "--version", "1"]), "one\n");
        assert!(place.ok(&["restore", "@last", "--version", "1"]).starts_with("Restored note "));
        assert_eq!(
            (place.ok(&["get", "@last"]), &place.json(&["get", "@last"])["version"]),
            ("one\n".to_owned(), &4.into())
        );
        place.run(&["diff", "@last", "99"]).refused(1, &["99", "hint: "]);
        place.run(&["restore", "@last", "--version", "99"]).refused(1, &["99"]);
    });
}

#[test]
fn items_are_archived_deleted_and_come_back() {
    at_both(|place| {
        let id = place.note("Plan", "x");
        place.ok(&["archive", &id]);
        assert_eq!(
            (&place.json(&["list"])["total"], &place.json(&["list", "--view", "archived"])["total"]),
            (&0.into(), &1.into())
        );
        place.ok(&["unarchive", &id]);
        let removed = place.ok(&["rm", &id]);
        assert_eq!(removed, format!("Moved {id} to the trash; `interline restore {id}` brings it back.\n"));
        place.run(&["edit", &id, "--old", "x", "--new", "y"]).refused(1, &["hint: "]);
        place.ok(&["restore", "@last"]);
        assert_eq!(place.ok(&["get", &id]), "x");
        assert_eq!(place.ok(&["rm", &id, "--permanent"]), format!("Removed {id} for ever.\n"));
        place.run(&["get", &id]).refused(1, &[&id]);
        place.ok(&["new", "prompt", "greet", "--content", "Hi"]);
        assert_eq!(place.ok(&["rm", "greet", "--json"]), "");
        assert!(place.ok(&["restore", "greet"]).starts_with("Restored prompt "), "a deleted prompt has its name");
    });
}

#[test]
fn prompts_are_rendered() {
    at_both(|place| {
        let arguments = ["--argument", "name:whom!", "--argument", "mood"];
        let content = "Hello {{ name }}{% if mood %}, {{ mood }}{% endif %}";
        place.ok(&[&["new", "prompt", "greet", "--content", content], &arguments[..]].concat());
        assert_eq!(place.ok(&["render", "greet", "name=A=B"]), "Hello A=B");
        assert_eq!(place.json(&["render", "greet", "name=Ada", "mood=glad"])["rendered"], "Hello Ada, glad");
        place.run(&["render", "greet"]).refused(1, &["name", "hint: "]);
        place.run(&["render", "greet", "name=x", "age=3"]).refused(1, &["age"]);
        place.note("Plan", "x");
        place.run(&["render", "@last"]).refused(1, &[]);
    });
}

#[test]
fn tags_are_counted_renamed_and_removed() {
    at_both(|place| {
        place.ok(&["new", "note", "A", "--tag", "todo", "--tag", "home"]);
        place.ok(&["new", "bookmark", "https://example.org", "--tag", "todo"]);
        assert_eq!(place.ok(&["tags"]), "TAG   ITEMS\nhome  1\ntodo  2\n");
        assert_eq!(place.ok(&["tags", "--type", "note"]), "TAG   ITEMS\nhome  1\ntodo  1\n");
        assert_eq!(place.ok(&["tags", "rename", "todo", "to-do"]), "Renamed tag todo to to-do on 2 items.\n");
        assert_eq!(place.json(&["tags", "rename", "to-do", "do"])["changed"], 2);
        assert_eq!(place.ok(&["tags", "rm", "home"]), "Removed tag home.\n");
        assert_eq!(place.ok(&["tags"]), "TAG  ITEMS\ndo   2\n");
        place.run(&["tags", "rm", "home"]).refused(1, &["home", "hint: "]);
        place.run(&["tags", "rm", ".."]).refused(1, &[".."]);
        place.run(&["tags", "rename", "do", "a b"]).refused(1, &["new_name"]);
    });
}

#[test]
fn organizations_are_added_and_listed() {
    at_both(|place| {
        assert!(place.ok(&["org", "add", "Acme", "--domain", "acme.example"]).starts_with("Added organization "));
        let list = place.ok(&["org", "list"]);
        assert!(list.starts_with("ID ") && list.contains("  Acme  acme.example\n"), "{list}");
        assert_eq!(place.json(&["org", "list"]), place.rest("/organizations"));
        place.run(&["org", "add", " "]).refused(1, &["name"]);
    });
}
