//! The stack that a check needs, and the second thread that a caller may lend it.

/// Bytes of stack that any code that passes the lexer fits on. It is address space, not memory: pages are taken when they
/// are touched. The deepest tree needs a fraction of it, in builds without optimisation too.
pub const STACK_BYTES: usize = 64 * 1024 * 1024;

/// Proof that the code that holds it runs on a thread with at least [`STACK_BYTES`] of stack.
///
/// Whatever walks a syntax tree takes a stack frame for each level, and an overflow would end the process. Whoever
/// implements this promises that a value of the type is only to be had on such a thread.
pub trait LargeStack {
    /// Runs `work` on this thread and, where another thread with as large a stack can be had, on that one at the same
    /// time. Returns the result of this thread, and that of the other if there was one; a panic on the other goes on here.
    ///
    /// A long module is checked by two threads that take its chunks from one queue, so `work` is whole with either number
    /// of threads. Unless implemented, there is no other.
    fn on_two_threads<T: Send>(&self, work: impl Fn() -> T + Sync) -> (T, Option<T>) {
        (work(), None)
    }
}
