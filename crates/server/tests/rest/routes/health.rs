//! `/health`

use serde_json::json;

use crate::support::test_store::TestStore;

on_both!(a_server_that_works_says_so_to_anyone, every_request_has_an_id_of_its_own);

async fn a_server_that_works_says_so_to_anyone(store: TestStore) {
    let server = store.serve().await;
    for client in [server.without_token(), server.owner(), server.with_token("il_wrong")] {
        for path in ["/health", "/health/"] {
            client
                .get(path)
                .await
                .expect(200, json!({"status": "ok", "database": "ok", "version": env!("CARGO_PKG_VERSION")}));
        }
    }
}

async fn every_request_has_an_id_of_its_own(store: TestStore) {
    let owner = store.serve().await.owner();
    let mut ids = std::collections::BTreeSet::new();
    for path in ["/health", "/notes", "/nothing", "/notes?limit=0", "/notes/x"] {
        assert!(ids.insert(owner.get(path).await.header("x-request-id").to_owned()), "{path}");
    }
    let given = owner.send_with("GET /health", &[("x-request-id", "mine")], None).await;
    assert_ne!(given.header("x-request-id"), "mine", "an id is this server's, so that its log can be trusted");
}
