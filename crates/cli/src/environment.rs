//! The environment variables of the process, and the directories that they name.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// The environment variables and the arguments, read once.
pub(crate) struct Environment {
    variables: BTreeMap<OsString, OsString>,
    arguments: Vec<String>,
}

impl Environment {
    /// Reads the variables and arguments of this process.
    pub(crate) fn from_process() -> Environment {
        let arguments = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
        Environment { variables: std::env::vars_os().collect(), arguments: arguments.collect() }
    }

    /// What was typed after the name of the program.
    pub(crate) fn arguments(&self) -> &[String] {
        &self.arguments
    }

    /// A variable; an empty one counts as not set.
    pub(crate) fn get(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// Where programs keep a user's data, by the rules of freedesktop.org.
    pub(crate) fn data_home(&self) -> Option<PathBuf> {
        self.directory("XDG_DATA_HOME").or_else(|| Some(self.directory("HOME")?.join(".local/share")))
    }

    /// Where programs keep what a user would not miss for long, by the same rules.
    pub(crate) fn state_home(&self) -> Option<PathBuf> {
        self.directory("XDG_STATE_HOME").or_else(|| Some(self.directory("HOME")?.join(".local/state")))
    }

    /// Where programs with windows keep a user's configuration on this system.
    pub(crate) fn config_home(&self) -> Option<PathBuf> {
        if cfg!(target_os = "macos") {
            return Some(self.directory("HOME")?.join("Library/Application Support"));
        }
        self.directory("XDG_CONFIG_HOME").or_else(|| Some(self.directory("HOME")?.join(".config")))
    }

    /// The directory that a variable names; a path that is not absolute does not count.
    pub(crate) fn directory(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    /// The name of the system's user, if it is text.
    pub(crate) fn user_name(&self) -> Option<&str> {
        ["USER", "LOGNAME"].into_iter().find_map(|name| self.get(name)?.to_str())
    }
}

#[cfg(test)]
impl Environment {
    /// Gives it a home directory, unless it has one.
    pub(crate) fn default_home(&mut self, path: &str) {
        self.variables.entry("HOME".into()).or_insert_with(|| path.into());
    }
}

#[cfg(test)]
impl<const N: usize> From<[(&str, &str); N]> for Environment {
    fn from(variables: [(&str, &str); N]) -> Environment {
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        Environment { variables, arguments: Vec::new() }
    }
}
