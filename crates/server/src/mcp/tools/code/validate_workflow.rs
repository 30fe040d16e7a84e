//! Tool `validate_workflow`: checks whether a text could be stored as a workflow.

use interline_items::{Error, WorkflowSource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::workflow::FunctionResult;
use crate::mcp::protocol::arguments::OrganizationIdArg;
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};
use crate::wire::code::CodeDiagnostic;
use crate::wire::invalid_field;

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "validate_workflow",
        title: "Check a workflow",
        description: "Whether content, or the file at path, could be stored as a workflow. Stores nothing.",
        effect: Effect::Reads,
    };
    Tool::new(info, validate_workflow)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ValidateWorkflowArgs {
    path: Option<String>,
    content: Option<String>,
    organization_id: Option<OrganizationIdArg>,
}

#[derive(Serialize, JsonSchema)]
struct ValidateWorkflowResult {
    valid: bool,
    errors: Vec<CodeDiagnostic>,
    warnings: Vec<String>,
    functions: Vec<FunctionResult>,
}

async fn validate_workflow(call: CallContext, args: ValidateWorkflowArgs) -> Result<ValidateWorkflowResult, Error> {
    let source = match (args.path, args.content) {
        (Some(path), None) => WorkflowSource::Path(path),
        (None, Some(content)) => WorkflowSource::Content(content),
        (Some(_), Some(_)) => return Err(invalid_field("path", "cannot be combined with content; give one of them")),
        (None, None) => return Err(invalid_field("content", "is required, or `path`")),
    };
    let organization = args.organization_id.map(|id| id.0);
    let checked = call.interline.validate_workflow(&call.caller, source, organization).await?;
    Ok(ValidateWorkflowResult {
        valid: checked.errors.is_empty(),
        errors: checked.errors.into_iter().map(CodeDiagnostic::from).collect(),
        warnings: checked.warnings,
        functions: checked.functions.into_iter().map(FunctionResult::from).collect(),
    })
}
