//! The arguments of `proposals`.

use std::ffi::OsString;

use clap::{Args, Subcommand, ValueEnum};

use super::StoreCommandArgs;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "Examples:\n  interline proposals\n  interline proposals 0199abcd-0000\n  \
                        interline proposals accept 0199abcd-0000\n  \
                        interline proposals --state rejected --item @last")]
pub(crate) struct ProposalsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ProposalsCommand>,
    /// Show this proposal with its diff: its id, or a unique beginning of it (4 digits or more)
    #[arg(value_name = "ID", conflicts_with_all = ["state", "item", "limit"])]
    pub(crate) proposal: Option<String>,
    /// List those in this state [default: pending]
    #[arg(long, value_name = "STATE")]
    pub(crate) state: Option<ProposalStateArg>,
    /// Only those for this item, named as in `interline get`
    #[arg(long, value_name = "ITEM")]
    pub(crate) item: Option<String>,
    /// List so many at the most, up to 100 [default: 50]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) limit: Option<u64>,
    #[command(flatten)]
    pub(crate) options: StoreCommandArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProposalsCommand {
    /// Apply proposals, whole or in part
    ///
    /// Exactly the change that a proposal shows is carried onto what the item is now. Where others changed the same since,
    /// nothing is applied and the places are shown.
    Accept(AcceptArgs),
    /// Refuse proposals; who made them is told the reason
    Reject(RejectArgs),
    /// Take a proposal back, without a decision
    Withdraw(WithdrawArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  interline proposals accept 0199abcd-0000 0199abcd-1111\n  \
                        interline proposals accept 0199abcd-0000 --hunk 3f1c5a\n  \
                        interline proposals accept 0199abcd-0000 --content plan.md")]
pub(crate) struct AcceptArgs {
    /// The proposals: ids, or unique beginnings of them (4 digits or more)
    #[arg(value_name = "ID", required = true)]
    pub(crate) proposals: Vec<String>,
    /// Only this hunk, by the id that `interline proposals ID` shows; the rest stays pending; can be repeated
    #[arg(long = "hunk", value_name = "HUNK", conflicts_with = "content")]
    pub(crate) hunks: Vec<String>,
    /// The text of this file instead of the proposed one, - for stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) content: Option<OsString>,
    /// Only if the proposal is still at this revision [default: the one that it is at]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) revision: Option<u64>,
    #[command(flatten)]
    pub(crate) options: StoreCommandArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interline proposals reject 0199abcd-0000 --reason 'the old dates were right'")]
pub(crate) struct RejectArgs {
    /// The proposals: ids, or unique beginnings of them (4 digits or more)
    #[arg(value_name = "ID", required = true)]
    pub(crate) proposals: Vec<String>,
    /// Why, in a few words: the agent is told with its next change of the item
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    #[command(flatten)]
    pub(crate) options: StoreCommandArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interline proposals withdraw 0199abcd-0000")]
pub(crate) struct WithdrawArgs {
    /// The proposal: its id, or a unique beginning of it (4 digits or more)
    #[arg(value_name = "ID")]
    pub(crate) proposal: String,
    #[command(flatten)]
    pub(crate) options: StoreCommandArgs,
}

/// What became of a proposal, as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProposalStateArg {
    Pending,
    Accepted,
    Rejected,
    Stale,
    Withdrawn,
    /// Whatever became of it.
    All,
}

impl ProposalStateArg {
    /// What the API calls it; `None` is any.
    pub(crate) fn name(self) -> Option<&'static str> {
        match self {
            ProposalStateArg::Pending => Some("pending"),
            ProposalStateArg::Accepted => Some("accepted"),
            ProposalStateArg::Rejected => Some("rejected"),
            ProposalStateArg::Stale => Some("stale"),
            ProposalStateArg::Withdrawn => Some("withdrawn"),
            ProposalStateArg::All => None,
        }
    }
}
