//! What was typed, and what it means: option, environment, configuration file, default, in this order.

mod after_change;
mod layers;
#[cfg(test)]
mod tests;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use interline_items::Upkeep;
use interline_items::fields::Limits;
use interline_python::SdkName;
use interline_server::RateLimits;
use jiff::SignedDuration;
use reqwest::Url;
use tracing_subscriber::EnvFilter;

pub(crate) use self::after_change::AfterChange;
#[cfg(test)]
pub(crate) use self::layers::variable;
use self::layers::{Given, Layers, Origin};
use crate::args::{CheckArgs, McpArgs, PlaceArgs, ServeArgs, StoreArgs};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::output::Form;

const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 4680);
const DEFAULT_LOG: &str = "info";
/// An agent shows what its servers log to nobody, or to people who asked for nothing.
const DEFAULT_MCP_LOG: &str = "warn";
const DEFAULT_OWNER: &str = "owner";
const TOKEN_FILE: &str = "token";
const SQLITE_FILE: &str = "interline.db";

/// A local store: where it is and what its rules are.
#[derive(Debug)]
pub(crate) struct StoreSettings {
    pub(crate) data_dir: PathBuf,
    pub(crate) database: Database,
    pub(crate) limits: Limits,
    /// The SDK that workflow decorators come from.
    pub(crate) sdk_name: SdkName,
    /// What the first start calls the owner.
    pub(crate) owner_name: String,
}

/// What keeps the items.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Database {
    /// An SQLite file.
    Sqlite(PathBuf),
    /// The PostgreSQL database at that URL.
    Postgres(String),
}

/// A server to run.
#[derive(Debug)]
pub(crate) struct ServeSettings {
    pub(crate) listen: SocketAddr,
    pub(crate) auth: AuthMode,
    pub(crate) rate_limits: Option<RateLimits>,
    pub(crate) allowed_hosts: Vec<String>,
    pub(crate) allowed_origins: Vec<String>,
    pub(crate) housekeeping: Upkeep,
    pub(crate) after_change: AfterChange,
    pub(crate) log: EnvFilter,
    pub(crate) log_form: Form,
    pub(crate) store: StoreSettings,
}

/// Who is let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AuthMode {
    /// Those with a token.
    Token,
    /// Everybody, as the owner.
    None,
}

/// What an administrative command works on.
#[derive(Debug)]
pub(crate) enum TargetSettings {
    /// The local store.
    Local(StoreSettings),
    /// A server.
    Server {
        /// Where its API is.
        url: Url,
        /// What it is shown, if anything.
        token: Option<String>,
    },
}

/// What an MCP server on standard input and output works on.
#[derive(Debug)]
pub(crate) struct McpSettings {
    pub(crate) target: TargetSettings,
    pub(crate) log: EnvFilter,
}

impl StoreSettings {
    fn of(args: &StoreArgs, layers: &Layers<'_>) -> Result<StoreSettings, Failure> {
        let data_dir = data_dir(args, layers)?;
        let database = match layers.find("database", args.database.as_deref(), |file| file.database.as_deref()) {
            Some(given) => postgres(&given)?,
            None => Database::Sqlite(data_dir.join(SQLITE_FILE)),
        };
        let owner_name = layers.environment.user_name().unwrap_or(DEFAULT_OWNER).to_owned();
        Ok(StoreSettings { data_dir, database, limits: layers.limits(), sdk_name: layers.sdk_name(), owner_name })
    }

    /// The store that is to be checked. A server cannot be, and whoever names one must not take a store on this machine for
    /// it.
    pub(crate) fn of_check(args: &CheckArgs, environment: &Environment) -> Result<StoreSettings, Failure> {
        let layers = Layers::of(args.store.config.as_deref(), environment)?;
        let url = layers.find("url", args.url.as_deref(), |file| file.url.as_deref());
        match url.filter(|given| given.is_typed() || !args.store.is_typed()) {
            None => StoreSettings::of(&args.store, &layers),
            Some(given) => {
                Err(Failure::usage(format!("{}: a check reads the store itself, not through a server", given.origin))
                    .hint("run it where the store is, with --data-dir or --database; the server may go on meanwhile"))
            }
        }
    }

    /// Where the owner's token is kept.
    pub(crate) fn token_file(&self) -> PathBuf {
        self.data_dir.join(TOKEN_FILE)
    }
}

impl ServeSettings {
    pub(crate) fn of(args: &ServeArgs, environment: &Environment) -> Result<ServeSettings, Failure> {
        let layers = Layers::of(args.store.config.as_deref(), environment)?;
        let listen = layers.find("listen", args.listen.as_deref(), |file| file.listen.as_deref());
        let listen = listen.map_or(Ok(DEFAULT_LISTEN), |given| address(&given))?;
        let auth = layers.find("auth", args.auth.as_deref(), |file| file.auth.as_deref());
        let auth = auth.map_or(Ok(AuthMode::Token), |given| auth_mode(&given, listen))?;
        let rate_limits = layers.find("rate-limit", args.rate_limit.as_deref(), |file| file.rate_limit.as_deref());
        let rate_limits = rate_limits.map_or(Ok(Some(RateLimits::default())), |given| rates(&given))?;
        let hosts = layers.find_all("allowed-host", &args.allowed_host, |file| file.allowed_host.as_deref());
        let origins = layers.find_all("allowed-origin", &args.allowed_origin, |file| file.allowed_origin.as_deref());
        let housekeeping = housekeeping(args, &layers)?;
        let log = layers.find("log", args.log.as_deref(), |file| file.log.as_deref());
        let log = log.map_or_else(|| Ok(EnvFilter::new(DEFAULT_LOG)), |given| log_filter(&given))?;
        let log_form = layers.find("log-format", args.log_format.as_deref(), |file| file.log_format.as_deref());
        let log_form = log_form.map_or(Ok(Form::Text), |given| form(&given))?;
        Ok(ServeSettings {
            listen,
            auth,
            rate_limits: rate_limits.filter(|_| auth == AuthMode::Token),
            allowed_hosts: hosts?.iter().map(host).collect::<Result<_, _>>()?,
            allowed_origins: origins?.iter().map(origin).collect::<Result<_, _>>()?,
            housekeeping,
            after_change: AfterChange::of(args, &layers)?,
            log,
            log_form,
            store: StoreSettings::of(&args.store, &layers)?,
        })
    }
}

impl TargetSettings {
    pub(crate) fn of(args: &PlaceArgs, environment: &Environment) -> Result<TargetSettings, Failure> {
        TargetSettings::within(args, &Layers::of(args.store.config.as_deref(), environment)?)
    }

    fn within(args: &PlaceArgs, layers: &Layers<'_>) -> Result<TargetSettings, Failure> {
        let url = layers.find("url", args.url.as_deref(), |file| file.url.as_deref());
        match url.filter(|given| given.is_typed() || !args.store.is_typed()) {
            None => Ok(TargetSettings::Local(StoreSettings::of(&args.store, layers)?)),
            Some(given) => {
                let url = server_url(&given)?;
                let token = layers.find("token", args.token.as_deref(), |file| file.token.as_deref());
                let token = match token {
                    Some(given) => Some(secret(&given)?),
                    None if is_loopback(&url) => kept_token(&data_dir(&args.store, layers)?),
                    None => None,
                };
                Ok(TargetSettings::Server { url, token })
            }
        }
    }
}

impl McpSettings {
    pub(crate) fn of(args: &McpArgs, environment: &Environment) -> Result<McpSettings, Failure> {
        let layers = Layers::of(args.place.store.config.as_deref(), environment)?;
        let log = layers.find("log", args.log.as_deref(), |file| file.log.as_deref());
        let log = log.map_or_else(|| Ok(EnvFilter::new(DEFAULT_MCP_LOG)), |given| log_filter(&given))?;
        Ok(McpSettings { target: TargetSettings::within(&args.place, &layers)?, log })
    }
}

fn housekeeping(args: &ServeArgs, layers: &Layers<'_>) -> Result<Upkeep, Failure> {
    let trash = layers.find("keep-trash", args.keep_trash.as_deref(), |file| file.keep_trash.as_deref());
    let history = layers.find("keep-history", args.keep_history.as_deref(), |file| file.keep_history.as_deref());
    let events = layers.find("keep-events", args.keep_events.as_deref(), |file| file.keep_events.as_deref());
    let records = layers.find("keep-records", args.keep_records.as_deref(), |file| file.keep_records.as_deref());
    let default = Upkeep::default();
    Ok(Upkeep {
        trash: trash.map_or(Ok(default.trash), |given| days(&given))?,
        history: history.map_or(Ok(default.history), |given| days(&given))?,
        events: events.map_or(Ok(default.events), |given| days(&given))?,
        history_records: records.map_or(Ok(default.history_records), |given| records_kept(&given))?,
    })
}

/// A number of days; `None` is for ever.
fn days(given: &Given) -> Result<Option<SignedDuration>, Failure> {
    /// About a century: more is for ever.
    const MOST: i64 = 36_500;
    match given.text()? {
        "forever" => Ok(None),
        text => match text.strip_suffix('d').unwrap_or(text).parse() {
            Ok(days @ 1..=MOST) => Ok(Some(SignedDuration::from_hours(days * 24))),
            _ => Err(given.wrong("is not a number of days").hint("write one such as 30d, or forever")),
        },
    }
}

fn records_kept(given: &Given) -> Result<Option<u64>, Failure> {
    match given.text()? {
        "all" => Ok(None),
        text => match text.parse() {
            Ok(0) | Err(_) => Err(given.wrong("is not a number of records").hint("write 1 or more, or all")),
            Ok(records) => Ok(Some(records)),
        },
    }
}

fn data_dir(args: &StoreArgs, layers: &Layers<'_>) -> Result<PathBuf, Failure> {
    let given = layers.find("data-dir", args.data_dir.as_deref(), |file| file.data_dir.as_deref());
    let Some(given) = given else {
        return layers.environment.data_home().map(|home| home.join("interline")).ok_or_else(|| {
            Failure::usage("neither XDG_DATA_HOME nor HOME says where data is kept").hint("choose with --data-dir")
        });
    };
    let path = match &given.origin {
        // What a file says is about where the file is, wherever the program is started.
        Origin::File { path, .. } => path.parent().unwrap_or(Path::new("")).join(&given.value),
        Origin::Option(_) | Origin::Environment(_) => PathBuf::from(&given.value),
    };
    // What is printed of it must hold in every directory.
    std::path::absolute(path).map_err(|_| given.wrong("is not a directory"))
}

fn postgres(given: &Given) -> Result<Database, Failure> {
    let url = given.text()?;
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        Ok(Database::Postgres(url.to_owned()))
    } else {
        // The value stays out of the message: it may hold a password.
        Err(Failure::usage(format!("{}: not the URL of a PostgreSQL database", given.origin))
            .hint("write postgres://user:password@host/database, or leave it out for SQLite in the data directory"))
    }
}

fn address(given: &Given) -> Result<SocketAddr, Failure> {
    given.text()?.parse().map_err(|_| {
        given.wrong("is not an address with a port").hint("write one such as 127.0.0.1:4680 or [::1]:4680")
    })
}

fn auth_mode(given: &Given, listen: SocketAddr) -> Result<AuthMode, Failure> {
    match given.text()? {
        "token" => Ok(AuthMode::Token),
        "none" if !listen.ip().to_canonical().is_loopback() => Err(Failure::usage(format!(
            "{}: without authentication the server listens on a loopback address only, and {listen} is none",
            given.origin
        ))
        .hint("take `--auth token`, or listen on 127.0.0.1 and put a proxy that authenticates before it")),
        "none" => Ok(AuthMode::None),
        _ => Err(given.wrong("is not a way to authenticate").hint("write token or none")),
    }
}

fn rates(given: &Given) -> Result<Option<RateLimits>, Failure> {
    let text = given.text()?;
    if text == "off" {
        return Ok(None);
    }
    let parsed = text.split_once('/').and_then(|(reads, writes)| {
        let rate = |text: &str| text.trim().parse::<NonZeroU32>().ok();
        Some(RateLimits { reads_per_minute: rate(reads)?, writes_per_minute: rate(writes)? })
    });
    let hint = "write reads and writes in a minute, such as 6000/1200, or off";
    parsed.map(Some).ok_or_else(|| given.wrong("is not a rate limit").hint(hint))
}

fn host(given: &Given) -> Result<String, Failure> {
    let host = given.text()?;
    let is_name = |url: Url| url.host_str().is_some_and(|name| name.eq_ignore_ascii_case(host));
    // Patterns would be taken for names, and match nothing.
    if !host.contains('*') && Url::parse(&format!("http://{host}/")).is_ok_and(is_name) {
        Ok(host.to_owned())
    } else {
        Err(given.wrong("is not the name of a host").hint("write a name alone, such as notes.example.org"))
    }
}

fn origin(given: &Given) -> Result<String, Failure> {
    let text = given.text()?.trim_end_matches('/');
    match Url::parse(text) {
        Ok(url) if url.origin().is_tuple() && url.origin().ascii_serialization() == text => Ok(text.to_owned()),
        _ => {
            Err(given.wrong("is not a web origin").hint("write scheme, host and port alone: https://notes.example.org"))
        }
    }
}

fn log_filter(given: &Given) -> Result<EnvFilter, Failure> {
    EnvFilter::try_new(given.text()?).map_err(|error| {
        given.wrong(format!("is not a log filter: {error}")).hint("write a level, or info,interline_server=debug")
    })
}

fn form(given: &Given) -> Result<Form, Failure> {
    match given.text()? {
        "text" => Ok(Form::Text),
        "json" => Ok(Form::Json),
        _ => Err(given.wrong("is not a form of logs").hint("write text or json")),
    }
}

fn server_url(given: &Given) -> Result<Url, Failure> {
    let mut url = Url::parse(given.text()?)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https") && url.query().is_none() && url.fragment().is_none())
        .ok_or_else(|| given.wrong("is not a server's address").hint("write one such as http://127.0.0.1:4680"))?;
    // Paths are joined to it.
    if !url.path().ends_with('/') {
        url.set_path(&format!("{}/", url.path()));
    }
    Ok(url)
}

fn secret(given: &Given) -> Result<String, Failure> {
    let secret = given.text()?.trim();
    if !secret.is_empty() && secret.chars().all(|c| c.is_ascii_graphic()) {
        Ok(secret.to_owned())
    } else {
        // The value stays out of the message: it is a secret.
        Err(Failure::usage(format!("{}: not a token", given.origin)).hint("a token is one word that begins with il_"))
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The owner's token, if it is kept there.
fn kept_token(data_dir: &Path) -> Option<String> {
    let kept = std::fs::read_to_string(data_dir.join(TOKEN_FILE)).ok()?;
    Some(kept.trim().to_owned()).filter(|token| !token.is_empty())
}
