//! Wrong usage, and stores that cannot be used.

use std::fs;

use crate::harness::{Sandbox, run};

#[test]
fn wrong_usage_is_code_2_and_makes_nothing() {
    let sandbox = Sandbox::new();
    let wrong: &[&[&str]] = &[
        &["frobnicate"],
        &["user", "add"],
        &["user", "list", "--unknown"],
        &["token", "add", "x", "--scope", "all"],
        &["token", "add", "x", "--kind", "song"],
        &["token", "add", "x", "--expires", "yesterday"],
        &["user", "list", "--url", "nonsense"],
        &["user", "list", "--url", "http://127.0.0.1:1", "--data-dir", "x"],
        &["user", "list", "--database", "mysql://x"],
        &["serve", "--listen", "x"],
        &["serve", "--listen", "a..b:4680"],
        &["serve", "--auth", "basic"],
        &["serve", "--rate-limit", "many"],
        &["serve", "--keep-trash", "0d"],
        &["serve", "--keep-history", "long"],
        &["serve", "--keep-events", "0d"],
        &["serve", "--keep-records", "0"],
        &["serve", "--listeners-per-user", "0"],
        &["serve", "--deliveries-per-user", "33"],
        &["serve", "--webhook-targets", "everywhere"],
        &["serve", "--mcp-writes", "never", "--auth", "none"],
        &["serve", "--mcp-writes", "propose"],
        &["mcp", "content", "--mcp-writes", "never"],
        &["mcp", "content", "--mcp-writes", "propose", "--url", "http://127.0.0.1:1"],
        &["mcp", "content", "--mcp-writes", "propose", "--as", "x"],
        &["mcp", "install", "--client", "cursor", "--propose", "--url", "http://127.0.0.1:1"],
        &["proposals", "0199", "--state", "pending"],
        &["proposals", "accept"],
        &["proposals", "accept", "0199", "--hunk", "x", "--content", "y"],
        &["proposals", "accept", "0199", "0200", "--hunk", "x"],
        &["serve", "--ai-url", "https://example.com/v1"],
        &["serve", "--ai-model", "small"],
        &["serve", "--ai-url", "example.com", "--ai-model", "small"],
        &["serve", "--config", "/nowhere"],
        &["serve", "--auth", "none", "--listen", "0.0.0.0:0"],
    ];
    for arguments in wrong {
        sandbox.run(arguments).refused(2, &[]);
    }
    assert!(!sandbox.data_dir().exists());
}

#[test]
fn without_authentication_other_machines_are_not_served() {
    let output = Sandbox::new().run(&["serve", "--auth", "none", "--listen", "0.0.0.0:0"]);
    output.refused(2, &["error: --auth: ", "loopback", "\nhint: use `--auth token`"]);
}

#[test]
fn an_unknown_key_is_named_with_its_file_and_line() {
    let sandbox = Sandbox::new();
    let file = sandbox.write("interline.toml", "log = \"warn\"\nlisten_on = \"127.0.0.1:0\"\n");
    let path = file.to_str().expect("UTF-8");
    sandbox.run(&["serve", "--config", path]).refused(2, &[path, "line 2", "`listen_on`", "hint: "]);
    run(sandbox.command(&["user", "list"]).env("INTERLINE_CONFIG", path)).refused(2, &["`listen_on`"]);
}

#[test]
fn help_and_version_are_code_0() {
    let sandbox = Sandbox::new();
    for arguments in [&["--help"][..], &["serve", "--help"], &["--version"], &["help", "token", "add"]] {
        let output = sandbox.run(arguments);
        assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{output:?}");
        assert!(output.stdout.contains("nterline"), "{output:?}");
    }
}

#[test]
fn a_store_that_does_not_open_is_code_3() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.data_dir()).expect("a folder");
    fs::write(sandbox.data_dir().join("interline.db"), "this is no database, and never was one").expect("a file");
    let file = sandbox.data_dir().join("interline.db");
    let says = [file.to_str().expect("UTF-8"), "the database cannot be opened"];
    sandbox.run(&["user", "list"]).refused(3, &says);
    sandbox.run(&["serve", "--listen", "127.0.0.1:0"]).refused(3, &["the database cannot be opened"]);

    let file = sandbox.write("file", "");
    let below = file.join("data");
    sandbox
        .run(&["user", "add", "grace", "--data-dir", below.to_str().expect("UTF-8")])
        .refused(3, &["data directory", "hint: "]);
}
