//! Texts that a command is given: typed, from files, from stdin.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use crate::command_error::CommandError;

/// The text that an option has, or all of stdin where it is `-`.
pub(crate) fn typed_or_stdin(text: &str) -> Result<String, CommandError> {
    if text == "-" { stdin() } else { Ok(text.to_owned()) }
}

/// All of a file, or of stdin where it is `-`, byte for byte.
pub(crate) fn file_or_stdin(path: &OsStr) -> Result<String, CommandError> {
    if path == "-" {
        return stdin();
    }
    let name = Path::new(path).display();
    let bytes = fs::read(path).map_err(|error| CommandError::refused(format!("{name}: {error}")))?;
    String::from_utf8(bytes).map_err(|error| not_utf8(&name.to_string(), &error))
}

fn stdin() -> Result<String, CommandError> {
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|error| CommandError::refused(format!("stdin cannot be read: {error}")))?;
    String::from_utf8(bytes).map_err(|error| not_utf8("stdin", &error))
}

fn not_utf8(name: &str, error: &std::string::FromUtf8Error) -> CommandError {
    let at = error.utf8_error().valid_up_to();
    CommandError::refused(format!("{name} is not UTF-8: its byte {at} is none that UTF-8 has there"))
        .hint("contents are text: convert it first, for instance with `iconv -t UTF-8`")
}
