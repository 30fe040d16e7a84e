use super::client::Transport;
use super::*;

fn entry() -> Entry {
    let args = ["mcp", "content"].map(str::to_owned).to_vec();
    Entry { name: "interline-content", command: "/bin/interline".to_owned(), args }
}

fn in_json(text: &str) -> Result<Change, Unfit> {
    json_text::with(text, "mcpServers", Transport::Implied, &entry())
}

/// What a text becomes, which is the same when it is done again.
#[track_caller]
fn becomes(with: impl Fn(&str) -> Result<Change, Unfit>, text: &str, after: &str) {
    let Ok(Change::Added(made) | Change::FieldChange(made)) = with(text) else { panic!("{:?}", with(text)) };
    assert_eq!(made, after);
    assert_eq!(with(&made), Ok(Change::Nothing));
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
    for text in ["{", "[]", "7", "{} {}", "{\"mcpServers\": {},}", "// servers\n{}"] {
        assert!(matches!(in_json(text), Err(Unfit::Unreadable(_))), "{text}");
    }
    for (text, what) in [
        (r#"{"mcpServers": []}"#, "mcpServers"),
        (r#"{"mcpServers": null}"#, "mcpServers"),
        (r#"{"mcpServers": {"interline-content": {"url": "http://x"}}}"#, "interline-content"),
        (r#"{"mcpServers": {"interline-content": 7}}"#, "interline-content"),
    ] {
        assert_eq!(in_json(text), Err(Unfit::Taken(what.to_owned())), "{text}");
    }
}

#[test]
fn every_other_byte_of_a_toml_file_stays() {
    let new = "[mcp_servers.interline-content]\ncommand = \"/bin/interline\"\nargs = [\"mcp\",\"content\"]\n";
    let with = |text: &str| toml_text::with(text, &entry());
    becomes(with, "", new);
    let other = "# mine\nmodel  = 'x'\n\n[mcp_servers.other]\ncommand = \"y\" # why";
    becomes(with, other, &format!("{other}\n\n{new}"));
    becomes(with, &format!("{other}\n"), &format!("{other}\n\n{new}"));
    becomes(
        with,
        "[mcp_servers.interline-content]\nargs = [\n  'x', # old\n]\ncommand = 'old' # here\n[mcp_servers.interline-content.env]\nA = '1'\n",
        "[mcp_servers.interline-content]\nargs = [\"mcp\",\"content\"]\ncommand = \"/bin/interline\" # here\n[mcp_servers.interline-content.env]\nA = '1'\n",
    );
    becomes(
        with,
        "[mcp_servers.interline-content]\ncommand = '/bin/interline'\nenabled = true\n",
        "[mcp_servers.interline-content]\ncommand = '/bin/interline'\nargs = [\"mcp\",\"content\"]\nenabled = true\n",
    );
    becomes(
        with,
        "mcp_servers = { interline-content = { command = 'x', args = [] } }\n",
        "mcp_servers = { interline-content = { command = \"/bin/interline\", args = [\"mcp\",\"content\"] } }\n",
    );
}

#[test]
fn a_toml_file_that_is_something_else_is_refused() {
    let with = |text: &str| toml_text::with(text, &entry());
    for text in ["[", "a = ", "mcp_servers = 7", "[mcp_servers.interline-content]\ncommand = 7"] {
        assert!(matches!(with(text), Err(Unfit::Unreadable(_))), "{text}");
    }
    for text in ["mcp_servers = {}", "[mcp_servers.interline-content]\nurl = 'http://x'"] {
        assert_eq!(with(text), Err(Unfit::Taken("mcp_servers.interline-content".to_owned())), "{text}");
    }
}
