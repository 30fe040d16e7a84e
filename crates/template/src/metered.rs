//! Metered calls: functions that instrumentation puts around the operators of a template, and that charge the
//! [`Meter`] for the values that go in and out.

use std::sync::Arc;

use minijinja::value::{DynObject, Object, ObjectRepr, Tuple};
use minijinja::{Error, ErrorKind, State, Value};

use crate::meter::{BYTES_PER_VALUE, Meter, container_bytes, failure};
use crate::operators::{chain, concatenate, remainder};
use crate::python::{Number, characters, integer_value, is_plain_map};
use crate::slice::slice;

/// A function that only an instrumented template can name: its name has a blank, which no identifier has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MeteredCall {
    /// Weighs a value that will be visited whole, and returns it.
    Weigh,
    /// Weighs a value that will be copied into a longer one, and returns it.
    Copy,
    /// Weighs a value that an index reaches into, and returns it.
    Index,
    /// Weighs a value that was made, and returns it with nothing lazy left in it.
    Construct,
    /// Weighs a value that something mutable will store (a namespace, `loop.changed`), and returns it.
    Store,
    /// Weighs a value that a loop goes through, and returns its elements.
    Iterate,
    /// Weighs a value whose elements a loop unpacks, and returns these with nothing but lists in them.
    IterateUnpacked,
    /// Weighs a value that an assignment unpacks, and returns its elements.
    Unpack,
    /// Compares: the names of the comparisons, and one value more than these.
    Compare,
    /// Makes one text of the texts of two values.
    Concatenate,
    /// Multiplies two values.
    Multiply,
    /// Divides two values for the remainder, or fills the right one into the left one.
    Remainder,
    /// Slices a value: start, stop and step follow.
    Slice,
}

impl MeteredCall {
    pub(crate) const ALL: [MeteredCall; 13] = [
        MeteredCall::Weigh,
        MeteredCall::Copy,
        MeteredCall::Index,
        MeteredCall::Construct,
        MeteredCall::Store,
        MeteredCall::Iterate,
        MeteredCall::IterateUnpacked,
        MeteredCall::Unpack,
        MeteredCall::Compare,
        MeteredCall::Concatenate,
        MeteredCall::Multiply,
        MeteredCall::Remainder,
        MeteredCall::Slice,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            MeteredCall::Weigh => "meter weigh",
            MeteredCall::Copy => "meter copy",
            MeteredCall::Index => "meter index",
            MeteredCall::Construct => "meter construct",
            MeteredCall::Store => "meter store",
            MeteredCall::Iterate => "meter iterate",
            MeteredCall::IterateUnpacked => "meter iterate unpacked",
            MeteredCall::Unpack => "meter unpack",
            MeteredCall::Compare => "meter compare",
            MeteredCall::Concatenate => "meter concatenate",
            MeteredCall::Multiply => "meter multiply",
            MeteredCall::Remainder => "meter remainder",
            MeteredCall::Slice => "meter slice",
        }
    }
}

impl Object for MeteredCall {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, state: &mut State<'_, '_>, arguments: &[Value]) -> Result<Value, Error> {
        match (**self, arguments) {
            (MeteredCall::Compare, [names, values @ ..]) => return chain(state, names, values),
            (MeteredCall::Concatenate, [left, right]) => return concatenate(state, left, right),
            (MeteredCall::Remainder, [left, right]) => return remainder(state, left, right),
            _ => {}
        }
        let meter = Meter::from_state(state);
        match (**self, arguments) {
            (MeteredCall::Multiply, [left, right]) => multiply(meter, left, right),
            (MeteredCall::Slice, [value, start, stop, step]) => {
                let weight = meter.weigh(value)?;
                // A text is gone through by its characters.
                meter.spend_steps(weight.text / 4)?;
                meter.spend_made(if weight.depth == 0 { weight.text } else { container_bytes(value) })?;
                slice(value, start, stop, step)
            }
            (call, [value]) => one_value(meter, call, value),
            _ => Err(Error::from(ErrorKind::MissingArgument)),
        }
    }
}

fn one_value(meter: &mut Meter, call: MeteredCall, value: &Value) -> Result<Value, Error> {
    let text = value.as_bytes().map_or(0, <[u8]>::len) as u64;
    match call {
        MeteredCall::Construct => return materialize(meter, value.clone()),
        MeteredCall::Index => meter.spend_steps(1 + text / 16)?,
        MeteredCall::Copy => {
            meter.weigh(value)?;
            meter.spend_made(text)?;
        }
        MeteredCall::Store => check_storable(meter, value)?,
        MeteredCall::Iterate => {
            meter.weigh(value)?;
            return unpacked(meter, value);
        }
        MeteredCall::IterateUnpacked => {
            meter.weigh(value)?;
            return each_unpacked(meter, value);
        }
        MeteredCall::Unpack => {
            meter.weigh(value)?;
            return unpacked(meter, value);
        }
        MeteredCall::Weigh
        | MeteredCall::Compare
        | MeteredCall::Concatenate
        | MeteredCall::Multiply
        | MeteredCall::Remainder
        | MeteredCall::Slice => {
            meter.weigh(value)?;
        }
    }
    Ok(value.clone())
}

/// What is gone through: the characters of a text, which the engine does not count, or the value.
fn unpacked(meter: &mut Meter, value: &Value) -> Result<Value, Error> {
    if let Some(text) = value.as_str() {
        return characters(meter, text).map(Value::from);
    }
    if value.is_undefined() || value.as_object().is_some() {
        return Ok(value.clone());
    }
    Err(failure(format!("a value of type {} has no elements", value.kind())))
}

/// The elements, each a list where it is a text.
fn each_unpacked(meter: &mut Meter, value: &Value) -> Result<Value, Error> {
    let items = unpacked(meter, value)?;
    let has_text = |items: &DynObject| items.try_iter().into_iter().flatten().any(|item| item.as_str().is_some());
    if !items.as_object().is_some_and(has_text) {
        return Ok(items);
    }
    meter.spend_made(container_bytes(&items))?;
    let items = items.try_iter()?.map(|item| unpacked(meter, &item)).collect::<Result<Vec<_>, _>>()?;
    Ok(Value::from(items))
}

/// Charges for a new value, and makes a list of a lazy one, which would be computed again at each use.
///
/// Text is paid for before it is made; a container's elements are there already and only its lists are new.
pub(crate) fn materialize(meter: &mut Meter, value: Value) -> Result<Value, Error> {
    meter.weigh(&value)?;
    meter.spend_made(container_bytes(&value))?;
    match value.as_object() {
        Some(object) if object.repr() == ObjectRepr::Iterable => {
            Ok(Value::from(object.try_iter().into_iter().flatten().collect::<Vec<_>>()))
        }
        _ => Ok(value),
    }
}

/// Refuses to store a value that is itself mutable: a namespace that holds itself would never be freed, nor end when printed.
pub(crate) fn check_storable(meter: &mut Meter, value: &Value) -> Result<(), Error> {
    meter.weigh(value)?;
    if is_immutable(value) {
        return Ok(());
    }
    Err(failure("only text, numbers, lists and maps can be kept here, not namespaces, loops, macros or functions"))
}

fn is_immutable(value: &Value) -> bool {
    let Some(object) = value.as_object() else { return true };
    match object.repr() {
        ObjectRepr::Map => {
            is_plain_map(object)
                && object
                    .try_iter_pairs()
                    .into_iter()
                    .flatten()
                    .all(|(key, value)| is_immutable(&key) && is_immutable(&value))
        }
        ObjectRepr::Seq | ObjectRepr::Iterable => {
            object.try_iter().into_iter().flatten().all(|item| is_immutable(&item))
        }
        _ => false,
    }
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
    match (Number::from_value(left), Number::from_value(right)) {
        (Some(Number::Integer(left)), Some(Number::Integer(right))) => {
            left.checked_mul(right).map(integer_value).ok_or_else(|| failure("the product is too large"))
        }
        (Some(left), Some(right)) => Ok(Value::from(left.as_float() * right.as_float())),
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
    materialize(meter, if value.is_tuple() { Value::from(Tuple::from(items)) } else { Value::from(items) })
}
