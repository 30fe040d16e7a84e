//! Jinja2's filters, each with an estimate of what it makes.

use minijinja::value::{Kwargs, Rest, ValueOrKwargs};
use minijinja::{Error, State, Value, filters};
use minijinja_contrib::filters as contrib;

use crate::estimate::{ResultSize, estimate};
use crate::functions::{center, forceescape, replace};
use crate::meter::{Meter, failure};
use crate::metered::materialize;
use crate::wordwrap::wordwrap;

/// How the engine's own filter takes the arguments that Jinja2 allows by position and by name.
#[derive(Clone, Copy)]
enum Parameters {
    /// As they come.
    Either,
    /// By position only; these are their names.
    Positions(&'static [&'static str]),
    /// By name only; these are the names of the positions.
    Names(&'static [&'static str]),
}

use Parameters::{Either, Names, Positions};

/// A filter of the template language.
pub(crate) struct Filter {
    pub(crate) name: &'static str,
    result_size: ResultSize,
    parameters: Parameters,
    make: fn() -> Value,
}

const fn filter(name: &'static str, result_size: ResultSize, parameters: Parameters, make: fn() -> Value) -> Filter {
    Filter { name, result_size, parameters, make }
}

/// Sorted by name.
pub(crate) const FILTERS: &[Filter] = &[
    filter("abs", ResultSize::Small, Either, || Value::from_function(filters::abs)),
    filter("attr", ResultSize::Small, Positions(&["name"]), || Value::from_function(filters::attr)),
    filter("batch", ResultSize::Rows, Positions(&["linecount", "fill_with"]), || Value::from_function(filters::batch)),
    filter("capitalize", ResultSize::Text, Either, || Value::from_function(filters::capitalize)),
    filter("center", ResultSize::Padded, Positions(&["width"]), || Value::from_function(center)),
    filter("count", ResultSize::Small, Either, || Value::from_function(filters::length)),
    filter("d", ResultSize::Small, DEFAULT, || Value::from_function(filters::default)),
    filter("default", ResultSize::Small, DEFAULT, || Value::from_function(filters::default)),
    filter("dictsort", ResultSize::Lists, Names(&["case_sensitive", "by", "reverse"]), || {
        Value::from_function(filters::dictsort)
    }),
    filter("e", ResultSize::Escaped, Either, || Value::from_function(filters::escape)),
    filter("escape", ResultSize::Escaped, Either, || Value::from_function(filters::escape)),
    filter("filesizeformat", ResultSize::Small, Positions(&["binary"]), || {
        Value::from_function(contrib::filesizeformat)
    }),
    filter("first", ResultSize::Small, Either, || Value::from_function(filters::first)),
    filter("float", ResultSize::Small, Either, || Value::from_function(filters::float)),
    filter("forceescape", ResultSize::Escaped, Either, || Value::from_function(forceescape)),
    filter("format", ResultSize::Formatted, Either, || Value::from_function(filters::format)),
    filter("groupby", ResultSize::Lists, Either, || Value::from_function(filters::groupby)),
    filter("indent", ResultSize::Indented, Either, || Value::from_function(filters::indent)),
    filter("int", ResultSize::Small, Either, || Value::from_function(filters::int)),
    filter("items", ResultSize::Lists, Either, || Value::from_function(filters::items)),
    filter("join", ResultSize::Joined, Either, || Value::from_function(filters::join)),
    filter("last", ResultSize::Small, Either, || Value::from_function(filters::last)),
    filter("length", ResultSize::Small, Either, || Value::from_function(filters::length)),
    filter("list", ResultSize::Lists, Either, || Value::from_function(filters::list)),
    filter("lower", ResultSize::Text, Either, || Value::from_function(filters::lower)),
    filter("map", ResultSize::Lists, Either, || Value::from_function(filters::map)),
    filter("max", ResultSize::Small, Names(&["case_sensitive", "attribute"]), || Value::from_function(filters::max)),
    filter("min", ResultSize::Small, Names(&["case_sensitive", "attribute"]), || Value::from_function(filters::min)),
    filter("pprint", ResultSize::Pretty, Either, || Value::from_function(filters::pprint)),
    filter("random", ResultSize::Small, Either, || Value::from_function(contrib::random)),
    filter("reject", ResultSize::Lists, Either, || Value::from_function(filters::reject)),
    filter("rejectattr", ResultSize::Lists, Either, || Value::from_function(filters::rejectattr)),
    filter("replace", ResultSize::Replaced, Positions(&["old", "new", "count"]), || Value::from_function(replace)),
    filter("reverse", ResultSize::Text, Either, || Value::from_function(filters::reverse)),
    filter("round", ResultSize::Small, Either, || Value::from_function(filters::round)),
    filter("safe", ResultSize::Text, Either, || Value::from_function(filters::safe)),
    filter("select", ResultSize::Lists, Either, || Value::from_function(filters::select)),
    filter("selectattr", ResultSize::Lists, Either, || Value::from_function(filters::selectattr)),
    filter("slice", ResultSize::Rows, Positions(&["slices", "fill_with"]), || Value::from_function(filters::slice)),
    filter("sort", ResultSize::Lists, Names(&["reverse", "case_sensitive", "attribute"]), || {
        Value::from_function(filters::sort)
    }),
    filter("string", ResultSize::Text, Either, || Value::from_function(filters::string)),
    filter("striptags", ResultSize::Text, Either, || Value::from_function(contrib::striptags)),
    filter("sum", ResultSize::Sum, Names(&["attribute", "start"]), || Value::from_function(filters::sum)),
    filter("title", ResultSize::Text, Either, || Value::from_function(filters::title)),
    filter("tojson", ResultSize::Pretty, Either, || Value::from_function(filters::tojson)),
    filter("trim", ResultSize::Trimmed, Positions(&["chars"]), || Value::from_function(filters::trim)),
    filter("truncate", ResultSize::Text, Names(&["length", "killwords", "end", "leeway"]), || {
        Value::from_function(contrib::truncate)
    }),
    filter("unique", ResultSize::Lists, Names(&["case_sensitive", "attribute"]), || {
        Value::from_function(filters::unique)
    }),
    filter("upper", ResultSize::Text, Either, || Value::from_function(filters::upper)),
    filter("urlencode", ResultSize::Escaped, Either, || Value::from_function(filters::urlencode)),
    filter("wordcount", ResultSize::Small, Either, || Value::from_function(contrib::wordcount)),
    filter(
        "wordwrap",
        ResultSize::Wrapped,
        Names(&["width", "break_long_words", "wrapstring", "break_on_hyphens"]),
        || Value::from_function(wordwrap),
    ),
];

const DEFAULT: Parameters = Positions(&["default_value", "boolean"]);

impl Filter {
    /// The engine's filter behind Jinja2's signature and the bounds of the meter.
    pub(crate) fn bounded(&self) -> impl Fn(&mut State<'_, '_>, Rest<ValueOrKwargs>) -> Result<Value, Error> + 'static {
        let (original, result_size, parameters) = ((self.make)(), self.result_size, self.parameters);
        move |state: &mut State<'_, '_>, arguments: Rest<ValueOrKwargs>| {
            let arguments = arrange_arguments(arguments.into_values(), parameters)?;
            estimate(Meter::from_state(state), result_size, &arguments)?;
            let value = original.call(state, &arguments)?;
            materialize(Meter::from_state(state), value)
        }
    }
}

/// The arguments as the engine's filter takes them; the first is what is filtered.
fn arrange_arguments(arguments: Vec<Value>, parameters: Parameters) -> Result<Vec<Value>, Error> {
    let names = match parameters {
        Either => return Ok(arguments),
        Positions(names) | Names(names) => names,
    };
    let (mut positions, mut named) = split_arguments(arguments)?;
    if positions.len() > names.len() + 1 {
        return Err(failure(format!("too many arguments; the filter takes {}", names.join(", "))));
    }
    match parameters {
        Names(_) => {
            let given = positions.split_off(positions.len().min(1));
            named.extend(names.iter().map(|name| (*name).to_owned()).zip(given));
        }
        _ => {
            for name in &names[positions.len().saturating_sub(1)..] {
                let Some(index) = named.iter().position(|(given, _)| given == name) else {
                    // A later one may be named all the same: `default(boolean=true)`.
                    if named.is_empty() {
                        break;
                    }
                    positions.push(Value::from(""));
                    continue;
                };
                positions.push(named.swap_remove(index).1);
            }
        }
    }
    if !named.is_empty() {
        positions.push(named.into_iter().collect::<Kwargs>().into());
    }
    Ok(positions)
}

/// Arguments by position, and by name.
type SplitArguments = (Vec<Value>, Vec<(String, Value)>);

fn split_arguments(mut arguments: Vec<Value>) -> Result<SplitArguments, Error> {
    let Some(last) = arguments.pop_if(|last| last.is_kwargs()) else { return Ok((arguments, Vec::new())) };
    let kwargs = Kwargs::try_from(last)?;
    let named = kwargs.args().map(|name| Ok((name.to_owned(), kwargs.peek::<Value>(name)?)));
    let named = named.collect::<Result<_, Error>>()?;
    Ok((arguments, named))
}
