//! Jinja2's functions, the methods of its values, and the filters that the engine lacks.

use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use minijinja::value::{DynObject, Kwargs, Object, ObjectRepr, StringInput, from_args};
use minijinja::{Error, ErrorKind, HtmlEscape, State, Value, functions};
use minijinja_contrib::{globals, pycompat};

use super::estimate::{Made, estimate};
use super::guard::{keep, made};
use super::meter::{Meter, failure};

/// Elements of a range, as in Jinja2's sandbox.
const MAX_RANGE: i128 = 100_000;
/// Bytes of a word of `lipsum`, at most.
const LIPSUM_WORD_BYTES: u64 = 20;

/// A function of the template language.
#[derive(Clone, Copy, Debug)]
pub(super) enum Function {
    Cycler,
    Dict,
    Joiner,
    Lipsum,
    Namespace,
    Range,
}

pub(super) const FUNCTIONS: &[(&str, Function)] = &[
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
        let meter = Meter::of(state);
        estimate(meter, Made::Nothing, arguments)?;
        match **self {
            Function::Cycler => cycler(arguments),
            Function::Dict => {
                let value = Value::from_function(functions::dict).call(state, arguments)?;
                made(Meter::of(state), value)
            }
            Function::Joiner => Value::from_function(globals::joiner).call(state, arguments),
            Function::Lipsum => lipsum(state, arguments),
            Function::Namespace => {
                for argument in arguments {
                    let values = argument.as_object().and_then(DynObject::try_iter_pairs);
                    values.into_iter().flatten().try_for_each(|(_, value)| keep(meter, &value))?;
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
    made(meter, elements.map(Value::from).collect())
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
    Meter::of(state).spend_steps(words)?;
    Meter::of(state).spend_made(words.saturating_mul(LIPSUM_WORD_BYTES))?;
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
pub(super) fn method(
    state: &mut State<'_, '_>,
    value: &Value,
    name: &str,
    arguments: &[Value],
) -> Result<Value, Error> {
    let made_by = match name {
        "count" | "endswith" | "find" | "get" | "items" | "keys" | "rfind" | "startswith" | "values" => Made::Nothing,
        "format" => Made::Formatted,
        "join" => Made::Joined,
        "lstrip" | "rstrip" | "strip" => Made::Trimmed,
        "replace" => Made::Replaced,
        "split" | "splitlines" => Made::Pieces,
        _ => Made::Text,
    };
    let meter = Meter::of(state);
    match (name, arguments) {
        // A look-up visits the key only.
        ("get", _) => estimate(meter, made_by, arguments)?,
        // The method of the text between takes the list.
        ("join", [list]) => estimate(meter, made_by, &[list.clone(), value.clone()])?,
        _ => estimate(meter, made_by, &[slice::from_ref(value), arguments].concat())?,
    }
    let result = pycompat::unknown_method_callback(state, value, name, arguments)?;
    made(Meter::of(state), result)
}

/// `center` of Jinja2, which is that of Python: an odd blank goes where Python puts it.
pub(super) fn center(text: &str, width: Option<usize>) -> String {
    let width = width.unwrap_or(80);
    let padding = width.saturating_sub(text.chars().count());
    let left = padding / 2 + (padding & width & 1);
    [&" ".repeat(left), text, &" ".repeat(padding - left)].concat()
}

/// `replace` of Jinja2; the engine's own takes no count.
#[expect(clippy::needless_pass_by_value, reason = "the engine hands arguments over by value")]
pub(super) fn replace(text: StringInput<'_>, old: &str, new: &str, count: Option<i64>) -> Value {
    let replaced = match count.and_then(|count| usize::try_from(count).ok()) {
        Some(count) => text.as_str().replacen(old, new, count),
        None => text.as_str().replace(old, new),
    };
    text.preserve_safety(replaced)
}

/// `forceescape` of Jinja2: escapes what is marked as safe too.
pub(super) fn forceescape(value: &Value) -> Value {
    Value::from_safe_string(HtmlEscape(&value.to_string()).to_string())
}

/// `callable` of Jinja2.
pub(super) fn is_callable(value: &Value) -> bool {
    // The engine's macros look like maps; their type is not public, its name is.
    value
        .as_object()
        .is_some_and(|object| object.repr() == ObjectRepr::Plain || object.type_name().ends_with("::Macro"))
}
