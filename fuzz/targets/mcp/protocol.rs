//! The parsing of arguments.

#[path = "../../../crates/server/src/mcp/protocol/arguments.rs"]
#[allow(dead_code, reason = "the tools use all of it")]
pub(super) mod arguments;

use interline_items::{Error, TextChange};
use serde_json::{Map, Value};

use super::ToolArgs;

/// The item, its kind and the change of its text that the arguments of a call name.
pub(crate) fn parse(arguments: Map<String, Value>) -> Result<(String, bool, Option<TextChange>), Error> {
    arguments::parse::<ToolArgs>(arguments)?.into_change()
}
