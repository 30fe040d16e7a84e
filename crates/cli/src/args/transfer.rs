//! The arguments of `import` and `export`.

use std::ffi::OsString;

use clap::{Args, ValueEnum};
use interline_interchange::Format;

use super::{StoreCommandArgs, WriteCommandArgs};

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  interline import ~/vault --dry-run\n  interline import bookmarks.html\n  \
                        interline import prompts.json --from langfuse-json --strict")]
pub(crate) struct ImportArgs {
    /// A folder, or a file; `-` reads the file from stdin, with --from
    #[arg(value_name = "PATH")]
    pub(crate) path: OsString,
    /// The format, where the guess is wrong
    #[arg(long = "from", value_name = "FORMAT")]
    pub(crate) format: Option<FormatArg>,
    /// The name under which it is remembered what came from where [default: the path of a folder; the format of a file]
    #[arg(long, value_name = "NAME")]
    pub(crate) source: Option<String>,
    /// Only say what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Exit with 1 if anything was skipped
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) options: WriteCommandArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  interline export ~/notes\n  interline export everything.jsonl\n  \
                        interline export bookmarks.html")]
pub(crate) struct ExportArgs {
    /// The folder or file to write; `-` is stdout, for what is one file
    #[arg(value_name = "DIR|FILE")]
    pub(crate) path: OsString,
    /// The format [default: by the name: .jsonl has everything with its history, .html bookmarks; a folder Markdown]
    #[arg(long = "to", value_name = "FORMAT")]
    pub(crate) format: Option<ExportFormatArg>,
    #[command(flatten)]
    pub(crate) options: StoreCommandArgs,
}

/// A format of an import as it is typed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FormatArg(pub(crate) Format);

impl ValueEnum for FormatArg {
    fn value_variants<'a>() -> &'a [FormatArg] {
        const ALL: [FormatArg; Format::ALL.len()] = {
            let mut all = [FormatArg(Format::Markdown); Format::ALL.len()];
            let mut index = 0;
            while index < all.len() {
                all[index] = FormatArg(Format::ALL[index]);
                index += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(self.0.name().into())
    }
}

/// A format of an export as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormatArg {
    Markdown,
    Skill,
    Jsonl,
    BookmarksHtml,
}

impl ExportFormatArg {
    pub(crate) fn name(self) -> &'static str {
        match self {
            ExportFormatArg::Markdown => "markdown",
            ExportFormatArg::Skill => "skill",
            ExportFormatArg::Jsonl => "jsonl",
            ExportFormatArg::BookmarksHtml => "bookmarks-html",
        }
    }

    /// Whether it is a folder of files, which the API sends as a zip.
    pub(crate) fn is_folder(self) -> bool {
        matches!(self, ExportFormatArg::Markdown | ExportFormatArg::Skill)
    }
}
