//! Access control on every route: another user's ids are not found, and a token allows no more than its scopes.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::client::{Client, text};
use crate::support::openapi_document::operations;
use crate::support::test_store::{TestServer, TestStore};

on_both!(
    every_route_has_a_row,
    what_is_anothers_is_not_found_on_any_route,
    nothing_of_another_is_in_any_list,
    a_token_that_reads_only_writes_nowhere,
    without_a_valid_token_nothing_is_answered,
);

/// What a route is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum About {
    /// One item: another's is not found.
    Item,
    /// The prompt of a name: another's is not found.
    Name,
    /// A tag: another's is not found.
    Tag,
    /// A token: another's is not found.
    Token,
    /// A webhook: another's is not found.
    Webhook,
    /// A change set: another's is not found.
    ChangeSet,
    /// A proposal: another's is not found.
    Proposal,
    /// Code of an organization: it is not found by those of no other, but by admins.
    Code,
    /// What the caller has.
    Own,
    /// A WebSocket: a plain request is refused.
    Events,
    /// For admins.
    Admins,
    /// For anyone, without a token.
    Anyone,
}

/// What a route needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needs {
    Read,
    Write,
    Nothing,
}

/// A route, with a body that would be right.
pub(super) struct Row {
    pub(super) line: String,
    about: About,
    needs: Needs,
    pub(super) body: Value,
}

fn row(line: &str, about: About, needs: Needs, body: Value) -> Row {
    Row { line: line.to_owned(), about, needs, body }
}

/// The routes of change sets and proposals.
fn review_rows() -> Vec<Row> {
    use About::{ChangeSet, Own, Proposal};
    use Needs::{Read, Write};
    vec![
        row("GET /changes", Own, Read, Value::Null),
        row("GET /changes/{id}", ChangeSet, Read, Value::Null),
        row("POST /changes/{id}/keep", ChangeSet, Write, Value::Null),
        row("POST /changes/{id}/undo", ChangeSet, Write, Value::Null),
        row("POST /changes/keep", ChangeSet, Write, json!({"ids": ["{id}"]})),
        row("GET /proposals", Own, Read, Value::Null),
        row("GET /proposals/{id}", Proposal, Read, Value::Null),
        row("DELETE /proposals/{id}", Proposal, Write, Value::Null),
        row("POST /proposals/{id}/accept", Proposal, Write, json!({"revision": 1})),
        row("POST /proposals/{id}/reject", Proposal, Write, Value::Null),
        row("POST /proposals/accept", Own, Write, json!({"ids": [{"id": "{id}", "revision": 1}]})),
        row("POST /proposals/reject", Own, Write, json!({"ids": [{"id": "{id}", "revision": 1}]})),
    ]
}

/// The routes of apps and code.
fn code_rows() -> Vec<Row> {
    use About::{Code, Own};
    use Needs::{Read, Write};
    vec![
        row("GET /apps", Own, Read, Value::Null),
        row("POST /apps", Own, Write, json!({"name": "x"})),
        row("GET /apps/{app}", Code, Read, Value::Null),
        row("PATCH /apps/{app}", Code, Write, json!({"name": "stolen"})),
        row("POST /apps/{app}/publish", Code, Write, Value::Null),
        row("DELETE /apps/{app}", Code, Write, Value::Null),
        row("POST /apps/{app}/restore", Code, Write, Value::Null),
        row("GET /apps/{app}/versions", Code, Read, Value::Null),
        row("GET /apps/{app}/versions/{version}", Code, Read, Value::Null),
        row("GET /apps/{app}/versions/{version}/file?path=pages/index.tsx", Code, Read, Value::Null),
        row("GET /workflows", Own, Read, Value::Null),
        row("GET /workflows/find?path=adas_own.py", Code, Read, Value::Null),
        row("POST /workflows/validate", Code, Read, json!({"path": "adas_own.py"})),
        row("POST /code/list", Code, Read, file(&json!({"path": null}))),
        row("POST /code/search", Code, Read, file(&json!({"pattern": "Hello"}))),
        row("POST /code/read", Code, Read, file(&json!({}))),
        row("POST /code/get", Code, Read, file(&json!({}))),
        row("POST /code/patch", Code, Write, file(&json!({"old_string": "Hello", "new_string": "bobs"}))),
        row("POST /code/replace", Code, Write, file(&json!({"content": "bobs"}))),
        row("POST /code/delete", Code, Write, file(&json!({}))),
    ]
}

/// Every route. A new one without a row fails [`every_route_has_a_row`].
pub(super) fn rows() -> Vec<Row> {
    use About::{Admins, Anyone, Events, Item, Name, Own, Tag, Token, Webhook};
    use Needs::{Nothing, Read, Write};
    let mut rows = code_rows();
    rows.extend(review_rows());
    rows.extend([
        row("GET /health", Anyone, Nothing, Value::Null),
        row("GET /health/live", Anyone, Nothing, Value::Null),
        row("GET /health/ready", Anyone, Nothing, Value::Null),
        row("GET /metrics", Anyone, Nothing, Value::Null),
        row("GET /tags", Own, Read, Value::Null),
        row("PATCH /tags/{name}", Tag, Write, json!({"new_name": "x"})),
        row("DELETE /tags/{name}", Tag, Write, Value::Null),
        row("GET /tokens", Own, Nothing, Value::Null),
        row("POST /tokens", Own, Nothing, json!({"name": "x"})),
        row("DELETE /tokens/{id}", Token, Write, Value::Null),
        row("PATCH /tokens/{id}", Token, Write, json!({"name": "x"})),
        row("GET /webhooks", Own, Read, Value::Null),
        row("POST /webhooks", Own, Write, json!({"url": "https://example.org/hook"})),
        row("GET /webhooks/{id}", Webhook, Read, Value::Null),
        row("PATCH /webhooks/{id}", Webhook, Write, json!({"active": false})),
        row("DELETE /webhooks/{id}", Webhook, Write, Value::Null),
        row("GET /webhooks/{id}/deliveries", Webhook, Read, Value::Null),
        row("GET /users", Admins, Read, Value::Null),
        row("POST /users", Admins, Write, json!({"name": "x"})),
        row("DELETE /users/{id}", Admins, Write, Value::Null),
        row("GET /users/me", Own, Nothing, Value::Null),
        row("GET /spaces", Own, Read, Value::Null),
        row("GET /events", Events, Read, Value::Null),
        row("GET /content/lookup?item=adas-own", Own, Read, Value::Null),
        row("GET /export", Own, Read, Value::Null),
        row("POST /import?format=records", Own, Write, json!({"source": "x", "type": "note", "title": "x"})),
        row("POST /notes", Own, Write, json!({"title": "x"})),
        row("POST /bookmarks", Own, Write, json!({"url": "https://example.org/new"})),
        row("POST /prompts", Own, Write, json!({"name": "new", "content": "x"})),
        row("GET /prompts/name/{name}", Name, Read, Value::Null),
        row("PATCH /prompts/name/{name}", Name, Write, json!({"title": "stolen"})),
        row("PATCH /prompts/name/{name}/str-replace", Name, Write, json!({"old_str": "adas", "new_str": "bobs"})),
        row("POST /prompts/{id}/render", Item, Read, json!({})),
        row("POST /content/{id}/render", Item, Read, json!({})),
        row("GET /organizations", Own, Read, Value::Null),
        row("POST /organizations", Admins, Write, json!({"name": "x"})),
    ]);
    for collection in ["notes", "bookmarks", "prompts", "content"] {
        let at = |line: &str| line.replace('*', collection);
        rows.extend([
            row(&at("GET /*"), Own, Read, Value::Null),
            row(&at("GET /*/{id}"), Item, Read, Value::Null),
            row(&at("PATCH /*/{id}"), Item, Write, json!({"title": "stolen"})),
            row(&at("DELETE /*/{id}"), Item, Write, Value::Null),
            row(&at("POST /*/{id}/restore"), Item, Write, Value::Null),
            row(&at("POST /*/{id}/archive"), Item, Write, Value::Null),
            row(&at("POST /*/{id}/unarchive"), Item, Write, Value::Null),
            row(&at("POST /*/{id}/track-usage"), Item, Write, Value::Null),
            row(&at("GET /*/{id}/search?q=adas"), Item, Read, Value::Null),
            row(&at("GET /*/{id}/history"), Item, Read, Value::Null),
            row(&at("GET /*/{id}/blame"), Item, Read, Value::Null),
            row(&at("GET /*/{id}/history/{version}"), Item, Read, Value::Null),
            row(&at("GET /*/{id}/history/{version}/diff"), Item, Read, Value::Null),
            row(&at("POST /*/{id}/history/{version}/restore"), Item, Write, Value::Null),
            row(&at("PATCH /*/{id}/str-replace"), Item, Write, json!({"old_str": "adas", "new_str": "bobs"})),
            row(
                &at("PATCH /*/{id}/content"),
                Item,
                Write,
                json!({"operations": [{"start_line": 1, "end_line": 1, "content": "x"}]}),
            ),
            row(&at("POST /*/{id}/insert"), Item, Write, json!({"at": "end", "new_str": "x"})),
            row(&at("POST /*/{id}/delete-content"), Item, Write, json!({"content_to_delete": "adas"})),
            row(&at("POST /*/{id}/edits"), Item, Write, json!({"edits": [{"old_str": "adas", "new_str": "bobs"}]})),
        ]);
        if collection != "prompts" {
            rows.push(row(&at("GET /*/{id}/enrichment"), Item, Read, Value::Null));
        }
    }
    rows
}

/// The parameters of a tool for code, on a file of hers; null ones are left out.
fn file(more: &Value) -> Value {
    let mut body = json!({"entity_type": "app_file", "app_id": MARK, "path": "pages/index.tsx"});
    let body = body.as_object_mut().unwrap();
    body.extend(more.as_object().unwrap().clone());
    body.iter().filter(|(_, value)| !value.is_null()).map(|(key, value)| (key.clone(), value.clone())).collect()
}

async fn every_route_has_a_row(_: TestStore) {
    let route = |row: Row| row.line.split('?').next().unwrap_or_default().to_owned();
    let rows: BTreeSet<String> = rows().into_iter().map(route).collect();
    let described: BTreeSet<String> =
        operations().iter().map(|operation| format!("{} {}", operation.method, operation.path)).collect();
    assert_eq!(described, rows, "routes (left) and rows of this file (right) differ: give each route its row");
}

/// A user with one of everything, each marked with a word that is nowhere else.
struct Ada {
    client: Client,
    ids: Vec<String>,
    token: String,
    webhook: String,
    proposal: String,
}

const MARK: &str = "adas-own";
const CHANGE_SET: &str = "0f9619ff-8b86-4011-b42d-00cf4fc964ff";

async fn ada(server: &TestServer) -> Ada {
    let organization = server.owner().post("/organizations", json!({"name": MARK})).await.expect(201, json!({})).id();
    let body = json!({"name": MARK, "organization_id": organization});
    let made = server.owner().post("/users", body).await.expect(201, json!({})).json();
    let (client, user) = (server.with_token(&text(&made["token"])), text(&made["id"]));
    let app = client.post("/apps", json!({"name": MARK})).await.expect(201, json!({"slug": MARK})).id();
    let flow = "@workflow\ndef adas_flow(): ...\n";
    let body = json!({"entity_type": "workflow", "path": "adas_own.py", "content": flow});
    client.post("/code/replace", body).await.expect(201, json!({"created": true}));
    let mut ids = Vec::new();
    for (collection, body) in [
        ("notes", json!({"title": MARK, "tags": [MARK], "content": MARK, "change_set": CHANGE_SET})),
        ("bookmarks", json!({"url": "https://adas-own.example/", "title": MARK})),
        ("prompts", json!({"name": MARK, "content": MARK})),
        ("notes", json!({"title": "adas-own trash"})),
    ] {
        ids.push(text(&client.create(collection, body).await["id"]));
    }
    client.delete(&format!("/notes/{}", ids[3])).await.expect(204, Value::Null);
    let (_, token) = client.new_token(json!({"name": MARK})).await;
    let space = text(&client.get("/spaces").await.json()["spaces"][0]["id"]);
    let hook = json!({"url": "https://adas-own.example/hook"});
    let webhook = client.post("/webhooks", hook).await.expect(201, json!({})).id();
    let (proposing, _) = client.new_token(json!({"name": "proposing", "writes": "propose"})).await;
    let proposed = proposing.post("/notes", json!({"title": MARK})).await.expect(202, json!({"applied": false}));
    let proposal = text(&proposed.json()["proposal"]["id"]);
    ids.extend([
        user,
        space,
        token.clone(),
        organization,
        app,
        webhook.clone(),
        CHANGE_SET.to_owned(),
        proposal.clone(),
    ]);
    Ada { client, ids, token, webhook, proposal }
}

impl Ada {
    /// All that can be seen of her.
    async fn all(&self) -> Vec<Value> {
        let mut all = Vec::new();
        for path in [
            "/content?view=active&view=archived&view=deleted&include_content=true",
            "/tags",
            "/spaces",
            "/users/me",
            "/apps",
            "/webhooks",
            "/proposals",
        ] {
            let mut seen = self.client.get(path).await.expect(200, json!({})).json();
            // A rendering, which is a read, is a use.
            for item in seen["items"].as_array_mut().into_iter().flatten() {
                item["last_used_at"] = Value::Null;
            }
            all.push(seen);
        }
        let tokens = self.client.get("/tokens").await.json();
        all.push(tokens["tokens"].as_array().unwrap().iter().map(|token| token["id"].clone()).collect());
        all
    }

    /// The addresses of a row on what is hers.
    fn addresses(&self, row: &Row) -> Vec<String> {
        match row.about {
            About::Item => {
                self.ids[..4].iter().map(|id| row.line.replace("{id}", id).replace("{version}", "1")).collect()
            }
            About::Name | About::Tag => vec![row.line.replace("{name}", MARK)],
            About::Token => vec![row.line.replace("{id}", &self.token)],
            About::Webhook => vec![row.line.replace("{id}", &self.webhook)],
            About::ChangeSet => vec![row.line.replace("{id}", CHANGE_SET)],
            About::Proposal => vec![row.line.replace("{id}", &self.proposal)],
            About::Code => vec![row.line.replace("{app}", MARK).replace("{version}", "1")],
            About::Own | About::Events | About::Admins | About::Anyone => vec![row.line.replace("{id}", &self.ids[4])],
        }
    }
}

/// The body of a row on what is hers.
fn body(row: &Row) -> Option<Value> {
    let body = serde_json::from_str(&row.body.to_string().replace("{id}", CHANGE_SET)).unwrap();
    Some(body).filter(|body: &Value| !body.is_null())
}

async fn what_is_anothers_is_not_found_on_any_route(store: TestStore) {
    let server = store.serve().await;
    let ada = ada(&server).await;
    let before = ada.all().await;
    let (bob, _) = server.owner().new_user("bob").await;
    // An admin manages users, and owns no more of their things than anyone.
    for (stranger, stranger_is_admin) in [(bob, false), (server.owner(), true)] {
        for row in rows() {
            if !matches!(
                row.about,
                About::Item
                    | About::Name
                    | About::Tag
                    | About::Token
                    | About::Webhook
                    | About::ChangeSet
                    | About::Proposal
            ) && (row.about != About::Code || stranger_is_admin)
            {
                continue;
            }
            for line in ada.addresses(&row) {
                let unlike = line.replace(&ada.ids[0], "0190a6f4-7b3c-7def-8123-456789abcdef");
                let refused =
                    stranger.send(&line, body(&row).as_ref()).await.expect(404, json!({"error": "not_found"}));
                if unlike != line {
                    // Nor can one tell that it is there.
                    let unknown =
                        stranger.send(&unlike, body(&row).as_ref()).await.expect(404, json!({"error": "not_found"}));
                    let shown = String::from_utf8_lossy(&unknown.bytes)
                        .replace("0190a6f4-7b3c-7def-8123-456789abcdef", &ada.ids[0]);
                    assert_eq!(String::from_utf8_lossy(&refused.bytes), shown, "{line}");
                }
            }
        }
        let permanently = format!("DELETE /notes/{}?permanent=true", ada.ids[0]);
        stranger.send(&permanently, None).await.expect(404, json!({"error": "not_found"}));
        let conditional = format!("PATCH /notes/{}", ada.ids[0]);
        let answer = stranger.send_with(&conditional, &[("if-match", "\"7.0\"")], Some(&json!({}))).await;
        answer.expect(404, json!({"error": "not_found"}));
    }
    assert_eq!(ada.all().await, before, "and nothing was changed");
}

async fn nothing_of_another_is_in_any_list(store: TestStore) {
    let server = store.serve().await;
    let ada = ada(&server).await;
    let (bob, _) = server.owner().new_user("bob").await;
    // The same address, name and tag are free for another.
    bob.create("bookmarks", json!({"url": "https://adas-own.example/"})).await;
    bob.create("prompts", json!({"name": MARK, "content": "bob's"})).await;
    bob.delete("/bookmarks").await.expect(405, json!({}));
    bob.get("/prompts/name/adas-own").await.expect(200, json!({"content": "bob's"}));
    for item in bob.get("/content").await.json()["items"].as_array().unwrap() {
        let path = format!("/content/{}?permanent=true", text(&item["id"]));
        bob.delete(&path).await.expect(204, Value::Null);
    }
    for path in [
        "/content?view=active&view=archived&view=deleted&include_content=true",
        "/notes?view=active&view=archived&view=deleted",
        "/bookmarks",
        "/prompts",
        "/content?tags=adas-own",
        "/content?type=note",
        "/content?q=adas-own&view=active&view=archived&view=deleted",
        "/content?regex=adas-own&include_content=true",
        "/prompts?q=own",
        "/tags",
        "/tokens",
        "/spaces",
        "/users/me",
        "/apps",
        "/webhooks",
        "/changes",
        "/proposals",
        "/organizations",
        "/workflows",
        "/content?q=adas_own",
        "/content/lookup?item=adas-own",
        "/content/lookup?item=adas_own.py",
        "/export",
        "/metrics",
        "/health",
        "/openapi.json",
    ] {
        let answer = bob.get(path).await.expect(200, Value::Null);
        let shown = String::from_utf8_lossy(&answer.bytes).into_owned();
        for known in ada.ids.iter().map(String::as_str).chain([MARK]) {
            assert!(!shown.contains(known), "{path} tells {known}: {shown}");
        }
    }
    // A cursor of hers opens nothing.
    ada.client.note("one more", None).await;
    let cursor = text(&ada.client.get("/content?limit=1").await.json()["next_cursor"]);
    bob.get(&format!("/content?cursor={cursor}")).await.expect(200, json!({"items": [], "total": 0}));
}

async fn a_token_that_reads_only_writes_nowhere(store: TestStore) {
    let server = store.serve().await;
    let ada = ada(&server).await;
    let (reader, _) = ada.client.new_token(json!({"name": "reader", "scopes": ["read"]})).await;
    let before = ada.all().await;
    for row in rows() {
        if row.line == "POST /tokens" {
            continue;
        }
        for line in ada.addresses(&row) {
            let answer = reader.send(&line, body(&row).as_ref()).await;
            match (row.needs, row.about) {
                (Needs::Write, _) | (_, About::Admins) => {
                    // What a kind's address does not have is not found before anything else is asked.
                    assert!([403, 404].contains(&answer.status), "{line}: {}", answer.status);
                    assert!(answer.status == 403 || row.about == About::Item, "{line}: {}", answer.status);
                }
                (_, About::Events) => drop(answer.expect(400, json!({"error": "invalid_parameters"}))),
                (Needs::Read | Needs::Nothing, _) => {
                    assert!([200, 404].contains(&answer.status), "{line}: {}", answer.status);
                }
            }
        }
        if row.needs == Needs::Write && row.about == About::Item && row.line.contains("/content/") {
            let line = row.line.replace("{id}", &ada.ids[0]).replace("{version}", "1");
            reader
                .send(&line, body(&row).as_ref())
                .await
                .expect(403, json!({"error": "forbidden", "message": "…`write`…"}));
        }
    }
    // It may make a token, of what it may itself.
    reader.check("POST /tokens", json!({"name": "x", "scopes": ["write"]}), 403, json!({"error": "forbidden"})).await;
    let after = ada.all().await;
    assert_eq!(after, before, "and nothing was changed");
}

async fn without_a_valid_token_nothing_is_answered(store: TestStore) {
    let server = store.serve().await;
    let ada = ada(&server).await;
    let (expired, _) = ada.client.new_token(json!({"name": "expired", "expires_at": "2001-01-01T00:00:00Z"})).await;
    let (deleted, id) = ada.client.new_token(json!({"name": "deleted"})).await;
    ada.client.delete(&format!("/tokens/{id}")).await.expect(204, Value::Null);
    let before = ada.all().await;
    for client in [server.without_token(), server.with_token("il_wrong"), expired, deleted] {
        let message = match client.secret() {
            None => "no token was given",
            Some(_) => "the token is not valid: it is mistyped, removed or expired",
        };
        for row in rows() {
            for line in ada.addresses(&row) {
                let answer = client.send(&line, body(&row).as_ref()).await;
                match row.about {
                    About::Anyone => answer.expect(200, Value::Null),
                    _ => answer.expect(401, json!({"error": "unauthorized", "message": message})),
                };
            }
        }
    }
    assert_eq!(ada.all().await, before, "and nothing was changed");
}
