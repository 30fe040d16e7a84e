//! The OpenAPI description: version 3.1, complete and consistent, true, and the same as the committed one.

mod answers;
mod bodies;
mod enumerations;
mod introduction;

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::openapi_document::{document, operations, with_values};
use crate::support::test_store::TestStore;

on_both!(every_method_that_answers_is_described);

#[test]
fn it_is_openapi_3_1_with_what_a_client_needs() {
    let document = document();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1."), "{}", document["openapi"]);
    assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(document["components"]["securitySchemes"]["token"]["scheme"], "bearer");
    assert_eq!(document["security"], json!([{"token": []}]));
}

#[test]
fn every_operation_has_a_name_of_its_own_and_says_what_it_does() {
    let mut names = BTreeSet::new();
    for operation in operations() {
        let about = operation.description;
        let place = format!("{} {}", operation.method, operation.path);
        let name = about["operationId"].as_str().unwrap_or_default();
        assert!(!name.is_empty() && names.insert(name), "{place}: `{name}`");
        assert!(!about["summary"].as_str().unwrap_or_default().is_empty(), "{place} has no summary");
        assert!(about["tags"].as_array().is_some_and(|tags| !tags.is_empty()), "{place} has no tag");
        let responses = about["responses"].as_object().expect("responses");
        // A WebSocket goes on in another protocol.
        let succeeds = |status: &String| status.starts_with('2') || status == "101";
        assert!(responses.keys().any(succeeds), "{place} has no success");
        for (status, response) in responses {
            if status.as_str() >= "400" {
                let schema = &response["content"]["application/json"]["schema"]["$ref"];
                assert_eq!(schema, "#/components/schemas/Error", "{place} {status}");
                assert!(response["description"].is_string(), "{place} {status}");
            }
        }
    }
}

#[test]
fn every_parameter_of_a_path_is_described_and_no_other() {
    for operation in operations() {
        let in_path: BTreeSet<&str> =
            operation.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect();
        let parameters = operation.description["parameters"].as_array().cloned().unwrap_or_default();
        let described: Vec<&str> =
            parameters.iter().filter(|one| one["in"] == "path").filter_map(|one| one["name"].as_str()).collect();
        assert_eq!(
            described.iter().copied().collect::<BTreeSet<_>>(),
            in_path,
            "{} {}",
            operation.method,
            operation.path
        );
        let mut names = BTreeSet::new();
        for one in &parameters {
            assert!(names.insert((one["in"].to_string(), one["name"].to_string())), "{}: {one} twice", operation.path);
        }
    }
}

#[test]
fn every_reference_leads_somewhere_and_every_schema_is_used() {
    let (mut references, document) = (BTreeSet::new(), document());
    collect_references(document, &mut references);
    for reference in &references {
        let pointer = reference.strip_prefix('#').unwrap_or_else(|| panic!("{reference} leads out of the document"));
        assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
    }
    for name in document["components"]["schemas"].as_object().unwrap().keys() {
        assert!(references.contains(&format!("#/components/schemas/{name}")), "nothing uses the schema {name}");
    }
}

fn collect_references(value: &Value, references: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(reference) if name == "$ref" => drop(references.insert(reference.clone())),
                    member => collect_references(member, references),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| collect_references(value, references)),
        _ => {}
    }
}

/// A difference is a change of the contract: renew the file with
/// `INTERLINE_BLESS=1 cargo nextest run -p interline-server description_is_the_committed_one`, look at what changed, and give
/// it a line in CHANGELOG.md.
#[test]
fn the_description_is_the_committed_one() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rest/openapi.json");
    let current = serde_json::to_string_pretty(document()).unwrap() + "\n";
    #[expect(clippy::disallowed_methods, reason = "the variable is how the committed file is renewed")]
    let bless = std::env::var_os("INTERLINE_BLESS").is_some();
    if bless {
        std::fs::write(&file, &current).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    let differing = committed.split('\n').zip(current.split('\n')).position(|(old, new)| old != new);
    assert!(
        committed == current,
        "the API is described otherwise than in tests/rest/openapi.json, first on line {}; if that is intended:\n\
         INTERLINE_BLESS=1 cargo nextest run -p interline-server description_is_the_committed_one",
        differing.map_or(0, |index| index + 1),
    );
}

/// `Allow` and the description list the same methods.
async fn every_method_that_answers_is_described(store: TestStore) {
    let owner = store.serve().await.owner();
    let paths: BTreeSet<String> = operations().into_iter().map(|operation| operation.path).collect();
    for path in paths {
        let address = with_values(&path);
        let answer = owner.send(&format!("FROB {address}"), None).await.expect(405, json!({}));
        let allowed: BTreeSet<String> = answer
            .header("allow")
            .split(',')
            .map(|method| method.trim().to_owned())
            .filter(|method| method != "HEAD")
            .collect();
        let described: BTreeSet<String> = operations()
            .into_iter()
            .filter(|operation| operation.path == path)
            .map(|operation| operation.method)
            .collect();
        assert_eq!(allowed, described, "{path}");
    }
}
