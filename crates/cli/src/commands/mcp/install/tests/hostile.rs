//! Texts that are made to overflow the stack or to take long.

use super::*;

/// Deeper than any client nests, and far more than a stack holds.
const DEPTH: usize = 100_000;

#[test]
fn deep_nesting_is_refused() {
    let nested = |open: &str, close: &str| [open.repeat(DEPTH), close.repeat(DEPTH)].concat();
    for text in [
        nested("[", ""),
        nested("[", "]"),
        nested("{\"mcpServers\":", ""),
        format!("{{\"mcpServers\":{}}}", nested("[", "]")),
        format!("{{\"a\":{}}}", nested("{\"a\":[", "]}")),
    ] {
        assert!(matches!(in_json(&text), Err(EditError::Unreadable(_))), "{}", &text[..40]);
    }
    for text in [
        format!("a = {}", nested("[", "]")),
        format!("a = {}", nested("[", "")),
        format!("a = {}1{}", "{a = ".repeat(DEPTH), "}".repeat(DEPTH)),
        format!("[{}a]", "a.".repeat(DEPTH)),
        format!("{}a = 1", "a.".repeat(DEPTH)),
    ] {
        assert!(matches!(in_toml(&text), Err(EditError::Unreadable(_))), "{}", &text[..40]);
    }
}

#[test]
fn nesting_that_files_have_is_read() {
    let deep = format!("{{\"a\": {}{}}}", "[".repeat(100), "]".repeat(100));
    assert!(matches!(in_json(&deep), Ok(ConfigEdit::Added(_))));
    let deep = format!("a = {}{}", "[".repeat(50), "]".repeat(50));
    assert!(matches!(in_toml(&deep), Ok(ConfigEdit::Added(_))));
}

#[test]
fn many_comments_and_members_are_read() {
    let comments = "/* a */ // b\n".repeat(DEPTH);
    let members: String = (0..10_000).map(|number| format!("\"{number}\": {{}}, // c\n")).collect();
    let text = format!("{comments}{{ \"mcpServers\": {{\n{members}}} }}{comments}");
    let Ok(ConfigEdit::Added(after)) = in_json(&text) else { panic!("it is not added") };
    assert!(after.starts_with(&comments) && after.ends_with(&comments));
    let tables: String = (0..10_000).map(|number| format!("[mcp_servers.z{number}] # c\n")).collect();
    let Ok(ConfigEdit::Added(after)) = in_toml(&tables) else { panic!("it is not added") };
    assert!(after.starts_with(&tables));
}
