//! Jinja2's functions, the methods of its values, and the filters that the engine lacks.

use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use minijinja::value::{DynObject, Kwargs, Object, ObjectRepr, StringInput, from_args};
use minijinja::{Error, ErrorKind, HtmlEscape, State, Value, functions};
use minijinja_contrib::{globals, pycompat};

use crate::estimate::{ResultSize, estimate};
use crate::meter::{Meter, failure};
use crate::metered::{check_storable, materialize};

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
                let value = Value::from_function(functions::dict).call(state, arguments)?;
                materialize(Meter::from_state(state), value)
            }
            Function::Joiner => Value::from_function(globals::joiner).call(state, arguments),
            Function::Lipsum => lipsum(state, arguments),
            Function::Namespace => {
                for argument in arguments {
                    let values = argument.as_object().and_then(DynObject::try_iter_pairs);
                    values.into_iter().flatten().try_for_each(|(_, value)| check_storable(meter, &value))?;
                }
                Value::from_function(functions::namespace).call(state, arguments)
            }
            Function::Range => range(meter, arguments),
        }
    }
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
    let given = |name: &str, default| Ok::<_, Error>(named.peek::<Option<u64>>(name)?.unwrap_or(default));
    let count = count.map_or_else(|| given("n", 5), Ok)?;
    let (min, max) = (given("min", 20)?, given("max", 100)?);
    if min > max {
        return Err(failure(format!("lipsum from {min} to {max} words; give a `min` that is not above `max`")));
    }
    let words = count.saturating_mul(max.saturating_add(1));
    Meter::from_state(state).spend_steps(words)?;
    Meter::from_state(state).spend_made(words.saturating_mul(LIPSUM_WORD_BYTES))?;
    Value::from_function(globals::lipsum).call(state, arguments)
}

/// Values that are given one after the other, again and again.
#[derive(Debug)]
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

/// Python's methods of texts, lists and maps, as far as they change nothing.
pub(crate) fn method(
    state: &mut State<'_, '_>,
    value: &Value,
    name: &str,
    arguments: &[Value],
) -> Result<Value, Error> {
    let result_size = match name {
        "count" | "endswith" | "find" | "get" | "items" | "keys" | "rfind" | "startswith" | "values" => {
            ResultSize::Small
        }
        "format" => ResultSize::Formatted,
        "join" => ResultSize::Joined,
        "lstrip" | "rstrip" | "strip" => ResultSize::Trimmed,
        "replace" => ResultSize::Replaced,
        "split" | "splitlines" => ResultSize::Split,
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
    let result = pycompat::unknown_method_callback(state, value, name, arguments)?;
    materialize(Meter::from_state(state), result)
}

/// `center` of Jinja2, which is that of Python: an odd blank goes where Python puts it.
pub(crate) fn center(text: &str, width: Option<usize>) -> String {
    let width = width.unwrap_or(80);
    let padding = width.saturating_sub(text.chars().count());
    let left = padding / 2 + (padding & width & 1);
    [&" ".repeat(left), text, &" ".repeat(padding - left)].concat()
}

/// `replace` of Jinja2; the engine's own takes no count.
#[expect(clippy::needless_pass_by_value, reason = "the engine hands arguments over by value")]
pub(crate) fn replace(text: StringInput<'_>, old: &str, new: &str, count: Option<i64>) -> Value {
    let replaced = match count.and_then(|count| usize::try_from(count).ok()) {
        Some(count) => text.as_str().replacen(old, new, count),
        None => text.as_str().replace(old, new),
    };
    text.preserve_safety(replaced)
}

/// `forceescape` of Jinja2: escapes what is marked as safe too.
pub(crate) fn forceescape(value: &Value) -> Value {
    Value::from_safe_string(HtmlEscape(&value.to_string()).to_string())
}

/// `callable` of Jinja2.
pub(crate) fn is_callable(value: &Value) -> bool {
    // The engine's macros look like maps; their type is not public, its name is.
    value
        .as_object()
        .is_some_and(|object| object.repr() == ObjectRepr::Plain || object.type_name().ends_with("::Macro"))
}
