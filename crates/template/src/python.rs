//! Values as Python has them: their texts, their order, what they hold. Jinja2's filters and operators are Python's.
//!
//! Whoever calls these has weighed the values, so that they are neither too large nor too deep.

use std::cmp::Ordering;
use std::fmt::{self, Write};
use std::iter;

use minijinja::value::{DynObject, ObjectRepr, StringInput, ValueKind};
use minijinja::{Error, ErrorKind, State, Value};

use crate::filters::Group;
use crate::meter::{BYTES_PER_VALUE, Meter, failure};

/// `str(value)`: what a template prints.
pub(crate) fn write_text(out: &mut impl Write, value: &Value) -> fmt::Result {
    match value.as_str() {
        Some(text) => out.write_str(text),
        None if value.is_undefined() => Ok(()),
        None => write_repr(out, value),
    }
}

/// `repr(value)`: as it is printed inside of a list.
pub(crate) fn write_repr(out: &mut impl Write, value: &Value) -> fmt::Result {
    if let Some(text) = value.as_str() {
        return write_quoted(out, text);
    }
    match value.kind() {
        ValueKind::Undefined => out.write_str("Undefined"),
        ValueKind::Number if !value.is_integer() => match f64::try_from(value.clone()) {
            Ok(number) => out.write_str(&float_text(number)),
            Err(_) => write!(out, "{value}"),
        },
        ValueKind::Seq | ValueKind::Iterable => write_list(out, value),
        ValueKind::Map if value.as_object().is_some_and(is_plain_map) => write_map(out, value),
        _ => write!(out, "{value}"),
    }
}

fn write_list(out: &mut impl Write, value: &Value) -> fmt::Result {
    let is_tuple = is_tuple(value);
    out.write_char(if is_tuple { '(' } else { '[' })?;
    let mut count = 0;
    for item in value.as_object().and_then(DynObject::try_iter).into_iter().flatten() {
        if count > 0 {
            out.write_str(", ")?;
        }
        write_repr(out, &item)?;
        count += 1;
    }
    if is_tuple && count == 1 {
        out.write_char(',')?;
    }
    out.write_char(if is_tuple { ')' } else { ']' })
}

fn write_map(out: &mut impl Write, value: &Value) -> fmt::Result {
    out.write_char('{')?;
    let pairs = value.as_object().and_then(DynObject::try_iter_pairs).into_iter().flatten();
    for (index, (key, value)) in pairs.enumerate() {
        if index > 0 {
            out.write_str(", ")?;
        }
        write_repr(out, &key)?;
        out.write_str(": ")?;
        write_repr(out, &value)?;
    }
    out.write_char('}')
}

/// Single quotes, unless only double ones need no escape.
pub(crate) fn write_quoted(out: &mut impl Write, text: &str) -> fmt::Result {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.write_char(quote)?;
    for c in text.chars() {
        match c {
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            c if c == quote => write!(out, "\\{c}")?,
            c if is_printable(c) => out.write_char(c)?,
            c => match u32::from(c) {
                code @ 0..=0xff => write!(out, "\\x{code:02x}")?,
                code @ 0x100..=0xffff => write!(out, "\\u{code:04x}")?,
                code => write!(out, "\\U{code:08x}")?,
            },
        }
    }
    out.write_char(quote)
}

fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return !c.is_ascii_control();
    }
    // The standard library has the table, but shows it only like this; at a text's beginning it escapes marks too.
    let mut text = [b'a'; 5];
    let length = 1 + c.encode_utf8(&mut text[1..]).len();
    str::from_utf8(&text[..length]).is_ok_and(|text| text.escape_debug().count() == 2)
}

/// `repr` of a float: the shortest digits that give it back, with an exponent where Python has one.
pub(crate) fn float_text(number: f64) -> String {
    if number.is_nan() {
        return "nan".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let scientific = format!("{number:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    match exponent.parse::<i32>() {
        Ok(exponent) if !(-4..16).contains(&exponent) => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", exponent.abs())
        }
        _ => {
            let plain = number.to_string();
            if plain.contains('.') { plain } else { plain + ".0" }
        }
    }
}

pub(crate) fn is_tuple(value: &Value) -> bool {
    value.is_tuple() || value.downcast_object_ref::<Group>().is_some()
}

/// Whether it is a map and not one of the engine's objects that look like one.
pub(crate) fn is_plain_map(object: &DynObject) -> bool {
    // The type of maps is not public, its name is.
    let plain = Value::from_pairs([("", "")]);
    object.repr() == ObjectRepr::Map && plain.as_object().is_some_and(|plain| plain.type_name() == object.type_name())
}

/// Fails on what is undefined, except for an optional argument without a value.
pub(crate) fn check_defined(state: &State<'_, '_>, value: &Value) -> Result<(), Error> {
    if value.is_undefined() {
        // Of the engine's checks, only this one is public; its error names the variable.
        StringInput::new(state, value)?;
    }
    Ok(())
}

/// `bool(value)`.
pub(crate) fn is_true(state: &State<'_, '_>, value: &Value) -> Result<bool, Error> {
    check_defined(state, value)?;
    Ok(value.is_true())
}

/// `list(value)`: the elements of a list, the keys of a map, the characters of a text.
pub(crate) fn elements(state: &mut State<'_, '_>, value: &Value) -> Result<Vec<Value>, Error> {
    check_defined(state, value)?;
    if let Some(text) = value.as_str() {
        return characters(Meter::from_state(state), text);
    }
    if value.is_undefined() {
        return Ok(Vec::new());
    }
    match value.as_object().and_then(DynObject::try_iter) {
        Some(items) => Ok(items.collect()),
        None => Err(failure(format!("a value of type {} has no elements", value.kind()))),
    }
}

/// The characters of a text, each a text, paid for before they are made.
pub(crate) fn characters(meter: &mut Meter, text: &str) -> Result<Vec<Value>, Error> {
    meter.spend_made((text.len() as u64).saturating_mul(BYTES_PER_VALUE))?;
    Ok(text.chars().map(Value::from).collect())
}

/// The order of two values, or nothing when one is not a number. What Python cannot compare is an error.
pub(crate) fn compare(left: &Value, right: &Value) -> Result<Option<Ordering>, Error> {
    if left.is_undefined() || right.is_undefined() {
        return Err(Error::from(ErrorKind::UndefinedError));
    }
    if let (Some(left), Some(right)) = (left.as_str(), right.as_str()) {
        return Ok(Some(left.cmp(right)));
    }
    if let (Some(left), Some(right)) = (Number::from_value(left), Number::from_value(right)) {
        return Ok(left.compare(right));
    }
    let is_list = |value: &Value| matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable);
    if !is_list(left) || !is_list(right) || is_tuple(left) != is_tuple(right) {
        return Err(failure(format!("{} and {} cannot be compared", left.kind(), right.kind())));
    }
    let (mut lefts, mut rights) = (left.try_iter()?, right.try_iter()?);
    loop {
        match (lefts.next(), rights.next()) {
            // Lists are gone through once: whether they are equal shows when they are compared.
            (Some(left), Some(right)) if !(is_list(&left) && is_list(&right)) && left == right => {}
            (Some(left), Some(right)) => match compare(&left, &right)? {
                Some(Ordering::Equal) => {}
                order => return Ok(order),
            },
            (left, right) => return Ok(Some(left.is_some().cmp(&right.is_some()))),
        }
    }
}

/// A number, a boolean included.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    Integer(i128),
    Float(f64),
}

impl Number {
    pub(crate) fn from_value(value: &Value) -> Option<Number> {
        match value.kind() {
            ValueKind::Bool => Some(Number::Integer(i128::from(value.is_true()))),
            ValueKind::Number if value.is_integer() => i128::try_from(value.clone()).ok().map(Number::Integer),
            ValueKind::Number => f64::try_from(value.clone()).ok().map(Number::Float),
            _ => None,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a float has no more")]
    pub(crate) fn as_float(self) -> f64 {
        match self {
            Number::Integer(number) => number as f64,
            Number::Float(number) => number,
        }
    }

    fn compare(self, other: Number) -> Option<Ordering> {
        match (self, other) {
            (Number::Integer(left), Number::Integer(right)) => Some(left.cmp(&right)),
            (left, right) => left.as_float().partial_cmp(&right.as_float()),
        }
    }

    /// `left % right`, whose sign is that of the right one.
    pub(crate) fn remainder(self, other: Number) -> Option<Value> {
        if let (Number::Integer(left), Number::Integer(right)) = (self, other) {
            let remainder = left.checked_rem(right)?;
            let differs = remainder != 0 && (remainder < 0) != (right < 0);
            return Some(integer_value(if differs { remainder + right } else { remainder }));
        }
        let (left, right) = (self.as_float(), other.as_float());
        if right == 0.0 {
            return None;
        }
        let remainder = left % right;
        let differs = remainder != 0.0 && (remainder < 0.0) != (right < 0.0);
        Some(Value::from(if differs {
            remainder + right
        } else if remainder == 0.0 {
            0.0_f64.copysign(right)
        } else {
            remainder
        }))
    }
}

pub(crate) fn integer_value(number: i128) -> Value {
    i64::try_from(number).map_or_else(|_| Value::from(number), Value::from)
}

/// A parameter that has to be an integer; booleans are.
pub(crate) fn integer(value: &Value, what: &str) -> Result<i128, Error> {
    match Number::from_value(value) {
        Some(Number::Integer(number)) => Ok(number),
        _ => Err(failure(format!("{what} is an integer, not {}", value.kind()))),
    }
}

/// `needle in container`.
pub(crate) fn contains(state: &State<'_, '_>, container: &Value, needle: &Value) -> Result<bool, Error> {
    check_defined(state, container)?;
    check_defined(state, needle)?;
    if let Some(text) = container.as_str() {
        let part = needle.as_str();
        let part = part.ok_or_else(|| failure(format!("a text holds texts, not {}", needle.kind())))?;
        return Ok(text.contains(part));
    }
    if container.is_undefined() {
        return Ok(false);
    }
    let Some(object) = container.as_object() else {
        return Err(failure(format!("a value of type {} has no elements", container.kind())));
    };
    if object.repr() == ObjectRepr::Map {
        return Ok(object.get_value(needle).is_some());
    }
    let Some(mut items) = object.try_iter() else {
        return Err(failure(format!("a value of type {} has no elements", container.kind())));
    };
    Ok(items.any(|item| item == *needle))
}

/// `text.splitlines(True)`: lines end with whatever Python takes for an end.
pub(crate) fn lines_with_ends(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    iter::from_fn(move || {
        let end = rest.char_indices().find(|(_, c)| ends_line(*c));
        let length = end.map_or(rest.len(), |(offset, end)| {
            offset + if rest[offset..].starts_with("\r\n") { 2 } else { end.len_utf8() }
        });
        let (line, after) = rest.split_at(length);
        rest = after;
        (!line.is_empty()).then_some(line)
    })
}

pub(crate) fn ends_line(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\x0b' | '\x0c' | '\x1c'..='\x1e' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Writes HTML: `&`, `<`, `>`, `'` and `"` as entities.
pub(crate) struct HtmlEscaper<'w, W>(pub(crate) &'w mut W);

impl<W: Write> Write for HtmlEscaper<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for piece in text.split_inclusive(['&', '<', '>', '\'', '"']) {
            let (plain, entity) = match piece.as_bytes().last() {
                Some(b'&') => (&piece[..piece.len() - 1], "&amp;"),
                Some(b'<') => (&piece[..piece.len() - 1], "&lt;"),
                Some(b'>') => (&piece[..piece.len() - 1], "&gt;"),
                Some(b'\'') => (&piece[..piece.len() - 1], "&#39;"),
                Some(b'"') => (&piece[..piece.len() - 1], "&#34;"),
                _ => (piece, ""),
            };
            self.0.write_str(plain)?;
            self.0.write_str(entity)?;
        }
        Ok(())
    }
}

/// A value as HTML: what is marked as safe stays as it is.
pub(crate) fn write_html(out: &mut impl Write, value: &Value) -> fmt::Result {
    if value.is_safe() { write_text(out, value) } else { write_text(&mut HtmlEscaper(out), value) }
}
