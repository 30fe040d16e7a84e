//! A decorated Python function of a workflow file, as the tools show it.

use interline_python::{Function, Parameter};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::wire::code::{parameter_kind_name, value_from_literal};

/// A function with its parameters and its decorator's options.
#[derive(Serialize, JsonSchema)]
pub(super) struct FunctionResult {
    function: String,
    decorator: &'static str,
    line: usize,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    /// The decorator's other arguments.
    #[serde(skip_serializing_if = "Map::is_empty")]
    options: Map<String, Value>,
    parameters: Vec<ParameterResult>,
    #[serde(skip_serializing_if = "Option::is_none")]
    doc: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct ParameterResult {
    name: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<String>,
}

impl From<Function> for FunctionResult {
    fn from(function: Function) -> FunctionResult {
        let Function { name, decorator, line, title, description, category, arguments, parameters, doc } = function;
        FunctionResult {
            name: title.unwrap_or_else(|| name.clone()),
            function: name,
            decorator: decorator.as_str(),
            line,
            description,
            category,
            options: arguments.into_iter().map(|(name, literal)| (name, value_from_literal(&literal))).collect(),
            parameters: parameters.into_iter().map(ParameterResult::from).collect(),
            doc,
        }
    }
}

impl From<Parameter> for ParameterResult {
    fn from(parameter: Parameter) -> ParameterResult {
        let Parameter { name, kind, annotation, default } = parameter;
        ParameterResult { name, kind: parameter_kind_name(kind), annotation, default }
    }
}
