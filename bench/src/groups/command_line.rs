//! Rows of the group `process`: everyday commands on a store that the command line alone uses, so that no server indexes it.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::measure::middle;
use crate::prose::Prose;
use crate::store::BenchFolder;
use crate::table::{JudgedRow, Table, millis, times};

/// What a person writes in years.
const FILES: usize = 10_000;
const BYTES: usize = 2_000;
/// How often a command is run.
const RUNS: usize = 31;
const LONGEST_COMMAND: Duration = Duration::from_millis(50);
const LONGEST_IMPORT: Duration = Duration::from_secs(10);
const IMPORT: &str = "`interline import` of 10,000 files of 2 KB, indexed";
/// The words of a text by how frequent they are: nearly every file has the first, one in some hundreds the second.
const FREQUENT: usize = 10;
const RARE: usize = 9_000;

pub(super) fn rows(table: &mut Table<'_>, binary: &Path, bench_folder: &BenchFolder) -> Result<(), Box<dyn Error>> {
    let names = ["list", "get", "search, a frequent word", "search, a rare word", "new note", "edit"]
        .map(|name| format!("`interline {name}`, 10,000 items, p50"));
    if !table.wants(IMPORT) && !names.iter().any(|name| table.wants(name)) {
        return Ok(());
    }
    let folder = bench_folder.temporary()?;
    let words = write_files(&folder.path().join("files"))?;
    let program = Program { binary, data: &folder.path().join("data") };
    import(table, &program, &folder.path().join("files"))?;
    let made = program.run(&["new", "note", "counter", "--content", "run 0.", "--json"])?;
    let made: serde_json::Value = serde_json::from_slice(&made.stdout)?;
    let id = made["id"].as_str().ok_or("a note has no id")?;
    let [list, get, frequent, rare, new, edit] = &names;
    row(table, list, |_| program.timed(&["list"]))?;
    row(table, get, |_| program.timed(&["get", id]))?;
    row(table, frequent, |_| program.timed(&["search", &words[FREQUENT]]))?;
    row(table, rare, |_| program.timed(&["search", &words[RARE]]))?;
    row(table, new, |run| program.timed(&["new", "note", &format!("note {run}"), "--content", "some words"]))?;
    row(table, edit, |run| {
        let (old, new) = (format!("run {run}."), format!("run {}.", run + 1));
        program.timed(&["edit", id, "--old", &old, "--new", &new])
    })
}

/// Writes the files; the words that are in them, the most frequent first.
fn write_files(folder: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let mut prose = Prose::new(18);
    for number in 0..FILES {
        let below = folder.join(format!("{}", number / 500));
        fs::create_dir_all(&below)?;
        fs::write(below.join(format!("{number}.md")), prose.text(BYTES))?;
    }
    Ok(prose.words().to_vec())
}

fn import(table: &mut Table<'_>, program: &Program<'_>, files: &Path) -> Result<(), Box<dyn Error>> {
    let path = files.to_str().ok_or("a folder that is not UTF-8")?;
    let taken = Duration::from_secs_f64(program.timed(&["import", path])?);
    if !table.wants(IMPORT) {
        return Ok(());
    }
    let row = JudgedRow {
        figure: millis(taken),
        beside: String::new(),
        ratio: String::new(),
        bar: format!("≤ {}", millis(LONGEST_IMPORT)),
        passes: taken <= LONGEST_IMPORT,
    };
    Ok(table.judged(IMPORT, row)?)
}

/// The median of a command, given the number of its run, beside that of `true`, one after the other.
fn row(
    table: &mut Table<'_>,
    name: &str,
    command: impl Fn(usize) -> Result<f64, Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    if !table.wants(name) {
        return Ok(());
    }
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for run in 0..RUNS {
        ours.push(command(run)?);
        let begin = Instant::now();
        Command::new("true").stdin(Stdio::null()).status()?;
        bare.push(begin.elapsed().as_secs_f64());
    }
    let [ours, bare] = [ours, bare].map(|times| Duration::from_secs_f64(middle(times)));
    let row = JudgedRow {
        figure: millis(ours),
        beside: format!("true {}", millis(bare)),
        ratio: times(ours.div_duration_f64(bare)),
        bar: format!("≤ {}", millis(LONGEST_COMMAND)),
        passes: ours <= LONGEST_COMMAND,
    };
    Ok(table.judged(name, row)?)
}

/// The command, on a store.
struct Program<'a> {
    binary: &'a Path,
    data: &'a Path,
}

impl Program<'_> {
    fn run(&self, arguments: &[&str]) -> Result<Output, Box<dyn Error>> {
        let mut command = Command::new(self.binary);
        command.args(arguments).env("INTERLINE_DATA_DIR", self.data).env_remove("INTERLINE_URL").stdin(Stdio::null());
        let output = command.output()?;
        if output.status.success() {
            Ok(output)
        } else {
            Err(format!("{arguments:?}: {}", String::from_utf8_lossy(&output.stderr)).into())
        }
    }

    /// How many seconds a command takes, from its start to its end.
    fn timed(&self, arguments: &[&str]) -> Result<f64, Box<dyn Error>> {
        let begin = Instant::now();
        self.run(arguments)?;
        Ok(begin.elapsed().as_secs_f64())
    }
}
