//! Workflows as they are sent.

use interline_items::fields::CodePath;
use interline_items::{Caller, FoundWorkflow, Validation, Workflows};
use interline_python::{CodeError, Function, Literal, Parameter, ParameterKind};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::Place;
use crate::wire::Time;

/// Functions of workflows.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WorkflowList {
    /// The first 1,000, one for each decorated function.
    pub(crate) workflows: Vec<WorkflowBody>,
    /// How many there are.
    #[schema(value_type = i64, minimum = 0)]
    pub(crate) count: usize,
}

/// A function of a workflow file.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Workflow)]
pub(crate) struct WorkflowBody {
    /// The path of its file.
    path: String,
    #[serde(flatten)]
    place: Place,
    /// The version of its file.
    #[schema(value_type = i64, minimum = 1)]
    version: u64,
    /// When its file was last changed.
    updated_at: Time,
    #[serde(flatten)]
    function: FunctionBody,
}

/// A function with a workflow decorator.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WorkflowFunction)]
pub(crate) struct FunctionBody {
    /// Its name in the code.
    function: String,
    /// The name that its decorator gives it; its own unless given.
    name: String,
    /// Its decorator: `workflow`, `tool` or `data_provider`.
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
    parameters: Vec<ParameterBody>,
    /// Its doc string.
    doc: Option<String>,
}

/// A parameter of a function.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WorkflowParameter)]
pub(crate) struct ParameterBody {
    name: String,
    /// How it is given: `positional_only`, `standard`, `var_positional`, `keyword_only` or `var_keyword`.
    kind: &'static str,
    /// As it is written in the code.
    annotation: Option<String>,
    /// As it is written in the code.
    default: Option<String>,
}

/// Whether a text could be stored as a workflow.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WorkflowValidation)]
pub(crate) struct ValidationBody {
    valid: bool,
    /// Why not.
    errors: Vec<CodeErrorBody>,
    /// What could be better.
    warnings: Vec<String>,
    /// Its functions, if it could.
    functions: Vec<FunctionBody>,
}

/// What is wrong with a code, and where.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CodeError)]
pub(crate) struct CodeErrorBody {
    #[schema(value_type = i64, minimum = 1)]
    line: usize,
    #[schema(value_type = i64, minimum = 1)]
    column: usize,
    message: String,
}

impl WorkflowList {
    pub(crate) fn of(found: &Workflows, caller: &Caller) -> WorkflowList {
        let workflows = found.workflows.iter().map(|one| WorkflowBody::of(one, caller)).collect();
        WorkflowList { workflows, count: found.total }
    }

    /// Those that one was asked for.
    pub(crate) fn of_one(found: &[FoundWorkflow], caller: &Caller) -> WorkflowList {
        let workflows: Vec<WorkflowBody> = found.iter().map(|one| WorkflowBody::of(one, caller)).collect();
        WorkflowList { count: workflows.len(), workflows }
    }
}

impl WorkflowBody {
    pub(crate) fn of(found: &FoundWorkflow, caller: &Caller) -> WorkflowBody {
        WorkflowBody {
            path: found.file.fields.path.as_ref().map(CodePath::as_str).unwrap_or_default().to_owned(),
            place: Place::of(&found.file, caller),
            version: found.file.stamp.version,
            updated_at: Time(found.file.updated_at),
            function: FunctionBody::of(&found.function),
        }
    }
}

impl FunctionBody {
    fn of(function: &Function) -> FunctionBody {
        let options = function.arguments.iter().map(|(key, literal)| (key.clone(), value_of(literal)));
        FunctionBody {
            function: function.name.clone(),
            name: function.title.clone().unwrap_or_else(|| function.name.clone()),
            decorator: function.decorator.as_str(),
            line: function.line,
            description: function.description.clone(),
            category: function.category.clone(),
            options: options.collect(),
            parameters: function.parameters.iter().map(ParameterBody::of).collect(),
            doc: function.doc.clone(),
        }
    }
}

impl ParameterBody {
    fn of(parameter: &Parameter) -> ParameterBody {
        ParameterBody {
            name: parameter.name.clone(),
            kind: match parameter.kind {
                ParameterKind::PositionalOnly => "positional_only",
                ParameterKind::Standard => "standard",
                ParameterKind::Positions => "var_positional",
                ParameterKind::KeywordOnly => "keyword_only",
                ParameterKind::Keywords => "var_keyword",
            },
            annotation: parameter.annotation.clone(),
            default: parameter.default.clone(),
        }
    }
}

impl ValidationBody {
    pub(crate) fn of(validation: &Validation) -> ValidationBody {
        let error = |error: &CodeError| CodeErrorBody {
            line: error.line,
            column: error.column,
            message: error.message.clone(),
        };
        ValidationBody {
            valid: validation.errors.is_empty(),
            errors: validation.errors.iter().map(error).collect(),
            warnings: validation.warnings.clone(),
            functions: validation.functions.iter().map(FunctionBody::of).collect(),
        }
    }
}

pub(crate) fn value_of(literal: &Literal) -> Value {
    match literal {
        Literal::None => Value::Null,
        Literal::Bool(value) => (*value).into(),
        Literal::Integer(value) => (*value).into(),
        Literal::Float(value) => (*value).into(),
        Literal::Text(text) => text.as_str().into(),
        Literal::List(values) => values.iter().map(value_of).collect(),
        Literal::Map(pairs) => pairs.iter().map(|(key, value)| (key.clone(), value_of(value))).collect(),
    }
}
