//! Code as a checked thing: what its workflow functions are.

mod function;

pub use function::{DecoratorKind, Function, Literal, Parameter, ParameterKind};
