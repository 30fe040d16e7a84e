//! docs/command-line.md, docs/import.md and docs/review.md: every command in them runs, one after the other.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::store_access::at_both;
use crate::harness::Sandbox;
use crate::mcp_client::McpClient;

/// The commands of the blocks that are `console`.
fn commands(text: &str) -> Vec<&str> {
    let mut commands = Vec::new();
    let mut is_console = false;
    for line in text.split('\n') {
        match line.strip_prefix("```") {
            Some(kind) => is_console = kind == "console",
            None if is_console => commands.push(line.strip_prefix("$ ").expect("a command")),
            None => {}
        }
    }
    commands
}

#[test]
fn every_command_of_the_page_about_the_command_line_runs() {
    check("command-line.md", 30);
}

#[test]
fn every_command_of_the_page_about_import_runs() {
    check("import.md", 8);
}

#[test]
fn every_command_of_the_page_about_review_runs() {
    check("review.md", 16);
}

/// Lets an agent propose a note; the id of the proposal.
fn new_proposal(sandbox: &Sandbox) -> String {
    let mut agent = McpClient::connect(sandbox, "content", &["--mcp-writes", "propose"]);
    let answer = agent.call_tool("create_note", json!({"title": "Plan", "content": "Call Ada on Tuesday"}));
    agent.close();
    answer["proposal"]["id"].as_str().expect("an id").to_owned()
}

/// Runs the commands of a page, which has at least so many.
fn check(page: &str, least: usize) {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
    let page = fs::read_to_string(page).expect("the page");
    let commands = commands(&page);
    assert!(commands.len() >= least, "{commands:?}");
    at_both(|place| {
        let folder = place.sandbox.write("bin", "").with_file_name("work");
        fs::create_dir(&folder).expect("a folder");
        let typed = place.command(&[]);
        let program = Path::new(typed.get_program()).parent().expect("its folder").to_owned();
        for command in &commands {
            let mut shell = Command::new("/bin/sh");
            shell.arg("-c").arg(command).current_dir(&folder).env_clear();
            shell.envs(typed.get_envs().filter_map(|(name, value)| Some((name, value?))));
            shell.env("PATH", format!("{}:/usr/bin:/bin", program.display()));
            if command.contains("$SET") {
                let newest = place.json(&["changes", "--limit", "1"]);
                shell.env("SET", newest["items"][0]["id"].as_str().expect("a change set"));
            }
            if command.contains("$PROPOSAL") {
                shell.env("PROPOSAL", new_proposal(&place.sandbox));
            }
            let output = shell.output().expect("sh runs");
            assert!(output.status.success(), "{command}: {output:?}");
        }
    });
}
