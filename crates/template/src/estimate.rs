//! Estimates of the work and the result size of a filter or method, charged to the [`Meter`] before it runs.

use minijinja::{Error, Value};

use crate::meter::{BYTES_PER_VALUE, Meter, failure};

/// The kinds of results, by how their size follows from the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResultSize {
    /// Something small, or a part of an argument.
    Small,
    /// Lists of the arguments' elements.
    Lists,
    /// All text of the arguments, in another form.
    Text,
    /// Text that the filter itself charges for while it makes it.
    Charged,
    /// All text of the arguments, split.
    Split,
    /// Text padded to a width.
    Padded,
    /// As many rows, or rows as long, as the argument says.
    Rows,
    /// Text with the widths that its format asks for.
    Formatted,
    /// Elements with a text between them.
    Joined,
    /// Text with one passage replaced by another.
    Replaced,
    /// A sum of numbers.
    Sum,
    /// Text without certain characters at its ends.
    Trimmed,
}

/// Charges the meter for the arguments and for the result that will be made of them.
pub(crate) fn estimate(meter: &mut Meter, result_size: ResultSize, arguments: &[Value]) -> Result<(), Error> {
    let weights = arguments.iter().map(|argument| meter.weigh(argument)).collect::<Result<Vec<_>, _>>()?;
    let Some((weight, others)) = weights.split_first() else { return Ok(()) };
    let rest = others.iter().map(|other| other.text).sum::<u64>();
    // An attribute's path is followed in every element.
    meter.spend_steps(weight.values.saturating_mul(rest / 16))?;
    let printed = others.iter().map(|other| other.printed()).fold(0, u64::saturating_add);
    let plain = weight.printed().saturating_add(printed);
    match result_size {
        ResultSize::Small | ResultSize::Lists | ResultSize::Charged => Ok(()),
        ResultSize::Text => {
            // There are letters of two bytes whose capital ones are three letters, of two bytes each.
            let growth = if text(arguments.first()).is_ascii() { 1 } else { 3 };
            meter.spend_made(plain.saturating_mul(growth))
        }
        ResultSize::Split => meter.spend_made(weight.text.saturating_mul(1 + BYTES_PER_VALUE)),
        ResultSize::Padded => meter.spend_made(plain.saturating_add(number(arguments, 1, "width"))),
        ResultSize::Rows => meter.spend_made(number(arguments, 1, "").saturating_mul(BYTES_PER_VALUE)),
        ResultSize::Formatted => {
            let format = text(arguments.first());
            let places = format.matches(['%', '{']).count() as u64;
            meter.spend_made(
                plain.saturating_add(printed.saturating_mul(places)).saturating_add(widths(format).saturating_mul(4)),
            )
        }
        ResultSize::Joined => {
            meter.spend_made(plain.saturating_mul(6).saturating_add(weight.values.saturating_mul(rest)))
        }
        ResultSize::Replaced => {
            let (whole, old) = (text(arguments.first()), text(arguments.get(1)));
            let places = whole.matches(old).count() as u64;
            meter.spend_made(plain.saturating_add(places.saturating_mul(rest)))
        }
        ResultSize::Sum => starts_with_number(arguments),
        ResultSize::Trimmed => {
            meter.spend_steps(weight.text.saturating_mul(rest) / 16)?;
            meter.spend_made(plain)
        }
    }
}

/// An argument as a number, by position or by name; 0 when it is none, for then the filter refuses it or uses its own.
fn number(arguments: &[Value], position: usize, name: &str) -> u64 {
    let magnitude = |value: &Value| i128::try_from(value.clone()).map_or(0, i128::unsigned_abs);
    let by_position = arguments.get(position).map_or(0, magnitude);
    let kwargs = arguments.last().filter(|last| last.is_kwargs()).and_then(|last| last.get_attr(name).ok());
    let largest = by_position.max(kwargs.as_ref().map_or(0, magnitude));
    u64::try_from(largest).unwrap_or(u64::MAX)
}

fn text(argument: Option<&Value>) -> &str {
    argument.and_then(Value::as_str).unwrap_or_default()
}

/// The sum of the numbers in a format.
fn widths(format: &str) -> u64 {
    let numbers = format.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    numbers.map(|digits| digits.parse().unwrap_or(u64::MAX)).fold(0, u64::saturating_add)
}

/// Adding up texts or lists copies them again and again, and Jinja2 refuses texts too. From a number on, the filter
/// itself adds numbers only.
fn starts_with_number(arguments: &[Value]) -> Result<(), Error> {
    let named = arguments.last().filter(|last| last.is_kwargs());
    match named.and_then(|named| named.get_attr("start").ok()) {
        Some(start) if !start.is_undefined() && !start.is_number() => {
            Err(failure(format!("`sum` adds numbers; its start is of type {}", start.kind())))
        }
        _ => Ok(()),
    }
}
