//! `/tokens`, and what tokens allow.

use serde_json::{Value, json};

use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(
    a_secret_is_shown_once,
    a_deleted_token_is_refused_from_then_on,
    a_token_is_renamed_with_its_name_in_histories,
    tokens_are_renamed_by_their_users_only,
    names_are_trimmed,
    a_token_grants_no_more_than_its_maker_has,
    scopes_allow_what_they_say,
    kinds_outside_do_not_exist,
    spaces_outside_do_not_exist,
    an_expired_token_is_refused,
    a_token_made_by_an_expiring_one_expires_with_it,
    only_admins_make_tokens_for_others,
    wrong_fields_are_named,
    what_is_no_token_is_unauthorized,
    a_last_use_is_remembered,
);

async fn a_secret_is_shown_once(store: TestStore) {
    let owner = store.serve().await.owner();
    let body =
        json!({"name": "agent", "scopes": ["read", "write"], "kinds": ["note"], "expires_at": "2999-01-31T12:00:00Z"});
    let made = owner.post("/tokens", body).await.expect(
        201,
        json!({
            "name": "agent", "scopes": ["read", "write"], "kinds": ["note"], "spaces": null,
            "expires_at": "2999-01-31T12:00:00.000000Z", "last_used_at": null, "token": "…il_…",
        }),
    );
    let mut made = made.json();
    let secret = text(&made.as_object_mut().unwrap().remove("token").unwrap());
    assert!(secret.starts_with("il_") && secret.len() == 3 + 43, "{secret}");
    assert!(secret.starts_with(&text(&made["prefix"])) && text(&made["prefix"]).len() < 16, "{made}");
    let list = owner.get("/tokens").await.expect(200, json!({}));
    assert!(!String::from_utf8_lossy(&list.bytes).contains(&secret), "the secret is in the list");
    let list = list.json();
    assert_eq!(list["tokens"].as_array().unwrap().len(), 2);
    assert_eq!(list["tokens"][1], made);
    assert!(list["tokens"][0].get("token").is_none());
}

async fn a_deleted_token_is_refused_from_then_on(store: TestStore) {
    let owner = store.serve().await.owner();
    let (agent, id) = owner.new_token(json!({"name": "agent"})).await;
    agent.get("/notes").await.expect(200, json!({}));
    agent.delete(&format!("/tokens/{id}")).await.expect(204, Value::Null);
    agent.get("/notes").await.expect(401, json!({"error": "unauthorized"}));
    owner.delete(&format!("/tokens/{id}")).await.expect(404, json!({"error": "not_found", "id": id}));
}

async fn a_token_is_renamed_with_its_name_in_histories(store: TestStore) {
    let owner = store.serve().await.owner();
    let (agent, id) = owner.new_token(json!({"name": "agent", "scopes": ["read", "write"], "kinds": ["note"]})).await;
    let note = format!("/notes/{}", text(&agent.note("x", None).await["id"]));
    let before = owner.get("/tokens").await.json()["tokens"][1].clone();
    let renamed = owner.patch(&format!("/tokens/{id}"), json!({"name": "  laptop of Ada "})).await;
    let renamed = renamed.expect(200, json!({"id": id, "name": "laptop of Ada", "kinds": ["note"]})).json();
    for (member, value) in renamed.as_object().unwrap() {
        assert!(["name", "last_used_at"].contains(&&**member) || before[member] == *value, "{member}: {value}");
    }
    owner.get("/tokens").await.expect(200, json!({"tokens": [{}, {"id": id, "name": "laptop of Ada"}]}));
    agent.get(&note).await.expect(200, json!({}));
    agent.get(&format!("{note}/history")).await.expect(200, json!({"items": [{"token": {"name": "laptop of Ada"}}]}));
    // The same again changes nothing, and two tokens may have one name.
    owner.patch(&format!("/tokens/{id}"), json!({"name": "laptop of Ada"})).await.expect(200, json!({}));
    owner.new_token(json!({"name": "laptop of Ada"})).await;
}

async fn tokens_are_renamed_by_their_users_only(store: TestStore) {
    let owner = store.serve().await.owner();
    let (ada, _) = owner.new_user("ada").await;
    let (agent, id) = ada.new_token(json!({"name": "agent", "scopes": ["read", "write"]})).await;
    let path = format!("/tokens/{id}");
    let not_found = json!({"error": "not_found", "id": id});
    // As for deletion: not even an admin has the tokens of others.
    owner.check(&format!("PATCH {path}"), json!({"name": "x"}), 404, not_found.clone()).await;
    let (reader, reader_id) = ada.new_token(json!({"name": "reader", "scopes": ["read"]})).await;
    for id in [&id, &reader_id] {
        let line = format!("PATCH /tokens/{id}");
        reader.check(&line, json!({"name": "x"}), 403, json!({"error": "forbidden", "message": "…`write`…"})).await;
    }
    let (narrowed, narrowed_id) = ada.new_token(json!({"name": "narrowed", "kinds": ["note"]})).await;
    narrowed.check(&format!("PATCH {path}"), json!({"name": "x"}), 403, json!({"error": "forbidden"})).await;
    narrowed.check(&format!("PATCH /tokens/{narrowed_id}"), json!({"name": "me"}), 200, json!({"name": "me"})).await;
    agent.check(&format!("PATCH {path}"), json!({"name": "also me"}), 200, json!({"name": "also me"})).await;
    ada.delete(&path).await.expect(204, Value::Null);
    ada.check(&format!("PATCH {path}"), json!({"name": "x"}), 404, not_found).await;
    let unknown = "PATCH /tokens/0190a6f4-7b3c-7def-8123-456789abcdef";
    ada.check(unknown, json!({"name": "x"}), 404, json!({"error": "not_found"})).await;
}

async fn names_are_trimmed(store: TestStore) {
    let owner = store.serve().await.owner();
    let body = json!({"name": " \t my agent\n "});
    let made = owner.post("/tokens", body.clone()).await.expect(201, json!({"name": "my agent"}));
    let line = format!("PATCH /tokens/{}", made.id());
    owner.check(&line, body, 200, json!({"name": "my agent"})).await;
    // What is left is what is counted.
    let long = format!(" {} ", "x".repeat(200));
    owner.check(&line, json!({"name": long}), 200, json!({"name": long.trim()})).await;
    for (body, field) in [
        (json!({}), "name"),
        (json!({"name": null}), "name"),
        (json!({"name": ""}), "name"),
        (json!({"name": " \t\n"}), "name"),
        (json!({"name": 1}), "name"),
        (json!({"name": "a\tb"}), "name"),
        (json!({"name": "a\0"}), "name"),
        (json!({"name": "x".repeat(201)}), "name"),
        (json!({"name": "x", "scopes": ["admin"]}), "scopes"),
        (json!([]), "body"),
    ] {
        assert_eq!(owner.refused_fields(&line, body.clone()).await, [field], "{body}");
    }
    owner.get("/tokens").await.expect(200, json!({"tokens": [{}, {"name": long.trim()}]}));
}

async fn a_token_grants_no_more_than_its_maker_has(store: TestStore) {
    let owner = store.serve().await.owner();
    let (writer, _) =
        owner.new_token(json!({"name": "writer", "scopes": ["read", "write"], "kinds": ["note", "prompt"]})).await;
    writer
        .check(
            "POST /tokens",
            json!({"name": "x", "scopes": ["admin"]}),
            403,
            json!({"error": "forbidden", "message": "…admin…"}),
        )
        .await;
    let same = json!({"scopes": ["read", "write"], "kinds": ["note", "prompt"]});
    writer.check("POST /tokens", json!({"name": "x"}), 201, same).await;
    let narrower = json!({"name": "x", "scopes": ["read"], "kinds": ["note"]});
    writer.check("POST /tokens", narrower, 201, json!({"scopes": ["read"], "kinds": ["note"]})).await;
    let wider = writer.post("/tokens", json!({"name": "x", "kinds": ["note", "bookmark"]})).await;
    assert!(wider.status >= 400 || wider.json()["kinds"] == json!(["note"]), "{}", wider.json());
    let (member, _) = owner.new_user("member").await;
    member.check("POST /tokens", json!({"name": "x", "scopes": ["admin"]}), 403, json!({"error": "forbidden"})).await;
}

async fn scopes_allow_what_they_say(store: TestStore) {
    let owner = store.serve().await.owner();
    let path = format!("/notes/{}", text(&owner.note("x", None).await["id"]));
    let (reader, _) = owner.new_token(json!({"name": "reader", "scopes": ["read"]})).await;
    reader.get(&path).await.expect(200, json!({}));
    let forbidden = json!({
        "error": "forbidden", "message": "the token does not have the scope `write`",
        "suggestion": "use a token with the scope `write`",
    });
    reader.check("POST /notes", json!({"title": "x"}), 403, forbidden.clone()).await;
    reader.check(&format!("PATCH {path}"), json!({"title": "y"}), 403, forbidden).await;
    let (writer, _) = owner.new_token(json!({"name": "writer", "scopes": ["write"]})).await;
    writer.get(&path).await.expect(403, json!({"error": "forbidden", "message": "…`read`…"}));
    writer.get("/notes").await.expect(403, json!({"error": "forbidden"}));
    writer.create("notes", json!({"title": "blind"})).await;
    // Whether an item is there is nothing that it learns by trying to change it.
    for path in [&*path, "/notes/0190a6f4-7b3c-7def-8123-456789abcdef"] {
        for (line, body) in [
            (format!("PATCH {path}"), json!({"title": "y"})),
            (format!("PATCH {path}/str-replace"), json!({"old_str": "a", "new_str": "b"})),
            (format!("POST {path}/archive"), json!({})),
            (format!("POST {path}/track-usage"), json!({})),
            (format!("POST {path}/history/1/restore"), json!({})),
            (format!("DELETE {path}"), Value::Null),
            (format!("DELETE {path}?permanent=true"), Value::Null),
        ] {
            writer.check(&line, body, 403, json!({"error": "forbidden", "message": "…`read`…"})).await;
        }
    }
    let (plain, _) = owner.new_token(json!({"name": "plain", "scopes": ["read", "write"]})).await;
    plain.get("/users").await.expect(403, json!({"error": "forbidden", "message": "…admin…"}));
    let nothing = json!({"name": "nothing", "scopes": []});
    owner.check("POST /tokens", nothing, 422, json!({"errors": [{"field": "scopes"}]})).await;
}

async fn kinds_outside_do_not_exist(store: TestStore) {
    let owner = store.serve().await.owner();
    let note = text(&owner.note("x", None).await["id"]);
    let prompt = text(&owner.create("prompts", json!({"name": "p", "content": "x"})).await["id"]);
    let (notes, _) = owner.new_token(json!({"name": "notes", "kinds": ["note"]})).await;
    notes.get(&format!("/content/{note}")).await.expect(200, json!({}));
    notes.get("/content").await.expect(200, json!({"total": 1, "items": [{"type": "note"}]}));
    notes.get("/prompts").await.expect(200, json!({"total": 0}));
    for line in [
        format!("GET /prompts/{prompt}"),
        format!("GET /content/{prompt}"),
        "GET /prompts/name/p".to_owned(),
        format!("DELETE /prompts/{prompt}"),
        format!("POST /prompts/{prompt}/archive"),
    ] {
        notes.check(&line, Value::Null, 404, json!({"error": "not_found"})).await;
    }
    notes.check(&format!("POST /prompts/{prompt}/render"), json!({}), 404, json!({"error": "not_found"})).await;
    let refused = notes.post("/prompts", json!({"name": "q", "content": "x"})).await;
    assert!([403, 404].contains(&refused.status), "{}", refused.json());
    owner.get("/prompts").await.expect(200, json!({"total": 1}));
}

async fn spaces_outside_do_not_exist(store: TestStore) {
    let owner = store.serve().await.owner();
    let note = text(&owner.note("x", None).await["id"]);
    let own = owner.get("/spaces").await.json()["spaces"][0]["id"].clone();
    let (inside, _) = owner.new_token(json!({"name": "inside", "spaces": [own]})).await;
    inside.get(&format!("/notes/{note}")).await.expect(200, json!({}));
    inside.get("/spaces").await.expect(200, json!({"spaces": [{"id": own}]}));

    let (outside, _) = owner.new_token(json!({"name": "outside", "spaces": []})).await;
    outside.get(&format!("/notes/{note}")).await.expect(404, json!({"error": "not_found"}));
    outside.get("/notes").await.expect(200, json!({"total": 0}));
    outside.get("/tags").await.expect(200, json!({"tags": []}));
    outside.get("/spaces").await.expect(200, json!({"spaces": []}));
    outside.check("POST /notes", json!({"title": "x"}), 403, json!({"error": "forbidden"})).await;

    let (other, _) = owner.new_user("other").await;
    let foreign = json!({"name": "foreign", "spaces": [own]});
    other.check("POST /tokens", foreign, 422, json!({"errors": [{"field": "spaces"}]})).await;
}

async fn an_expired_token_is_refused(store: TestStore) {
    let owner = store.serve().await.owner();
    let (expired, _) = owner.new_token(json!({"name": "old", "expires_at": "2001-01-01T00:00:00+02:00"})).await;
    let (valid, _) = owner.new_token(json!({"name": "new", "expires_at": "2999-01-01T00:00:00Z"})).await;
    expired.get("/notes").await.expect(401, json!({"error": "unauthorized", "suggestion": "…Bearer…"}));
    expired.get("/users/me").await.expect(401, json!({"error": "unauthorized"}));
    valid.get("/notes").await.expect(200, json!({}));
}

async fn a_token_made_by_an_expiring_one_expires_with_it(store: TestStore) {
    let owner = store.serve().await.owner();
    let (short, _) = owner.new_token(json!({"name": "short", "expires_at": "2998-01-01T00:00:00Z"})).await;
    for wanted in [json!(null), json!("2999-01-01T00:00:00Z")] {
        let body = json!({"name": "child", "expires_at": wanted});
        short.check("POST /tokens", body, 201, json!({"expires_at": "2998-01-01T00:00:00.000000Z"})).await;
    }
}

async fn only_admins_make_tokens_for_others(store: TestStore) {
    let owner = store.serve().await.owner();
    let (ada, ada_id) = owner.new_user("ada").await;
    let (bob, bob_id) = owner.new_user("bob").await;
    let (for_ada, _) = owner.new_token(json!({"name": "given", "user_id": ada_id, "scopes": ["read"]})).await;
    for_ada.get("/users/me").await.expect(200, json!({"id": ada_id}));
    ada.get("/tokens").await.expect(200, json!({"tokens": [{"name": "first"}, {"name": "given"}]}));
    bob.check("POST /tokens", json!({"name": "x", "user_id": ada_id}), 403, json!({"error": "forbidden"})).await;
    bob.check("POST /tokens", json!({"name": "x", "user_id": bob_id}), 201, json!({})).await;
    let (narrowed, _) = owner.new_token(json!({"name": "narrowed", "kinds": ["note"]})).await;
    narrowed.check("POST /tokens", json!({"name": "x", "user_id": ada_id}), 403, json!({"error": "forbidden"})).await;
}

async fn wrong_fields_are_named(store: TestStore) {
    let owner = store.serve().await.owner();
    for (body, field) in [
        (json!({}), "name"),
        (json!({"name": null}), "name"),
        (json!({"name": ""}), "name"),
        (json!({"name": " "}), "name"),
        (json!({"name": "a\0"}), "name"),
        (json!({"name": "x".repeat(201)}), "name"),
        (json!({"name": "x", "scope": ["read"]}), "scope"),
        (json!({"name": "x", "scopes": "read"}), "scopes"),
        (json!({"name": "x", "scopes": ["root"]}), "scopes[0]"),
        (json!({"name": "x", "scopes": ["read", 1]}), "scopes[1]"),
        (json!({"name": "x", "kinds": ["poem"]}), "kinds[0]"),
        (json!({"name": "x", "spaces": ["mine"]}), "spaces[0]"),
        (json!({"name": "x", "expires_at": "tomorrow"}), "expires_at"),
        (json!({"name": "x", "expires_at": 1}), "expires_at"),
        (json!({"name": "x", "expires_at": "2030-01-01"}), "expires_at"),
        (json!({"name": "x", "user_id": "me"}), "user_id"),
        (json!([]), "body"),
    ] {
        assert_eq!(owner.refused_fields("POST /tokens", body.clone()).await, [field], "{body}");
    }
}

async fn what_is_no_token_is_unauthorized(store: TestStore) {
    let server = store.serve().await;
    let secret = server.store.secret.clone();
    let nobody = server.without_token();
    let no_token = "no token was given: `Authorization` is not `Bearer` and a token";
    let not_valid = "the token is not valid: it is mistyped, removed or expired";
    for (header, message) in [
        (String::new(), no_token),
        ("Bearer".to_owned(), no_token),
        ("Bearer ".to_owned(), no_token),
        ("Bearer il_wrong".to_owned(), not_valid),
        (format!("Basic {secret}"), no_token),
        (format!("Bearer {secret}x"), not_valid),
        (secret.clone(), no_token),
        (format!("Bearer {}", &secret[..secret.len() - 1]), not_valid),
        ("Bearer ä".to_owned(), no_token),
        (format!("Bearer {}", "x".repeat(10_000)), not_valid),
    ] {
        for line in ["GET /notes", "GET /users/me", "DELETE /tags/x"] {
            let expected = json!({"error": "unauthorized", "message": message});
            nobody.send_with(line, &[("authorization", &header)], None).await.expect(401, expected);
        }
    }
    nobody.get("/notes").await.expect(401, json!({"error": "unauthorized", "message": "no token was given"}));
    let twice = [("authorization", &*format!("Bearer {secret}")), ("authorization", &*format!("Bearer {secret}"))];
    let expected = json!({"error": "unauthorized", "message": no_token});
    nobody.send_with("GET /notes", &twice, None).await.expect(401, expected);
    for header in [format!("Bearer {secret}"), format!("bearer {secret}"), format!("BEARER  {secret}")] {
        nobody.send_with("GET /notes", &[("authorization", &header)], None).await.expect(200, json!({}));
    }
    // A query parameter would end up in logs.
    nobody.get(&format!("/notes?token={secret}&access_token={secret}")).await.expect(401, json!({}));
}

async fn a_last_use_is_remembered(store: TestStore) {
    let owner = store.serve().await.owner();
    let (agent, _) = owner.new_token(json!({"name": "agent"})).await;
    owner.get("/tokens").await.expect(200, json!({"tokens": [{}, {"last_used_at": null}]}));
    agent.get("/notes").await.expect(200, json!({}));
    // It is a side note, which no request waits for.
    let mut asked = 0;
    while owner.get("/tokens").await.json()["tokens"][1]["last_used_at"].is_null() {
        asked += 1;
        assert!(asked < 1_000, "a use is not remembered");
    }
}
