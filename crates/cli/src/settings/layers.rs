//! The places that a setting may come from.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;

use interline_items::fields::Limits;
use interline_python::SdkName;

use crate::config::Config;
use crate::environment::Environment;
use crate::failure::Failure;

/// What is below the options: the environment and the configuration file.
pub(super) struct Layers<'a> {
    pub(super) environment: &'a Environment,
    file: Config,
    path: PathBuf,
}

/// A value, and where it came from.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) value: OsString,
    pub(super) origin: Origin,
}

/// Where a value came from; shown as what to correct.
#[derive(Debug)]
pub(super) enum Origin {
    /// The option of that name.
    Option(&'static str),
    /// The environment variable for the option of that name.
    Environment(&'static str),
    /// The key for the option of that name in a configuration file.
    File {
        /// The option.
        name: &'static str,
        /// The file.
        path: PathBuf,
    },
}

impl Layers<'_> {
    /// The environment, and the file that the option or the environment names.
    pub(super) fn of<'a>(typed: Option<&OsStr>, environment: &'a Environment) -> Result<Layers<'a>, Failure> {
        let path = typed.or_else(|| environment.get(&variable("config"))).map(PathBuf::from);
        let file = path.as_deref().map_or(Ok(Config::default()), Config::read)?;
        Ok(Layers { environment, file, path: path.unwrap_or_default() })
    }

    /// A setting: the option if it was typed, or the environment's, or the file's.
    pub(super) fn find(
        &self,
        name: &'static str,
        typed: Option<&OsStr>,
        key: impl Fn(&Config) -> Option<&str>,
    ) -> Option<Given> {
        let typed = typed.map(|value| Given { value: value.to_owned(), origin: Origin::Option(name) });
        let set = || {
            let value = self.environment.get(&variable(name))?.to_owned();
            Some(Given { value, origin: Origin::Environment(name) })
        };
        let kept = || Some(Given { value: key(&self.file)?.into(), origin: self.file_origin(name) });
        typed.or_else(set).or_else(kept)
    }

    /// A setting that is a list. The first place that has it has all of it.
    pub(super) fn find_all(
        &self,
        name: &'static str,
        typed: &[String],
        key: impl Fn(&Config) -> Option<&[String]>,
    ) -> Result<Vec<Given>, Failure> {
        let given = |value: &str, origin| Given { value: value.into(), origin };
        if !typed.is_empty() {
            return Ok(typed.iter().map(|value| given(value, Origin::Option(name))).collect());
        }
        if let Some(set) = self.environment.get(&variable(name)) {
            let set = Given { value: set.to_owned(), origin: Origin::Environment(name) };
            let parts = set.text()?.split(',').map(str::trim).filter(|part| !part.is_empty());
            return Ok(parts.map(|part| given(part, Origin::Environment(name))).collect());
        }
        let kept = key(&self.file).unwrap_or_default();
        Ok(kept.iter().map(|value| given(value, self.file_origin(name))).collect())
    }

    /// The limits of fields, which the file alone can set.
    pub(super) fn limits(&self) -> Limits {
        self.file.limits.limits()
    }

    /// The SDK that workflow decorators come from, which the file alone can set.
    pub(super) fn sdk_name(&self) -> SdkName {
        self.file.sdk_name.clone()
    }

    fn file_origin(&self, name: &'static str) -> Origin {
        Origin::File { name, path: self.path.clone() }
    }
}

impl Given {
    /// Whether it was typed.
    pub(super) fn is_typed(&self) -> bool {
        matches!(self.origin, Origin::Option(_))
    }

    /// The value, where it must be text.
    pub(super) fn text(&self) -> Result<&str, Failure> {
        self.value.to_str().ok_or_else(|| self.wrong("is not UTF-8"))
    }

    /// A failure that names the value and where it came from.
    pub(super) fn wrong(&self, what: impl fmt::Display) -> Failure {
        Failure::usage(format!("{}: '{}' {what}", self.origin, self.value.display()))
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Option(name) => write!(f, "--{name}"),
            Origin::Environment(name) => f.write_str(&variable(name)),
            Origin::File { name, path } => write!(f, "`{}` in {}", name.replace('-', "_"), path.display()),
        }
    }
}

/// The environment variable for an option.
pub(crate) fn variable(name: &str) -> String {
    format!("INTERLINE_{}", name.replace('-', "_").to_ascii_uppercase())
}
