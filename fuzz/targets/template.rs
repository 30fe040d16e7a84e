//! Any text as a template: a verdict, always the same; variables that are its arguments; a rendering within bounds.
#![no_main]

mod large_stack;
mod text_input;

use std::collections::BTreeMap;

use interline_template::{Argument, LargeStack, RenderError, STACK_BYTES, Template, render};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

#[rustfmt::skip]
const TOKENS: &[&str] = &[
    "{{", "}}", "{{ ", " }}", "{%", "%}", "{% ", " %}", "{%- ", " -%}", "{#", "#}", "{{-", "-}}", "{% if a %}",
    "{% elif b %}", "{% else %}", "{% endif %}", "{% for x in xs %}", "{% for k, v in m|items %}",
    "{% for x in tree recursive %}", "{{ loop(x.c) }}", "{% endfor %}", "{% set x = ", "{% set x %}", "{% endset %}",
    "{% macro f(a, b=1) %}", "{% endmacro %}", "{% call f() %}", "{% endcall %}", "{{ caller() }}", "{% filter upper %}",
    "{% endfilter %}", "{% block b %}", "{% endblock %}", "{{ self.b() }}", "{% raw %}", "{% endraw %}", "{% with y = ",
    "{% endwith %}", "{% autoescape true %}", "{% endautoescape %}", "{% include 'x' %}", "{% extends 'x' %}",
    "{% import 'x' as y %}", "{% do xs.append(1) %}", "{% break %}", "{% continue %}", "a", "b", "s", "n", "x", "xs", "m",
    "tree", "loop", "f", "namespace", "range", "dict", "cycler", "joiner", "lipsum", "self", "true", "false", "none", "(",
    ")", "[", "]", "{", "}", ",", ":", ".", "|", "~", "+", "-", "*", "**", "/", "//", "%", "==", "!=", "<", "<=", ">",
    "=", " ", " ", "\n", "\t", "'", "\"", "''", "'x'", "'%s'", "'{0}'", "'{:>9}'", "0", "1", "2", "-1", "1.5", "1e9",
    "10**9", "9223372036854775807", " and ", " or ", " not ", " in ", " is ", " if ", " else ", "defined", "undefined",
    "divisibleby(", "|length", "|upper", "|join(", "|replace('x', ", "|default(", "|sort", "|map('upper')",
    "|selectattr('a')", "|batch(", "|slice(", "|indent(", "|center(", "|format(", "|tojson", "|list", "|sum", "|first",
    "|unique", "|groupby('k')", "|wordwrap(", "|truncate(", "|round(", "|int", "|float", "|reverse", "|urlencode",
    "|dictsort", "|xmlattr", ".format(", ".split(", ".replace(", ".items()", ".join(", "[::-1]", "[1:", "loop.index",
    "loop.cycle(", "caf\u{E9}", "\u{1F600}", "\0",
];

/// What a rendering may write.
const MAX_WRITTEN_BYTES: usize = 16 * 1024 * 1024;

struct FuzzThread;

impl LargeStack for FuzzThread {}

fn values() -> BTreeMap<String, Value> {
    let values = json!({
        "a": true, "b": "two", "s": "hello, World", "n": 2, "xs": [3, 1, 2], "m": {"a": 1, "k": "x"}, "empty": "",
        "tree": [{"n": 1, "c": [{"n": 2, "c": []}]}],
    });
    values.as_object().cloned().unwrap_or_default().into_iter().collect()
}

fn check(source: &str) {
    let lines = source.matches('\n').count() + 1;
    let parsed = Template::parse(source, &FuzzThread);
    assert_eq!(parsed, Template::parse(source, &FuzzThread));
    let template = match parsed {
        Ok(template) => template,
        Err(error) => {
            assert!(error.line.is_none_or(|line| (1..=lines).contains(&line)), "{error:?}");
            assert!(!error.detail.is_empty());
            return;
        }
    };
    let variables = template.undeclared_variables();
    assert_eq!(template.check_arguments(variables.iter().map(String::as_str)), Ok(()));
    let arguments: Vec<Argument<'_>> = variables.iter().map(|name| Argument { name, required: false }).collect();
    let mut values = values();
    values.retain(|name, _| variables.contains(name));
    match render(source, &arguments, &values, &FuzzThread) {
        Ok(text) => {
            assert!(text.len() <= MAX_WRITTEN_BYTES);
            // A text without tags is rendered as it stands, but for one line end.
            if !["{{", "{%", "{#"].iter().any(|tag| source.contains(tag)) {
                let bare = source.strip_suffix('\n').unwrap_or(source);
                assert_eq!(text, bare.strip_suffix('\r').unwrap_or(bare));
            }
        }
        Err(RenderError::Failed { line, detail }) => {
            assert!(line.is_none_or(|line| (1..=lines).contains(&line)), "{detail}");
        }
        Err(RenderError::InvalidArguments { .. }) => panic!("every value has its argument"),
    }
}

fuzz_target!(
    init: large_stack::let_panics_unwind(),
    |data: &[u8]| {
        let source = text_input::text(data, TOKENS);
        large_stack::run(STACK_BYTES, &source, || check(&source));
    }
);
