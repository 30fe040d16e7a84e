//! The configuration file (TOML): its keys and their types.

use std::num::NonZeroUsize;
use std::path::Path;

use interline_items::fields::Limits;
use interline_python::SdkName;
use interline_server::plain_parser_message;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::command_error::CommandError;

/// A configuration file. Every key is an option's name with `_` for `-`, but for `sdk_name` and
/// `limits`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    pub(crate) listen: Option<String>,
    pub(crate) data_dir: Option<String>,
    pub(crate) database: Option<String>,
    pub(crate) auth: Option<String>,
    pub(crate) mcp_writes: Option<String>,
    pub(crate) rate_limit: Option<String>,
    pub(crate) allowed_origin: Option<Vec<String>>,
    pub(crate) allowed_host: Option<Vec<String>>,
    pub(crate) memory_budget: Option<String>,
    pub(crate) max_connections_per_address: Option<String>,
    pub(crate) trusted_proxy: Option<Vec<String>>,
    pub(crate) postgres_connections: Option<String>,
    pub(crate) keep_trash: Option<String>,
    pub(crate) keep_history: Option<String>,
    pub(crate) keep_events: Option<String>,
    pub(crate) keep_records: Option<String>,
    pub(crate) listeners_per_user: Option<String>,
    pub(crate) deliveries_per_user: Option<String>,
    pub(crate) webhook_targets: Option<String>,
    pub(crate) ai_url: Option<String>,
    pub(crate) ai_model: Option<String>,
    pub(crate) log: Option<String>,
    pub(crate) log_format: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) token: Option<String>,
    #[serde(default, deserialize_with = "sdk_name")]
    pub(crate) sdk_name: SdkName,
    #[serde(default)]
    pub(crate) limits: LimitKeys,
}

/// The SDK that workflow decorators come from.
fn sdk_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SdkName, D::Error> {
    let name = String::deserialize(deserializer)?;
    SdkName::parse(&name).ok_or_else(|| D::Error::custom(format!("`{name}` is not a Python name")))
}

/// The table `[limits]`: what differs from the product's own limits.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LimitKeys {
    title: Option<NonZeroUsize>,
    description: Option<NonZeroUsize>,
    tag: Option<NonZeroUsize>,
    tags: Option<NonZeroUsize>,
    name: Option<NonZeroUsize>,
    path: Option<NonZeroUsize>,
    url: Option<NonZeroUsize>,
    content_bytes: Option<NonZeroUsize>,
    arguments: Option<NonZeroUsize>,
    argument_name: Option<NonZeroUsize>,
    argument_description: Option<NonZeroUsize>,
}

impl Config {
    /// Reads a file.
    pub(crate) fn read(path: &Path) -> Result<Config, CommandError> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            CommandError::usage(format!("the configuration file {} cannot be read: {error}", path.display()))
                .hint("name another with --config, or leave it out")
        })?;
        Config::parse(&text).map_err(|error| {
            CommandError::usage(format!("the configuration file {} is not valid:\n{error}", path.display()))
                .hint("keys are the names of options, with `_` for `-`; see `interline serve --help`")
        })
    }

    fn parse(text: &str) -> Result<Config, String> {
        toml::from_str(text).map_err(|error| {
            let shown = error.to_string();
            let shown = shown.trim_end();
            // The message ends what is shown, below the line that it is about.
            let place = shown.strip_suffix(error.message()).unwrap_or_default();
            format!("{place}{}", plain_parser_message(error.message()))
        })
    }
}

impl LimitKeys {
    /// The limits, with the product's own where the file has none.
    pub(crate) fn limits(&self) -> Limits {
        let own = Limits::default();
        let set_or_default = |set: Option<NonZeroUsize>, own: usize| set.map_or(own, NonZeroUsize::get);
        Limits {
            title: set_or_default(self.title, own.title),
            description: set_or_default(self.description, own.description),
            tag: set_or_default(self.tag, own.tag),
            tags: set_or_default(self.tags, own.tags),
            name: set_or_default(self.name, own.name),
            path: set_or_default(self.path, own.path),
            url: set_or_default(self.url, own.url),
            content_bytes: set_or_default(self.content_bytes, own.content_bytes),
            front_matter_bytes: own.front_matter_bytes,
            arguments: set_or_default(self.arguments, own.arguments),
            argument_name: set_or_default(self.argument_name, own.argument_name),
            argument_description: set_or_default(self.argument_description, own.argument_description),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(text: &str, names: &str) {
        let error = Config::parse(text).expect_err("not valid");
        assert!(error.contains(names), "{error}");
    }

    #[test]
    fn an_unknown_key_is_refused_by_name() {
        refused("lisen = \"127.0.0.1:1\"", "`lisen`");
        refused("[limits]\ntitel = 3", "`titel`");
        refused("[limit]\ntitle = 3", "`limit`");
    }

    #[test]
    fn a_value_of_another_type_is_refused() {
        refused("listen = 4680", "listen = 4680");
        refused("allowed_host = \"a\"", "invalid type: string \"a\", expected a list");
        refused("allowed_host = \"a\"", "1 | allowed_host = \"a\"");
        refused("[limits]\ntitle = 0", "expected a whole number of at least 1");
        refused("[limits]\ntitle = -1", "title = -1");
        refused("sdk_name = \"a.b\"", "`a.b` is not a Python name");
    }

    #[test]
    fn limits_that_are_not_set_are_the_products() {
        let config = Config::parse("[limits]\ntitle = 3\ncontent_bytes = 16777216").expect("valid");
        let expected = Limits { title: 3, content_bytes: 16_777_216, ..Limits::default() };
        assert_eq!(config.limits.limits(), expected);
    }
}
