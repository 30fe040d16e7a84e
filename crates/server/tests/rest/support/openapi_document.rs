//! The OpenAPI description, as the tests read it.

use std::sync::OnceLock;

use serde_json::Value;

use crate::support::openapi_schema;

/// The document, made once.
pub(crate) fn document() -> &'static Value {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    DOCUMENT.get_or_init(interline_server::openapi)
}

/// An operation: its method in capitals, its path and its description.
pub(crate) struct Operation {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) description: &'static Value,
}

/// A path with values in place of its parameters; nothing exists by them.
pub(crate) fn with_values(path: &str) -> String {
    let path = path
        .replace("{id}", "0190a6f4-7b3c-7def-8123-456789abcdef")
        .replace("{name}", "nothing")
        .replace("{app}", "nothing")
        .replace("{version}", "1");
    assert!(!path.contains('{'), "{path}: a parameter without a value");
    path
}

/// Every route that is described.
pub(crate) fn operations() -> Vec<Operation> {
    let paths = document()["paths"].as_object().expect("paths");
    let mut all = Vec::new();
    for (path, methods) in paths {
        for (method, description) in methods.as_object().expect("operations") {
            all.push(Operation { method: method.to_ascii_uppercase(), path: path.clone(), description });
        }
    }
    all
}

/// Demands that a described route describes the status that it answered with and the body; a bug (500) is no part of a
/// contract.
pub(crate) fn assert_describes(line: &str, status: u16, body: &[u8]) {
    let Some((operation, response)) = described_response(line, status).filter(|_| status != 500) else { return };
    assert!(!response.is_null(), "{line}: the status {status} is not described for {operation}");
    let schema = &response["content"]["application/json"]["schema"];
    if schema.is_null() || line.starts_with("HEAD ") {
        return;
    }
    let body = serde_json::from_slice(body).unwrap_or_else(|error| panic!("{line}: {error}"));
    if let Some(difference) = openapi_schema::difference(schema, &body, &mut |_, _, _| {}) {
        panic!("{line}: the answer is not as {operation} describes it: {difference}\n{body:#}");
    }
}

/// The operation that a request is for, and what it describes for a status; null if nothing.
pub(crate) fn described_response(line: &str, status: u16) -> Option<(String, &'static Value)> {
    let (method, address) = line.split_once(' ').expect("METHOD path");
    let path = address.split('?').next().unwrap_or_default().trim_end_matches('/');
    let method = if method == "HEAD" { "GET" } else { method };
    let mut fitting: Vec<Operation> =
        operations().into_iter().filter(|operation| fits(&operation.path, path)).collect();
    // A fixed segment is nearer than a parameter: `/users/me` is not a user.
    let nearest = fitting.iter().map(|operation| operation.path.matches('{').count()).min().unwrap_or(0);
    fitting.retain(|operation| operation.path.matches('{').count() == nearest && operation.method == method);
    let operation = fitting.pop()?;
    let response = &operation.description["responses"][status.to_string()];
    Some((format!("{method} {}", operation.path), response))
}

fn fits(template: &str, path: &str) -> bool {
    let (template, path): (Vec<&str>, Vec<&str>) = (template.split('/').collect(), path.split('/').collect());
    template.len() == path.len()
        && template.iter().zip(path).all(|(segment, value)| segment.starts_with('{') || *segment == value)
}
