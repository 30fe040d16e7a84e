//! The files of the server's JSON types that the parsing of arguments needs.

#[path = "../../crates/server/src/wire/field_error.rs"]
mod field_error;
#[path = "../../crates/server/src/wire/object.rs"]
mod object;
#[path = "../../crates/server/src/wire/parser_words.rs"]
mod parser_words;

pub(crate) use field_error::{invalid_field, json_field_error};
pub(crate) use object::Object;
use parser_words::plain_parser_message;
