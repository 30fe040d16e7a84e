//! Tool `get_app`: shows an app with the files of its draft.

use interline_items::{AppRef, Error};

use super::app::{AppArgs, AppDetailsResult};
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "get_app",
        title: "Describe an app",
        description: "An app with the paths and sizes of its draft's files.",
        effect: Effect::Reads,
    };
    Tool::new(info, get_app)
}

async fn get_app(call: CallContext, args: AppArgs) -> Result<AppDetailsResult, Error> {
    AppDetailsResult::from_app(&call.interline.app(&call.caller, &AppRef::parse(&args.app_id)).await?)
}
