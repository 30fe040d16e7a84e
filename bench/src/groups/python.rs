//! Group `python`: the check that a text is Python, beside the parser alone on the same text.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::{self, Builder};
use std::time::Duration;

use interline_python::{CheckedModule, CodeError, LargeStack, STACK_BYTES, SdkName, check};
use ruff_python_parser::parse_module;

use crate::measure::{Effort, PairedFigures, side_by_side};
use crate::table::{JUDGED, Longest, Table, megabytes, millis};

const BYTES: usize = 4_000_000;
const EFFORT: Effort = Effort { least: 9, most: 31, budget: Duration::from_secs(20) };

pub(super) fn run(rows: &str) -> Result<(), Box<dyn Error>> {
    let mut table = Table::new(rows, "## Whether code is Python", JUDGED);
    let speed = "check a module of 4 MB / the parser alone";
    let uncut = "check it as one statement / the parser alone";
    let memory = "memory at the peak of checking it as one statement";
    if ![speed, uncut, memory].iter().any(|row| table.wants(row)) {
        return Ok(());
    }
    let sdk = SdkName::default();
    let module = module(&sdk)?;
    let statement = one_statement(&module);
    // Before anything else, whose memory would be there to be taken again.
    let before = status("VmRSS")?;
    // The peak begins anew.
    fs::write("/proc/self/clear_refs", "5")?;
    check_blocking(&statement, &sdk)?.map_err(|error| error.to_string())?;
    if table.wants(memory) {
        let peak = megabytes(status("VmHWM")? - before);
        table.row(memory, &[peak, String::new(), String::new(), String::new(), String::new()])?;
    }
    if table.wants(speed) {
        table.judged_times(speed, beside_parser(&module, &sdk), Longest::Times(1.3))?;
    }
    if table.wants(uncut) {
        let PairedFigures { subject, reference } = beside_parser(&statement, &sdk);
        let times = [subject, reference].map(|seconds| millis(Duration::from_secs_f64(seconds)));
        let ratio = format!("{:.2} ×", subject / reference);
        let [figure, beside] = times;
        table.row(uncut, &[figure, beside, ratio, String::new(), String::new()])?;
    }
    Ok(())
}

/// Seconds that a check takes, and the parser alone.
fn beside_parser(module: &str, sdk: &SdkName) -> PairedFigures {
    let check = || check_blocking(module, sdk).is_ok_and(|checked| checked.is_ok());
    let medians = side_by_side(EFFORT, check, || parsed(module));
    PairedFigures { subject: medians.subject.as_secs_f64(), reference: medians.reference.as_secs_f64() }
}

/// A check on a thread of its own, as the store does it. The outer error is for want of a thread.
fn check_blocking(source: &str, sdk: &SdkName) -> Result<Result<CheckedModule, CodeError>, Box<dyn Error>> {
    thread::scope(|scope| {
        let thread = builder().spawn_scoped(scope, || check(source, sdk, &CheckThread))?;
        thread.join().map_err(|_| "the check panicked".into())
    })
}

/// A thread of [`check_blocking`].
struct CheckThread;

impl LargeStack for CheckThread {
    fn on_two_threads<T: Send>(&self, work: impl Fn() -> T + Sync) -> (T, Option<T>) {
        thread::scope(|scope| {
            let other = builder().spawn_scoped(scope, &work).ok();
            let here = work();
            (here, other.and_then(|other| other.join().ok()))
        })
    }
}

fn builder() -> Builder {
    Builder::new().stack_size(STACK_BYTES)
}

/// A module that cannot be taken apart.
fn one_statement(module: &str) -> String {
    let indented = module.split_inclusive('\n').flat_map(|line| [" ", line]);
    ["if True:\n"].into_iter().chain(indented).collect()
}

/// The parser alone, and the end of its tree, on a thread like that of a check.
pub(super) fn parsed(module: &str) -> bool {
    thread::scope(|scope| {
        let work = || parse_module(module).is_ok();
        let thread = builder().spawn_scoped(scope, work);
        thread.is_ok_and(|thread| thread.join().unwrap_or(false))
    })
}

/// Files of the standard library, one after the other, as one module.
pub(super) fn module(sdk: &SdkName) -> Result<String, Box<dyn Error>> {
    let mut module = String::new();
    for path in library_files()? {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        // These must come first, and a joint module has but one beginning.
        if text.contains("__future__") || check_blocking(&text, sdk)?.is_err() {
            continue;
        }
        module.push_str(&text);
        module.push('\n');
        if module.len() >= BYTES {
            return Ok(module);
        }
    }
    Err("the standard library has less than 4 MB".into())
}

/// The files of the standard library of `python3`, in order.
pub(super) fn library_files() -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let script = "import sysconfig; print(sysconfig.get_paths()['stdlib'])";
    let output = Command::new("python3").args(["-c", script]).output()?;
    let folder = PathBuf::from(String::from_utf8(output.stdout)?.trim());
    let mut files = Vec::new();
    python_files(&folder, &mut files)?;
    files.sort();
    Ok(files)
}

fn python_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_library = !path.ends_with("site-packages") && !path.ends_with("dist-packages");
        if path.is_dir() && !path.is_symlink() && is_library {
            python_files(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "py") {
            files.push(path);
        }
    }
    Ok(())
}

/// Bytes that the system says of this process.
fn status(field: &str) -> Result<f64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let mut lines = status.split('\n').filter_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    let kibibytes = lines.next().and_then(|value| value.trim().strip_suffix("kB")).ok_or("no such field")?;
    Ok(kibibytes.trim().parse::<f64>()? * 1024.0)
}
