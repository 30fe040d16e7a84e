//! The arguments of `edit` and `patch`.

use std::ffi::OsString;

use clap::{Args, ValueEnum};

use super::WriteCommandArgs;
use super::items::ItemArgs;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  interline edit @last\n  interline edit @last --old Milk --new Bread --dry-run\n  \
                        interline edit greet --old-file old.txt --new-file new.txt"
)]
pub(crate) struct EditArgs {
    #[command(flatten)]
    pub(crate) item: ItemArgs,
    /// The passage as you remember it
    #[arg(long, value_name = "TEXT", conflicts_with = "old_file")]
    pub(crate) old: Option<String>,
    /// What it becomes; empty to delete it
    #[arg(long, value_name = "TEXT", conflicts_with = "new_file", allow_hyphen_values = true)]
    pub(crate) new: Option<String>,
    /// Read the passage from this file, exactly as it is there; `-` is stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) old_file: Option<OsString>,
    /// Read what it becomes from this file; `-` is stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) new_file: Option<OsString>,
    /// In how many places the passage is; all of them are changed [default: 1]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) expected_matches: Option<u64>,
    /// The loosest level at which the passage may be found [default: spacing_normalized]
    #[arg(long = "match", value_name = "LEVEL")]
    pub(crate) loosest: Option<String>,
    /// Only if the item is at this version
    #[arg(long, value_name = "NUMBER")]
    pub(crate) expected_version: Option<u64>,
    /// Make the change that the refusal of this very edit has offered
    #[arg(long, value_name = "ID")]
    pub(crate) merged: Option<String>,
    /// Only show what would change
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) options: WriteCommandArgs,
}

impl EditArgs {
    /// Whether the change is in the arguments. Otherwise an editor is opened.
    pub(crate) fn has_change(&self) -> bool {
        self.old.is_some() || self.new.is_some() || self.old_file.is_some() || self.new_file.is_some()
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  interline patch @last 3 5 --content 'three lines become one'\n  \
                        interline patch @last --op 1,1,head.txt --op 9,12,tail.txt --dry-run")]
pub(crate) struct PatchArgs {
    #[command(flatten)]
    pub(crate) item: ItemArgs,
    /// The first line to replace
    #[arg(value_name = "START", requires = "end_line")]
    pub(crate) start_line: Option<u64>,
    /// The last line to replace; START - 1 inserts before START
    #[arg(value_name = "END")]
    pub(crate) end_line: Option<u64>,
    /// What the lines become; `-` reads it from stdin
    #[arg(long, value_name = "TEXT|-", allow_hyphen_values = true)]
    pub(crate) content: Option<String>,
    /// Lines START to END become what is in FILE (`-` is stdin); can be repeated, all numbers are those before the patch
    #[arg(long = "op", value_name = "START,END,FILE", conflicts_with_all = ["start_line", "content"])]
    pub(crate) operations: Vec<String>,
    /// Only if the item is at this version
    #[arg(long, value_name = "NUMBER")]
    pub(crate) expected_version: Option<u64>,
    /// Only show what would change
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) options: WriteCommandArgs,
}

/// A shell as it is typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ShellArg {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interline completions bash > ~/.local/share/bash-completion/completions/interline")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: ShellArg,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  interline man | man -l -\n  interline man new note\n  interline man --dir /usr/local/share/man/man1"
)]
pub(crate) struct ManArgs {
    /// The command whose page is printed [default: interline itself]
    #[arg(value_name = "COMMAND", conflicts_with = "dir")]
    pub(crate) command: Vec<String>,
    /// Write the pages of all commands into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<OsString>,
}
