//! Jinja2's filters, each with an estimate of what it makes.

use minijinja::value::{Kwargs, Rest, ValueOrKwargs};
use minijinja::{Error, State, Value, filters};
use minijinja_contrib::filters as contrib;

use super::estimate::{Made, estimate};
use super::functions::{center, forceescape, replace};
use super::guard;
use super::meter::{Meter, failure};
use super::wordwrap::wordwrap;

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
pub(super) struct Filter {
    pub(super) name: &'static str,
    made: Made,
    parameters: Parameters,
    make: fn() -> Value,
}

const fn filter(name: &'static str, made: Made, parameters: Parameters, make: fn() -> Value) -> Filter {
    Filter { name, made, parameters, make }
}

/// Sorted by name.
pub(super) const FILTERS: &[Filter] = &[
    filter("abs", Made::Nothing, Either, || Value::from_function(filters::abs)),
    filter("attr", Made::Nothing, Positions(&["name"]), || Value::from_function(filters::attr)),
    filter("batch", Made::Rows, Positions(&["linecount", "fill_with"]), || Value::from_function(filters::batch)),
    filter("capitalize", Made::Text, Either, || Value::from_function(filters::capitalize)),
    filter("center", Made::Padded, Positions(&["width"]), || Value::from_function(center)),
    filter("count", Made::Nothing, Either, || Value::from_function(filters::length)),
    filter("d", Made::Nothing, DEFAULT, || Value::from_function(filters::default)),
    filter("default", Made::Nothing, DEFAULT, || Value::from_function(filters::default)),
    filter("dictsort", Made::Lists, Names(&["case_sensitive", "by", "reverse"]), || {
        Value::from_function(filters::dictsort)
    }),
    filter("e", Made::Escaped, Either, || Value::from_function(filters::escape)),
    filter("escape", Made::Escaped, Either, || Value::from_function(filters::escape)),
    filter("filesizeformat", Made::Nothing, Positions(&["binary"]), || Value::from_function(contrib::filesizeformat)),
    filter("first", Made::Nothing, Either, || Value::from_function(filters::first)),
    filter("float", Made::Nothing, Either, || Value::from_function(filters::float)),
    filter("forceescape", Made::Escaped, Either, || Value::from_function(forceescape)),
    filter("format", Made::Formatted, Either, || Value::from_function(filters::format)),
    filter("groupby", Made::Lists, Either, || Value::from_function(filters::groupby)),
    filter("indent", Made::Indented, Either, || Value::from_function(filters::indent)),
    filter("int", Made::Nothing, Either, || Value::from_function(filters::int)),
    filter("items", Made::Lists, Either, || Value::from_function(filters::items)),
    filter("join", Made::Joined, Either, || Value::from_function(filters::join)),
    filter("last", Made::Nothing, Either, || Value::from_function(filters::last)),
    filter("length", Made::Nothing, Either, || Value::from_function(filters::length)),
    filter("list", Made::Lists, Either, || Value::from_function(filters::list)),
    filter("lower", Made::Text, Either, || Value::from_function(filters::lower)),
    filter("map", Made::Lists, Either, || Value::from_function(filters::map)),
    filter("max", Made::Nothing, Names(&["case_sensitive", "attribute"]), || Value::from_function(filters::max)),
    filter("min", Made::Nothing, Names(&["case_sensitive", "attribute"]), || Value::from_function(filters::min)),
    filter("pprint", Made::Pretty, Either, || Value::from_function(filters::pprint)),
    filter("random", Made::Nothing, Either, || Value::from_function(contrib::random)),
    filter("reject", Made::Lists, Either, || Value::from_function(filters::reject)),
    filter("rejectattr", Made::Lists, Either, || Value::from_function(filters::rejectattr)),
    filter("replace", Made::Replaced, Positions(&["old", "new", "count"]), || Value::from_function(replace)),
    filter("reverse", Made::Text, Either, || Value::from_function(filters::reverse)),
    filter("round", Made::Nothing, Either, || Value::from_function(filters::round)),
    filter("safe", Made::Text, Either, || Value::from_function(filters::safe)),
    filter("select", Made::Lists, Either, || Value::from_function(filters::select)),
    filter("selectattr", Made::Lists, Either, || Value::from_function(filters::selectattr)),
    filter("slice", Made::Rows, Positions(&["slices", "fill_with"]), || Value::from_function(filters::slice)),
    filter("sort", Made::Lists, Names(&["reverse", "case_sensitive", "attribute"]), || {
        Value::from_function(filters::sort)
    }),
    filter("string", Made::Text, Either, || Value::from_function(filters::string)),
    filter("striptags", Made::Text, Either, || Value::from_function(contrib::striptags)),
    filter("sum", Made::Sum, Names(&["attribute", "start"]), || Value::from_function(filters::sum)),
    filter("title", Made::Text, Either, || Value::from_function(filters::title)),
    filter("tojson", Made::Pretty, Either, || Value::from_function(filters::tojson)),
    filter("trim", Made::Trimmed, Positions(&["chars"]), || Value::from_function(filters::trim)),
    filter("truncate", Made::Text, Names(&["length", "killwords", "end", "leeway"]), || {
        Value::from_function(contrib::truncate)
    }),
    filter("unique", Made::Lists, Names(&["case_sensitive", "attribute"]), || Value::from_function(filters::unique)),
    filter("upper", Made::Text, Either, || Value::from_function(filters::upper)),
    filter("urlencode", Made::Escaped, Either, || Value::from_function(filters::urlencode)),
    filter("wordcount", Made::Nothing, Either, || Value::from_function(contrib::wordcount)),
    filter("wordwrap", Made::Wrapped, Names(&["width", "break_long_words", "wrapstring", "break_on_hyphens"]), || {
        Value::from_function(wordwrap)
    }),
];

const DEFAULT: Parameters = Positions(&["default_value", "boolean"]);

impl Filter {
    /// The engine's filter behind Jinja2's signature and the bounds of the meter.
    pub(super) fn bounded(&self) -> impl Fn(&mut State<'_, '_>, Rest<ValueOrKwargs>) -> Result<Value, Error> + 'static {
        let (original, made, parameters) = ((self.make)(), self.made, self.parameters);
        move |state: &mut State<'_, '_>, arguments: Rest<ValueOrKwargs>| {
            let arguments = arranged(arguments.into_values(), parameters)?;
            estimate(Meter::of(state), made, &arguments)?;
            let value = original.call(state, &arguments)?;
            guard::made(Meter::of(state), value)
        }
    }
}

/// The arguments as the engine's filter takes them; the first is what is filtered.
fn arranged(arguments: Vec<Value>, parameters: Parameters) -> Result<Vec<Value>, Error> {
    let names = match parameters {
        Either => return Ok(arguments),
        Positions(names) | Names(names) => names,
    };
    let (mut positions, mut named) = split(arguments)?;
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
type Given = (Vec<Value>, Vec<(String, Value)>);

fn split(mut arguments: Vec<Value>) -> Result<Given, Error> {
    let Some(last) = arguments.pop_if(|last| last.is_kwargs()) else { return Ok((arguments, Vec::new())) };
    let kwargs = Kwargs::try_from(last)?;
    let named = kwargs.args().map(|name| Ok((name.to_owned(), kwargs.peek::<Value>(name)?)));
    let named = named.collect::<Result<_, Error>>()?;
    Ok((arguments, named))
}
