//! `list_workflows`, `get_workflow` and `validate_workflow`: what is known of code without reading it.

use interline_items::{Error, FoundWorkflow, WorkflowFilter, WorkflowRef, WorkflowSource};
use interline_python::{CodeError, Function, Parameter, ParameterKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::file::FileName;
use crate::mcp::arguments::{OrganizationArgument, invalid};
use crate::mcp::tool::{About, Call, Effect, Tool};
use crate::wire::code::value_of;

pub(super) fn list_tool() -> Tool {
    let about = About {
        name: "list_workflows",
        title: "List workflows",
        description: "The decorated functions of workflow files: name, file, category, description. Parameters: \
            get_workflow.",
        effect: Effect::Reads,
    };
    Tool::new(about, list_workflows)
}

pub(super) fn get_tool() -> Tool {
    let about = About {
        name: "get_workflow",
        title: "Describe a workflow",
        description: "What a workflow takes and is for: give workflow_name, or path (and function). Its code: \
            read_content_lines from its line.",
        effect: Effect::Reads,
    };
    Tool::new(about, get_workflow)
}

pub(super) fn validate_tool() -> Tool {
    let about = About {
        name: "validate_workflow",
        title: "Check a workflow",
        description: "Whether content, or the file at path, could be stored as a workflow. Stores nothing.",
        effect: Effect::Reads,
    };
    Tool::new(about, validate_workflow)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListArguments {
    /// Part of a name, description or path
    query: Option<String>,
    category: Option<String>,
    organization_id: Option<OrganizationArgument>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GetArguments {
    workflow_name: Option<String>,
    path: Option<String>,
    function: Option<String>,
    organization_id: Option<OrganizationArgument>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ValidateArguments {
    path: Option<String>,
    content: Option<String>,
    organization_id: Option<OrganizationArgument>,
}

#[derive(Serialize, JsonSchema)]
struct ListTold {
    workflows: Vec<WorkflowTold>,
    count: usize,
    /// There are more than are told.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
struct DescribedTold {
    workflows: Vec<DescribedWorkflowTold>,
}

#[derive(Serialize, JsonSchema)]
struct ValidationTold {
    valid: bool,
    errors: Vec<ErrorTold>,
    warnings: Vec<String>,
    functions: Vec<FunctionTold>,
}

#[derive(Serialize, JsonSchema)]
struct ErrorTold {
    line: usize,
    column: usize,
    message: String,
}

/// A function, shortly.
#[derive(Serialize, JsonSchema)]
struct WorkflowTold {
    function: String,
    decorator: &'static str,
    line: usize,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    #[serde(flatten)]
    file: FileName,
}

#[derive(Serialize, JsonSchema)]
struct DescribedWorkflowTold {
    #[serde(flatten)]
    file: FileName,
    version: u64,
    #[serde(flatten)]
    function: FunctionTold,
}

/// All that is known of a function.
#[derive(Serialize, JsonSchema)]
struct FunctionTold {
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
    parameters: Vec<ParameterTold>,
    #[serde(skip_serializing_if = "Option::is_none")]
    doc: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct ParameterTold {
    name: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<String>,
}

async fn list_workflows(call: Call, arguments: ListArguments) -> Result<ListTold, Error> {
    let ListArguments { query, category, organization_id } = arguments;
    let filter = WorkflowFilter { query, category, organization: organization_id.map(|id| id.0) };
    let found = call.interline.workflows(&call.caller, &filter).await?;
    let truncated = (found.workflows.len() < found.total).then_some(true);
    let workflows = found.workflows.into_iter().map(|one| WorkflowTold::of(&call, one)).collect();
    Ok(ListTold { workflows, count: found.total, truncated })
}

async fn get_workflow(call: Call, arguments: GetArguments) -> Result<DescribedTold, Error> {
    let which = match (arguments.workflow_name, arguments.path, arguments.function) {
        (Some(name), None, None) => WorkflowRef::Name(name),
        (None, Some(path), function) => WorkflowRef::Path { path, function },
        (Some(_), Some(_), _) => {
            return Err(invalid("path", "cannot be combined with workflow_name; give one of them"));
        }
        (_, None, Some(_)) => return Err(invalid("path", "is required where `function` is given")),
        (None, None, None) => return Err(invalid("workflow_name", "is required, or `path`")),
    };
    let organization = arguments.organization_id.map(|id| id.0);
    let found = call.interline.workflow(&call.caller, &which, organization).await?;
    let workflows = found.into_iter().map(|one| DescribedWorkflowTold {
        file: FileName::of(&call, &one.file),
        version: one.file.stamp.version,
        function: FunctionTold::of(one.function),
    });
    Ok(DescribedTold { workflows: workflows.collect() })
}

async fn validate_workflow(call: Call, arguments: ValidateArguments) -> Result<ValidationTold, Error> {
    let source = match (arguments.path, arguments.content) {
        (Some(path), None) => WorkflowSource::Path(path),
        (None, Some(content)) => WorkflowSource::Content(content),
        (Some(_), Some(_)) => return Err(invalid("path", "cannot be combined with content; give one of them")),
        (None, None) => return Err(invalid("content", "is required, or `path`")),
    };
    let organization = arguments.organization_id.map(|id| id.0);
    let checked = call.interline.validate_workflow(&call.caller, source, organization).await?;
    let error = |CodeError { line, column, message }| ErrorTold { line, column, message };
    Ok(ValidationTold {
        valid: checked.errors.is_empty(),
        errors: checked.errors.into_iter().map(error).collect(),
        warnings: checked.warnings,
        functions: checked.functions.into_iter().map(FunctionTold::of).collect(),
    })
}

impl WorkflowTold {
    fn of(call: &Call, found: FoundWorkflow) -> WorkflowTold {
        let FoundWorkflow { file, function } = found;
        WorkflowTold {
            name: function.title.unwrap_or_else(|| function.name.clone()),
            function: function.name,
            decorator: function.decorator.as_str(),
            line: function.line,
            description: function.description,
            category: function.category,
            file: FileName::of(call, &file),
        }
    }
}

impl FunctionTold {
    fn of(function: Function) -> FunctionTold {
        let Function { name, decorator, line, title, description, category, arguments, parameters, doc } = function;
        FunctionTold {
            name: title.unwrap_or_else(|| name.clone()),
            function: name,
            decorator: decorator.as_str(),
            line,
            description,
            category,
            options: arguments.into_iter().map(|(name, literal)| (name, value_of(&literal))).collect(),
            parameters: parameters.into_iter().map(ParameterTold::of).collect(),
            doc,
        }
    }
}

impl ParameterTold {
    fn of(parameter: Parameter) -> ParameterTold {
        let Parameter { name, kind, annotation, default } = parameter;
        let kind = match kind {
            ParameterKind::PositionalOnly => "positional_only",
            ParameterKind::Standard => "standard",
            ParameterKind::Positions => "var_positional",
            ParameterKind::KeywordOnly => "keyword_only",
            ParameterKind::Keywords => "var_keyword",
        };
        ParameterTold { name, kind, annotation, default }
    }
}
