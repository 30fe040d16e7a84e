//! Slices as in Python: `xs[start:stop:step]`, each part optional, negative ones counted from the end.

use minijinja::value::{ObjectRepr, Tuple};
use minijinja::{Error, ErrorKind, Value};

use crate::meter::failure;

/// The part of a text, a list or a tuple, as the same kind of value. The engine's own panics on some bounds.
pub(crate) fn slice(value: &Value, start: &Value, stop: &Value, step: &Value) -> Result<Value, Error> {
    let step = bound(step)?.unwrap_or(1);
    if step == 0 {
        return Err(failure("the step of a slice cannot be 0"));
    }
    let (start, stop) = (bound(start)?, bound(stop)?);
    if let Some(text) = value.as_str() {
        let length = text.chars().count();
        let mut indexes = indexes(length, start, stop, step);
        let Some(first) = indexes.next() else { return Ok(Value::from("")) };
        let (count, stride) = (1 + indexes.count(), usize::try_from(step.unsigned_abs()).unwrap_or(usize::MAX));
        let part: String = if step > 0 {
            text.chars().skip(first).step_by(stride).take(count).collect()
        } else {
            text.chars().rev().skip(length - 1 - first).step_by(stride).take(count).collect()
        };
        return Ok(Value::from(part));
    }
    let is_list =
        |object: &minijinja::value::DynObject| matches!(object.repr(), ObjectRepr::Seq | ObjectRepr::Iterable);
    if value.is_undefined() {
        return Err(Error::from(ErrorKind::UndefinedError));
    }
    if !value.as_object().is_some_and(is_list) {
        return Err(failure(format!("a value of type {} cannot be sliced", value.kind())));
    }
    let items: Vec<Value> = value.try_iter()?.collect();
    let part = indexes(items.len(), start, stop, step).map(|index| items[index].clone());
    Ok(if value.is_tuple() { Tuple::from(part.collect::<Vec<_>>()).into() } else { part.collect::<Vec<_>>().into() })
}

fn bound(value: &Value) -> Result<Option<i128>, Error> {
    if value.is_none() {
        return Ok(None);
    }
    match value.as_i64() {
        Some(bound) => Ok(Some(bound.into())),
        None => Err(failure(format!("the bounds of a slice are integers, not {}", value.kind()))),
    }
}

/// The indexes of a slice of `length` elements.
fn indexes(length: usize, start: Option<i128>, stop: Option<i128>, step: i128) -> impl Iterator<Item = usize> {
    let end = length as i128;
    let (lowest, highest) = if step > 0 { (0, end) } else { (-1, end - 1) };
    let clamp = |bound: i128| (if bound < 0 { bound + end } else { bound }).clamp(lowest, highest);
    let (first, last) = if step > 0 { (lowest, highest) } else { (highest, lowest) };
    let (start, stop) = (start.map_or(first, clamp), stop.map_or(last, clamp));
    let inside = move |index: &i128| if step > 0 { *index < stop } else { *index > stop };
    let steps = std::iter::successors(Some(start), move |index| Some(index + step));
    steps.take_while(inside).filter_map(|index| usize::try_from(index).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_those_of_python() {
        let none = None::<i64>;
        for (start, stop, step, part) in [
            (none, none, none, "abcde"),
            (Some(1), Some(3), none, "bc"),
            (Some(-2), none, none, "de"),
            (none, Some(-2), none, "abc"),
            (none, none, Some(2), "ace"),
            (none, none, Some(-1), "edcba"),
            (Some(3), Some(0), Some(-1), "dcb"),
            (Some(0), Some(2), Some(-1), ""),
            (Some(9), Some(-9), Some(-2), "eca"),
            (Some(2), Some(1), none, ""),
            (Some(i64::MAX), none, none, ""),
            (Some(i64::MIN), Some(i64::MAX), Some(i64::MAX), "a"),
            (none, none, Some(i64::MIN), "e"),
        ] {
            let value = |bound: Option<i64>| bound.map_or(Value::from(()), Value::from);
            let sliced = slice(&Value::from("abcde"), &value(start), &value(stop), &value(step)).unwrap();
            assert_eq!(sliced.as_str(), Some(part), "[{start:?}:{stop:?}:{step:?}]");
        }
    }

    #[test]
    fn lists_stay_lists_and_tuples_tuples() {
        let (one, none) = (Value::from(1), Value::from(()));
        let list = slice(&Value::from(vec![1, 2, 3]), &one, &none, &none).unwrap();
        assert_eq!(list.to_string(), "[2, 3]");
        let tuple = Value::from(Tuple::from(vec![one.clone(), one.clone()]));
        assert_eq!(slice(&tuple, &one, &none, &none).unwrap().to_string(), "(1,)");
        for refused in [Value::from(1), none.clone(), Value::UNDEFINED, Value::from_pairs([("a", 1)])] {
            assert!(slice(&refused, &one, &none, &none).is_err(), "{refused:?}");
        }
        assert!(slice(&Value::from("a"), &Value::from("x"), &none, &none).is_err());
    }
}
