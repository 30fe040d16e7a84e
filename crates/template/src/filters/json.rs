//! The filter `tojson`: Python's `json.dumps` with keys in order, ASCII only, and safe in HTML, as Jinja2 has it.

#![expect(clippy::needless_pass_by_value, reason = "the engine hands arguments over by value")]

use minijinja::value::{DynObject, Kwargs, ValueKind};
use minijinja::{Error, State, Value};

use crate::meter::{Meter, failure};
use crate::metered_text::MeteredText;
use crate::python::{Number, check_defined, compare, float_text, integer, is_plain_map};

pub(crate) fn tojson(state: &mut State<'_, '_>, value: &Value, parameters: Kwargs) -> Result<Value, Error> {
    let indent = parameters.get::<Option<Value>>("indent")?;
    parameters.assert_all_used()?;
    check_defined(state, value)?;
    let meter = Meter::from_state(state);
    let indent = match indent {
        None => None,
        Some(indent) => Some(match indent.as_str() {
            Some(indent) => indent.to_owned(),
            None => {
                let width = usize::try_from(integer(&indent, "an indentation")?.max(0)).unwrap_or(usize::MAX);
                meter.spend_made(width as u64)?;
                " ".repeat(width)
            }
        }),
    };
    let mut writer = Writer { out: MeteredText::new(meter), indent };
    writer.value(value, 0)?;
    writer.out.finish(Ok(())).map(Value::from_safe_string)
}

struct Writer<'m> {
    out: MeteredText<'m, String>,
    indent: Option<String>,
}

impl Writer<'_> {
    fn value(&mut self, value: &Value, depth: usize) -> Result<(), Error> {
        if let Some(text) = value.as_str() {
            return self.text(text);
        }
        match (value.kind(), value.as_object()) {
            (ValueKind::Seq | ValueKind::Iterable, Some(object)) => self.list(object, depth),
            (ValueKind::Map, Some(object)) if is_plain_map(object) => self.map(object, depth),
            _ => {
                let scalar = scalar(value)?;
                self.out.push_str(&scalar)
            }
        }
    }

    fn list(&mut self, object: &DynObject, depth: usize) -> Result<(), Error> {
        let mut is_empty = true;
        for item in object.try_iter().into_iter().flatten() {
            self.out.push_str(if is_empty { "[" } else { "," })?;
            self.element(if is_empty { "" } else { " " }, depth + 1)?;
            self.value(&item, depth + 1)?;
            is_empty = false;
        }
        self.close(if is_empty { "[]" } else { "]" }, is_empty, depth)
    }

    fn map(&mut self, object: &DynObject, depth: usize) -> Result<(), Error> {
        let mut pairs: Vec<(Value, Value)> = object.try_iter_pairs().into_iter().flatten().collect();
        if let Some((first, _)) = pairs.first() {
            pairs.iter().try_for_each(|(key, _)| compare(first, key).map(drop))?;
        }
        pairs.sort_by(|(left, _), (right, _)| left.cmp(right));
        let is_empty = pairs.is_empty();
        for (index, (key, value)) in pairs.into_iter().enumerate() {
            self.out.push_str(if index == 0 { "{" } else { "," })?;
            self.element(if index == 0 { "" } else { " " }, depth + 1)?;
            match key.as_str() {
                Some(key) => self.text(key)?,
                None => self.text(&scalar(&key)?)?,
            }
            self.out.push_str(": ")?;
            self.value(&value, depth + 1)?;
        }
        self.close(if is_empty { "{}" } else { "}" }, is_empty, depth)
    }

    /// What goes before an element.
    fn element(&mut self, blank: &str, depth: usize) -> Result<(), Error> {
        match &self.indent {
            None => self.out.push_str(blank),
            Some(indent) => {
                self.out.push('\n')?;
                (0..depth).try_for_each(|_| self.out.push_str(indent))
            }
        }
    }

    fn close(&mut self, bracket: &str, is_empty: bool, depth: usize) -> Result<(), Error> {
        if !is_empty {
            self.element("", depth)?;
        }
        self.out.push_str(bracket)
    }

    fn text(&mut self, text: &str) -> Result<(), Error> {
        self.out.push('"')?;
        for c in text.chars() {
            match c {
                '"' => self.out.push_str("\\\"")?,
                '\\' => self.out.push_str("\\\\")?,
                '\n' => self.out.push_str("\\n")?,
                '\r' => self.out.push_str("\\r")?,
                '\t' => self.out.push_str("\\t")?,
                '\x08' => self.out.push_str("\\b")?,
                '\x0c' => self.out.push_str("\\f")?,
                '<' | '>' | '&' | '\'' => self.escaped(c)?,
                ' '..='\x7f' => self.out.push(c)?,
                c => self.escaped(c)?,
            }
        }
        self.out.push('"')
    }

    fn escaped(&mut self, c: char) -> Result<(), Error> {
        c.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| self.out.push_str(&format!("\\u{unit:04x}")))
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
