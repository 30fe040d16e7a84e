//! The command `interline export`: everything as a file or a folder. What is written has its name only when it is whole.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Component, Path};

use reqwest::{Body, Method};
use tempfile::NamedTempFile;
use zip::ZipArchive;

use crate::api::{Api, ApiAnswer, ApiRequest};
use crate::args::{ExportArgs, ExportFormatArg};
use crate::command_error::CommandError;
use crate::environment::Environment;
use crate::local::IfMissing;
use crate::output::{OutputFormat, print, print_exactly, print_json};

pub(crate) async fn run(args: &ExportArgs, environment: &Environment) -> Result<(), CommandError> {
    let path = Path::new(&args.path);
    let format = args.format.unwrap_or_else(|| guess(path));
    let api = Api::open(&args.options.address, environment, IfMissing::Refuse).await?;
    let request = ApiRequest::new(Method::GET, &["export"])?.query("format", format.name());
    let answer = api.stream(request, None, Body::default()).await?;
    if args.path == "-" {
        return to_stdout(answer).await;
    }
    let is_folder = format.is_folder() && path.extension().is_none_or(|extension| extension != "zip");
    let written = if is_folder { to_folder(answer, path).await? } else { to_file(answer, path).await? };
    match args.options.format() {
        OutputFormat::Json => {
            print_json(&serde_json::json!({"written": written.written, "unchanged": written.unchanged}))
        }
        OutputFormat::Text if is_folder => {
            print(&format!("{} files written, {} unchanged in {}", written.written, written.unchanged, path.display()))
        }
        OutputFormat::Text => print(&format!("Exported to {}", path.display())),
    }
}

/// How many files were written, and how many were as they should be.
struct Written {
    written: u64,
    unchanged: u64,
}

/// The format that a name says.
fn guess(path: &Path) -> ExportFormatArg {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("jsonl" | "ndjson") => ExportFormatArg::Jsonl,
        Some("html" | "htm") => ExportFormatArg::BookmarksHtml,
        _ if path == Path::new("-") => ExportFormatArg::Jsonl,
        _ => ExportFormatArg::Markdown,
    }
}

async fn to_stdout(mut answer: ApiAnswer<'_>) -> Result<(), CommandError> {
    while let Some(chunk) = answer.chunk().await? {
        print_exactly(&chunk)?;
    }
    Ok(())
}

async fn to_file(mut answer: ApiAnswer<'_>, path: &Path) -> Result<Written, CommandError> {
    let mut file = temporary_beside(path)?;
    while let Some(chunk) = answer.chunk().await? {
        file.write_all(&chunk).map_err(|error| unwritable(path, &error))?;
    }
    persist(file, path)?;
    Ok(Written { written: 1, unchanged: 0 })
}

/// Unpacks the zip that the API sends. Files that are as they should be are not touched.
async fn to_folder(mut answer: ApiAnswer<'_>, folder: &Path) -> Result<Written, CommandError> {
    let unusable = |error: io::Error| CommandError::failed(format!("a temporary file cannot be used: {error}"));
    let mut archive = tempfile::tempfile().map_err(unusable)?;
    while let Some(chunk) = answer.chunk().await? {
        archive.write_all(&chunk).map_err(unusable)?;
    }
    let broken = |error: zip::result::ZipError| CommandError::failed(format!("the export is no whole zip: {error}"));
    let mut archive = ZipArchive::new(archive).map_err(broken)?;
    fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    let mut written = Written { written: 0, unchanged: 0 };
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(broken)?;
        if entry.is_dir() {
            continue;
        }
        let relative = entry.enclosed_name().ok_or_else(|| {
            CommandError::failed("the export has a file that would be outside of the folder, and was not unpacked")
        })?;
        let path = inside(folder, &relative)?;
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).map_err(|error| unwritable(&path, &error))?;
        if is_file_with(&path, &bytes) {
            written.unchanged += 1;
            continue;
        }
        let mut file = temporary_beside(&path)?;
        file.write_all(&bytes).map_err(|error| unwritable(&path, &error))?;
        persist(file, &path)?;
        written.written += 1;
    }
    Ok(written)
}

/// The path of a file below a folder, whose folders are made. A link on the way could lead out of it: that is refused.
fn inside(folder: &Path, relative: &Path) -> Result<std::path::PathBuf, CommandError> {
    let mut path = folder.to_owned();
    let parts: Vec<Component<'_>> = relative.components().collect();
    for (index, part) in parts.iter().enumerate() {
        let Component::Normal(name) = part else {
            return Err(CommandError::failed(format!(
                "the export has a file that is outside of it: {}",
                relative.display()
            )));
        };
        path.push(name);
        if index + 1 == parts.len() {
            break;
        }
        match fs::symlink_metadata(&path) {
            Ok(about) if about.is_dir() => {}
            Ok(_) => {
                return Err(CommandError::refused(format!("{} is in the way: it is no folder", path.display()))
                    .hint("move it, or export into another folder"));
            }
            Err(_) => fs::create_dir(&path).map_err(|error| unwritable(&path, &error))?,
        }
    }
    Ok(path)
}

/// Whether a file, and no link, has exactly these bytes.
fn is_file_with(path: &Path, bytes: &[u8]) -> bool {
    let is_file = fs::symlink_metadata(path).is_ok_and(|about| about.is_file() && about.len() == bytes.len() as u64);
    is_file && fs::read(path).is_ok_and(|present| present == bytes)
}

fn temporary_beside(path: &Path) -> Result<NamedTempFile, CommandError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    tempfile::Builder::new().prefix(".interline-").tempfile_in(folder).map_err(|error| unwritable(path, &error))
}

/// Gives a file its name, which it replaces. Until then nothing has that name but what had it before.
fn persist(mut file: NamedTempFile, path: &Path) -> Result<(), CommandError> {
    file.flush().and_then(|()| file.as_file().sync_data()).map_err(|error| unwritable(path, &error))?;
    let file: File = file.persist(path).map_err(|error| unwritable(path, &error.error))?;
    drop(file);
    Ok(())
}

fn unwritable(path: &Path, error: &io::Error) -> CommandError {
    CommandError::refused(format!("{}: {error}", path.display()))
}
