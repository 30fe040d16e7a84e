//! Matching a pattern in the texts of files, on the thread that reads them from the storage and on one helper thread.

use std::collections::{BTreeMap, VecDeque};
use std::mem;
use std::ops::{ControlFlow, Range};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use interline_edit::{Pattern, SearchInterrupted, SearchOptions, excerpt, search_lines};
use tokio::sync::oneshot;

use crate::fair::{Checkpoint, WorkFor};
use crate::fields::CodePath;
use crate::search::{FileReader, FileText};
use crate::threads::{ThreadError, Threads};
use crate::{Error, SpaceId, StoreError};

use super::search::LineMatch;

/// How many bytes of text are handed to the helper thread at a time, unless a single text is longer.
const BATCH_BYTES: usize = 256 * 1024;
/// How many batches wait for the helper thread; the reading thread matches further ones itself.
const MAX_WAITING: usize = 4;
/// How many matches are found between two looks at the clock, which take longer than finding a match.
const MATCHES_PER_LOOK: u32 = 64;

/// How many matches are returned, with how much context.
#[derive(Clone, Copy)]
pub(super) struct MatchLimits {
    pub(super) context_lines: usize,
    /// How many matches, from the first on.
    pub(super) limit: usize,
}

/// A search through texts that are still being read.
#[derive(Clone)]
pub(super) struct FileMatcher(Arc<SharedMatcher>);

/// The threads that may help with a search, and for whom.
pub(super) struct HelperThreads {
    pub(super) threads: Threads,
    pub(super) work_for: WorkFor,
}

struct SharedMatcher {
    helpers: HelperThreads,
    checkpoint: Checkpoint,
    pattern: Pattern,
    limits: MatchLimits,
    state: Mutex<MatcherState>,
    /// Signals that a batch waits, or that all files are read.
    changed: Condvar,
}

#[derive(Default)]
struct MatcherState {
    waiting: VecDeque<FileBatch>,
    is_all_read: bool,
    helper: HelperThread,
    /// The matches, by the number of the batch.
    matches: BTreeMap<usize, BatchMatches>,
    is_out_of_time: bool,
}

/// The helper thread.
#[derive(Default)]
enum HelperThread {
    /// There is nothing for it to do yet: a search that waits for its turn at the storage occupies no thread.
    #[default]
    NotNeeded,
    /// It is matching, and signals when it is done.
    Working(oneshot::Receiver<()>),
    /// None was free: the reading thread matches everything.
    None,
}

/// Consecutive files.
#[derive(Default)]
struct FileBatch {
    number: usize,
    bytes: usize,
    files: Vec<BatchedFile>,
}

struct BatchedFile {
    space: SpaceId,
    path: String,
    text: String,
}

#[derive(Default)]
struct BatchMatches {
    lines: Vec<LineMatch>,
    total: usize,
}

impl FileMatcher {
    /// A search, and the reader that the storage hands the files to. When the reader is dropped, all files are read.
    pub(super) fn begin(
        helpers: HelperThreads,
        pattern: Pattern,
        limits: MatchLimits,
        checkpoint: Checkpoint,
    ) -> (FileMatcher, FileReader) {
        let (state, changed) = (Mutex::default(), Condvar::new());
        let shared = SharedMatcher { helpers, checkpoint, pattern, limits, state, changed };
        let matcher = FileMatcher(Arc::new(shared));
        let mut batcher = FileBatcher { matcher: matcher.clone(), batch: FileBatch::default() };
        (matcher, Box::new(move |file| batcher.add(file)))
    }

    /// Matches waiting batches, until all files are read: what the helper thread does.
    fn match_waiting(&self) {
        while let Some(batch) = self.next_batch() {
            self.match_batch(&batch);
        }
    }

    /// The first matches, in the order of the files, and how many there are. To be called when all files are read.
    pub(super) async fn end(self) -> Result<(Vec<LineMatch>, u64), Error> {
        let helper = mem::take(&mut self.state().helper);
        if let HelperThread::Working(done) = helper {
            done.await.map_err(|_| ThreadError::Panicked)?;
        }
        if !self.state().waiting.is_empty() {
            let (matcher, HelperThreads { threads, work_for }) = (self.clone(), &self.0.helpers);
            let until = self.0.checkpoint.deadline();
            threads.run_until(*work_for, until, move |_, _| matcher.match_waiting()).await?;
        }
        let mut state = self.state();
        if state.is_out_of_time {
            return Err(StoreError::OutOfTime.into());
        }
        let batches: Vec<BatchMatches> = mem::take(&mut state.matches).into_values().collect();
        let total = batches.iter().map(|batch| batch.total as u64).sum();
        Ok((batches.into_iter().flat_map(|batch| batch.lines).take(self.0.limits.limit).collect(), total))
    }

    fn state(&self) -> MutexGuard<'_, MatcherState> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next batch; `None` when all files are read.
    fn next_batch(&self) -> Option<FileBatch> {
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

    /// Has the helper thread match a batch, if there is one and it keeps up with the reading thread.
    fn hand_over(&self, batch: FileBatch) {
        let mut state = self.state();
        if let HelperThread::NotNeeded = state.helper {
            let matcher = self.clone();
            let HelperThreads { threads, work_for } = &self.0.helpers;
            state.helper = threads
                .run_if_free(*work_for, move || matcher.match_waiting())
                .map_or(HelperThread::None, HelperThread::Working);
        }
        match state.helper {
            HelperThread::Working(_) if state.waiting.len() < MAX_WAITING => {
                state.waiting.push_back(batch);
                self.0.changed.notify_one();
            }
            HelperThread::Working(_) | HelperThread::NotNeeded | HelperThread::None => {
                drop(state);
                self.match_batch(&batch);
            }
        }
    }

    fn match_batch(&self, batch: &FileBatch) {
        let missing = {
            let state = self.state();
            let before: usize = state.matches.range(..batch.number).map(|(_, earlier)| earlier.total).sum();
            self.0.limits.limit.saturating_sub(before)
        };
        let matches = self.matches_in(batch, missing);
        let mut state = self.state();
        match matches {
            Ok(matches) => drop(state.matches.insert(batch.number, matches)),
            Err(SearchInterrupted) => state.is_out_of_time = true,
        }
    }

    /// The matches in a batch, of which at most `missing` are returned.
    fn matches_in(&self, batch: &FileBatch, missing: usize) -> Result<BatchMatches, SearchInterrupted> {
        self.0.checkpoint.check().map_err(|_| SearchInterrupted)?;
        let mut looks = 0_u32;
        let mut in_time = || {
            looks += 1;
            !looks.is_multiple_of(MATCHES_PER_LOOK) || self.0.checkpoint.check().is_ok()
        };
        let mut matches = BatchMatches::default();
        for file in &batch.files {
            let options = SearchOptions { context_lines: 0, limit: missing - matches.lines.len() };
            let in_file = search_lines(&file.text, &self.0.pattern, &options, &mut in_time)?;
            matches.total += in_file.total;
            let lines = in_file.hits.iter().map(|hit| self.line_match(file, hit.range.clone(), hit.first_line));
            matches.lines.extend(lines);
        }
        Ok(matches)
    }

    /// A line on which a match starts, with its context.
    fn line_match(&self, file: &BatchedFile, range: Range<usize>, line: usize) -> LineMatch {
        let end = file.text[range.start..].find('\n').map_or(file.text.len(), |newline| range.start + newline);
        let context_lines = self.0.limits.context_lines;
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

/// Gathers the files that are read into batches.
struct FileBatcher {
    matcher: FileMatcher,
    batch: FileBatch,
}

impl FileBatcher {
    fn add(&mut self, file: FileText<'_>) -> ControlFlow<()> {
        self.batch.bytes += file.text.len();
        let (path, text) = (file.path.to_owned(), file.text.to_owned());
        self.batch.files.push(BatchedFile { space: file.space, path, text });
        if self.batch.bytes < BATCH_BYTES {
            return ControlFlow::Continue(());
        }
        let next = FileBatch { number: self.batch.number + 1, ..FileBatch::default() };
        self.matcher.hand_over(mem::replace(&mut self.batch, next));
        if self.matcher.state().is_out_of_time { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Drop for FileBatcher {
    fn drop(&mut self) {
        // Left to the helper thread, or to `FileMatcher::end`: the thread that drops this may serve other requests.
        let mut state = self.matcher.state();
        state.is_all_read = true;
        if !self.batch.files.is_empty() {
            state.waiting.push_back(mem::take(&mut self.batch));
        }
        self.matcher.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use interline_edit::Case;
    use uuid::Uuid;

    use super::*;

    fn limits(context_lines: usize, limit: usize) -> MatchLimits {
        MatchLimits { context_lines, limit }
    }

    fn literal(text: &str) -> Pattern {
        Pattern::literal(text, Case::Sensitive).unwrap()
    }

    fn found(pattern: Pattern, limits: MatchLimits, files: &[(&str, &str)]) -> Result<(Vec<LineMatch>, u64), Error> {
        found_by(Threads::new(), pattern, limits, in_a_minute(), files)
    }

    fn in_a_minute() -> Checkpoint {
        Checkpoint::until(Instant::now() + Duration::from_secs(60))
    }

    fn found_by(
        threads: Threads,
        pattern: Pattern,
        limits: MatchLimits,
        checkpoint: Checkpoint,
        files: &[(&str, &str)],
    ) -> Result<(Vec<LineMatch>, u64), Error> {
        ended(read_by(threads, pattern, limits, checkpoint, files))
    }

    fn read_by(
        threads: Threads,
        pattern: Pattern,
        limits: MatchLimits,
        checkpoint: Checkpoint,
        files: &[(&str, &str)],
    ) -> FileMatcher {
        let helpers = HelperThreads { threads, work_for: WorkFor::Server };
        let (matcher, mut reader) = FileMatcher::begin(helpers, pattern, limits, checkpoint);
        let space = SpaceId::from_uuid(Uuid::nil());
        for (path, text) in files {
            if reader(FileText { space, path, text }).is_break() {
                break;
            }
        }
        matcher
    }

    fn ended(matcher: FileMatcher) -> Result<(Vec<LineMatch>, u64), Error> {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(matcher.end())
    }

    #[test]
    fn lines_come_with_those_around_them() {
        let text = "one\ntwo needle needle\r\nthree\n\nneedle";
        let (matches, total) = found(literal("needle"), limits(2, 10), &[("a", "hay"), ("b", text)]).unwrap();
        assert_eq!(total, 2);
        let lines: Vec<_> =
            matches.iter().map(|found| (found.path.as_str(), found.line, found.text.as_str())).collect();
        assert_eq!(lines, [("b", 2, "two needle needle"), ("b", 5, "needle")]);
        assert_eq!(
            (&matches[0].before[..], &matches[0].after[..]),
            (&["one".to_owned()][..], &["three".to_owned(), String::new()][..])
        );
        assert_eq!((&matches[1].before[..], matches[1].after.len()), (&["three".to_owned(), String::new()][..], 0));
    }

    #[test]
    fn a_match_across_lines_is_returned_by_its_first() {
        let pattern = Pattern::regex(r"b\nc", Case::Sensitive).unwrap();
        let (matches, total) = found(pattern, limits(1, 10), &[("a", "a\nb\nc\nd")]).unwrap();
        assert_eq!((total, matches[0].line, matches[0].text.as_str()), (1, 2, "b"));
        assert_eq!((&matches[0].before[..], &matches[0].after[..]), (&["a".to_owned()][..], &["c".to_owned()][..]));
    }

    #[test]
    fn of_many_files_the_first_matches_are_returned_and_all_counted() {
        let text = format!("x\n{}\nx x", "-".repeat(BATCH_BYTES / 3));
        let paths: Vec<String> = (0..200).map(|number| format!("{number:03}")).collect();
        let files: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), text.as_str())).collect();
        for limit in [1, 7, 400, 1_000] {
            let with_helper = read_by(Threads::new(), literal("x"), limits(0, limit), in_a_minute(), &files);
            let (busy, permit) = Threads::busy();
            let without_helper = read_by(busy, literal("x"), limits(0, limit), in_a_minute(), &files);
            drop(permit);
            for matcher in [with_helper, without_helper] {
                let (matches, total) = ended(matcher).unwrap();
                assert_eq!((matches.len(), total), (limit.min(400), 400));
                for (index, found) in matches.iter().enumerate() {
                    let line = if index % 2 == 0 { 1 } else { 3 };
                    assert_eq!((found.path.as_str(), found.line), (paths[index / 2].as_str(), line));
                }
            }
        }
    }

    #[test]
    fn a_search_that_gets_no_thread_in_time_is_refused_as_overloaded() {
        let (busy, _permit) = Threads::busy();
        let soon = Checkpoint::until(Instant::now() + Duration::from_millis(50));
        let found = found_by(busy, literal("x"), limits(0, 1), soon, &[("a", "x")]);
        assert!(matches!(found, Err(Error::Overloaded(_))), "{found:?}");
    }

    #[test]
    fn a_search_that_takes_too_long_ends() {
        let text = "ab\n".repeat(BATCH_BYTES);
        let files = [("a", text.as_str()); 20];
        for pattern in [literal("a"), Pattern::regex(".*[^A-Z]|[A-Z]", Case::Sensitive).unwrap()] {
            let late = Checkpoint::until(Instant::now());
            assert!(found_by(Threads::new(), pattern, limits(0, 1), late, &files).is_err());
        }
    }

    #[test]
    fn no_file_has_no_match() {
        assert_eq!(found(literal("x"), limits(3, 20), &[]).unwrap(), (Vec::new(), 0));
    }
}
