//! The command `interline import`: a folder or a file of another program becomes items.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Cursor, IsTerminal as _, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::stream;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use interline_interchange::{
    Entry, FileTimes, Format, ReadLimits, Shape, is_source_file, read_file, write_record_line,
};
use interline_items::ImportMode;
use jiff::Timestamp;
use reqwest::{Body, Method};
use serde_json::Value;

use super::report::Report;
use super::walk::{Found, Walk};
use crate::api::{Api, ApiRequest};
use crate::args::ImportArgs;
use crate::command_error::CommandError;
use crate::environment::Environment;
use crate::local::IfMissing;
use crate::screen::Screen;

/// How many records and bytes one request has at the most: what is answered is stored.
const BATCH_RECORDS: usize = 500;
const BATCH_BYTES: usize = 8 * 1024 * 1024;
/// How long the name of a source may be.
const MAX_SOURCE: usize = 200;
/// How much of a file is sent at a time.
const PIECE: usize = 256 * 1024;
const OCTETS: &str = "application/octet-stream";

pub(crate) async fn run(args: &ImportArgs, environment: &Environment) -> Result<(), CommandError> {
    let path = Path::new(&args.path);
    let about =
        if args.path == "-" { None } else { Some(fs::metadata(path).map_err(|error| unreadable(path, &error))?) };
    let is_folder = about.as_ref().is_some_and(fs::Metadata::is_dir);
    let input = if is_folder { None } else { Some(Input::open(path, &args.path)?) };
    let format = match (args.format, &input) {
        (Some(format), _) => format.0,
        (None, None) => guess_folder(path),
        (None, Some(input)) => input.guess_format(path)?,
    };
    if is_folder && !matches!(format.shape(), Shape::Files | Shape::Archive) {
        return Err(CommandError::usage(format!("{} is a folder, and {format} is one file", path.display()))
            .hint("name the file"));
    }
    let api = Api::open_to_write(&args.options, environment, IfMissing::Make).await?;
    let mode = if args.dry_run { ImportMode::DryRun } else { ImportMode::Write };
    let (report, stopped) = (Report::new(mode), Arc::default());
    let mut import = Import { api: &api, args, report, progress: progress(), stopped };
    let done = match input {
        None => tokio::select! {
            done = import.folder(path, format) => done,
            error = second_interrupt() => Err(error),
        },
        Some(input) => import.file(path, format, input).await,
    };
    import.progress.finish_and_clear();
    import.report.print(args.options.format(), &Screen::of_stdout(environment))?;
    done?;
    if mode == ImportMode::Write {
        let waiting = progress();
        waiting.set_message("indexing");
        import.index().await;
        waiting.finish_and_clear();
    }
    if args.strict && import.report.has_problems() {
        return Err(CommandError::refused("some of it was skipped, see above"));
    }
    Ok(())
}

/// An import that runs.
struct Import<'a> {
    api: &'a Api,
    args: &'a ImportArgs,
    report: Report,
    progress: ProgressBar,
    /// Set by Ctrl-C, once a folder is being read.
    stopped: Arc<AtomicBool>,
}

impl Import<'_> {
    /// Imports the files of a folder, some hundred in a request. Ctrl-C stops it between two requests, and twice at once.
    async fn folder(&mut self, folder: &Path, format: Format) -> Result<(), CommandError> {
        let source = self.args.source.clone().unwrap_or_else(|| source_of(folder));
        let limits = ReadLimits::default();
        stop_on_interrupt(Arc::clone(&self.stopped));
        let (mut lines, mut records) = (Vec::new(), 0);
        if !self.progress.is_hidden() {
            // Names alone are read: that is quick beside the import.
            show_bar(&self.progress, Walk::new(folder).count() as u64, "{bar:20} {pos}/{len} files, {eta} left");
        }
        for found in Walk::new(folder) {
            self.progress.inc(1);
            if self.stopped.load(Ordering::Relaxed) {
                return Err(CommandError::refused("interrupted; what is reported is done")
                    .hint("run the same command again to go on"));
            }
            match read_found(found, format, &limits) {
                Entry::Record(record) => {
                    write_record_line(&mut lines, &record).map_err(CommandError::failed)?;
                    records += 1;
                }
                Entry::Skipped { source, reason } => self.report.skip(&source, &reason),
                Entry::Attachment { .. } => self.report.attachment(),
            }
            if records >= BATCH_RECORDS || lines.len() >= BATCH_BYTES {
                let batch = std::mem::take(&mut lines);
                self.post("records", Some(&source), None, batch.into()).await?;
                records = 0;
                if !self.args.dry_run {
                    // As it goes: the index of many files takes long, and what is done of it stays done.
                    self.index().await;
                }
            }
        }
        if lines.is_empty() { Ok(()) } else { self.post("records", Some(&source), None, lines.into()).await }
    }

    /// Sends a file as it is: the store reads it.
    async fn file(&mut self, path: &Path, format: Format, input: Input) -> Result<(), CommandError> {
        show_bar(&self.progress, input.bytes, "{bar:20} {bytes}/{total_bytes} sent, {eta} left");
        let input = Box::new(self.progress.wrap_read(input.start_and_rest()));
        let name = path.file_name().and_then(OsStr::to_str).filter(|_| format.shape() == Shape::Files);
        // Keys inside a file or an archive are paths: those of another file are others. Elsewhere they are addresses, names and ids.
        let source = self.args.source.clone().or_else(|| match format.shape() {
            Shape::Files | Shape::Archive if self.args.path != "-" => Some(source_of(path)),
            Shape::Files | Shape::Archive | Shape::Document | Shape::Lines => None,
        });
        self.post(format.name(), source.as_deref(), name, body_of(input)).await
    }

    /// Indexes what is imported; Ctrl-C leaves the rest of it to later commands.
    async fn index(&self) {
        self.api.index_backlog(|| !self.stopped.load(Ordering::Relaxed)).await;
    }

    async fn post(
        &mut self,
        format: &str,
        source: Option<&str>,
        name: Option<&str>,
        body: Body,
    ) -> Result<(), CommandError> {
        let request = ApiRequest::new(Method::POST, &["import"])?
            .query("format", format)
            .maybe_query("source", source)
            .maybe_query("name", name)
            .maybe_query("dry_run", self.args.dry_run.then_some("true"));
        let answer = match self.api.stream(request, Some(OCTETS), body).await {
            Ok(answer) => answer,
            Err(error) => {
                let go_on = "what is reported is done; run the same command again to go on";
                return Err(match error.response_member("report") {
                    Some(report) => {
                        self.report.add(report);
                        error.hint(go_on)
                    }
                    None => error.detail(go_on),
                });
            }
        };
        let answer: Value = serde_json::from_slice(&answer.read_whole().await?).map_err(CommandError::failed)?;
        self.report.add(&answer);
        self.progress.tick();
        Ok(())
    }
}

/// The entry of a file. One that is too large is not read.
fn read_found(found: Found, format: Format, limits: &ReadLimits) -> Entry {
    let (path, relative) = match found {
        Found::File { path, relative } => (path, relative),
        Found::Unreadable { name, reason } => return Entry::Skipped { source: name, reason },
    };
    if !is_source_file(format, &relative) {
        return Entry::Attachment { source: relative };
    }
    let skipped = |reason: String| Entry::Skipped { source: relative.clone(), reason };
    let read = fs::metadata(&path).and_then(|about| {
        if about.len() > limits.text_bytes {
            let reason = format!("it has {} bytes; the most is {}", about.len(), limits.text_bytes);
            return Err(io::Error::other(reason));
        }
        let created = about.created().ok().and_then(|time| Timestamp::try_from(time).ok());
        let modified = about.modified().ok().and_then(|time| Timestamp::try_from(time).ok());
        let times = FileTimes { created, modified };
        Ok((fs::read(&path)?, times))
    });
    match read {
        Ok((bytes, times)) => read_file(format, &relative, &bytes, times),
        Err(error) => skipped(error.to_string()),
    }
}

/// A folder of skills has a `SKILL.md`, or folders that have one; any other is one of Markdown.
fn guess_folder(folder: &Path) -> Format {
    let has_skill = |folder: &Path| folder.join("SKILL.md").is_file();
    let below = fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| has_skill(&entry.path()));
    if has_skill(folder) || below { Format::Skill } else { Format::Markdown }
}

/// A file that is opened once: it may be a pipe.
struct Input {
    /// What it begins with, which tells the format.
    start: Vec<u8>,
    rest: Box<dyn Read + Send>,
    /// How long it is, 0 if that is not known.
    bytes: u64,
}

impl Input {
    fn open(path: &Path, typed: &OsStr) -> Result<Input, CommandError> {
        let failed = |error: io::Error| unreadable(path, &error);
        let (mut rest, bytes): (Box<dyn Read + Send>, u64) = if typed == "-" {
            (Box::new(io::stdin()), 0)
        } else {
            let file = File::open(path).map_err(failed)?;
            let bytes = file.metadata().map_or(0, |about| about.len());
            (Box::new(file), bytes)
        };
        let mut start = Vec::new();
        rest.by_ref().take(4096).read_to_end(&mut start).map_err(failed)?;
        Ok(Input { start, rest, bytes })
    }

    fn guess_format(&self, path: &Path) -> Result<Format, CommandError> {
        Format::guess(&path.to_string_lossy(), &self.start).ok_or_else(|| {
            let names: Vec<&str> = Format::ALL.into_iter().map(Format::name).collect();
            let name = if path == Path::new("-") { "stdin".into() } else { path.to_string_lossy() };
            CommandError::refused(format!("{name}: its format cannot be told"))
                .hint(format!("say it with --from: {}", names.join(", ")))
        })
    }

    fn start_and_rest(self) -> impl Read + Send + 'static {
        Cursor::new(self.start).chain(self.rest)
    }
}

/// The name of a folder as a source: where it is, or the end of that.
fn source_of(folder: &Path) -> String {
    let path = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned()).display().to_string();
    let excess = path.chars().count().saturating_sub(MAX_SOURCE);
    path.chars().skip(excess).collect()
}

/// A body that is read on a blocking thread as it is sent.
fn body_of(input: Box<dyn Read + Send>) -> Body {
    Body::wrap_stream(stream::unfold(Some(input), |input| async move {
        let mut input = input?;
        let read = tokio::task::spawn_blocking(move || {
            let mut piece = vec![0; PIECE];
            let length = input.read(&mut piece);
            (
                input,
                length.map(|length| {
                    piece.truncate(length);
                    piece
                }),
            )
        });
        match read.await {
            Ok((_, Ok(piece))) if piece.is_empty() => None,
            Ok((input, Ok(piece))) => Some((Ok(piece), Some(input))),
            Ok((_, Err(error))) => Some((Err(error), None)),
            Err(error) => Some((Err(io::Error::other(error)), None)),
        }
    }))
}

/// Waits for Ctrl-C twice: for somebody who does not want to wait for the answer of a server.
async fn second_interrupt() -> CommandError {
    for _ in 0..2 {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
    CommandError::refused("interrupted; of the files after those that are reported some may be imported, too")
        .hint("run the same command again to go on")
}

/// Lets Ctrl-C set this from now on, instead of ending the process.
fn stop_on_interrupt(stopped: Arc<AtomicBool>) {
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            stopped.store(true, Ordering::Relaxed);
        }
    });
}

/// Makes a bar of the spinner: how much there is to do is known now.
fn show_bar(progress: &ProgressBar, length: u64, template: &str) {
    progress.set_length(length);
    if let Ok(style) = ProgressStyle::with_template(template) {
        progress.set_style(style);
    }
}

/// A spinner on stderr, if that is a terminal: until it is known how much there is to do.
fn progress() -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    }
    let spinner = ProgressBar::new_spinner();
    spinner.enable_steady_tick(Duration::from_millis(100));
    spinner.set_message("reading");
    spinner
}

fn unreadable(path: &Path, error: &io::Error) -> CommandError {
    CommandError::refused(format!("{}: {error}", path.display()))
}
