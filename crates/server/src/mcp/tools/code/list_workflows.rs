//! Tool `list_workflows`: lists the decorated functions of workflow files.

use interline_items::{Error, FoundWorkflow, WorkflowFilter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::file::FileIdentity;
use crate::mcp::protocol::arguments::OrganizationIdArg;
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "list_workflows",
        title: "List workflows",
        description: "The decorated functions of workflow files: name, file, category, description. Parameters: \
            get_workflow.",
        effect: Effect::Reads,
    };
    Tool::new(info, list_workflows)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListWorkflowsArgs {
    /// Part of a name, description or path
    query: Option<String>,
    category: Option<String>,
    organization_id: Option<OrganizationIdArg>,
}

#[derive(Serialize, JsonSchema)]
struct ListWorkflowsResult {
    workflows: Vec<WorkflowResult>,
    count: usize,
    /// There are more than are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
}

/// A function without its parameters.
#[derive(Serialize, JsonSchema)]
struct WorkflowResult {
    function: String,
    decorator: &'static str,
    line: usize,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    #[serde(flatten)]
    file: FileIdentity,
}

async fn list_workflows(call: CallContext, args: ListWorkflowsArgs) -> Result<ListWorkflowsResult, Error> {
    let ListWorkflowsArgs { query, category, organization_id } = args;
    let filter = WorkflowFilter { query, category, organization: organization_id.map(|id| id.0) };
    let found = call.interline.workflows(&call.caller, &filter).await?;
    let truncated = (found.workflows.len() < found.total).then_some(true);
    let workflows = found.workflows.into_iter().map(|one| WorkflowResult::from_workflow(&call, one)).collect();
    Ok(ListWorkflowsResult { workflows, count: found.total, truncated })
}

impl WorkflowResult {
    fn from_workflow(call: &CallContext, found: FoundWorkflow) -> WorkflowResult {
        let FoundWorkflow { file, function } = found;
        WorkflowResult {
            name: function.title.unwrap_or_else(|| function.name.clone()),
            function: function.name,
            decorator: function.decorator.as_str(),
            line: function.line,
            description: function.description,
            category: function.category,
            file: FileIdentity::from_item(call, &file),
        }
    }
}
