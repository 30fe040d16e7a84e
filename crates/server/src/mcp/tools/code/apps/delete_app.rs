//! Tool `delete_app`: puts an app into the trash.

use interline_items::{AppRef, Error};

use super::app::{AppArgs, AppResult};
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "delete_app",
        title: "Delete an app",
        description: "Put an app into the trash, with its files and published versions. restore_app brings it back.",
        effect: Effect::ChangesIdempotently,
    };
    Tool::new(info, delete_app)
}

async fn delete_app(call: CallContext, args: AppArgs) -> Result<AppResult, Error> {
    Ok(AppResult::from(&call.interline.delete_app(&call.caller, &AppRef::parse(&args.app_id)).await?))
}
