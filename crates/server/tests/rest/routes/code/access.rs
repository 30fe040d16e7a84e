//! Access control of code over REST: every route, called by every sort of user.

use serde_json::{Value, json};

use super::{CodeUsers, FLOW, MODULE, app_file, file, with};
use crate::support::test_store::TestStore;

on_both!(every_route_answers_everybody_as_agreed);

const CREATED: u16 = 201;
const OK: u16 = 200;
const NO: u16 = 403;
const NONE: u16 = 404;

/// A route, a body, and what everybody is answered, in the order of the clients below: admin, acme, umbra, loner, and admin
/// and acme with tokens that only read.
type Row = (&'static str, Value, [u16; 6]);

async fn every_route_answers_everybody_as_agreed(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let reader = json!({"name": "reader", "scopes": ["read"]});
    let (admin_reads, _) = users.admin.new_token(reader.clone()).await;
    let (acme_reads, _) = users.acme.new_token(reader).await;
    let clients = [&users.admin, &users.acme, &users.umbra, &users.loner, &admin_reads, &acme_reads];
    for slug in ["shop", "portal"] {
        users.admin.post(&format!("/apps/{slug}/publish"), json!({})).await.expect(200, json!({"version": 1}));
    }
    let mut wrong = Vec::new();
    for (line, body, expected) in reads(&users).into_iter().chain(writes(&users)).chain(others(&users)) {
        for (client, expected) in clients.iter().zip(expected) {
            let answer = client.send(line, Some(&body).filter(|body| !body.is_null())).await;
            if answer.status != expected {
                wrong.push(format!("{line} {body}: {} for {expected}: {}", answer.status, answer.json()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn of_acme(users: &CodeUsers, path: &str) -> Value {
    with(&file("workflow", path), json!({"organization_id": users.acme_id}))
}

fn index(slug: &str) -> Value {
    app_file(slug, "pages/index.tsx")
}

fn reads(users: &CodeUsers) -> Vec<Row> {
    let mut rows = vec![
        ("POST /code/list", json!({"entity_type": "workflow", "organization_id": users.acme_id}), [OK; 6]),
        ("POST /code/list", json!({"entity_type": "app_file", "app_id": "shop"}), [OK, OK, NONE, NONE, OK, OK]),
        ("POST /code/list", json!({"entity_type": "module"}), [OK; 6]),
        ("POST /code/search", json!({"entity_type": "module", "pattern": "x"}), [OK; 6]),
        (
            "POST /code/search",
            json!({"entity_type": "app_file", "app_id": "shop", "pattern": "x"}),
            [OK, OK, NONE, NONE, OK, OK],
        ),
    ];
    for (target, expected) in [
        (file("workflow", "acme.py"), [NONE, OK, NONE, NONE, NONE, OK]),
        (of_acme(users, "acme.py"), [OK, OK, NONE, NONE, OK, OK]),
        (file("workflow", "shared.py"), [OK; 6]),
        (file("module", "lib.py"), [OK; 6]),
        (index("shop"), [OK, OK, NONE, NONE, OK, OK]),
        (index("portal"), [OK; 6]),
        (file("module", "none.py"), [NONE; 6]),
    ] {
        rows.extend(["POST /code/get", "POST /code/read"].map(|line| (line, target.clone(), expected)));
    }
    rows
}

/// What is written can be written again, so that one caller does not spoil it for the next; what is deleted is gone.
fn writes(users: &CodeUsers) -> Vec<Row> {
    let edit = |target: Value| {
        let (old, new) = match target["entity_type"].as_str() {
            Some("workflow") => ("    return x", "    x += 1\n    return x"),
            Some("module") => ("value = 1", "x = 1\nvalue = 1"),
            _ => ("export", "// more\nexport"),
        };
        with(&target, json!({"old_string": old, "new_string": new}))
    };
    let whole = |target: Value| {
        let content = match target["entity_type"].as_str() {
            Some("workflow") => FLOW,
            Some("module") => MODULE,
            _ => "export {}\n",
        };
        with(&target, json!({"content": content}))
    };
    vec![
        ("POST /code/patch", edit(file("workflow", "acme.py")), [NONE, OK, NONE, NONE, NONE, NO]),
        ("POST /code/patch", edit(of_acme(users, "acme.py")), [OK, OK, NONE, NONE, NO, NO]),
        ("POST /code/patch", edit(file("workflow", "shared.py")), [OK, NONE, NONE, NO, NO, NONE]),
        ("POST /code/patch", edit(file("module", "lib.py")), [OK, NO, NO, NO, NO, NO]),
        ("POST /code/patch", edit(index("shop")), [OK, OK, NONE, NONE, NO, NO]),
        ("POST /code/patch", edit(index("portal")), [OK, NO, NO, NO, NO, NO]),
        ("POST /code/replace", whole(file("workflow", "new.py")), [CREATED, CREATED, CREATED, NO, NO, NO]),
        ("POST /code/replace", whole(of_acme(users, "other.py")), [CREATED, OK, NONE, NONE, NO, NO]),
        ("POST /code/replace", whole(file("module", "new.py")), [CREATED, NO, NO, NO, NO, NO]),
        ("POST /code/replace", whole(app_file("shop", "new")), [CREATED, OK, NONE, NONE, NO, NO]),
        ("POST /code/replace", whole(app_file("portal", "new")), [CREATED, NO, NO, NO, NO, NO]),
        ("POST /code/delete", of_acme(users, "acme.py"), [OK, NONE, NONE, NONE, NONE, NONE]),
        ("POST /code/delete", file("module", "lib.py"), [OK, NONE, NONE, NONE, NONE, NONE]),
        ("POST /code/delete", index("portal"), [OK, NONE, NONE, NONE, NONE, NONE]),
    ]
}

fn others(users: &CodeUsers) -> Vec<Row> {
    vec![
        ("GET /apps", Value::Null, [OK; 6]),
        ("GET /apps/shop", Value::Null, [OK, OK, NONE, NONE, OK, OK]),
        ("GET /apps/portal", Value::Null, [OK; 6]),
        ("GET /apps/shop/versions", Value::Null, [OK, OK, NONE, NONE, OK, OK]),
        ("GET /apps/shop/versions/1", Value::Null, [OK, OK, NONE, NONE, OK, OK]),
        ("GET /apps/shop/versions/1/file?path=_layout.tsx", Value::Null, [OK, OK, NONE, NONE, OK, OK]),
        ("GET /apps/portal/versions/1/file?path=_layout.tsx", Value::Null, [OK; 6]),
        ("POST /apps", json!({"name": "New", "organization_id": users.acme_id}), [CREATED, 409, NONE, NONE, NO, NO]),
        ("POST /apps", json!({"name": "Own"}), [CREATED, CREATED, CREATED, NO, NO, NO]),
        ("PATCH /apps/shop", json!({"description": "x"}), [OK, OK, NONE, NONE, NO, NO]),
        ("PATCH /apps/portal", json!({"description": "x"}), [OK, NO, NO, NO, NO, NO]),
        ("POST /apps/shop/publish", Value::Null, [OK, OK, NONE, NONE, NO, NO]),
        ("POST /apps/portal/publish", Value::Null, [OK, NO, NO, NO, NO, NO]),
        ("GET /workflows", Value::Null, [OK; 6]),
        ("GET /workflows/find?path=new.py", Value::Null, [OK; 6]),
        ("GET /workflows/find?path=other.py", Value::Null, [NONE, OK, NONE, NONE, NONE, OK]),
        ("POST /workflows/validate", json!({"content": FLOW}), [OK; 6]),
        ("GET /organizations", Value::Null, [OK; 6]),
        ("POST /organizations", json!({"name": "x"}), [CREATED, NO, NO, NO, NO, NO]),
    ]
}
