//! The house rules that no compiler or linter holds. ARCHITECTURE.md prints them; this test holds them.
//!
//! A new crate adds its row to [`ROOMS`]. Rules are checked on code: comments and literals do not count.

#![expect(clippy::expect_used, clippy::panic, reason = "a failed test is a panic, in its functions too")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// What one crate may depend on, and what its source may not name.
struct Room {
    /// The folder under `crates/`.
    folder: &'static str,
    /// Its dependencies, those of its tests aside, with the reason.
    dependencies: &'static [(&'static str, &'static str)],
    /// What they bring, all the way down, with the reason why it may come; `None` where that is not the point.
    brought: Option<&'static [(&'static str, &'static str)]>,
    /// Paths and names that its source never mentions, with the reason.
    absent: &'static [(&'static str, &'static str)],
}

const PRINTS: &str = "only the command line prints: return the value";
const TEXT: &str = "the engine is handed text and gives text back";
const ENVIRONMENT: &str = "only the command line reads the environment: take an option";
const WIRE: &str = "the wire's types live in the server, rows in storage: convert there";

const ROOMS: &[Room] = &[
    Room {
        folder: "edit",
        dependencies: &[
            ("memchr", "substring and newline search; pure"),
            ("regex", "linear-time expressions; pure"),
            ("regex-syntax", "what an expression can match, case folding; pure"),
        ],
        brought: Some(&[
            ("aho-corasick", "of regex: sets of literals; pure"),
            ("regex-automata", "of regex: its engines; pure"),
        ]),
        absent: &[
            ("std::fs", TEXT),
            ("std::io", TEXT),
            ("std::net", TEXT),
            ("std::path", TEXT),
            ("std::process", TEXT),
            ("std::env", ENVIRONMENT),
            ("std::time", "the same input gives the same result always: bound work by a count, or ask the caller"),
            ("std::thread", "the engine is synchronous: the caller chooses the thread"),
            ("serde", WIRE),
            ("println!", PRINTS),
            ("eprintln!", PRINTS),
            ("print!", PRINTS),
            ("eprint!", PRINTS),
            ("dbg!", PRINTS),
        ],
    },
    Room {
        folder: "items",
        dependencies: &[
            ("async-trait", "`dyn Store` with async methods"),
            ("base64", "secrets as text"),
            ("blake3", "hashes of contents"),
            ("getrandom", "secrets"),
            ("interline-edit", "the engine"),
            ("jiff", "timestamps"),
            ("minijinja", "templates"),
            ("minijinja-contrib", "what Jinja2 has and minijinja has not"),
            ("serde_json", "values of a prompt's arguments"),
            ("sha2", "hashes of secrets"),
            ("thiserror", "errors of the storage"),
            ("tokio", "taking turns and waiting for threads without holding up others; one task beside a request"),
            ("unicode-normalization", "tags"),
            ("url", "addresses of bookmarks"),
            ("uuid", "ids"),
        ],
        brought: None,
        absent: &[
            ("std::fs", "what is kept is kept by a Store"),
            ("std::net", "doors are in the server"),
            ("std::env", ENVIRONMENT),
            ("Serialize", WIRE),
            ("Deserialize", WIRE),
            ("rusqlite", "SQL is in storage"),
            ("tokio_postgres", "SQL is in storage"),
            ("println!", PRINTS),
            ("eprintln!", PRINTS),
            ("dbg!", PRINTS),
        ],
    },
    Room {
        folder: "storage",
        dependencies: &[
            ("async-trait", "`dyn Store` with async methods"),
            ("deadpool-postgres", "connections to PostgreSQL"),
            ("interline-edit", "old versions are rebuilt by edits"),
            ("interline-items", "the Store trait"),
            ("jiff", "timestamps"),
            ("rusqlite", "SQLite"),
            ("rustls", "TLS to PostgreSQL"),
            ("rustls-native-certs", "whom to trust"),
            ("serde_json", "small structures in rows"),
            ("thiserror", "errors"),
            ("tokio", "tasks and channels"),
            ("tokio-postgres", "PostgreSQL"),
            ("tokio-postgres-rustls", "TLS to PostgreSQL"),
            ("uuid", "ids in rows"),
            ("zstd", "old versions as deltas"),
        ],
        brought: None,
        absent: &[
            ("std::env", ENVIRONMENT),
            ("axum", "storage and doors do not know each other"),
            ("println!", PRINTS),
            ("eprintln!", PRINTS),
            ("dbg!", PRINTS),
        ],
    },
    Room {
        folder: "server",
        dependencies: &[
            ("axum", "routes and handlers"),
            ("base64", "cursors"),
            ("governor", "rate limits"),
            ("http-body-util", "bodies up to a limit"),
            ("hyper", "connections with limits"),
            ("hyper-util", "ending connections"),
            ("interline-items", "the use cases"),
            ("jiff", "times on the wire"),
            ("metrics", "figures"),
            ("metrics-exporter-prometheus", "figures as text"),
            ("serde", "the wire's types"),
            ("serde_json", "JSON"),
            ("serde_path_to_error", "which field is wrong"),
            ("tokio", "connections"),
            ("tower", "what requests go through"),
            ("tower-http", "CORS, panics, headers"),
            ("tracing", "the log"),
            ("url", "query parameters"),
            ("utoipa", "the description of the API"),
            ("utoipa-axum", "the description of the API"),
            ("utoipa-swagger-ui", "the page at /docs"),
            ("uuid", "ids on the wire"),
        ],
        brought: None,
        absent: &[
            ("std::env", ENVIRONMENT),
            ("std::fs", "what is kept is kept by a Store"),
            ("rusqlite", "SQL is in storage"),
            ("tokio_postgres", "SQL is in storage"),
            ("interline_storage", "storage and doors do not know each other"),
            ("println!", PRINTS),
            ("eprintln!", PRINTS),
            ("dbg!", PRINTS),
        ],
    },
    Room {
        folder: "cli",
        dependencies: &[
            ("clap", "what was typed"),
            ("interline-items", "the use cases"),
            ("interline-server", "what `serve` runs"),
            ("interline-storage", "the stores"),
            ("jiff", "times"),
            ("mimalloc", "the allocator: a request is many small allocations"),
            ("reqwest", "servers elsewhere"),
            ("rustls", "TLS to servers elsewhere"),
            ("rustls-native-certs", "whom to trust"),
            ("serde", "the configuration file, and the API's shapes"),
            ("serde_json", "JSON"),
            ("tempfile", "the owner's token has its name only when it is whole"),
            ("tokio", "the runtime and signals"),
            ("toml", "the configuration file"),
            ("tracing", "the log"),
            ("tracing-subscriber", "where the log goes"),
        ],
        brought: None,
        absent: &[
            ("rusqlite", "SQL is in storage"),
            ("tokio_postgres", "SQL is in storage"),
            ("axum", "doors are in the server"),
            ("println!", "it panics when nobody reads: use `output`"),
            ("eprintln!", "it panics when nobody reads: use `output`"),
            ("dbg!", "it is for a moment"),
        ],
    },
];

/// Names that say nothing about what is inside.
const EMPTY_NAMES: &[&str] = &["core", "common", "util", "utils", "helper", "helpers", "misc"];

/// Lines of a source file, tests included.
const MAX_LINES: usize = 600;

#[test]
fn every_crate_has_a_row_of_rules() {
    let folders: BTreeSet<String> = crate_folders().iter().map(|folder| name_of(folder)).collect();
    let rows: BTreeSet<String> = ROOMS.iter().map(|room| room.folder.to_owned()).collect();
    assert_eq!(folders, rows, "crates/ (left) and ROOMS in this file (right) differ: give each crate its row");
}

#[test]
fn every_crate_takes_the_workspace_lints() {
    let mut problems = String::new();
    for folder in crate_folders() {
        let lints = section_keys(&read(&folder.join("Cargo.toml")), |section| section == "lints");
        if !lints.contains("workspace") {
            let _ = writeln!(problems, "{}: add `[lints]` with `workspace = true`", shown(&folder));
        }
    }
    assert!(problems.is_empty(), "crates without the workspace's lints:\n{problems}");
}

#[test]
fn dependencies_are_those_that_were_decided() {
    let lock = Lock::parse(&read(&root().join("Cargo.lock")));
    let mut problems = String::new();
    for room in ROOMS {
        let manifest = root().join("crates").join(room.folder).join("Cargo.toml");
        let direct = section_keys(&read(&manifest), is_normal_dependencies);
        let brought = lock.tree(&direct).difference(&direct).cloned().collect();
        let brought = room.brought.map(|decided| (brought, decided));
        for (found, decided) in [(direct, room.dependencies)].into_iter().chain(brought) {
            let decided: BTreeSet<String> = decided.iter().map(|(name, _)| (*name).to_owned()).collect();
            for name in found.difference(&decided) {
                let _ = writeln!(problems, "{}: `{name}` came in: drop it, or give it a row and a reason", room.folder);
            }
            for name in decided.difference(&found) {
                let _ = writeln!(problems, "{}: `{name}` is gone: take its row out", room.folder);
            }
        }
    }
    assert!(problems.is_empty(), "dependencies differ from ROOMS in this file:\n{problems}");
}

#[test]
fn sources_do_not_name_what_their_crate_must_not_do() {
    let mut problems = String::new();
    for room in ROOMS {
        for file in rust_files(&root().join("crates").join(room.folder).join("src")) {
            let code = spelled_out(&code_only(&read(&file)));
            for (name, reason) in room.absent {
                for line in lines_that_name(&code, name) {
                    let _ = writeln!(problems, "{}:{line}: `{name}`: {reason}", shown(&file));
                }
            }
        }
    }
    assert!(problems.is_empty(), "names that do not belong there:\n{problems}");
}

#[test]
fn migrations_pair_up_by_name() {
    let names = |storage: &str| -> BTreeSet<String> {
        let folder = root().join("crates/storage/migrations").join(storage);
        everything_under(&folder).iter().map(|file| name_of(file)).collect()
    };
    assert!(!names("sqlite").is_empty());
    assert_eq!(names("sqlite"), names("postgres"), "both storages migrate by files of the same names");
}

#[test]
fn names_say_what_is_inside() {
    let mut problems = String::new();
    for path in everything_under(&root().join("crates")) {
        if is_empty_name(&stem_of(&path)) {
            let _ = writeln!(problems, "{}", shown(&path));
        }
        if name_of(&path) == "Cargo.toml" {
            let name = crate_name(&read(&path));
            if is_empty_name(&name) {
                let _ = writeln!(problems, "{}: crate `{name}`", shown(&path));
            }
        }
        if is_rust(&path) {
            let code = code_only(&read(&path));
            for (number, line) in code.split('\n').enumerate() {
                let words: Vec<&str> = line.split(|c| !is_word(c)).filter(|word| !word.is_empty()).collect();
                if words.windows(2).any(|pair| pair[0] == "mod" && is_empty_name(pair[1])) {
                    let _ = writeln!(problems, "{}:{}: {}", shown(&path), number + 1, line.trim());
                }
            }
        }
    }
    assert!(problems.is_empty(), "call these by what they hold, or put the content where it is used:\n{problems}");
}

#[test]
fn no_source_file_is_too_long_to_enter() {
    let mut sizes: Vec<(usize, String)> = crate_folders()
        .iter()
        .flat_map(|folder| rust_files(&folder.join("src")))
        .map(|file| (read(&file).matches('\n').count(), shown(&file)))
        .collect();
    sizes.sort();
    let at = |per_mille: usize| sizes.get(sizes.len() * per_mille / 1000).map_or(0, |(lines, _)| *lines);
    println!("{} source files; median {} lines, 9 of 10 under {}", sizes.len(), at(500), at(900));
    for (lines, file) in sizes.iter().rev().take(10) {
        println!("{lines:>5} {file}");
    }
    let long: Vec<_> = sizes.iter().filter(|(lines, _)| *lines > MAX_LINES).collect();
    assert!(long.is_empty(), "over {MAX_LINES} lines: split by what a reader looks for: {long:#?}");
}

#[test]
fn a_panic_is_not_an_error_answer() {
    let mut problems = String::new();
    for file in crate_folders().iter().flat_map(|folder| rust_files(&folder.join("src"))) {
        if is_test_file(&file) {
            continue;
        }
        let code = without_tests(&code_only(&read(&file)));
        for (number, line) in code.split('\n').enumerate() {
            if line.contains(".unwrap()") || line.contains(".expect(") {
                let _ = writeln!(problems, "{}:{}: {}", shown(&file), number + 1, line.trim());
            }
        }
    }
    assert!(
        problems.is_empty(),
        "return the error, or write the code so that the case cannot arise (`let … else`, `unwrap_or`, patterns):\n{problems}"
    );
}

#[test]
fn rules_see_code_and_only_code() {
    let source = r####"
        //! std::fs in prose
        /* std::fs /* nested */ still std::fs */
        const A: &str = "std::fs \" std::fs"; const B: &str = r#"std::fs " std::fs"#;
        fn quotes<'a>(x: &'a str) -> (char, char, u8) { ('"', '\'', b'"') }
        use std::{fmt, fs::{self, File}, io as inout};
        fn main() { a.unwrap(); my_std::net(); std::network(); println!(); }
        #[cfg(test)]
        fn f(x: [u8; 2]) { b.unwrap(); { b.expect("") } }
        fn after() { c.expect(""); }
    "####;
    let code = code_only(source);
    assert_eq!(code.split('\n').count(), source.split('\n').count(), "line numbers hold");
    let named = spelled_out(&code);
    assert_eq!(lines_that_name(&named, "std::fs"), [6]);
    assert_eq!(lines_that_name(&named, "std::io"), [6]);
    assert_eq!(lines_that_name(&named, "std::net"), [] as [usize; 0]);
    assert_eq!(lines_that_name(&named, "println!"), [7]);
    assert_eq!(lines_that_name(&named, "print!"), [] as [usize; 0]);
    let shipped = without_tests(&code);
    assert_eq!(shipped.matches(".unwrap()").count(), 1);
    assert_eq!(shipped.matches(".expect(").count(), 1);
}

// Files ----------------------------------------------------------------------------------------------------

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace's root")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let listing = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = listing.map(|entry| entry.expect("a folder entry").path()).collect();
    paths.sort();
    paths
}

fn everything_under(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in entries(folder) {
        if path.is_dir() {
            found.extend(everything_under(&path));
        }
        found.push(path);
    }
    found
}

fn crate_folders() -> Vec<PathBuf> {
    entries(&root().join("crates")).into_iter().filter(|path| path.join("Cargo.toml").is_file()).collect()
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    everything_under(folder).into_iter().filter(|path| is_rust(path)).collect()
}

fn is_rust(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "rs")
}

/// `src/…/tests.rs`, `src/…/search_tests.rs`, `src/…/tests/…`: compiled under `#[cfg(test)]` alone.
fn is_test_file(path: &Path) -> bool {
    let stem = stem_of(path);
    stem == "tests" || stem.ends_with("_tests") || path.components().any(|part| part.as_os_str() == "tests")
}

fn name_of(path: &Path) -> String {
    path.file_name().expect("a file name").to_string_lossy().into_owned()
}

fn stem_of(path: &Path) -> String {
    path.file_stem().expect("a file name").to_string_lossy().into_owned()
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// `utils`, `string_utils` and `interline-utils` are; `common_prefix` is not.
fn is_empty_name(name: &str) -> bool {
    name.rsplit(['-', '_']).next().is_some_and(|last| EMPTY_NAMES.contains(&last))
}

// Manifests ------------------------------------------------------------------------------------------------

/// The keys of the sections that `wanted` says yes to; `[dependencies.memchr]` is the key `memchr` of `dependencies`.
fn section_keys(manifest: &str, wanted: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    let mut inside = false;
    for line in manifest.split('\n').map(str::trim) {
        if let Some(header) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            inside = wanted(header);
            if let Some((_, key)) = header.rsplit_once('.').filter(|(section, _)| wanted(section)) {
                keys.insert(key.trim_matches('"').to_owned());
            }
        } else if inside && !line.starts_with('#') {
            let key = line.split(['=', '.', ' ']).next().unwrap_or_default().trim_matches('"');
            if !key.is_empty() && line.contains('=') {
                keys.insert(key.to_owned());
            }
        }
    }
    keys
}

/// What ends up in the crate: not what its tests use.
fn is_normal_dependencies(section: &str) -> bool {
    let last = section.rsplit('.').next().unwrap_or_default();
    last == "dependencies" || last == "build-dependencies"
}

fn crate_name(manifest: &str) -> String {
    let line = manifest.split('\n').find_map(|line| line.strip_prefix("name = \"")).expect("the crate's name");
    line.trim_end().trim_end_matches('"').to_owned()
}

/// `Cargo.lock`: each package (`name version`) with the packages that it depends on.
struct Lock {
    packages: BTreeMap<String, Vec<String>>,
}

impl Lock {
    fn parse(text: &str) -> Lock {
        let mut packages = BTreeMap::new();
        for block in text.split("[[package]]").skip(1) {
            let field = |key: &str| {
                let value = block.split('\n').find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""));
                value.map(|value| value.trim_end_matches('"').to_owned()).expect("a package's name and version")
            };
            let list = block.split_once("dependencies = [").and_then(|(_, rest)| rest.split_once(']'));
            let list = list.map_or("", |(list, _)| list);
            let dependencies = list.split('"').skip(1).step_by(2).map(str::to_owned).collect();
            packages.insert(format!("{} {}", field("name"), field("version")), dependencies);
        }
        Lock { packages }
    }

    /// The names of `direct` and of all that they bring, with every feature that the workspace asks for.
    fn tree(&self, direct: &BTreeSet<String>) -> BTreeSet<String> {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&str> = direct.iter().map(String::as_str).collect();
        while let Some(wanted) = open.pop() {
            if seen.insert(wanted) {
                // A name without its version may mean any of them.
                let meant = |package: &str| package == wanted || name_in_lock(package) == wanted;
                let brought = self.packages.iter().filter(|(package, _)| meant(package));
                open.extend(brought.flat_map(|(_, dependencies)| dependencies.iter().map(String::as_str)));
            }
        }
        seen.into_iter().map(|wanted| name_in_lock(wanted).to_owned()).collect()
    }
}

fn name_in_lock(package: &str) -> &str {
    package.split(' ').next().unwrap_or_default()
}

// Code -----------------------------------------------------------------------------------------------------

/// The source with comments and literals blanked out; every other character keeps its place and line.
fn code_only(source: &str) -> String {
    let text: Vec<char> = source.chars().collect();
    let mut code = String::with_capacity(source.len());
    let mut at = 0;
    while at < text.len() {
        let end = literal_end(&text, at).unwrap_or(at);
        if end == at {
            code.push(text[at]);
            at += 1;
        } else {
            code.extend(text[at..end].iter().map(|&c| if c == '\n' { '\n' } else { ' ' }));
            at = end;
        }
    }
    code
}

/// Where the comment or literal that begins at `at` ends, if one does.
fn literal_end(text: &[char], at: usize) -> Option<usize> {
    let rest = &text[at..];
    let in_word = at > 0 && is_word(text[at - 1]);
    match rest {
        ['/', '/', ..] => Some(rest.iter().position(|&c| c == '\n').map_or(text.len(), |n| at + n)),
        ['/', '*', ..] => Some(at + block_comment_len(rest)),
        ['"', ..] => Some(at + quoted_len(rest, '"')),
        ['r', '#' | '"', ..] if !in_word => Some(at + raw_string_len(rest)?),
        ['b' | 'c', 'r', '#' | '"', ..] if !in_word => Some(at + 1 + raw_string_len(&rest[1..])?),
        // A lifetime has no closing quote.
        ['\'', '\\', ..] | ['\'', _, '\'', ..] => Some(at + quoted_len(rest, '\'')),
        _ => None,
    }
}

fn block_comment_len(text: &[char]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        match &text[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] if depth == 1 => return at + 2,
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    text.len()
}

fn quoted_len(text: &[char], quote: char) -> usize {
    let mut at = 1;
    while at < text.len() && text[at] != quote {
        at += if text[at] == '\\' { 2 } else { 1 };
    }
    text.len().min(at + 1)
}

/// `None` for a raw identifier (`r#type`).
fn raw_string_len(text: &[char]) -> Option<usize> {
    let hashes = text[1..].iter().take_while(|&&c| c == '#').count();
    let body = 1 + hashes + 1;
    (text.get(body - 1) == Some(&'"')).then_some(())?;
    let closing: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
    let end = text[body..].windows(closing.len()).position(|window| window == closing);
    Some(end.map_or(text.len(), |end| body + end + closing.len()))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// `std::{fmt, fs::File}` gets `std::fmt std::fs` beside it, so that a grouped import names what it takes.
fn spelled_out(code: &str) -> String {
    let mut parts = code.split("std::{");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut depth = 0;
        let mut names = vec![String::new()];
        for c in part.chars().take_while(|&c| c != ';') {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => names.push(String::new()),
                _ => names.last_mut().expect("never empty").push(c),
            }
        }
        for name in names {
            let _ = write!(out, "std::{} ", name.trim());
        }
        out.push_str(part);
    }
    out
}

/// The 1-based lines on which `name` stands as a name of its own.
fn lines_that_name(code: &str, name: &str) -> Vec<usize> {
    let mut lines: Vec<usize> = code
        .match_indices(name)
        .filter(|(at, _)| !code[..*at].ends_with(is_word) && !code[at + name.len()..].starts_with(is_word))
        .map(|(at, _)| code[..at].matches('\n').count() + 1)
        .collect();
    lines.dedup();
    lines
}

/// The code without the items under `#[cfg(test)]`, lines kept.
fn without_tests(code: &str) -> String {
    let mut parts = code.split("#[cfg(test)]");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = item_len(part);
        out.extend(part[..end].matches('\n'));
        out.push_str(&part[end..]);
    }
    out
}

/// The length of the item at the start of `code`: up to its closing brace, or to a `;` before any brace.
fn item_len(code: &str) -> usize {
    let (mut braces, mut others) = (0, 0);
    for (at, c) in code.char_indices() {
        match c {
            '(' | '[' => others += 1,
            ')' | ']' => others -= 1,
            '{' => braces += 1,
            '}' if braces <= 1 => return at + 1,
            '}' => braces -= 1,
            ';' if braces == 0 && others == 0 => return at + 1,
            _ => {}
        }
    }
    code.len()
}
