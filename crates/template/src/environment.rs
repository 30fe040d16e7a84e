//! The template engine's environment: Jinja2's filters, tests and functions, each within the limits of the [`Meter`].
//!
//! Only what Jinja2 has is here, so that a prompt that is valid here is valid there. `urlize` makes HTML of links and is
//! left out.

use std::sync::LazyLock;

use minijinja::value::{DynObject, Rest, ValueKind, ValueOrKwargs};
use minijinja::{AutoEscape, Environment, Error, State, UndefinedBehavior, Value, escape_formatter, tests};

use crate::filters::{FILTERS, is_divisible_by, is_even, is_odd};
use crate::functions::FUNCTIONS;
use crate::meter::Meter;
use crate::metered::MeteredCall;
use crate::metered_text::{Budget, MeteredText, text_of};
use crate::methods::method;
use crate::operators::{Comparison, is_in};
use crate::python::{check_defined, write_html, write_text};

/// Instructions of one rendering.
const MAX_INSTRUCTIONS: u64 = 2_000_000;
/// What macros, blocks and loops inside one another may cost; a macro costs 4.
const MAX_RECURSION: usize = 400;

type MakeTest = fn() -> Value;

const TESTS: &[(&str, MakeTest)] = &[
    ("!=", || Comparison::NotEqual.test()),
    ("<", || Comparison::Less.test()),
    ("<=", || Comparison::LessOrEqual.test()),
    ("==", || Comparison::Equal.test()),
    (">", || Comparison::Greater.test()),
    (">=", || Comparison::GreaterOrEqual.test()),
    ("boolean", || Value::from_function(tests::is_boolean)),
    ("callable", || Value::from_function(crate::functions::is_callable)),
    ("defined", || Value::from_function(tests::is_defined)),
    ("divisibleby", || Value::from_function(is_divisible_by)),
    ("eq", || Comparison::Equal.test()),
    ("equalto", || Comparison::Equal.test()),
    ("escaped", || Value::from_function(tests::is_safe)),
    ("even", || Value::from_function(is_even)),
    ("false", || Value::from_function(tests::is_false)),
    ("filter", || Value::from_function(is_filter_name)),
    ("float", || Value::from_function(tests::is_float)),
    ("ge", || Comparison::GreaterOrEqual.test()),
    ("greaterthan", || Comparison::Greater.test()),
    ("gt", || Comparison::Greater.test()),
    ("in", || Value::from_function(is_in)),
    ("integer", || Value::from_function(tests::is_integer)),
    ("iterable", || Value::from_function(is_iterable)),
    ("le", || Comparison::LessOrEqual.test()),
    ("lessthan", || Comparison::Less.test()),
    ("lower", || Value::from_function(is_lower)),
    ("lt", || Comparison::Less.test()),
    ("mapping", || Value::from_function(tests::is_mapping)),
    ("ne", || Comparison::NotEqual.test()),
    ("none", || Value::from_function(tests::is_none)),
    ("number", || Value::from_function(tests::is_number)),
    ("odd", || Value::from_function(is_odd)),
    ("sameas", || Value::from_function(tests::is_sameas)),
    ("sequence", || Value::from_function(is_sequence)),
    ("string", || Value::from_function(tests::is_string)),
    ("test", || Value::from_function(is_test_name)),
    ("true", || Value::from_function(tests::is_true)),
    ("undefined", || Value::from_function(tests::is_undefined)),
    ("upper", || Value::from_function(is_upper)),
];

pub(crate) fn is_filter(name: &str) -> bool {
    FILTERS.binary_search_by_key(&name, |filter| filter.name).is_ok()
}

pub(crate) fn is_test(name: &str) -> bool {
    TESTS.binary_search_by_key(&name, |(test, _)| test).is_ok()
}

pub(crate) fn is_function(name: &str) -> bool {
    FUNCTIONS.iter().any(|(function, _)| *function == name)
}

fn is_filter_name(name: &str) -> bool {
    is_filter(name)
}

fn is_test_name(name: &str) -> bool {
    is_test(name)
}

fn is_lower(state: &mut State<'_, '_>, value: &Value) -> Result<bool, Error> {
    check_defined(state, value)?;
    let text = text_of(Meter::from_state(state), value)?;
    Ok(text.contains(char::is_lowercase) && !text.contains(char::is_uppercase))
}

fn is_upper(state: &mut State<'_, '_>, value: &Value) -> Result<bool, Error> {
    check_defined(state, value)?;
    let text = text_of(Meter::from_state(state), value)?;
    Ok(text.contains(char::is_uppercase) && !text.contains(char::is_lowercase))
}

fn is_iterable(state: &mut State<'_, '_>, value: &Value) -> Result<bool, Error> {
    check_defined(state, value)?;
    let has_elements = |object: &DynObject| object.try_iter().is_some();
    Ok(value.is_undefined() || value.as_str().is_some() || value.as_object().is_some_and(has_elements))
}

/// What has a length and elements to ask for: texts and maps too.
fn is_sequence(state: &mut State<'_, '_>, value: &Value) -> bool {
    if value.is_undefined() {
        return check_defined(state, value).is_ok();
    }
    matches!(value.kind(), ValueKind::String | ValueKind::Seq | ValueKind::Map)
}

/// The engine with all filters, tests and functions: strict about undefined values, and without a way to load anything.
pub(crate) static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::empty();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(MAX_INSTRUCTIONS));
    environment.set_recursion_limit(MAX_RECURSION);
    // It makes errors name the variable that is undefined.
    environment.set_debug(true);
    environment.set_formatter(|out, state, value| {
        let meter = Meter::from_state(state);
        meter.weigh(value)?;
        if value.is_undefined() {
            return escape_formatter(out, state, value);
        }
        let escapes = !matches!(state.auto_escape(), AutoEscape::None);
        let mut text = MeteredText::onto(Meter::from_state(state), Budget::Written, out);
        let outcome = if escapes { write_html(&mut text, value) } else { write_text(&mut text, value) };
        text.finish(outcome).map(drop)
    });
    environment.set_unknown_method_callback(method);
    for filter in FILTERS {
        environment.add_filter(filter.name, filter.bounded());
    }
    for (name, make) in TESTS {
        let test = make();
        environment.add_test(*name, move |state: &mut State<'_, '_>, arguments: Rest<ValueOrKwargs>| {
            let arguments = arguments.into_values();
            let meter = Meter::from_state(state);
            arguments.iter().try_for_each(|argument| meter.weigh(argument).map(drop))?;
            test.call(state, &arguments).map(|outcome| outcome.is_true())
        });
    }
    for (name, function) in FUNCTIONS {
        environment.add_global(*name, Value::from_object(*function));
    }
    for call in MeteredCall::ALL {
        environment.add_global(call.name(), Value::from_object(call));
    }
    environment
});

/// The undefined value that prints as nothing, is false and has no elements, where others fail.
pub(crate) fn quiet_undefined() -> Result<Value, Error> {
    // It is what an `if` expression without `else` gives, and there is no other way to it.
    ENVIRONMENT.compile_expression("0 if false")?.eval(())
}

#[cfg(test)]
mod tests_of_names {
    use super::*;

    #[test]
    fn names_are_sorted_for_the_binary_search() {
        assert!(FILTERS.is_sorted_by_key(|filter| filter.name));
        assert!(TESTS.is_sorted_by_key(|(name, _)| *name));
    }

    #[test]
    fn names_are_those_of_jinja2() {
        let filters = "abs attr batch capitalize center count d default dictsort e escape filesizeformat first float \
                       forceescape format groupby indent int items join last length list lower map max min pprint \
                       random reject rejectattr replace reverse round safe select selectattr slice sort string \
                       striptags sum title tojson trim truncate unique upper urlencode wordcount wordwrap xmlattr";
        assert_eq!(FILTERS.iter().map(|filter| filter.name).collect::<Vec<_>>().join(" "), filters);
        let functions: Vec<_> = FUNCTIONS.iter().map(|(name, _)| *name).collect();
        assert_eq!(functions, ["cycler", "dict", "joiner", "lipsum", "namespace", "range"]);
        assert_eq!(TESTS.len(), 39);
    }
}
