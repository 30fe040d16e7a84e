//! The same request through REST and MCP: the same result, the same error code, and the same is stored.

mod code;
mod content;
mod prompts;

use serde_json::{Map, Value, json};

use crate::agent::Agent;
use crate::support::client::Client;
use crate::support::test_store::TestStore;

/// What is asked through one door and the other. `{note}` and the like are the ids of what is there before.
struct Row {
    rest: &'static str,
    body: Value,
    tool: &'static str,
    arguments: Value,
}

fn row(rest: &'static str, body: Value, tool: &'static str, arguments: Value) -> Row {
    Row { rest, body, tool, arguments }
}

fn with(mut fields: Value, name: &str, value: &str) -> Value {
    fields[name] = value.into();
    fields
}

fn filled(text: &str, ids: &[(&'static str, String)]) -> String {
    ids.iter().fold(text.to_owned(), |text, (name, id)| text.replace(name, id))
}

/// Everything that a user has, without what differs from user to user.
async fn stored(rest: &Client) -> Vec<Value> {
    let apps = async |view: &str| comparable(&rest.get(&format!("/apps?view={view}")).await.json());
    let mut stored = vec![apps("active").await, apps("deleted").await];
    let path = "/content?include_content=true&view=active&view=archived&view=deleted&sort_by=created_at";
    let list = rest.get(path).await.json();
    for item in list["items"].as_array().unwrap() {
        let history = rest.get(&format!("/content/{}/history", item["id"].as_str().unwrap())).await.json();
        let records = history["items"].as_array().unwrap().iter().map(|record| {
            json!([record["version"], record["action"], record["changed_fields"], record["content_length"]])
        });
        stored.push(json!({"item": comparable(item), "records": records.collect::<Value>()}));
    }
    stored
}

/// What can be compared of an answer: no ids, no times, and nothing that one door calls otherwise.
fn comparable(answer: &Value) -> Value {
    match answer {
        Value::Object(members) => {
            let is_own = |name: &str| {
                ["id", "existing_id", "current", "errors", "message", "suggestion", "limit", "next_cursor", "app_id"]
                    .contains(&name)
                    || name == "organization_id"
            };
            let members = members.iter().filter(|(name, value)| !is_own(name) && !value.is_null());
            let member = |(name, value): (&String, &Value)| {
                let value = if name.ends_with("_at") { json!("some time") } else { comparable(value) };
                (name.clone(), value)
            };
            members.map(member).collect::<Map<_, _>>().into()
        }
        Value::Array(list) => list.iter().map(comparable).collect(),
        other => other.clone(),
    }
}

/// Demands that the members which both answers have are equal.
fn assert_agree(row: &Row, result: &Value, rest: &Value) {
    let (result, rest) = (comparable(result), comparable(rest));
    let (Value::Object(result), Value::Object(rest)) = (&result, &rest) else {
        panic!("{}: {result} {rest}", row.tool)
    };
    let common = result.iter().filter_map(|(name, result)| Some((name, result, rest.get(name)?)));
    for (name, result, rest) in common {
        match (result, rest) {
            (Value::Array(result), Value::Array(rest)) if result.iter().all(Value::is_object) => {
                assert_eq!(result.len(), rest.len(), "{} {}: {name}", row.tool, row.arguments);
                result.iter().zip(rest).for_each(|(result, rest)| assert_agree(row, result, rest));
            }
            (Value::Object(_), Value::Object(_)) => assert_agree(row, result, rest),
            _ => assert_eq!(result, rest, "{} {}: {name}", row.tool, row.arguments),
        }
    }
}

/// A user of no organization.
async fn alone(_: &Client, name: &str) -> Value {
    json!({"name": name})
}

/// Asks for each row through both doors, for users of their own, as `user` describes them, who have what is there
/// `before`.
async fn assert_same(
    store: TestStore,
    server: &str,
    rows: impl Iterator<Item = Row>,
    user: impl AsyncFn(&Client, &str) -> Value,
    before: impl AsyncFn(&Client) -> Vec<(&'static str, String)>,
) {
    let world = store.serve().await;
    let owner = world.owner();
    for row in rows {
        let (mut clients, mut secrets) = (Vec::new(), Vec::new());
        for name in ["one", "other"] {
            let user = user(&owner, name).await;
            let made = owner.check("POST /users", user, 201, json!({})).await.json();
            secrets.push(made["token"].as_str().unwrap().to_owned());
            clients.push(world.with_token(&secrets[secrets.len() - 1]));
        }
        let [rest, other] = &clients[..] else { panic!("two") };
        let (ids, other_ids) = (before(rest).await, before(other).await);
        let agent = Agent::new(world.address, server, Some(&secrets[1]));

        let body: Value = serde_json::from_str(&filled(&row.body.to_string(), &ids)).unwrap();
        let answer = rest.send(&filled(row.rest, &ids), Some(&body).filter(|body| !body.is_null())).await;
        let arguments = serde_json::from_str(&filled(&row.arguments.to_string(), &other_ids)).unwrap();
        let result = agent.call(row.tool, arguments).await;

        let shown = format!("{} {} | {} {}", row.rest, row.body, row.tool, row.arguments);
        assert_eq!(result.is_ok(), answer.status < 400, "{shown}: {result:?} {}", answer.json());
        match &result {
            // There is nothing in it to compare.
            Ok(_) if answer.status == 204 => {}
            Ok(result) => assert_agree(&row, result, &answer.json()),
            Err(error) => {
                assert_eq!(error["error"], answer.json()["error"], "{shown}: {error}");
                assert_agree(&row, error, &answer.json());
            }
        }
        assert_eq!(stored(other).await, stored(rest).await, "{shown}");
    }
}
