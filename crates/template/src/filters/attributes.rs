//! What filters look at in each element: an attribute, and how its text is compared.

use minijinja::value::Kwargs;
use minijinja::{Error, ErrorKind, State, Value};

use crate::meter::{BYTES_PER_VALUE, Meter, failure};
use crate::python::{Number, check_defined};

/// A path to an attribute: `a.b.0`; none is the element itself.
pub(crate) struct Path(Vec<Value>);

impl Path {
    pub(crate) fn parse(meter: &mut Meter, attribute: Option<&Value>) -> Result<Path, Error> {
        let Some(attribute) = attribute.filter(|attribute| !attribute.is_none()) else { return Ok(Path(Vec::new())) };
        if let Some(path) = attribute.as_str() {
            return Path::parse_text(meter, path);
        }
        match Number::from_value(attribute) {
            Some(Number::Integer(_)) => Ok(Path(vec![attribute.clone()])),
            _ => Err(failure(format!("an attribute is a text or an integer, not {}", attribute.kind()))),
        }
    }

    fn parse_text(meter: &mut Meter, path: &str) -> Result<Path, Error> {
        let parts = path.split('.').count() as u64;
        meter.spend_steps(parts)?;
        meter.spend_made((1 + parts).saturating_mul(BYTES_PER_VALUE))?;
        let part = |part: &str| part.parse::<u32>().map_or_else(|_| Value::from(part), Value::from);
        Ok(Path(path.split('.').map(part).collect()))
    }

    /// `a,b.c`: several.
    pub(crate) fn parse_list(meter: &mut Meter, attribute: Option<&Value>) -> Result<Vec<Path>, Error> {
        match attribute.and_then(Value::as_str) {
            Some(paths) => paths.split(',').map(|path| Path::parse_text(meter, path)).collect(),
            None => Ok(vec![Path::parse(meter, attribute)?]),
        }
    }

    /// The attribute of an element; of something undefined there is none.
    pub(crate) fn follow(
        &self,
        state: &mut State<'_, '_>,
        element: &Value,
        default: Option<&Value>,
    ) -> Result<Value, Error> {
        let mut value = element.clone();
        for part in &self.0 {
            check_defined(state, &value).map_err(|error| self.explain(error))?;
            // The characters of a text are counted from its beginning.
            let text = value.as_str().map_or(0, str::len) as u64;
            Meter::from_state(state).spend_steps(1 + text / 16)?;
            value = match (value.as_str(), part.as_usize()) {
                (Some(text), Some(index)) => text.chars().nth(index).map_or(Value::UNDEFINED, Value::from),
                _ => value.get_item(part).unwrap_or(Value::UNDEFINED),
            };
            if let (true, Some(default)) = (value.is_undefined(), default) {
                value = default.clone();
            }
        }
        Ok(value)
    }

    /// Says which attribute it was that was undefined.
    pub(crate) fn explain(&self, error: Error) -> Error {
        if self.0.is_empty() || error.kind() != ErrorKind::UndefinedError {
            return error;
        }
        let path: Vec<String> = self.0.iter().map(Value::to_string).collect();
        Error::new(ErrorKind::UndefinedError, format!("the attribute `{}` is undefined in an element", path.join(".")))
    }
}

/// How texts are compared.
pub(crate) enum Case {
    Sensitive,
    Ignored,
}

impl Case {
    pub(crate) fn from_parameters(parameters: &Kwargs) -> Result<Case, Error> {
        let sensitive = parameters.get::<Option<Value>>("case_sensitive")?.is_some_and(|value| value.is_true());
        Ok(if sensitive { Case::Sensitive } else { Case::Ignored })
    }

    /// What a value is compared by.
    pub(crate) fn key(&self, state: &mut State<'_, '_>, value: Value) -> Result<Value, Error> {
        match (self, value.as_str()) {
            (Case::Ignored, Some(text)) => {
                Meter::from_state(state).spend_made(text.len() as u64)?;
                Ok(Value::from(text.chars().flat_map(char::to_lowercase).collect::<String>()))
            }
            _ => Ok(value),
        }
    }
}
