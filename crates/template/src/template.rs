//! A valid template, why a text is none, and how its variables differ from a prompt's arguments.

use std::collections::BTreeSet;
use std::fmt;
use std::panic::{self, AssertUnwindSafe};

use minijinja::machinery::Span;

use crate::stack::LargeStack;
use crate::token_limits::check_limits;
use crate::variables::undeclared_variables;

/// What the engine calls the template; it is in no message.
pub(crate) const NAME: &str = "template";

/// A valid template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    pub(crate) source: String,
    undeclared: BTreeSet<String>,
}

/// Why a text is not a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateError {
    /// 1-based line, where it is known.
    pub line: Option<usize>,
    /// What is wrong.
    pub detail: String,
}

impl TemplateError {
    pub(crate) fn at(source: &str, span: Span, detail: impl Into<String>) -> TemplateError {
        TemplateError { line: Some(line_of(source, span.start_offset as usize)), detail: detail.into() }
    }

    pub(crate) fn from_engine(source: &str, error: &minijinja::Error) -> TemplateError {
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
pub(crate) fn line_of_error(source: &str, error: &minijinja::Error) -> Option<usize> {
    error.range().map(|range| line_of(source, range.start)).or_else(|| error.line())
}

pub(crate) fn detail_of(error: &minijinja::Error) -> String {
    error.detail().map_or_else(|| error.kind().to_string(), str::to_owned)
}

/// The detail of the error when the engine panicked.
pub(crate) const ENGINE_FAILED: &str = "the template engine failed on this template";

/// What the engine makes, unless it panics. It is not ours: it has panicked on templates (`loop.cycle()` divides by
/// zero), and no template may end more than its own request.
pub(crate) fn catch_panic<T>(work: impl FnOnce() -> T) -> Option<T> {
    // What a panic leaves behind belongs to the work alone.
    panic::catch_unwind(AssertUnwindSafe(work)).ok()
}

impl Template {
    /// Accepts text that is not blank and is valid Jinja2, with filters, tests and functions that exist, and that needs
    /// no other template. The time and memory that it takes are proportional to the text's length, whatever it is.
    pub fn parse(source: &str, _: &impl LargeStack) -> Result<Template, TemplateError> {
        if source.trim().is_empty() {
            return Err(TemplateError { line: None, detail: "the template is blank".to_owned() });
        }
        let parse = || check_limits(source).and_then(|()| undeclared_variables(source));
        let failed = || Err(TemplateError { line: None, detail: ENGINE_FAILED.to_owned() });
        let undeclared = catch_panic(parse).unwrap_or_else(failed)?;
        Ok(Template { source: source.to_owned(), undeclared })
    }

    /// The variables that it takes from outside: those that it may look up without having assigned them.
    pub fn undeclared_variables(&self) -> &BTreeSet<String> {
        &self.undeclared
    }

    /// Accepts a template whose undeclared variables are exactly the arguments with these names.
    pub fn check_arguments<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<(), ArgumentMismatch> {
        let arguments: BTreeSet<&str> = names.into_iter().collect();
        let variables: BTreeSet<&str> = self.undeclared.iter().map(String::as_str).collect();
        let beyond = |of: &BTreeSet<&str>, other| of.difference(other).map(|name| (*name).to_owned()).collect();
        let mismatch = ArgumentMismatch {
            undefined_variables: beyond(&variables, &arguments),
            unused_arguments: beyond(&arguments, &variables),
        };
        if mismatch.undefined_variables.is_empty() && mismatch.unused_arguments.is_empty() {
            return Ok(());
        }
        Err(mismatch)
    }
}

/// How the variables of a template and a prompt's arguments differ; both lists are sorted, and one of them has an
/// element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentMismatch {
    /// Variables of the template that are not arguments.
    pub undefined_variables: Vec<String>,
    /// Arguments that the template does not use.
    pub unused_arguments: Vec<String>,
}

impl fmt::Display for ArgumentMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let undefined = self.undefined_variables.iter().map(|name| format!("`{name}` has no argument"));
        let unused = self.unused_arguments.iter().map(|name| format!("argument `{name}` is not used"));
        f.write_str(&undefined.chain(unused).collect::<Vec<_>>().join(", "))
    }
}

impl std::error::Error for ArgumentMismatch {}
