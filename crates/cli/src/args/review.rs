//! The arguments of `changes`, `review`, `undo` and `blame`.

use clap::{Args, ValueEnum};

use super::items::ItemArgs;
use super::{StoreCommandArgs, WriteCommandArgs};

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  interline changes --state unreviewed\n  interline changes --item @last\n  \
                        interline changes 0199abcd-0000")]
pub(crate) struct ChangesArgs {
    /// Show this change set with its diffs: its id, or a unique beginning of it (4 digits or more)
    #[arg(value_name = "SET", conflicts_with_all = ["state", "item", "client", "agent", "limit"])]
    pub(crate) set: Option<String>,
    /// Only sets in this state
    #[arg(long, value_name = "STATE")]
    pub(crate) state: Option<ReviewStateArg>,
    /// Only sets that changed this item, named as in `interline get`
    #[arg(long, value_name = "ITEM")]
    pub(crate) item: Option<String>,
    /// Only sets of the client with this name
    #[arg(long, value_name = "NAME")]
    pub(crate) client: Option<String>,
    /// Only sets of agents
    #[arg(long)]
    pub(crate) agent: bool,
    /// How many at the most, up to 100
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    pub(crate) limit: u64,
    #[command(flatten)]
    pub(crate) options: StoreCommandArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  interline review\n  interline review --yes 0199abcd-0000 0199abcd-1111")]
pub(crate) struct ReviewArgs {
    /// Keep these change sets, and ask nothing
    #[arg(long, value_name = "SET", num_args = 1..)]
    pub(crate) yes: Vec<String>,
    #[command(flatten)]
    pub(crate) options: WriteCommandArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  interline undo 0199abcd-0000\n  \
                        interline undo 0199abcd-0000 --item @last --reason 'the old dates were right'")]
pub(crate) struct UndoArgs {
    /// The change set: its id, or a unique beginning of it (4 digits or more)
    #[arg(value_name = "SET")]
    pub(crate) set: String,
    /// Only what was done to this item, named as in `interline get`; can be repeated
    #[arg(long = "item", value_name = "ITEM")]
    pub(crate) items: Vec<String>,
    /// Only this hunk, by the id that `interline changes SET` shows; can be repeated
    #[arg(long = "hunk", value_name = "ID")]
    pub(crate) hunks: Vec<String>,
    /// Leave items that others changed since as they are, and take back the rest
    #[arg(long)]
    pub(crate) skip_conflicts: bool,
    #[command(flatten)]
    pub(crate) options: WriteCommandArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interline blame @last")]
pub(crate) struct BlameArgs {
    #[command(flatten)]
    pub(crate) item: ItemArgs,
    #[command(flatten)]
    pub(crate) options: StoreCommandArgs,
}

/// What people have decided about a change set, as it is typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ReviewStateArg {
    Unreviewed,
    Kept,
    Undone,
    #[value(name = "partly_undone", alias = "partly-undone")]
    PartlyUndone,
}

impl ReviewStateArg {
    /// What the API calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            ReviewStateArg::Unreviewed => "unreviewed",
            ReviewStateArg::Kept => "kept",
            ReviewStateArg::Undone => "undone",
            ReviewStateArg::PartlyUndone => "partly_undone",
        }
    }
}
