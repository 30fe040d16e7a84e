//! Python's `format % values`: the filter `format`, and `%` with a text on its left.

use std::iter::Peekable;
use std::str::Chars;

use minijinja::formatting::{FormatStyle, format};
use minijinja::value::{Rest, Tuple, ValueKind, ValueOrKwargs};
use minijinja::{Error, State, Value};

use crate::meter::{Meter, failure};
use crate::metered_text::{html_of, repr_of, text_of};
use crate::python::{Number, check_defined, integer, integer_value};

/// The filter `format`: values by position, or by name.
pub(crate) fn format_filter(
    state: &mut State<'_, '_>,
    template: &Value,
    arguments: Rest<ValueOrKwargs>,
) -> Result<Value, Error> {
    let arguments = arguments.into_values();
    match arguments.split_last() {
        Some((named, rest)) if named.is_kwargs() => match rest {
            [] => formatted(state, template, named),
            _ => Err(failure("`format` takes values by position or by name, not both")),
        },
        _ => formatted(state, template, &Tuple::from(arguments).into()),
    }
}

/// `template % values`, where the values are a tuple, a map or a single value.
pub(crate) fn formatted(state: &mut State<'_, '_>, template: &Value, values: &Value) -> Result<Value, Error> {
    Meter::from_state(state).spend_made(template.as_str().map_or(0, str::len) as u64)?;
    let is_map = values.kind() == ValueKind::Map;
    let mut printf = Printf {
        rest: template.as_str().unwrap_or_default().chars().peekable(),
        values: if values.is_tuple() { values.try_iter()?.collect() } else { vec![values.clone()] },
        next: 0,
        map: is_map.then_some(values),
        escape: if template.is_safe() { Escape::Html } else { Escape::Nothing },
    };
    let text = printf.run(state)?;
    // A list that is not used up is no error to Python either; the values by position are a tuple.
    let is_container = values.as_object().is_some() && !values.is_tuple();
    if printf.next < printf.values.len() && !is_container {
        return Err(failure("the format has fewer places than there are values"));
    }
    Ok(if template.is_safe() { Value::from_safe_string(text) } else { Value::from(text) })
}

struct Printf<'a> {
    /// The format from here on.
    rest: Peekable<Chars<'a>>,
    values: Vec<Value>,
    /// The value that comes next.
    next: usize,
    map: Option<&'a Value>,
    escape: Escape,
}

/// What texts are escaped for.
#[derive(Clone, Copy)]
enum Escape {
    /// The format is marked as safe, so that what is filled in has to be.
    Html,
    Nothing,
}

/// One place of the format, `%-5.2f` for example.
struct ConversionSpec {
    flags: String,
    width: usize,
    precision: Option<usize>,
}

impl Printf<'_> {
    fn run(&mut self, state: &mut State<'_, '_>) -> Result<String, Error> {
        let mut text = String::new();
        while let Some(c) = self.rest.next() {
            if c == '%' {
                let place = self.place(state)?;
                Meter::from_state(state).spend_made(place.len() as u64)?;
                text.push_str(&place);
            } else {
                text.push(c);
            }
        }
        Ok(text)
    }

    /// What a place becomes, after its `%`.
    fn place(&mut self, state: &mut State<'_, '_>) -> Result<String, Error> {
        let named = self.rest.next_if_eq(&'(').is_some().then(|| self.key()).transpose()?;
        let mut flags = String::new();
        while let Some(flag) = self.rest.next_if(|c| matches!(c, '-' | '+' | ' ' | '#' | '0')) {
            if !flags.contains(flag) {
                flags.push(flag);
            }
        }
        let mut width = self.number()?.unwrap_or(0);
        if width < 0 {
            flags.push('-');
            width = -width;
        }
        let has_precision = self.rest.next_if_eq(&'.').is_some();
        let precision = if has_precision { Some(self.number()?.unwrap_or(0).max(0)) } else { None };
        while self.rest.next_if(|c| matches!(c, 'h' | 'l' | 'L')).is_some() {}
        let conversion = self.rest.next().ok_or_else(|| failure("the format ends inside of a place"))?;
        if conversion == '%' {
            return Ok("%".to_owned());
        }
        let bytes =
            [Some(width), precision].into_iter().flatten().map(|bytes| u64::try_from(bytes).unwrap_or(u64::MAX));
        Meter::from_state(state).spend_made(bytes.fold(0, u64::saturating_add))?;
        let size = |number: i128| usize::try_from(number).unwrap_or(usize::MAX);
        let place = ConversionSpec { flags, width: size(width), precision: precision.map(size) };
        let value = match named {
            Some(value) => value,
            None => self.value()?,
        };
        check_defined(state, &value)?;
        place.convert(Meter::from_state(state), conversion, &value, self.escape)
    }

    /// The value that a place names, after `%(`.
    fn key(&mut self) -> Result<Value, Error> {
        let mut key = String::new();
        let mut depth = 1_u32;
        for c in self.rest.by_ref() {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let map = self.map.ok_or_else(|| failure("the format names its values, which are not named"))?;
                let value = map.get_attr(&key)?;
                return if value.is_undefined() {
                    Err(failure(format!("there is no value named `{key}`")))
                } else {
                    Ok(value)
                };
            }
            key.push(c);
        }
        Err(failure("the format ends inside of a place"))
    }

    fn value(&mut self) -> Result<Value, Error> {
        let value = self.values.get(self.next).cloned();
        self.next += 1;
        value.ok_or_else(|| failure("the format has more places than there are values"))
    }

    /// A width or precision: digits, or `*` for the next value.
    fn number(&mut self) -> Result<Option<i128>, Error> {
        if self.rest.next_if_eq(&'*').is_some() {
            return integer(&self.value()?, "`*`").map(Some);
        }
        let mut number = None;
        while let Some(digit) = self.rest.next_if(char::is_ascii_digit).and_then(|c| c.to_digit(10)) {
            number = Some(number.unwrap_or(0_i128).saturating_mul(10).saturating_add(i128::from(digit)));
        }
        Ok(number)
    }
}

impl ConversionSpec {
    fn convert(&self, meter: &mut Meter, conversion: char, value: &Value, escape: Escape) -> Result<String, Error> {
        let mismatch = || failure(format!("`%{conversion}` takes a number, not {}", value.kind()));
        let number = Number::from_value(value);
        match conversion {
            's' | 'r' | 'a' => {
                let text = match (escape, conversion) {
                    (Escape::Html, 's') => html_of(meter, value)?,
                    (Escape::Html, _) if !value.is_safe() => {
                        let repr = Value::from(repr_of(meter, value)?);
                        html_of(meter, &repr)?
                    }
                    (Escape::Nothing, 's') => text_of(meter, value)?,
                    _ => repr_of(meter, value)?,
                };
                Ok(self.padded(&text))
            }
            'c' => match (number, value.as_str()) {
                (Some(Number::Integer(code)), _) => {
                    let c = u32::try_from(code).ok().and_then(char::from_u32);
                    let c = c.ok_or_else(|| failure(format!("{code} is no character")))?;
                    Ok(self.padded(&c.to_string()))
                }
                (_, Some(text)) if text.chars().count() == 1 => Ok(self.padded(text)),
                _ => Err(failure("`%c` takes an integer or one character")),
            },
            'd' | 'i' | 'u' => match number.ok_or_else(mismatch)? {
                Number::Float(number) if !number.is_finite() || number.abs() >= 1.7e38 => {
                    Err(failure("the number is too large for an integer"))
                }
                #[expect(clippy::cast_possible_truncation, reason = "that is what the conversion does")]
                Number::Float(number) => self.number('d', integer_value(number as i128)),
                Number::Integer(number) => self.number('d', integer_value(number)),
            },
            'o' | 'x' | 'X' => match number {
                Some(Number::Integer(number)) => self.number(conversion, integer_value(number)),
                _ => Err(mismatch()),
            },
            'e' | 'E' | 'f' | 'F' | 'g' | 'G' => {
                self.number(conversion, Value::from(number.ok_or_else(mismatch)?.as_float()))
            }
            _ => Err(failure(format!("there is no conversion `%{conversion}`"))),
        }
    }

    /// The engine formats numbers as Python does.
    fn number(&self, conversion: char, value: Value) -> Result<String, Error> {
        let width = if self.width > 0 { self.width.to_string() } else { String::new() };
        let precision = self.precision.map_or_else(String::new, |precision| format!(".{precision}"));
        let place = format!("%{}{width}{precision}{conversion}", self.flags);
        format(FormatStyle::Printf, &place, &[value])
    }

    fn padded(&self, text: &str) -> String {
        let kept: String = text.chars().take(self.precision.unwrap_or(usize::MAX)).collect();
        let blanks = " ".repeat(self.width.saturating_sub(kept.chars().count()));
        if self.flags.contains('-') { kept + &blanks } else { blanks + &kept }
    }
}
