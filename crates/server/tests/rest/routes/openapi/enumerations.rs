//! Closed sets of values: each is a named `enum`, of exactly the values that the parsers accept.

use std::collections::BTreeSet;

use interline_items::{
    AcceptedText, Action, ChangeSetNews, CodeKind, Error, EventKind, InsertAt, Kind, Level, LineEndings, OnStale,
    ProposalNews, ProposalState, ReviewState, Scope, SearchField, Source, Writes,
};
use interline_python::DecoratorKind;
use serde_json::{Value, json};

use crate::support::openapi_document::{document, operations};
use crate::support::test_store::TestStore;

on_both!(parameters_accept_what_is_described);

/// The fields and parameters that have the values of a set, by their name; or by schema and name, where the name alone means
/// several things.
const FIELDS: &[(&str, &[&str])] = &[
    ("ItemType", &["type", "types", "kinds"]),
    ("EntityType", &["entity_type"]),
    ("ItemField", &["changed_fields"]),
    ("MatchLevel", &["match"]),
    ("MatchType", &["match_type"]),
    ("WarningCode", &["EditWarning.code"]),
    ("LineEndings", &["line_endings"]),
    ("OnStale", &["on_stale"]),
    ("InsertPosition", &["Insert.at", "InsertWithArguments.at"]),
    ("SearchField", &["fields", "SearchMatch.field"]),
    ("SnippetField", &["Snippet.field"]),
    ("AppView", &["list_apps.view"]),
    ("ItemView", &["view"]),
    ("TagMatch", &["tag_match"]),
    ("SortBy", &["sort_by"]),
    ("SortOrder", &["sort_order"]),
    ("HistoryAction", &["action"]),
    ("ChangeSource", &["source"]),
    ("EventName", &["event"]),
    ("DeliveryState", &["Delivery.state"]),
    ("ReviewState", &["review", "state"]),
    ("ProposalState", &["Proposal.state", "ProposalReference.state", "list_proposals.state"]),
    ("AcceptedText", &["Accepted.text"]),
    ("TokenWrites", &["NewToken.writes", "Token.writes"]),
    ("TokenScope", &["scopes"]),
    ("SpaceKind", &["Space.kind"]),
    ("SpaceRole", &["role"]),
    ("WorkflowDecorator", &["decorator"]),
    ("ParameterKind", &["WorkflowParameter.kind"]),
    ("HealthStatus", &["Health.status", "Liveness.status"]),
    ("ErrorCode", &["Error.error"]),
    ("ImportFormat", &["import.format"]),
    ("ExportFormatName", &["export.format"]),
];

/// Fields that have such a name and any text.
const FREE: &[&str] = &["CodeMatch.match", "ProposalWithDiff.fields", "ReportedRecord.source", "import.source"];

/// The described values of a set.
fn values(name: &str) -> BTreeSet<String> {
    let schema = &document()["components"]["schemas"][name];
    let values = schema["enum"].as_array().unwrap_or_else(|| panic!("{name} is no enum: {schema}"));
    let distinct: BTreeSet<String> = values.iter().map(|value| value.as_str().unwrap().to_owned()).collect();
    assert_eq!(distinct.len(), values.len(), "{name} has a value twice");
    distinct
}

/// Every field and every parameter of the description, with the schema that it is in.
fn described_fields() -> Vec<(String, String, &'static Value)> {
    let mut fields = Vec::new();
    for (owner, schema) in document()["components"]["schemas"].as_object().unwrap() {
        let parts = schema["allOf"].as_array().map_or_else(|| vec![schema], |parts| parts.iter().collect());
        for (name, property) in parts.iter().filter_map(|part| part["properties"].as_object()).flatten() {
            fields.push((owner.clone(), name.clone(), property));
        }
    }
    for operation in operations() {
        let owner = operation.description["operationId"].as_str().unwrap();
        for parameter in operation.description["parameters"].as_array().into_iter().flatten() {
            fields.push((owner.to_owned(), parameter["name"].as_str().unwrap().to_owned(), &parameter["schema"]));
        }
    }
    fields
}

/// The schema of one value: of a list its entries', of what may be null the other.
fn of_one(schema: &Value) -> &Value {
    let choice = schema["oneOf"].as_array().and_then(|choices| choices.iter().find(|choice| choice["type"] != "null"));
    match (choice, schema.get("items")) {
        (Some(choice), _) => of_one(choice),
        (None, Some(items)) => of_one(items),
        (None, None) => schema,
    }
}

#[test]
fn every_closed_set_has_a_name_and_is_referred_to() {
    let mut missing: BTreeSet<&str> = FIELDS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    for (owner, field, schema) in described_fields() {
        let qualified = format!("{owner}.{field}");
        let row = |wanted: &str| {
            FIELDS.iter().find_map(|(set, names)| Some((set, names.iter().find(|name| **name == wanted)?)))
        };
        let row = row(&qualified).or_else(|| row(&field));
        if let Some((set, name)) = row.filter(|_| !FREE.contains(&qualified.as_str())) {
            assert_eq!(of_one(schema)["$ref"], format!("#/components/schemas/{set}"), "{qualified}: {schema}");
            missing.remove(name);
        }
        let pattern = of_one(schema)["pattern"].as_str().unwrap_or_default();
        assert!(!pattern.contains('|'), "{qualified} is a closed set without a name: {pattern}");
    }
    assert!(missing.is_empty(), "nothing has these fields: {missing:?}");
}

#[test]
fn no_set_is_described_where_it_is_used() {
    let named: BTreeSet<&str> = FIELDS.iter().map(|(set, _)| *set).collect();
    let schemas = document()["components"]["schemas"].as_object().unwrap();
    let sets: BTreeSet<&str> =
        schemas.iter().filter(|(_, schema)| schema.get("enum").is_some()).map(|(name, _)| name.as_str()).collect();
    assert_eq!(sets, named, "each set stands in the table of this test");
    assert_eq!(document().to_string().matches("\"enum\":").count(), sets.len(), "a copy of a set has no name");
}

#[test]
fn sets_are_those_of_the_parsers() {
    fn all<T: Copy>(
        all: &[T],
        name: impl Fn(T) -> &'static str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> BTreeSet<String> {
        let names = all.iter().map(|one| name(*one).to_owned());
        names.inspect(|name| assert!(parse(name).is_some(), "{name}")).collect()
    }
    for (set, parsed) in [
        ("ItemType", all(&Kind::ALL, Kind::name, Kind::from_name)),
        ("EntityType", all(&CodeKind::ALL, CodeKind::name, CodeKind::from_name)),
        ("MatchLevel", all(&Level::ALL, Level::name, Level::from_name)),
        ("LineEndings", all(&LineEndings::ALL, LineEndings::name, LineEndings::from_name)),
        ("OnStale", all(OnStale::ALL, OnStale::name, OnStale::from_name)),
        ("SearchField", all(&SearchField::ALL, SearchField::name, SearchField::from_name)),
        ("HistoryAction", all(Action::ALL, Action::name, Action::from_name)),
        ("ChangeSource", all(Source::ALL, Source::name, Source::from_name)),
        ("TokenScope", all(&Scope::ALL, Scope::name, Scope::from_name)),
        ("ReviewState", all(ReviewState::ALL, ReviewState::name, ReviewState::from_name)),
        ("ProposalState", all(ProposalState::ALL, ProposalState::name, ProposalState::from_name)),
        ("AcceptedText", all(AcceptedText::ALL, AcceptedText::name, AcceptedText::from_name)),
        ("TokenWrites", all(Writes::ALL, Writes::name, Writes::from_name)),
        ("WorkflowDecorator", all(&DecoratorKind::ALL, DecoratorKind::as_str, DecoratorKind::parse)),
    ] {
        assert_eq!(values(set), parsed, "{set}");
    }
    let of_items = EventKind::ALL.iter().map(|kind| format!("item.{kind}"));
    let of_sets = ChangeSetNews::ALL.iter().map(|news| format!("change.{news}"));
    let of_proposals = ProposalNews::ALL.iter().map(|news| format!("proposal.{news}"));
    let events: BTreeSet<String> = of_items.chain(of_sets).chain(of_proposals).collect();
    assert_eq!(values("EventName"), events);
    for position in values("InsertPosition") {
        InsertAt::parse(None, None, Some(&position)).unwrap();
    }
    let codes = values("ErrorCode");
    assert!(Error::CODES.iter().all(|code| codes.contains(*code)), "{codes:?}");
}

/// The server says which values it takes: those that are described.
async fn parameters_accept_what_is_described(store: TestStore) {
    let owner = store.serve().await.owner();
    let id = "0190a6f4-7b3c-7def-8123-456789abcdef";
    let edit = json!({"old_str": "a", "new_str": "b"});
    let with = |field: &str| {
        let mut body = edit.clone();
        body[field] = json!("nonsense");
        body
    };
    for (set, line, body) in [
        ("SortBy", "GET /notes?sort_by=nonsense", Value::Null),
        ("SortOrder", "GET /notes?sort_order=nonsense", Value::Null),
        ("ItemView", "GET /notes?view=nonsense", Value::Null),
        ("AppView", "GET /apps?view=nonsense", Value::Null),
        ("TagMatch", "GET /notes?tag_match=nonsense", Value::Null),
        ("ImportFormat", "POST /import?format=nonsense", Value::Null),
        ("ExportFormatName", "GET /export?format=nonsense", Value::Null),
        ("ItemType", "GET /content?type=nonsense", Value::Null),
        ("ItemType", "GET /events?types=nonsense", Value::Null),
        ("ItemType", "POST /webhooks", json!({"url": "https://example.com/", "types": ["nonsense"]})),
        ("EntityType", "POST /code/list", json!({"entity_type": "nonsense"})),
        ("SearchField", &format!("GET /notes/{id}/search?q=a&fields=nonsense"), Value::Null),
        ("MatchLevel", &format!("PATCH /notes/{id}/str-replace"), with("match")),
        ("LineEndings", &format!("PATCH /notes/{id}/str-replace"), with("line_endings")),
        ("ItemType", &format!("PATCH /notes/{id}/str-replace"), with("type")),
        (
            "OnStale",
            &format!("PATCH /notes/{id}"),
            json!({"content": "a", "expected_version": 1, "on_stale": "nonsense"}),
        ),
        ("InsertPosition", &format!("POST /notes/{id}/insert"), json!({"at": "nonsense", "new_str": "a"})),
    ] {
        let answer = owner.check(line, body, 422, json!({"error": "validation_failed"})).await.json();
        let message = answer["errors"][0]["message"].as_str().unwrap();
        let list = message.rsplit_once(" of ").map_or_else(|| message.trim_start_matches("must be "), |(_, list)| list);
        let accepted: BTreeSet<String> = list
            .split(", ")
            .flat_map(|part| part.split(" and "))
            .flat_map(|part| part.split(" or "))
            .map(|name| name.trim_matches('`').to_owned())
            .collect();
        assert_eq!(accepted, values(set), "{line}: {message}");
    }
}
