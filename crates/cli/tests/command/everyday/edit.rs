//! `edit` and `patch`: passages, lines, and editors that are small scripts.

use std::fs;

use super::store_access::{StoreAccess, at_both};
use crate::harness::run;

const TEXT: &str = "one\ntwo\nthree\nfour\nfive\n";

/// The file that an error names.
#[track_caller]
fn kept_text(stderr: &str) -> String {
    let path = stderr.split('\n').find_map(|line| line.strip_prefix("your text is in ")).expect("a file is named");
    let text = fs::read_to_string(path).expect("the file");
    fs::remove_file(path).expect("it is removed");
    text
}

#[test]
fn a_passage_is_replaced() {
    at_both(|place| {
        place.note("Plan", TEXT);
        let dry = place.ok(&["edit", "@last", "--old", "two", "--new", "2", "--dry-run"]);
        assert!(dry.starts_with("Plan would change (nothing was written):\n"), "{dry}");
        assert!(dry.contains("\n-two\n+2\n"), "{dry}");
        assert_eq!(place.ok(&["get", "@last"]), TEXT);
        let done = place.ok(&["edit", "@last", "--old", "two", "--new", "2"]);
        assert!(done.starts_with("Plan is at version 2:\n") && done.contains("\n+2\n"), "{done}");
        assert_eq!(place.ok(&["edit", "@last", "--old", "2", "--new", "2"]), "Plan stays as it is, at version 2.\n");
        let (old, new) = (place.sandbox.write("old", "four\n"), place.sandbox.write("new", "4\n"));
        place.ok(&[
            "edit",
            "@last",
            "--old-file",
            old.to_str().expect("UTF-8"),
            "--new-file",
            new.to_str().expect("UTF-8"),
        ]);
        let piped = place.with_input(&["edit", "@last", "--old", "five", "--new-file", "-", "--json"], b"5");
        assert_eq!(piped.code, Some(0), "{piped:?}");
        assert_eq!(place.ok(&["get", "@last"]), "one\n2\nthree\n4\n5\n");
        place.ok(&["edit", "@last", "--old", "e", "--new", "E", "--expected-matches", "3", "--match", "exact"]);
        assert_eq!(place.ok(&["get", "@last"]), "onE\n2\nthrEE\n4\n5\n");
    });
}

#[test]
fn a_refused_edit_says_what_is_near_and_offers_what_is_meant() {
    at_both(|place| {
        let text = "fn main() {\n    let total = compute(items);\n    println!(\"{total}\");\n}\n";
        place.note("Code", text);
        place.run(&["edit", "@last", "--old", "zebra", "--new", "x"]).refused(1, &["hint: "]);
        place.run(&["edit", "@last", "--old", "total", "--new", "x"]).refused(1, &["\nline 2:\n", "\nline 3:\n"]);
        let old = "    let total = compute(things);\n    println!(\"{total}\");";
        let new = "    let total = compute(things);\n    println!(\"sum {total}\");";
        let refused = place.run(&["edit", "@last", "--old", old, "--new", new]);
        refused.refused(1, &["% alike:", "probably this is meant", "--merged "]);
        let offer = refused.stderr.rsplit_once("--merged ").expect("an offer").1.trim().to_owned();
        assert!(refused.stderr.contains("\n  interline edit @last --old '    let total"), "{refused:?}");
        place.ok(&["edit", "@last", "--old", old, "--new", new, "--merged", &offer]);
        assert!(place.ok(&["get", "@last"]).contains("(items);\n    println!(\"sum {total}\");"));
        let stale = place.run(&["edit", "@last", "--old", "main", "--new", "x", "--expected-version", "1"]);
        stale.refused(1, &["what changed meanwhile:", "+    println!(\"sum"]);
    });
}

#[test]
fn lines_are_replaced_by_their_numbers() {
    at_both(|place| {
        place.note("Plan", TEXT);
        place.ok(&["patch", "@last", "2", "3", "--content", "2 and 3"]);
        assert_eq!(place.ok(&["get", "@last"]), "one\n2 and 3\nfour\nfive\n");
        let (head, tail) = (place.sandbox.write("head", "zero\n"), place.sandbox.write("tail", "six\n"));
        let head = format!("1,0,{}", head.display());
        let tail = format!("4,4,{}", tail.display());
        let dry = place.ok(&["patch", "@last", "--op", &head, "--op", &tail, "--dry-run"]);
        assert!(dry.contains("+zero") && dry.contains("-five\n+six"), "{dry}");
        place.ok(&["patch", "@last", "--op", &head, "--op", &tail]);
        assert_eq!(place.ok(&["get", "@last"]), "zero\none\n2 and 3\nfour\nsix\n");
        let piped = place.with_input(&["patch", "@last", "5", "5", "--content", "-"], b"last");
        assert_eq!(piped.code, Some(0), "{piped:?}");
        place.run(&["patch", "@last", "9", "12", "--content", "x"]).refused(1, &["operation 1: "]);
        place.run(&["patch", "@last", "--op", "1,1,/nowhere"]).refused(1, &["/nowhere"]);
    });
}

#[test]
fn an_editor_changes_the_whole_text() {
    at_both(|place| {
        place.note("Plan", "one\ntwo");
        let saved =
            place.with_editor(&["edit", "@last"], "case $1 in *.md) ;; *) exit 9;; esac\nsed -i s/two/2/ \"$1\"\n");
        assert_eq!(saved.code, Some(0), "{saved:?}");
        assert!(saved.stdout.starts_with("Saved note "), "{saved:?}");
        assert_eq!(place.ok(&["get", "@last"]), "one\n2");
        // vi ends every file with a line break.
        let same = place.with_editor(&["edit", "@last"], "echo >> \"$1\"\n");
        assert_eq!((same.code, &*same.stdout), (Some(0), "Plan is unchanged.\n"), "{same:?}");
        assert_eq!(place.json(&["get", "@last"])["version"], 2);
    });
}

#[test]
fn what_an_editor_leaves_is_never_lost() {
    at_both(|place| {
        place.ok(&["new", "prompt", "greet", "--content", "Hello\n"]);
        let failed = place.with_editor(&["edit", "greet"], "echo mine > \"$1\"\nexit 3\n");
        failed.refused(1, &["the editor failed", "hint: "]);
        assert_eq!(kept_text(&failed.stderr), "mine\n");
        let invalid = place.with_editor(&["edit", "greet"], "echo '{{ x' > \"$1\"\n");
        invalid.refused(1, &["hint: "]);
        assert_eq!(kept_text(&invalid.stderr), "{{ x\n");
        let binary = place.with_editor(&["edit", "greet"], "printf 'a\\377' > \"$1\"\n");
        binary.refused(1, &["not UTF-8", "your text is in "]);
        place.with_editor(&["edit", "greet"], "rm \"$1\"\n").refused(1, &["cannot be read"]);
        let mut missing = place.command(&["edit", "greet"]);
        let missing = run(missing.env("VISUAL", "/nowhere/editor").env("PATH", "/usr/bin:/bin"));
        assert_eq!(missing.code, Some(1), "{missing:?}");
        assert!(missing.stderr.contains("\nerror: the editor failed (/nowhere/editor: "), "{missing:?}");
        assert_eq!(kept_text(&missing.stderr), "Hello\n");
        assert_eq!(place.json(&["get", "greet"])["version"], 1);
    });
}

/// An editor that runs another command while it is open.
fn meanwhile(place: &StoreAccess, arguments: &str, then: &str) -> String {
    let mut command = place.command(&[]);
    let set = |(name, value): (&std::ffi::OsStr, Option<&std::ffi::OsStr>)| {
        Some(format!("export {}='{}'\n", name.to_str()?, value?.to_str()?))
    };
    let environment: String = command.get_envs().filter_map(set).collect();
    let program = command.stdin(std::process::Stdio::null()).get_program().display().to_string();
    format!("{environment}'{program}' {arguments} >&2 || exit 9\n{then}\n")
}

#[test]
fn changes_made_while_an_editor_is_open_are_merged() {
    at_both(|place| {
        place.note("Plan", TEXT);
        let script = meanwhile(place, "edit @last --old one --new 1", "sed -i s/five/5/ \"$1\"");
        let saved = place.with_editor(&["edit", "@last"], &script);
        assert_eq!(saved.code, Some(0), "{saved:?}");
        assert_eq!(place.ok(&["get", "@last"]), "1\ntwo\nthree\nfour\n5\n");
        assert_eq!(place.json(&["get", "@last"])["version"], 3);
    });
}

#[test]
fn changes_of_the_same_line_are_not_guessed() {
    at_both(|place| {
        place.note("Plan", TEXT);
        let script = meanwhile(place, "edit @last --old three --new 3", "sed -i s/three/drei/ \"$1\"");
        let refused = place.with_editor(&["edit", "@last"], &script);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert!(refused.stderr.contains("error: others changed the same lines meanwhile"), "{refused:?}");
        assert!(refused.stderr.contains("your lines 3-3, their lines 3-3"), "{refused:?}");
        assert_eq!(kept_text(&refused.stderr), TEXT.replace("three", "drei"));
        assert_eq!(place.ok(&["get", "@last"]), TEXT.replace("three", "3"));
    });
}

#[test]
fn a_prompt_is_written_in_an_editor() {
    let place = StoreAccess::local();
    let made =
        place.with_editor(&["new", "prompt", "greet", "--argument", "name!"], "echo 'Hello {{ name }}' > \"$1\"\n");
    assert_eq!(made.code, Some(0), "{made:?}");
    assert_eq!(place.ok(&["render", "greet", "name=Ada"]), "Hello Ada", "a template ends without its line break");
    place.with_editor(&["new", "prompt", "empty"], "true\n").refused(1, &["is empty"]);
    let taken = place.with_editor(&["new", "prompt", "greet"], "echo Hi > \"$1\"\n");
    taken.refused(1, &["hint: "]);
    assert_eq!(kept_text(&taken.stderr), "Hi\n");
}

#[test]
fn without_an_editor_and_a_terminal_a_passage_is_asked_for() {
    let place = StoreAccess::local();
    let id = place.note("Plan", "one\n");
    let mut command = place.command(&["edit", &id]);
    run(command.env_remove("EDITOR").env_remove("VISUAL")).refused(2, &["there is no editor", "--old"]);
}

#[test]
fn a_refused_edit_is_told_in_the_words_of_the_command() {
    at_both(|place| {
        let note = place.note("Plan", "one\ntwo\n");
        let missing = place.run(&["edit", &note, "--old", "elephants", "--new", "x"]);
        assert_eq!(missing.code, Some(1), "{missing:?}");
        assert!(missing.stderr.starts_with("error: `--old` was not found in the content\n"), "{missing:?}");
        place.ok(&["new", "note", "Empty"]);
        let empty = place.run(&["edit", "@last", "--old", "one", "--new", "x"]);
        assert_eq!(empty.code, Some(1), "{empty:?}");
        assert!(empty.stderr.contains("hint: `interline edit ITEM` alone opens it in an editor"), "{empty:?}");
    });
}
