//! Templates of prompts: a prompt's [`Arguments`] as the arguments of its template.

use std::collections::BTreeMap;

use interline_template::{Argument, ArgumentMismatch, RenderError, Template};

use crate::fields::Arguments;
use crate::threads::LargeStack;

/// Accepts a template whose variables are exactly the arguments.
pub(crate) fn check(template: &Template, arguments: &Arguments) -> Result<(), ArgumentMismatch> {
    template.check_arguments(arguments.as_slice().iter().map(|argument| argument.name.as_str()))
}

/// Renders a template with values for the arguments.
pub(crate) fn render(
    source: &str,
    arguments: &Arguments,
    values: &BTreeMap<String, serde_json::Value>,
    stack: &LargeStack,
) -> Result<String, RenderError> {
    let arguments = arguments.as_slice().iter();
    let arguments: Vec<Argument<'_>> =
        arguments.map(|argument| Argument { name: &argument.name, required: argument.required }).collect();
    interline_template::render(source, &arguments, values, stack)
}
