//! Filters that look at an attribute of each element: `groupby`, `join`, `map`, `max`, `min`, `select`, `sort`, `sum`,
//! `unique`. What is undefined there is an error, unless the filter asks whether it is defined.

#![expect(clippy::needless_pass_by_value, reason = "the engine hands arguments over by value")]

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;

use minijinja::value::{Enumerator, Kwargs, Object, ObjectRepr, Rest, Tuple, ValueKind, ValueOrKwargs};
use minijinja::{AutoEscape, Error, ErrorKind, State, Value, filters};

use super::attributes::{Case, Path};
use crate::meter::{BYTES_PER_VALUE, Meter, failure};
use crate::metered_text::MeteredText;
use crate::python::{check_defined, compare, elements, is_plain_map, is_true, write_html, write_text};

/// A group of `groupby`: a pair whose parts have names.
#[derive(Debug)]
pub(crate) struct Group {
    grouper: Value,
    list: Value,
}

impl Object for Group {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        match (key.as_usize(), key.as_str()) {
            (Some(0), None) | (None, Some("grouper")) => Some(self.grouper.clone()),
            (Some(1), None) | (None, Some("list")) => Some(self.list.clone()),
            _ => None,
        }
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(2)
    }
}

/// The elements; whatever is false has none.
fn elements_or_none(state: &mut State<'_, '_>, value: &Value) -> Result<Vec<Value>, Error> {
    if is_true(state, value)? { elements(state, value) } else { Ok(Vec::new()) }
}

/// An element and what it is ordered by.
type Keyed = (Value, Value);

/// The elements with the attribute that the parameters name, as they are compared.
fn keyed(state: &mut State<'_, '_>, value: &Value, parameters: &Kwargs) -> Result<(Path, Vec<Keyed>), Error> {
    let case = Case::from_parameters(parameters)?;
    let path = Path::parse(Meter::from_state(state), parameters.get::<Option<Value>>("attribute")?.as_ref())?;
    let keyed = elements(state, value)?.into_iter().map(|element| {
        let attribute = path.follow(state, &element, None)?;
        Ok((case.key(state, attribute)?, element))
    });
    let keyed = keyed.collect::<Result<_, Error>>()?;
    Ok((path, keyed))
}

/// Sorts as Python does: stable, and failing where two cannot be compared.
fn sort_keyed(items: Vec<Keyed>, wanted: Ordering) -> Result<Vec<Keyed>, Error> {
    let mut runs: Vec<Vec<Keyed>> = items.into_iter().map(|item| vec![item]).collect();
    while runs.len() > 1 {
        let mut merged = Vec::with_capacity(runs.len().div_ceil(2));
        let mut rest = runs.into_iter();
        while let Some(left) = rest.next() {
            merged.push(match rest.next() {
                Some(right) => merge(left, right, wanted)?,
                None => left,
            });
        }
        runs = merged;
    }
    Ok(runs.pop().unwrap_or_default())
}

fn merge(left: Vec<Keyed>, right: Vec<Keyed>, wanted: Ordering) -> Result<Vec<Keyed>, Error> {
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some((left_key, _)), Some((right_key, _))) = (left.peek(), right.peek()) {
        // The right one goes first only when it must.
        let from = if compare(right_key, left_key)? == Some(wanted) { &mut right } else { &mut left };
        merged.extend(from.next());
    }
    merged.extend(left);
    merged.extend(right);
    Ok(merged)
}

fn values(items: Vec<Keyed>) -> Value {
    Value::from(items.into_iter().map(|(_, value)| value).collect::<Vec<_>>())
}

pub(crate) fn sort(state: &mut State<'_, '_>, value: &Value, parameters: Kwargs) -> Result<Value, Error> {
    let reverse = parameters.get::<Option<Value>>("reverse")?.is_some_and(|value| value.is_true());
    let case = Case::from_parameters(&parameters)?;
    let paths = Path::parse_list(Meter::from_state(state), parameters.get::<Option<Value>>("attribute")?.as_ref())?;
    parameters.assert_all_used()?;
    let keyed = elements(state, value)?.into_iter().map(|element| {
        // They are kept until all are sorted.
        Meter::from_state(state).spend_made((paths.len() as u64).saturating_mul(BYTES_PER_VALUE))?;
        let keys = paths.iter().map(|path| {
            let attribute = path.follow(state, &element, None)?;
            case.key(state, attribute)
        });
        let mut keys = keys.collect::<Result<Vec<_>, Error>>()?;
        let key = if keys.len() == 1 { keys.swap_remove(0) } else { Value::from(keys) };
        Ok((key, element))
    });
    let keyed = keyed.collect::<Result<Vec<Keyed>, Error>>()?;
    // Two that are undefined would be equal.
    if paths.len() > 1 && keyed.len() > 1 {
        let keys = keyed.iter().filter_map(|(key, _)| key.try_iter().ok()).flatten();
        keys.into_iter().try_for_each(|key| check_defined(state, &key))?;
    }
    let sorted = sort_keyed(keyed, if reverse { Ordering::Greater } else { Ordering::Less });
    sorted.map(values).map_err(|error| paths.iter().fold(error, |error, path| path.explain(error)))
}

/// The filter `items`: the pairs of a map.
pub(crate) fn items(state: &mut State<'_, '_>, value: &Value) -> Result<Value, Error> {
    pairs(state, value).map(Value::from)
}

fn pairs(state: &mut State<'_, '_>, value: &Value) -> Result<Vec<Value>, Error> {
    check_defined(state, value)?;
    match value.as_object().filter(|object| object.repr() == ObjectRepr::Map) {
        Some(map) => {
            let pair = |(key, value)| Value::from(Tuple::from([key, value]));
            Ok(map.try_iter_pairs().into_iter().flatten().map(pair).collect())
        }
        None if value.is_undefined() => Ok(Vec::new()),
        None => Err(failure(format!("a value of type {} has no pairs", value.kind()))),
    }
}

pub(crate) fn dictsort(state: &mut State<'_, '_>, value: &Value, parameters: Kwargs) -> Result<Value, Error> {
    let reverse = parameters.get::<Option<Value>>("reverse")?.is_some_and(|value| value.is_true());
    let case = Case::from_parameters(&parameters)?;
    let by = parameters.get::<Option<Value>>("by")?;
    parameters.assert_all_used()?;
    let position = match by.as_ref().map_or(Some("key"), Value::as_str) {
        Some("key") => 0,
        Some("value") => 1,
        _ => return Err(failure("a map is sorted by `key` or by `value`")),
    };
    let pairs = pairs(state, value)?.into_iter();
    let keyed = pairs.map(|pair| Ok((case.key(state, pair.get_item_by_index(position)?)?, pair)));
    let keyed = keyed.collect::<Result<Vec<_>, Error>>()?;
    sort_keyed(keyed, if reverse { Ordering::Greater } else { Ordering::Less }).map(values)
}

pub(crate) fn max(state: &mut State<'_, '_>, value: &Value, parameters: Kwargs) -> Result<Value, Error> {
    extreme(state, value, &parameters, Ordering::Greater)
}

pub(crate) fn min(state: &mut State<'_, '_>, value: &Value, parameters: Kwargs) -> Result<Value, Error> {
    extreme(state, value, &parameters, Ordering::Less)
}

/// The first of the elements that no other is beyond; of none it is undefined.
fn extreme(state: &mut State<'_, '_>, value: &Value, parameters: &Kwargs, beyond: Ordering) -> Result<Value, Error> {
    let (path, keyed) = keyed(state, value, parameters)?;
    let mut rest = keyed.into_iter();
    parameters.assert_all_used()?;
    let Some(mut best) = rest.next() else { return Ok(Value::UNDEFINED) };
    for other in rest {
        if compare(&other.0, &best.0).map_err(|error| path.explain(error))? == Some(beyond) {
            best = other;
        }
    }
    Ok(best.1)
}

pub(crate) fn unique(state: &mut State<'_, '_>, value: &Value, parameters: Kwargs) -> Result<Value, Error> {
    let (path, keyed) = keyed(state, value, &parameters)?;
    parameters.assert_all_used()?;
    let mut seen = BTreeSet::new();
    let mut kept = Vec::new();
    for (key, value) in keyed {
        check_defined(state, &key).map_err(|error| path.explain(error))?;
        // To Python, true is 1.
        let key = if key.kind() == ValueKind::Bool { Value::from(i64::from(key.is_true())) } else { key };
        if seen.insert(key) {
            kept.push(value);
        }
    }
    Ok(Value::from(kept))
}

pub(crate) fn groupby(state: &mut State<'_, '_>, value: &Value, parameters: Kwargs) -> Result<Value, Error> {
    let case = Case::from_parameters(&parameters)?;
    let path = Path::parse(Meter::from_state(state), Some(&parameters.get::<Value>("attribute")?))?;
    let default = parameters.get::<Option<Value>>("default")?;
    parameters.assert_all_used()?;
    let mut keyed = Vec::new();
    for element in elements(state, value)? {
        let key = path.follow(state, &element, default.as_ref())?;
        if key.is_undefined() {
            return Err(path.explain(Error::from(ErrorKind::UndefinedError)));
        }
        keyed.push((case.key(state, key)?, element));
    }
    let mut groups: Vec<(Value, Vec<Value>)> = Vec::new();
    for (key, element) in sort_keyed(keyed, Ordering::Less)? {
        match groups.last_mut().filter(|(last, _)| *last == key) {
            Some((_, list)) => list.push(element),
            None => groups.push((key, vec![element])),
        }
    }
    // A group is known by its first element's attribute, as that is written.
    let named = groups.into_iter().map(|(key, list)| {
        let grouper = list.first().map_or(Ok(key), |first| path.follow(state, first, default.as_ref()))?;
        Ok(Value::from_object(Group { grouper, list: Value::from(list) }))
    });
    named.collect::<Result<Vec<_>, Error>>().map(Value::from)
}

pub(crate) fn sum(state: &mut State<'_, '_>, value: &Value, parameters: Kwargs) -> Result<Value, Error> {
    let path = Path::parse(Meter::from_state(state), parameters.get::<Option<Value>>("attribute")?.as_ref())?;
    let start = parameters.get::<Option<Value>>("start")?;
    parameters.assert_all_used()?;
    let items = attributes(state, value, &path, None)?;
    items.iter().try_for_each(|item| check_defined(state, item)).map_err(|error| path.explain(error))?;
    let start = start.map(|start| Kwargs::from_iter([("start", start)]).into());
    let arguments: Vec<Value> = std::iter::once(Value::from(items)).chain(start).collect();
    Value::from_function(filters::sum).call(state, &arguments)
}

fn attributes(
    state: &mut State<'_, '_>,
    value: &Value,
    path: &Path,
    default: Option<&Value>,
) -> Result<Vec<Value>, Error> {
    elements(state, value)?.iter().map(|element| path.follow(state, element, default)).collect()
}

/// Escapes only where Jinja2 does: with `autoescape`, and when something in it is marked as safe.
pub(crate) fn join(state: &mut State<'_, '_>, value: &Value, parameters: Kwargs) -> Result<Value, Error> {
    let between = parameters.has("d").then(|| parameters.get::<Value>("d")).transpose()?;
    let between = between.unwrap_or_else(|| Value::from(""));
    let path = Path::parse(Meter::from_state(state), parameters.get::<Option<Value>>("attribute")?.as_ref())?;
    parameters.assert_all_used()?;
    check_defined(state, &between)?;
    let items = attributes(state, value, &path, None)?;
    items.iter().try_for_each(|item| check_defined(state, item)).map_err(|error| path.explain(error))?;
    let escapes =
        matches!(state.auto_escape(), AutoEscape::Html) && (between.is_safe() || items.iter().any(Value::is_safe));
    let mut joined = MeteredText::new(Meter::from_state(state));
    let outcome = items.iter().enumerate().try_for_each(|(index, item)| {
        let before = (index > 0).then_some(&between);
        let mut parts = before.into_iter().chain([item]);
        parts.try_for_each(|part| if escapes { write_html(&mut joined, part) } else { write_text(&mut joined, part) })
    });
    let joined = joined.finish(outcome)?;
    Ok(if escapes { Value::from_safe_string(joined) } else { Value::from(joined) })
}

/// The filter `map`: an attribute of each element, or what a filter makes of it.
pub(crate) fn map(state: &mut State<'_, '_>, value: &Value, arguments: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let arguments = arguments.into_values();
    if let Some(parameters) = arguments.first().filter(|first| first.is_kwargs()) {
        let parameters = Kwargs::try_from(parameters.clone())?;
        if parameters.has("attribute") {
            let path = Path::parse(Meter::from_state(state), Some(&parameters.get::<Value>("attribute")?))?;
            let default = parameters.get::<Option<Value>>("default")?;
            parameters.assert_all_used()?;
            let elements = Value::from(elements_or_none(state, value)?);
            return attributes(state, &elements, &path, default.as_ref()).map(Value::from);
        }
    }
    let Some((filter, arguments)) = arguments.split_first() else {
        return Err(failure("the filter's name is missing"));
    };
    let filter = filter.as_str().ok_or_else(|| failure("a filter's name is a text"))?;
    let mapped = elements_or_none(state, value)?.into_iter().map(|element| {
        let arguments: Vec<Value> = std::iter::once(element).chain(arguments.iter().cloned()).collect();
        state.apply_filter(filter, &arguments)
    });
    mapped.collect::<Result<Vec<_>, Error>>().map(Value::from)
}

/// The filter `attr`: what is in a map, a list or a text is no attribute of it.
pub(crate) fn attr(state: &mut State<'_, '_>, value: &Value, name: &Value) -> Result<Value, Error> {
    check_defined(state, value)?;
    match value.as_object() {
        None if value.is_undefined() => Err(Error::from(ErrorKind::UndefinedError)),
        Some(object) if object.repr() != ObjectRepr::Seq && !is_plain_map(object) => filters::attr(value, name),
        _ => Ok(Value::UNDEFINED),
    }
}

/// What a selection keeps.
#[derive(Clone, Copy)]
enum Keep {
    Passed,
    Failed,
}

/// What is tested.
#[derive(Clone, Copy)]
enum Tested {
    Element,
    Attribute,
}

pub(crate) fn select(state: &mut State<'_, '_>, value: &Value, arguments: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    selection(state, value, &arguments.into_values(), Keep::Passed, Tested::Element)
}

pub(crate) fn reject(state: &mut State<'_, '_>, value: &Value, arguments: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    selection(state, value, &arguments.into_values(), Keep::Failed, Tested::Element)
}

pub(crate) fn selectattr(
    state: &mut State<'_, '_>,
    value: &Value,
    arguments: Rest<ValueOrKwargs>,
) -> Result<Value, Error> {
    selection(state, value, &arguments.into_values(), Keep::Passed, Tested::Attribute)
}

pub(crate) fn rejectattr(
    state: &mut State<'_, '_>,
    value: &Value,
    arguments: Rest<ValueOrKwargs>,
) -> Result<Value, Error> {
    selection(state, value, &arguments.into_values(), Keep::Failed, Tested::Attribute)
}

fn selection(
    state: &mut State<'_, '_>,
    value: &Value,
    arguments: &[Value],
    keep: Keep,
    tested: Tested,
) -> Result<Value, Error> {
    let (path, arguments) = match (tested, arguments.split_first()) {
        (Tested::Element, _) => (Path::parse(Meter::from_state(state), None)?, arguments),
        (Tested::Attribute, Some((attribute, rest))) => (Path::parse(Meter::from_state(state), Some(attribute))?, rest),
        (Tested::Attribute, None) => return Err(failure("the name of an attribute is missing")),
    };
    let mut kept = Vec::new();
    for element in elements_or_none(state, value)? {
        let subject = path.follow(state, &element, None)?;
        let is_undefined = subject.is_undefined();
        let passed = match arguments.split_first() {
            None => is_true(state, &subject),
            Some((test, rest)) => {
                let test = test.as_str().ok_or_else(|| failure("the name of a test is a text"))?;
                let arguments: Vec<Value> = std::iter::once(subject).chain(rest.iter().cloned()).collect();
                state.perform_test(test, &arguments)
            }
        };
        let passed = passed.map_err(|error| if is_undefined { path.explain(error) } else { error })?;
        if passed == matches!(keep, Keep::Passed) {
            kept.push(element);
        }
    }
    Ok(Value::from(kept))
}
