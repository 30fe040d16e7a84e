//! Python's operators where the engine has others: comparisons, `%` and `~`.

use std::cmp::Ordering;

use minijinja::machinery::ast::CompareOpKind;
use minijinja::{AutoEscape, Error, State, Value};

use crate::estimate::{ResultSize, estimate};
use crate::filters::formatted;
use crate::meter::{Meter, failure};
use crate::metered_text::MeteredText;
use crate::python::{Number, check_defined, compare, contains, write_html, write_text};

/// A comparison of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    NotIn,
}

impl Comparison {
    const ALL: [(Comparison, &str); 8] = [
        (Comparison::Equal, "=="),
        (Comparison::NotEqual, "!="),
        (Comparison::Less, "<"),
        (Comparison::LessOrEqual, "<="),
        (Comparison::Greater, ">"),
        (Comparison::GreaterOrEqual, ">="),
        (Comparison::In, "in"),
        (Comparison::NotIn, "not in"),
    ];

    /// Its name, which [`chain`] knows it by.
    pub(crate) fn name(self) -> &'static str {
        Comparison::ALL.iter().find(|(comparison, _)| *comparison == self).map_or("", |(_, name)| name)
    }

    fn holds(self, state: &State<'_, '_>, left: &Value, right: &Value) -> Result<bool, Error> {
        check_defined(state, left)?;
        check_defined(state, right)?;
        Ok(match self {
            Comparison::Equal => left == right,
            Comparison::NotEqual => left != right,
            Comparison::Less => compare(left, right)? == Some(Ordering::Less),
            Comparison::LessOrEqual => compare(left, right)?.is_some_and(Ordering::is_le),
            Comparison::Greater => compare(left, right)? == Some(Ordering::Greater),
            Comparison::GreaterOrEqual => compare(left, right)?.is_some_and(Ordering::is_ge),
            Comparison::In => contains(state, right, left)?,
            Comparison::NotIn => !contains(state, right, left)?,
        })
    }

    /// The test that compares.
    pub(crate) fn test(self) -> Value {
        Value::from_function(move |state: &mut State<'_, '_>, left: &Value, right: &Value| {
            self.holds(state, left, right)
        })
    }
}

impl From<CompareOpKind> for Comparison {
    fn from(kind: CompareOpKind) -> Comparison {
        match kind {
            CompareOpKind::Eq => Comparison::Equal,
            CompareOpKind::Ne => Comparison::NotEqual,
            CompareOpKind::Lt => Comparison::Less,
            CompareOpKind::Lte => Comparison::LessOrEqual,
            CompareOpKind::Gt => Comparison::Greater,
            CompareOpKind::Gte => Comparison::GreaterOrEqual,
            CompareOpKind::In => Comparison::In,
            CompareOpKind::NotIn => Comparison::NotIn,
        }
    }
}

/// The test `in`.
pub(crate) fn is_in(state: &mut State<'_, '_>, needle: &Value, container: &Value) -> Result<bool, Error> {
    contains(state, container, needle)
}

/// `a < b <= c`: the names of the comparisons, and one value more than these.
pub(crate) fn chain(state: &mut State<'_, '_>, names: &Value, values: &[Value]) -> Result<Value, Error> {
    let meter = Meter::from_state(state);
    values.iter().try_for_each(|value| meter.weigh(value).map(drop))?;
    for (name, pair) in names.try_iter()?.zip(values.windows(2)) {
        let comparison = Comparison::ALL.iter().find(|(_, known)| name.as_str() == Some(known));
        let (Some((comparison, _)), [left, right]) = (comparison, pair) else { continue };
        if !comparison.holds(state, left, right)? {
            return Ok(Value::from(false));
        }
    }
    Ok(Value::from(true))
}

/// `left % right`: the remainder, or a text with values filled in.
pub(crate) fn remainder(state: &mut State<'_, '_>, left: &Value, right: &Value) -> Result<Value, Error> {
    check_defined(state, left)?;
    check_defined(state, right)?;
    if left.as_str().is_some() {
        estimate(Meter::from_state(state), ResultSize::Charged, &[left.clone(), right.clone()])?;
        return formatted(state, left, right);
    }
    match (Number::from_value(left), Number::from_value(right)) {
        (Some(number), Some(divisor)) => {
            number.remainder(divisor).ok_or_else(|| failure(format!("unable to calculate {left} % {right}")))
        }
        _ => Err(failure(format!("cannot divide {} by {}", left.kind(), right.kind()))),
    }
}

/// `left ~ right`: their texts, escaped where `autoescape` is on and the other is marked as safe.
pub(crate) fn concatenate(state: &mut State<'_, '_>, left: &Value, right: &Value) -> Result<Value, Error> {
    let meter = Meter::from_state(state);
    [left, right].into_iter().try_for_each(|value| meter.weigh(value).map(drop))?;
    check_defined(state, left)?;
    check_defined(state, right)?;
    let is_html = matches!(state.auto_escape(), AutoEscape::Html) && (left.is_safe() || right.is_safe());
    let mut text = MeteredText::new(Meter::from_state(state));
    let mut write = |part| if is_html { write_html(&mut text, part) } else { write_text(&mut text, part) };
    let outcome = write(left).and_then(|()| write(right));
    let text = text.finish(outcome)?;
    Ok(if is_html { Value::from_safe_string(text) } else { Value::from(text) })
}
