//! Functions that stand around the operators of a hardened template and weigh what goes in and out.

use std::sync::Arc;

use minijinja::value::{DynObject, Object, ObjectRepr, Tuple};
use minijinja::{Error, ErrorKind, State, Value};

use super::meter::{BYTES_PER_VALUE, Meter, failure, spine};
use super::slice::slice;

/// A function that only hardened templates can name: its name has a blank, which no identifier has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guard {
    /// Weighs a value that will be visited whole, and returns it.
    Weigh,
    /// Weighs a value that will be printed into a new text, and returns it.
    Print,
    /// Weighs a value that will be copied into a longer one, and returns it.
    Copy,
    /// Weighs a value that an index reaches into, and returns it.
    Index,
    /// Weighs a value that was made, and returns it with nothing lazy left in it.
    Made,
    /// Weighs a value that will be kept by something that can change, and returns it.
    Keep,
    /// Multiplies two values.
    Multiply,
    /// Slices a value: start, stop and step follow.
    Slice,
}

impl Guard {
    pub(super) const ALL: [Guard; 8] = [
        Guard::Weigh,
        Guard::Print,
        Guard::Copy,
        Guard::Index,
        Guard::Made,
        Guard::Keep,
        Guard::Multiply,
        Guard::Slice,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Guard::Weigh => "guard weigh",
            Guard::Print => "guard print",
            Guard::Copy => "guard copy",
            Guard::Index => "guard index",
            Guard::Made => "guard made",
            Guard::Keep => "guard keep",
            Guard::Multiply => "guard multiply",
            Guard::Slice => "guard slice",
        }
    }
}

impl Object for Guard {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, state: &mut State<'_, '_>, arguments: &[Value]) -> Result<Value, Error> {
        let meter = Meter::of(state);
        match (**self, arguments) {
            (Guard::Multiply, [left, right]) => multiply(meter, left, right),
            (Guard::Slice, [value, start, stop, step]) => {
                let weight = meter.weigh(value)?;
                // A text is taken apart into characters first.
                meter.spend_steps(weight.text / 4)?;
                meter.spend_made(if weight.depth == 0 { weight.text } else { spine(value) })?;
                slice(value, start, stop, step)
            }
            (Guard::Made, [value]) => made(meter, value.clone()),
            (guard, [value]) => {
                let text = value.as_bytes().map_or(0, <[u8]>::len) as u64;
                match guard {
                    Guard::Index => meter.spend_steps(1 + text / 16)?,
                    Guard::Print => {
                        let weight = meter.weigh(value)?;
                        meter.spend_made(weight.printed())?;
                    }
                    Guard::Copy => {
                        meter.weigh(value)?;
                        meter.spend_made(text)?;
                    }
                    Guard::Keep => keep(meter, value)?,
                    Guard::Weigh | Guard::Made | Guard::Multiply | Guard::Slice => drop(meter.weigh(value)?),
                }
                Ok(value.clone())
            }
            _ => Err(Error::from(ErrorKind::MissingArgument)),
        }
    }
}

/// Weighs a new value and makes a list of one that would be computed again at each use.
///
/// Text is paid for before it is made; a container's elements are there already and only its lists are new.
pub(super) fn made(meter: &mut Meter, value: Value) -> Result<Value, Error> {
    meter.weigh(&value)?;
    meter.spend_made(spine(&value))?;
    match value.as_object() {
        Some(object) if object.repr() == ObjectRepr::Iterable => {
            Ok(Value::from(object.try_iter().into_iter().flatten().collect::<Vec<_>>()))
        }
        _ => Ok(value),
    }
}

/// Refuses to keep what can itself change: a namespace that holds itself would never be freed, nor end when printed.
pub(super) fn keep(meter: &mut Meter, value: &Value) -> Result<(), Error> {
    meter.weigh(value)?;
    if is_still(value) {
        return Ok(());
    }
    Err(failure("only text, numbers, lists and maps can be kept here, not namespaces, loops, macros or functions"))
}

fn is_still(value: &Value) -> bool {
    let Some(object) = value.as_object() else { return true };
    match object.repr() {
        ObjectRepr::Map => {
            is_plain_map(object)
                && object.try_iter_pairs().into_iter().flatten().all(|(key, value)| is_still(&key) && is_still(&value))
        }
        ObjectRepr::Seq | ObjectRepr::Iterable => object.try_iter().into_iter().flatten().all(|item| is_still(&item)),
        _ => false,
    }
}

/// Whether it is a map and not one of the engine's objects that look like one.
fn is_plain_map(object: &DynObject) -> bool {
    // The type of maps is not public, its name is.
    let plain = Value::from_pairs([("", "")]);
    plain.as_object().is_some_and(|plain| plain.type_name() == object.type_name())
}

fn multiply(meter: &mut Meter, left: &Value, right: &Value) -> Result<Value, Error> {
    for value in [left, right] {
        if value.is_undefined() {
            return Err(Error::from(ErrorKind::UndefinedError));
        }
    }
    if let Some((repeated, count)) = repetition(left, right) {
        let count = count.as_i64().ok_or_else(|| failure("text and lists can only be multiplied with integers"))?;
        return repeat(meter, repeated, usize::try_from(count).unwrap_or(0));
    }
    if let (Ok(left), Ok(right)) = (i128::try_from(left.clone()), i128::try_from(right.clone())) {
        let product = left.checked_mul(right).ok_or_else(|| failure("the product is too large"))?;
        return Ok(i64::try_from(product).map_or_else(|_| Value::from(product), Value::from));
    }
    match (f64::try_from(left.clone()), f64::try_from(right.clone())) {
        (Ok(left), Ok(right)) => Ok(Value::from(left * right)),
        _ => Err(failure(format!("cannot multiply {} and {}", left.kind(), right.kind()))),
    }
}

/// The text or list among the two, and the other.
fn repetition<'v>(left: &'v Value, right: &'v Value) -> Option<(&'v Value, &'v Value)> {
    let repeats = |value: &Value| {
        let listed = |object: &DynObject| matches!(object.repr(), ObjectRepr::Seq | ObjectRepr::Iterable);
        value.as_str().is_some() || value.as_object().is_some_and(listed)
    };
    match (repeats(left), repeats(right)) {
        (true, _) => Some((left, right)),
        (false, true) => Some((right, left)),
        (false, false) => None,
    }
}

fn repeat(meter: &mut Meter, value: &Value, count: usize) -> Result<Value, Error> {
    meter.weigh(value)?;
    if let Some(text) = value.as_str() {
        meter.spend_made((text.len() as u64).saturating_mul(count as u64))?;
        return Ok(Value::from(text.repeat(count)));
    }
    let items: Vec<Value> = value.try_iter()?.collect();
    meter.spend_made((items.len() as u64).saturating_mul(BYTES_PER_VALUE).saturating_mul(count as u64))?;
    let items: Vec<Value> = (0..count).flat_map(|_| items.iter().cloned()).collect();
    made(meter, if value.is_tuple() { Value::from(Tuple::from(items)) } else { Value::from(items) })
}
