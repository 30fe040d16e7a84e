//! `item_history`

use interline_items::Error;
use schemars::JsonSchema;
use serde::Deserialize;

use super::item::which;
use crate::mcp::arguments::{ContentKind, Id, Number, Whole};
use crate::mcp::history::{HistoryAsked, HistoryTold};
use crate::mcp::tool::{About, Call, Effect, Tool};

pub(super) fn tool() -> Tool {
    let about = About {
        name: "item_history",
        title: "History of an item",
        description: "Versions of an item, newest first: what changed, when, by whom. With version: the diff that led \
            to it from the version before, or from against. restore_item goes back.",
        effect: Effect::Reads,
    };
    Tool::new(about, item_history)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    id: Id,
    #[serde(rename = "type")]
    kind: Option<ContentKind>,
    version: Option<Number>,
    against: Option<Whole<0, { u64::MAX }>>,
    /// Default 20
    limit: Option<Whole<1, 100>>,
}

async fn item_history(call: Call, arguments: Arguments) -> Result<HistoryTold, Error> {
    let Arguments { id, kind, version, against, limit } = arguments;
    let (which, _) = which(&call, id, kind).await?;
    HistoryTold::read(&call, &which, HistoryAsked { version, against, limit }).await
}
