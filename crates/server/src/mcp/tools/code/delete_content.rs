//! Tool `delete_content`: puts a file of code into the trash.

use interline_items::{Error, ExpectedVersion};
use schemars::JsonSchema;
use serde::Serialize;

use super::file::{FileArgs, FileIdentity};
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "delete_content",
        title: "Delete a file",
        description: "Put a file into the trash. restore_content brings it back.",
        effect: Effect::ChangesIdempotently,
    };
    Tool::new(info, delete_content)
}

#[derive(Serialize, JsonSchema)]
struct DeleteContentResult {
    success: bool,
    #[serde(flatten)]
    file: FileIdentity,
    id: String,
}

async fn delete_content(call: CallContext, args: FileArgs) -> Result<DeleteContentResult, Error> {
    let file = args.into_file_ref();
    let item = call.interline.delete_file(&call.caller, &file, ExpectedVersion::Any).await?;
    Ok(DeleteContentResult { success: true, file: FileIdentity::from_item(&call, &item), id: item.id.to_string() })
}
