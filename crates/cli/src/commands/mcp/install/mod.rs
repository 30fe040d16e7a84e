//! `interline mcp install`: writes the entries of our MCP servers into the configuration file of a client.

mod client;
mod entry;
mod json_text;
#[cfg(test)]
mod tests;
mod toml_text;

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::ops::Range;
use std::path::Path;

use interline_items::{TokenId, Writes};

use self::client::Format;
use self::entry::ServerEntry;
use crate::args::McpInstallArgs;
use crate::command_error::CommandError;
use crate::environment::Environment;
use crate::local::{IfMissing, LocalStore};
use crate::machine;
use crate::output::print;
use crate::settings::StoreAddress;

/// A byte order mark, which editors of Windows put before a text. It is no part of the text, and stays.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// What setting an entry does to the text of a configuration.
#[derive(Debug, PartialEq, Eq)]
enum ConfigEdit {
    /// The text has that entry already.
    Unchanged,
    /// The entry is new in this text.
    Added(String),
    /// The text had another entry of that name, and this text has ours.
    Changed(String),
}

/// Why an entry cannot be put into the text of a configuration. The text is as it was.
#[derive(Debug, PartialEq, Eq)]
enum EditError {
    /// The text is not what the client reads.
    Unreadable(String),
    /// The name stands for something else than a server that is started by a command.
    NameTaken(String),
}

/// A new text for a range of bytes.
struct Splice {
    range: Range<usize>,
    new: String,
}

pub(super) async fn run(args: &McpInstallArgs, environment: &Environment) -> Result<(), CommandError> {
    // What would be refused at every start is refused here.
    let address = StoreAddress::from_args(&args.address, environment)?;
    if args.propose && matches!(address, StoreAddress::Server { .. }) {
        return Err(CommandError::usage("--propose is about the local store, and INTERLINE_URL names a server")
            .hint("make a token there with `interline token add NAME --agent --propose`, and give it to the client"));
    }
    let format = args.client.format();
    if args.print {
        let entries = ServerEntry::from_args(args, existing_token(args, &address).await?)?;
        let (text, _) = format.set_entries("", &entries).map_err(|error| CommandError::failed(error.message()))?;
        return print(text.trim_end());
    }
    let path = args.client.file(environment).ok_or_else(|| {
        CommandError::usage("HOME does not say where the client keeps its configuration")
            .hint("add by hand what --print shows")
    })?;
    let path = path.as_path();
    let before = read(path)?;
    let edited = |entries: &[ServerEntry]| {
        format.set_entries(&before, entries).map_err(|error| {
            CommandError::refused(format!("{}: {}", path.display(), error.message()))
                .hint("nothing was changed; correct the file, or add by hand what --print shows")
        })
    };
    // A file that cannot be edited is found before a token is made for it.
    edited(&ServerEntry::from_args(args, None)?)?;
    let (text, done) = edited(&ServerEntry::from_args(args, own_token(args, &address).await?)?)?;
    let mut done: Vec<String> = done.iter().map(|done| format!("{done} {}", path.display())).collect();
    if text != before {
        write(path, &text)
            .map_err(|error| CommandError::failed(format!("{} cannot be written: {error}", path.display())))?;
        done.push(format!("Restart {} to load them.", args.client.title()));
    }
    print(&done.join("\n"))
}

/// The token that the client's servers act with on the local store; a server knows a token by its secret.
async fn own_token(args: &McpInstallArgs, address: &StoreAddress) -> Result<Option<TokenId>, CommandError> {
    let StoreAddress::Local(store) = address else { return Ok(None) };
    let store = LocalStore::open(store, IfMissing::Make).await?;
    store.named_agent_token(&token_name(args), writes(args)).await.map(Some)
}

/// The same, if there is one already: what is only printed makes none.
async fn existing_token(args: &McpInstallArgs, address: &StoreAddress) -> Result<Option<TokenId>, CommandError> {
    let StoreAddress::Local(store) = address else { return Ok(None) };
    match LocalStore::open(store, IfMissing::Refuse).await {
        Ok(store) => store.existing_agent_token(&token_name(args), writes(args)).await,
        // There is no store yet.
        Err(error) if error.is_refusal() => Ok(None),
        Err(error) => Err(error),
    }
}

/// What becomes of the client's writes.
fn writes(args: &McpInstallArgs) -> Writes {
    if args.propose { Writes::Propose } else { Writes::Apply }
}

fn token_name(args: &McpInstallArgs) -> String {
    format!("{} on {}", args.client.title(), machine::host_name())
}

impl Format {
    /// The text of a configuration with these servers in it and the rest as it was, and a line for each server that says
    /// what was done. An empty text is a configuration without servers.
    fn set_entries(self, text: &str, entries: &[ServerEntry]) -> Result<(String, Vec<String>), EditError> {
        let unmarked = text.strip_prefix(BYTE_ORDER_MARK);
        let mut edited = unmarked.unwrap_or(text).to_owned();
        let mut done = Vec::new();
        for entry in entries {
            let edit = match self {
                Format::Json { servers, transport } => json_text::set_entry(&edited, servers, transport, entry)?,
                Format::Toml => toml_text::set_entry(&edited, entry)?,
            };
            let (what, after) = match edit {
                ConfigEdit::Unchanged => ("is already in", None),
                ConfigEdit::Added(after) => ("was added to", Some(after)),
                ConfigEdit::Changed(after) => ("was changed in", Some(after)),
            };
            done.push(format!("{} {what}", entry.name));
            edited = after.unwrap_or(edited);
        }
        if unmarked.is_some() {
            edited.insert(0, BYTE_ORDER_MARK);
        }
        Ok((edited, done))
    }
}

impl EditError {
    fn message(&self) -> String {
        match self {
            EditError::Unreadable(why) => format!("it cannot be read: {why}"),
            EditError::NameTaken(name) => format!("it has another entry with the name `{name}`"),
        }
    }
}

/// How the lines of a text end.
fn newline_of(text: &str) -> &'static str {
    match text.split_once('\n') {
        Some((first, _)) if first.ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The text with new texts at these places, which are in order and do not overlap.
fn spliced(text: &str, splices: &[Splice]) -> String {
    let mut after = String::with_capacity(text.len() + splices.iter().map(|splice| splice.new.len()).sum::<usize>());
    let mut at = 0;
    for Splice { range, new } in splices {
        after.push_str(&text[at..range.start]);
        after.push_str(new);
        at = range.end;
    }
    after.push_str(&text[at..]);
    after
}

/// The text of a file; empty if there is no file.
fn read(path: &Path) -> Result<String, CommandError> {
    match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(CommandError::refused(format!("{} cannot be read: {error}", path.display()))
            .hint("add by hand what --print shows")),
        Ok(text) => Ok(text),
    }
}

/// Writes a text into a file, whole or not at all. Only its user can read a new file, because a token may be in it.
fn write(path: &Path, text: &str) -> io::Result<()> {
    // The file that a link leads to is replaced, not the link.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new().prefix(".interline").tempfile_in(folder)?;
    if let Ok(metadata) = fs::metadata(path) {
        file.as_file().set_permissions(metadata.permissions())?;
    }
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    File::open(folder)?.sync_all()
}
