//! `import` and `export`.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::store_access::{StoreAccess, at_both};

/// A vault in a folder of the sandbox.
fn vault(place: &StoreAccess) -> PathBuf {
    let folder = place.sandbox.write("x", "").with_file_name("vault");
    for (name, text) in [
        ("Plan.md", "---\ntags: [work]\naliases: [the plan]\n---\n\nbegin\n"),
        ("deep/er/Note.md", "no front matter, [[Plan]]\r\nno newline"),
        ("picture.png", "no text"),
        (".obsidian/workspace.md", "settings"),
    ] {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, text).expect("a file");
    }
    folder
}

fn path(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

#[test]
fn a_vault_is_imported_once_however_often() {
    at_both(|place| {
        let folder = vault(place);
        let dry = place.json(&["import", path(&folder), "--dry-run"]);
        assert_eq!(
            (&dry["created"], &dry["attachments"], &dry["dry_run"]),
            (&2.into(), &1.into(), &true.into()),
            "{dry}"
        );
        assert_eq!(place.json(&["list"])["total"], 0, "nothing was written");
        let table = place.ok(&["import", path(&folder)]);
        assert!(
            table.starts_with("ITEMS        COUNT\ncreated      2\n") && table.ends_with("attachments  1\n"),
            "{table}"
        );
        let again = place.json(&["import", path(&folder)]);
        assert_eq!((&again["created"], &again["unchanged"]), (&0.into(), &2.into()), "{again}");
        let found = place.json(&["list", "--tag", "work"]);
        let id = found["items"][0]["id"].as_str().expect("the plan");
        assert_eq!(place.ok(&["get", id]), "\nbegin\n", "the blank line after the front matter belongs to the content");
        fs::write(folder.join("Plan.md"), "---\ntags: [work]\n---\n\nbegin anew\n").expect("a change");
        assert_eq!(place.json(&["import", path(&folder)])["updated"], 1);
        assert_eq!(place.ok(&["get", id]), "\nbegin anew\n");
    });
}

#[test]
fn what_cannot_be_read_is_reported_and_the_rest_goes_in() {
    let place = StoreAccess::local();
    let folder = vault(&place);
    symlink(&folder, folder.join("deep/loop")).expect("a link");
    symlink("nowhere", folder.join("broken.md")).expect("a link");
    fs::write(folder.join(std::ffi::OsStr::from_bytes(b"na\xffme.md")), "x").expect("a file");
    fs::write(folder.join("binary.md"), b"a\xff\xfeb").expect("a file");
    fs::File::create(folder.join("huge.md")).expect("a file").set_len(100 * 1024 * 1024).expect("its length");
    let report = place.json(&["import", path(&folder)]);
    assert_eq!(report["created"], 2, "{report}");
    let problems = report["problems"].as_array().expect("a list");
    let sources: Vec<&str> = problems.iter().filter_map(|problem| problem["source"].as_str()).collect();
    assert_eq!(problems.len(), 5, "{report}");
    for name in ["deep/loop", "broken.md", "binary.md", "huge.md"] {
        assert!(sources.contains(&name), "{name}: {sources:?}");
    }
    let strict = place.run(&["import", path(&folder), "--strict"]);
    assert_eq!(strict.code, Some(1), "{strict:?}");
    assert!(strict.stderr.contains("skipped: huge.md: it has 104857600 bytes"), "{strict:?}");
    place.run(&["import", "/nowhere"]).refused(1, &["/nowhere"]);
    let unknown = place.sandbox.write("unknown", "what is this?");
    place.run(&["import", path(&unknown)]).refused(1, &["cannot be told", "--from"]);
    place.run(&["import", path(&folder), "--from", "jsonl"]).refused(2, &["is a folder"]);
    place.run(&["import", path(&folder), "--from", "songs"]).refused(2, &[]);
}

#[test]
fn many_files_go_in_several_requests_and_are_indexed() {
    let place = StoreAccess::local();
    let folder = place.sandbox.write("x", "").with_file_name("many");
    fs::create_dir(&folder).expect("a folder");
    for number in 0..1_203 {
        fs::write(folder.join(format!("{number}.md")), format!("text {number}\n")).expect("a file");
    }
    let report = place.json(&["import", path(&folder)]);
    assert_eq!((&report["created"], &report["problems_total"]), (&1_203.into(), &0.into()), "{report}");
    assert!(unindexed(&place) < 256);
}

/// How many items every search must read.
fn unindexed(place: &StoreAccess) -> u64 {
    place.json(&["check"])["stale"].as_u64().expect("a count")
}

#[test]
fn what_a_command_changes_is_indexed_after_its_answer() {
    let place = StoreAccess::local();
    let folder = place.sandbox.write("x", "").with_file_name("tagged");
    fs::create_dir(&folder).expect("a folder");
    for number in 0..300 {
        fs::write(folder.join(format!("{number}.md")), "---\ntags: [one]\n---\ntext\n").expect("a file");
    }
    place.ok(&["import", path(&folder)]);
    assert!(unindexed(&place) < 256);
    assert_eq!(place.ok(&["tags", "rename", "one", "two"]), "Renamed tag one to two on 300 items.\n");
    assert!(unindexed(&place) < 256);
}

#[test]
fn an_import_that_the_disk_ends_says_so_and_goes_on_later() {
    let place = StoreAccess::local();
    let folder = place.sandbox.write("x", "").with_file_name("many");
    fs::create_dir(&folder).expect("a folder");
    for number in 0..1_200 {
        fs::write(folder.join(format!("{number}.md")), format!("{number} words\n").repeat(500)).expect("a file");
    }
    // No file may become longer than 4 MB: that is as good as a disk that fails.
    let import = place.command(&["import", path(&folder)]);
    let mut shell = std::process::Command::new("sh");
    shell.arg("-c").arg("trap '' XFSZ; ulimit -f 8192; exec \"$@\"").arg("sh").arg(import.get_program());
    shell.args(import.get_args()).env_clear();
    shell.envs(import.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = crate::harness::run(&mut shell);
    assert_eq!(output.code, Some(3), "{output:?}");
    assert!(output.stderr.contains("error: the store cannot do this now: the disk reports errors\n"), "{output:?}");
    assert!(output.stderr.contains("run the same command again to go on"), "{output:?}");
    let rest = place.json(&["import", path(&folder)]);
    let counted = |name: &str| rest[name].as_u64().expect("a count");
    assert_eq!(counted("created") + counted("unchanged"), 1_200, "{rest}");
    assert_eq!(place.json(&["list"])["total"], 1_200);
}

#[test]
fn bookmarks_are_imported_from_a_file_and_from_stdin() {
    at_both(|place| {
        let html = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"https://example.org/\" TAGS=\"a,b\">One</A>\n</DL><p>\n";
        let file = place.sandbox.write("bookmarks.html", html);
        assert_eq!(place.json(&["import", path(&file)])["created"], 1);
        let piped = place.with_input(&["import", "-", "--from", "bookmarks-html", "--json"], html.as_bytes());
        assert_eq!(piped.code, Some(0), "{piped:?}");
        assert_eq!(place.json(&["list", "--type", "bookmark"])["total"], 1);
        place.run(&["import", "-"]).refused(1, &["stdin", "--from"]);
    });
}

#[test]
fn files_of_the_same_name_in_two_folders_are_two_notes() {
    let place = StoreAccess::local();
    let (one, two) = (place.sandbox.write("a/README.md", "one\n"), place.sandbox.write("b/README.md", "two\n"));
    assert_eq!(place.json(&["import", path(&one)])["created"], 1);
    assert_eq!(place.json(&["import", path(&two)])["created"], 1);
    assert_eq!(place.json(&["import", path(&two)])["unchanged"], 1);
    assert_eq!(place.json(&["list"])["total"], 2);
}

#[test]
fn the_format_of_what_is_piped_is_told_by_how_it_begins() {
    let place = StoreAccess::local();
    place.note("Plan", "one\n");
    let export = place.ok(&["export", "-"]);
    let other = StoreAccess::local();
    let piped = other.with_input(&["import", "-", "--json"], export.as_bytes());
    assert_eq!(piped.code, Some(0), "{piped:?}");
    assert_eq!(other.ok(&["export", "-"]), export);
}

#[test]
fn an_export_comes_back_as_it_was() {
    at_both(|place| {
        place.note("Plan", "one\r\ntwo");
        place.ok(&["edit", "@last", "--old", "one", "--new", "1"]);
        place.ok(&["new", "bookmark", "https://example.org", "--tag", "reading"]);
        place.ok(&["new", "prompt", "greet", "--content", "Hello {{ name }}", "--argument", "name!"]);
        let file = place.sandbox.write("x", "").with_file_name("all.jsonl");
        place.ok(&["export", path(&file)]);
        let other = StoreAccess::local();
        let report = other.json(&["import", path(&file)]);
        assert_eq!((&report["created"], &report["problems_total"]), (&3.into(), &0.into()), "{report}");
        let back = other.sandbox.write("x", "").with_file_name("back.jsonl");
        other.ok(&["export", path(&back)]);
        let (sent, lines) = (fs::read_to_string(&file).expect("it"), fs::read_to_string(&back).expect("it"));
        assert_eq!(sent, lines, "byte for byte");
        assert_eq!(other.ok(&["export", "-"]), lines, "stdout is the same");
        assert!(place.ok(&["export", "-", "--to", "bookmarks-html"]).contains("https://example.org/"));
    });
}

#[test]
fn a_folder_gets_only_what_has_changed_and_nothing_outside_is_written() {
    at_both(|place| {
        place.note("Plan", "one\n");
        place.note("Other/../../name", "two\n");
        let folder = place.sandbox.write("x", "").with_file_name("out");
        let first = place.json(&["export", path(&folder)]);
        assert_eq!((&first["written"], &first["unchanged"]), (&2.into(), &0.into()));
        let again = place.json(&["export", path(&folder)]);
        assert_eq!((&again["written"], &again["unchanged"]), (&0.into(), &2.into()));
        place.ok(&["edit", "@last", "--old", "two", "--new", "2"]);
        assert_eq!(place.json(&["export", path(&folder)])["written"], 1);
        let beside = fs::read_dir(folder.parent().expect("a folder")).expect("it").count();
        place.ok(&["export", path(&folder)]);
        assert_eq!(fs::read_dir(folder.parent().expect("a folder")).expect("it").count(), beside);
        let report = StoreAccess::local().json(&["import", path(&folder)]);
        assert_eq!((&report["created"], &report["problems_total"]), (&2.into(), &0.into()), "{report}");
        let file = place.sandbox.write("file", "in the way");
        place.run(&["export", path(&file.join("below"))]).refused(1, &["below"]);
        place.run(&["export", "/nowhere/all.jsonl"]).refused(1, &["/nowhere/all.jsonl"]);
    });
}
