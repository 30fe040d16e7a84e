//! Tool `publish_app`: publishes the files of an app's draft as its next version.

use interline_items::{AppRef, Error};
use schemars::JsonSchema;
use serde::Serialize;

use super::app::AppArgs;
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};
use crate::wire::Time;

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "publish_app",
        title: "Publish an app",
        description: "Freeze the draft's files as the next published version.",
        effect: Effect::Changes,
    };
    Tool::new(info, publish_app)
}

#[derive(Serialize, JsonSchema)]
struct PublishAppResult {
    id: String,
    slug: String,
    published_version: u64,
    file_count: u64,
    published_at: Time,
}

async fn publish_app(call: CallContext, args: AppArgs) -> Result<PublishAppResult, Error> {
    let (app, version) = call.interline.publish_app(&call.caller, &AppRef::parse(&args.app_id)).await?;
    Ok(PublishAppResult {
        id: app.id.to_string(),
        slug: app.slug.as_str().to_owned(),
        published_version: version.version,
        file_count: version.files,
        published_at: Time(version.published_at),
    })
}
