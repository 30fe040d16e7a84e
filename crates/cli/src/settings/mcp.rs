//! The settings of an MCP server on standard input and output, and what becomes of the writes of agents without a token.

use interline_items::Writes;
use tracing_subscriber::EnvFilter;

use super::layers::{Layers, Setting};
use super::{AuthMode, StoreAddress, parse_log_filter};
use crate::args::{McpArgs, ServeArgs};
use crate::command_error::CommandError;
use crate::environment::Environment;

/// Agents hide what their MCP servers log, or show it to people who did not ask for it.
const DEFAULT_LOG: &str = "warn";
const WRITES: &str = "mcp-writes";

/// The settings of an MCP server on standard input and output.
#[derive(Debug)]
pub(crate) struct McpSettings {
    pub(crate) address: StoreAddress,
    /// What becomes of the writes of the local agent.
    pub(crate) writes: Writes,
    pub(crate) log: EnvFilter,
}

impl McpSettings {
    pub(crate) fn from_args(args: &McpArgs, environment: &Environment) -> Result<McpSettings, CommandError> {
        let layers = Layers::read(args.address.store.config.as_deref(), environment)?;
        let log = layers.find("log", args.log.as_deref(), |file| file.log.as_deref());
        let log = log.map_or_else(|| Ok(EnvFilter::new(DEFAULT_LOG)), |setting| parse_log_filter(&setting))?;
        let writes = layers.find(WRITES, args.mcp_writes.as_deref(), |file| file.mcp_writes.as_deref());
        let address = StoreAddress::from_layers(&args.address, &layers)?;
        if let (Some(setting), StoreAddress::Server { .. }) = (&writes, &address)
            && setting.is_typed()
        {
            return Err(CommandError::usage(format!(
                "{}: it is about the local store, and INTERLINE_URL names a server",
                setting.origin
            ))
            .hint(OF_TOKENS));
        }
        Ok(McpSettings { address, writes: writes.map_or(Ok(Writes::Apply), |setting| parse_writes(&setting))?, log })
    }
}

/// What becomes of the writes of agents that show no token to a server. Typed for a server at which each shows one, it would
/// do nothing of what its user expects.
pub(super) fn served_writes(args: &ServeArgs, auth: AuthMode, layers: &Layers<'_>) -> Result<Writes, CommandError> {
    let setting = layers.find(WRITES, args.mcp_writes.as_deref(), |file| file.mcp_writes.as_deref());
    let Some(setting) = setting else { return Ok(Writes::Apply) };
    let writes = parse_writes(&setting)?;
    if writes == Writes::Propose && auth == AuthMode::Token && setting.is_typed() {
        return Err(CommandError::usage(format!(
            "{}: it is about agents that show no token, and here each has to",
            setting.origin
        ))
        .hint(OF_TOKENS));
    }
    Ok(writes)
}

const OF_TOKENS: &str = "`interline token add NAME --agent --propose` makes a token whose writes wait for a person";

fn parse_writes(setting: &Setting) -> Result<Writes, CommandError> {
    let name = setting.text()?;
    Writes::ALL
        .iter()
        .copied()
        .find(|writes| writes.name() == name)
        .ok_or_else(|| setting.invalid("is not what can become of writes").hint("write apply or propose"))
}
