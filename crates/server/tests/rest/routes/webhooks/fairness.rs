//! Webhooks of several users: what one user's endpoints do delays nobody else's.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{add, with_jobs, with_worker};
use crate::support::client::Client;
use crate::support::http_endpoint::{EndpointReply, HttpEndpoint};
use crate::support::test_store::{TestServer, TestStore};

on_both!(slow_endpoints_of_two_users_delay_no_third, a_user_has_no_more_deliveries_in_flight_than_its_part);

/// How soon the event of a user comes whose endpoint answers, on a machine with other things to do. An endpoint that hangs
/// keeps its place for 10 seconds.
const SOON: Duration = Duration::from_secs(5);

/// A user with webhooks whose endpoint never answers; each of them has events to deliver.
async fn user_with_hanging_webhooks(server: &TestServer, name: &str, webhooks: usize, url: &str) -> Client {
    let (user, _) = server.owner().new_user(name).await;
    for _ in 0..webhooks {
        add(&user, url).await;
    }
    for title in ["one", "two", "three"] {
        user.note(title, None).await;
    }
    user
}

async fn slow_endpoints_of_two_users_delay_no_third(store: TestStore) {
    let server = store.serve_with(with_worker(None)).await;
    let mut hanging = HttpEndpoint::answering([EndpointReply::Nothing]).await;
    let mut good = HttpEndpoint::answering([EndpointReply::Status(200)]).await;
    let url = hanging.url("/");
    user_with_hanging_webhooks(&server, "ada", 50, &url).await;
    user_with_hanging_webhooks(&server, "ben", 50, &url).await;
    let (cleo, _) = server.owner().new_user("cleo").await;
    add(&cleo, &good.url("/")).await;
    for _ in 0..32 {
        hanging.next().await;
    }
    let began = Instant::now();
    let note = cleo.note("quick", None).await;
    assert_eq!(good.next().await.json()["id"], note["id"]);
    assert!(began.elapsed() < SOON, "it took {:?}", began.elapsed());
}

async fn a_user_has_no_more_deliveries_in_flight_than_its_part(store: TestStore) {
    let server = store.serve_with(with_jobs(|jobs| jobs.policy.deliveries_per_user = 3)).await;
    let mut hanging = HttpEndpoint::answering([EndpointReply::Nothing]).await;
    let mut good = HttpEndpoint::answering([EndpointReply::Status(200)]).await;
    let url = hanging.url("/");
    let ada = user_with_hanging_webhooks(&server, "ada", 8, &url).await;
    for _ in 0..3 {
        hanging.next().await;
    }
    let (ben, _) = server.owner().new_user("ben").await;
    add(&ben, &good.url("/")).await;
    // Time enough for the worker to have looked again.
    for title in ["one", "two", "three"] {
        ben.note(title, None).await;
        good.next().await;
    }
    assert!(hanging.is_quiet(), "a fourth one is not begun before one of the three has ended");
    for _ in 0..3 {
        hanging.given_up().await;
    }
    hanging.next().await;
    ada.get("/webhooks").await.expect(200, json!({}));
}
