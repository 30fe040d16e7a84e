//! The ways in which TOML writes a table: headers, inline tables, dotted keys.

use super::*;

const ARGS: &str = r#"["mcp","content"]"#;

#[test]
fn an_entry_is_changed_however_its_table_is_written() {
    let command = r#""/bin/interline""#;
    let table = [
        // Inline tables.
        (
            "mcp_servers.interline-content = { command = 'x' }\n",
            format!("mcp_servers.interline-content = {{ command = {command}, args = {ARGS} }}\n"),
        ),
        (
            "[mcp_servers]\ninterline-content = {command = 'x', enabled = true} # a\nz = {}\n",
            format!(
                "[mcp_servers]\ninterline-content = {{command = {command}, args = {ARGS}, enabled = true}} # a\nz = {{}}\n"
            ),
        ),
        (
            "mcp_servers = { interline-content.command = 'x', z = {} }\n",
            format!(
                "mcp_servers = {{ interline-content.command = {command}, interline-content.args = {ARGS}, z = {{}} }}\n"
            ),
        ),
        // TOML 1.1 has lines, comments and trailing commas in them.
        (
            "mcp_servers.interline-content = {\n  command = 'x', # a\n}\n",
            format!("mcp_servers.interline-content = {{\n  command = {command}, args = {ARGS}, # a\n}}\n"),
        ),
        // Dotted keys, scattered and indented.
        (
            "mcp_servers.interline-content.command = 'x' # a\nb = 1\nmcp_servers . 'interline-content' . args = []\n",
            format!(
                "mcp_servers.interline-content.command = {command} # a\nb = 1\nmcp_servers . 'interline-content' . args = {ARGS}\n"
            ),
        ),
        (
            "[ mcp_servers ]\n  \"interline-content\" . command = 'x' # a\nz.command = 'y'",
            format!(
                "[ mcp_servers ]\n  \"interline-content\" . command = {command} # a\n  \"interline-content\" . args = {ARGS}\nz.command = 'y'"
            ),
        ),
        // The last line of a file, with a comment.
        (
            "[mcp_servers.interline-content]\n\tcommand = 'x' # a",
            format!("[mcp_servers.interline-content]\n\tcommand = {command} # a\n\targs = {ARGS}"),
        ),
        // Several lines.
        (
            "[mcp_servers.interline-content]\ncommand = '''\nx''' # a\nargs = [ # b\n  'mcp', # c\n]\n# d\n",
            format!("[mcp_servers.interline-content]\ncommand = {command} # a\nargs = {ARGS}\n# d\n"),
        ),
    ];
    for (before, after) in table {
        becomes(in_toml, before, &after);
    }
}

#[test]
fn a_new_entry_is_a_table_at_the_end_whatever_is_before() {
    let new = format!("[mcp_servers.interline-content]\ncommand = \"/bin/interline\"\nargs = {ARGS}\n");
    for before in [
        "mcp_servers.z.command = 'y'\n",
        "[mcp_servers]\nz.command = 'y'\n[b]\n# end\n",
        "[[b]]\na.x = 1\nc = [ 2, # d\n]\na.y = { e = 3 }\n",
        "[mcp_servers.z]\nargs = 7\ncommand = [[1]]\n",
    ] {
        becomes(in_toml, before, &format!("{before}\n{new}"));
    }
    becomes(in_toml, " \n", &format!(" \n{new}"));
}

#[test]
fn what_is_equal_is_not_written_again() {
    for text in [
        "[mcp_servers.interline-content]\nargs = [ 'mcp', # a\n  'content', ]\ncommand = '/bin/interline'\r\n",
        "mcp_servers = { interline-content = { command = '/bin/interline', args = ['mcp', 'content'] } }",
    ] {
        assert_eq!(in_toml(text), Ok(ConfigEdit::Unchanged), "{text}");
    }
}

#[test]
fn strings_of_every_kind_are_read_back() {
    let command = "/it's \"here\"\\\u{7f}\u{1}\n\u{e9}/interline".to_owned();
    let entry = ServerEntry { command, ..entry() };
    for text in ["", "mcp_servers.interline-content = { command = 'x' }\n"] {
        becomes_for(&entry, text);
    }
}

/// The text takes the entry, and a second time changes nothing.
#[track_caller]
fn becomes_for(entry: &ServerEntry, text: &str) {
    let Ok(ConfigEdit::Added(after) | ConfigEdit::Changed(after)) = toml_text::set_entry(text, entry) else {
        panic!("{:?}", toml_text::set_entry(text, entry))
    };
    assert_eq!(toml_text::set_entry(&after, entry), Ok(ConfigEdit::Unchanged), "{after}");
    let meaning: toml::Table = after.parse().expect("TOML");
    assert_eq!(meaning["mcp_servers"]["interline-content"]["command"].as_str(), Some(&*entry.command));
}

#[test]
fn tables_of_another_type_are_refused() {
    for (text, what) in [
        ("mcp_servers = 7", "`mcp_servers` is not a table"),
        ("mcp_servers = [{}]", "`mcp_servers` is not a table"),
        ("[[mcp_servers]]", "`mcp_servers` is not a table"),
        ("mcp_servers.interline-content = 7", "`mcp_servers.interline-content` is not a table"),
        ("[[mcp_servers.interline-content]]\ncommand = 'x'", "`mcp_servers.interline-content` is not a table"),
        ("mcp_servers.interline-content.command = 7", "`mcp_servers.interline-content.command` is not a string"),
        (
            "[mcp_servers.interline-content]\ncommand = 'x'\nargs = ['mcp', 7]",
            "`mcp_servers.interline-content.args` is not an array of strings",
        ),
    ] {
        assert_eq!(in_toml(text), Err(EditError::Unreadable(what.to_owned())), "{text}");
    }
    for text in ["a = 1\na = 2", "[a]\n[a]", "[mcp_servers.z]\n[mcp_servers.z]"] {
        let refused = in_toml(text);
        assert!(matches!(&refused, Err(EditError::Unreadable(why)) if why.contains("duplicate key")), "{refused:?}");
    }
}
