//! `/import`: a file of another program, or of an export, as items.

#![expect(unused_qualifications, reason = "in what the macro of the description writes")]

mod source_reader;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use http_body_util::BodyExt as _;
use interline_interchange::{Entry, Format, ReadError};
use interline_items::{Error, ImportMode, ImportRequest, Importer};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use utoipa::IntoParams;
use utoipa_axum::routes;

use super::rules::{RouteRules, Routes};
use crate::http::error::ApiError;
use crate::http::extract::body::{body_error, discard, transfer_permit};
use crate::http::extract::caller::AuthenticatedCaller;
use crate::http::extract::query::{QueryParams, boolean};
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::{ImportFormat, ImportResponse};
use source_reader::{BodyPiece, BodyReader, ImportSource, SourceFormat};

/// The route of `/import`.
pub(super) fn routes() -> Routes {
    Routes::new().route(routes!(import), RouteRules::write().without_idempotency_key())
}

/// The query parameters of an import, for the description. [`import_parameters`] reads them.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it says what the parameters are called, and of which types they are")]
struct ImportParameters {
    /// What the body is.
    format: ImportFormat,
    /// What the source is called: the next import under the same name finds what this one has made. The name of the format
    /// unless given.
    #[param(max_length = 200)]
    source: Option<String>,
    /// The path of the only file, where the body is not a zip (`markdown`, `skill`).
    name: Option<String>,
    /// Only say what would be done.
    dry_run: Option<bool>,
}

/// Import a file
///
/// The body is the file as it is: a zip of Markdown files (an Obsidian vault) or of `SKILL.md` folders, Notion's zip, a browser's
/// bookmarks, a CSV or JSON of another program, or JSON Lines of an export, with its history. It is read as it arrives, and is
/// bounded by line or by file, not by the limit of other bodies. It counts as one write.
///
/// Run it again at any time: what was imported before and has not changed is left alone; what has changed becomes a new
/// version, merged with what was changed here, or is reported as a conflict. What cannot be imported is in `problems`, and
/// the rest goes in. If it fails in the middle, `report` in the error says what is done: run it again to go on.
#[utoipa::path(post, path = "/import", tag = "import and export", operation_id = "import", params(ImportParameters),
    request_body(content = String, content_type = "application/octet-stream", description = "The file."),
    responses((status = 200, body = ImportResponse)))]
async fn import(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    query: QueryParams,
    request: Request,
) -> HandlerResult {
    let (parts, body) = request.into_parts();
    let begun = import_parameters(query).and_then(|(source, request)| {
        let importer = state.interline.import(&caller.0, request)?;
        Ok((source, importer))
    });
    let (source, mut importer) = match begun {
        Ok(begun) => begun,
        Err(error) => {
            if !parts.headers.contains_key(axum::http::header::EXPECT) {
                tokio::spawn(discard(body));
            }
            return Err(error.into());
        }
    };
    let _permit = transfer_permit(&state).await?;
    let done = import_body(&state, source, body, &mut importer).await;
    let report = ImportResponse::new(importer.report(), importer.mode());
    match done {
        Ok(()) => response::json(StatusCode::OK, &report),
        Err(error) => {
            let report = serde_json::to_value(report.in_error()).unwrap_or_default();
            Err(ApiError::ImportStopped { error: Box::new(error), report })
        }
    }
}

/// What the query asks to import.
fn import_parameters(mut query: QueryParams) -> Result<(ImportSource, ImportRequest), Error> {
    let names = || {
        let formats = Format::ALL.map(Format::name);
        format!("must be one of {}, {}", formats.join(", "), SourceFormat::RECORDS)
    };
    let format = query.one("format", |text| SourceFormat::parse(text).ok_or_else(names));
    let source = query.one("source", |text| Ok(text.to_owned()));
    let name = query.one("name", |text| match text {
        "" => Err("must be the path of a file".to_owned()),
        path => Ok(path.to_owned()),
    });
    let is_dry_run = query.one("dry_run", boolean).unwrap_or(false);
    query.finish()?;
    let format = format.ok_or_else(|| crate::wire::invalid_field("format", format!("is required; it {}", names())))?;
    let mode = if is_dry_run { ImportMode::DryRun } else { ImportMode::Write };
    let source = source.unwrap_or_else(|| format.name().to_owned());
    Ok((ImportSource { format, name }, ImportRequest { source, mode }))
}

/// Imports a body as it arrives: a blocking thread reads it, and this task commits what that thread hands over.
async fn import_body(
    state: &AppState,
    source: ImportSource,
    body: Body,
    importer: &mut Importer,
) -> Result<(), ApiError> {
    let (pieces, received) = mpsc::channel::<BodyPiece>(4);
    let (entries, mut parsed) = mpsc::channel::<Entry>(1);
    let limit = state.settings.max_import_bytes;
    let memory = interline_items::RequestMemory::current();
    let reading = spawn_blocking(move || source.read(BodyReader::new(received, memory), limit, &entries));
    let committing = async move {
        while let Some(entry) = parsed.recv().await {
            importer.add(entry).await?;
        }
        importer.finish().await
    };
    let (sent, committed) = futures_util::join!(send_pieces(state, body, pieces), committing);
    committed?;
    sent?;
    let read = reading.await.map_err(|error| Error::Internal(error.to_string()))?;
    read.map_err(read_error)
}

/// Hands the body to the reading thread, piece by piece. A client that sends nothing for a while is given up.
async fn send_pieces(state: &AppState, mut body: Body, pieces: mpsc::Sender<BodyPiece>) -> Result<(), ApiError> {
    loop {
        let failure = match tokio::time::timeout(state.settings.request_timeout, body.frame()).await {
            Ok(None) => return Ok(()),
            Ok(Some(Ok(frame))) => {
                let data = frame.into_data().unwrap_or_else(|_| Bytes::new());
                if pieces.send(Ok(data)).await.is_err() {
                    // The reader has seen enough: it says why.
                    discard(body).await;
                    return Ok(());
                }
                continue;
            }
            Ok(Some(Err(error))) => body_error(&error),
            Err(_) => ApiError::BodyIncomplete,
        };
        // The end of what came must not pass for the end of the file.
        let _ = pieces.send(Err(std::io::Error::other("the body is not whole"))).await;
        return Err(failure);
    }
}

/// Why a source cannot be read, as an answer.
fn read_error(error: ReadError) -> ApiError {
    match error {
        ReadError::TooLarge { actual, limit } => Error::TooLarge { limit, actual }.into(),
        ReadError::Io(error) => match error.downcast::<Error>() {
            Ok(error) => error.into(),
            Err(error) => Error::Unavailable(error.to_string()).into(),
        },
        other => crate::wire::invalid_field("body", other.to_string()).into(),
    }
}
