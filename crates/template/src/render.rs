//! Rendering: a template and values become a text, within bounds.

use std::collections::BTreeMap;
use std::fmt;

use minijinja::machinery::{CodeGenerator, eval, make_string_output, parse};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Error, ErrorKind, Value};

use crate::environment::{ENVIRONMENT, quiet_undefined};
use crate::instrument::instrumented;
use crate::stack::LargeStack;
use crate::template::{ENGINE_FAILED, NAME, Template, TemplateError, catch_panic, detail_of, line_of_error};

/// An argument that a template is rendered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument<'a> {
    /// The name of the variable in the template.
    pub name: &'a str,
    /// Whether rendering needs a value for it.
    pub required: bool,
}

/// Why a template was not rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RenderError {
    /// The values do not fit the arguments; both lists are sorted, and one of them has an element.
    InvalidArguments {
        /// Required arguments without a value.
        missing: Vec<String>,
        /// Values without an argument.
        unknown: Vec<String>,
    },
    /// The template failed, or would have taken too long or too much.
    Failed {
        /// 1-based line of the template, where it is known.
        line: Option<usize>,
        /// What happened.
        detail: String,
    },
}

impl fmt::Display for RenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RenderError::InvalidArguments { missing, unknown } => {
                let missing = missing.iter().map(|name| format!("`{name}` is missing"));
                let unknown = unknown.iter().map(|name| format!("`{name}` is unknown"));
                f.write_str(&missing.chain(unknown).collect::<Vec<_>>().join(", "))
            }
            RenderError::Failed { line: Some(line), detail } => write!(f, "line {line}: {detail}"),
            RenderError::Failed { line: None, detail } => f.write_str(detail),
        }
    }
}

impl std::error::Error for RenderError {}

/// Renders a template with `values`, by the names of `arguments`.
///
/// Every required argument needs a value and every value an argument; that is checked first. An optional argument
/// without a value is undefined, quietly: it prints as nothing, is false in an `if`, has no elements in a `for`, and
/// takes `default(…)`. Anything else that is undefined, an attribute that is not there for example, is an error.
///
/// Nothing is loaded, read or called outside of the template. The work is bounded, whatever the template does: the
/// instructions and the values visited, the size of the values made, and what is written. It blocks: at most for about
/// a second, as a rule far below a millisecond.
pub fn render(
    source: &str,
    arguments: &[Argument<'_>],
    values: &BTreeMap<String, serde_json::Value>,
    stack: &impl LargeStack,
) -> Result<String, RenderError> {
    check_values(arguments, values)?;
    // What was stored was valid then, but rendering relies on it.
    let TemplateError { line, detail } = match Template::parse(source, stack) {
        Ok(template) => return run(&template, arguments, values),
        Err(error) => error,
    };
    Err(RenderError::Failed { line, detail })
}

fn run(
    template: &Template,
    arguments: &[Argument<'_>],
    values: &BTreeMap<String, serde_json::Value>,
) -> Result<String, RenderError> {
    let source = &template.source;
    let rendered = catch_panic(|| {
        let context = context(arguments, values)?;
        evaluate(source, context)
    });
    match rendered {
        Some(outcome) => outcome.map_err(|error| failed(source, &error)),
        None => Err(RenderError::Failed { line: None, detail: ENGINE_FAILED.to_owned() }),
    }
}

fn check_values(arguments: &[Argument<'_>], values: &BTreeMap<String, serde_json::Value>) -> Result<(), RenderError> {
    let required = arguments.iter().filter(|argument| argument.required);
    let missing = required.map(|argument| argument.name).filter(|name| !values.contains_key(*name));
    let mut missing: Vec<String> = missing.map(str::to_owned).collect();
    missing.sort_unstable();
    let is_argument = |name: &String| arguments.iter().any(|argument| argument.name == name);
    let unknown: Vec<String> = values.keys().filter(|name| !is_argument(name)).cloned().collect();
    if missing.is_empty() && unknown.is_empty() {
        return Ok(());
    }
    Err(RenderError::InvalidArguments { missing, unknown })
}

fn context(arguments: &[Argument<'_>], values: &BTreeMap<String, serde_json::Value>) -> Result<Value, Error> {
    let absent = quiet_undefined()?;
    let value = |name: &str| values.get(name).map_or_else(|| absent.clone(), |value| Value::from(Serde(value)));
    Ok(Value::from_pairs(arguments.iter().map(|argument| (argument.name, value(argument.name)))))
}

fn evaluate(source: &str, context: Value) -> Result<String, Error> {
    let tree = instrumented(&parse(source, NAME, SyntaxConfig::default())?);
    let mut generator = CodeGenerator::new(NAME, source);
    generator.compile_stmt(&tree);
    let (instructions, blocks) = generator.finish();
    let mut text = String::new();
    eval(&ENVIRONMENT, &instructions, context, &blocks, &mut make_string_output(&mut text), AutoEscape::None)?;
    Ok(text)
}

fn failed(source: &str, error: &Error) -> RenderError {
    let detail = match error.kind() {
        ErrorKind::OutOfFuel => "the rendering takes too many steps".to_owned(),
        _ => detail_of(error),
    };
    RenderError::Failed { line: line_of_error(source, error), detail }
}
