//! `interline mcp install`: servers are written into the configuration of a client.

mod client;
mod entry;
mod json_text;
#[cfg(test)]
mod tests;
mod toml_text;

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use self::client::Format;
use self::entry::Entry;
use crate::args::McpInstallArgs;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::output::say;
use crate::settings::TargetSettings;

/// What an entry does to a text.
#[derive(Debug, PartialEq, Eq)]
enum Change {
    /// It is there already.
    Nothing,
    /// It is new in this text.
    Added(String),
    /// It was there in another form, and is as it should be in this text.
    FieldChange(String),
}

/// Why an entry cannot be put into a text. The text is as it was.
#[derive(Debug, PartialEq, Eq)]
enum Unfit {
    /// The text is not what the client reads.
    Unreadable(String),
    /// What is there under a name is something else.
    Taken(String),
}

pub(super) fn run(args: &McpInstallArgs, environment: &Environment) -> Result<(), Failure> {
    // What would be refused at every start is refused here.
    TargetSettings::of(&args.place, environment)?;
    let entries = Entry::of(args)?;
    let format = args.client.format();
    if args.print {
        let (text, _) = format.with_all("", &entries).map_err(|unfit| Failure::failed(unfit.message()))?;
        return say(text.trim_end());
    }
    let path = args.client.file(environment).ok_or_else(|| {
        Failure::usage("HOME does not say where the client keeps its configuration")
            .hint("add by hand what --print shows")
    })?;
    let path = path.as_path();
    let before = read(path)?;
    let (text, done) = format.with_all(&before, &entries).map_err(|unfit| {
        Failure::refused(format!("{}: {}", path.display(), unfit.message()))
            .hint("nothing was changed; mend it, or add by hand what --print shows")
    })?;
    let mut done: Vec<String> = done.iter().map(|done| format!("{done} {}", path.display())).collect();
    if text != before {
        write(path, &text)
            .map_err(|error| Failure::failed(format!("{} cannot be written: {error}", path.display())))?;
        done.push(format!("Start {} again to see it.", args.client.title()));
    }
    say(&done.join("\n"))
}

impl Format {
    /// The text of a configuration with these servers in it and the rest as it was, and what was done for each. An empty
    /// text is a configuration without servers.
    fn with_all(self, text: &str, entries: &[Entry]) -> Result<(String, Vec<String>), Unfit> {
        let mut text = text.to_owned();
        let mut done = Vec::new();
        for entry in entries {
            let change = match self {
                Format::Json { servers, transport } => json_text::with(&text, servers, transport, entry)?,
                Format::Toml => toml_text::with(&text, entry)?,
            };
            let (what, after) = match change {
                Change::Nothing => ("is already in", None),
                Change::Added(after) => ("was added to", Some(after)),
                Change::FieldChange(after) => ("was changed in", Some(after)),
            };
            done.push(format!("{} {what}", entry.name));
            text = after.unwrap_or(text);
        }
        Ok((text, done))
    }
}

impl Unfit {
    fn message(&self) -> String {
        match self {
            Unfit::Unreadable(why) => format!("it cannot be read: {why}"),
            Unfit::Taken(what) => format!("`{what}` is there already, and is something else"),
        }
    }
}

/// The text of a file; that of one that is not there is empty.
fn read(path: &Path) -> Result<String, Failure> {
    match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(Failure::refused(format!("{} cannot be read: {error}", path.display()))
            .hint("add by hand what --print shows")),
        Ok(text) => Ok(text),
    }
}

/// Puts a text into a file, whole or not at all. A new file is its user's alone, because a token may be in it.
fn write(path: &Path, text: &str) -> io::Result<()> {
    // What a link leads to is written, not the link.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new().prefix(".interline").tempfile_in(folder)?;
    if let Ok(kept) = fs::metadata(path) {
        file.as_file().set_permissions(kept.permissions())?;
    }
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    File::open(folder)?.sync_all()
}
