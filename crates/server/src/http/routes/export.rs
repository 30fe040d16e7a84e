//! `/export`: everything of the caller's own space, as a file that is sent while it is written.

#![expect(unused_qualifications, reason = "in what the macro of the description writes")]

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderValue, Response};
use futures_util::stream;
use interline_interchange::{
    BookmarksHtmlWriter, FileNames, JsonLinesWriter, SourceKind, SourceRecord, write_markdown, write_skill,
};
use interline_items::{Error, Export, ExportedItem, ItemId, spawn_in_request};
use tokio::sync::mpsc;
use utoipa::IntoParams;
use utoipa_axum::routes;
use uuid::Uuid;
use zip::ZipWriter;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;

use super::rules::{RouteRules, Routes};
use crate::http::extract::body::transfer_permit;
use crate::http::extract::caller::AuthenticatedCaller;
use crate::http::extract::query::{QueryParams, one_of};
use crate::http::response::HandlerResult;
use crate::http::state::AppState;
use crate::wire::ExportFormatName;

/// How many bytes are sent at a time, about.
const PIECE: usize = 64 * 1024;

/// The route of `/export`.
pub(super) fn routes() -> Routes {
    Routes::new().route(routes!(export), RouteRules::read())
}

/// The format of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExportFormat {
    JsonLines,
    Markdown,
    BookmarksHtml,
    Skill,
}

const FORMATS: &[(&str, ExportFormat)] = &[
    ("jsonl", ExportFormat::JsonLines),
    ("markdown", ExportFormat::Markdown),
    ("bookmarks-html", ExportFormat::BookmarksHtml),
    ("skill", ExportFormat::Skill),
];

impl ExportFormat {
    /// The content type, and how the file is called.
    fn headers(self) -> (HeaderValue, HeaderValue) {
        let (kind, file) = match self {
            ExportFormat::JsonLines => ("application/x-ndjson", "attachment; filename=\"interline-export.jsonl\""),
            ExportFormat::Markdown => ("application/zip", "attachment; filename=\"interline-export.zip\""),
            ExportFormat::BookmarksHtml => {
                ("text/html; charset=utf-8", "attachment; filename=\"interline-bookmarks.html\"")
            }
            ExportFormat::Skill => ("application/zip", "attachment; filename=\"interline-skills.zip\""),
        };
        (HeaderValue::from_static(kind), HeaderValue::from_static(file))
    }
}

/// The query parameters of an export, for the description.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it says what the parameters are called, and of which types they are")]
struct ExportParameters {
    /// `jsonl` unless given.
    format: Option<ExportFormatName>,
    /// Only items with a greater id, to go on after an export that was interrupted; for `jsonl`.
    after: Option<Uuid>,
}

/// Export everything
///
/// The notes, bookmarks and prompts of the caller's own space, in the order of their ids; files of code are not part of it.
/// `jsonl` has all of it, archived items and the trash too, with the whole history: imported into an empty store it gives
/// the same items, versions and times. `markdown` is a zip with a file for each item that is not in the trash, its fields in
/// front matter; `bookmarks-html` is what browsers import; `skill` is a zip with a `SKILL.md` for each prompt.
///
/// The answer is sent while it is made. If it fails in the middle, the connection is closed before the end of the body; the
/// last line of `jsonl` counts the items, so that a part does not pass for the whole.
#[utoipa::path(get, path = "/export", tag = "import and export", operation_id = "export", params(ExportParameters),
    responses((status = 200, description = "The file", content(
        (String = "application/x-ndjson"), (String = "application/zip"), (String = "text/html")))))]
async fn export(State(state): State<AppState>, caller: AuthenticatedCaller, mut query: QueryParams) -> HandlerResult {
    let format = query.one("format", one_of(FORMATS)).unwrap_or(ExportFormat::JsonLines);
    let after = query.one("after", |text| {
        Uuid::parse_str(text).map(ItemId::from_uuid).map_err(|_| "must be the id of an item".to_owned())
    });
    query.finish()?;
    if after.is_some() && format != ExportFormat::JsonLines {
        return Err(Error::InvalidParameters("`after` is for the format `jsonl` alone").into());
    }
    let export = state.interline.export(&caller.0, after)?;
    let permit = transfer_permit(&state).await?;
    let (pieces, sent) = mpsc::channel(2);
    spawn_in_request(async move {
        let _permit = permit;
        let file = ExportFile { pieces: pieces.clone(), buffer: Buffer::default() };
        if let Err(Stopped(reason)) = file.write(format, export).await {
            tracing::warn!(reason, "an export was not finished");
            // An error instead of the end: the connection is closed, and the client sees that there is more.
            let _ = pieces.send(Err(io::Error::other("the export was not finished"))).await;
        }
    });
    let body = stream::unfold(sent, async |mut sent| Some((sent.recv().await?, sent)));
    let mut response = Response::new(Body::from_stream(body));
    let (kind, file) = format.headers();
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response.headers_mut().insert(CONTENT_DISPOSITION, file);
    Ok(response)
}

/// Why an export ends before its end, for the log.
struct Stopped(String);

impl From<Error> for Stopped {
    fn from(error: Error) -> Stopped {
        Stopped(error.with_detail())
    }
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Stopped {
        Stopped(error.to_string())
    }
}

impl From<ZipError> for Stopped {
    fn from(error: ZipError) -> Stopped {
        Stopped(error.to_string())
    }
}

/// What writers write to, and what is sent of it.
#[derive(Clone, Default)]
struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Buffer {
    /// What was written since, if it is at least that much.
    fn take(&self, least: usize) -> Option<Bytes> {
        let mut written = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (written.len() >= least && !written.is_empty()).then(|| std::mem::take(&mut *written).into())
    }
}

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file that is sent while it is written.
struct ExportFile {
    pieces: mpsc::Sender<io::Result<Bytes>>,
    buffer: Buffer,
}

impl ExportFile {
    async fn write(self, format: ExportFormat, export: Export) -> Result<(), Stopped> {
        match format {
            ExportFormat::JsonLines => self.write_json_lines(export).await?,
            ExportFormat::BookmarksHtml => self.write_bookmarks(export).await?,
            ExportFormat::Markdown | ExportFormat::Skill => self.write_zip(format, export).await?,
        }
        self.send(0).await
    }

    /// Sends what was written, if it is at least that much.
    async fn send(&self, least: usize) -> Result<(), Stopped> {
        match self.buffer.take(least) {
            Some(bytes) => self.pieces.send(Ok(bytes)).await.map_err(|_| Stopped("the client has gone".to_owned())),
            None => Ok(()),
        }
    }

    async fn write_json_lines(&self, mut export: Export) -> Result<(), Stopped> {
        let mut writer = JsonLinesWriter::new(self.buffer.clone())?;
        while let Some(item) = export.next().await? {
            let id = item.id().uuid();
            for record in export.history(&item).await? {
                if let Some(change) = export.change(&item, record).await? {
                    writer.record(id, &change)?;
                    self.send(PIECE).await?;
                }
            }
            writer.item(id, &item.record)?;
            self.send(PIECE).await?;
        }
        writer.finish()?;
        Ok(())
    }

    async fn write_bookmarks(&self, mut export: Export) -> Result<(), Stopped> {
        let mut writer = BookmarksHtmlWriter::new(self.buffer.clone())?;
        while let Some(ExportedItem { record, .. }) = export.next().await? {
            if record.deleted.is_none() {
                writer.bookmark(&record)?;
                self.send(PIECE).await?;
            }
        }
        writer.finish()?;
        Ok(())
    }

    async fn write_zip(&self, format: ExportFormat, mut export: Export) -> Result<(), Stopped> {
        let mut archive = ZipWriter::new_stream(self.buffer.clone());
        let mut names = FileNames::new();
        while let Some(ExportedItem { record, .. }) = export.next().await? {
            if record.deleted.is_some() {
                continue;
            }
            match format {
                ExportFormat::Skill if record.kind != SourceKind::Prompt => continue,
                ExportFormat::Skill => {
                    let folder = record.fields.name.as_deref().unwrap_or_default();
                    add_file(&mut archive, &format!("{folder}/SKILL.md"), &write_skill(&record))?;
                }
                _ => {
                    let name = names.name(called(&record), record.id, "md");
                    add_file(&mut archive, &name, &write_markdown(&record))?;
                }
            }
            self.send(PIECE).await?;
        }
        archive.finish()?;
        Ok(())
    }
}

fn add_file<W: Write + io::Seek>(archive: &mut ZipWriter<W>, path: &str, text: &str) -> Result<(), Stopped> {
    archive.start_file(path, SimpleFileOptions::default())?;
    archive.write_all(text.as_bytes())?;
    Ok(())
}

/// What an item is called: by its title, or else its name or its address.
fn called(record: &SourceRecord) -> &str {
    let fields = &record.fields;
    let called = fields.title.as_deref().or(fields.name.as_deref()).or(fields.url.as_deref());
    called.unwrap_or("untitled")
}
