//! The arguments of `token`.

use clap::{Args, Subcommand, ValueEnum};
use interline_items::Scope;

use super::{KindArg, StoreCommandArgs};

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Create a token, and print it
    Add(TokenAddArgs),
    /// List tokens
    List(TokenListArgs),
    /// Give a token another name
    Rename(TokenRenameArgs),
    /// Remove a token
    Remove(TokenRemoveArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interline token add laptop --scope read --expires 30d")]
pub(crate) struct TokenAddArgs {
    /// The token's name, such as the program that will use it
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// The user that it is for, by name or id [default: yourself; on the local store, the owner]
    #[arg(long, value_name = "USER")]
    pub(crate) user: Option<String>,
    /// What the token allows; can be repeated [default: all that you may do]
    #[arg(long, value_name = "SCOPE")]
    pub(crate) scope: Vec<ScopeArg>,
    /// The types of items that it can see; can be repeated [default: all]
    #[arg(long = "type", alias = "kind", value_name = "TYPE")]
    pub(crate) kind: Vec<KindArg>,
    /// When it expires: after a time (12h, 30d, 1y) or at one (2027-01-31T00:00:00Z) [default: never]
    #[arg(long, value_name = "WHEN")]
    pub(crate) expires: Option<String>,
    /// The token is for an agent: people review what it writes, and it cannot decide, purge or make tokens
    #[arg(long)]
    pub(crate) agent: bool,
    /// What the token writes waits as a proposal until a person accepts it
    #[arg(long)]
    pub(crate) propose: bool,
    #[command(flatten)]
    pub(crate) options: StoreCommandArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interline token list --user grace")]
pub(crate) struct TokenListArgs {
    /// The user whose tokens are listed, by name or id [default: yourself; on the local store, the owner]
    #[arg(long, value_name = "USER")]
    pub(crate) user: Option<String>,
    #[command(flatten)]
    pub(crate) options: StoreCommandArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interline token rename 0199abcd-0000-7000-8000-000000000000 desk")]
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
#[command(after_help = "Example:\n  interline token remove 0199abcd-0000-7000-8000-000000000000")]
pub(crate) struct TokenRemoveArgs {
    /// The token's id, as `token list` shows it
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) options: StoreCommandArgs,
}

/// A scope as it is typed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScopeArg(pub(crate) Scope);

impl ValueEnum for ScopeArg {
    fn value_variants<'a>() -> &'a [ScopeArg] {
        &[ScopeArg(Scope::Read), ScopeArg(Scope::Write), ScopeArg(Scope::Admin), ScopeArg(Scope::Review)]
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(self.0.name().into())
    }
}
