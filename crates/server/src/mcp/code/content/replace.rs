//! `replace_content`

use interline_items::{Error, ReplaceFile, ReplacedFile};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::file::{EntityType, FileName, GivenFile};
use crate::mcp::arguments::{Number, OrganizationArgument};
use crate::mcp::tool::{About, Call, Effect, Tool};
use crate::mcp::written::expected;

pub(in super::super) fn tool() -> Tool {
    let about = About {
        name: "replace_content",
        title: "Write a whole file",
        description: "Write a whole file: a new one, one that patch_content cannot change, or a tiny one. \
            expected_version is the version you read, so that nobody's change is lost.",
        effect: Effect::Settles,
    };
    Tool::new(about, replace_content)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    entity_type: EntityType,
    path: String,
    content: String,
    app_id: Option<String>,
    organization_id: Option<OrganizationArgument>,
    expected_version: Option<Number>,
}

#[derive(Serialize, JsonSchema)]
struct ReplacedTold {
    success: bool,
    #[serde(flatten)]
    file: FileName,
    created: bool,
    id: String,
    version: u64,
}

async fn replace_content(call: Call, arguments: Arguments) -> Result<ReplacedTold, Error> {
    let Arguments { entity_type, path, content, app_id, organization_id, expected_version } = arguments;
    let file = GivenFile { entity_type, path, app_id, organization_id }.reference();
    let wanted = ReplaceFile { file, content, expected: expected(expected_version) };
    let replaced = call.interline.replace_file(&call.caller, wanted).await?;
    let item = &replaced.file().item;
    Ok(ReplacedTold {
        success: true,
        file: FileName::of(&call, item),
        created: matches!(replaced, ReplacedFile::Created(_)),
        id: item.id.to_string(),
        version: item.stamp.version,
    })
}
