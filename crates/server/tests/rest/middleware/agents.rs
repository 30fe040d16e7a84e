//! What agents cannot do, on every route: each is for agents too, or refused to them whatever their token allows.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::access_control::{Row, rows};
use crate::support::client::{Client, text};
use crate::support::openapi_document::operations;
use crate::support::test_store::{TestServer, TestStore};

on_both!(
    every_route_is_for_agents_or_for_people_alone,
    agents_are_refused_what_is_for_people_alone_and_nothing_changes,
    what_is_for_agents_too_is_not_refused_to_them,
    a_proposing_token_changes_nothing_but_its_proposals,
    a_token_made_with_another_is_never_freer,
);

/// For people alone, in an order in which one person can do all of it.
const FOR_PEOPLE: &[&str] = &[
    "POST /changes/keep",
    "POST /changes/{id}/keep",
    "POST /changes/{id}/undo",
    "POST /proposals/accept",
    "POST /proposals/reject",
    "POST /proposals/{id}/accept",
    "POST /proposals/{id}/reject",
    "POST /tokens",
    "PATCH /tokens/{id}",
    "DELETE /tokens/{id}",
    "POST /webhooks",
    "PATCH /webhooks/{id}",
    "DELETE /webhooks/{id}",
    "POST /organizations",
    "POST /users",
    "DELETE /users/{id}",
];

/// For agents too. What removes an item for good is not: see [`purges`].
const FOR_AGENTS: &[&str] = &[
    "GET /health",
    "GET /health/live",
    "GET /health/ready",
    "GET /metrics",
    "GET /apps",
    "POST /apps",
    "GET /apps/{app}",
    "PATCH /apps/{app}",
    "POST /apps/{app}/publish",
    "DELETE /apps/{app}",
    "POST /apps/{app}/restore",
    "GET /apps/{app}/versions",
    "GET /apps/{app}/versions/{version}",
    "GET /apps/{app}/versions/{version}/file",
    "GET /workflows",
    "GET /workflows/find",
    "POST /workflows/validate",
    "POST /code/list",
    "POST /code/search",
    "POST /code/read",
    "POST /code/get",
    "POST /code/patch",
    "POST /code/replace",
    "POST /code/delete",
    "GET /tags",
    "PATCH /tags/{name}",
    "DELETE /tags/{name}",
    "GET /tokens",
    "GET /webhooks",
    "GET /webhooks/{id}",
    "GET /webhooks/{id}/deliveries",
    "GET /changes",
    "GET /changes/{id}",
    "GET /proposals",
    "GET /proposals/{id}",
    "DELETE /proposals/{id}",
    "GET /users",
    "GET /users/me",
    "GET /spaces",
    "GET /organizations",
    "GET /events",
    "GET /content/lookup",
    "GET /export",
    "POST /import",
    "POST /notes",
    "POST /bookmarks",
    "POST /prompts",
    "GET /prompts/name/{name}",
    "PATCH /prompts/name/{name}",
    "PATCH /prompts/name/{name}/str-replace",
    "POST /prompts/{id}/render",
    "POST /content/{id}/render",
];

/// For agents too, in each collection.
const OF_ITEMS: &[&str] = &[
    "GET /*",
    "GET /*/{id}",
    "PATCH /*/{id}",
    "DELETE /*/{id}",
    "POST /*/{id}/restore",
    "POST /*/{id}/archive",
    "POST /*/{id}/unarchive",
    "POST /*/{id}/track-usage",
    "GET /*/{id}/search",
    "GET /*/{id}/history",
    "GET /*/{id}/blame",
    "GET /*/{id}/history/{version}",
    "GET /*/{id}/history/{version}/diff",
    "POST /*/{id}/history/{version}/restore",
    "PATCH /*/{id}/str-replace",
    "PATCH /*/{id}/content",
    "POST /*/{id}/insert",
    "POST /*/{id}/delete-content",
    "POST /*/{id}/edits",
    "GET /*/{id}/enrichment",
];

fn for_agents() -> BTreeSet<String> {
    let mut lines: BTreeSet<String> = FOR_AGENTS.iter().map(|line| (*line).to_owned()).collect();
    for collection in ["notes", "bookmarks", "prompts", "content"] {
        let of_items = OF_ITEMS.iter().filter(|line| collection != "prompts" || !line.ends_with("/enrichment"));
        lines.extend(of_items.map(|line| line.replace('*', collection)));
    }
    lines
}

/// The routes by which an item is removed for good, as the description tells it.
fn purges() -> Vec<String> {
    let is_permanent = |parameter: &Value| parameter["name"] == "permanent";
    let purging = operations().into_iter().filter(|operation| {
        operation.description["parameters"].as_array().is_some_and(|all| all.iter().any(is_permanent))
    });
    purging.map(|operation| format!("{} {}?permanent=true", operation.method, operation.path)).collect()
}

async fn every_route_is_for_agents_or_for_people_alone(_: TestStore) {
    let described: BTreeSet<String> =
        operations().iter().map(|operation| format!("{} {}", operation.method, operation.path)).collect();
    let for_people: BTreeSet<String> = FOR_PEOPLE.iter().map(|line| (*line).to_owned()).collect();
    let for_agents = for_agents();
    assert_eq!(for_people.intersection(&for_agents).count(), 0);
    let listed: BTreeSet<String> = for_people.union(&for_agents).cloned().collect();
    assert_eq!(described, listed, "routes (left) and lists of this file (right) differ: say whether agents may do it");
    assert_eq!(purges().len(), 4, "{:?}", purges());
}

/// An admin, an agent of theirs with every scope that an agent can have, and one of everything.
struct Scene {
    owner: Client,
    agent: Client,
    user: String,
    token: String,
    webhook: String,
    change_set: String,
    proposals: Vec<String>,
    proposing: Client,
    note: String,
    bookmark: String,
    prompt: String,
}

const APP: &str = "tools";

impl Scene {
    async fn new(server: &TestServer) -> Scene {
        let owner = server.owner();
        let scopes = json!(["read", "write", "admin"]);
        let (agent, _) = owner.new_token(json!({"name": "agent", "agent": true, "scopes": scopes.clone()})).await;
        let (_, user) = owner.new_user("other").await;
        let (_, token) = owner.new_token(json!({"name": "other"})).await;
        let webhook = owner.post("/webhooks", json!({"url": "https://example.org/hook"})).await.expect(201, json!({}));
        owner.post("/apps", json!({"name": APP})).await.expect(201, json!({"slug": APP}));
        let flow = json!({"entity_type": "workflow", "path": "flow.py", "content": "@workflow\ndef flow(): ...\n"});
        owner.post("/code/replace", flow).await.expect(201, json!({}));
        let bookmark = owner.create("bookmarks", json!({"url": "https://example.org/", "content": "text"})).await;
        let prompt = owner.create("prompts", json!({"name": "greet", "content": "text"})).await;
        let note = owner.create("notes", json!({"title": "A", "content": "text", "tags": ["red"]})).await;
        let change_set = "0f9619ff-8b86-4011-b42d-00cf4fc964ff".to_owned();
        let path = format!("/notes/{}", text(&note["id"]));
        let edit = json!({"content": "an agent's text", "change_set": change_set});
        agent.patch(&path, edit).await.expect(200, json!({}));
        let (proposing, _) =
            owner.new_token(json!({"name": "proposing", "agent": true, "scopes": scopes, "writes": "propose"})).await;
        let mut proposals = Vec::new();
        for title in ["one", "two", "three", "four"] {
            let proposed = proposing.post("/notes", json!({"title": title})).await.expect(202, json!({}));
            proposals.push(text(&proposed.json()["proposal"]["id"]));
        }
        let [note, bookmark, prompt] = [note, bookmark, prompt].map(|item| text(&item["id"]));
        let webhook = webhook.id();
        Scene { owner, agent, user, token, webhook, change_set, proposals, proposing, note, bookmark, prompt }
    }

    /// A route with the ids of what is there, and its body, which would be right.
    fn request(&self, line: &str) -> (String, Option<Value>) {
        let route = line.split('?').next().unwrap_or_default();
        let is_row = |row: &Row| row.line.split('?').next() == Some(route);
        let row = rows().into_iter().find(is_row).unwrap_or_else(|| panic!("{line} has no row"));
        let id = match line.split(['/', ' ', '?']).nth(2) {
            Some("changes") => &self.change_set,
            Some("proposals") => self.proposal(line),
            Some("tokens") => &self.token,
            Some("webhooks") => &self.webhook,
            Some("users") => &self.user,
            Some("bookmarks") => &self.bookmark,
            Some("prompts") => &self.prompt,
            _ => &self.note,
        };
        // A row has the parameters that its route demands.
        let line = if line.contains('?') { line } else { row.line.as_str() };
        let fill = |text: &str| {
            let text = text.replace("{id}", id).replace("{version}", "1").replace("adas-own", APP);
            text.replace("{app}", APP).replace("adas_own.py", "flow.py")
        };
        let name = if line.contains("/tags/") { "red" } else { "greet" };
        let body: Value = serde_json::from_str(&fill(&row.body.to_string())).unwrap();
        (fill(line).replace("{name}", name), Some(body).filter(|body| !body.is_null()))
    }

    /// Each decision is about a proposal of its own.
    fn proposal(&self, line: &str) -> &String {
        let index = match line {
            "POST /proposals/accept" => 0,
            "POST /proposals/reject" => 1,
            "POST /proposals/{id}/accept" => 2,
            _ => 3,
        };
        &self.proposals[index]
    }

    /// Everything that there is, without the times of uses.
    async fn everything(&self) -> Vec<String> {
        let mut all = Vec::new();
        for path in [
            "/content?view=active&view=archived&view=deleted&include_content=true",
            "/tags",
            "/apps",
            "/webhooks",
            "/users",
            "/users/me",
            "/organizations",
            "/spaces",
            "/changes",
            "/proposals",
            &format!("/changes/{}", self.change_set),
            &format!("/notes/{}/history", self.note),
            "/tokens",
        ] {
            let mut seen = self.owner.get(path).await.expect(200, json!({})).json();
            for token in seen["tokens"].as_array_mut().into_iter().flatten() {
                token["last_used_at"] = Value::Null;
            }
            all.push(format!("{path}: {seen}"));
        }
        all
    }
}

async fn agents_are_refused_what_is_for_people_alone_and_nothing_changes(store: TestStore) {
    let server = store.serve().await;
    let scene = Scene::new(&server).await;
    let before = scene.everything().await;
    let lines: Vec<String> = FOR_PEOPLE.iter().map(|line| (*line).to_owned()).chain(purges()).collect();
    for line in &lines {
        let (line, body) = scene.request(line);
        let refused = scene.agent.send(&line, body.as_ref()).await;
        refused.expect(403, json!({"error": "forbidden", "suggestion": "ask a person to do it"}));
    }
    let (line, body) = scene.request("DELETE /users/{id}");
    scene.agent.send(&format!("{line}?purge=true"), body.as_ref()).await.expect(403, json!({}));
    assert_eq!(scene.everything().await, before, "and nothing was changed");
    // The requests are right: a person can make each of them, but purge what was purged by its other address.
    for line in lines.iter().filter(|line| !line.contains("/content/")) {
        let (line, body) = scene.request(line);
        let done = scene.owner.send(&line, body.as_ref()).await;
        assert!((200..300).contains(&done.status), "{line}: {} {}", done.status, String::from_utf8_lossy(&done.bytes));
    }
}

async fn what_is_for_agents_too_is_not_refused_to_them(store: TestStore) {
    let server = store.serve().await;
    let scene = Scene::new(&server).await;
    let mut lines: Vec<String> = for_agents().into_iter().collect();
    // What takes things away comes last, and what brings them back after it.
    lines.sort_by_key(|line| (line.ends_with("restore"), line.starts_with("DELETE"), !line.starts_with("GET")));
    let mut done = 0;
    for line in lines {
        // A proposal is there for the token that made it.
        let agent = if line.contains("/proposals/") { &scene.proposing } else { &scene.agent };
        let (line, body) = scene.request(&line);
        let answer = agent.send(&line, body.as_ref()).await;
        if (200..300).contains(&answer.status) {
            done += 1;
            continue;
        }
        // What another request has changed already is refused to a person alike.
        let person = scene.owner.send(&line, body.as_ref()).await;
        assert_eq!(answer.status, person.status, "{line}: {}", String::from_utf8_lossy(&answer.bytes));
    }
    assert!(done >= 90, "{done} were answered");
}

/// Of every route that writes: a change of one item is kept as a proposal, anything else is refused, and nothing changes.
async fn a_proposing_token_changes_nothing_but_its_proposals(store: TestStore) {
    let server = store.serve().await;
    let scene = Scene::new(&server).await;
    let without_proposals =
        |seen: Vec<String>| seen.into_iter().filter(|line| !line.starts_with("/proposals")).collect();
    let before: Vec<String> = without_proposals(scene.everything().await);
    let writes = for_agents().into_iter().filter(|line| !line.starts_with("GET") && !READING.contains(&line.as_str()));
    let writes = writes.chain(FOR_PEOPLE.iter().map(|line| (*line).to_owned())).chain(purges());
    let mut writes: Vec<String> = writes.filter(|line| !line.ends_with("render")).collect();
    // What takes things away comes last.
    writes.sort_by_key(|line| line.to_ascii_lowercase().contains("delete"));
    let (mut proposed, mut refused) = (0, 0);
    for line in writes {
        let (line, body) = scene.request(&line);
        let answer = scene.proposing.send(&line, body.as_ref()).await;
        match answer.status {
            202 => {
                answer.expect(202, json!({"applied": false, "proposal": {"state": "pending"}}));
                proposed += 1;
            }
            403 => refused += 1,
            // What it proposed before is in the way, or it has nothing to do: it proposes nothing more.
            200 | 400 | 404 | 409 | 422 => {}
            status => panic!("{line}: {status} {}", String::from_utf8_lossy(&answer.bytes)),
        }
    }
    let after: Vec<String> = without_proposals(scene.everything().await);
    assert_eq!(after, before, "what everybody else sees is as it was");
    assert!(proposed >= 20 && refused >= 20, "{proposed} proposed, {refused} refused");
}

/// Requests by another method than GET that change nothing.
const READING: &[&str] = &[
    "POST /workflows/validate",
    "POST /code/list",
    "POST /code/search",
    "POST /code/read",
    "POST /code/get",
    "DELETE /proposals/{id}",
];

/// What a token may be, besides its scopes, which have tests of their own in `routes/tokens`.
async fn a_token_made_with_another_is_never_freer(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let (person, _) = owner.new_token(json!({"name": "person", "scopes": ["read", "write", "admin"]})).await;
    for body in [json!({"name": "x", "scopes": ["review"]}), json!({"name": "x", "scopes": ["read", "review"]})] {
        person.post("/tokens", body).await.expect(403, json!({"error": "forbidden"}));
    }
    let (agent, _) = person.new_token(json!({"name": "agent", "agent": true})).await;
    for agents in [json!(null), json!(false), json!(true)] {
        let mut body = json!({"name": "x", "scopes": ["read"], "agent": agents});
        if agents.is_null() {
            body.as_object_mut().unwrap().remove("agent");
        }
        agent.post("/tokens", body).await.expect(403, json!({"suggestion": "ask a person to do it"}));
    }
    // A new admin has a token with every scope: who may not decide makes none who may.
    let admin = json!({"name": "new", "admin": true});
    person.post("/users", admin.clone()).await.expect(403, json!({"message": "…`review`…"}));
    owner.post("/users", admin).await.expect(201, json!({}));
}
