//! The command-line arguments as clap parses them. Nothing here knows a default or reads the environment: what the
//! arguments mean is in [`crate::settings`].

mod edit;
mod items;
mod mcp;
mod proposals;
mod review;
mod serve;
#[cfg(test)]
mod tests;
mod token;
mod transfer;

use std::ffi::OsString;

use clap::{Args, Parser, Subcommand, ValueEnum};
use interline_items::Kind;

pub(crate) use self::edit::{CompletionsArgs, EditArgs, ManArgs, PatchArgs, ShellArg};
pub(crate) use self::items::{
    ArchiveArgs, DiffArgs, FilterArgs, GetArgs, HistoryArgs, ItemArgs, ListArgs, NewBookmarkArgs, NewCommand,
    NewItemArgs, NewNoteArgs, NewPromptArgs, OrderArg, OrgAddArgs, OrgCommand, OrgListArgs, RemoveArgs, RenderArgs,
    RestoreArgs, SearchArgs, SortArg, TagRemoveArgs, TagRenameArgs, TagsArgs, TagsCommand, UnarchiveArgs,
};
pub(crate) use self::mcp::{ClientArg, McpArgs, McpCommand, McpInstallArgs, ServerArg};
pub(crate) use self::proposals::{
    AcceptArgs, ProposalStateArg, ProposalsArgs, ProposalsCommand, RejectArgs, WithdrawArgs,
};
pub(crate) use self::review::{BlameArgs, ChangesArgs, ReviewArgs, ReviewStateArg, UndoArgs};
pub(crate) use self::serve::ServeArgs;
pub(crate) use self::token::{TokenAddArgs, TokenCommand, TokenListArgs, TokenRemoveArgs, TokenRenameArgs};
pub(crate) use self::transfer::{ExportArgs, ExportFormatArg, ImportArgs};
use crate::output::OutputFormat;

/// A store for text that AI agents read and edit precisely.
///
/// Every setting can be given as an option, as an environment variable, or as a key of the file that --config names.
/// Options override environment variables, which override the file. The key is the option's name with `_` for `-`.
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
    /// Make a note, a bookmark or a prompt
    #[command(subcommand)]
    New(NewCommand),
    /// Read an item
    ///
    /// On a terminal with what it is; piped, exactly the bytes of its content.
    Get(GetArgs),
    /// List items
    List(ListArgs),
    /// Search over all items
    Search(SearchArgs),
    /// Change a passage of an item, or open it in an editor
    ///
    /// With --old and --new, a passage is found and replaced, or the edit is refused with the passages that are nearest.
    /// Without them, the editor that VISUAL or EDITOR names opens on the content; changes that others make meanwhile are
    /// merged, and a text that cannot be saved is kept in a file.
    Edit(Box<EditArgs>),
    /// Replace lines of an item by their numbers
    Patch(Box<PatchArgs>),
    /// Render a prompt with values for its arguments
    Render(RenderArgs),
    /// List the changes of an item, newest first
    History(HistoryArgs),
    /// Show what changed between two versions of an item
    Diff(DiffArgs),
    /// List what was done in one go, by whom and why, or show one such change set
    ///
    /// A change set is what one client did without a longer pause. Agents' sets wait for a person to keep them or to take
    /// them back; those of people are kept from the start.
    Changes(ChangesArgs),
    /// Go through what agents did, and keep it or take it back
    ///
    /// Shows one change set after the other that nobody has reviewed, and asks. Without a terminal it lists them.
    Review(ReviewArgs),
    /// Go through changes that agents propose, and accept or reject them
    ///
    /// Shows one pending proposal after the other, and asks. Without a terminal it lists them. What a token that proposes
    /// writes (`interline token add NAME --propose`) is applied when a person accepts it.
    Proposals(ProposalsArgs),
    /// Take a change set back, or some of it
    ///
    /// What came later stays. Where others changed the same since, nothing is taken back and the places are shown. The undo
    /// is a change set itself, which can be taken back.
    Undo(UndoArgs),
    /// Show who wrote each line of an item, when and through which program
    Blame(BlameArgs),
    /// Bring an item back from the trash, or back to an older version
    Restore(RestoreArgs),
    /// Archive an item
    Archive(ArchiveArgs),
    /// Take an item out of the archive
    Unarchive(UnarchiveArgs),
    /// Move an item to the trash
    Rm(RemoveArgs),
    /// List, rename and remove tags
    Tags(TagsArgs),
    /// Import a folder or a file of another program
    ///
    /// A folder of Markdown (an Obsidian vault), of SKILL.md, Notion's zip, bookmarks of browsers, CSV and JSON of other
    /// programs, or an own export. Run again, it brings over what has changed, and makes nothing twice.
    Import(ImportArgs),
    /// Export everything to a folder or a file
    ///
    /// A folder gets Markdown files with front matter; those that have not changed are not written. A .jsonl file has
    /// everything with its history.
    Export(ExportArgs),
    /// Add and list organizations
    #[command(subcommand)]
    Org(OrgCommand),
    /// Run the server
    ///
    /// Prints its address, on the first start the owner's token, the line that connects an agent, and a request to try.
    /// On Ctrl-C or SIGTERM it finishes the requests in flight, then stops.
    Serve(Box<ServeArgs>),
    /// Add, list and remove users
    #[command(subcommand)]
    User(UserCommand),
    /// Add, list, rename and remove tokens
    #[command(subcommand)]
    Token(TokenCommand),
    /// Connect an agent by MCP: install into a client, or run on stdin and stdout
    ///
    /// `mcp install` writes the servers into the configuration of a client, which then starts them itself. They work on
    /// the local store as its owner, or pass everything on to a server (--url). Several of them and a server can share
    /// one store. Nothing but the protocol is written to stdout.
    #[command(subcommand)]
    Mcp(McpCommand),
    /// Follow the changes of items as they happen
    ///
    /// Prints a line for each change, whoever made it, until it is stopped with Ctrl-C. If the connection to a server is
    /// lost, it reconnects and goes on where it was.
    Events(EventsArgs),
    /// Verify the store's integrity
    ///
    /// Reads everything: whether every version of every item can be rebuilt, and whether the search index agrees with the
    /// items. It changes nothing, and a server may keep running. Exit code 3 if there are problems.
    Check(CheckArgs),
    /// Print the completions of a shell
    Completions(CompletionsArgs),
    /// Print a manual page
    Man(ManArgs),
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
    /// Print JSON, as in the REST API
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) address: StoreAddressArgs,
}

/// The options of a command that changes items.
#[derive(Debug, Args)]
pub(crate) struct WriteCommandArgs {
    /// Why, in a few words, as histories and change sets show it
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    #[command(flatten)]
    pub(crate) store: StoreCommandArgs,
}

impl WriteCommandArgs {
    /// How the result is printed.
    pub(crate) fn format(&self) -> OutputFormat {
        self.store.format()
    }
}

/// The options that name a store: the local one, or a remote server.
#[derive(Debug, Args)]
pub(crate) struct StoreAddressArgs {
    /// A server to work on, instead of the local store [env: INTERLINE_URL]
    #[arg(long, value_name = "URL", help_heading = "Server", conflicts_with_all = ["data_dir", "database"])]
    pub(crate) url: Option<OsString>,
    /// A token for that server [env: INTERLINE_TOKEN] [default: the owner's, if the server is on this machine]
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
#[command(after_help = "Example:\n  interline events --type note --json")]
pub(crate) struct EventsArgs {
    /// Start after the event with this cursor, as --json shows it; 0 is the oldest that is kept [default: now]
    #[arg(long, value_name = "CURSOR|0")]
    pub(crate) since: Option<String>,
    /// Only items of this type; can be repeated
    #[arg(long = "type", alias = "kind", value_name = "TYPE")]
    pub(crate) kinds: Vec<KindArg>,
    /// Only this item; can be repeated
    #[arg(long = "id", value_name = "ID")]
    pub(crate) ids: Vec<String>,
    #[command(flatten)]
    pub(crate) options: StoreCommandArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum UserCommand {
    /// Add a user, and print the user's first token
    Add(UserAddArgs),
    /// List the users
    List(UserListArgs),
    /// Remove a user with all tokens
    Remove(UserRemoveArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interline user add grace --email grace@example.org")]
pub(crate) struct UserAddArgs {
    /// The user's name, as histories show it
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// The user's e-mail address
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) email: Option<String>,
    /// Allow the user to manage users
    #[arg(long)]
    pub(crate) admin: bool,
    #[command(flatten)]
    pub(crate) options: StoreCommandArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interline user list")]
pub(crate) struct UserListArgs {
    #[command(flatten)]
    pub(crate) options: StoreCommandArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interline user remove grace --purge")]
pub(crate) struct UserRemoveArgs {
    /// The user's name or id
    #[arg(value_name = "USER")]
    pub(crate) user: String,
    /// Also remove the user's items with their histories; without this, a user who has items is not removed
    #[arg(long)]
    pub(crate) purge: bool,
    #[command(flatten)]
    pub(crate) options: StoreCommandArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interline check --json")]
pub(crate) struct CheckArgs {
    /// Print JSON
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
