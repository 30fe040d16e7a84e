//! Searching over items: `GET /notes?q=`, `?regex=`, and the same at `/bookmarks`, `/prompts` and `/content`.

mod expressions;
mod fresh;
mod matching;
mod pages;
mod refused;
mod snippets;

use serde_json::{Value, json};

use crate::support::client::Client;

/// Parameters of a query, by name.
type Parameters<'a> = &'a [(&'a str, &'a str)];

/// The address of a search: `name=value&…`, escaped.
fn address(collection: &str, parameters: Parameters<'_>) -> String {
    let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish();
    format!("/{collection}?{query}")
}

/// The items that are found, in order; all of them are on one page.
async fn found(client: &Client, collection: &str, parameters: Parameters<'_>) -> Vec<Value> {
    let address = address(collection, parameters);
    let list = client.get(&address).await.expect(200, json!({"next_cursor": null})).json();
    let items = list["items"].as_array().expect("items").clone();
    assert_eq!(list["total"], items.len(), "{address}");
    items
}

/// The titles of what is found, in order.
async fn titles(client: &Client, collection: &str, parameters: Parameters<'_>) -> Vec<String> {
    found(client, collection, parameters)
        .await
        .iter()
        .map(|item| crate::support::client::text(&item["title"]))
        .collect()
}
