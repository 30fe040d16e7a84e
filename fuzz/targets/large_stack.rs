//! A thread with a large stack for one run, on which panics can be caught.

use std::{panic, process, thread};

/// Lets panics unwind, so that those of an engine can be caught: the fuzzer's own hook would end the process.
pub(crate) fn let_panics_unwind() {
    panic::set_hook(Box::new(|_| {}));
}

/// Does `work` on a thread with so many bytes of stack. A panic that nobody caught is a finding.
pub(crate) fn run(stack_bytes: usize, source: &str, work: impl FnOnce() + Send) {
    let builder = thread::Builder::new().stack_size(stack_bytes);
    let ended = thread::scope(|scope| builder.spawn_scoped(scope, work).unwrap().join());
    if let Err(panic) = ended {
        let message = panic.downcast_ref::<String>().map(String::as_str);
        let message = message.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("something that is no text");
        eprintln!("panicked at a law: {message}\n{source:?}");
        process::abort();
    }
}
