//! The stack that parsing and rendering need.

/// Bytes of stack that any template that passes the token limits fits on. It is address space, not memory: pages are
/// taken when they are touched. The deepest template needs a fraction of it, in builds without optimisation too.
pub const STACK_BYTES: usize = 64 * 1024 * 1024;

/// Proof that the code that holds it runs on a thread with at least [`STACK_BYTES`] of stack.
///
/// A template is a tree, and whatever walks the tree takes a stack frame for each level. An overflow would end the
/// process. Whoever implements this promises that a value of the type is only to be had on such a thread.
pub trait LargeStack {}
