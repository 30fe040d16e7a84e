//! JSONC: comments, trailing commas, line endings and byte order marks stay.

use jsonc_parser::ast;
use serde_json::{Map, Value, json};

use super::*;

/// The entry as members of an object on several lines, each line with that indentation.
fn lines(indent: &str) -> String {
    NEW.split('\n').skip(2).take(7).map(|line| format!("{indent}{}", &line[4..])).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_commented_file_is_edited_and_its_comments_stay() {
    let entry = lines("    ");
    let table = [
        ("// servers\n{}", format!("// servers\n{}", NEW.trim_end())),
        ("// only a comment", format!("// only a comment\n{NEW}")),
        ("/* only a comment */\n", format!("/* only a comment */\n{NEW}")),
        // Behind the comments of the last member's line, before those of other lines.
        (
            "{ // top\n  \"mcpServers\": {\n    // of z\n    \"z\": {\"command\": \"y\"} /* a */ // b\n    // end\n  } // c\n} // d\n",
            format!(
                "{{ // top\n  \"mcpServers\": {{\n    // of z\n    \"z\": {{\"command\": \"y\"}}, /* a */ // b\n{entry}\n    // end\n  }} // c\n}} // d\n"
            ),
        ),
        // A trailing comma stays one.
        (
            "{\n  \"mcpServers\": {\n    \"z\": {\"command\": \"y\"}, // a\n  },\n}\n",
            format!("{{\n  \"mcpServers\": {{\n    \"z\": {{\"command\": \"y\"}}, // a\n{entry},\n  }},\n}}\n"),
        ),
        ("{\"mcpServers\": {},}", "{\"mcpServers\": {\n".to_owned() + &lines("  ") + "\n},}"),
        // An object with nothing but a comment, on a line of its own or on that of the brace.
        (
            "{\n  \"mcpServers\": {\n    // none yet\n\n  }\n}\n",
            format!("{{\n  \"mcpServers\": {{\n    // none yet\n{entry}\n\n  }}\n}}\n"),
        ),
        (
            "{\n  \"mcpServers\": { /* none yet */ }\n}\n",
            format!("{{\n  \"mcpServers\": {{ /* none yet */\n{entry}\n  }}\n}}\n"),
        ),
        // Blank lines stay.
        (
            "{\n\n  \"mcpServers\": {\n\n    \"z\": {}\n\n  }\n\n}\n",
            format!("{{\n\n  \"mcpServers\": {{\n\n    \"z\": {{}},\n{entry}\n\n  }}\n\n}}\n"),
        ),
        // One line stays one, unless a comment ends it.
        (
            r#"{"mcpServers": {"z": {} /* a */}}"#,
            r#"{"mcpServers": {"z": {}, /* a */ "interline-content": {"command":"/bin/interline", "args": ["mcp","content"]}}}"#.to_owned(),
        ),
        (
            "{\"mcpServers\": {\"z\": {} // a\n}}",
            "{\"mcpServers\": {\"z\": {}, // a\n  \"interline-content\": {\"command\":\"/bin/interline\", \"args\": [\"mcp\",\"content\"]}\n}}".to_owned(),
        ),
    ];
    for (before, after) in table {
        becomes(in_json, before, &after);
    }
}

#[test]
fn an_entry_is_replaced_in_its_place() {
    becomes(
        in_json,
        "{\"mcpServers\": {\n  \"interline-content\": { // ours\n    \"args\": [\"x\"], /* old */\n    // the program\n    \"command\": \"/old\", // here\n    \"env\": {\"A\": \"1\",},\n  },\n  \"z\": {},\n}}",
        "{\"mcpServers\": {\n  \"interline-content\": { // ours\n    \"args\": [\n      \"mcp\",\n      \"content\"\n    ], /* old */\n    // the program\n    \"command\": \"/bin/interline\", // here\n    \"env\": {\"A\": \"1\",},\n  },\n  \"z\": {},\n}}",
    );
    // What is equal is not written again, whatever its form.
    let equal = r#"{"mcpServers": {"interline-content": {"args": ["mcp", /* c */ "c\u006fntent",], "command": "\/bin/interline"}}}"#;
    assert_eq!(in_json(equal), Ok(ConfigEdit::Unchanged));
}

#[test]
fn of_a_key_that_is_there_twice_the_last_counts() {
    becomes(
        in_json,
        r#"{"mcpServers": 7, "mcpServers": {"interline-content": 7, "interline-content": {"command": "a", "command": "b", "args": []}}}"#,
        r#"{"mcpServers": 7, "mcpServers": {"interline-content": 7, "interline-content": {"command": "a", "command": "/bin/interline", "args": ["mcp","content"]}}}"#,
    );
    let wrong = r#"{"mcpServers": {}, "mcpServers": 7}"#;
    assert_eq!(in_json(wrong), Err(EditError::NameTaken("mcpServers".to_owned())));
}

#[test]
fn liberties_that_clients_do_not_take_are_refused() {
    for text in [
        "{mcpServers: {}}",
        "{'mcpServers': {}}",
        "{\"a\": 1 \"b\": 2}",
        "{\"a\": 0x1}",
        "{\"a\": .5}",
        "{\"a\": +1}",
        "{\"a\": NaN}",
        "{\"a\": \"\\x41\"}",
        "{\"a\": 01}",
        "{\"a\": \"x\ny\"}",
        "{\"a\": \"x\ty\"}",
        "{\"a\": \"\0\"}",
        "{\"a\": \"\\ud800\"}",
        "{\"a\":\u{a0}1}",
        "{\u{b}}",
        "{}\u{2028}",
        "{}\u{feff}",
        "{} // a\n\u{c}",
        "# a\n{}",
        "{,}",
        "{} x",
    ] {
        assert!(matches!(in_json(text), Err(EditError::Unreadable(_))), "{text}");
    }
    let line = in_json("{\n  \"a\": \"x\n  \"\n}");
    assert_eq!(line, Err(EditError::Unreadable("Unexpected character on line 2".to_owned())));
}

#[test]
fn lines_end_as_they_did_and_a_byte_order_mark_stays() {
    let json = Format::Json { servers: "mcpServers", transport: Transport::Implied };
    let texts = [
        (json, "{\n  // a\n  \"mcpServers\": {\n    \"z\": {}, // b\n  },\n}\n"),
        (json, "{\n  \"mcpServers\": {}\n}"),
        (json, "{\n}"),
        (json, "// a\n"),
        (Format::Toml, "# a\nb = 1\n\n[mcp_servers.z]\ncommand = 'y' # c\n"),
        (Format::Toml, "[mcp_servers.interline-content]\ncommand = 'y' # c\nenabled = true"),
    ];
    for (format, text) in texts {
        let set = |text: &str| format.set_entries(text, &[entry()]).expect("it is set").0;
        let windows = |text: &str| text.replace('\n', "\r\n");
        assert_eq!(set(&windows(text)), windows(&set(text)));
        let marked = |text: &str| format!("\u{feff}{text}");
        assert_eq!(set(&marked(text)), marked(&set(text)));
        assert_eq!(set(&marked(&set(text))), marked(&set(text)), "a second time changes nothing");
    }
    assert_eq!(json.set_entries("\u{feff}", &[entry()]).expect("it is set").0, format!("\u{feff}{NEW}"));
}

/// A comment between any two tokens of a file stays, and the file means what it should.
#[test]
fn a_comment_may_stand_anywhere() {
    let documents = [
        r#"{ "mcpServers" : { } }"#,
        r#"{ "a" : [ 1 , 2 ] , "mcpServers" : { "z" : { "command" : "y" } , } , }"#,
        r#"{ "mcpServers" : { "interline-content" : { "command" : "y" } , "z" : { } } }"#,
        r#"{ "mcpServers" : { "interline-content" : { "args" : [ "x" ] , "command" : "y" , "on" : true , } } , "b" : null }"#,
        r#"{ "b" : "{" }"#,
    ];
    for document in documents {
        let tokens: Vec<&str> = document.split(' ').collect();
        for at in 0..=tokens.len() {
            for (comment, gap) in [("/* , } */", " "), ("// , {\n", "\n"), ("\n// {\n", ""), ("/*\n*/", "\n\t")] {
                let text = [&tokens[..at].join(gap), comment, &tokens[at..].join(gap)].concat();
                let Ok(ConfigEdit::Added(after) | ConfigEdit::Changed(after)) = in_json(&text) else {
                    panic!("{text:?}: {:?}", in_json(&text));
                };
                let mut expected = meaning(&text);
                expected["mcpServers"]["interline-content"]["command"] = json!("/bin/interline");
                expected["mcpServers"]["interline-content"]["args"] = json!(["mcp", "content"]);
                assert_eq!(meaning(&after), expected, "{text:?}: {after:?}");
                assert_eq!(in_json(&after), Ok(ConfigEdit::Unchanged), "{text:?}: {after:?}");
                // A comment inside a value that is replaced goes with it.
                let inside = tokens[..at].last() == Some(&"[") || tokens.get(at) == Some(&"]");
                let replaced = inside && document.contains("args");
                assert!(replaced || after.contains(comment.trim()), "{text:?}: {after:?}");
                let is_new = !document.contains("interline-content");
                // The blanks of an empty object make room for its first member.
                let kept = if document.contains("{ }") { text.replace(char::is_whitespace, "") } else { text.clone() };
                assert!(!is_new || is_within(&kept, &after), "{text:?}: {after:?}");
            }
        }
    }
}

/// Whether all bytes of a text are in another one, in their order.
fn is_within(text: &str, other: &str) -> bool {
    let mut rest = other.bytes();
    text.bytes().all(|byte| rest.any(|other| other == byte))
}

/// A JSONC text as its client reads it.
fn meaning(text: &str) -> Value {
    fn value(node: &ast::Value<'_>) -> Value {
        match node {
            ast::Value::StringLit(text) => json!(text.value),
            ast::Value::NumberLit(number) => serde_json::from_str(number.value).expect("a number"),
            ast::Value::BooleanLit(value) => json!(value.value),
            ast::Value::NullKeyword(_) => Value::Null,
            ast::Value::Array(array) => array.elements.iter().map(value).collect(),
            ast::Value::Object(object) => {
                let members = object.properties.iter();
                let members = members.map(|member| (member.name.as_str().to_owned(), value(&member.value)));
                Value::Object(Map::from_iter(members))
            }
        }
    }
    let parsed = jsonc_parser::parse_to_ast(text, &jsonc_parser::CollectOptions::default(), &<_>::default());
    value(&parsed.expect("JSONC").value.expect("a value"))
}
