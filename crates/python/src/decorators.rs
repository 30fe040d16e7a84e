//! Workflow decorators: the metadata of the function under one.

use ruff_python_ast::{Arguments, Decorator, Expr, Parameters, Stmt, StmtFunctionDef};
use ruff_text_size::Ranged;

use crate::function::{DecoratorKind, Function, Literal, Parameter, ParameterKind};
use crate::literals::literal;
use crate::sdk::SdkName;

/// The metadata of a function, if it has a workflow decorator; `line` is asked for the line of its name.
pub(crate) fn workflow_function(
    source: &str,
    def: &StmtFunctionDef,
    sdk: &SdkName,
    line: impl FnOnce() -> usize,
) -> Option<Function> {
    let (decorator, arguments) = def.decorator_list.iter().find_map(|decorator| workflow_decorator(decorator, sdk))?;
    let mut function = Function {
        name: def.name.to_string(),
        decorator,
        line: line(),
        title: None,
        description: None,
        category: None,
        arguments: Vec::new(),
        parameters: parameters(source, &def.parameters),
        doc: doc_string(&def.body),
    };
    for keyword in arguments.map(|arguments| &arguments.keywords[..]).unwrap_or_default() {
        let Some(name) = &keyword.arg else { continue };
        match (name.as_str(), literal(&keyword.value)) {
            ("name", Some(Literal::Text(text))) => function.title = Some(text),
            ("description", Some(Literal::Text(text))) => function.description = Some(text),
            ("category", Some(Literal::Text(text))) => function.category = Some(text),
            (name, Some(value)) => function.arguments.push((name.to_owned(), value)),
            (_, None) => {}
        }
    }
    Some(function)
}

/// Which workflow decorator it is, and the arguments of its call.
fn workflow_decorator<'a>(decorator: &'a Decorator, sdk: &SdkName) -> Option<(DecoratorKind, Option<&'a Arguments>)> {
    let (name, arguments) = match &decorator.expression {
        Expr::Call(call) => (call.func.as_ref(), Some(&call.arguments)),
        other => (other, None),
    };
    let name = match name {
        Expr::Name(name) => name.id.as_str(),
        Expr::Attribute(attribute) => match attribute.value.as_ref() {
            Expr::Name(prefix) if prefix.id.as_str() == sdk.as_str() => attribute.attr.as_str(),
            _ => return None,
        },
        _ => return None,
    };
    DecoratorKind::parse(name).map(|kind| (kind, arguments))
}

fn parameters(source: &str, parameters: &Parameters) -> Vec<Parameter> {
    let source_of = |expr: Option<&Expr>| expr.map(|expr| source[expr.range()].to_owned());
    let named = |kind| {
        move |with_default: &ruff_python_ast::ParameterWithDefault| Parameter {
            name: with_default.parameter.name.to_string(),
            kind,
            annotation: source_of(with_default.parameter.annotation.as_deref()),
            default: source_of(with_default.default.as_deref()),
        }
    };
    let rest = |kind| {
        move |parameter: &ruff_python_ast::Parameter| Parameter {
            name: parameter.name.to_string(),
            kind,
            annotation: source_of(parameter.annotation.as_deref()),
            default: None,
        }
    };
    let mut all: Vec<Parameter> = Vec::with_capacity(parameters.len());
    all.extend(parameters.posonlyargs.iter().map(named(ParameterKind::PositionalOnly)));
    all.extend(parameters.args.iter().map(named(ParameterKind::Standard)));
    all.extend(parameters.vararg.as_deref().map(rest(ParameterKind::Positions)));
    all.extend(parameters.kwonlyargs.iter().map(named(ParameterKind::KeywordOnly)));
    all.extend(parameters.kwarg.as_deref().map(rest(ParameterKind::Keywords)));
    all
}

fn doc_string(body: &[Stmt]) -> Option<String> {
    let Stmt::Expr(first) = body.first()? else { return None };
    let text = first.value.as_string_literal_expr()?.value.to_str();
    Some(clean(text))
}

/// A doc string without the indentation that its lines share, and without blank lines around it.
fn clean(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    let indent = |line: &&str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let rest = lines.iter().skip(1).filter(|line| !line.trim().is_empty());
    let shared = rest.map(indent).min().unwrap_or(0);
    let cut = |(index, line): (usize, &&str)| {
        let start = if index == 0 { indent(line) } else { shared.min(indent(line)) };
        line[start..].trim_end().to_owned()
    };
    let cleaned: Vec<String> = lines.iter().enumerate().map(cut).collect();
    let first = cleaned.iter().position(|line| !line.is_empty()).unwrap_or(cleaned.len());
    let end = cleaned.iter().rposition(|line| !line.is_empty()).map_or(first, |last| last + 1);
    cleaned[first..end].join("\n")
}
