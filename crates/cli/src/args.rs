//! The command-line arguments as clap parses them. Nothing here knows a default or reads the environment: what the
//! arguments mean is in [`crate::settings`].

mod serve;
#[cfg(test)]
mod tests;

use std::ffi::OsString;

use clap::{Args, Parser, Subcommand, ValueEnum};
use interline_items::{Kind, Scope};

pub(crate) use self::serve::ServeArgs;
use crate::output::OutputFormat;

/// A store for text that AI agents read and edit precisely.
///
/// Every setting can be given as an option, as an environment variable, or as a key of the file that --config names. The
/// first of them that is there is taken, then the default. The key is the option's name with `_` for `-`.
///
/// Exit codes: 0 done, 1 refused, 2 wrong usage, 3 the store or the server failed.
#[derive(Debug, Parser)]
#[command(name = "interline", version, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the server
    ///
    /// Prints its address, on the first start the owner's token, and a line that tries it. Ctrl-C or SIGTERM: it
    /// finishes the requests in flight, then stops.
    Serve(Box<ServeArgs>),
    /// Add, list and remove users
    #[command(subcommand)]
    User(UserCommand),
    /// Add, list, rename and remove tokens
    #[command(subcommand)]
    Token(TokenCommand),
    /// Run an MCP server on standard input and output, for an agent that starts it
    ///
    /// It works on the local store as its owner, or passes everything on to a server. Several of them and a server can
    /// share one store. Nothing but the protocol is written to stdout.
    #[command(subcommand)]
    Mcp(McpCommand),
    /// Follow what happens
    ///
    /// A line for each change, from every door and every process, after its commit. It goes on until it is stopped, and
    /// comes back by itself to a server that was lost.
    Events(EventsArgs),
    /// Check that the local store is whole
    ///
    /// Reads everything: whether every version of every item can be rebuilt, and whether the index of searches says what
    /// the items do. It mends nothing, and a server may go on meanwhile. Code 3 if something does not fit together.
    Check(CheckArgs),
}

/// Where the local store is.
#[derive(Debug, Args)]
#[command(next_help_heading = "Store")]
pub(crate) struct StoreArgs {
    /// Where the store and the owner's token are kept [env: INTERLINE_DATA_DIR] [default: $XDG_DATA_HOME/interline, or
    /// ~/.local/share/interline]
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<OsString>,
    /// A PostgreSQL database (postgres://…) instead of the SQLite file in the data directory [env: INTERLINE_DATABASE]
    #[arg(long, value_name = "URL")]
    pub(crate) database: Option<OsString>,
    /// A configuration file (TOML) [env: INTERLINE_CONFIG]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<OsString>,
}

impl StoreArgs {
    /// Whether an option says where the store is. Then a server that the environment or a file names does not count.
    pub(crate) fn is_typed(&self) -> bool {
        self.data_dir.is_some() || self.database.is_some()
    }
}

/// The options of a command that works on a store: which store, and how the result is printed.
#[derive(Debug, Args)]
pub(crate) struct StoreCommandArgs {
    /// Answer in JSON, in the shapes of the REST API
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) address: StoreAddressArgs,
}

/// The options that name a store: the local one, or a remote server.
#[derive(Debug, Args)]
pub(crate) struct StoreAddressArgs {
    /// A server to work on, instead of the local store [env: INTERLINE_URL]
    #[arg(long, value_name = "URL", help_heading = "Server", conflicts_with_all = ["data_dir", "database"])]
    pub(crate) url: Option<OsString>,
    /// A token for that server [env: INTERLINE_TOKEN] [default: the owner's, for a server on this machine]
    #[arg(long, value_name = "TOKEN", help_heading = "Server")]
    pub(crate) token: Option<OsString>,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

impl StoreCommandArgs {
    /// How the result is printed.
    pub(crate) fn format(&self) -> OutputFormat {
        if self.json { OutputFormat::Json } else { OutputFormat::Text }
    }
}

#[derive(Debug, Args)]
pub(crate) struct EventsArgs {
    /// Begin after the event that had this cursor; 0 is the oldest that is kept [default: from now on]
    #[arg(long, value_name = "CURSOR|0")]
    pub(crate) since: Option<String>,
    /// Only items of this type; can be repeated
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) kinds: Vec<KindArg>,
    /// Only this item; can be repeated
    #[arg(long = "id", value_name = "ID")]
    pub(crate) ids: Vec<String>,
    #[command(flatten)]
    pub(crate) options: StoreCommandArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// Notes and bookmarks: find, read, edit
    Content(McpArgs),
    /// Prompts: find, edit with their arguments, render
    Prompts(McpArgs),
    /// Code: files of apps, workflows and modules
    Code(McpArgs),
    /// Write servers into the configuration of a client that starts them
    ///
    /// Everything else in the file stays as it is, and so does what was added to an entry by hand. The options of the
    /// server and of the store are passed on as they are typed here, a token too; what the environment says is not.
    Install(McpInstallArgs),
}

#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// What is logged, to stderr: a level, or levels of parts [env: INTERLINE_LOG] [default: warn]
    #[arg(long, value_name = "FILTER")]
    pub(crate) log: Option<OsString>,
    #[command(flatten)]
    pub(crate) address: StoreAddressArgs,
}

#[derive(Debug, Args)]
pub(crate) struct McpInstallArgs {
    /// The servers to install [default: all]
    #[arg(value_name = "SERVER")]
    pub(crate) servers: Vec<ServerArg>,
    /// The client to install them into, for all projects of its user
    #[arg(long, value_name = "CLIENT")]
    pub(crate) client: ClientArg,
    /// Only print what would be in the file
    #[arg(long)]
    pub(crate) print: bool,
    #[command(flatten)]
    pub(crate) address: StoreAddressArgs,
}

/// An MCP server as it is typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ServerArg {
    Content,
    Prompts,
    Code,
}

impl ServerArg {
    pub(crate) const ALL: &'static [ServerArg] = &[ServerArg::Content, ServerArg::Prompts, ServerArg::Code];

    /// The command that runs it, below `mcp`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            ServerArg::Content => "content",
            ServerArg::Prompts => "prompts",
            ServerArg::Code => "code",
        }
    }
}

/// A client of MCP servers as it is typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ClientArg {
    ClaudeCode,
    ClaudeDesktop,
    Cursor,
    Vscode,
    Codex,
}

#[derive(Debug, Subcommand)]
pub(crate) enum UserCommand {
    /// Add a user, and print its first token
    Add(UserAddArgs),
    /// List the users
    List(UserListArgs),
    /// Remove a user and its tokens
    Remove(UserRemoveArgs),
}

#[derive(Debug, Args)]
pub(crate) struct UserAddArgs {
    /// What the user is called in histories
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Where to reach the user
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) email: Option<String>,
    /// Let the user manage users, too
    #[arg(long)]
    pub(crate) admin: bool,
    #[command(flatten)]
    pub(crate) options: StoreCommandArgs,
}

#[derive(Debug, Args)]
pub(crate) struct UserListArgs {
    #[command(flatten)]
    pub(crate) options: StoreCommandArgs,
}

#[derive(Debug, Args)]
pub(crate) struct UserRemoveArgs {
    /// The user's name or id
    #[arg(value_name = "USER")]
    pub(crate) user: String,
    /// Remove its items with their histories, too; without this a user who has items stays
    #[arg(long)]
    pub(crate) purge: bool,
    #[command(flatten)]
    pub(crate) options: StoreCommandArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Make a token, and print it
    Add(TokenAddArgs),
    /// List tokens
    List(TokenListArgs),
    /// Give a token another name
    Rename(TokenRenameArgs),
    /// Remove a token
    Remove(TokenRemoveArgs),
}

#[derive(Debug, Args)]
pub(crate) struct TokenAddArgs {
    /// What the token is called
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Whose it is, by name or id [default: yours; on the local store, the owner's]
    #[arg(long, value_name = "USER")]
    pub(crate) user: Option<String>,
    /// What it allows; can be repeated [default: all that you may do]
    #[arg(long, value_name = "SCOPE")]
    pub(crate) scope: Vec<ScopeArg>,
    /// The kinds of items that exist for it; can be repeated [default: all]
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Vec<KindArg>,
    /// When it ends: after a time (12h, 30d, 1y) or at one (2027-01-31T00:00:00Z) [default: never]
    #[arg(long, value_name = "WHEN")]
    pub(crate) expires: Option<String>,
    #[command(flatten)]
    pub(crate) options: StoreCommandArgs,
}

#[derive(Debug, Args)]
pub(crate) struct TokenListArgs {
    /// Whose, by name or id [default: yours; on the local store, the owner's]
    #[arg(long, value_name = "USER")]
    pub(crate) user: Option<String>,
    #[command(flatten)]
    pub(crate) options: StoreCommandArgs,
}

#[derive(Debug, Args)]
pub(crate) struct TokenRenameArgs {
    /// The token's id, as `token list` shows it
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// What the token is called from now on
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) options: StoreCommandArgs,
}

#[derive(Debug, Args)]
pub(crate) struct TokenRemoveArgs {
    /// The token's id, as `token list` shows it
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) options: StoreCommandArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// There to be refused with the reason: other commands have it.
    #[arg(long, hide = true)]
    pub(crate) url: Option<OsString>,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

impl CheckArgs {
    /// How the result is printed.
    pub(crate) fn format(&self) -> OutputFormat {
        if self.json { OutputFormat::Json } else { OutputFormat::Text }
    }
}

/// A scope as it is typed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScopeArg(pub(crate) Scope);

impl ValueEnum for ScopeArg {
    fn value_variants<'a>() -> &'a [ScopeArg] {
        &[ScopeArg(Scope::Read), ScopeArg(Scope::Write), ScopeArg(Scope::Admin)]
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(self.0.name().into())
    }
}

/// A kind as it is typed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KindArg(pub(crate) Kind);

impl ValueEnum for KindArg {
    fn value_variants<'a>() -> &'a [KindArg] {
        const ALL: [KindArg; Kind::ALL.len()] = [
            KindArg(Kind::Note),
            KindArg(Kind::Bookmark),
            KindArg(Kind::Prompt),
            KindArg(Kind::AppFile),
            KindArg(Kind::Workflow),
            KindArg(Kind::Module),
        ];
        &ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(self.0.name().into())
    }
}
