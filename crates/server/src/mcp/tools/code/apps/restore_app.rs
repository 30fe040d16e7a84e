//! Tool `restore_app`: takes an app from the trash.

use interline_items::{AppRef, Error};

use super::app::{AppArgs, AppResult};
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "restore_app",
        title: "Restore an app",
        description: "Bring back a deleted app with all it had (list_apps view deleted shows them).",
        effect: Effect::ChangesIdempotently,
    };
    Tool::new(info, restore_app)
}

async fn restore_app(call: CallContext, args: AppArgs) -> Result<AppResult, Error> {
    Ok(AppResult::from(&call.interline.restore_app(&call.caller, &AppRef::parse(&args.app_id)).await?))
}
