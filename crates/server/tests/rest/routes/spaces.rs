//! `/spaces`

use serde_json::json;

use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(every_user_has_a_space_of_their_own);

async fn every_user_has_a_space_of_their_own(store: TestStore) {
    let owner = store.serve().await.owner();
    let own = owner.get("/spaces").await.expect(
        200,
        json!({"spaces": [
            {"kind": "user", "name": "owner", "role": "owner"},
            {"kind": "global", "name": "global", "role": "owner"},
        ]}),
    );
    let (ada, _) = owner.new_user("ada").await;
    let other = ada.get("/spaces/").await.expect(
        200,
        json!({"spaces": [
            {"kind": "user", "name": "ada", "role": "owner"},
            {"kind": "global", "name": "global", "role": "reader"},
        ]}),
    );
    assert_ne!(text(&own.json()["spaces"][0]["id"]), text(&other.json()["spaces"][0]["id"]));
}
