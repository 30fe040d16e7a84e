//! The OpenAPI description, as the tests read it.

use std::sync::OnceLock;

use serde_json::Value;

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

/// Demands that a described route describes the status that it answered with; a bug (500) is no part of a contract.
pub(crate) fn assert_describes(line: &str, status: u16) {
    let (method, address) = line.split_once(' ').expect("METHOD path");
    let path = address.split('?').next().unwrap_or_default().trim_end_matches('/');
    let method = if method == "HEAD" { "GET" } else { method };
    let mut fitting: Vec<Operation> =
        operations().into_iter().filter(|operation| fits(&operation.path, path)).collect();
    // A fixed segment is nearer than a parameter: `/users/me` is not a user.
    let nearest = fitting.iter().map(|operation| operation.path.matches('{').count()).min().unwrap_or(0);
    fitting.retain(|operation| operation.path.matches('{').count() == nearest && operation.method == method);
    for operation in fitting.iter().filter(|_| status != 500) {
        let described = operation.description["responses"].get(status.to_string()).is_some();
        assert!(described, "{line}: the status {status} is not described for {method} {}", operation.path);
    }
}

fn fits(template: &str, path: &str) -> bool {
    let (template, path): (Vec<&str>, Vec<&str>) = (template.split('/').collect(), path.split('/').collect());
    template.len() == path.len()
        && template.iter().zip(path).all(|(segment, value)| segment.starts_with('{') || *segment == value)
}
