//! The settings of each command, resolved from option, environment, configuration file and default, in this order.

mod bounds;
mod layers;
mod listen;
mod mcp;
mod outbound;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use interline_items::fields::Limits;
use interline_items::{LISTENERS_PER_USER, Upkeep, Writes};
use interline_python::SdkName;
use interline_server::RateLimits;
use interline_storage::PostgresConnections;
use jiff::SignedDuration;
use reqwest::Url;
use tracing_subscriber::EnvFilter;

pub(crate) use self::bounds::BoundSettings;
#[cfg(test)]
pub(crate) use self::layers::variable;
use self::layers::{Layers, Origin, Setting};
pub(crate) use self::listen::ListenAddress;
pub(crate) use self::mcp::McpSettings;
pub(crate) use self::outbound::OutboundSettings;
use self::outbound::parse_count;
use crate::args::{CheckArgs, ServeArgs, StoreAddressArgs, StoreArgs};
use crate::command_error::CommandError;
use crate::environment::Environment;
use crate::output::OutputFormat;

const DEFAULT_LOG: &str = "info";
/// More listeners than a server has connections are no limit.
const MAX_LISTENERS: usize = 4_096;
const DEFAULT_OWNER: &str = "owner";
const TOKEN_FILE: &str = "token";
const SQLITE_FILE: &str = "interline.db";

/// The settings of a local store: where it is and what its rules are.
#[derive(Debug)]
pub(crate) struct StoreSettings {
    pub(crate) data_dir: PathBuf,
    pub(crate) database: Database,
    /// The configuration file, if one was read.
    pub(crate) config_file: Option<PathBuf>,
    /// `None` is the default for this machine.
    pub(crate) postgres_connections: Option<PostgresConnections>,
    pub(crate) limits: Limits,
    /// The SDK that workflow decorators come from.
    pub(crate) sdk_name: SdkName,
    /// What the first start calls the owner.
    pub(crate) owner_name: String,
}

/// The database that keeps the items.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Database {
    /// An SQLite file.
    Sqlite(PathBuf),
    /// The PostgreSQL database at that URL.
    Postgres(String),
}

/// The settings of `serve`.
#[derive(Debug)]
pub(crate) struct ServeSettings {
    pub(crate) listen: ListenAddress,
    pub(crate) auth: AuthMode,
    /// What becomes of the writes of agents that show no token.
    pub(crate) mcp_writes: Writes,
    pub(crate) rate_limits: Option<RateLimits>,
    pub(crate) allowed_hosts: Vec<String>,
    pub(crate) allowed_origins: Vec<String>,
    pub(crate) bounds: BoundSettings,
    pub(crate) housekeeping: Upkeep,
    pub(crate) listeners_per_user: usize,
    pub(crate) outbound: OutboundSettings,
    pub(crate) log: EnvFilter,
    pub(crate) log_format: OutputFormat,
    pub(crate) store: StoreSettings,
}

/// How requests are authenticated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AuthMode {
    /// By a bearer token.
    Token,
    /// Not at all: every request is the owner's.
    None,
}

/// The store that a command works on: the local store, or a remote server by its URL.
#[derive(Debug)]
pub(crate) enum StoreAddress {
    /// The local store.
    Local(StoreSettings),
    /// A remote server.
    Server {
        /// The root of its API.
        url: Url,
        /// The token that it is sent, if any.
        token: Option<String>,
    },
}

impl StoreSettings {
    fn from_args(
        args: &StoreArgs,
        connections: Option<&OsStr>,
        layers: &Layers<'_>,
    ) -> Result<StoreSettings, CommandError> {
        let key = "postgres-connections";
        let connections = layers.find(key, connections, |file| file.postgres_connections.as_deref());
        let postgres_connections = connections.map(|setting| parse_connections(&setting)).transpose()?;
        let data_dir = data_dir(args, layers)?;
        let database = match layers.find("database", args.database.as_deref(), |file| file.database.as_deref()) {
            Some(setting) => parse_postgres_url(&setting)?,
            None => Database::Sqlite(data_dir.join(SQLITE_FILE)),
        };
        let owner_name = layers.environment.user_name().unwrap_or(DEFAULT_OWNER).to_owned();
        let (limits, sdk_name) = (layers.limits(), layers.sdk_name());
        let config_file = layers.file_path();
        Ok(StoreSettings { data_dir, database, config_file, postgres_connections, limits, sdk_name, owner_name })
    }

    /// The store that `check` reads. A remote server cannot be checked: a user who names one must not take the report on a
    /// store of this machine for it.
    pub(crate) fn for_check(args: &CheckArgs, environment: &Environment) -> Result<StoreSettings, CommandError> {
        let layers = Layers::read(args.store.config.as_deref(), environment)?;
        let url = layers.find("url", args.url.as_deref(), |file| file.url.as_deref());
        match url.filter(|setting| setting.is_typed() || !args.store.is_typed()) {
            None => StoreSettings::from_args(&args.store, None, &layers),
            Some(setting) => Err(CommandError::usage(format!(
                "{}: `check` reads the store itself, and cannot reach it through a server",
                setting.origin
            ))
            .hint("run it where the store is, with --data-dir or --database; the server may keep running")),
        }
    }

    /// The file with the owner's token.
    pub(crate) fn token_file(&self) -> PathBuf {
        self.data_dir.join(TOKEN_FILE)
    }
}

impl ServeSettings {
    pub(crate) fn from_args(args: &ServeArgs, environment: &Environment) -> Result<ServeSettings, CommandError> {
        let layers = Layers::read(args.store.config.as_deref(), environment)?;
        let listen = layers.find("listen", args.listen.as_deref(), |file| file.listen.as_deref());
        let listen = listen.map_or(Ok(ListenAddress::default()), |setting| ListenAddress::parse(&setting))?;
        let auth = layers.find("auth", args.auth.as_deref(), |file| file.auth.as_deref());
        let auth = auth.map_or(Ok(AuthMode::Token), |setting| parse_auth_mode(&setting, &listen))?;
        let rate_limits = layers.find("rate-limit", args.rate_limit.as_deref(), |file| file.rate_limit.as_deref());
        let rate_limits = rate_limits.map_or(Ok(Some(RateLimits::default())), |setting| parse_rate_limits(&setting))?;
        let hosts = layers.find_all("allowed-host", &args.allowed_host, |file| file.allowed_host.as_deref());
        let origins = layers.find_all("allowed-origin", &args.allowed_origin, |file| file.allowed_origin.as_deref());
        let housekeeping = housekeeping(args, &layers)?;
        let typed = args.listeners_per_user.as_deref();
        let listeners = layers.find("listeners-per-user", typed, |file| file.listeners_per_user.as_deref());
        let log = layers.find("log", args.log.as_deref(), |file| file.log.as_deref());
        let log = log.map_or_else(|| Ok(EnvFilter::new(DEFAULT_LOG)), |setting| parse_log_filter(&setting))?;
        let log_format = layers.find("log-format", args.log_format.as_deref(), |file| file.log_format.as_deref());
        let log_format = log_format.map_or(Ok(OutputFormat::Text), |setting| parse_log_format(&setting))?;
        Ok(ServeSettings {
            listen,
            auth,
            mcp_writes: mcp::served_writes(args, auth, &layers)?,
            rate_limits: rate_limits.filter(|_| auth == AuthMode::Token),
            allowed_hosts: hosts?.iter().map(parse_host).collect::<Result<_, _>>()?,
            allowed_origins: origins?.iter().map(parse_origin).collect::<Result<_, _>>()?,
            bounds: BoundSettings::from_args(args, &layers)?,
            housekeeping,
            listeners_per_user: listeners
                .map_or(Ok(LISTENERS_PER_USER), |setting| parse_count(&setting, MAX_LISTENERS))?,
            outbound: OutboundSettings::from_args(args, &layers)?,
            log,
            log_format,
            store: StoreSettings::from_args(&args.store, args.postgres_connections.as_deref(), &layers)?,
        })
    }
}

impl StoreAddress {
    pub(crate) fn from_args(args: &StoreAddressArgs, environment: &Environment) -> Result<StoreAddress, CommandError> {
        StoreAddress::from_layers(args, &Layers::read(args.store.config.as_deref(), environment)?)
    }

    fn from_layers(args: &StoreAddressArgs, layers: &Layers<'_>) -> Result<StoreAddress, CommandError> {
        let url = layers.find("url", args.url.as_deref(), |file| file.url.as_deref());
        match url.filter(|setting| setting.is_typed() || !args.store.is_typed()) {
            None => Ok(StoreAddress::Local(StoreSettings::from_args(&args.store, None, layers)?)),
            Some(setting) => {
                let url = parse_server_url(&setting)?;
                let token = layers.find("token", args.token.as_deref(), |file| file.token.as_deref());
                let token = match token {
                    Some(setting) => Some(parse_token(&setting)?),
                    None if is_loopback(&url) => owner_token(&data_dir(&args.store, layers)?),
                    None => None,
                };
                Ok(StoreAddress::Server { url, token })
            }
        }
    }
}

fn housekeeping(args: &ServeArgs, layers: &Layers<'_>) -> Result<Upkeep, CommandError> {
    let trash = layers.find("keep-trash", args.keep_trash.as_deref(), |file| file.keep_trash.as_deref());
    let history = layers.find("keep-history", args.keep_history.as_deref(), |file| file.keep_history.as_deref());
    let events = layers.find("keep-events", args.keep_events.as_deref(), |file| file.keep_events.as_deref());
    let records = layers.find("keep-records", args.keep_records.as_deref(), |file| file.keep_records.as_deref());
    let default = Upkeep::default();
    Ok(Upkeep {
        trash: trash.map_or(Ok(default.trash), |setting| parse_days(&setting))?,
        history: history.map_or(Ok(default.history), |setting| parse_days(&setting))?,
        events: events.map_or(Ok(default.events), |setting| parse_days(&setting))?,
        history_records: records.map_or(Ok(default.history_records), |setting| parse_record_limit(&setting))?,
    })
}

/// A number of days; `None` is for ever.
fn parse_days(setting: &Setting) -> Result<Option<SignedDuration>, CommandError> {
    /// About a century: more is for ever.
    const MOST: i64 = 36_500;
    match setting.text()? {
        "forever" => Ok(None),
        text => match text.strip_suffix('d').unwrap_or(text).parse() {
            Ok(days @ 1..=MOST) => Ok(Some(SignedDuration::from_hours(days * 24))),
            _ => Err(setting.invalid("is not a number of days").hint("write one such as 30d, or forever")),
        },
    }
}

fn parse_record_limit(setting: &Setting) -> Result<Option<u64>, CommandError> {
    match setting.text()? {
        "all" => Ok(None),
        text => match text.parse() {
            Ok(0) | Err(_) => Err(setting.invalid("is not a number of records").hint("write 1 or more, or all")),
            Ok(records) => Ok(Some(records)),
        },
    }
}

fn data_dir(args: &StoreArgs, layers: &Layers<'_>) -> Result<PathBuf, CommandError> {
    let setting = layers.find("data-dir", args.data_dir.as_deref(), |file| file.data_dir.as_deref());
    let Some(setting) = setting else {
        return layers.environment.data_home().map(|home| home.join("interline")).ok_or_else(|| {
            CommandError::usage("neither XDG_DATA_HOME nor HOME is set, so there is no default data directory")
                .hint("choose one with --data-dir")
        });
    };
    let path = match &setting.origin {
        // What a file says is about where the file is, wherever the program is started.
        Origin::File { path, .. } => path.parent().unwrap_or(Path::new("")).join(&setting.value),
        Origin::Option(_) | Origin::Environment(_) => PathBuf::from(&setting.value),
    };
    // What is printed of it must hold in every directory.
    std::path::absolute(path).map_err(|_| setting.invalid("is not a directory"))
}

fn parse_postgres_url(setting: &Setting) -> Result<Database, CommandError> {
    let url = setting.text()?;
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        Ok(Database::Postgres(url.to_owned()))
    } else {
        // The value stays out of the message: it may hold a password.
        Err(CommandError::usage(format!("{}: not the URL of a PostgreSQL database", setting.origin))
            .hint("write postgres://user:password@host/database, or leave it out for SQLite in the data directory"))
    }
}

fn parse_connections(setting: &Setting) -> Result<PostgresConnections, CommandError> {
    let parsed = setting.text()?.parse().ok().and_then(PostgresConnections::new);
    let hint = format!("write a number from {} to {}", PostgresConnections::LEAST, PostgresConnections::MOST);
    parsed.ok_or_else(|| setting.invalid("is not a possible number of connections").hint(hint))
}

fn parse_auth_mode(setting: &Setting, listen: &ListenAddress) -> Result<AuthMode, CommandError> {
    match setting.text()? {
        "token" => Ok(AuthMode::Token),
        "none" if !listen.is_loopback() => Err(CommandError::usage(format!(
            "{}: without authentication the server listens on a loopback address only, and {listen} is not one",
            setting.origin
        ))
        .hint("use `--auth token`, or listen on 127.0.0.1 behind a proxy that authenticates")),
        "none" => Ok(AuthMode::None),
        _ => Err(setting.invalid("is not a way to authenticate").hint("write token or none")),
    }
}

fn parse_rate_limits(setting: &Setting) -> Result<Option<RateLimits>, CommandError> {
    let text = setting.text()?;
    if text == "off" {
        return Ok(None);
    }
    let parsed = text.split_once('/').and_then(|(reads, writes)| {
        let rate = |text: &str| text.trim().parse::<NonZeroU32>().ok();
        Some(RateLimits { reads_per_minute: rate(reads)?, writes_per_minute: rate(writes)? })
    });
    let hint = "write reads and writes in a minute, such as 6000/1200, or off";
    parsed.map(Some).ok_or_else(|| setting.invalid("is not a rate limit").hint(hint))
}

fn parse_host(setting: &Setting) -> Result<String, CommandError> {
    let host = setting.text()?;
    let is_name = |url: Url| url.host_str().is_some_and(|name| name.eq_ignore_ascii_case(host));
    // Patterns would be taken for names, and match nothing.
    if !host.contains('*') && Url::parse(&format!("http://{host}/")).is_ok_and(is_name) {
        Ok(host.to_owned())
    } else {
        Err(setting.invalid("is not the name of a host").hint("write a name alone, such as notes.example.org"))
    }
}

fn parse_origin(setting: &Setting) -> Result<String, CommandError> {
    let text = setting.text()?.trim_end_matches('/');
    match Url::parse(text) {
        Ok(url) if url.origin().is_tuple() && url.origin().ascii_serialization() == text => Ok(text.to_owned()),
        _ => Err(setting
            .invalid("is not a web origin")
            .hint("write scheme, host and port alone: https://notes.example.org")),
    }
}

fn parse_log_filter(setting: &Setting) -> Result<EnvFilter, CommandError> {
    EnvFilter::try_new(setting.text()?).map_err(|error| {
        setting.invalid(format!("is not a log filter: {error}")).hint("write a level, or info,interline_server=debug")
    })
}

fn parse_log_format(setting: &Setting) -> Result<OutputFormat, CommandError> {
    match setting.text()? {
        "text" => Ok(OutputFormat::Text),
        "json" => Ok(OutputFormat::Json),
        _ => Err(setting.invalid("is not a log format").hint("write text or json")),
    }
}

fn parse_server_url(setting: &Setting) -> Result<Url, CommandError> {
    let text = setting.text()?;
    let is_address =
        |url: &Url| matches!(url.scheme(), "http" | "https") && url.query().is_none() && url.fragment().is_none();
    let mut url = Url::parse(text).ok().filter(is_address).ok_or_else(|| {
        // `localhost:4680` is a URL, with the scheme `localhost`.
        if !text.contains("://") && Url::parse(&format!("https://{text}")).is_ok_and(|url| is_address(&url)) {
            return setting
                .invalid("is not a server's address: the address needs `https://` in front")
                .hint(format!("write https://{text}, or http://{text} for a server on this machine"));
        }
        setting.invalid("is not a server's address").hint("write one such as http://127.0.0.1:4680")
    })?;
    // Paths are joined to it.
    if !url.path().ends_with('/') {
        url.set_path(&format!("{}/", url.path()));
    }
    Ok(url)
}

fn parse_token(setting: &Setting) -> Result<String, CommandError> {
    let secret = setting.text()?.trim();
    if !secret.is_empty() && secret.chars().all(|c| c.is_ascii_graphic()) {
        Ok(secret.to_owned())
    } else {
        // The value stays out of the message: it is a secret.
        Err(CommandError::usage(format!("{}: not a token", setting.origin))
            .hint("a token is one word that begins with il_"))
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The owner's token, if its file is in the data directory.
fn owner_token(data_dir: &Path) -> Option<String> {
    let text = std::fs::read_to_string(data_dir.join(TOKEN_FILE)).ok()?;
    Some(text.trim().to_owned()).filter(|token| !token.is_empty())
}
