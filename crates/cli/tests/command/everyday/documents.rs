//! `completions` and `man`, the examples in the help, and what a terminal shows.

use super::store_access::StoreAccess;
use crate::harness::Sandbox;

const COMMANDS: [&str; 32] = [
    "new",
    "get",
    "list",
    "search",
    "edit",
    "patch",
    "render",
    "history",
    "diff",
    "changes",
    "review",
    "proposals",
    "undo",
    "blame",
    "restore",
    "archive",
    "unarchive",
    "rm",
    "tags",
    "import",
    "export",
    "org",
    "serve",
    "user",
    "token",
    "mcp",
    "events",
    "check",
    "completions",
    "man",
    "note",
    "bookmark",
];

#[test]
fn completions_know_every_command() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = sandbox.run(&["completions", shell]);
        assert_eq!(script.code, Some(0), "{shell}");
        for command in COMMANDS {
            assert!(script.stdout.contains(command), "{shell}: {command}");
        }
    }
}

#[test]
fn the_manual_has_every_command() {
    let sandbox = Sandbox::new();
    let page = sandbox.run(&["man"]).stdout;
    assert!(page.contains(".TH interline 1"), "{page}");
    for command in COMMANDS.iter().filter(|command| !["note", "bookmark"].contains(command)) {
        assert!(page.contains(&format!("interline\\-{command}(1)")), "{command}: {page}");
    }
    let page = sandbox.run(&["man", "new", "note"]).stdout;
    assert!(
        page.contains("interline\\-new\\-note") && page.contains("\\-\\-content") && page.contains("Examples:"),
        "{page}"
    );
    let folder = sandbox.data_dir().join("man1");
    let written = sandbox.run(&["man", "--dir", folder.to_str().expect("UTF-8")]);
    assert_eq!(written.code, Some(0), "{written:?}");
    assert!(folder.join("interline-tags-rename.1").exists());
}

#[test]
fn every_command_has_an_example() {
    fn check(sandbox: &Sandbox, path: &[&str]) {
        let help = sandbox.run(&[path, &["--help"]].concat()).stdout;
        match help.split_once("\nCommands:\n") {
            Some((_, below)) => {
                let below = below.split("\n\n").next().unwrap_or_default();
                for line in below.split('\n') {
                    let name = line.split_whitespace().next().unwrap_or_default();
                    if line.starts_with("  ") && !line.starts_with("   ") && name != "help" {
                        check(sandbox, &[path, &[name]].concat());
                    }
                }
            }
            None => assert!(help.contains("\nExample") && help.contains("\n  interline "), "{path:?}: {help}"),
        }
    }
    check(&Sandbox::new(), &[]);
}

#[test]
fn a_terminal_gets_tables_that_fit_and_colours_unless_unwanted() {
    let place = StoreAccess::local();
    let id = place.note("A title that is much longer than a narrow terminal is wide", "one\ntwo\n");
    let narrow = place.on_terminal(&["list"], &[("COLUMNS", "50"), ("NO_COLOR", "1")], "");
    let lines: Vec<&str> = narrow.split_terminator('\n').collect();
    assert!(lines.iter().all(|line| line.chars().count() <= 50), "{narrow}");
    assert!(lines[1].starts_with(&id[..13]) && lines[1].contains('…') && lines[1].ends_with("just now"), "{narrow}");
    let wide = place.on_terminal(&["list"], &[("COLUMNS", "150"), ("NO_COLOR", "1")], "");
    assert!(wide.contains("narrow terminal is wide") && !wide.contains('\u{1b}'), "{wide}");
    let edit = ["edit", "@last", "--old", "two", "--new", "2", "--dry-run"];
    assert!(place.on_terminal(&edit, &[], "").contains("\u{1b}[31m-two\u{1b}[0m\n\u{1b}[32m+2\u{1b}[0m"));
    assert!(!place.on_terminal(&edit, &[("NO_COLOR", "1")], "").contains('\u{1b}'));
    let page = place.on_terminal(&["get", "@last"], &[("NO_COLOR", "1")], "");
    assert!(page.starts_with("A title that is") && page.contains(&format!("note {id}, version 1")), "{page}");
    assert!(page.ends_with("\n\none\ntwo\n"), "{page}");
}
