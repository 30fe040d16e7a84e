//! Jinja2's filters, each with an estimate of what it makes.

mod attributes;
mod groups;
mod json;
mod numbers;
mod pprint;
mod printf;
mod text;
mod wordwrap;

use minijinja::value::{Kwargs, Rest, ValueOrKwargs};
use minijinja::{Error, State, Value, filters};
use minijinja_contrib::filters as contrib;

use crate::estimate::{ResultSize, estimate};
use crate::meter::{Meter, failure};
use crate::metered::materialize;
use crate::metered_text::text_of;
use crate::python::check_defined;

use json::tojson;
use pprint::pprint;
use printf::format_filter;
use wordwrap::wordwrap;

pub(crate) use groups::Group;
pub(crate) use numbers::{is_divisible_by, is_even, is_odd};
pub(crate) use printf::formatted;
pub(crate) use text::centered;

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

/// What a filter takes for the value before the bar.
#[derive(Clone, Copy)]
enum Subject {
    /// Anything.
    Value,
    /// Its text: Jinja2 makes one of whatever comes.
    Text,
}

/// A filter of the template language.
pub(crate) struct Filter {
    pub(crate) name: &'static str,
    subject: Subject,
    result_size: ResultSize,
    parameters: Parameters,
    make: fn() -> Value,
}

const fn filter(name: &'static str, result_size: ResultSize, parameters: Parameters, make: fn() -> Value) -> Filter {
    Filter { name, subject: Subject::Value, result_size, parameters, make }
}

const fn text_filter(
    name: &'static str,
    result_size: ResultSize,
    parameters: Parameters,
    make: fn() -> Value,
) -> Filter {
    Filter { name, subject: Subject::Text, result_size, parameters, make }
}

/// Sorted by name.
pub(crate) const FILTERS: &[Filter] = &[
    filter("abs", ResultSize::Small, Either, || Value::from_function(numbers::abs)),
    filter("attr", ResultSize::Small, Positions(&["name"]), || Value::from_function(groups::attr)),
    filter("batch", ResultSize::Rows, Positions(&["linecount", "fill_with"]), || Value::from_function(text::batch)),
    text_filter("capitalize", ResultSize::Text, Either, || Value::from_function(filters::capitalize)),
    text_filter("center", ResultSize::Padded, Names(&["width"]), || Value::from_function(text::center)),
    filter("count", ResultSize::Small, Either, || Value::from_function(text::length)),
    filter("d", ResultSize::Small, DEFAULT, || Value::from_function(filters::default)),
    filter("default", ResultSize::Small, DEFAULT, || Value::from_function(filters::default)),
    filter("dictsort", ResultSize::Lists, Names(&["case_sensitive", "by", "reverse"]), || {
        Value::from_function(groups::dictsort)
    }),
    text_filter("e", ResultSize::Charged, Either, || Value::from_function(text::escape)),
    text_filter("escape", ResultSize::Charged, Either, || Value::from_function(text::escape)),
    filter("filesizeformat", ResultSize::Text, Names(&["binary"]), || Value::from_function(numbers::filesizeformat)),
    filter("first", ResultSize::Small, Either, || Value::from_function(text::first)),
    filter("float", ResultSize::Text, Names(&["default"]), || Value::from_function(numbers::float)),
    text_filter("forceescape", ResultSize::Charged, Either, || Value::from_function(text::forceescape)),
    text_filter("format", ResultSize::Charged, Either, || Value::from_function(format_filter)),
    filter("groupby", ResultSize::Lists, Names(&["attribute", "default", "case_sensitive"]), || {
        Value::from_function(groups::groupby)
    }),
    filter("indent", ResultSize::Charged, Names(&["width", "first", "blank"]), || Value::from_function(text::indent)),
    filter("int", ResultSize::Text, Names(&["default", "base"]), || Value::from_function(numbers::int)),
    filter("items", ResultSize::Lists, Either, || Value::from_function(groups::items)),
    filter("join", ResultSize::Charged, Names(&["d", "attribute"]), || Value::from_function(groups::join)),
    filter("last", ResultSize::Small, Either, || Value::from_function(text::last)),
    filter("length", ResultSize::Small, Either, || Value::from_function(text::length)),
    filter("list", ResultSize::Lists, Either, || Value::from_function(text::list)),
    text_filter("lower", ResultSize::Text, Either, || Value::from_function(filters::lower)),
    filter("map", ResultSize::Lists, Either, || Value::from_function(groups::map)),
    filter("max", ResultSize::Small, Names(&["case_sensitive", "attribute"]), || Value::from_function(groups::max)),
    filter("min", ResultSize::Small, Names(&["case_sensitive", "attribute"]), || Value::from_function(groups::min)),
    filter("pprint", ResultSize::Charged, Either, || Value::from_function(pprint)),
    filter("random", ResultSize::Small, Either, || Value::from_function(contrib::random)),
    filter("reject", ResultSize::Lists, Either, || Value::from_function(groups::reject)),
    filter("rejectattr", ResultSize::Lists, Either, || Value::from_function(groups::rejectattr)),
    text_filter("replace", ResultSize::Charged, Positions(&["old", "new", "count"]), || {
        Value::from_function(text::replace)
    }),
    filter("reverse", ResultSize::Text, Either, || Value::from_function(text::reverse)),
    filter("round", ResultSize::Small, Names(&["precision", "method"]), || Value::from_function(numbers::round)),
    text_filter("safe", ResultSize::Text, Either, || Value::from_function(filters::safe)),
    filter("select", ResultSize::Lists, Either, || Value::from_function(groups::select)),
    filter("selectattr", ResultSize::Lists, Either, || Value::from_function(groups::selectattr)),
    filter("slice", ResultSize::Rows, Positions(&["slices", "fill_with"]), || Value::from_function(text::slice)),
    filter("sort", ResultSize::Lists, Names(&["reverse", "case_sensitive", "attribute"]), || {
        Value::from_function(groups::sort)
    }),
    text_filter("string", ResultSize::Charged, Either, || Value::from_function(filters::string)),
    text_filter("striptags", ResultSize::Text, Either, || Value::from_function(contrib::striptags)),
    filter("sum", ResultSize::Sum, Names(&["attribute", "start"]), || Value::from_function(groups::sum)),
    text_filter("title", ResultSize::Text, Either, || Value::from_function(filters::title)),
    filter("tojson", ResultSize::Charged, Names(&["indent"]), || Value::from_function(tojson)),
    text_filter("trim", ResultSize::Trimmed, Positions(&["chars"]), || Value::from_function(text::trim)),
    filter("truncate", ResultSize::Text, Names(&["length", "killwords", "end", "leeway"]), || {
        Value::from_function(text::truncate)
    }),
    filter("unique", ResultSize::Lists, Names(&["case_sensitive", "attribute"]), || {
        Value::from_function(groups::unique)
    }),
    text_filter("upper", ResultSize::Text, Either, || Value::from_function(filters::upper)),
    filter("urlencode", ResultSize::Charged, Either, || Value::from_function(text::urlencode)),
    text_filter("wordcount", ResultSize::Small, Either, || Value::from_function(text::wordcount)),
    filter(
        "wordwrap",
        ResultSize::Charged,
        Names(&["width", "break_long_words", "wrapstring", "break_on_hyphens"]),
        || Value::from_function(wordwrap),
    ),
    filter("xmlattr", ResultSize::Charged, Names(&["autospace"]), || Value::from_function(text::xmlattr)),
];

const DEFAULT: Parameters = Positions(&["default_value", "boolean"]);

impl Filter {
    /// The engine's filter behind Jinja2's signature and the bounds of the meter.
    pub(crate) fn bounded(&self) -> impl Fn(&mut State<'_, '_>, Rest<ValueOrKwargs>) -> Result<Value, Error> + 'static {
        let (original, result_size, parameters) = ((self.make)(), self.result_size, self.parameters);
        let subject = self.subject;
        move |state: &mut State<'_, '_>, arguments: Rest<ValueOrKwargs>| {
            let mut arguments = arrange_arguments(arguments.into_values(), parameters)?;
            if let (Subject::Text, Some(first)) = (subject, arguments.first_mut()) {
                check_defined(state, first)?;
                if first.as_str().is_none() {
                    let meter = Meter::from_state(state);
                    meter.weigh(first)?;
                    *first = Value::from(text_of(meter, first)?);
                }
            }
            // The sizes follow from the text, not from what it was made of.
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
            let by_position = positions.split_off(positions.len().min(1));
            named.extend(names.iter().map(|name| (*name).to_owned()).zip(by_position));
        }
        _ => {
            for name in &names[positions.len().saturating_sub(1)..] {
                let Some(index) = named.iter().position(|(keyword, _)| keyword == name) else {
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
