//! The error of a command: a message and a hint for people, an exit code for programs.

use std::fmt;
use std::process::ExitCode;

use interline_items::Error;
use interline_storage::OpenError;
use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::Value;

use crate::output;

/// The error that a command ends with.
#[derive(Debug)]
pub(crate) struct CommandError {
    kind: ErrorKind,
    message: String,
    /// Lines between the message and the hint.
    details: Vec<String>,
    hint: Option<String>,
    /// The body of the answer that refused it.
    response: Option<Box<Value>>,
}

/// The body of every error response.
#[derive(Deserialize)]
struct ErrorResponse {
    error: String,
    message: String,
    suggestion: String,
    #[serde(default)]
    errors: Vec<FieldError>,
}

#[derive(Deserialize)]
struct FieldError {
    field: String,
    message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ErrorKind {
    Refused,
    Usage,
    Failed,
}

impl CommandError {
    fn new(kind: ErrorKind, message: String) -> CommandError {
        CommandError { kind, message, details: Vec::new(), hint: None, response: None }
    }

    /// An error of kind *refused*: the operation cannot be done as things are. Exit code 1.
    pub(crate) fn refused(message: impl fmt::Display) -> CommandError {
        CommandError::new(ErrorKind::Refused, message.to_string())
    }

    /// An error of kind *usage*: an argument or a setting means nothing. Exit code 2.
    pub(crate) fn usage(message: impl fmt::Display) -> CommandError {
        CommandError::new(ErrorKind::Usage, message.to_string())
    }

    /// An error of kind *failed*: the store or the server failed. Exit code 3.
    pub(crate) fn failed(message: impl fmt::Display) -> CommandError {
        CommandError::new(ErrorKind::Failed, message.to_string())
    }

    /// Whether the operation was refused, so that trying again would not help.
    pub(crate) fn is_refusal(&self) -> bool {
        self.kind == ErrorKind::Refused
    }

    /// Adds the reason to the message.
    pub(crate) fn because(mut self, reason: impl fmt::Display) -> CommandError {
        self.message = format!("{}: {reason}", self.message);
        self
    }

    /// Adds a hint: what the user can do next.
    pub(crate) fn hint(mut self, hint: impl fmt::Display) -> CommandError {
        self.hint = Some(hint.to_string());
        self
    }

    /// Replaces words of the API in message and hint by those of the command.
    pub(crate) fn reworded(mut self, words: &[(&str, &str)]) -> CommandError {
        for (api, ours) in words {
            self.message = self.message.replace(api, ours);
            self.hint = self.hint.map(|hint| hint.replace(api, ours));
        }
        self
    }

    /// Adds lines between the message and the hint.
    pub(crate) fn detail(mut self, lines: impl fmt::Display) -> CommandError {
        self.details.push(lines.to_string());
        self
    }

    /// The error of a response of the API; `None` if its body is not one of ours.
    pub(crate) fn from_response(status: StatusCode, body: &[u8]) -> Option<CommandError> {
        let response: Value = serde_json::from_slice(body).ok()?;
        let error = ErrorResponse::deserialize(&response).ok()?;
        let refused = match error.error.as_str() {
            _ if status.is_server_error() => CommandError::failed(error.message).hint(error.suggestion),
            "unauthorized" => {
                CommandError::refused(error.message).hint("give a valid token with --token or INTERLINE_TOKEN")
            }
            "validation_failed" if !error.errors.is_empty() => {
                let problems: Vec<_> =
                    error.errors.iter().map(|error| format!("{}: {}", error.field, error.message)).collect();
                CommandError::refused(problems.join("; "))
            }
            _ => CommandError::refused(error.message).hint(error.suggestion),
        };
        Some(CommandError { response: Some(Box::new(response)), ..refused })
    }

    /// The body of the answer that refused it, if its code is this one.
    pub(crate) fn response(&self, code: &str) -> Option<&Value> {
        self.response.as_deref().filter(|response| response["error"] == code)
    }

    /// A member of the body of the answer that refused it.
    pub(crate) fn response_member(&self, name: &str) -> Option<&Value> {
        self.response.as_deref()?.get(name)
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
        for lines in &self.details {
            write!(f, "\n{lines}")?;
        }
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
