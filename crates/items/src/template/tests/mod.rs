//! Tables of templates: what they read, why they are refused, what they render, and what they may cost.

mod bounds;
mod rendering;
mod validity;
mod variables;

use std::collections::BTreeMap;

use serde_json::Value;

use super::{RenderError, Template, TemplateError};
use crate::fields::{Argument, Arguments, Limits};
use crate::threads::LargeStack;

fn parse(source: &str) -> Result<Template, TemplateError> {
    LargeStack::blocking(|stack| Template::parse(source, stack)).unwrap()
}

fn render(source: &str, arguments: &Arguments, values: &BTreeMap<String, Value>) -> Result<String, RenderError> {
    LargeStack::blocking(|stack| super::render(source, arguments, values, stack)).unwrap()
}

/// Optional arguments with these names.
fn optional(names: &[&str]) -> Arguments {
    let argument = |name: &&str| Argument { name: (*name).to_owned(), description: None, required: false };
    Arguments::parse(names.iter().map(argument).collect(), &Limits::default()).unwrap()
}

/// Renders with the values of a JSON object, each of which is an argument.
fn render_with(source: &str, values: &Value) -> Result<String, RenderError> {
    let values: BTreeMap<String, Value> = values.as_object().unwrap().clone().into_iter().collect();
    let names: Vec<&str> = values.keys().map(String::as_str).collect();
    render(source, &optional(&names), &values)
}

/// The detail of the failure that rendering ends with.
fn failure(source: &str) -> String {
    match render_with(source, &serde_json::json!({})) {
        Err(RenderError::Failed { detail, .. }) => detail,
        other => panic!("{source}: {other:?}"),
    }
}
