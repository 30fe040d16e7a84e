//! `POST /code/…`, and code by the routes of items.

mod access;
mod as_items;
mod delete;
mod get;
mod list;
mod patch;
mod read;
mod refused;
mod replace;
mod search;

use serde_json::{Value, json};

use crate::support::client::{Client, text};
use crate::support::test_store::TestStore;

pub(crate) const FLOW: &str = "from bifrost import workflow\n\n@workflow(category=\"Ops\")\ndef flow(x: int = 1):\n    \"\"\"Runs.\"\"\"\n    return x\n";
pub(crate) const MODULE: &str = "value = 1\n";

/// Two organizations with a user each, a user of none, and code of all of them: `shared.py`, `lib.py` and the app
/// `portal` are everybody's; `acme.py` and the app `shop` are acme's.
pub(crate) struct CodeUsers {
    pub(crate) admin: Client,
    pub(crate) acme: Client,
    pub(crate) umbra: Client,
    pub(crate) loner: Client,
    pub(crate) acme_id: String,
}

impl CodeUsers {
    pub(crate) async fn new(store: TestStore) -> CodeUsers {
        let server = store.serve().await;
        let admin = server.owner();
        let organization = async |name: &str| {
            admin.post("/organizations", json!({"name": name})).await.expect(201, json!({"name": name})).id()
        };
        let (acme_id, umbra_id) = (organization("acme").await, organization("umbra").await);
        let user = async |name: &str, organization: Option<&String>| {
            let body = json!({"name": name, "organization_id": organization});
            let made = admin.post("/users", body).await.expect(201, json!({"organization_id": organization})).json();
            server.with_token(&text(&made["token"]))
        };
        let acme = user("ada", Some(&acme_id)).await;
        let umbra = user("ben", Some(&umbra_id)).await;
        let loner = user("cyd", None).await;
        admin.post("/apps", json!({"name": "Portal"})).await.expect(201, json!({"slug": "portal"}));
        acme.post("/apps", json!({"name": "Shop"})).await.expect(201, json!({"slug": "shop"}));
        let users = CodeUsers { admin, acme, umbra, loner, acme_id };
        users.put(&users.admin, file("workflow", "shared.py"), FLOW).await;
        users.put(&users.admin, file("module", "lib.py"), MODULE).await;
        users.put(&users.acme, file("workflow", "acme.py"), FLOW).await;
        users
    }

    /// Writes a file that is not there yet.
    pub(crate) async fn put(&self, client: &Client, file: Value, content: &str) {
        let body = with(&file, json!({"content": content}));
        client.post("/code/replace", body).await.expect(201, json!({"success": true, "created": true, "version": 1}));
    }

    /// The content of a file.
    pub(crate) async fn text(&self, client: &Client, file: &Value) -> String {
        text(&client.post("/code/get", file.clone()).await.expect(200, json!({})).json()["content"])
    }
}

/// A file as the tools name it.
pub(crate) fn file(entity_type: &str, path: &str) -> Value {
    json!({"entity_type": entity_type, "path": path})
}

pub(crate) fn app_file(app: &str, path: &str) -> Value {
    json!({"entity_type": "app_file", "app_id": app, "path": path})
}

/// The members of both.
pub(crate) fn with(one: &Value, more: Value) -> Value {
    let mut both = one.as_object().unwrap().clone();
    let Value::Object(more) = more else { panic!("{more} is no object") };
    both.extend(more);
    Value::Object(both)
}
