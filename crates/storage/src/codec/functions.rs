//! The functions of a workflow's code, as JSON text.

use interline_python::{DecoratorKind, Function, Literal, Parameter, ParameterKind};
use serde_json::{Map, Value};

use super::CodecError;
use super::json::{Object, array_from_value, malformed, parse};

/// The column, for errors.
const COLUMN: &str = "functions";

/// Encodes the functions of a workflow, in their order.
pub(crate) fn encode(functions: &[Function]) -> String {
    functions.iter().map(function_value).collect::<Value>().to_string()
}

/// The functions of an encoded text.
pub(crate) fn decode(text: &str) -> Result<Vec<Function>, CodecError> {
    array_from_value(parse(text, COLUMN)?, COLUMN)?.into_iter().map(function_from_value).collect()
}

fn function_value(function: &Function) -> Value {
    object([
        ("name", Some(function.name.as_str().into())),
        ("decorator", Some(function.decorator.as_str().into())),
        ("line", Some(function.line.into())),
        ("title", function.title.as_deref().map(Value::from)),
        ("description", function.description.as_deref().map(Value::from)),
        ("category", function.category.as_deref().map(Value::from)),
        ("arguments", Some(pairs_value(&function.arguments))),
        ("parameters", Some(function.parameters.iter().map(parameter_value).collect())),
        ("doc", function.doc.as_deref().map(Value::from)),
    ])
}

fn function_from_value(value: Value) -> Result<Function, CodecError> {
    let mut object = Object::from_value(value, COLUMN)?;
    let decorator = required(object.text("decorator")?)?;
    let line = object.take("line").and_then(|line| line.as_u64()).and_then(|line| usize::try_from(line).ok());
    let parameters = array_from_value(required(object.take("parameters"))?, COLUMN)?;
    Ok(Function {
        name: required(object.text("name")?)?,
        decorator: required(DecoratorKind::parse(&decorator))?,
        line: required(line)?,
        title: object.text("title")?,
        description: object.text("description")?,
        category: object.text("category")?,
        arguments: pairs_from_value(required(object.take("arguments"))?)?,
        parameters: parameters.into_iter().map(parameter_from_value).collect::<Result<_, _>>()?,
        doc: object.text("doc")?,
    })
}

fn parameter_value(parameter: &Parameter) -> Value {
    object([
        ("name", Some(parameter.name.as_str().into())),
        ("kind", Some(parameter_kind_name(parameter.kind).into())),
        ("annotation", parameter.annotation.as_deref().map(Value::from)),
        ("default", parameter.default.as_deref().map(Value::from)),
    ])
}

fn parameter_from_value(value: Value) -> Result<Parameter, CodecError> {
    let mut object = Object::from_value(value, COLUMN)?;
    let kind = required(object.text("kind")?)?;
    Ok(Parameter {
        name: required(object.text("name")?)?,
        kind: required(KINDS.into_iter().find(|one| parameter_kind_name(*one) == kind))?,
        annotation: object.text("annotation")?,
        default: object.text("default")?,
    })
}

const KINDS: [ParameterKind; 5] = [
    ParameterKind::PositionalOnly,
    ParameterKind::Standard,
    ParameterKind::Positions,
    ParameterKind::KeywordOnly,
    ParameterKind::Keywords,
];

const fn parameter_kind_name(kind: ParameterKind) -> &'static str {
    match kind {
        ParameterKind::PositionalOnly => "positional_only",
        ParameterKind::Standard => "standard",
        ParameterKind::Positions => "positions",
        ParameterKind::KeywordOnly => "keyword_only",
        ParameterKind::Keywords => "keywords",
    }
}

/// A list is an array, a map an object with its pairs: JSON objects have no order.
fn literal_value(literal: &Literal) -> Value {
    match literal {
        Literal::None => Value::Null,
        Literal::Bool(value) => (*value).into(),
        Literal::Integer(value) => (*value).into(),
        Literal::Float(value) => (*value).into(),
        Literal::Text(text) => text.as_str().into(),
        Literal::List(values) => values.iter().map(literal_value).collect(),
        Literal::Map(pairs) => object([("map", Some(pairs_value(pairs)))]),
    }
}

fn literal_from_value(value: Value) -> Result<Literal, CodecError> {
    match value {
        Value::Null => Ok(Literal::None),
        Value::Bool(value) => Ok(Literal::Bool(value)),
        Value::Number(number) => {
            let whole = number.as_i64().map(Literal::Integer);
            whole.or_else(|| number.as_f64().map(Literal::Float)).ok_or_else(|| malformed(COLUMN))
        }
        Value::String(text) => Ok(Literal::Text(text)),
        Value::Array(values) => {
            Ok(Literal::List(values.into_iter().map(literal_from_value).collect::<Result<_, _>>()?))
        }
        Value::Object(_) => {
            Ok(Literal::Map(pairs_from_value(required(Object::from_value(value, COLUMN)?.take("map"))?)?))
        }
    }
}

fn pairs_value(pairs: &[(String, Literal)]) -> Value {
    pairs.iter().map(|(key, literal)| Value::Array(vec![key.as_str().into(), literal_value(literal)])).collect()
}

fn pairs_from_value(value: Value) -> Result<Vec<(String, Literal)>, CodecError> {
    let pair = |value: Value| match <[Value; 2]>::try_from(array_from_value(value, COLUMN)?) {
        Ok([Value::String(key), literal]) => Ok((key, literal_from_value(literal)?)),
        _ => Err(malformed(COLUMN)),
    };
    array_from_value(value, COLUMN)?.into_iter().map(pair).collect()
}

/// An object of the members that have a value.
fn object<const N: usize>(members: [(&str, Option<Value>); N]) -> Value {
    let present = members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Value::Object(present.collect::<Map<_, _>>())
}

fn required<T>(value: Option<T>) -> Result<T, CodecError> {
    value.ok_or_else(|| malformed(COLUMN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_come_back_as_they_were() {
        let bare = Function {
            name: "f".to_owned(),
            decorator: DecoratorKind::Tool,
            line: 3,
            title: None,
            description: None,
            category: None,
            arguments: Vec::new(),
            parameters: Vec::new(),
            doc: None,
        };
        let parameter = |kind| Parameter { name: "p".to_owned(), kind, annotation: None, default: None };
        let literals = vec![
            Literal::None,
            Literal::Bool(true),
            Literal::Integer(i64::MIN),
            Literal::Integer(1),
            Literal::Float(1.0),
            Literal::Float(-1.5e300),
            Literal::Text("\"\n\u{1f44d}".to_owned()),
            Literal::List(vec![Literal::List(Vec::new())]),
            Literal::Map(vec![("z".to_owned(), Literal::None), ("a".to_owned(), Literal::Map(Vec::new()))]),
        ];
        let full = Function {
            decorator: DecoratorKind::DataProvider,
            title: Some("A title".to_owned()),
            description: Some(String::new()),
            category: Some("Ops".to_owned()),
            arguments: literals.into_iter().map(|literal| ("k".to_owned(), literal)).collect(),
            parameters: KINDS.map(parameter).into(),
            doc: Some("Says\n  what.".to_owned()),
            ..bare.clone()
        };
        let annotated = Parameter {
            annotation: Some("dict[str, int]".to_owned()),
            default: Some("{}".to_owned()),
            ..parameter(ParameterKind::Standard)
        };
        let typed = Function { parameters: vec![annotated], ..bare.clone() };
        for original in [vec![], vec![bare], vec![full, typed]] {
            assert_eq!(decode(&encode(&original)).unwrap(), original);
        }
    }

    #[test]
    fn another_structure_is_an_error() {
        for text in ["", "{}", "[1]", "[{}]", "[{\"name\":\"f\",\"decorator\":\"fly\",\"line\":1}]"] {
            assert!(decode(text).is_err(), "{text}");
        }
    }
}
