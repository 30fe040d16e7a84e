//! The filter `tojson`: Python's `json.dumps` with keys in order, ASCII only, and safe in HTML, as Jinja2 has it.

#![expect(clippy::needless_pass_by_value, reason = "the engine hands arguments over by value")]

use std::fmt::Write as _;

use minijinja::value::{DynObject, Kwargs, ValueKind};
use minijinja::{Error, State, Value};

use crate::meter::{Meter, failure};
use crate::python::{Number, check_defined, compare, float_text, integer, is_plain_map};

pub(crate) fn tojson(state: &mut State<'_, '_>, value: &Value, parameters: Kwargs) -> Result<Value, Error> {
    let indent = parameters.get::<Option<Value>>("indent")?;
    parameters.assert_all_used()?;
    check_defined(state, value)?;
    let indent = match indent {
        None => None,
        Some(indent) => Some(match indent.as_str() {
            Some(indent) => indent.to_owned(),
            None => " ".repeat(usize::try_from(integer(&indent, "an indentation")?).unwrap_or(0)),
        }),
    };
    if let Some(indent) = &indent {
        let meter = Meter::from_state(state);
        let weight = meter.weigh(value)?;
        let levels = (weight.depth as u64 + 1).saturating_mul(indent.len() as u64 + 1);
        meter.spend_made(levels.saturating_mul(weight.values))?;
    }
    let mut writer = Writer { out: String::new(), indent };
    writer.value(value, 0)?;
    Ok(Value::from_safe_string(writer.out))
}

struct Writer {
    out: String,
    indent: Option<String>,
}

impl Writer {
    fn value(&mut self, value: &Value, depth: usize) -> Result<(), Error> {
        if let Some(text) = value.as_str() {
            self.text(text);
            return Ok(());
        }
        match (value.kind(), value.as_object()) {
            (ValueKind::Seq | ValueKind::Iterable, Some(object)) => self.list(object, depth),
            (ValueKind::Map, Some(object)) if is_plain_map(object) => self.map(object, depth),
            _ => {
                let scalar = scalar(value)?;
                self.out.push_str(&scalar);
                Ok(())
            }
        }
    }

    fn list(&mut self, object: &DynObject, depth: usize) -> Result<(), Error> {
        let mut is_empty = true;
        for item in object.try_iter().into_iter().flatten() {
            self.out.push_str(if is_empty { "[" } else { "," });
            self.element(if is_empty { "" } else { " " }, depth + 1);
            self.value(&item, depth + 1)?;
            is_empty = false;
        }
        self.close(if is_empty { "[]" } else { "]" }, is_empty, depth);
        Ok(())
    }

    fn map(&mut self, object: &DynObject, depth: usize) -> Result<(), Error> {
        let mut pairs: Vec<(Value, Value)> = object.try_iter_pairs().into_iter().flatten().collect();
        if let Some((first, _)) = pairs.first() {
            pairs.iter().try_for_each(|(key, _)| compare(first, key).map(drop))?;
        }
        pairs.sort_by(|(left, _), (right, _)| left.cmp(right));
        let is_empty = pairs.is_empty();
        for (index, (key, value)) in pairs.into_iter().enumerate() {
            self.out.push_str(if index == 0 { "{" } else { "," });
            self.element(if index == 0 { "" } else { " " }, depth + 1);
            match key.as_str() {
                Some(key) => self.text(key),
                None => self.text(&scalar(&key)?),
            }
            self.out.push_str(": ");
            self.value(&value, depth + 1)?;
        }
        self.close(if is_empty { "{}" } else { "}" }, is_empty, depth);
        Ok(())
    }

    /// What goes before an element.
    fn element(&mut self, blank: &str, depth: usize) {
        match &self.indent {
            None => self.out.push_str(blank),
            Some(indent) => {
                self.out.push('\n');
                self.out.extend(std::iter::repeat_n(indent.as_str(), depth));
            }
        }
    }

    fn close(&mut self, bracket: &str, is_empty: bool, depth: usize) {
        if !is_empty {
            self.element("", depth);
        }
        self.out.push_str(bracket);
    }

    fn text(&mut self, text: &str) {
        self.out.push('"');
        for c in text.chars() {
            match c {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                '\t' => self.out.push_str("\\t"),
                '\x08' => self.out.push_str("\\b"),
                '\x0c' => self.out.push_str("\\f"),
                '<' | '>' | '&' | '\'' => self.escaped(c),
                ' '..='\x7f' => self.out.push(c),
                c => self.escaped(c),
            }
        }
        self.out.push('"');
    }

    fn escaped(&mut self, c: char) {
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a String does not fail.
            let _ = write!(self.out, "\\u{unit:04x}");
        }
    }
}

fn scalar(value: &Value) -> Result<String, Error> {
    Ok(match (value.kind(), Number::from_value(value)) {
        (ValueKind::None, _) => "null".to_owned(),
        (ValueKind::Bool, _) => value.is_true().to_string(),
        (_, Some(Number::Integer(number))) => number.to_string(),
        (_, Some(Number::Float(number))) if number.is_nan() => "NaN".to_owned(),
        (_, Some(Number::Float(number))) if number.is_infinite() => {
            if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned()
        }
        (_, Some(Number::Float(number))) => float_text(number),
        (kind, None) => return Err(failure(format!("a value of type {kind} cannot be JSON"))),
    })
}
