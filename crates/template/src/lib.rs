//! Jinja2 templates: checked, their variables, rendered within bounds.
//!
//! * A [`Template`] is text that [`Template::parse`] accepted: valid Jinja2, with filters, tests and functions that exist.
//! * [`Template::undeclared_variables`] are the variables that it takes from outside;
//!   [`Template::check_arguments`] compares them with the arguments that a prompt declares.
//! * [`render()`] renders a template with JSON values for its [`Argument`]s.
//! * [`LargeStack`] is the caller's promise about the thread: parsing and rendering need [`STACK_BYTES`] of stack.
//!
//! Everything here is pure and synchronous: nothing is loaded, read or called outside of the template, and no thread is
//! started.
//!
//! Templates come from anyone, so each stage assumes the worst. Before parsing, `token_limits` bounds the size and depth
//! of the syntax tree. After it, `variables` refuses filters, tests and functions that do not exist. Before rendering,
//! `instrument` puts a metered call around every operation whose cost depends on its operands, and `meter` adds up what
//! they cost.
//!
//! ```
//! use std::collections::BTreeMap;
//! use std::thread;
//!
//! use interline_template::{Argument, LargeStack, STACK_BYTES, Template, render};
//!
//! /// Only the thread below has one.
//! struct BigThread;
//! impl LargeStack for BigThread {}
//!
//! let work = || {
//!     let source = "Review this {{ language|title }} code:\n{{ code }}";
//!     let template = Template::parse(source, &BigThread)?;
//!     assert!(template.undeclared_variables().iter().eq(["code", "language"]));
//!     let mismatch = template.check_arguments(["code"]).unwrap_err();
//!     assert_eq!(mismatch.undefined_variables, ["language"]);
//!
//!     let arguments = ["code", "language"].map(|name| Argument { name, required: true });
//!     let values = [("code", "x = 1"), ("language", "python")];
//!     let values: BTreeMap<_, _> = values.map(|(name, value)| (name.to_owned(), value.into())).into();
//!     let text = render(source, &arguments, &values, &BigThread)?;
//!     assert_eq!(text, "Review this Python code:\nx = 1");
//!     Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
//! };
//! thread::Builder::new().stack_size(STACK_BYTES).spawn(work)?.join().unwrap()?;
//! # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
//! ```

mod environment;
mod estimate;
mod filters;
mod functions;
mod instrument;
mod meter;
mod metered;
mod metered_text;
mod methods;
mod operators;
mod python;
mod render;
mod scope;
mod slice;
mod stack;
mod template;
mod token_limits;
mod variables;

pub use render::{Argument, RenderError, render};
pub use stack::{LargeStack, STACK_BYTES};
pub use template::{ArgumentMismatch, Template, TemplateError};
