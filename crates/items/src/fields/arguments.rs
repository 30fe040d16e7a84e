//! The arguments of prompts.

use std::collections::HashSet;

use super::text::{check, check_length};
use super::{FieldError, Limits};

/// One argument as it is given and shown; only a list that [`Arguments::parse`] accepted is known to be valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// The name of the variable in the template: `^[a-z][a-z0-9_]*$`.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// Whether rendering needs a value for it.
    pub required: bool,
}

/// The arguments of a prompt: valid names, no two alike, in the order in which they were given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments(Vec<Argument>);

impl Arguments {
    /// Checks the list. An error names the argument by its index: `arguments[1].name`.
    pub fn parse(arguments: Vec<Argument>, limits: &Limits) -> Result<Arguments, FieldError> {
        if arguments.len() > limits.arguments {
            return Err(FieldError::too_many("arguments", "arguments", limits.arguments, arguments.len()));
        }
        let mut seen = HashSet::new();
        for (index, argument) in arguments.iter().enumerate() {
            let field = format!("arguments[{index}].name");
            check_name(&field, &argument.name, limits)?;
            if !seen.insert(argument.name.as_str()) {
                let message = format!("`{}` is the name of an earlier argument; names must differ", argument.name);
                return Err(FieldError::new(field, message));
            }
            if let Some(description) = &argument.description {
                check(&format!("arguments[{index}].description"), description, limits.argument_description)?;
            }
        }
        Ok(Arguments(arguments))
    }

    /// Arguments that were parsed before they were stored; limits may have changed since.
    pub fn from_stored(stored: Vec<Argument>) -> Arguments {
        Arguments(stored)
    }

    /// The arguments.
    pub fn as_slice(&self) -> &[Argument] {
        &self.0
    }
}

fn check_name(field: &str, name: &str, limits: &Limits) -> Result<(), FieldError> {
    check_length(field, name, limits.argument_name)?;
    let starts_well = name.starts_with(|c: char| c.is_ascii_lowercase());
    if starts_well && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_')) {
        return Ok(());
    }
    let message = "must start with a letter a-z, then a-z, digits and `_`, like `source_code`";
    Err(FieldError::new(field, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argument(name: &str) -> Argument {
        Argument { name: name.to_owned(), description: None, required: true }
    }

    #[test]
    fn valid_lists_are_kept_in_their_order() {
        let list: Vec<_> = ["b", "a_1", "x__", &"n".repeat(100)].into_iter().map(argument).collect();
        assert_eq!(Arguments::parse(list.clone(), &Limits::default()).unwrap().as_slice(), list);
        assert_eq!(Arguments::parse(Vec::new(), &Limits::default()).unwrap(), Arguments::default());
    }

    #[test]
    fn other_names_are_refused() {
        for name in ["", "A", "1a", "_a", "a-b", "a b", "é", "a\0", "aB", "a\n"] {
            let error = Arguments::parse(vec![argument("ok"), argument(name)], &Limits::default()).unwrap_err();
            assert_eq!(error.field, "arguments[1].name", "{name:?}");
            assert!(error.message.contains("`source_code`"), "{name:?}: {error}");
        }
    }

    #[test]
    fn lengths_and_counts_are_bounded() {
        let limits = Limits { arguments: 2, argument_name: 3, argument_description: 4, ..Limits::default() };
        let described = |text: &str| Argument { description: Some(text.to_owned()), ..argument("a") };
        for (list, error) in [
            (vec![argument("a"), argument("b"), argument("c")], "arguments: has 3 arguments; the limit is 2"),
            (vec![argument("abcd")], "arguments[0].name: has 4 characters; the limit is 3"),
            (vec![described("12345")], "arguments[0].description: has 5 characters; the limit is 4"),
            (vec![described("1\0")], "arguments[0].description: character 2 is NUL (U+0000); remove it"),
        ] {
            assert_eq!(Arguments::parse(list, &limits).unwrap_err().to_string(), error);
        }
        assert!(Arguments::parse(vec![described("1234")], &limits).is_ok());
    }

    #[test]
    fn a_name_that_is_given_twice_is_refused_at_the_second_place() {
        let error =
            Arguments::parse(vec![argument("a"), argument("b"), argument("a")], &Limits::default()).unwrap_err();
        assert_eq!(error.field, "arguments[2].name");
        assert!(error.message.contains("`a` is the name of an earlier argument"), "{error}");
    }
}
