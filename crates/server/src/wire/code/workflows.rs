//! Workflows and their functions in responses.

use interline_items::{Caller, FoundWorkflow, Validation, Workflows};
use interline_python::{CodeError, Function, Literal, Parameter, ParameterKind};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{CodeOwner, code_path};
use crate::wire::Time;
use crate::wire::enumerations::{self, WorkflowDecorator};

/// Functions of workflows.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WorkflowList {
    /// The first 1,000, one for each decorated function.
    pub(crate) workflows: Vec<WorkflowResponse>,
    /// How many there are.
    #[schema(value_type = i64, minimum = 0)]
    pub(crate) count: usize,
}

/// A function of a workflow file.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Workflow)]
pub(crate) struct WorkflowResponse {
    /// The path of its file.
    path: String,
    #[serde(flatten)]
    owner: CodeOwner,
    /// The version of its file.
    #[schema(value_type = i64, minimum = 1)]
    version: u64,
    /// When its file was last changed.
    updated_at: Time,
    #[serde(flatten)]
    function: FunctionResponse,
}

/// A function with a workflow decorator.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WorkflowFunction)]
pub(crate) struct FunctionResponse {
    /// Its name in the code.
    function: String,
    /// The name that its decorator gives it; its own unless given.
    name: String,
    /// Its decorator.
    #[schema(value_type = WorkflowDecorator)]
    decorator: &'static str,
    /// The line of its definition.
    #[schema(value_type = i64, minimum = 1)]
    line: usize,
    /// The description that its decorator gives it.
    description: Option<String>,
    /// The category that its decorator gives it.
    category: Option<String>,
    /// The decorator's other keyword arguments that are literals.
    #[schema(value_type = std::collections::BTreeMap<String, Value>)]
    options: Map<String, Value>,
    /// What it takes, in order.
    parameters: Vec<ParameterResponse>,
    /// Its doc string.
    doc: Option<String>,
}

/// A parameter of a function.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WorkflowParameter)]
pub(crate) struct ParameterResponse {
    name: String,
    /// How it is given.
    #[schema(value_type = enumerations::ParameterKind)]
    kind: &'static str,
    /// As it is written in the code.
    annotation: Option<String>,
    /// As it is written in the code.
    default: Option<String>,
}

/// Whether a text could be stored as a workflow.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WorkflowValidation)]
pub(crate) struct ValidationResponse {
    valid: bool,
    /// Why not.
    errors: Vec<CodeDiagnostic>,
    /// What could be better.
    warnings: Vec<String>,
    /// Its functions, if it could.
    functions: Vec<FunctionResponse>,
}

/// What is wrong with a code, and where.
#[derive(Debug, Serialize, ToSchema, JsonSchema)]
#[schema(as = CodeError)]
pub(crate) struct CodeDiagnostic {
    #[schema(value_type = i64, minimum = 1)]
    line: usize,
    #[schema(value_type = i64, minimum = 1)]
    column: usize,
    message: String,
}

impl WorkflowList {
    pub(crate) fn new(found: &Workflows, caller: &Caller) -> WorkflowList {
        let workflows = found.workflows.iter().map(|one| WorkflowResponse::new(one, caller)).collect();
        WorkflowList { workflows, count: found.total }
    }

    /// Those that one was asked for.
    pub(crate) fn from_found(found: &[FoundWorkflow], caller: &Caller) -> WorkflowList {
        let workflows: Vec<WorkflowResponse> = found.iter().map(|one| WorkflowResponse::new(one, caller)).collect();
        WorkflowList { count: workflows.len(), workflows }
    }
}

impl WorkflowResponse {
    pub(crate) fn new(found: &FoundWorkflow, caller: &Caller) -> WorkflowResponse {
        WorkflowResponse {
            path: code_path(&found.file),
            owner: CodeOwner::from_item(&found.file, caller),
            version: found.file.stamp.version,
            updated_at: Time(found.file.updated_at),
            function: FunctionResponse::from(&found.function),
        }
    }
}

impl From<&Function> for FunctionResponse {
    fn from(function: &Function) -> FunctionResponse {
        let options = function.arguments.iter().map(|(key, literal)| (key.clone(), value_from_literal(literal)));
        FunctionResponse {
            function: function.name.clone(),
            name: function.title.clone().unwrap_or_else(|| function.name.clone()),
            decorator: function.decorator.as_str(),
            line: function.line,
            description: function.description.clone(),
            category: function.category.clone(),
            options: options.collect(),
            parameters: function.parameters.iter().map(ParameterResponse::from).collect(),
            doc: function.doc.clone(),
        }
    }
}

impl From<&Parameter> for ParameterResponse {
    fn from(parameter: &Parameter) -> ParameterResponse {
        ParameterResponse {
            name: parameter.name.clone(),
            kind: parameter_kind_name(parameter.kind),
            annotation: parameter.annotation.clone(),
            default: parameter.default.clone(),
        }
    }
}

impl From<&Validation> for ValidationResponse {
    fn from(validation: &Validation) -> ValidationResponse {
        ValidationResponse {
            valid: validation.errors.is_empty(),
            errors: validation.errors.iter().cloned().map(CodeDiagnostic::from).collect(),
            warnings: validation.warnings.clone(),
            functions: validation.functions.iter().map(FunctionResponse::from).collect(),
        }
    }
}

impl From<CodeError> for CodeDiagnostic {
    fn from(error: CodeError) -> CodeDiagnostic {
        let CodeError { line, column, message } = error;
        CodeDiagnostic { line, column, message }
    }
}

/// Every kind of parameter.
pub(crate) const PARAMETER_KINDS: [ParameterKind; 5] = [
    ParameterKind::PositionalOnly,
    ParameterKind::Standard,
    ParameterKind::Positions,
    ParameterKind::KeywordOnly,
    ParameterKind::Keywords,
];

pub(crate) const fn parameter_kind_name(kind: ParameterKind) -> &'static str {
    match kind {
        ParameterKind::PositionalOnly => "positional_only",
        ParameterKind::Standard => "standard",
        ParameterKind::Positions => "var_positional",
        ParameterKind::KeywordOnly => "keyword_only",
        ParameterKind::Keywords => "var_keyword",
    }
}

/// A Python literal as JSON.
pub(crate) fn value_from_literal(literal: &Literal) -> Value {
    match literal {
        Literal::None => Value::Null,
        Literal::Bool(value) => (*value).into(),
        Literal::Integer(value) => (*value).into(),
        Literal::Float(value) => (*value).into(),
        Literal::Text(text) => text.as_str().into(),
        Literal::List(values) => values.iter().map(value_from_literal).collect(),
        Literal::Map(pairs) => pairs.iter().map(|(key, value)| (key.clone(), value_from_literal(value))).collect(),
    }
}
