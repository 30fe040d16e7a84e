//! What a configuration becomes, byte by byte.

mod comments;
mod hostile;
mod tables;

use super::client::Transport;
use super::*;

fn entry() -> ServerEntry {
    let args = ["mcp", "content"].map(str::to_owned).to_vec();
    ServerEntry { name: "interline-content", command: "/bin/interline".to_owned(), args }
}

/// Sets the entry in JSON.
fn in_json(text: &str) -> Result<ConfigEdit, EditError> {
    json_text::set_entry(text, "mcpServers", Transport::Implied, &entry())
}

/// What a text becomes, which is the same when it is done again.
#[track_caller]
fn becomes(with: impl Fn(&str) -> Result<ConfigEdit, EditError>, text: &str, after: &str) {
    let Ok(ConfigEdit::Added(made) | ConfigEdit::Changed(made)) = with(text) else { panic!("{:?}", with(text)) };
    assert_eq!(made, after);
    assert_eq!(with(&made), Ok(ConfigEdit::Unchanged));
}

const NEW: &str = r#"{
  "mcpServers": {
    "interline-content": {
      "command": "/bin/interline",
      "args": [
        "mcp",
        "content"
      ]
    }
  }
}
"#;

/// Sets the entry in TOML.
fn in_toml(text: &str) -> Result<ConfigEdit, EditError> {
    toml_text::set_entry(text, &entry())
}

#[test]
fn every_other_byte_of_a_json_file_stays() {
    let table = [
        ("", NEW),
        (" \n", NEW),
        ("{}\n", NEW),
        // Four blanks, an odd order, numbers as they are written, and no newline at the end.
        (
            "{\n    \"z\": 1.50,\n    \"mcpServers\": {\n        \"b\": {\"command\":\"x\"}\n    },\n    \"a\": \"\\u00e9\"\n}",
            "{\n    \"z\": 1.50,\n    \"mcpServers\": {\n        \"b\": {\"command\":\"x\"},\n        \"interline-content\": {\n            \"command\": \"/bin/interline\",\n            \"args\": [\n                \"mcp\",\n                \"content\"\n            ]\n        }\n    },\n    \"a\": \"\\u00e9\"\n}",
        ),
        // The depth of a file shows where its servers are empty.
        (
            "{\n\t\"mcpServers\": {}\n}",
            "{\n\t\"mcpServers\": {\n\t\t\"interline-content\": {\n\t\t\t\"command\": \"/bin/interline\",\n\t\t\t\"args\": [\n\t\t\t\t\"mcp\",\n\t\t\t\t\"content\"\n\t\t\t]\n\t\t}\n\t}\n}",
        ),
        // One line stays one.
        (
            r#"{"a":[{"mcpServers":{}}]}"#,
            r#"{"a":[{"mcpServers":{}}], "mcpServers": {"interline-content":{"command":"/bin/interline", "args": ["mcp","content"]}}}"#,
        ),
        // An entry that was installed before, from elsewhere: what was added by hand is kept.
        (
            r#"{"mcpServers": {"interline-content": {"env": {"A": "}"}, "command": "/old", "args": ["x"], "on": true}}}"#,
            r#"{"mcpServers": {"interline-content": {"env": {"A": "}"}, "command": "/bin/interline", "args": ["mcp","content"], "on": true}}}"#,
        ),
    ];
    for (before, after) in table {
        becomes(in_json, before, after);
    }
}

#[test]
fn a_json_file_that_is_something_else_is_refused() {
    for text in ["{", "[]", "7", "{} {}", "{\"mcpServers\": {},,}", "/* servers\n{}"] {
        assert!(matches!(in_json(text), Err(EditError::Unreadable(_))), "{text}");
    }
    for (text, what) in [
        (r#"{"mcpServers": []}"#, "mcpServers"),
        (r#"{"mcpServers": null}"#, "mcpServers"),
        (r#"{"mcpServers": {"interline-content": {"url": "http://x"}}}"#, "interline-content"),
        (r#"{"mcpServers": {"interline-content": 7}}"#, "interline-content"),
    ] {
        assert_eq!(in_json(text), Err(EditError::NameTaken(what.to_owned())), "{text}");
    }
}

#[test]
fn every_other_byte_of_a_toml_file_stays() {
    let new = "[mcp_servers.interline-content]\ncommand = \"/bin/interline\"\nargs = [\"mcp\",\"content\"]\n";
    becomes(in_toml, "", new);
    let other = "# mine\nmodel  = 'x'\n\n[mcp_servers.other]\ncommand = \"y\" # why";
    becomes(in_toml, other, &format!("{other}\n\n{new}"));
    becomes(in_toml, &format!("{other}\n"), &format!("{other}\n\n{new}"));
    becomes(
        in_toml,
        "[mcp_servers.interline-content]\nargs = [\n  'x', # old\n]\ncommand = 'old' # here\n[mcp_servers.interline-content.env]\nA = '1'\n",
        "[mcp_servers.interline-content]\nargs = [\"mcp\",\"content\"]\ncommand = \"/bin/interline\" # here\n[mcp_servers.interline-content.env]\nA = '1'\n",
    );
    becomes(
        in_toml,
        "[mcp_servers.interline-content]\ncommand = '/bin/interline'\nenabled = true\n",
        "[mcp_servers.interline-content]\ncommand = '/bin/interline'\nargs = [\"mcp\",\"content\"]\nenabled = true\n",
    );
    becomes(
        in_toml,
        "mcp_servers = { interline-content = { command = 'x', args = [] } }\n",
        "mcp_servers = { interline-content = { command = \"/bin/interline\", args = [\"mcp\",\"content\"] } }\n",
    );
}

#[test]
fn a_toml_file_that_is_something_else_is_refused() {
    for text in ["[", "a = ", "mcp_servers = 7", "[mcp_servers.interline-content]\ncommand = 7"] {
        assert!(matches!(in_toml(text), Err(EditError::Unreadable(_))), "{text}");
    }
    for text in ["mcp_servers = {}", "[mcp_servers.interline-content]\nurl = 'http://x'"] {
        assert_eq!(in_toml(text), Err(EditError::NameTaken("mcp_servers.interline-content".to_owned())), "{text}");
    }
}
