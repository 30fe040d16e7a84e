//! Code as a checked thing: whether a text is Python, and what its workflow functions are.
//!
//! [`check_blocking`] says both. It reads the syntax tree, never the text: a decorator in a comment or a string is none.

mod function;
mod mismatch;
mod python;
mod sdk;

pub use function::{DecoratorKind, Function, Literal, Parameter, ParameterKind};
pub use mismatch::KindMismatch;
pub(crate) use python::check;
pub use python::{Checked, CodeError, check_blocking};
pub use sdk::SdkName;
