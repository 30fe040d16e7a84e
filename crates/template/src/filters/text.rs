//! Filters on texts that the engine lacks or has otherwise than Jinja2.

#![expect(clippy::needless_pass_by_value, reason = "the engine hands arguments over by value")]

use std::fmt::{self, Write};

use minijinja::value::{DynObject, Kwargs, ValueKind};
use minijinja::{AutoEscape, Error, State, Value};

use crate::meter::{Meter, failure};
use crate::metered_text::{MeteredText, html_of, text_of};
use crate::python::{
    HtmlEscaper, check_defined, elements, ends_line, integer, is_plain_map, is_true, lines_with_ends, write_html,
    write_text,
};

/// A parameter that was given, `none` included.
pub(crate) fn given(parameters: &Kwargs, name: &str) -> Result<Option<Value>, Error> {
    if parameters.has(name) { parameters.get(name).map(Some) } else { Ok(None) }
}

/// A parameter that is a truth value; false unless given.
fn flag(state: &State<'_, '_>, parameters: &Kwargs, name: &str) -> Result<bool, Error> {
    given(parameters, name)?.map_or(Ok(false), |value| is_true(state, &value))
}

/// A width or length: what is below 0 is 0, and no text is longer than memory.
fn width(value: &Value, what: &str) -> Result<usize, Error> {
    Ok(usize::try_from(integer(value, what)?.max(0)).unwrap_or(usize::MAX))
}

/// The text of a filter that takes nothing else.
pub(crate) fn only_text<'v>(state: &State<'_, '_>, value: &'v Value, filter: &str) -> Result<&'v str, Error> {
    check_defined(state, value)?;
    if value.is_undefined() {
        return Ok("");
    }
    value.as_str().ok_or_else(|| failure(format!("`{filter}` takes a text, not {}", value.kind())))
}

/// A text that is as safe as the one that it is made of.
fn as_safe_as(origin: &Value, text: String) -> Value {
    if origin.is_safe() { Value::from_safe_string(text) } else { Value::from(text) }
}

/// The filter `center`.
pub(crate) fn center(value: &Value, parameters: Kwargs) -> Result<Value, Error> {
    let width = given(&parameters, "width")?.map_or(Ok(80), |value| width(&value, "a width"))?;
    parameters.assert_all_used()?;
    Ok(as_safe_as(value, centered(value.as_str().unwrap_or_default(), width, ' ')))
}

/// An odd blank goes where Python puts it.
pub(crate) fn centered(text: &str, width: usize, fill: char) -> String {
    let padding = width.saturating_sub(text.chars().count());
    let left = padding / 2 + (padding & width & 1);
    let fill = |count| std::iter::repeat_n(fill, count);
    fill(left).chain(text.chars()).chain(fill(padding - left)).collect()
}

/// The filter `indent`; a final newline stays, and every line ends with one.
pub(crate) fn indent(state: &mut State<'_, '_>, value: &Value, parameters: Kwargs) -> Result<Value, Error> {
    let (first, blank) = (flag(state, &parameters, "first")?, flag(state, &parameters, "blank")?);
    let indentation = given(&parameters, "width")?.unwrap_or_else(|| Value::from(4));
    parameters.assert_all_used()?;
    let text = only_text(state, value, "indent")?;
    let meter = Meter::from_state(state);
    let indentation = match indentation.as_str() {
        Some(indentation) => indentation.to_owned(),
        None => {
            let width = width(&indentation, "a width")?;
            meter.spend_made(width as u64)?;
            " ".repeat(width)
        }
    };
    // A text that ends with a newline has one more line, which is empty.
    let ends = text.ends_with(ends_line) || text.is_empty();
    let mut indented = MeteredText::new(meter);
    for (index, line) in lines_with_ends(text).chain(ends.then_some("")).enumerate() {
        let line = line.trim_end_matches(ends_line);
        if index > 0 {
            indented.push('\n')?;
        }
        if (index == 0 && first) || (index > 0 && (blank || !line.is_empty())) {
            indented.push_str(&indentation)?;
        }
        indented.push_str(line)?;
    }
    indented.finish(Ok(())).map(|indented| as_safe_as(value, indented))
}

/// The filter `truncate`. What is no text has a length too, and is returned when that is short enough.
pub(crate) fn truncate(state: &mut State<'_, '_>, value: &Value, parameters: Kwargs) -> Result<Value, Error> {
    let length = given(&parameters, "length")?.map_or(Ok(255), |value| integer(&value, "a length"))?;
    let cuts_words = flag(state, &parameters, "killwords")?;
    let end = given(&parameters, "end")?.unwrap_or_else(|| Value::from("..."));
    let leeway = parameters.get::<Option<Value>>("leeway")?.map_or(Ok(5), |value| integer(&value, "a leeway"))?;
    parameters.assert_all_used()?;
    let length_of_value = self::length(state, value)?;
    let end_text = end.as_str().ok_or_else(|| failure(format!("the end is a text, not {}", end.kind())))?;
    let end_length = end_text.chars().count() as i128;
    if length < end_length {
        return Err(failure(format!("a length of {length} is below that of the end, {end_length}")));
    }
    if leeway < 0 {
        return Err(failure(format!("a leeway of {leeway} is below 0")));
    }
    if length_of_value as i128 <= length.saturating_add(leeway) {
        return Ok(value.clone());
    }
    let text = only_text(state, value, "truncate")?;
    let kept: String = text.chars().take(usize::try_from(length - end_length).unwrap_or(usize::MAX)).collect();
    let kept = if cuts_words { &kept } else { kept.rsplit_once(' ').map_or(kept.as_str(), |(before, _)| before) };
    if value.is_safe() || end.is_safe() {
        let kept = as_safe_as(value, kept.to_owned());
        let mut cut = MeteredText::new(Meter::from_state(state));
        let outcome = [&kept, &end].into_iter().try_for_each(|part| write_html(&mut cut, part));
        return cut.finish(outcome).map(Value::from_safe_string);
    }
    Ok(Value::from([kept, end_text].concat()))
}

/// The filter `replace`.
pub(crate) fn replace(
    state: &mut State<'_, '_>,
    value: &Value,
    old: Value,
    new: Value,
    count: Option<Value>,
) -> Result<Value, Error> {
    let count = count.map(|count| integer(&count, "a count")).transpose()?;
    [value, &old, &new].into_iter().try_for_each(|value| check_defined(state, value))?;
    let text = value.as_str().unwrap_or_default();
    let meter = Meter::from_state(state);
    let mut part = |part: &Value| if value.is_safe() { html_of(meter, part) } else { text_of(meter, part) };
    let (old, new) = (part(&old)?, part(&new)?);
    let most = count.and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX);
    let places = text.matches(&old).take(most).count() as u64;
    Meter::from_state(state).spend_made((text.len() as u64).saturating_add(places.saturating_mul(new.len() as u64)))?;
    Ok(as_safe_as(value, text.replacen(&old, &new, most)))
}

/// The filter `trim`.
pub(crate) fn trim(value: &Value, chars: Option<Value>) -> Result<Value, Error> {
    let text = value.as_str().unwrap_or_default();
    let trimmed = match &chars {
        None => text.trim(),
        Some(chars) => {
            let chars = chars.as_str().ok_or_else(|| failure("what is trimmed off is a text"))?;
            text.trim_matches(|c| chars.contains(c))
        }
    };
    Ok(as_safe_as(value, trimmed.to_owned()))
}

/// The filter `wordcount`: runs of letters, digits and underscores.
pub(crate) fn wordcount(value: &Value) -> usize {
    let text = value.as_str().unwrap_or_default();
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()).count()
}

/// The filter `escape`.
pub(crate) fn escape(state: &mut State<'_, '_>, value: &Value) -> Result<Value, Error> {
    html_of(Meter::from_state(state), value).map(Value::from_safe_string)
}

/// The filter `forceescape`: escapes what is marked as safe too.
pub(crate) fn forceescape(state: &mut State<'_, '_>, value: &Value) -> Result<Value, Error> {
    let mut escaped = MeteredText::new(Meter::from_state(state));
    let outcome = write_text(&mut HtmlEscaper(&mut escaped), value);
    escaped.finish(outcome).map(Value::from_safe_string)
}

/// The filter `xmlattr`: a map as attributes of an element.
pub(crate) fn xmlattr(state: &mut State<'_, '_>, value: &Value, parameters: Kwargs) -> Result<Value, Error> {
    let autospace = given(&parameters, "autospace")?.map_or(Ok(true), |value| is_true(state, &value))?;
    parameters.assert_all_used()?;
    check_defined(state, value)?;
    let Some(map) = value.as_object().filter(|object| is_plain_map(object)) else {
        return Err(failure(format!("`xmlattr` takes a map, not {}", value.kind())));
    };
    let is_html = matches!(state.auto_escape(), AutoEscape::Html);
    let mut attributes = MeteredText::new(Meter::from_state(state));
    let mut outcome = Ok(());
    let mut blank = if autospace { " " } else { "" };
    for (key, value) in map.try_iter_pairs().into_iter().flatten() {
        if value.is_none() || value.is_undefined() {
            continue;
        }
        let name = key.as_str().ok_or_else(|| failure("the name of an attribute is a text"))?;
        if name.contains(|c: char| c.is_whitespace() || matches!(c, '/' | '>' | '=')) {
            return Err(failure(format!("an attribute cannot be named {name:?}")));
        }
        outcome = outcome.and_then(|()| write_attribute(&mut attributes, blank, &key, &value));
        blank = " ";
    }
    let attributes = attributes.finish(outcome)?;
    Ok(if is_html { Value::from_safe_string(attributes) } else { Value::from(attributes) })
}

fn write_attribute(out: &mut impl Write, blank: &str, key: &Value, value: &Value) -> fmt::Result {
    out.write_str(blank)?;
    write_html(out, key)?;
    out.write_str("=\"")?;
    write_html(out, value)?;
    out.write_char('"')
}

/// The filter `urlencode`: a text as a part of a path, pairs as a query.
pub(crate) fn urlencode(state: &mut State<'_, '_>, value: &Value) -> Result<Value, Error> {
    check_defined(state, value)?;
    if value.as_object().is_none() {
        let mut path = MeteredText::new(Meter::from_state(state));
        let outcome = write_text(&mut PercentEncoder { out: &mut path, kept: "/", blank: "%20" }, value);
        return path.finish(outcome).map(Value::from);
    }
    let pairs: Vec<(Value, Value)> = match value.kind() {
        ValueKind::Map => value.as_object().and_then(DynObject::try_iter_pairs).into_iter().flatten().collect(),
        _ => {
            let items = elements(state, value)?;
            let pair = |item: &Value| match elements(state, item)?.as_slice() {
                [key, value] => Ok((key.clone(), value.clone())),
                other => Err(failure(format!("a query is made of pairs; here are {}", other.len()))),
            };
            items.iter().map(pair).collect::<Result<_, Error>>()?
        }
    };
    let mut query = MeteredText::new(Meter::from_state(state));
    let outcome = pairs.iter().enumerate().try_for_each(|(index, (key, value))| {
        query.write_str(if index > 0 { "&" } else { "" })?;
        write_text(&mut PercentEncoder { out: &mut query, kept: "", blank: "+" }, key)?;
        query.write_char('=')?;
        write_text(&mut PercentEncoder { out: &mut query, kept: "", blank: "+" }, value)
    });
    query.finish(outcome).map(Value::from)
}

/// Writes what a URL cannot hold as `%XX`.
struct PercentEncoder<'w, W> {
    out: &'w mut W,
    /// What it holds here beside letters, digits and `-_.~`.
    kept: &'static str,
    blank: &'static str,
}

impl<W: Write> Write for PercentEncoder<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            let c = char::from(byte);
            if c.is_ascii_alphanumeric() || "-_.~".contains(c) || (c.is_ascii() && self.kept.contains(c)) {
                self.out.write_char(c)?;
            } else if c == ' ' {
                self.out.write_str(self.blank)?;
            } else {
                write!(self.out, "%{byte:02X}")?;
            }
        }
        Ok(())
    }
}

/// The filter `reverse`: a text, or the elements.
pub(crate) fn reverse(state: &mut State<'_, '_>, value: &Value) -> Result<Value, Error> {
    if let Some(text) = value.as_str() {
        return Ok(as_safe_as(value, text.chars().rev().collect()));
    }
    let mut items = elements(state, value)?;
    items.reverse();
    Ok(Value::from(items))
}

/// The filter `length`.
pub(crate) fn length(state: &mut State<'_, '_>, value: &Value) -> Result<usize, Error> {
    check_defined(state, value)?;
    let length = if value.is_undefined() { Some(0) } else { value.len() };
    length.ok_or_else(|| failure(format!("a value of type {} has no length", value.kind())))
}

/// The filter `first`; of nothing it is undefined.
pub(crate) fn first(state: &mut State<'_, '_>, value: &Value) -> Result<Value, Error> {
    if let Some(text) = value.as_str() {
        return Ok(text.chars().next().map_or(Value::UNDEFINED, Value::from));
    }
    Ok(elements(state, value)?.into_iter().next().unwrap_or(Value::UNDEFINED))
}

/// The filter `last`; of nothing it is undefined.
pub(crate) fn last(state: &mut State<'_, '_>, value: &Value) -> Result<Value, Error> {
    if let Some(text) = value.as_str() {
        return Ok(text.chars().next_back().map_or(Value::UNDEFINED, Value::from));
    }
    Ok(elements(state, value)?.pop().unwrap_or(Value::UNDEFINED))
}

/// The filter `list`.
pub(crate) fn list(state: &mut State<'_, '_>, value: &Value) -> Result<Value, Error> {
    elements(state, value).map(Value::from)
}

/// The filter `batch`: rows of so many elements, the last one filled up.
pub(crate) fn batch(
    state: &mut State<'_, '_>,
    value: &Value,
    linecount: Value,
    fill_with: Option<Value>,
) -> Result<Value, Error> {
    let length = integer(&linecount, "the length of a row")?;
    let (mut rows, mut row) = (Vec::new(), Vec::new());
    for item in elements(state, value)? {
        if row.len() as i128 == length {
            rows.push(Value::from(std::mem::take(&mut row)));
        }
        row.push(item);
    }
    if !row.is_empty() {
        if let (Some(fill), Ok(length)) = (fill_with, usize::try_from(length)) {
            row.resize(length.max(row.len()), fill);
        }
        rows.push(Value::from(row));
    }
    Ok(Value::from(rows))
}

/// The filter `slice`: so many columns, the shorter ones filled up.
pub(crate) fn slice(
    state: &mut State<'_, '_>,
    value: &Value,
    slices: Value,
    fill_with: Option<Value>,
) -> Result<Value, Error> {
    let count = integer(&slices, "a number of slices")?;
    if count == 0 {
        return Err(failure("there is nothing to cut into 0 slices"));
    }
    let mut items = elements(state, value)?.into_iter();
    let count = usize::try_from(count.max(0)).unwrap_or(usize::MAX);
    let each = items.len().checked_div(count).unwrap_or(0);
    let longer = items.len() - each.saturating_mul(count).min(items.len());
    let mut columns = Vec::new();
    for index in 0..count {
        let mut column: Vec<Value> = items.by_ref().take(each + usize::from(index < longer)).collect();
        column.extend(fill_with.clone().filter(|_| index >= longer));
        columns.push(Value::from(column));
    }
    Ok(Value::from(columns))
}

/// The same value with the keys of each map in order, where all of them are texts.
pub(crate) fn with_sorted_keys(value: &Value) -> Value {
    let Some(object) = value.as_object() else { return value.clone() };
    if is_plain_map(object) {
        let pairs = object.try_iter_pairs().into_iter().flatten();
        let mut pairs: Vec<(Value, Value)> = pairs.map(|(key, value)| (key, with_sorted_keys(&value))).collect();
        if pairs.iter().all(|(key, _)| key.as_str().is_some()) {
            pairs.sort_by(|(left, _), (right, _)| left.as_str().cmp(&right.as_str()));
        }
        return Value::from_pairs(pairs);
    }
    match (value.kind(), object.try_iter()) {
        (ValueKind::Seq | ValueKind::Iterable, Some(items)) => {
            let items: Vec<Value> = items.map(|item| with_sorted_keys(&item)).collect();
            if value.is_tuple() { minijinja::value::Tuple::from(items).into() } else { items.into() }
        }
        _ => value.clone(),
    }
}
