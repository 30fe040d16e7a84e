//! Searches through 200 MB of stored code, beside ripgrep on the same files on disk.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use interline_items::fields::Limits;
use interline_items::{Case, CodeKind, CodeScope, Interline, QuerySyntax, SearchFiles, Source};
use interline_storage::SqliteStore;
use rusqlite::params;
use uuid::Uuid;

use super::python::library_files;
use super::search::complete_index;
use crate::measure::{Figures, middle};
use crate::store::{Bare, Place, file_in};
use crate::table::{JUDGED, Longest, Table};

const BYTES: usize = 200_000_000;
const ROUNDS: usize = 11;
/// The space that is everybody's.
const GLOBAL: [u8; 16] = *b"\0\0\0\0\0\0\x70\0\x80\0\0\0\0\0\0\x01";
/// Changes when [`fill`] writes something else, so that kept stores are made anew.
const FORM: u32 = 1;

const INSERT_ITEM: &str = "
    INSERT INTO items (
        id, kind, space, version, revision, created_at, updated_at, tags, path, path_key,
        content_characters, content_bytes, content_lines, content_preview, content_hash
    ) VALUES (?1, 'module', ?2, 1, 0, 1, 1, '[]', ?3, ?3, ?4, ?4, 1, '', ?5)";

/// What is looked for, and how long that may take.
const QUERIES: [(&str, &str, QuerySyntax, u64); 6] = [
    ("literal, rare", "def assertNotIsInstance", QuerySyntax::Literal, 100),
    ("literal, in some files", "ThreadPoolExecutor", QuerySyntax::Literal, 100),
    ("literal that is nowhere", "interline_is_not_here", QuerySyntax::Literal, 100),
    ("expression", r"def get_\w+\(self, \w+=None\)", QuerySyntax::Regex, 500),
    ("expression of alternatives", r"(raise|except) (KeyError|LookupError)\b", QuerySyntax::Regex, 500),
    ("expression that is nowhere", r"class Interline\d+Store", QuerySyntax::Regex, 100),
];

pub(super) fn run(rows: &str) -> Result<(), Box<dyn Error>> {
    let mut table = Table::new(rows, "## Searches through 200 MB of code / ripgrep", JUDGED);
    if !QUERIES.iter().any(|(name, ..)| table.wants(name)) {
        return Ok(());
    }
    let folder = kept(&Place::of_user()?)?;
    let interline = Interline::new(Arc::new(SqliteStore::open(&file_in(&folder))?), Limits::default());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    for (name, pattern, syntax, bar) in QUERIES {
        if !table.wants(name) {
            continue;
        }
        let ask = || -> Result<(f64, u64), Box<dyn Error>> {
            let begin = Instant::now();
            let total = runtime.block_on(found(&interline, pattern, syntax))?;
            Ok((begin.elapsed().as_secs_f64(), total))
        };
        let (_, total) = ask()?;
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            ours.push(ask()?.0);
            theirs.extend(ripgrep(&folder.join("files"), pattern, syntax, total)?);
        }
        let seconds = Figures { subject: middle(ours), reference: middle(theirs) };
        let beside = if seconds.reference > 0.0 { "" } else { " (no ripgrep here)" };
        table.judged_times(
            &format!("{name}, {total} lines{beside}"),
            seconds,
            Longest::Time(Duration::from_millis(bar)),
        )?;
    }
    Ok(())
}

async fn found(interline: &Interline, pattern: &str, syntax: QuerySyntax) -> Result<u64, Box<dyn Error>> {
    let told = |error| format!("{error:?}");
    let owner = interline.owner().await.map_err(told)?;
    let caller = interline.trusted(owner.id, Source::Cli).await.map_err(told)?;
    let request = SearchFiles {
        scope: CodeScope { kind: CodeKind::Module, app: None, organization: None },
        pattern: pattern.to_owned(),
        syntax,
        case: Case::Sensitive,
        path: None,
        path_prefix: None,
        context_lines: 3,
        limit: 20,
    };
    Ok(interline.search_code(&caller, request).await.map_err(told)?.total_matches)
}

/// How long ripgrep takes to count the same lines; `None` where there is no ripgrep (Debian has it as `ripgrep`).
fn ripgrep(folder: &Path, pattern: &str, syntax: QuerySyntax, total: u64) -> Result<Option<f64>, Box<dyn Error>> {
    let fixed = match syntax {
        QuerySyntax::Literal => "--fixed-strings",
        QuerySyntax::Regex => "--no-fixed-strings",
    };
    let begin = Instant::now();
    let counted = ["--count", "--no-filename", "--no-ignore", fixed, "--"];
    let Ok(output) = Command::new("rg").args(counted).arg(pattern).arg(folder).output() else {
        return Ok(None);
    };
    let time = begin.elapsed();
    let counts = String::from_utf8(output.stdout)?;
    let lines: u64 = counts.split('\n').filter_map(|count| count.parse::<u64>().ok()).sum();
    if lines == total {
        Ok(Some(time.as_secs_f64()))
    } else {
        Err(format!("ripgrep finds {lines}, not {total}").into())
    }
}

/// The folder of the store and of its files on disk, made once and kept for later runs.
fn kept(place: &Place) -> Result<PathBuf, Box<dyn Error>> {
    let folder = place.folder().join(format!("code-of-{BYTES}-{FORM}"));
    if !folder.exists() {
        let scratch = place.temporary()?;
        fill(scratch.path())?;
        complete_index(&file_in(scratch.path()))?;
        fs::rename(scratch.keep(), &folder)?;
    }
    Ok(folder)
}

/// Copies of the files of the standard library, in the store and on disk, each with a first line of its own.
fn fill(folder: &Path) -> Result<(), Box<dyn Error>> {
    let bare = Bare::open(&file_in(folder))?;
    let connection = bare.connection();
    connection.execute_batch("PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000; BEGIN IMMEDIATE")?;
    let texts: Vec<String> = library_files()?.iter().filter_map(|file| fs::read_to_string(file).ok()).collect();
    if texts.is_empty() {
        return Err("the standard library of python3 is not there".into());
    }
    let (mut bytes, mut number) = (0, 0_u32);
    while bytes < BYTES {
        let text = format!("# file {number}\n{}", texts[number as usize % texts.len()]);
        bytes += text.len();
        let path = format!("part{}/file{number}.py", number / 200);
        let on_disk = folder.join("files").join(&path);
        fs::create_dir_all(on_disk.parent().unwrap_or(folder))?;
        fs::write(on_disk, &text)?;
        let length = i64::try_from(text.len())?;
        let id = Uuid::from_u128(u128::from(number) << 64 | 1).into_bytes();
        connection.prepare_cached(INSERT_ITEM)?.execute(params![id, GLOBAL, path, length, [0_u8; 32]])?;
        let insert_text = "INSERT INTO contents (item, text) VALUES (last_insert_rowid(), ?1)";
        connection.prepare_cached(insert_text)?.execute(params![text])?;
        number += 1;
    }
    connection.execute_batch(
        "
        INSERT INTO stale_items (item, mark) SELECT number, 1 FROM items;
        COMMIT;
        PRAGMA synchronous = FULL;",
    )?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}
