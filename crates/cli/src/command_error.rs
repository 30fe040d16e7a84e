//! The error of a command: a message and a hint for people, an exit code for programs.

use std::fmt;
use std::process::ExitCode;

use interline_items::Error;
use interline_storage::OpenError;

use crate::output;

/// The error that a command ends with.
#[derive(Debug)]
pub(crate) struct CommandError {
    kind: ErrorKind,
    message: String,
    hint: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ErrorKind {
    Refused,
    Usage,
    Failed,
}

impl CommandError {
    /// An error of kind *refused*: the operation cannot be done as things are. Exit code 1.
    pub(crate) fn refused(message: impl fmt::Display) -> CommandError {
        CommandError { kind: ErrorKind::Refused, message: message.to_string(), hint: None }
    }

    /// An error of kind *usage*: an argument or a setting means nothing. Exit code 2.
    pub(crate) fn usage(message: impl fmt::Display) -> CommandError {
        CommandError { kind: ErrorKind::Usage, message: message.to_string(), hint: None }
    }

    /// An error of kind *failed*: the store or the server failed. Exit code 3.
    pub(crate) fn failed(message: impl fmt::Display) -> CommandError {
        CommandError { kind: ErrorKind::Failed, message: message.to_string(), hint: None }
    }

    /// Whether the operation was refused, so that trying again would not help.
    pub(crate) fn is_refusal(&self) -> bool {
        self.kind == ErrorKind::Refused
    }

    /// Adds a hint: what the user can do next.
    pub(crate) fn hint(mut self, hint: impl fmt::Display) -> CommandError {
        self.hint = Some(hint.to_string());
        self
    }

    /// Prints the error on stderr, and returns the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        output::print_to_stderr(&self.to_string());
        ExitCode::from(match self.kind {
            ErrorKind::Refused => 1,
            ErrorKind::Usage => 2,
            ErrorKind::Failed => 3,
        })
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl From<Error> for CommandError {
    fn from(error: Error) -> CommandError {
        match &error {
            // A user who runs a command on the store itself may see its log, and so the detail.
            Error::Unavailable(detail) => {
                CommandError::failed(format!("{error}: {detail}")).hint("nothing was changed; try again")
            }
            Error::Unknown(detail) => CommandError::failed(format!("{error}: {detail}"))
                .hint("it may have been applied: look before doing it again"),
            Error::Internal(detail) => CommandError::failed(format!("the store failed: {detail}")),
            Error::ValidationFailed(fields) => {
                let problems: Vec<_> =
                    fields.iter().map(|field| format!("{}: {}", field.field, field.message)).collect();
                CommandError::refused(problems.join("; "))
            }
            _ => CommandError::refused(&error).hint(error.suggestion()),
        }
    }
}

impl From<OpenError> for CommandError {
    fn from(error: OpenError) -> CommandError {
        let failed = CommandError::failed(&error);
        match error.suggestion() {
            Some(suggestion) => failed.hint(suggestion),
            None => failed,
        }
    }
}

/// Prints what clap has to say, help and version on stdout, errors on stderr, and returns the exit code.
pub(crate) fn print_usage(error: &clap::Error) -> ExitCode {
    // An error of stdout or stderr leaves nowhere to report it.
    let _ = error.print();
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}
