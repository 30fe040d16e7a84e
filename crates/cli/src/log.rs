//! The log on stderr. Lines are queued, and a thread of their own writes them: no request and no worker waits for stderr or
//! fails with it. A line that cannot be written, or for which the queue has no room, is dropped and counted.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::collections::VecDeque;
use std::io::{self, IsTerminal as _, Write};
use std::os::fd::AsFd as _;
use std::panic::{self, PanicHookInfo};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{fs, thread};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

use crate::environment::Environment;
use crate::output::OutputFormat;

/// How many bytes wait to be written at the most.
const MAX_QUEUED_BYTES: usize = 1024 * 1024;
/// How long the end of the program waits for the last lines: whoever reads stderr may have stopped.
const FLUSH_TIME: Duration = Duration::from_secs(1);

/// The MCP SDK, whose log is about its own insides.
const SDK: &str = "rmcp";

/// Logs to stderr from now on, panics included, until the returned value is dropped, which writes what is still queued.
#[must_use = "the log ends when this is dropped"]
pub(crate) fn start(filter: EnvFilter, format: OutputFormat, environment: &Environment) -> RunningLog {
    let log = RunningLog::start(own_stderr());
    let writer = QueueWriter(Arc::clone(&log.0));
    let lines = tracing_subscriber::fmt()
        .with_env_filter(without_sdk(filter))
        .with_writer(writer)
        .log_internal_errors(false)
        .with_ansi(has_colors(io::stderr().is_terminal(), environment));
    match format {
        OutputFormat::Json => lines.json().init(),
        OutputFormat::Text => lines.init(),
    }
    // The standard hook writes to stderr itself, and waits for as long as nobody reads there.
    panic::set_hook(Box::new(log_panic));
    log
}

/// The filter without the lines of the MCP SDK, unless it names the SDK.
fn without_sdk(filter: EnvFilter) -> EnvFilter {
    match format!("{SDK}=off").parse() {
        Ok(off) if !filter.to_string().contains(SDK) => filter.add_directive(off),
        Ok(_) | Err(_) => filter,
    }
}

/// Whether lines have colors: for people who have not switched them off (<https://no-color.org>).
fn has_colors(is_terminal: bool, environment: &Environment) -> bool {
    is_terminal && environment.get("NO_COLOR").is_none()
}

/// stderr without the lock that the standard library puts around it: a write that hangs must hold up nobody else.
fn own_stderr() -> Box<dyn Write + Send> {
    match io::stderr().as_fd().try_clone_to_owned() {
        Ok(descriptor) => Box::new(fs::File::from(descriptor)),
        Err(_) => Box::new(io::stderr()),
    }
}

fn log_panic(panic: &PanicHookInfo<'_>) {
    let message = panic.payload_as_str().unwrap_or("no message");
    let location = panic.location().map(ToString::to_string).unwrap_or_default();
    let name = thread::current().name().unwrap_or("unnamed").to_owned();
    let backtrace = Backtrace::capture();
    match backtrace.status() {
        BacktraceStatus::Captured => tracing::error!(thread = name, location, %backtrace, "panicked: {message}"),
        _ => tracing::error!(thread = name, location, "panicked: {message}"),
    }
}

/// The log, as long as it is written. Dropping it waits a moment for the lines that are queued.
pub(crate) struct RunningLog(Arc<LogQueue>);

/// Lines that wait to be written.
#[derive(Default)]
struct LogQueue {
    state: Mutex<QueueState>,
    changed: Condvar,
}

#[derive(Default)]
struct QueueState {
    lines: VecDeque<Vec<u8>>,
    /// The sum of the lengths of `lines`.
    bytes: usize,
    stage: Stage,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Open,
    /// No line is queued any more; the thread writes those that are, and ends.
    Closing,
    /// The thread has ended.
    Written,
}

impl RunningLog {
    fn start(output: Box<dyn Write + Send>) -> RunningLog {
        let queue = Arc::new(LogQueue::default());
        let written = Arc::clone(&queue);
        // Without a thread the queue fills, and its lines are dropped: a program without a log goes on.
        let thread = thread::Builder::new().name("log".to_owned()).spawn(move || written.write_all(output));
        if thread.is_err() {
            queue.state().stage = Stage::Written;
        }
        RunningLog(queue)
    }
}

impl Drop for RunningLog {
    fn drop(&mut self) {
        let mut state = self.0.state();
        if state.stage == Stage::Open {
            state.stage = Stage::Closing;
        }
        self.0.changed.notify_all();
        let closing = |state: &mut QueueState| state.stage == Stage::Closing;
        let _ = self.0.changed.wait_timeout_while(state, FLUSH_TIME, closing);
    }
}

impl LogQueue {
    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a line, or drops it if there is no room.
    fn push(&self, line: &[u8]) {
        let mut state = self.state();
        if state.stage != Stage::Open || state.bytes + line.len() > MAX_QUEUED_BYTES {
            drop(state);
            return count_lost("queue full");
        }
        state.bytes += line.len();
        state.lines.push_back(line.to_owned());
        self.changed.notify_all();
    }

    /// Writes lines until the queue is closed and empty.
    fn write_all(&self, mut output: Box<dyn Write + Send>) {
        while let Some(line) = self.next() {
            // A disk that is full may have room for the next line.
            if output.write_all(&line).is_err() {
                count_lost("write failed");
            }
        }
        self.state().stage = Stage::Written;
        self.changed.notify_all();
    }

    /// Waits for a line; `None` when there will be no more.
    fn next(&self) -> Option<Vec<u8>> {
        let waiting = |state: &mut QueueState| state.lines.is_empty() && state.stage == Stage::Open;
        let mut state = self.changed.wait_while(self.state(), waiting).unwrap_or_else(PoisonError::into_inner);
        let line = state.lines.pop_front()?;
        state.bytes -= line.len();
        Some(line)
    }
}

fn count_lost(reason: &'static str) {
    metrics::counter!("interline_log_lines_lost_total", "reason" => reason).increment(1);
}

/// Queues each line that the subscriber writes. It never fails.
struct QueueWriter(Arc<LogQueue>);

/// The writer of one line, which the subscriber writes at once.
struct LineWriter<'a>(&'a LogQueue);

impl<'a> MakeWriter<'a> for QueueWriter {
    type Writer = LineWriter<'a>;

    fn make_writer(&'a self) -> LineWriter<'a> {
        LineWriter(&self.0)
    }
}

impl Write for LineWriter<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.push(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    /// Waits for a permission before each write, and sends what was written.
    struct Gate {
        permissions: Receiver<io::Result<()>>,
        written: Sender<String>,
    }

    impl Write for Gate {
        fn write(&mut self, line: &[u8]) -> io::Result<usize> {
            self.permissions.recv().unwrap_or_else(|_| Err(io::ErrorKind::BrokenPipe.into()))?;
            let _ = self.written.send(String::from_utf8_lossy(line).into_owned());
            Ok(line.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn log() -> (RunningLog, Sender<io::Result<()>>, Receiver<String>) {
        let ((permit, permissions), (written, lines)) = (channel(), channel());
        (RunningLog::start(Box::new(Gate { permissions, written })), permit, lines)
    }

    #[test]
    fn colors_are_for_terminals_whose_user_wants_them() {
        let plain = Environment::from([("NO_COLOR", "")]);
        assert!(has_colors(true, &plain), "an empty variable is none");
        assert!(!has_colors(false, &plain));
        assert!(!has_colors(true, &Environment::from([("NO_COLOR", "1")])));
    }

    #[test]
    fn the_sdk_is_logged_only_for_who_names_it() {
        let filter = |text: &str| without_sdk(EnvFilter::new(text)).to_string();
        assert_eq!(filter("info"), "rmcp=off,info");
        assert_eq!(filter("warn,rmcp=debug"), "rmcp=debug,warn");
    }

    #[test]
    fn lines_are_written_in_order_and_the_last_ones_at_the_end() {
        let (log, permit, lines) = log();
        let mut writer = LineWriter(&log.0);
        for line in ["a\n", "b\n", "c\n"] {
            writer.write_all(line.as_bytes()).expect("it never fails");
            permit.send(Ok(())).expect("the thread writes");
        }
        drop(log);
        assert_eq!(lines.iter().collect::<Vec<_>>(), ["a\n", "b\n", "c\n"]);
    }

    #[test]
    fn nobody_waits_for_a_stderr_that_hangs_and_the_queue_is_bounded() {
        let (log, permit, lines) = log();
        let long = vec![b'x'; MAX_QUEUED_BYTES / 8];
        for _ in 0..100 {
            log.0.push(&long);
        }
        assert!(log.0.state().bytes <= MAX_QUEUED_BYTES);
        // The end waits for a moment and no longer.
        drop(log);
        drop(permit);
        assert_eq!(lines.iter().count(), 0);
    }

    #[test]
    fn a_line_that_cannot_be_written_takes_no_other_with_it() {
        let (log, permit, lines) = log();
        for (line, outcome) in [("a\n", Ok(())), ("b\n", Err(io::ErrorKind::StorageFull.into())), ("c\n", Ok(()))] {
            log.0.push(line.as_bytes());
            permit.send(outcome).expect("the thread writes");
        }
        drop(log);
        assert_eq!(lines.iter().collect::<Vec<_>>(), ["a\n", "c\n"]);
    }
}
