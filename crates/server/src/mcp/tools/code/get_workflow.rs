//! Tool `get_workflow`: shows what a workflow takes and is for.

use interline_items::{Error, WorkflowRef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::file::FileIdentity;
use super::workflow::FunctionResult;
use crate::mcp::protocol::arguments::OrganizationIdArg;
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};
use crate::wire::invalid_field;

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "get_workflow",
        title: "Describe a workflow",
        description: "What a workflow takes and is for: give workflow_name, or path (and function). Its code: \
            read_content_lines from its line.",
        effect: Effect::Reads,
    };
    Tool::new(info, get_workflow)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GetWorkflowArgs {
    workflow_name: Option<String>,
    path: Option<String>,
    function: Option<String>,
    organization_id: Option<OrganizationIdArg>,
}

#[derive(Serialize, JsonSchema)]
struct GetWorkflowResult {
    workflows: Vec<WorkflowDetailsResult>,
}

#[derive(Serialize, JsonSchema)]
struct WorkflowDetailsResult {
    #[serde(flatten)]
    file: FileIdentity,
    version: u64,
    #[serde(flatten)]
    function: FunctionResult,
}

async fn get_workflow(call: CallContext, args: GetWorkflowArgs) -> Result<GetWorkflowResult, Error> {
    let workflow = match (args.workflow_name, args.path, args.function) {
        (Some(name), None, None) => WorkflowRef::Name(name),
        (None, Some(path), function) => WorkflowRef::Path { path, function },
        (Some(_), Some(_), _) => {
            return Err(invalid_field("path", "cannot be combined with workflow_name; give one of them"));
        }
        (_, None, Some(_)) => return Err(invalid_field("path", "is required where `function` is given")),
        (None, None, None) => return Err(invalid_field("workflow_name", "is required, or `path`")),
    };
    let organization = args.organization_id.map(|id| id.0);
    let found = call.interline.workflow(&call.caller, &workflow, organization).await?;
    let workflows = found.into_iter().map(|one| WorkflowDetailsResult {
        file: FileIdentity::from_item(&call, &one.file),
        version: one.file.stamp.version,
        function: FunctionResult::from(one.function),
    });
    Ok(GetWorkflowResult { workflows: workflows.collect() })
}
