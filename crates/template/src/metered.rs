//! Metered calls: functions that instrumentation puts around the operators of a template, and that charge the
//! [`Meter`] for the values that go in and out.

use std::sync::Arc;

use minijinja::value::{DynObject, Object, ObjectRepr, Tuple};
use minijinja::{Error, ErrorKind, State, Value};

use crate::meter::{BYTES_PER_VALUE, Meter, container_bytes, failure};
use crate::slice::slice;

/// A function that only an instrumented template can name: its name has a blank, which no identifier has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MeteredCall {
    /// Weighs a value that will be visited whole, and returns it.
    Weigh,
    /// Weighs a value that will be printed into a new text, and returns it.
    Print,
    /// Weighs a value that will be copied into a longer one, and returns it.
    Copy,
    /// Weighs a value that an index reaches into, and returns it.
    Index,
    /// Weighs a value that was made, and returns it with nothing lazy left in it.
    Construct,
    /// Weighs a value that something mutable will store (a namespace, `loop.changed`), and returns it.
    Store,
    /// Multiplies two values.
    Multiply,
    /// Slices a value: start, stop and step follow.
    Slice,
}

impl MeteredCall {
    pub(crate) const ALL: [MeteredCall; 8] = [
        MeteredCall::Weigh,
        MeteredCall::Print,
        MeteredCall::Copy,
        MeteredCall::Index,
        MeteredCall::Construct,
        MeteredCall::Store,
        MeteredCall::Multiply,
        MeteredCall::Slice,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            MeteredCall::Weigh => "meter weigh",
            MeteredCall::Print => "meter print",
            MeteredCall::Copy => "meter copy",
            MeteredCall::Index => "meter index",
            MeteredCall::Construct => "meter construct",
            MeteredCall::Store => "meter store",
            MeteredCall::Multiply => "meter multiply",
            MeteredCall::Slice => "meter slice",
        }
    }
}

impl Object for MeteredCall {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, state: &mut State<'_, '_>, arguments: &[Value]) -> Result<Value, Error> {
        let meter = Meter::from_state(state);
        match (**self, arguments) {
            (MeteredCall::Multiply, [left, right]) => multiply(meter, left, right),
            (MeteredCall::Slice, [value, start, stop, step]) => {
                let weight = meter.weigh(value)?;
                // A text is taken apart into characters first.
                meter.spend_steps(weight.text / 4)?;
                meter.spend_made(if weight.depth == 0 { weight.text } else { container_bytes(value) })?;
                slice(value, start, stop, step)
            }
            (MeteredCall::Construct, [value]) => materialize(meter, value.clone()),
            (call, [value]) => {
                let text = value.as_bytes().map_or(0, <[u8]>::len) as u64;
                match call {
                    MeteredCall::Index => meter.spend_steps(1 + text / 16)?,
                    MeteredCall::Print => {
                        let weight = meter.weigh(value)?;
                        meter.spend_made(weight.printed())?;
                    }
                    MeteredCall::Copy => {
                        meter.weigh(value)?;
                        meter.spend_made(text)?;
                    }
                    MeteredCall::Store => check_storable(meter, value)?,
                    MeteredCall::Weigh | MeteredCall::Construct | MeteredCall::Multiply | MeteredCall::Slice => {
                        meter.weigh(value)?;
                    }
                }
                Ok(value.clone())
            }
            _ => Err(Error::from(ErrorKind::MissingArgument)),
        }
    }
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
    materialize(meter, if value.is_tuple() { Value::from(Tuple::from(items)) } else { Value::from(items) })
}
