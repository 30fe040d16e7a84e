//! A module is judged part by part, by two threads where it is long: each takes the next part that nobody has taken.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use ruff_python_ast::{ModModule, PythonVersion};
use ruff_python_parser::{Mode, ParseOptions, Parsed, parse_unchecked};
use ruff_text_size::TextSize;

use super::scan::{Landmarks, Part, Parts, Scanned, scan};
use super::walk::{Seen, Stands, walk};
use super::{Checked, Problem};
use crate::code::SdkName;
use crate::threads::LargeStack;

/// With so many parts, another thread is worth its while.
const MANY_PARTS: usize = 4;

/// How much is kept of the functions of one file: it is read wherever the file is listed.
const MAX_KEPT_BYTES: usize = 1024 * 1024;

/// Accepts Python and says what its workflow functions are; otherwise, its first problem.
pub(super) fn judge(source: &str, sdk: &SdkName, stack: &LargeStack) -> Result<Checked, Problem> {
    let Scanned { landmarks, parts } = scan(source)?;
    let mut judge = Judge { landmarks, parts, sdk };
    match judge.all(stack) {
        Ok(seen) if !seen.iter().any(|seen| seen.declares_for_module) => judge.checked(seen),
        // Which of several problems is the first, and what may be declared, depends on the whole.
        _ => {
            judge.parts = Parts::uncut(source);
            judge.checked(judge.all(stack)?)
        }
    }
}

/// A module, and what it is judged by.
struct Judge<'s> {
    landmarks: Landmarks,
    parts: Parts<'s>,
    sdk: &'s SdkName,
}

impl Judge<'_> {
    /// What is seen in each part, or a problem.
    fn all(&self, stack: &LargeStack) -> Result<Vec<Seen>, Problem> {
        let first = self.part(0, Stands::First)?;
        let (next, stands) = (AtomicUsize::new(1), Stands::After(first.annotations));
        let take = || self.take(&next, stands);
        let mut later = thread::scope(|scope| {
            let is_long = self.parts.len() >= MANY_PARTS;
            // Where there is no thread to be had, this one does it alone.
            let beside = is_long.then(|| stack.beside(scope, |_| take()).ok()).flatten();
            let mut later = take();
            if let Some(beside) = beside {
                later.append(&mut beside.join().unwrap_or_else(|panic| resume_unwind(panic)));
            }
            later
        });
        later.sort_unstable_by_key(|(index, _)| *index);
        [Ok(first)].into_iter().chain(later.into_iter().map(|(_, seen)| seen)).collect()
    }

    /// Takes parts, one after the other, until there are no more.
    fn take(&self, next: &AtomicUsize, stands: Stands) -> Vec<(usize, Result<Seen, Problem>)> {
        let mut taken = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= self.parts.len() {
                return taken;
            }
            let seen = self.part(index, stands);
            if seen.is_err() {
                // The others do not matter any more.
                next.store(self.parts.len(), Ordering::Relaxed);
            }
            taken.push((index, seen));
        }
    }

    fn part(&self, index: usize, stands: Stands) -> Result<Seen, Problem> {
        let part = self.parts.part(index);
        walk(part, parsed(part)?.syntax(), stands, &self.landmarks, self.sdk)
    }

    /// What is known of the whole.
    fn checked(&self, seen: Vec<Seen>) -> Result<Checked, Problem> {
        let (mut functions, mut kept_bytes, mut lines) = (Vec::new(), 0, 0);
        for (index, seen) in seen.into_iter().enumerate() {
            for (offset, mut function) in seen.functions {
                kept_bytes += function.size();
                if kept_bytes > MAX_KEPT_BYTES {
                    let message = "the workflow functions of a file say more than 1 MiB about themselves";
                    return Err(Problem::new(offset, message));
                }
                function.line += lines;
                functions.push(function);
            }
            lines += self.parts.part(index).text.bytes().filter(|byte| *byte == b'\n').count();
        }
        Ok(Checked { functions })
    }
}

fn parsed(part: Part<'_>) -> Result<Parsed<ModModule>, Problem> {
    let options = ParseOptions::from(Mode::Module).with_target_version(PythonVersion::latest_preview());
    let parsed = parse_unchecked(part.text, options);
    let problem = |place: TextSize, message| Problem::new((part.start + place).to_usize(), message);
    if let Some(error) = parsed.errors().iter().min_by_key(|error| error.location.start()) {
        return Err(problem(error.location.start(), error.error.to_string()));
    }
    parsed.try_into_module().ok_or_else(|| problem(TextSize::new(0), "the text is not a module".to_owned()))
}
