//! The arguments of the everyday commands: making, reading, finding, rendering items; their histories and lifecycle; tags.

use std::ffi::OsString;

use clap::{Args, Subcommand, ValueEnum};

use super::{KindArg, StoreCommandArgs, WriteCommandArgs};

#[derive(Debug, Subcommand)]
pub(crate) enum NewCommand {
    /// Make a note
    #[command(after_help = "Examples:\n  interline new note 'Shopping list' --content 'Milk' --tag home\n  \
                            date | interline new note 'Today' -")]
    Note(NewNoteArgs),
    /// Make a bookmark
    #[command(after_help = "Example:\n  interline new bookmark https://example.org --title Example --tag reading")]
    Bookmark(NewBookmarkArgs),
    /// Make a prompt: a Jinja2 template with its arguments
    ///
    /// Without --content, --file or -, an editor opens for the template.
    #[command(
        after_help = "Example:\n  interline new prompt greet --content 'Hello {{ name }}' --argument 'name:whom!'"
    )]
    Prompt(NewPromptArgs),
}

/// What every new item can have.
#[derive(Debug, Args)]
pub(crate) struct NewItemArgs {
    /// The content; `-` reads it from stdin
    #[arg(long, value_name = "TEXT|-", conflicts_with_all = ["file", "stdin"])]
    pub(crate) content: Option<String>,
    /// Read the content from this file
    #[arg(long, value_name = "FILE", conflicts_with = "stdin")]
    pub(crate) file: Option<OsString>,
    /// Read the content from stdin
    #[arg(value_name = "-", value_parser = ["-"])]
    pub(crate) stdin: Option<String>,
    /// A tag; can be repeated
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// What it is about
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    #[command(flatten)]
    pub(crate) options: WriteCommandArgs,
}

#[derive(Debug, Args)]
pub(crate) struct NewNoteArgs {
    /// The title
    #[arg(value_name = "TITLE")]
    pub(crate) title: String,
    #[command(flatten)]
    pub(crate) item: NewItemArgs,
}

#[derive(Debug, Args)]
pub(crate) struct NewBookmarkArgs {
    /// The address, http or https
    #[arg(value_name = "URL")]
    pub(crate) address: String,
    /// The title
    #[arg(long, value_name = "TITLE")]
    pub(crate) title: Option<String>,
    #[command(flatten)]
    pub(crate) item: NewItemArgs,
}

#[derive(Debug, Args)]
pub(crate) struct NewPromptArgs {
    /// The name: lower-case words joined by `-`
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// The title
    #[arg(long, value_name = "TITLE")]
    pub(crate) title: Option<String>,
    /// An argument of the template, with what it is for, and `!` if it must be given; can be repeated
    #[arg(long = "argument", value_name = "NAME[:DESCRIPTION][!]")]
    pub(crate) arguments: Vec<String>,
    #[command(flatten)]
    pub(crate) item: NewItemArgs,
}

/// Which item a command is about.
#[derive(Debug, Args)]
pub(crate) struct ItemArgs {
    /// The item: its id, a unique beginning of it (4 digits or more), a prompt's name, a path of code, or @last, what was
    /// last made or changed here
    #[arg(value_name = "ITEM")]
    pub(crate) item: String,
    /// Only an item of this type
    #[arg(long = "type", alias = "kind", value_name = "TYPE")]
    pub(crate) kind: Option<KindArg>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  interline get @last\n  interline get 0199abcd --lines 10-20\n  interline get greet > greet.md"
)]
pub(crate) struct GetArgs {
    #[command(flatten)]
    pub(crate) item: ItemArgs,
    /// Only these lines: A-B, A- or A
    #[arg(long, value_name = "A-B")]
    pub(crate) lines: Option<String>,
    /// As it was at this version
    #[arg(long, value_name = "NUMBER")]
    pub(crate) version: Option<u64>,
    #[command(flatten)]
    pub(crate) options: StoreCommandArgs,
}

/// Which items are listed.
#[derive(Debug, Args)]
pub(crate) struct FilterArgs {
    /// Only items of this type; can be repeated
    #[arg(long = "type", alias = "kind", value_name = "TYPE")]
    pub(crate) kinds: Vec<KindArg>,
    /// Only items with this tag; can be repeated
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Items with any of the tags, not only those with all
    #[arg(long)]
    pub(crate) any_tag: bool,
    /// Items that are active, archived or deleted; can be repeated [default: active]
    #[arg(long, value_name = "VIEW")]
    pub(crate) view: Vec<ViewArg>,
    /// What they are sorted by [default: updated; relevance in a search]
    #[arg(long, value_name = "FIELD")]
    pub(crate) sort: Option<SortArg>,
    /// Which come first [default: desc; asc for titles]
    #[arg(long, value_name = "asc|desc")]
    pub(crate) order: Option<OrderArg>,
    /// How many at the most, up to 100
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    pub(crate) limit: u64,
    /// After so many
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(crate) offset: u64,
    #[command(flatten)]
    pub(crate) options: StoreCommandArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  interline list --type note --tag work\n  interline list --view deleted --json")]
pub(crate) struct ListArgs {
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  interline search 'deploy -staging'\n  interline search --regex 'fn \\w+_id\\(' --type module"
)]
pub(crate) struct SearchArgs {
    /// Words, \"phrases\", -not, OR; with --regex an expression
    #[arg(value_name = "QUERY")]
    pub(crate) query: String,
    /// The query is a regular expression over the contents
    #[arg(long)]
    pub(crate) regex: bool,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interline render greet name=Ada")]
pub(crate) struct RenderArgs {
    /// The prompt, by its name or id
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Values for its arguments
    #[arg(value_name = "KEY=VALUE")]
    pub(crate) values: Vec<String>,
    #[command(flatten)]
    pub(crate) options: StoreCommandArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interline history @last --limit 10")]
pub(crate) struct HistoryArgs {
    #[command(flatten)]
    pub(crate) item: ItemArgs,
    /// How many changes at the most, up to 100
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    pub(crate) limit: u64,
    /// After so many newer ones
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(crate) offset: u64,
    #[command(flatten)]
    pub(crate) options: StoreCommandArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  interline diff @last\n  interline diff greet 5 2")]
pub(crate) struct DiffArgs {
    #[command(flatten)]
    pub(crate) item: ItemArgs,
    /// The version that the diff leads to [default: the newest]
    #[arg(value_name = "VERSION")]
    pub(crate) version: Option<u64>,
    /// The version that it leads from; 0 is nothing [default: the one before]
    #[arg(value_name = "AGAINST")]
    pub(crate) against: Option<u64>,
    #[command(flatten)]
    pub(crate) options: StoreCommandArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  interline restore greet\n  interline restore @last --version 3")]
pub(crate) struct RestoreArgs {
    #[command(flatten)]
    pub(crate) item: ItemArgs,
    /// Go back to this version, which becomes a new one, instead of bringing the item back from the trash
    #[arg(long, value_name = "NUMBER")]
    pub(crate) version: Option<u64>,
    #[command(flatten)]
    pub(crate) options: WriteCommandArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interline archive @last")]
pub(crate) struct ArchiveArgs {
    #[command(flatten)]
    pub(crate) item: ItemArgs,
    #[command(flatten)]
    pub(crate) options: WriteCommandArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interline unarchive @last")]
pub(crate) struct UnarchiveArgs {
    #[command(flatten)]
    pub(crate) item: ItemArgs,
    #[command(flatten)]
    pub(crate) options: WriteCommandArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  interline rm @last\n  interline rm 0199abcd --permanent")]
pub(crate) struct RemoveArgs {
    #[command(flatten)]
    pub(crate) item: ItemArgs,
    /// Remove it with its history, for ever
    #[arg(long)]
    pub(crate) permanent: bool,
    #[command(flatten)]
    pub(crate) options: WriteCommandArgs,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "Example:\n  interline tags --type note")]
pub(crate) struct TagsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<TagsCommand>,
    /// Count only items of this type; can be repeated
    #[arg(long = "type", alias = "kind", value_name = "TYPE")]
    pub(crate) kinds: Vec<KindArg>,
    #[command(flatten)]
    pub(crate) options: StoreCommandArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TagsCommand {
    /// Give a tag another name on every item; one that exists already takes its place
    #[command(after_help = "Example:\n  interline tags rename todo to-do")]
    Rename(TagRenameArgs),
    /// Remove a tag from every item; the items stay
    #[command(after_help = "Example:\n  interline tags rm draft")]
    Rm(TagRemoveArgs),
}

#[derive(Debug, Args)]
pub(crate) struct TagRenameArgs {
    /// The tag
    #[arg(value_name = "TAG")]
    pub(crate) tag: String,
    /// What it is called from now on
    #[arg(value_name = "NEW")]
    pub(crate) new_name: String,
    #[command(flatten)]
    pub(crate) options: WriteCommandArgs,
}

#[derive(Debug, Args)]
pub(crate) struct TagRemoveArgs {
    /// The tag
    #[arg(value_name = "TAG")]
    pub(crate) tag: String,
    #[command(flatten)]
    pub(crate) options: WriteCommandArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum OrgCommand {
    /// Add an organization
    #[command(after_help = "Example:\n  interline org add Acme --domain acme.example")]
    Add(OrgAddArgs),
    /// List the organizations
    #[command(after_help = "Example:\n  interline org list")]
    List(OrgListArgs),
}

#[derive(Debug, Args)]
pub(crate) struct OrgAddArgs {
    /// Its name
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// The domain of its members' addresses
    #[arg(long, value_name = "DOMAIN")]
    pub(crate) domain: Option<String>,
    #[command(flatten)]
    pub(crate) options: StoreCommandArgs,
}

#[derive(Debug, Args)]
pub(crate) struct OrgListArgs {
    #[command(flatten)]
    pub(crate) options: StoreCommandArgs,
}

/// A view of items as it is typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ViewArg {
    Active,
    Archived,
    Deleted,
}

impl ViewArg {
    pub(crate) fn name(self) -> &'static str {
        match self {
            ViewArg::Active => "active",
            ViewArg::Archived => "archived",
            ViewArg::Deleted => "deleted",
        }
    }
}

/// What items are sorted by, as it is typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum SortArg {
    Updated,
    Created,
    Used,
    Title,
    Archived,
    Deleted,
    Relevance,
}

impl SortArg {
    /// What the API calls it.
    pub(crate) fn field(self) -> &'static str {
        match self {
            SortArg::Updated => "updated_at",
            SortArg::Created => "created_at",
            SortArg::Used => "last_used_at",
            SortArg::Title => "title",
            SortArg::Archived => "archived_at",
            SortArg::Deleted => "deleted_at",
            SortArg::Relevance => "relevance",
        }
    }
}

/// An order as it is typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum OrderArg {
    Asc,
    Desc,
}

impl OrderArg {
    pub(crate) fn name(self) -> &'static str {
        match self {
            OrderArg::Asc => "asc",
            OrderArg::Desc => "desc",
        }
    }
}
