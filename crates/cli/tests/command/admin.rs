//! `user` and `token` on the local store.

use serde_json::Value;

use crate::harness::Sandbox;

/// The keys of an object, in alphabetical order.
fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().expect("an object").keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().expect("text")
}

const USER: [&str; 6] = ["admin", "created_at", "email", "id", "name", "organization_id"];
const TOKEN: [&str; 11] = [
    "agent",
    "created_at",
    "expires_at",
    "id",
    "kinds",
    "last_used_at",
    "name",
    "prefix",
    "scopes",
    "spaces",
    "writes",
];

#[test]
fn users_have_the_shapes_of_the_api() {
    let sandbox = Sandbox::new();
    let new = sandbox.json(&["user", "add", "grace", "--email", "grace@example.org", "--admin"]);
    let mut with_token = USER.to_vec();
    with_token.push("token");
    assert_eq!(keys(&new), with_token);
    assert_eq!((text(&new, "name"), text(&new, "email")), ("grace", "grace@example.org"));
    assert_eq!(new["admin"], true);
    assert!(text(&new, "token").starts_with("il_") && text(&new, "created_at").ends_with('Z'), "{new}");

    let plain = sandbox.json(&["user", "add", "linus"]);
    assert_eq!((&plain["admin"], &plain["email"]), (&Value::Bool(false), &Value::Null));

    let list = sandbox.json(&["user", "list"]);
    assert_eq!(keys(&list), ["users"]);
    let users = list["users"].as_array().expect("a list");
    assert_eq!(users.iter().map(|user| text(user, "name")).collect::<Vec<_>>(), ["ada", "grace", "linus"]);
    assert!(users.iter().all(|user| keys(user) == USER), "{list}");
}

#[test]
fn tokens_have_the_shapes_of_the_api() {
    let sandbox = Sandbox::new();
    sandbox.json(&["user", "add", "grace"]);
    let narrow = ["--scope", "read", "--scope", "write", "--kind", "note", "--expires", "30d"];
    let new = sandbox.json(&[&["token", "add", "laptop", "--user", "grace"], &narrow[..]].concat());
    let mut with_token = TOKEN.to_vec();
    with_token.push("token");
    with_token.sort_unstable();
    assert_eq!(keys(&new), with_token);
    assert_eq!(new["scopes"], serde_json::json!(["read", "write"]));
    assert_eq!(new["kinds"], serde_json::json!(["note"]));
    assert!(text(&new, "expires_at").ends_with('Z') && text(&new, "token").starts_with(text(&new, "prefix")), "{new}");

    let list = sandbox.json(&["token", "list", "--user", "grace"]);
    let tokens = list["tokens"].as_array().expect("a list");
    assert_eq!(tokens.iter().map(|token| text(token, "name")).collect::<Vec<_>>(), ["first", "laptop"]);
    assert!(tokens.iter().all(|token| keys(token) == TOKEN), "{list}");

    let own = sandbox.json(&["token", "add", "whole"]);
    assert_eq!(own["scopes"], serde_json::json!(["read", "write", "admin", "review"]));
    assert_eq!((&own["kinds"], &own["expires_at"]), (&Value::Null, &Value::Null));
    let list = sandbox.json(&["token", "list"]);
    assert_eq!(list["tokens"].as_array().map(Vec::len), Some(2), "the owner's alone: {list}");
}

#[test]
fn people_get_tables() {
    let sandbox = Sandbox::new();
    sandbox.json(&["user", "add", "grace", "--email", "grace@example.org"]);
    let users = sandbox.run(&["user", "list"]);
    let lines: Vec<&str> = users.stdout.split_terminator('\n').collect();
    assert_eq!(lines.len(), 3, "{users:?}");
    assert!(lines[0].starts_with("ID ") && lines[0].contains("  NAME   EMAIL "), "{users:?}");
    assert!(lines[0].ends_with("  ROLE    CREATED (UTC)"), "{users:?}");
    assert!(lines[1].contains("  ada    -                  admin   20"), "{users:?}");
    assert!(lines[2].contains("  grace  grace@example.org  member  20"), "{users:?}");
    assert_eq!((users.code, users.stderr.as_str()), (Some(0), ""));

    let tokens = sandbox.run(&["token", "list"]);
    assert!(
        tokens.stdout.contains("  first  il_")
            && tokens.stdout.contains("  person  apply   read,write,admin,review  all  "),
        "{tokens:?}"
    );
    assert!(tokens.stdout.contains("  PREFIX ") && tokens.stdout.contains("  CREATED (UTC) "), "{tokens:?}");
    let added = sandbox.run(&["user", "add", "linus"]);
    assert!(added.stdout.starts_with("Token for linus (shown only once):\n\n    il_"), "{added:?}");
    sandbox.json(&["token", "add", "bot", "--agent", "--propose", "--scope", "write"]);
    let tokens = sandbox.run(&["token", "list"]);
    assert!(tokens.stdout.contains("  agent   propose  write "), "{tokens:?}");
    let added = sandbox.run(&["token", "add", "laptop"]);
    assert!(added.stdout.starts_with("Token laptop (shown only once):\n\n    il_"), "{added:?}");
}

#[test]
fn a_token_is_removed_whosever_it_is() {
    let sandbox = Sandbox::new();
    sandbox.json(&["user", "add", "grace"]);
    let new = sandbox.json(&["token", "add", "laptop", "--user", "grace"]);
    let removed = sandbox.run(&["token", "remove", text(&new, "id")]);
    assert_eq!(removed.code, Some(0), "{removed:?}");
    assert_eq!(sandbox.json(&["token", "list", "--user", "grace"])["tokens"].as_array().map(Vec::len), Some(1));
    sandbox.run(&["token", "remove", text(&new, "id")]).refused(1, &["there is no token", "hint: "]);
}

#[test]
fn a_token_is_renamed_whosever_it_is() {
    let sandbox = Sandbox::new();
    sandbox.json(&["user", "add", "grace"]);
    let new = sandbox.json(&["token", "add", " laptop ", "--user", "grace"]);
    assert_eq!(text(&new, "name"), "laptop");
    let id = text(&new, "id");
    let renamed = sandbox.run(&["token", "rename", id, " old laptop "]);
    assert_eq!((renamed.code, &*renamed.stdout), (Some(0), &*format!("Renamed token {id} to old laptop.\n")));
    let renamed = sandbox.json(&["token", "rename", id, "desk"]);
    assert_eq!((keys(&renamed), text(&renamed, "name")), (TOKEN.to_vec(), "desk"));
    let list = sandbox.json(&["token", "list", "--user", "grace"]);
    assert_eq!((text(&list["tokens"][1], "id"), text(&list["tokens"][1], "name")), (id, "desk"));
    sandbox.run(&["token", "rename", id, " "]).refused(1, &["name: must not be blank"]);
    sandbox.run(&["token", "rename", "nobody", "x"]).refused(1, &["there is no token nobody", "hint: "]);
    sandbox.run(&["token", "rename", id]).refused(2, &["<NAME>"]);
}

#[test]
fn a_user_is_removed_by_name_or_id() {
    let sandbox = Sandbox::new();
    sandbox.json(&["user", "add", "grace"]);
    let linus = sandbox.json(&["user", "add", "linus"]);
    let removed = sandbox.run(&["user", "remove", "grace"]);
    assert_eq!((removed.code, removed.stdout.as_str()), (Some(0), "Removed user grace.\n"), "{removed:?}");
    let removed = sandbox.run(&["user", "remove", text(&linus, "id"), "--purge", "--json"]);
    assert_eq!((removed.code, removed.stdout.as_str()), (Some(0), ""), "{removed:?}");
    assert_eq!(sandbox.json(&["user", "list"])["users"].as_array().map(Vec::len), Some(1));
    sandbox.run(&["user", "remove", "grace"]).refused(1, &["there is no user grace", "hint: "]);
    sandbox.run(&["user", "remove", "ada"]).refused(1, &["user: "]);
}

#[test]
fn a_name_that_several_have_is_not_guessed() {
    let sandbox = Sandbox::new();
    let first = sandbox.json(&["user", "add", "grace"]);
    sandbox.json(&["user", "add", "grace"]);
    sandbox.run(&["user", "remove", "grace"]).refused(1, &["2 users are called grace", "by its id"]);
    assert_eq!(sandbox.run(&["user", "remove", text(&first, "id")]).code, Some(0));
    assert_eq!(sandbox.run(&["user", "remove", "grace"]).code, Some(0), "one is left");
}

#[test]
fn what_the_store_refuses_is_said_with_the_field() {
    let sandbox = Sandbox::new();
    sandbox.json(&["user", "add", "grace"]);
    sandbox.run(&["user", "add", " "]).refused(1, &["name: must not be blank"]);
    sandbox.run(&["token", "add", ""]).refused(1, &["name: must not be blank"]);
    sandbox.run(&["token", "add", "x", "--user", "nobody"]).refused(1, &["there is no user nobody", "user list"]);
}
