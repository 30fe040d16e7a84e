//! Python's methods of texts, lists and maps, as far as they change nothing.

use std::slice;

use minijinja::value::{Kwargs, Tuple, ValueKind, from_args};
use minijinja::{Error, State, Value};
use minijinja_contrib::pycompat;

use crate::estimate::{ResultSize, estimate};
use crate::filters::centered;
use crate::meter::{Meter, failure};
use crate::metered::materialize;
use crate::python::{check_defined, elements, ends_line, integer, lines_with_ends};

/// Calls a method that the value's own type does not have.
pub(crate) fn method(
    state: &mut State<'_, '_>,
    value: &Value,
    name: &str,
    arguments: &[Value],
) -> Result<Value, Error> {
    let result_size = match name {
        "count" | "endswith" | "find" | "get" | "index" | "items" | "keys" | "rfind" | "rindex" | "startswith"
        | "values" => ResultSize::Small,
        "center" | "ljust" | "rjust" | "zfill" => ResultSize::Padded,
        "copy" => ResultSize::Lists,
        "format" => ResultSize::Formatted,
        "join" => ResultSize::Joined,
        "lstrip" | "rstrip" | "strip" => ResultSize::Trimmed,
        "replace" => ResultSize::Replaced,
        "rsplit" | "split" | "splitlines" => ResultSize::Split,
        _ => ResultSize::Text,
    };
    let meter = Meter::from_state(state);
    match (name, arguments) {
        // A look-up visits the key only.
        ("get", _) => estimate(meter, result_size, arguments)?,
        // The method of the text between takes the list.
        ("join", [list]) => estimate(meter, result_size, &[list.clone(), value.clone()])?,
        _ => estimate(meter, result_size, &[slice::from_ref(value), arguments].concat())?,
    }
    let own = match value.as_str() {
        Some(text) => text_method(state, text, name, arguments)?,
        None => container_method(value, name, arguments)?,
    };
    let result = match own {
        Some(result) => result,
        None => pycompat::unknown_method_callback(state, value, name, arguments)?,
    };
    materialize(Meter::from_state(state), result)
}

/// A method of texts that the engine lacks or has otherwise than Python.
fn text_method(state: &mut State<'_, '_>, text: &str, name: &str, arguments: &[Value]) -> Result<Option<Value>, Error> {
    Ok(Some(match name {
        "casefold" => text.replace('ß', "ss").chars().flat_map(char::to_lowercase).collect::<String>().into(),
        "center" | "ljust" | "rjust" | "zfill" => padded(state, text, name, arguments)?.into(),
        "count" | "endswith" | "find" | "index" | "rfind" | "rindex" | "startswith" => {
            search(part_of(text, arguments)?, name, arguments)?
        }
        "expandtabs" => expand_tabs(state, text, arguments)?.into(),
        "isdecimal" => (!text.is_empty() && text.chars().all(|c| c.is_ascii_digit())).into(),
        "isidentifier" => {
            let is_start = |c: char| c.is_alphabetic() || c == '_';
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            (text.starts_with(is_start) && text.chars().all(is_part)).into()
        }
        "istitle" => (text.chars().any(char::is_alphabetic) && title(text) == text).into(),
        "join" => join(state, text, arguments)?.into(),
        "partition" | "rpartition" => partition(text, name, arguments)?,
        "removeprefix" => {
            let (prefix,): (&str,) = from_args(arguments)?;
            text.strip_prefix(prefix).unwrap_or(text).into()
        }
        "removesuffix" => {
            let (suffix,): (&str,) = from_args(arguments)?;
            text.strip_suffix(suffix).unwrap_or(text).into()
        }
        "rsplit" | "split" => split(text, name, arguments)?,
        "splitlines" => lines(text, arguments)?,
        "swapcase" => swapped_case(text).into(),
        "title" => {
            let () = from_args(arguments)?;
            title(text).into()
        }
        _ => return Ok(None),
    }))
}

/// A method of lists and maps that the engine lacks.
fn container_method(value: &Value, name: &str, arguments: &[Value]) -> Result<Option<Value>, Error> {
    match (value.kind(), name) {
        (ValueKind::Seq | ValueKind::Iterable, "index") => {
            let (wanted,): (&Value,) = from_args(arguments)?;
            let index = value.try_iter()?.position(|item| item == *wanted);
            index.map(|index| Some(Value::from(index))).ok_or_else(|| failure("the value is not in the list"))
        }
        (ValueKind::Seq | ValueKind::Map, "copy") => {
            let () = from_args(arguments)?;
            Ok(Some(value.clone()))
        }
        _ => Ok(None),
    }
}

fn padded(state: &mut State<'_, '_>, text: &str, name: &str, arguments: &[Value]) -> Result<String, Error> {
    let (width, fill): (&Value, Option<&str>) = from_args(arguments)?;
    let width = usize::try_from(integer(width, "a width")?.max(0)).unwrap_or(usize::MAX);
    let mut fills = fill.unwrap_or(if name == "zfill" { "0" } else { " " }).chars();
    let (Some(fill), None) = (fills.next(), fills.next()) else {
        return Err(failure("what a text is filled with is one character"));
    };
    Meter::from_state(state).spend_made((width as u64).saturating_mul(fill.len_utf8() as u64))?;
    if name == "center" {
        return Ok(centered(text, width, fill));
    }
    let padding: String = std::iter::repeat_n(fill, width.saturating_sub(text.chars().count())).collect();
    Ok(match (name, text.strip_prefix(['+', '-'])) {
        ("ljust", _) => [text, &padding].concat(),
        ("zfill", Some(digits)) => [&text[..1], &padding, digits].concat(),
        _ => [&padding, text].concat(),
    })
}

/// The part of a text between the bounds that are the second and third argument, and where it begins.
struct Part<'t> {
    start: usize,
    text: &'t str,
}

/// Nothing when the bounds leave nothing, not even an empty part.
fn part_of<'t>(text: &'t str, arguments: &[Value]) -> Result<Option<Part<'t>>, Error> {
    let (_, start, stop): (&Value, Option<&Value>, Option<&Value>) = from_args(arguments)?;
    let length = text.chars().count();
    let bound = |value: Option<&Value>, default: usize| -> Result<usize, Error> {
        let Some(value) = value.filter(|value| !value.is_none()) else { return Ok(default) };
        let bound = integer(value, "a bound")?;
        let from_start = if bound < 0 { bound.saturating_add(length as i128).max(0) } else { bound };
        Ok(usize::try_from(from_start).unwrap_or(usize::MAX))
    };
    let (start, stop) = (bound(start, 0)?, bound(stop, length)?.min(length));
    if start > stop {
        return Ok(None);
    }
    let offset = |index| text.char_indices().nth(index).map_or(text.len(), |(offset, _)| offset);
    Ok(Some(Part { start, text: &text[offset(start)..offset(stop)] }))
}

fn search(part: Option<Part<'_>>, name: &str, arguments: &[Value]) -> Result<Value, Error> {
    let (first, _, _): (&Value, Option<&Value>, Option<&Value>) = from_args(arguments)?;
    let mismatch = |value: &Value| failure(format!("`{name}` takes a text, not {}", value.kind()));
    if let "startswith" | "endswith" = name {
        let affixes: Vec<Value> = if first.is_tuple() { first.try_iter()?.collect() } else { vec![first.clone()] };
        let mut found = false;
        for affix in &affixes {
            let affix = affix.as_str().ok_or_else(|| mismatch(affix))?;
            found |= part.as_ref().is_some_and(|part| match name {
                "startswith" => part.text.starts_with(affix),
                _ => part.text.ends_with(affix),
            });
        }
        return Ok(found.into());
    }
    let wanted = first.as_str().ok_or_else(|| mismatch(first))?;
    if name == "count" {
        return Ok(part.map_or(0, |part| part.text.matches(wanted).count()).into());
    }
    let index = part.and_then(|part| {
        let offset = if name.starts_with('r') { part.text.rfind(wanted) } else { part.text.find(wanted) };
        offset.map(|offset| part.start + part.text[..offset].chars().count())
    });
    match index {
        Some(index) => Ok(index.into()),
        None if name.ends_with("index") => Err(failure("the text is not in the other one")),
        None => Ok((-1).into()),
    }
}

fn expand_tabs(state: &mut State<'_, '_>, text: &str, arguments: &[Value]) -> Result<String, Error> {
    let (size, named): (Option<&Value>, Kwargs) = from_args(arguments)?;
    let size = match size {
        Some(size) => Some(size.clone()),
        None => named.get::<Option<Value>>("tabsize")?,
    };
    named.assert_all_used()?;
    let size = size.map_or(Ok(8), |size| integer(&size, "the size of tabs"))?.max(0);
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    let tabs = text.matches('\t').count() as u64;
    Meter::from_state(state).spend_made(tabs.saturating_mul(size as u64))?;
    let (mut expanded, mut column) = (String::new(), 0);
    for c in text.chars() {
        match c {
            '\t' => {
                let blanks = if size == 0 { 0 } else { size - column % size };
                expanded.extend(std::iter::repeat_n(' ', blanks));
                column += blanks;
            }
            _ => {
                expanded.push(c);
                column = if matches!(c, '\n' | '\r') { 0 } else { column + 1 };
            }
        }
    }
    Ok(expanded)
}

fn join(state: &mut State<'_, '_>, between: &str, arguments: &[Value]) -> Result<String, Error> {
    let (list,): (&Value,) = from_args(arguments)?;
    let items = elements(state, list)?;
    let mut texts = Vec::with_capacity(items.len());
    for item in &items {
        check_defined(state, item)?;
        texts.push(item.as_str().ok_or_else(|| failure(format!("only texts are joined, not {}", item.kind())))?);
    }
    Ok(texts.join(between))
}

fn partition(text: &str, name: &str, arguments: &[Value]) -> Result<Value, Error> {
    let (separator,): (&str,) = from_args(arguments)?;
    if separator.is_empty() {
        return Err(failure("the separator is empty"));
    }
    let parts = match (name, text.split_once(separator), text.rsplit_once(separator)) {
        ("partition", Some((before, after)), _) | ("rpartition", _, Some((before, after))) => {
            [before, separator, after]
        }
        ("partition", ..) => [text, "", ""],
        _ => ["", "", text],
    };
    Ok(Tuple::from(parts.map(Value::from).to_vec()).into())
}

fn split(text: &str, name: &str, arguments: &[Value]) -> Result<Value, Error> {
    let (separator, limit, named): (Option<Value>, Option<Value>, Kwargs) = from_args(arguments)?;
    let separator = separator.map_or_else(|| named.get::<Option<Value>>("sep"), |value| Ok(Some(value)))?;
    let limit = limit.map_or_else(|| named.get::<Option<Value>>("maxsplit"), |value| Ok(Some(value)))?;
    named.assert_all_used()?;
    let limit = limit.map_or(Ok(-1), |limit| integer(&limit, "a limit"))?;
    let limit = usize::try_from(limit).ok().and_then(|limit| limit.checked_add(1));
    let parts: Vec<&str> = match separator.as_ref().filter(|separator| !separator.is_none()) {
        None => split_blanks(text, name, limit.unwrap_or(usize::MAX)),
        Some(separator) => {
            let separator = separator.as_str().ok_or_else(|| failure("a separator is a text"))?;
            if separator.is_empty() {
                return Err(failure("the separator is empty"));
            }
            if name == "rsplit" {
                let mut parts: Vec<&str> = text.rsplitn(limit.unwrap_or(usize::MAX), separator).collect();
                parts.reverse();
                parts
            } else {
                text.splitn(limit.unwrap_or(usize::MAX), separator).collect()
            }
        }
    };
    Ok(parts.into_iter().map(Value::from).collect())
}

/// Splits between words, into so many parts at most.
fn split_blanks<'t>(text: &'t str, name: &str, most: usize) -> Vec<&'t str> {
    let mut parts = Vec::new();
    let mut rest = text;
    loop {
        rest = if name == "rsplit" { rest.trim_end() } else { rest.trim_start() };
        if rest.is_empty() {
            break;
        }
        let cut = if name == "rsplit" { rest.rfind(char::is_whitespace) } else { rest.find(char::is_whitespace) };
        match cut.filter(|_| parts.len() + 1 < most) {
            None => {
                parts.push(rest);
                break;
            }
            Some(offset) if name == "rsplit" => {
                let word = rest[offset..].trim_start();
                parts.push(word);
                rest = &rest[..offset];
            }
            Some(offset) => {
                parts.push(&rest[..offset]);
                rest = &rest[offset..];
            }
        }
    }
    if name == "rsplit" {
        parts.reverse();
    }
    parts
}

fn lines(text: &str, arguments: &[Value]) -> Result<Value, Error> {
    let (keep, named): (Option<Value>, Kwargs) = from_args(arguments)?;
    let keep = keep.map_or_else(|| named.get::<Option<Value>>("keepends"), |keep| Ok(Some(keep)))?;
    named.assert_all_used()?;
    let keeps = keep.is_some_and(|keep| keep.is_true());
    let without_end = |line: &str| Value::from(line.strip_suffix("\r\n").unwrap_or(line.trim_end_matches(ends_line)));
    Ok(lines_with_ends(text).map(|line| if keeps { Value::from(line) } else { without_end(line) }).collect())
}

/// Each run of letters begins with a capital one.
fn title(text: &str) -> String {
    let (mut titled, mut inside) = (String::with_capacity(text.len()), false);
    for c in text.chars() {
        if inside {
            titled.extend(c.to_lowercase());
        } else {
            titled.extend(c.to_uppercase());
        }
        inside = c.is_alphabetic();
    }
    titled
}

fn swapped_case(text: &str) -> String {
    let mut swapped = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_uppercase() {
            swapped.extend(c.to_lowercase());
        } else {
            swapped.extend(c.to_uppercase());
        }
    }
    swapped
}
