//! The layers that a setting may come from: option, environment variable, configuration file.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;

use interline_items::fields::Limits;
use interline_python::SdkName;

use crate::command_error::CommandError;
use crate::config::Config;
use crate::environment::Environment;

/// The layers below the options: the environment and the configuration file.
pub(super) struct Layers<'a> {
    pub(super) environment: &'a Environment,
    file: Config,
    path: PathBuf,
}

/// The value of a setting, and the layer that it came from.
#[derive(Debug)]
pub(super) struct Setting {
    pub(super) value: OsString,
    pub(super) origin: Origin,
}

/// The layer that a value came from; shown as what to correct.
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
    /// Reads the file that the option or the environment names.
    pub(super) fn read<'a>(typed: Option<&OsStr>, environment: &'a Environment) -> Result<Layers<'a>, CommandError> {
        let path = typed.or_else(|| environment.get(&variable("config"))).map(PathBuf::from);
        let file = path.as_deref().map_or(Ok(Config::default()), Config::read)?;
        Ok(Layers { environment, file, path: path.unwrap_or_default() })
    }

    /// A setting: the option if it was typed, or the environment variable, or the key of the file.
    pub(super) fn find(
        &self,
        name: &'static str,
        typed: Option<&OsStr>,
        key: impl Fn(&Config) -> Option<&str>,
    ) -> Option<Setting> {
        let typed = typed.map(|value| Setting { value: value.to_owned(), origin: Origin::Option(name) });
        let in_environment = || {
            let value = self.environment.get(&variable(name))?.to_owned();
            Some(Setting { value, origin: Origin::Environment(name) })
        };
        let in_file = || Some(Setting { value: key(&self.file)?.into(), origin: self.file_origin(name) });
        typed.or_else(in_environment).or_else(in_file)
    }

    /// A setting that is a list. The first layer that has it gives the whole list.
    pub(super) fn find_all(
        &self,
        name: &'static str,
        typed: &[String],
        key: impl Fn(&Config) -> Option<&[String]>,
    ) -> Result<Vec<Setting>, CommandError> {
        let setting = |value: &str, origin| Setting { value: value.into(), origin };
        if !typed.is_empty() {
            return Ok(typed.iter().map(|value| setting(value, Origin::Option(name))).collect());
        }
        if let Some(set) = self.environment.get(&variable(name)) {
            let set = Setting { value: set.to_owned(), origin: Origin::Environment(name) };
            let parts = set.text()?.split(',').map(str::trim).filter(|part| !part.is_empty());
            return Ok(parts.map(|part| setting(part, Origin::Environment(name))).collect());
        }
        let in_file = key(&self.file).unwrap_or_default();
        Ok(in_file.iter().map(|value| setting(value, self.file_origin(name))).collect())
    }

    /// The configuration file, if there is one, in a form that holds in every directory.
    pub(super) fn file_path(&self) -> Option<PathBuf> {
        Some(&self.path).filter(|path| !path.as_os_str().is_empty()).and_then(|path| std::path::absolute(path).ok())
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

impl Setting {
    /// Whether the value was typed as an option.
    pub(super) fn is_typed(&self) -> bool {
        matches!(self.origin, Origin::Option(_))
    }

    /// The value, where it must be text.
    pub(super) fn text(&self) -> Result<&str, CommandError> {
        self.value.to_str().ok_or_else(|| self.invalid("is not UTF-8"))
    }

    /// A usage error that names the value and the layer that it came from.
    pub(super) fn invalid(&self, what: impl fmt::Display) -> CommandError {
        CommandError::usage(format!("{}: '{}' {what}", self.origin, self.value.display()))
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
