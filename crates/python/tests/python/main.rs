//! Python as it is judged, beside CPython's own verdict; workflow decorators; hostile code.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed test is a panic")]

mod bounds;
mod broken;
mod chunks;
mod corpus;
mod cpython;
mod decorators;
mod metadata;
mod outline;
mod positions;
mod table;

use std::panic::resume_unwind;
use std::thread;

use interline_python::{CheckedModule, CodeError, LargeStack, STACK_BYTES, SdkName};

fn check(source: &str) -> Result<CheckedModule, CodeError> {
    check_with_sdk(source, &SdkName::default())
}

fn check_with_sdk(source: &str, sdk: &SdkName) -> Result<CheckedModule, CodeError> {
    on_large_stack(|stack| interline_python::check(source, sdk, stack))
}

fn on_large_stack<T: Send>(work: impl FnOnce(&TestThread) -> T + Send) -> T {
    thread::scope(|scope| builder().spawn_scoped(scope, || work(&TestThread)).unwrap().join().unwrap())
}

/// A thread of [`on_large_stack`].
struct TestThread;

impl LargeStack for TestThread {
    fn on_two_threads<T: Send>(&self, work: impl Fn() -> T + Sync) -> (T, Option<T>) {
        thread::scope(|scope| {
            let other = builder().spawn_scoped(scope, &work).unwrap();
            (work(), Some(other.join().unwrap_or_else(|panic| resume_unwind(panic))))
        })
    }
}

fn builder() -> thread::Builder {
    thread::Builder::new().stack_size(STACK_BYTES)
}
