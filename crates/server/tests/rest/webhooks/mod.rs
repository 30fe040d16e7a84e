//! `/webhooks`, and what they are told. What is refused is in `refused.rs`.

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

use crate::client::{Client, text};
use crate::place::{Place, unlimited};
use crate::receiver::{Got, Receiver, Reply, until};

on_both!(
    a_webhook_is_told_what_happens_signed_and_in_order,
    changes_of_every_door_and_process_are_told,
    what_fails_is_tried_again_and_its_log_says_so,
    what_is_set_aside_holds_up_nothing,
    many_webhooks_are_told_at_once,
    an_endpoint_that_hangs_delays_nobody_else,
    one_that_is_gone_stops,
    what_is_given_up_is_told_as_such,
    a_stopped_webhook_is_told_again_from_its_start_on,
    only_the_types_that_were_asked_for_are_told,
    figures_tell_what_was_delivered,
);

fn tls() -> io::Result<rustls::ClientConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(io::Error::other)?;
    Ok(config.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth())
}

/// A server that does the work, wherever it leads, and tries again soon.
pub(crate) fn working(ai: Option<AiSettings>) -> Settings {
    let rules = JobPolicy {
        first_pause: SignedDuration::from_millis(5),
        longest_pause: SignedDuration::from_millis(20),
        give_up_after: SignedDuration::from_hours(1),
    };
    Settings { work: Some(JobSettings { tls, targets: WebhookTargets::Any, rules, ai }), ..unlimited() }
}

/// The same, with other rules.
fn with_rules(change: impl FnOnce(&mut JobSettings)) -> Settings {
    let mut settings = working(None);
    change(settings.work.as_mut().unwrap());
    settings
}

async fn add(client: &Client, url: &str) -> (String, String) {
    let made = client.post("/webhooks", json!({"url": url})).await.expect(201, json!({"active": true})).json();
    (text(&made["id"]), text(&made["secret"]))
}

/// The deliveries of a webhook once they are as they should be, newest first.
async fn deliveries(client: &Client, id: &str, expected: Value) -> Value {
    let is_expected = |told: &Value| {
        let states = told["deliveries"].as_array().unwrap().iter().map(|delivery| delivery["state"].clone());
        states.collect::<Value>() == expected
    };
    until(client, &format!("/webhooks/{id}/deliveries"), is_expected).await
}

fn assert_signed(got: &Got, secret: &str) {
    let key = STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
    let signed = format!("{}.{}.{}", got.header("webhook-id"), got.header("webhook-timestamp"), got.body);
    mac.update(signed.as_bytes());
    let expected = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
    assert_eq!(got.header("webhook-signature"), expected);
}

async fn a_webhook_is_told_what_happens_signed_and_in_order(place: Place) {
    let world = place.serve_with(working(None)).await;
    let owner = world.owner();
    let mut receiver = Receiver::answering([Reply::Status(204)]).await;
    let (id, secret) = add(&owner, &receiver.url("/hook?x=1")).await;
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
        let got = receiver.next().await;
        assert_eq!((got.path.as_str(), got.header("content-type")), ("/hook", "application/json"));
        assert_signed(&got, &secret);
        let told = got.json();
        assert_eq!(
            (&told["event"], &told["version"], &told["changed_fields"]),
            (&event.into(), &version.into(), &fields)
        );
        assert_eq!((&told["webhook_id"], &told["id"]), (&json!(id), &note["id"]));
        assert_eq!((&told["type"], &told["source"]), (&json!("note"), &json!("rest")));
        ids.push(got.header("webhook-id").to_owned());
    }
    ids.dedup();
    assert_eq!(ids.len(), 5, "each has an id of its own");
    let told = deliveries(&owner, &id, json!(vec!["delivered"; 5])).await;
    assert_eq!(
        (&told["deliveries"][4]["event"], &told["deliveries"][4]["status"], &told["deliveries"][4]["failure"]),
        (&json!("item.created"), &json!(204), &Value::Null)
    );
    let two = owner.get(&format!("/webhooks/{id}/deliveries?limit=2")).await.json();
    assert_eq!(two["deliveries"], json!(told["deliveries"].as_array().unwrap()[..2]));
    let before = text(&two["deliveries"][1]["delivery"].to_string().into());
    let rest = owner.get(&format!("/webhooks/{id}/deliveries?before={before}")).await.json();
    assert_eq!(rest["deliveries"], json!(told["deliveries"].as_array().unwrap()[2..]));
    let webhook = owner.get(&format!("/webhooks/{id}")).await.expect(200, json!({"active": true})).json();
    assert!(webhook["delivered_at"].is_string() && webhook.get("secret").is_none(), "{webhook}");
}

async fn changes_of_every_door_and_process_are_told(place: Place) {
    let other = place.another().await.serve().await;
    let world = place.serve_with(working(None)).await;
    let mut receiver = Receiver::answering([Reply::Status(200)]).await;
    add(&world.owner(), &receiver.url("/")).await;
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "create_note", "arguments": {"title": "by an agent"}}});
    let headers = [("accept", "application/json, text/event-stream"), ("mcp-protocol-version", "2025-11-25")];
    world.owner().send_with("POST /mcp/content", &headers, Some(&call)).await.expect(200, json!({}));
    assert_eq!(receiver.next().await.json()["source"], json!("mcp-content"));
    // One that does no such work itself.
    let note = other.owner().note("elsewhere", None).await;
    assert_eq!(receiver.next().await.json()["id"], note["id"]);
}

async fn what_fails_is_tried_again_and_its_log_says_so(place: Place) {
    let world = place.serve_with(working(None)).await;
    let owner = world.owner();
    let elsewhere = Receiver::answering([Reply::Status(200)]).await;
    let huge = Reply::Text(500, "x".repeat(4_000_000));
    let redirect = Reply::Redirect(elsewhere.url("/"));
    let mut receiver = Receiver::answering([huge, redirect, Reply::Status(429), Reply::Status(200)]).await;
    let (id, _) = add(&owner, &receiver.url("/")).await;
    let first = owner.note("one", None).await;
    let second = owner.note("two", None).await;
    let mut seen = Vec::new();
    for _ in 0..5 {
        let got = receiver.next().await;
        seen.push((got.json()["id"].clone(), got.header("webhook-id").to_owned()));
    }
    assert!(seen[..4].iter().all(|(item, id)| item == &first["id"] && id == &seen[0].1), "{seen:?}");
    assert_eq!(seen[4].0, second["id"], "in order");
    let told = deliveries(&owner, &id, json!(["delivered", "delivered"])).await;
    assert_eq!((&told["deliveries"][1]["attempts"], &told["deliveries"][0]["attempts"]), (&json!(4), &json!(1)));
    let mut elsewhere = elsewhere;
    assert!(elsewhere.is_quiet(), "a redirect was followed");
}

async fn what_is_set_aside_holds_up_nothing(place: Place) {
    let settings = with_rules(|work| {
        work.rules.first_pause = SignedDuration::from_millis(100);
        work.rules.longest_pause = SignedDuration::from_hours(1);
    });
    let world = place.serve_with(settings).await;
    let owner = world.owner();
    // One that is never taken, and others that are.
    let mut receiver = Receiver::answering([500, 500, 500, 500, 500, 200, 500, 200].map(Reply::Status)).await;
    let (id, _) = add(&owner, &receiver.url("/")).await;
    let poison = owner.note("poison", None).await;
    for _ in 0..5 {
        assert_eq!(receiver.next().await.json()["id"], poison["id"]);
    }
    let good = owner.note("good", None).await;
    assert_eq!(receiver.next().await.json()["id"], good["id"]);
    assert_eq!(receiver.next().await.json()["id"], poison["id"]);
    // It is set aside for seconds by now.
    let later = owner.note("later", None).await;
    assert_eq!(receiver.next().await.json()["id"], later["id"]);
    let told = deliveries(&owner, &id, json!(["delivered", "delivered", "pending"])).await;
    let aside = &told["deliveries"][2];
    assert_eq!((&aside["attempts"], aside["due_at"].is_string()), (&json!(6), true), "{aside}");
}

async fn many_webhooks_are_told_at_once(place: Place) {
    let world = place.serve_with(working(None)).await;
    let mut receiver = Receiver::answering([Reply::Status(200)]).await;
    let mut users = Vec::new();
    let organization = world.owner().post("/organizations", json!({"name": "x"})).await.expect(201, json!({})).id();
    for name in 0..4 {
        let body = json!({"name": name.to_string(), "organization_id": organization});
        let made = world.owner().post("/users", body).await.expect(201, json!({})).json();
        users.push(world.with_token(&text(&made["token"])));
    }
    let spaces = users[0].get("/spaces").await.json();
    let space = spaces["spaces"].as_array().unwrap().iter().find(|space| space["kind"] == json!("organization"));
    let space = space.unwrap()["id"].clone();
    for user in &users {
        for _ in 0..50 {
            let body = json!({"url": receiver.url("/"), "space_id": space});
            user.post("/webhooks", body).await.expect(201, json!({}));
        }
    }
    let one_more = json!({"url": receiver.url("/"), "space_id": space});
    assert_eq!(world.owner().refused_fields("POST /webhooks", one_more).await, ["space_id"], "200 are the most");
    let file = json!({"entity_type": "workflow", "path": "a.py", "content": "@workflow\ndef a(): ...\n"});
    users[0].post("/code/replace", file).await.expect(201, json!({}));
    let mut told = std::collections::BTreeSet::new();
    for _ in 0..200 {
        told.insert(text(&receiver.next().await.json()["webhook_id"]));
    }
    assert_eq!(told.len(), 200);
}

async fn an_endpoint_that_hangs_delays_nobody_else(place: Place) {
    let world = place.serve_with(working(None)).await;
    let owner = world.owner();
    let mut hanging = Receiver::answering([Reply::Nothing]).await;
    let mut good = Receiver::answering([Reply::Status(200)]).await;
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
    let is_tried = |told: &Value| told["deliveries"][2]["attempts"] == json!(1);
    let told = until(&owner, &format!("/webhooks/{id}/deliveries"), is_tried).await;
    let first = &told["deliveries"][2];
    assert_eq!((&first["state"], &first["status"]), (&json!("pending"), &Value::Null));
    assert_eq!(first["failure"], json!("no answer within 10 seconds"));
}

async fn one_that_is_gone_stops(place: Place) {
    let world = place.serve_with(working(None)).await;
    let owner = world.owner();
    let mut receiver = Receiver::answering([Reply::Status(410)]).await;
    let (id, _) = add(&owner, &receiver.url("/")).await;
    owner.note("one", None).await;
    receiver.next().await;
    let stopped = until(&owner, &format!("/webhooks/{id}"), |webhook| webhook["active"] == json!(false)).await;
    assert!(text(&stopped["stop_reason"]).contains("410"), "{stopped}");
    deliveries(&owner, &id, json!(["given_up"])).await;
}

async fn what_is_given_up_is_told_as_such(place: Place) {
    let settings = with_rules(|work| work.rules.give_up_after = SignedDuration::ZERO);
    let world = place.serve_with(settings).await;
    let owner = world.owner();
    // Nobody listens there any more.
    let url = Receiver::answering([]).await.url("/");
    let port = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let closed = format!("http://{}/", port.local_addr().unwrap());
    drop((port, url));
    let (id, _) = add(&owner, &closed).await;
    owner.note("one", None).await;
    let told = deliveries(&owner, &id, json!(["given_up"])).await;
    assert!(text(&told["deliveries"][0]["failure"]).contains("refused"), "{told}");
    let webhook = until(&owner, &format!("/webhooks/{id}"), |webhook| webhook["active"] == json!(false)).await;
    assert!(text(&webhook["stop_reason"]).contains("nothing could be delivered"), "{webhook}");
}

async fn a_stopped_webhook_is_told_again_from_its_start_on(place: Place) {
    let world = place.serve_with(working(None)).await;
    let owner = world.owner();
    let mut receiver = Receiver::answering([Reply::Status(200)]).await;
    let (id, _) = add(&owner, &receiver.url("/old")).await;
    let path = format!("/webhooks/{id}");
    owner.patch(&path, json!({"active": false})).await.expect(200, json!({"active": false, "stop_reason": "…user…"}));
    owner.note("missed", None).await;
    let change = json!({"active": true, "url": receiver.url("/new")});
    owner.patch(&path, change).await.expect(200, json!({"active": true, "stopped_at": null, "stop_reason": null}));
    let heard = owner.note("heard", None).await;
    let got = receiver.next().await;
    assert_eq!((got.path.as_str(), &got.json()["id"]), ("/new", &heard["id"]));
    owner.delete(&path).await.expect(204, Value::Null);
    owner.get(&path).await.expect(404, json!({"error": "not_found"}));
    assert_eq!(owner.get("/webhooks").await.json(), json!({"webhooks": []}));
}

async fn only_the_types_that_were_asked_for_are_told(place: Place) {
    let world = place.serve_with(working(None)).await;
    let owner = world.owner();
    let mut receiver = Receiver::answering([Reply::Status(200)]).await;
    let body = json!({"url": receiver.url("/"), "types": ["prompt"]});
    let made = owner.post("/webhooks", body).await.expect(201, json!({"types": ["prompt"]})).json();
    owner.note("not told", None).await;
    owner.create("prompts", json!({"name": "told", "content": "x"})).await;
    assert_eq!(receiver.next().await.json()["type"], json!("prompt"));
    let path = format!("/webhooks/{}", text(&made["id"]));
    owner.patch(&path, json!({"types": null})).await.expect(200, json!({"types": null}));
    owner.note("told", None).await;
    assert_eq!(receiver.next().await.json()["type"], json!("note"));
}

async fn figures_tell_what_was_delivered(place: Place) {
    let world = place.serve_with(working(None)).await;
    let owner = world.owner();
    let mut receiver = Receiver::answering([Reply::Status(200)]).await;
    let (id, _) = add(&owner, &receiver.url("/")).await;
    owner.note("one", None).await;
    receiver.next().await;
    deliveries(&owner, &id, json!(["delivered"])).await;
    let answer = world.nobody().get("/metrics").await;
    let told = String::from_utf8_lossy(&answer.bytes);
    for name in [
        "interline_deliveries_total{outcome=\"success\"}",
        "interline_jobs_waiting{task=\"deliver\"}",
        "interline_jobs_oldest_seconds{task=\"enrich\"}",
    ] {
        assert!(told.contains(name), "{name} is missing:\n{told}");
    }
}
