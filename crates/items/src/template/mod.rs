//! Prompt templates: Jinja2, checked when it is stored and rendered within bounds.
//!
//! A [`Template`] is text that [`Template::parse`] accepted. [`check`] compares its variables with a prompt's
//! arguments; [`render()`] fills it in.
//!
//! Templates come from anyone, so each stage assumes the worst. Before parsing, `scan` bounds the size and depth of the
//! tree. After it, `reading` refuses words that do not exist. Before rendering, `hardened` puts a guard around every
//! operation whose cost depends on its operands, and `meter` adds up what they cost.

mod estimate;
mod filters;
mod functions;
mod guard;
mod hardened;
mod meter;
mod reading;
mod render;
mod scan;
mod scope;
mod slice;
#[cfg(test)]
mod tests;
mod vocabulary;
mod wordwrap;

use std::collections::BTreeSet;
use std::fmt;
use std::panic::{self, AssertUnwindSafe};

use minijinja::machinery::Span;

use crate::fields::Arguments;
use crate::threads::LargeStack;

pub(crate) use render::{RenderError, render};

/// What the engine calls the template; it is in no message.
const NAME: &str = "template";

/// A valid template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    source: String,
    undeclared: BTreeSet<String>,
}

/// Why a text is not a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TemplateError {
    /// 1-based line, where it is known.
    pub(crate) line: Option<usize>,
    /// What is wrong.
    pub(crate) detail: String,
}

impl TemplateError {
    fn at(source: &str, span: Span, detail: impl Into<String>) -> TemplateError {
        TemplateError { line: Some(line_of(source, span.start_offset as usize)), detail: detail.into() }
    }

    fn of_parser(source: &str, error: &minijinja::Error) -> TemplateError {
        TemplateError { line: line_of_error(source, error), detail: detail_of(error) }
    }
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.detail),
            None => f.write_str(&self.detail),
        }
    }
}

impl std::error::Error for TemplateError {}

fn line_of(source: &str, offset: usize) -> usize {
    let before = source.as_bytes().get(..offset).unwrap_or(source.as_bytes());
    before.iter().filter(|byte| **byte == b'\n').count() + 1
}

/// The line where the engine failed; its own numbers end at 65,535.
fn line_of_error(source: &str, error: &minijinja::Error) -> Option<usize> {
    error.range().map(|range| line_of(source, range.start)).or_else(|| error.line())
}

fn detail_of(error: &minijinja::Error) -> String {
    error.detail().map_or_else(|| error.kind().to_string(), str::to_owned)
}

/// What is said when the engine panicked.
const ENGINE_FAILED: &str = "the template engine failed on this template";

/// What the engine makes, unless it panics. It is not ours: it has panicked on templates (`loop.cycle()` divides by
/// zero), and no template may end more than its own request.
fn unless_it_panics<T>(work: impl FnOnce() -> T) -> Option<T> {
    // What a panic leaves behind belongs to the work alone.
    panic::catch_unwind(AssertUnwindSafe(work)).ok()
}

impl Template {
    /// Accepts text that is not blank and is valid Jinja2, with filters, tests and functions that exist, and that needs
    /// no other template. The time and memory that it takes are proportional to the text's length, whatever it is.
    pub(crate) fn parse(source: &str, _: &LargeStack) -> Result<Template, TemplateError> {
        if source.trim().is_empty() {
            return Err(TemplateError { line: None, detail: "the template is blank".to_owned() });
        }
        let read = || scan::scan(source).and_then(|()| reading::variables(source));
        let failed = || Err(TemplateError { line: None, detail: ENGINE_FAILED.to_owned() });
        let undeclared = unless_it_panics(read).unwrap_or_else(failed)?;
        Ok(Template { source: source.to_owned(), undeclared })
    }

    /// The variables that it takes from outside: those that it may look up without having assigned them.
    #[cfg(test)]
    fn undeclared_variables(&self) -> &BTreeSet<String> {
        &self.undeclared
    }
}

/// How a template and a prompt's arguments differ; both lists are sorted, and one of them has an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mismatch {
    /// Variables of the template that are not arguments.
    pub(crate) undefined_variables: Vec<String>,
    /// Arguments that the template does not use.
    pub(crate) unused_arguments: Vec<String>,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let undefined = self.undefined_variables.iter().map(|name| format!("`{name}` has no argument"));
        let unused = self.unused_arguments.iter().map(|name| format!("argument `{name}` is not used"));
        f.write_str(&undefined.chain(unused).collect::<Vec<_>>().join(", "))
    }
}

impl std::error::Error for Mismatch {}

/// Accepts a template whose variables are exactly the arguments.
pub(crate) fn check(template: &Template, arguments: &Arguments) -> Result<(), Mismatch> {
    let arguments: BTreeSet<&String> = arguments.as_slice().iter().map(|argument| &argument.name).collect();
    let variables: BTreeSet<&String> = template.undeclared.iter().collect();
    let beyond = |of: &BTreeSet<&String>, other| of.difference(other).map(|name| (*name).clone()).collect();
    let mismatch = Mismatch {
        undefined_variables: beyond(&variables, &arguments),
        unused_arguments: beyond(&arguments, &variables),
    };
    if mismatch.undefined_variables.is_empty() && mismatch.unused_arguments.is_empty() {
        return Ok(());
    }
    Err(mismatch)
}
