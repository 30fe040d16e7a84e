//! Group `code-search`: searches through 200 MB of stored code, beside ripgrep on the same files on disk.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use interline_items::fields::Limits;
use interline_items::{Case, CodeKind, CodeScope, Interline, QuerySyntax, SearchFiles, Source, content_hash};
use interline_storage::SqliteStore;
use rusqlite::params;
use uuid::Uuid;

use super::code_postgres::{Database, SERVER};
use super::python::library_files;
use super::search::complete_index;
use crate::measure::{PairedFigures, middle};
use crate::store::{Bare, BenchFolder, file_in};
use crate::table::{JUDGED, Longest, Table};

const BYTES: usize = 200_000_000;
const ROUNDS: usize = 11;
/// The space that is everybody's.
const GLOBAL: [u8; 16] = *b"\0\0\0\0\0\0\x70\0\x80\0\0\0\0\0\0\x01";
/// Changes when [`fill`] writes something else, so that kept stores are made anew.
const FORM: u32 = 2;

const INSERT_ITEM: &str = "
    INSERT INTO items (
        id, kind, space, version, revision, created_at, updated_at, tags, path, path_key,
        content_characters, content_bytes, content_lines, content_preview, content_hash
    ) VALUES (?1, 'module', ?2, 1, 0, 1, 1, '[]', ?3, ?3, ?4, ?4, 1, '', ?5)";

/// What is looked for, and how long that may take in SQLite.
struct Query {
    name: &'static str,
    pattern: &'static str,
    syntax: QuerySyntax,
    /// How many matches are told, of those that are counted.
    limit: usize,
    bar: Duration,
}

impl Query {
    const fn literal(name: &'static str, pattern: &'static str) -> Query {
        Query { name, pattern, syntax: QuerySyntax::Literal, limit: 20, bar: Duration::from_millis(100) }
    }

    const fn regex(name: &'static str, pattern: &'static str, millis: u64) -> Query {
        Query { name, pattern, syntax: QuerySyntax::Regex, limit: 20, bar: Duration::from_millis(millis) }
    }
}

const QUERIES: [Query; 7] = [
    Query::literal("literal, rare", "def assertNotIsInstance"),
    Query::literal("literal, in some files", "ThreadPoolExecutor"),
    Query { limit: 1_000, ..Query::literal("literal, in most files, 1,000 told", "return") },
    Query::literal("literal that is nowhere", "interline_is_not_here"),
    Query::regex("expression", r"def get_\w+\(self, \w+=None\)", 500),
    Query::regex("expression of alternatives", r"(raise|except) (KeyError|LookupError)\b", 500),
    Query::regex("expression that is nowhere", r"class Interline\d+Store", 100),
];

/// How long any of them may take in PostgreSQL.
const POSTGRES_BAR: Duration = Duration::from_secs(1);

pub(super) fn run(rows: &str) -> Result<(), Box<dyn Error>> {
    let mut table = Table::new(rows, "## Searches through 200 MB of code / ripgrep", JUDGED);
    let in_postgres = |query: &Query| format!("PostgreSQL: {}", query.name);
    if !QUERIES.iter().any(|query| table.wants(&in_postgres(query))) {
        return Ok(());
    }
    let folder = cached(&BenchFolder::in_user_cache()?)?;
    let files = folder.join("files");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let interline = Interline::new(Arc::new(SqliteStore::open(&file_in(&folder))?), Limits::default());
    for query in QUERIES.iter().filter(|query| query.name.contains(rows)) {
        row(&mut table, query.name, query, query.bar, &files, || runtime.block_on(found(&interline, query)))?;
    }
    #[expect(clippy::disallowed_methods, reason = "this is a command line too")]
    let Ok(server) = std::env::var(SERVER) else {
        let cells = ["not measured", "", "", "", ""].map(str::to_owned);
        return Ok(table.row("PostgreSQL: run by tests/with-postgres", &cells)?);
    };
    let database = runtime.block_on(Database::filled(&server, &files))?;
    let store = runtime.block_on(database.open())?;
    let interline = Interline::new(store, Limits::default());
    runtime.block_on(interline.first_start("bench")).map_err(|error| format!("{error:?}"))?;
    for query in &QUERIES {
        let name = in_postgres(query);
        if table.wants(&name) {
            row(&mut table, &name, query, POSTGRES_BAR, &files, || runtime.block_on(found(&interline, query)))?;
        }
    }
    drop(interline);
    runtime.block_on(database.remove())
}

/// Measures one query beside ripgrep; `ask` says how many lines were found.
fn row(
    table: &mut Table<'_>,
    name: &str,
    query: &Query,
    bar: Duration,
    files: &Path,
    ask: impl Fn() -> Result<u64, Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let total = ask()?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        ask()?;
        ours.push(begin.elapsed().as_secs_f64());
        theirs.extend(ripgrep(files, query, total)?);
    }
    let seconds = PairedFigures { subject: middle(ours), reference: middle(theirs) };
    let beside = if seconds.reference > 0.0 { "" } else { " (no ripgrep here)" };
    Ok(table.judged_times(&format!("{name}, {total} lines{beside}"), seconds, Longest::Time(bar))?)
}

async fn found(interline: &Interline, query: &Query) -> Result<u64, Box<dyn Error>> {
    let to_text = |error| format!("{error:?}");
    let owner = interline.owner().await.map_err(to_text)?;
    let caller = interline.trusted(owner.id, Source::Cli).await.map_err(to_text)?;
    let request = SearchFiles {
        scope: CodeScope { kind: CodeKind::Module, app: None, organization: None },
        pattern: query.pattern.to_owned(),
        syntax: query.syntax,
        case: Case::Sensitive,
        path: None,
        path_prefix: None,
        context_lines: 3,
        limit: query.limit,
    };
    let found = interline.search_code(&caller, request).await.map_err(to_text)?;
    let told = u64::try_from(query.limit)?.min(found.total_matches);
    if found.matches.len() as u64 == told {
        Ok(found.total_matches)
    } else {
        Err(format!("{} of {} matches are told", found.matches.len(), found.total_matches).into())
    }
}

/// How long ripgrep takes to count the same lines; `None` where there is no ripgrep (Debian has it as `ripgrep`).
fn ripgrep(folder: &Path, query: &Query, total: u64) -> Result<Option<f64>, Box<dyn Error>> {
    let fixed = match query.syntax {
        QuerySyntax::Literal => "--fixed-strings",
        QuerySyntax::Regex => "--no-fixed-strings",
    };
    let begin = Instant::now();
    let counted = ["--count", "--no-filename", "--no-ignore", fixed, "--"];
    let Ok(output) = Command::new("rg").args(counted).arg(query.pattern).arg(folder).output() else {
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
fn cached(bench_folder: &BenchFolder) -> Result<PathBuf, Box<dyn Error>> {
    let folder = bench_folder.path().join(format!("code-of-{BYTES}-{FORM}"));
    if !folder.exists() {
        let scratch = bench_folder.temporary()?;
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
        connection.prepare_cached(INSERT_ITEM)?.execute(params![id, GLOBAL, path, length, content_hash(&text)])?;
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
