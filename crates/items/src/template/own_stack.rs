//! A stack that is large enough for any tree that the scan lets pass.

use std::io;
use std::thread;

/// Address space, not memory: pages are taken when they are touched. The deepest tree that passes the scan needs a
/// fraction of it, in builds without optimisation too.
const STACK_BYTES: usize = 64 * 1024 * 1024;

/// Why there is no result.
#[derive(Debug)]
pub(super) enum Lost {
    /// The system gave no thread.
    NoThread(io::Error),
    /// The work panicked.
    Panicked,
}

/// Runs `work` on a thread of its own and waits for it, so that neither its depth nor a panic reaches the caller.
///
/// The engine is not ours: it has panicked on templates (`loop.cycle()` divides by zero), and no template may end more
/// than its own request.
pub(super) fn on_own_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Lost> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("template".to_owned()).stack_size(STACK_BYTES);
        let thread = thread.spawn_scoped(scope, work).map_err(Lost::NoThread)?;
        thread.join().map_err(|_| Lost::Panicked)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_back_and_panics_do_not() {
        let borrowed = [1, 2, 3];
        assert_eq!(on_own_stack(|| borrowed.iter().sum::<i32>()).unwrap(), 6);
        assert!(matches!(on_own_stack(|| panic!("lost")), Err::<(), _>(Lost::Panicked)));
    }
}
