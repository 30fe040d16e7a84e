//! Jinja2's functions.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use minijinja::value::{Kwargs, Object, ObjectRepr, from_args};
use minijinja::{Error, ErrorKind, State, Value, functions};
use minijinja_contrib::globals;

use crate::estimate::{ResultSize, estimate};
use crate::meter::{Meter, failure};
use crate::metered::{check_storable, materialize};
use crate::python::elements;

/// Elements of a range, as in Jinja2's sandbox.
const MAX_RANGE: i128 = 100_000;
/// Bytes of a word of `lipsum`, at most.
const LIPSUM_WORD_BYTES: u64 = 20;

/// A function of the template language.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Function {
    Cycler,
    Dict,
    Joiner,
    Lipsum,
    Namespace,
    Range,
}

pub(crate) const FUNCTIONS: &[(&str, Function)] = &[
    ("cycler", Function::Cycler),
    ("dict", Function::Dict),
    ("joiner", Function::Joiner),
    ("lipsum", Function::Lipsum),
    ("namespace", Function::Namespace),
    ("range", Function::Range),
];

impl Object for Function {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, state: &mut State<'_, '_>, arguments: &[Value]) -> Result<Value, Error> {
        let meter = Meter::from_state(state);
        estimate(meter, ResultSize::Small, arguments)?;
        match **self {
            Function::Cycler => cycler(arguments),
            Function::Dict => {
                let pairs = pairs(state, arguments)?;
                materialize(Meter::from_state(state), Value::from_pairs(pairs))
            }
            Function::Joiner => joiner(arguments),
            Function::Lipsum => lipsum(state, arguments),
            Function::Namespace => {
                let pairs = pairs(state, arguments)?;
                let meter = Meter::from_state(state);
                pairs.iter().try_for_each(|(_, value)| check_storable(meter, value))?;
                Value::from_function(functions::namespace).call(state, &[Value::from_pairs(pairs)])
            }
            Function::Range => range(meter, arguments),
        }
    }
}

/// What `dict` takes: a map or a list of pairs, and named values.
fn pairs(state: &mut State<'_, '_>, arguments: &[Value]) -> Result<Vec<(Value, Value)>, Error> {
    let (base, named): (Option<&Value>, Kwargs) = from_args(arguments)?;
    let mut pairs = Vec::new();
    match base.map(|base| (base, base.as_object().filter(|object| object.repr() == ObjectRepr::Map))) {
        None => {}
        Some((_, Some(map))) => pairs.extend(map.try_iter_pairs().into_iter().flatten()),
        Some((list, None)) => {
            for pair in elements(state, list)? {
                match elements(state, &pair)?.as_slice() {
                    [key, value] => pairs.push((key.clone(), value.clone())),
                    other => return Err(failure(format!("a map is made of pairs; here are {} values", other.len()))),
                }
            }
        }
    }
    for name in named.args() {
        pairs.push((Value::from(name), named.peek(name)?));
    }
    Ok(pairs)
}

fn range(meter: &mut Meter, arguments: &[Value]) -> Result<Value, Error> {
    let (first, second, step): (i64, Option<i64>, Option<i64>) = from_args(arguments)?;
    let (start, stop) = second.map_or((0, i128::from(first)), |stop| (i128::from(first), i128::from(stop)));
    let step = i128::from(step.unwrap_or(1));
    let count = match step {
        0 => return Err(failure("the step of a range cannot be 0")),
        1.. => (stop - start + step - 1) / step,
        _ => (start - stop - step - 1) / -step,
    };
    if count > MAX_RANGE {
        return Err(failure(format!("a range of {count} elements; the limit is {MAX_RANGE}")));
    }
    let elements = (0..count).filter_map(|index| i64::try_from(start + index * step).ok());
    materialize(meter, elements.map(Value::from).collect())
}

fn lipsum(state: &mut State<'_, '_>, arguments: &[Value]) -> Result<Value, Error> {
    let (count, named): (Option<u64>, Kwargs) = from_args(arguments)?;
    let named_or = |name: &str, default| Ok::<_, Error>(named.peek::<Option<u64>>(name)?.unwrap_or(default));
    let count = count.map_or_else(|| named_or("n", 5), Ok)?;
    let (min, max) = (named_or("min", 20)?, named_or("max", 100)?);
    if min > max {
        return Err(failure(format!("lipsum from {min} to {max} words; give a `min` that is not above `max`")));
    }
    let words = count.saturating_mul(max.saturating_add(1));
    Meter::from_state(state).spend_steps(words)?;
    Meter::from_state(state).spend_made(words.saturating_mul(LIPSUM_WORD_BYTES))?;
    Value::from_function(globals::lipsum).call(state, arguments)
}

/// A cycler: gives its values one after the other, again and again.
struct Cycler {
    items: Vec<Value>,
    next: AtomicUsize,
}

fn cycler(arguments: &[Value]) -> Result<Value, Error> {
    if arguments.is_empty() || arguments.iter().any(Value::is_kwargs) {
        return Err(failure("a cycler needs at least one value, by position"));
    }
    Ok(Value::from_object(Cycler { items: arguments.to_vec(), next: AtomicUsize::new(0) }))
}

/// The engine prints it like this, and compares what it prints: what it holds is not in its weight.
impl fmt::Debug for Cycler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<cycler>")
    }
}

impl Cycler {
    fn current(&self) -> Option<Value> {
        self.items.get(self.next.load(Ordering::Relaxed) % self.items.len().max(1)).cloned()
    }
}

impl Object for Cycler {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        if key.as_str() == Some("current") { self.current() } else { None }
    }

    fn call_method(self: &Arc<Self>, _: &mut State<'_, '_>, name: &str, arguments: &[Value]) -> Result<Value, Error> {
        let () = from_args(arguments)?;
        match name {
            "next" => {
                let current = self.current();
                self.next.fetch_add(1, Ordering::Relaxed);
                Ok(current.unwrap_or_default())
            }
            "reset" => {
                self.next.store(0, Ordering::Relaxed);
                Ok(Value::from(()))
            }
            _ => Err(Error::from(ErrorKind::UnknownMethod)),
        }
    }
}

/// A joiner: gives nothing when it is called first, and then its separator.
struct Joiner {
    separator: Value,
    is_used: AtomicBool,
}

fn joiner(arguments: &[Value]) -> Result<Value, Error> {
    let (separator, named): (Option<Value>, Kwargs) = from_args(arguments)?;
    let separator = separator.map_or_else(|| named.get::<Option<Value>>("sep"), |separator| Ok(Some(separator)))?;
    named.assert_all_used()?;
    let separator = separator.unwrap_or_else(|| Value::from(", "));
    Ok(Value::from_object(Joiner { separator, is_used: AtomicBool::new(false) }))
}

/// Short for the reason that a [`Cycler`]'s is.
impl fmt::Debug for Joiner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<joiner>")
    }
}

impl Object for Joiner {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, _: &mut State<'_, '_>, arguments: &[Value]) -> Result<Value, Error> {
        let () = from_args(arguments)?;
        let is_used = self.is_used.swap(true, Ordering::Relaxed);
        Ok(if is_used { self.separator.clone() } else { Value::from("") })
    }
}

/// `callable` of Jinja2.
pub(crate) fn is_callable(value: &Value) -> bool {
    // The engine's macros look like maps; their type is not public, its name is.
    value
        .as_object()
        .is_some_and(|object| object.repr() == ObjectRepr::Plain || object.type_name().ends_with("::Macro"))
}
