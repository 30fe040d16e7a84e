//! Tables of templates: what they read, why they are refused, what they render, and what they may cost.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed test is a panic")]

mod bounds;
mod jinja2;
mod rendering;
mod validity;
mod variables;

use std::collections::BTreeMap;
use std::thread;

use serde_json::Value;

use interline_template::{Argument, LargeStack, RenderError, STACK_BYTES, Template, TemplateError};

/// A thread of [`on_large_stack`].
struct TestThread;

impl LargeStack for TestThread {}

fn on_large_stack<T: Send>(work: impl FnOnce(&TestThread) -> T + Send) -> T {
    thread::scope(|scope| {
        let builder = thread::Builder::new().stack_size(STACK_BYTES);
        builder.spawn_scoped(scope, || work(&TestThread)).unwrap().join().unwrap()
    })
}

fn parse(source: &str) -> Result<Template, TemplateError> {
    on_large_stack(|stack| Template::parse(source, stack))
}

fn render(source: &str, arguments: &[Argument<'_>], values: &BTreeMap<String, Value>) -> Result<String, RenderError> {
    on_large_stack(|stack| interline_template::render(source, arguments, values, stack))
}

/// Optional arguments with these names.
fn optional<'a>(names: &[&'a str]) -> Vec<Argument<'a>> {
    names.iter().map(|name| Argument { name, required: false }).collect()
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
