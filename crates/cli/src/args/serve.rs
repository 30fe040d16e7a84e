//! The arguments of `serve`.

use std::ffi::OsString;

use clap::Args;

use super::StoreArgs;

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interline serve --listen 127.0.0.1:4680 --log warn")]
pub(crate) struct ServeArgs {
    /// Address or name, and port, to listen on; port 0 is any free one [env: INTERLINE_LISTEN] [default: 127.0.0.1:4680]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<OsString>,
    /// How requests are authenticated: by a token, or not at all: everybody is the owner (on a loopback address only)
    /// [env: INTERLINE_AUTH] [default: token]
    #[arg(long, value_name = "token|none")]
    pub(crate) auth: Option<OsString>,
    /// With --auth none: whether what agents write through MCP is applied, or waits as a proposal until a person accepts
    /// it; a token says so itself [env: INTERLINE_MCP_WRITES] [default: apply]
    #[arg(long, value_name = "apply|propose")]
    pub(crate) mcp_writes: Option<OsString>,
    /// How many requests a user may make in a minute [env: INTERLINE_RATE_LIMIT] [default: 6000/1200; off with --auth
    /// none]
    #[arg(long, value_name = "READS/WRITES|off")]
    pub(crate) rate_limit: Option<OsString>,
    /// A web origin whose pages may use the API, such as `https://notes.example.org`; can be repeated [env:
    /// INTERLINE_ALLOWED_ORIGIN, separated by commas]
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) allowed_origin: Vec<String>,
    /// A name that the server is reached by, besides its address and localhost; can be repeated [env:
    /// INTERLINE_ALLOWED_HOST, separated by commas]
    #[arg(long, value_name = "HOST")]
    pub(crate) allowed_host: Vec<String>,
    /// What bodies, answers and work of all requests may take in memory; one user has at most half of it [env:
    /// INTERLINE_MEMORY_BUDGET] [default: a quarter of the machine's memory, at most 512MB]
    #[arg(long, value_name = "MEGABYTES", help_heading = "Bounds")]
    pub(crate) memory_budget: Option<OsString>,
    /// Connections of one address, which is neither a loopback address nor a trusted proxy's [env:
    /// INTERLINE_MAX_CONNECTIONS_PER_ADDRESS] [default: an eighth of all]
    #[arg(long, value_name = "NUMBER", help_heading = "Bounds")]
    pub(crate) max_connections_per_address: Option<OsString>,
    /// A proxy, or a range of them such as 10.0.0.0/8, whose X-Forwarded-For or Forwarded says where requests come from,
    /// and whose X-Request-Id is taken over; can be repeated [env: INTERLINE_TRUSTED_PROXY, separated by commas]
    #[arg(long, value_name = "CIDR", help_heading = "Bounds")]
    pub(crate) trusted_proxy: Vec<String>,
    /// The most connections to the PostgreSQL server [env: INTERLINE_POSTGRES_CONNECTIONS] [default: 11 and 5 for each
    /// core, from 21 to 48]
    #[arg(long, value_name = "NUMBER", help_heading = "Bounds")]
    pub(crate) postgres_connections: Option<OsString>,
    /// How long deleted items stay in the trash [env: INTERLINE_KEEP_TRASH] [default: 30d]
    #[arg(long, value_name = "DAYS|forever")]
    pub(crate) keep_trash: Option<OsString>,
    /// How long old versions stay in the histories of items; the newest always does [env: INTERLINE_KEEP_HISTORY]
    /// [default: forever]
    #[arg(long, value_name = "DAYS|forever")]
    pub(crate) keep_history: Option<OsString>,
    /// How long events are kept for those who come back to listen [env: INTERLINE_KEEP_EVENTS] [default: 7d]
    #[arg(long, value_name = "DAYS|forever")]
    pub(crate) keep_events: Option<OsString>,
    /// The most records that the history of an item has [env: INTERLINE_KEEP_RECORDS] [default: all]
    #[arg(long, value_name = "NUMBER|all")]
    pub(crate) keep_records: Option<OsString>,
    /// How many listeners to events one user may have at a time [env: INTERLINE_LISTENERS_PER_USER] [default: 64]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) listeners_per_user: Option<OsString>,
    /// How many webhooks of one user get events at the same time, at most 32 [env: INTERLINE_DELIVERIES_PER_USER]
    /// [default: 16]
    #[arg(long, value_name = "NUMBER", help_heading = "After a change")]
    pub(crate) deliveries_per_user: Option<OsString>,
    /// Where webhooks may go: to public addresses, or to any, including those of this machine and its network [env:
    /// INTERLINE_WEBHOOK_TARGETS] [default: public]
    #[arg(long, value_name = "public|any", help_heading = "After a change")]
    pub(crate) webhook_targets: Option<OsString>,
    /// An OpenAI-compatible endpoint (`https://api.example.com/v1`) whose model summarizes notes and bookmarks and suggests
    /// tags; INTERLINE_AI_KEY holds its API key, if it needs one [env: INTERLINE_AI_URL] [default: none]
    #[arg(long, value_name = "URL", help_heading = "After a change")]
    pub(crate) ai_url: Option<OsString>,
    /// The name of the model at that endpoint [env: INTERLINE_AI_MODEL]
    #[arg(long, value_name = "NAME", help_heading = "After a change")]
    pub(crate) ai_model: Option<OsString>,
    /// What is logged to stderr: a level, or levels of parts (info,interline_server=debug); a line for each request is at
    /// info, and interline_server::request=off leaves them out [env: INTERLINE_LOG] [default: info]
    #[arg(long, value_name = "FILTER")]
    pub(crate) log: Option<OsString>,
    /// The format of the log [env: INTERLINE_LOG_FORMAT] [default: text]
    #[arg(long, value_name = "text|json")]
    pub(crate) log_format: Option<OsString>,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}
