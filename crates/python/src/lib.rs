//! Python sources: whether CPython would compile them, their workflow functions, and their outline.
//!
//! * [`check`] accepts a text as CPython's `compile(source, path, "exec")` does, or says why not ([`CodeError`]).
//! * [`CheckedModule`] lists the workflow [`Function`]s of an accepted text: those with a `@workflow`, `@tool` or
//!   `@data_provider` decorator, alone or behind the [`SdkName`]. They are read from the syntax tree, never from the
//!   text: a decorator in a comment or a string is none.
//! * [`outline()`] lists the functions and classes of a module with their lines.
//! * [`LargeStack`] is the caller's promise about the thread: a check needs [`STACK_BYTES`] of stack. It may also lend a
//!   second thread, because no thread is started here.
//!
//! Everything here is pure and synchronous: no I/O, no clock.
//!
//! Code comes from anyone, so each stage assumes the worst. Before parsing, the lexer bounds the depth of the syntax tree
//! and refuses a text whose brackets do not match, whose strings do not end or whose indentation is inconsistent, and says
//! where the text may be cut between two statements. The parser says of each chunk whether it is a module; `walk` then
//! says what a tree alone cannot: whether each name, `return`, `await` and `break` is where it may be. What some Python
//! from 3.8 to the newest known one accepts is accepted.
//!
//! The text is Unicode already, so a coding cookie (`# -*- coding: latin-1 -*-`) is a comment, as it is when
//! `compile` is given text. A byte order mark at the start is skipped.
//!
//! ```
//! use std::thread;
//!
//! use interline_python::{LargeStack, STACK_BYTES, SdkName, check};
//!
//! /// Only the thread below has one.
//! struct BigThread;
//! impl LargeStack for BigThread {}
//!
//! let work = || {
//!     let source = "@workflow(name='Greet')\ndef greet(who: str = 'you'):\n    return f'Hello, {who}'\n";
//!     let checked = check(source, &SdkName::default(), &BigThread)?;
//!     let greet = &checked.functions[0];
//!     assert_eq!((greet.name.as_str(), greet.line, greet.title.as_deref()), ("greet", 2, Some("Greet")));
//!     assert_eq!(greet.parameters[0].default.as_deref(), Some("'you'"));
//!
//!     let error = check("x = 1\nreturn x\n", &SdkName::default(), &BigThread).unwrap_err();
//!     assert_eq!((error.line, error.column), (2, 1));
//!     Ok::<(), interline_python::CodeError>(())
//! };
//! thread::Builder::new().stack_size(STACK_BYTES).spawn(work)?.join().unwrap()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod blocks;
mod check;
mod context;
mod control_flow;
mod decorators;
mod definitions;
mod error;
mod expressions;
mod function;
mod lexer;
mod literals;
mod missing_comma;
mod outline;
mod scopes;
mod sdk;
mod stack;
mod unclosed;
mod walk;

pub use check::{CheckedModule, check};
pub use error::CodeError;
pub use function::{DecoratorKind, Function, Literal, Parameter, ParameterKind};
pub use outline::outline;
pub use sdk::SdkName;
pub use stack::{LargeStack, STACK_BYTES};
