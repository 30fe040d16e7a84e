//! Why a command did not do what it was asked to: words for people, a code for programs.

use std::fmt;
use std::process::ExitCode;

use interline_items::Error;
use interline_storage::OpenError;

use crate::output;

/// What a command ends with when it was not done.
#[derive(Debug)]
pub(crate) struct Failure {
    kind: FailureKind,
    message: String,
    hint: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FailureKind {
    Refused,
    Usage,
    Failed,
}

impl Failure {
    /// The operation was refused: it cannot be done as things are.
    pub(crate) fn refused(message: impl fmt::Display) -> Failure {
        Failure { kind: FailureKind::Refused, message: message.to_string(), hint: None }
    }

    /// What was typed, or configured, means nothing.
    pub(crate) fn usage(message: impl fmt::Display) -> Failure {
        Failure { kind: FailureKind::Usage, message: message.to_string(), hint: None }
    }

    /// The store or the server failed.
    pub(crate) fn failed(message: impl fmt::Display) -> Failure {
        Failure { kind: FailureKind::Failed, message: message.to_string(), hint: None }
    }

    /// Whether it was refused, so that trying again would not help.
    pub(crate) fn is_refusal(&self) -> bool {
        self.kind == FailureKind::Refused
    }

    /// The same, with what to do next.
    pub(crate) fn hint(mut self, hint: impl fmt::Display) -> Failure {
        self.hint = Some(hint.to_string());
        self
    }

    /// Says it on stderr.
    pub(crate) fn report(&self) -> ExitCode {
        output::complain(&self.to_string());
        ExitCode::from(match self.kind {
            FailureKind::Refused => 1,
            FailureKind::Usage => 2,
            FailureKind::Failed => 3,
        })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        match &error {
            // Whoever runs a command on the store itself may see its log.
            Error::Unavailable(detail) => {
                Failure::failed(format!("{error}: {detail}")).hint("nothing was changed; try again")
            }
            Error::Unknown(detail) => Failure::failed(format!("{error}: {detail}"))
                .hint("it may have been applied: look before doing it again"),
            Error::Internal(detail) => Failure::failed(format!("the store failed: {detail}")),
            Error::ValidationFailed(fields) => {
                let problems: Vec<_> =
                    fields.iter().map(|field| format!("{}: {}", field.field, field.message)).collect();
                Failure::refused(problems.join("; "))
            }
            _ => Failure::refused(&error).hint(error.suggestion()),
        }
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Failure {
        Failure::failed(error)
    }
}

/// Says what the command line's parser has to say: help and version on stdout, the rest on stderr.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    // There is nobody left to tell that nobody listens.
    let _ = error.print();
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}
