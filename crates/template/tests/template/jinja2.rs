//! The table of templates that Jinja2 renders too: `compare_jinja2.py` holds its column, this holds ours.
//!
//! A row that we answer otherwise has our answer in `ours` and the reason in `why`; docs/prompts.md has the reasons too.

use std::collections::BTreeMap;

use interline_template::{Argument, RenderError, Template};
use serde_json::{Value, json};

use super::on_large_stack;

/// In every row an optional argument without a value.
const ABSENT: &str = "absent";

fn table() -> Value {
    serde_json::from_str(include_str!("jinja2.json")).unwrap()
}

fn rows(table: &Value) -> Vec<&Value> {
    let sections = table["sections"].as_array().unwrap();
    sections.iter().flat_map(|section| section["rows"].as_array().unwrap()).collect()
}

/// The text, or why there is none, as `compare_jinja2.py` names it.
fn outcome(source: &str, arguments: &[Argument<'_>], values: &BTreeMap<String, Value>) -> Value {
    on_large_stack(|stack| {
        if Template::parse(source, stack).is_err() {
            return json!({ "error": "refused" });
        }
        match interline_template::render(source, arguments, values, stack) {
            Ok(text) => json!(text),
            Err(RenderError::Failed { detail, .. }) if detail.contains("undefined") => json!({ "error": "undefined" }),
            Err(_) => json!({ "error": "failed" }),
        }
    })
}

#[test]
fn templates_render_as_jinja2_renders_them_or_as_the_table_says() {
    let table = table();
    let values: BTreeMap<String, Value> = table["values"].as_object().unwrap().clone().into_iter().collect();
    let names = values.keys().map(String::as_str).chain([ABSENT]);
    let arguments: Vec<_> = names.map(|name| Argument { name, required: name != ABSENT }).collect();
    let rows = rows(&table);
    assert!(rows.len() >= 200, "{} rows", rows.len());
    let mut wrong = Vec::new();
    for row in rows {
        let expected = row.get("ours").unwrap_or(&row["jinja2"]);
        let rendered = outcome(row["template"].as_str().unwrap(), &arguments, &values);
        if rendered != *expected {
            wrong.push(format!("{}\n    expected {expected}\n    rendered {rendered}", row["template"]));
        }
    }
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_difference_is_one_and_has_a_reason_that_is_documented() {
    let documented = include_str!("../../../../docs/prompts.md").split_whitespace().collect::<Vec<_>>().join(" ");
    for row in rows(&table()) {
        let (ours, why) = (row.get("ours"), row.get("why").and_then(Value::as_str));
        assert_eq!(ours.is_some(), why.is_some(), "{row}");
        assert_ne!(ours, Some(&row["jinja2"]), "{row}");
        assert!(why.is_none_or(|why| documented.contains(why)), "not in docs/prompts.md: {row}");
    }
}
