//! Looking through the texts of files, on the thread that reads them and on one more.

use std::collections::{BTreeMap, VecDeque};
use std::mem;
use std::ops::{ControlFlow, Range};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use interline_edit::{Pattern, SearchInterrupted, SearchOptions, excerpt, search_lines};
use tokio::sync::oneshot;

use crate::fields::CodePath;
use crate::search::{FileReader, FileText};
use crate::threads::{ThreadError, Threads};
use crate::{Error, SpaceId, StoreError};

use super::search::LineMatch;

/// Texts that are handed to the other thread at a time, unless a single one is longer.
const BATCH_BYTES: usize = 256 * 1024;
/// Batches that wait for it; the thread that reads looks through further ones itself.
const MAX_WAITING: usize = 4;
/// How often matches are found before the time is looked at: it takes longer than finding one.
const MATCHES_PER_LOOK: u32 = 64;

/// What is told of what is found.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub(super) context_lines: usize,
    /// How many matches, from the first on.
    pub(super) limit: usize,
    pub(super) until: Instant,
}

/// A search through texts that are still being read.
#[derive(Clone)]
pub(super) struct Matching(Arc<Shared>);

struct Shared {
    threads: Threads,
    pattern: Pattern,
    wanted: Wanted,
    state: Mutex<State>,
    /// Something waits, or nothing more will.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Batch>,
    is_all_read: bool,
    helper: Helper,
    /// What was found, by the number of the batch.
    found: BTreeMap<usize, Found>,
    is_out_of_time: bool,
}

/// The other thread.
#[derive(Default)]
enum Helper {
    /// There is nothing for it to do yet: a search that waits for its turn at the store keeps nobody from theirs.
    #[default]
    NotNeeded,
    /// It is at work, and will tell when it is done.
    Working(oneshot::Receiver<()>),
    /// None was free: the thread that reads does all of it.
    None,
}

/// Files that follow each other.
#[derive(Default)]
struct Batch {
    number: usize,
    bytes: usize,
    files: Vec<File>,
}

struct File {
    space: SpaceId,
    path: String,
    text: String,
}

#[derive(Default)]
struct Found {
    hits: Vec<LineMatch>,
    total: usize,
}

impl Matching {
    /// A search, and what the files are to be given to. It is all read when that is dropped.
    pub(super) fn begin(threads: Threads, pattern: Pattern, wanted: Wanted) -> (Matching, FileReader) {
        let shared = Shared { threads, pattern, wanted, state: Mutex::default(), changed: Condvar::new() };
        let matching = Matching(Arc::new(shared));
        let mut reading = Reading { matching: matching.clone(), batch: Batch::default() };
        (matching, Box::new(move |file| reading.take(file)))
    }

    /// Looks through what is read, until all is.
    fn help(&self) {
        while let Some(batch) = self.next() {
            self.look_through(&batch);
        }
    }

    /// The first matches, in the order of the files, and how many there are. All is read.
    pub(super) async fn end(self) -> Result<(Vec<LineMatch>, u64), Error> {
        let helper = mem::take(&mut self.state().helper);
        if let Helper::Working(done) = helper {
            done.await.map_err(|_| ThreadError::Panicked)?;
        }
        let mut state = self.state();
        if state.is_out_of_time {
            return Err(StoreError::OutOfTime.into());
        }
        let found: Vec<Found> = mem::take(&mut state.found).into_values().collect();
        let total = found.iter().map(|found| found.total as u64).sum();
        Ok((found.into_iter().flat_map(|found| found.hits).take(self.0.wanted.limit).collect(), total))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next batch, when there is one; `None` when there will be none.
    fn next(&self) -> Option<Batch> {
        let mut state = self.state();
        loop {
            if let Some(batch) = state.waiting.pop_front() {
                return Some(batch);
            }
            if state.is_all_read {
                return None;
            }
            state = self.0.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Has the other thread look through a batch, if there is one and it keeps up with the reading.
    fn hand_over(&self, batch: Batch) {
        let mut state = self.state();
        if let Helper::NotNeeded = state.helper {
            let matching = self.clone();
            state.helper = self.0.threads.run_if_free(move || matching.help()).map_or(Helper::None, Helper::Working);
        }
        match state.helper {
            Helper::Working(_) if state.waiting.len() < MAX_WAITING => {
                state.waiting.push_back(batch);
                self.0.changed.notify_one();
            }
            Helper::Working(_) | Helper::NotNeeded | Helper::None => {
                drop(state);
                self.look_through(&batch);
            }
        }
    }

    fn look_through(&self, batch: &Batch) {
        let missing = {
            let state = self.state();
            let before: usize = state.found.range(..batch.number).map(|(_, found)| found.total).sum();
            self.0.wanted.limit.saturating_sub(before)
        };
        let found = self.found_in(batch, missing);
        let mut state = self.state();
        match found {
            Ok(found) => drop(state.found.insert(batch.number, found)),
            Err(SearchInterrupted) => state.is_out_of_time = true,
        }
    }

    /// What is in a batch, of which at most so many matches are told.
    fn found_in(&self, batch: &Batch, missing: usize) -> Result<Found, SearchInterrupted> {
        let mut looks = 0_u32;
        let until = self.0.wanted.until;
        let mut in_time = || {
            looks += 1;
            !looks.is_multiple_of(MATCHES_PER_LOOK) || Instant::now() < until
        };
        let mut found = Found::default();
        for file in &batch.files {
            let options = SearchOptions { context_lines: 0, limit: missing - found.hits.len() };
            let in_file = search_lines(&file.text, &self.0.pattern, &options, &mut in_time)?;
            found.total += in_file.total;
            let hits = in_file.hits.iter().map(|hit| self.hit(file, hit.range.clone(), hit.first_line));
            found.hits.extend(hits);
        }
        Ok(found)
    }

    /// What is told of a line on which a match starts.
    fn hit(&self, file: &File, range: Range<usize>, line: usize) -> LineMatch {
        let end = file.text[range.start..].find('\n').map_or(file.text.len(), |newline| range.start + newline);
        let context_lines = self.0.wanted.context_lines;
        let shown = excerpt(&file.text, &(range.start..range.end.min(end)), context_lines);
        let mut lines = shown.split('\n').map(str::to_owned);
        let before = lines.by_ref().take(context_lines.min(line - 1)).collect();
        let text = lines.next().unwrap_or_default();
        LineMatch {
            space: file.space,
            path: CodePath::from_stored(file.path.clone()),
            line,
            text,
            before,
            after: lines.collect(),
        }
    }
}

/// Gathers what is read.
struct Reading {
    matching: Matching,
    batch: Batch,
}

impl Reading {
    fn take(&mut self, file: FileText<'_>) -> ControlFlow<()> {
        self.batch.bytes += file.text.len();
        let (path, text) = (file.path.to_owned(), file.text.to_owned());
        self.batch.files.push(File { space: file.space, path, text });
        if self.batch.bytes < BATCH_BYTES {
            return ControlFlow::Continue(());
        }
        let next = Batch { number: self.batch.number + 1, ..Batch::default() };
        self.matching.hand_over(mem::replace(&mut self.batch, next));
        if self.matching.state().is_out_of_time { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        // Not here, if it can be helped: whoever drops this may serve others too.
        if !self.batch.files.is_empty() {
            self.matching.hand_over(mem::take(&mut self.batch));
        }
        self.matching.state().is_all_read = true;
        self.matching.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use interline_edit::Case;
    use uuid::Uuid;

    use super::*;

    fn wanted(context_lines: usize, limit: usize) -> Wanted {
        Wanted { context_lines, limit, until: Instant::now() + Duration::from_secs(60) }
    }

    fn literal(text: &str) -> Pattern {
        Pattern::literal(text, Case::Sensitive).unwrap()
    }

    fn found(pattern: Pattern, wanted: Wanted, files: &[(&str, &str)]) -> Result<(Vec<LineMatch>, u64), Error> {
        found_by(Threads::one_per_core(), pattern, wanted, files)
    }

    fn found_by(
        threads: Threads,
        pattern: Pattern,
        wanted: Wanted,
        files: &[(&str, &str)],
    ) -> Result<(Vec<LineMatch>, u64), Error> {
        let (matching, mut reader) = Matching::begin(threads, pattern, wanted);
        let space = SpaceId::from_uuid(Uuid::nil());
        for (path, text) in files {
            if reader(FileText { space, path, text }).is_break() {
                break;
            }
        }
        drop(reader);
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(matching.end())
    }

    #[test]
    fn lines_come_with_those_around_them() {
        let text = "one\ntwo needle needle\r\nthree\n\nneedle";
        let (matches, total) = found(literal("needle"), wanted(2, 10), &[("a", "hay"), ("b", text)]).unwrap();
        assert_eq!(total, 2);
        let told: Vec<_> = matches.iter().map(|found| (found.path.as_str(), found.line, found.text.as_str())).collect();
        assert_eq!(told, [("b", 2, "two needle needle"), ("b", 5, "needle")]);
        assert_eq!(
            (&matches[0].before[..], &matches[0].after[..]),
            (&["one".to_owned()][..], &["three".to_owned(), String::new()][..])
        );
        assert_eq!((&matches[1].before[..], matches[1].after.len()), (&["three".to_owned(), String::new()][..], 0));
    }

    #[test]
    fn a_match_across_lines_is_told_by_its_first() {
        let pattern = Pattern::regex(r"b\nc", Case::Sensitive).unwrap();
        let (matches, total) = found(pattern, wanted(1, 10), &[("a", "a\nb\nc\nd")]).unwrap();
        assert_eq!((total, matches[0].line, matches[0].text.as_str()), (1, 2, "b"));
        assert_eq!((&matches[0].before[..], &matches[0].after[..]), (&["a".to_owned()][..], &["c".to_owned()][..]));
    }

    #[test]
    fn of_many_files_the_first_matches_are_told_and_all_counted() {
        let text = format!("x\n{}\nx x", "-".repeat(BATCH_BYTES / 3));
        let paths: Vec<String> = (0..200).map(|number| format!("{number:03}")).collect();
        let files: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), text.as_str())).collect();
        // With a helper, and with none free.
        for (limit, threads) in [1, 7, 400, 1_000].into_iter().flat_map(|limit| [(limit, 2), (limit, 0)]) {
            let (matches, total) = found_by(Threads::new(threads), literal("x"), wanted(0, limit), &files).unwrap();
            assert_eq!((matches.len(), total), (limit.min(400), 400));
            for (place, found) in matches.iter().enumerate() {
                let line = if place % 2 == 0 { 1 } else { 3 };
                assert_eq!((found.path.as_str(), found.line), (paths[place / 2].as_str(), line));
            }
        }
    }

    #[test]
    fn a_search_that_takes_too_long_ends() {
        let text = "ab\n".repeat(BATCH_BYTES);
        let late = Wanted { until: Instant::now(), ..wanted(0, 1) };
        let files = [("a", text.as_str()); 20];
        assert!(found(literal("a"), late, &files).is_err());
        assert!(found(Pattern::regex(".*[^A-Z]|[A-Z]", Case::Sensitive).unwrap(), late, &files).is_err());
    }

    #[test]
    fn no_file_has_no_match() {
        assert_eq!(found(literal("x"), wanted(3, 20), &[]).unwrap(), (Vec::new(), 0));
    }
}
