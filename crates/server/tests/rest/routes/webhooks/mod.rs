//! `/webhooks`, and the delivery of events to them. Refused webhooks are in `refused.rs`.

mod fairness;
mod refused;

use std::io;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use interline_items::{JobPolicy, WebhookTargets};
use interline_server::{AiSettings, JobSettings, Settings};
use jiff::SignedDuration;
use serde_json::{Value, json};
use sha2::Sha256;

use crate::support::client::{Client, text};
use crate::support::http_endpoint::{EndpointReply, HttpEndpoint, ReceivedRequest, until};
use crate::support::test_store::{TestStore, unlimited};

on_both!(
    a_webhook_gets_events_signed_and_in_order,
    changes_of_every_interface_and_process_are_delivered,
    what_fails_is_tried_again_and_its_log_says_so,
    what_is_set_aside_holds_up_nothing,
    many_webhooks_get_events_at_once,
    an_endpoint_that_hangs_delays_no_other,
    one_that_is_gone_stops,
    what_is_given_up_is_listed_as_such,
    a_stopped_webhook_gets_events_again_from_its_start_on,
    only_the_types_that_were_asked_for_are_delivered,
    metrics_count_deliveries,
);

fn tls() -> io::Result<rustls::ClientConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(io::Error::other)?;
    Ok(config.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth())
}

/// Settings of a server that runs jobs, delivers to any address, and tries again soon.
pub(crate) fn with_worker(ai: Option<AiSettings>) -> Settings {
    let policy = JobPolicy {
        first_pause: SignedDuration::from_millis(5),
        longest_pause: SignedDuration::from_millis(20),
        give_up_after: SignedDuration::from_hours(1),
        ..JobPolicy::default()
    };
    Settings { jobs: Some(JobSettings { tls, targets: WebhookTargets::Any, policy, ai }), ..unlimited() }
}

/// The same, with other settings of jobs.
fn with_jobs(change: impl FnOnce(&mut JobSettings)) -> Settings {
    let mut settings = with_worker(None);
    change(settings.jobs.as_mut().unwrap());
    settings
}

async fn add(client: &Client, url: &str) -> (String, String) {
    let made = client.post("/webhooks", json!({"url": url})).await.expect(201, json!({"active": true})).json();
    (text(&made["id"]), text(&made["secret"]))
}

/// The deliveries of a webhook once they are as they should be, newest first.
async fn deliveries(client: &Client, id: &str, expected: Value) -> Value {
    let is_expected = |shown: &Value| {
        let states = shown["deliveries"].as_array().unwrap().iter().map(|delivery| delivery["state"].clone());
        states.collect::<Value>() == expected
    };
    until(client, &format!("/webhooks/{id}/deliveries"), is_expected).await
}

fn assert_signed(got: &ReceivedRequest, secret: &str) {
    let key = STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
    let signed = format!("{}.{}.{}", got.header("webhook-id"), got.header("webhook-timestamp"), got.body);
    mac.update(signed.as_bytes());
    let expected = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
    assert_eq!(got.header("webhook-signature"), expected);
}

async fn a_webhook_gets_events_signed_and_in_order(store: TestStore) {
    let server = store.serve_with(with_worker(None)).await;
    let owner = server.owner();
    let mut endpoint = HttpEndpoint::answering([EndpointReply::Status(204)]).await;
    let (id, secret) = add(&owner, &endpoint.url("/hook?x=1")).await;
    let note = owner.note("Plan", Some("one")).await;
    let path = format!("/notes/{}", text(&note["id"]));
    owner.patch(&format!("{path}/str-replace"), json!({"old_str": "one", "new_str": "two"})).await;
    owner.send(&format!("POST {path}/archive"), None).await.expect(200, json!({}));
    owner.delete(&path).await.expect(204, Value::Null);
    owner.delete(&format!("{path}?permanent=true")).await.expect(204, Value::Null);
    let mut ids = Vec::new();
    for (event, version, fields) in [
        ("item.created", 1, json!(["title", "content"])),
        ("item.updated", 2, json!(["content"])),
        ("item.archived", 2, json!([])),
        ("item.deleted", 2, json!([])),
        ("item.purged", 2, json!([])),
    ] {
        let got = endpoint.next().await;
        assert_eq!((got.path.as_str(), got.header("content-type")), ("/hook", "application/json"));
        assert_signed(&got, &secret);
        let shown = got.json();
        assert_eq!(
            (&shown["event"], &shown["version"], &shown["changed_fields"]),
            (&event.into(), &version.into(), &fields)
        );
        assert_eq!((&shown["webhook_id"], &shown["id"]), (&json!(id), &note["id"]));
        assert_eq!((&shown["type"], &shown["source"]), (&json!("note"), &json!("rest")));
        ids.push(got.header("webhook-id").to_owned());
    }
    ids.dedup();
    assert_eq!(ids.len(), 5, "each has an id of its own");
    let shown = deliveries(&owner, &id, json!(vec!["delivered"; 5])).await;
    assert_eq!(
        (&shown["deliveries"][4]["event"], &shown["deliveries"][4]["status"], &shown["deliveries"][4]["failure"]),
        (&json!("item.created"), &json!(204), &Value::Null)
    );
    let two = owner.get(&format!("/webhooks/{id}/deliveries?limit=2")).await.json();
    assert_eq!(two["deliveries"], json!(shown["deliveries"].as_array().unwrap()[..2]));
    let before = text(&two["deliveries"][1]["delivery"].to_string().into());
    let rest = owner.get(&format!("/webhooks/{id}/deliveries?before={before}")).await.json();
    assert_eq!(rest["deliveries"], json!(shown["deliveries"].as_array().unwrap()[2..]));
    let webhook = owner.get(&format!("/webhooks/{id}")).await.expect(200, json!({"active": true})).json();
    assert!(webhook["delivered_at"].is_string() && webhook.get("secret").is_none(), "{webhook}");
}

async fn changes_of_every_interface_and_process_are_delivered(store: TestStore) {
    let other = store.opened_again().await.serve().await;
    let server = store.serve_with(with_worker(None)).await;
    let mut endpoint = HttpEndpoint::answering([EndpointReply::Status(200)]).await;
    add(&server.owner(), &endpoint.url("/")).await;
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "create_note", "arguments": {"title": "by an agent"}}});
    let headers = [("accept", "application/json, text/event-stream"), ("mcp-protocol-version", "2025-11-25")];
    server.owner().send_with("POST /mcp/content", &headers, Some(&call)).await.expect(200, json!({}));
    assert_eq!(endpoint.next().await.json()["source"], json!("mcp-content"));
    // One that does no such work itself.
    let note = other.owner().note("elsewhere", None).await;
    assert_eq!(endpoint.next().await.json()["id"], note["id"]);
}

async fn what_fails_is_tried_again_and_its_log_says_so(store: TestStore) {
    let server = store.serve_with(with_worker(None)).await;
    let owner = server.owner();
    let elsewhere = HttpEndpoint::answering([EndpointReply::Status(200)]).await;
    let huge = EndpointReply::Text(500, "x".repeat(4_000_000));
    let redirect = EndpointReply::Redirect(elsewhere.url("/"));
    let mut endpoint =
        HttpEndpoint::answering([huge, redirect, EndpointReply::Status(429), EndpointReply::Status(200)]).await;
    let (id, _) = add(&owner, &endpoint.url("/")).await;
    let first = owner.note("one", None).await;
    let second = owner.note("two", None).await;
    let mut seen = Vec::new();
    for _ in 0..5 {
        let got = endpoint.next().await;
        seen.push((got.json()["id"].clone(), got.header("webhook-id").to_owned()));
    }
    assert!(seen[..4].iter().all(|(item, id)| item == &first["id"] && id == &seen[0].1), "{seen:?}");
    assert_eq!(seen[4].0, second["id"], "in order");
    let shown = deliveries(&owner, &id, json!(["delivered", "delivered"])).await;
    assert_eq!((&shown["deliveries"][1]["attempts"], &shown["deliveries"][0]["attempts"]), (&json!(4), &json!(1)));
    let mut elsewhere = elsewhere;
    assert!(elsewhere.is_quiet(), "a redirect was followed");
}

async fn what_is_set_aside_holds_up_nothing(store: TestStore) {
    let settings = with_jobs(|jobs| {
        jobs.policy.first_pause = SignedDuration::from_millis(100);
        jobs.policy.longest_pause = SignedDuration::from_hours(1);
    });
    let server = store.serve_with(settings).await;
    let owner = server.owner();
    // One that is never taken, and others that are.
    let mut endpoint =
        HttpEndpoint::answering([500, 500, 500, 500, 500, 200, 500, 200].map(EndpointReply::Status)).await;
    let (id, _) = add(&owner, &endpoint.url("/")).await;
    let poison = owner.note("poison", None).await;
    for _ in 0..5 {
        assert_eq!(endpoint.next().await.json()["id"], poison["id"]);
    }
    let good = owner.note("good", None).await;
    assert_eq!(endpoint.next().await.json()["id"], good["id"]);
    assert_eq!(endpoint.next().await.json()["id"], poison["id"]);
    // It is set aside for seconds by now.
    let later = owner.note("later", None).await;
    assert_eq!(endpoint.next().await.json()["id"], later["id"]);
    let shown = deliveries(&owner, &id, json!(["delivered", "delivered", "pending"])).await;
    let aside = &shown["deliveries"][2];
    assert_eq!((&aside["attempts"], aside["due_at"].is_string()), (&json!(6), true), "{aside}");
}

async fn many_webhooks_get_events_at_once(store: TestStore) {
    let server = store.serve_with(with_worker(None)).await;
    let mut endpoint = HttpEndpoint::answering([EndpointReply::Status(200)]).await;
    let mut users = Vec::new();
    let organization = server.owner().post("/organizations", json!({"name": "x"})).await.expect(201, json!({})).id();
    for name in 0..4 {
        let body = json!({"name": name.to_string(), "organization_id": organization});
        let made = server.owner().post("/users", body).await.expect(201, json!({})).json();
        users.push(server.with_token(&text(&made["token"])));
    }
    let spaces = users[0].get("/spaces").await.json();
    let space = spaces["spaces"].as_array().unwrap().iter().find(|space| space["kind"] == json!("organization"));
    let space = space.unwrap()["id"].clone();
    for user in &users {
        for _ in 0..50 {
            let body = json!({"url": endpoint.url("/"), "space_id": space});
            user.post("/webhooks", body).await.expect(201, json!({}));
        }
    }
    let one_more = json!({"url": endpoint.url("/"), "space_id": space});
    assert_eq!(server.owner().refused_fields("POST /webhooks", one_more).await, ["space_id"], "200 are the most");
    let file = json!({"entity_type": "workflow", "path": "a.py", "content": "@workflow\ndef a(): ...\n"});
    users[0].post("/code/replace", file).await.expect(201, json!({}));
    let mut shown = std::collections::BTreeSet::new();
    for _ in 0..200 {
        shown.insert(text(&endpoint.next().await.json()["webhook_id"]));
    }
    assert_eq!(shown.len(), 200);
}

async fn an_endpoint_that_hangs_delays_no_other(store: TestStore) {
    let server = store.serve_with(with_worker(None)).await;
    let owner = server.owner();
    let mut hanging = HttpEndpoint::answering([EndpointReply::Nothing]).await;
    let mut good = HttpEndpoint::answering([EndpointReply::Status(200)]).await;
    let (id, _) = add(&owner, &hanging.url("/")).await;
    add(&owner, &good.url("/")).await;
    owner.note("one", None).await;
    hanging.next().await;
    for title in ["two", "three"] {
        owner.note(title, None).await;
    }
    for _ in 0..3 {
        good.next().await;
    }
    assert!(hanging.is_quiet(), "one at a time");
    hanging.given_up().await;
    let is_tried = |shown: &Value| shown["deliveries"][2]["attempts"] == json!(1);
    let shown = until(&owner, &format!("/webhooks/{id}/deliveries"), is_tried).await;
    let first = &shown["deliveries"][2];
    assert_eq!((&first["state"], &first["status"]), (&json!("pending"), &Value::Null));
    assert_eq!(first["failure"], json!("no answer within 10 seconds"));
}

async fn one_that_is_gone_stops(store: TestStore) {
    let server = store.serve_with(with_worker(None)).await;
    let owner = server.owner();
    let mut endpoint = HttpEndpoint::answering([EndpointReply::Status(410)]).await;
    let (id, _) = add(&owner, &endpoint.url("/")).await;
    owner.note("one", None).await;
    endpoint.next().await;
    let stopped = until(&owner, &format!("/webhooks/{id}"), |webhook| webhook["active"] == json!(false)).await;
    assert!(text(&stopped["stop_reason"]).contains("410"), "{stopped}");
    deliveries(&owner, &id, json!(["given_up"])).await;
}

async fn what_is_given_up_is_listed_as_such(store: TestStore) {
    let settings = with_jobs(|jobs| jobs.policy.give_up_after = SignedDuration::ZERO);
    let server = store.serve_with(settings).await;
    let owner = server.owner();
    // Nobody listens there any more.
    let url = HttpEndpoint::answering([]).await.url("/");
    let port = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let closed = format!("http://{}/", port.local_addr().unwrap());
    drop((port, url));
    let (id, _) = add(&owner, &closed).await;
    owner.note("one", None).await;
    let shown = deliveries(&owner, &id, json!(["given_up"])).await;
    assert!(text(&shown["deliveries"][0]["failure"]).contains("refused"), "{shown}");
    let webhook = until(&owner, &format!("/webhooks/{id}"), |webhook| webhook["active"] == json!(false)).await;
    assert!(text(&webhook["stop_reason"]).contains("nothing could be delivered"), "{webhook}");
}

async fn a_stopped_webhook_gets_events_again_from_its_start_on(store: TestStore) {
    let server = store.serve_with(with_worker(None)).await;
    let owner = server.owner();
    let mut endpoint = HttpEndpoint::answering([EndpointReply::Status(200)]).await;
    let (id, _) = add(&owner, &endpoint.url("/old")).await;
    let path = format!("/webhooks/{id}");
    owner.patch(&path, json!({"active": false})).await.expect(200, json!({"active": false, "stop_reason": "…user…"}));
    owner.note("missed", None).await;
    let change = json!({"active": true, "url": endpoint.url("/new")});
    owner.patch(&path, change).await.expect(200, json!({"active": true, "stopped_at": null, "stop_reason": null}));
    let heard = owner.note("heard", None).await;
    let got = endpoint.next().await;
    assert_eq!((got.path.as_str(), &got.json()["id"]), ("/new", &heard["id"]));
    owner.delete(&path).await.expect(204, Value::Null);
    owner.get(&path).await.expect(404, json!({"error": "not_found"}));
    assert_eq!(owner.get("/webhooks").await.json(), json!({"webhooks": []}));
}

async fn only_the_types_that_were_asked_for_are_delivered(store: TestStore) {
    let server = store.serve_with(with_worker(None)).await;
    let owner = server.owner();
    let mut endpoint = HttpEndpoint::answering([EndpointReply::Status(200)]).await;
    let body = json!({"url": endpoint.url("/"), "types": ["prompt"]});
    let made = owner.post("/webhooks", body).await.expect(201, json!({"types": ["prompt"]})).json();
    owner.note("not delivered", None).await;
    owner.create("prompts", json!({"name": "delivered", "content": "x"})).await;
    assert_eq!(endpoint.next().await.json()["type"], json!("prompt"));
    let path = format!("/webhooks/{}", text(&made["id"]));
    owner.patch(&path, json!({"types": null})).await.expect(200, json!({"types": null}));
    owner.note("delivered", None).await;
    assert_eq!(endpoint.next().await.json()["type"], json!("note"));
}

async fn metrics_count_deliveries(store: TestStore) {
    let server = store.serve_with(with_worker(None)).await;
    let owner = server.owner();
    let mut endpoint = HttpEndpoint::answering([EndpointReply::Status(200)]).await;
    let (id, _) = add(&owner, &endpoint.url("/")).await;
    owner.note("one", None).await;
    endpoint.next().await;
    deliveries(&owner, &id, json!(["delivered"])).await;
    let answer = server.without_token().get("/metrics").await;
    let shown = String::from_utf8_lossy(&answer.bytes);
    for name in [
        "interline_deliveries_total{outcome=\"success\"}",
        "interline_jobs_waiting{task=\"deliver\"}",
        "interline_jobs_oldest_seconds{task=\"enrich\"}",
    ] {
        assert!(shown.contains(name), "{name} is missing:\n{shown}");
    }
}
