//! Filters and tests on numbers, and texts that are numbers.

#![expect(clippy::needless_pass_by_value, reason = "the engine hands arguments over by value")]

use minijinja::value::Kwargs;
use minijinja::{Error, State, Value, filters};

use super::text::given;
use crate::meter::failure;
use crate::python::{Number, check_defined, integer, integer_value, is_true};

/// The filter `int`: what is no number is 0, or what `default` says.
pub(crate) fn int(state: &mut State<'_, '_>, value: &Value, parameters: Kwargs) -> Result<Value, Error> {
    let default = given(&parameters, "default")?.unwrap_or_else(|| Value::from(0));
    let base = given(&parameters, "base")?.map_or(Some(10), |base| integer(&base, "a base").ok());
    parameters.assert_all_used()?;
    check_defined(state, value)?;
    if let Some(text) = value.as_str() {
        return match base.map_or(Ok(None), |base| parse_integer(text, base))? {
            Some(number) => Ok(integer_value(number)),
            None => parse_float(text).filter(|number| number.is_finite()).map_or(Ok(default), truncated),
        };
    }
    match Number::from_value(value) {
        Some(Number::Integer(number)) => Ok(integer_value(number)),
        Some(Number::Float(number)) if number.is_nan() => Ok(default),
        Some(Number::Float(number)) => truncated(number),
        None => Ok(default),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "checked just before")]
fn truncated(number: f64) -> Result<Value, Error> {
    if number.abs() < 1.7e38 {
        return Ok(integer_value(number as i128));
    }
    Err(failure("the number is too large for an integer"))
}

/// `int(text, base)`: nothing when it is none; an error when it is too large.
fn parse_integer(text: &str, base: i128) -> Result<Option<i128>, Error> {
    let text = text.trim();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let prefixes = [("0b", 2), ("0o", 8), ("0x", 16)];
    let prefixed =
        digits.get(..2).and_then(|prefix| prefixes.iter().find(|(name, _)| prefix.eq_ignore_ascii_case(name)));
    let (base, digits) = match (base, prefixed) {
        (0, Some((_, base))) => (*base, digits[2..].strip_prefix('_').unwrap_or(&digits[2..])),
        (0, None) if digits.starts_with('0') && digits.contains(|c| !matches!(c, '0' | '_')) => return Ok(None),
        (0, None) => (10, digits),
        (base, Some((_, prefix_base))) if base == i128::from(*prefix_base) => {
            (*prefix_base, digits[2..].strip_prefix('_').unwrap_or(&digits[2..]))
        }
        (2..=36, _) => (u32::try_from(base).unwrap_or(10), digits),
        _ => return Ok(None),
    };
    let Some(digits) = without_underscores(digits) else { return Ok(None) };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(base)) {
        return Ok(None);
    }
    let signed = if negative { format!("-{digits}") } else { digits };
    i128::from_str_radix(&signed, base).map(Some).map_err(|_| failure("the number is too large for an integer"))
}

/// A number's digits; an underscore may stand between two of them.
fn without_underscores(digits: &str) -> Option<String> {
    let misplaced = digits.starts_with('_') || digits.ends_with('_') || digits.contains("__");
    (!misplaced).then(|| digits.replace('_', ""))
}

/// `float(text)`.
fn parse_float(text: &str) -> Option<f64> {
    let text = text.trim();
    let between_digits = |index: usize| {
        let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
        index > 0 && is_digit(text.as_bytes().get(index - 1)) && is_digit(text.as_bytes().get(index + 1))
    };
    if !text.match_indices('_').all(|(index, _)| between_digits(index)) {
        return None;
    }
    text.replace('_', "").parse().ok()
}

/// The filter `float`: what is no number is 0.0, or what `default` says.
pub(crate) fn float(state: &mut State<'_, '_>, value: &Value, parameters: Kwargs) -> Result<Value, Error> {
    let default = given(&parameters, "default")?.unwrap_or_else(|| Value::from(0.0));
    parameters.assert_all_used()?;
    check_defined(state, value)?;
    let number = value.as_str().map_or_else(|| Number::from_value(value).map(Number::as_float), parse_float);
    Ok(number.map_or(default, Value::from))
}

/// The filter `abs`.
pub(crate) fn abs(state: &mut State<'_, '_>, value: &Value) -> Result<Value, Error> {
    check_defined(state, value)?;
    match Number::from_value(value) {
        Some(Number::Integer(number)) => {
            number.checked_abs().map(integer_value).ok_or_else(|| failure("the number is too large"))
        }
        Some(Number::Float(number)) => Ok(Value::from(number.abs())),
        None => Err(failure(format!("`abs` takes a number, not {}", value.kind()))),
    }
}

/// The filter `round`: as the engine has it, but up and down always give a float.
pub(crate) fn round(state: &mut State<'_, '_>, value: &Value, parameters: Kwargs) -> Result<Value, Error> {
    check_defined(state, value)?;
    let method = parameters.peek::<Option<&str>>("method")?;
    let value = match (method, Number::from_value(value)) {
        (_, None) => return Err(failure(format!("`round` takes a number, not {}", value.kind()))),
        (Some("floor" | "ceil"), Some(number)) => Value::from(number.as_float()),
        (_, Some(Number::Integer(number))) => integer_value(number),
        (_, Some(Number::Float(number))) => Value::from(number),
    };
    Value::from_function(filters::round).call(state, &[value, parameters.into()])
}

/// The filter `filesizeformat`.
pub(crate) fn filesizeformat(state: &mut State<'_, '_>, value: &Value, parameters: Kwargs) -> Result<String, Error> {
    let binary = given(&parameters, "binary")?.map_or(Ok(false), |binary| is_true(state, &binary))?;
    parameters.assert_all_used()?;
    check_defined(state, value)?;
    let bytes = value.as_str().map_or_else(|| Number::from_value(value).map(Number::as_float), parse_float);
    let bytes = bytes.ok_or_else(|| failure(format!("`filesizeformat` takes a number, not {}", value.kind())))?;
    let (base, suffix) = if binary { (1024.0_f64, "iB") } else { (1000.0, "B") };
    if (bytes - 1.0).abs() < f64::EPSILON {
        return Ok("1 Byte".to_owned());
    }
    if bytes < base {
        return Ok(format!("{} Bytes", truncated(bytes)?));
    }
    let mut unit = base * base;
    let mut prefixes = "kMGTPEZY".chars().peekable();
    while let Some(prefix) = prefixes.next() {
        if bytes < unit || prefixes.peek().is_none() {
            let prefix = if binary { prefix.to_ascii_uppercase() } else { prefix };
            return Ok(format!("{:.1} {prefix}{suffix}", base * bytes / unit));
        }
        unit *= base;
    }
    Err(failure("the size is too large"))
}

/// The test `divisibleby`.
pub(crate) fn is_divisible_by(state: &mut State<'_, '_>, value: &Value, divisor: &Value) -> Result<bool, Error> {
    check_defined(state, value)?;
    check_defined(state, divisor)?;
    let (Some(number), Some(divided)) = (Number::from_value(value), Number::from_value(divisor)) else {
        return Err(failure(format!("{} cannot be divided by {}", value.kind(), divisor.kind())));
    };
    let remainder = number.remainder(divided).ok_or_else(|| failure("a number cannot be divided by 0"))?;
    Ok(!remainder.is_true())
}

/// The test `even`.
pub(crate) fn is_even(state: &mut State<'_, '_>, value: &Value) -> Result<bool, Error> {
    is_divisible_by(state, value, &Value::from(2))
}

/// The test `odd`: of a number that is not whole, neither holds.
pub(crate) fn is_odd(state: &mut State<'_, '_>, value: &Value) -> Result<bool, Error> {
    check_defined(state, value)?;
    let remainder = Number::from_value(value).and_then(|number| number.remainder(Number::Integer(2)));
    let remainder = remainder.ok_or_else(|| failure(format!("{} is neither even nor odd", value.kind())))?;
    Ok(remainder == Value::from(1))
}
