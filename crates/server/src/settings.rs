//! Settings of the server, chosen by its operator.

use std::num::NonZeroU32;
use std::time::Duration;
use std::{fmt, io};

use interline_items::{JobPolicy, LISTENERS_PER_USER, Upkeep, UserId, WebhookTargets};
use rustls::ClientConfig;

use crate::connections::AddressRange;

/// The settings of [`serve`](crate::serve).
#[derive(Clone, Debug)]
pub struct Settings {
    /// How requests are authenticated.
    pub auth: Auth,
    /// How many requests a user may make; `None` is no limit.
    pub rate_limits: Option<RateLimits>,
    /// Host names of the server, beside those of the loopback interface. A server that listens on other interfaces and is
    /// given none answers to any name.
    pub allowed_hosts: Vec<String>,
    /// Origins of other pages that may call the API, as `https://example.org`.
    pub allowed_origins: Vec<String>,
    /// The longest body of a request, in bytes.
    pub max_body_bytes: usize,
    /// The longest file that is imported and not read line by line, in bytes; a line of one that is may have a quarter of it.
    pub max_import_bytes: u64,
    /// How many connections are served at a time. A further one takes the place of another, of one that is idle if there is
    /// any; otherwise it waits for a second at the most and is closed.
    pub max_connections: usize,
    /// How many listeners one user may have at a time: event sockets, and MCP streams and connections with subscriptions.
    pub listeners_per_user: usize,
    /// How many connections one address may have, which is neither a loopback address nor a trusted proxy's, and how many
    /// requests at a time an address that a trusted proxy forwards; `None` is an eighth of all.
    pub max_connections_per_address: Option<usize>,
    /// Proxies whose `X-Forwarded-For` or `Forwarded` says where a request comes from.
    pub trusted_proxies: Vec<AddressRange>,
    /// How many bytes the bodies, the answers and the work of all requests may take; one user has at most half of it.
    pub memory_budget: usize,
    /// How long a client may read nothing of its answer before it is cut off.
    pub write_timeout: Duration,
    /// How long a client may take to send a request.
    pub request_timeout: Duration,
    /// How long deleted items, history, events, jobs and stored responses are kept.
    pub upkeep: Upkeep,
    /// Which process keeps the search index up to date.
    pub indexing: Indexing,
    /// How jobs that follow from changes are run; `None` leaves them to other processes on the same store.
    pub jobs: Option<JobSettings>,
    /// How long requests in flight may take after the server was told to stop.
    pub shutdown_timeout: Duration,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            auth: Auth::Tokens,
            rate_limits: Some(RateLimits::default()),
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            max_body_bytes: 20 * 1024 * 1024,
            max_import_bytes: 256 * 1024 * 1024,
            max_connections: 4_096,
            listeners_per_user: LISTENERS_PER_USER,
            max_connections_per_address: None,
            trusted_proxies: Vec::new(),
            memory_budget: 512 * 1024 * 1024,
            write_timeout: Duration::from_secs(30),
            request_timeout: Duration::from_secs(60),
            upkeep: Upkeep::default(),
            indexing: Indexing::Here,
            jobs: None,
            shutdown_timeout: Duration::from_secs(10),
        }
    }
}

impl Settings {
    /// How many connections one address may have.
    pub(crate) fn connections_per_address(&self) -> usize {
        self.max_connections_per_address.unwrap_or(self.max_connections / 8).max(1)
    }
}

/// Which process keeps the search index up to date. Searches find the same without an index; they take longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indexing {
    /// This process, taking turns with others that do.
    Here,
    /// Other processes on the same store.
    Elsewhere,
}

/// How jobs that follow from changes, webhook deliveries and summaries, are run.
#[derive(Clone, Debug)]
pub struct JobSettings {
    /// Makes the TLS configuration of outbound requests. Called when it is first needed.
    pub tls: MakeTls,
    /// Which addresses a webhook may have.
    pub targets: WebhookTargets,
    /// When a job that failed is tried again, and how many deliveries of one user are made at a time.
    pub policy: JobPolicy,
    /// The model that summarizes items, if there is one.
    pub ai: Option<AiSettings>,
}

/// Makes a TLS configuration.
pub type MakeTls = fn() -> io::Result<ClientConfig>;

/// A model behind an OpenAI-compatible endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AiSettings {
    /// The endpoint, like `https://api.example.com/v1`.
    pub url: String,
    /// The name of the model at the endpoint.
    pub model: String,
    /// The API key that the endpoint asks for, if it does.
    pub key: Option<AiKey>,
}

impl AiSettings {
    /// The URL of chat completions.
    pub(crate) fn endpoint(&self) -> String {
        let url = self.url.trim_end_matches('/');
        if url.ends_with("/chat/completions") { url.to_owned() } else { format!("{url}/chat/completions") }
    }
}

/// The API key of a model's endpoint. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct AiKey(String);

impl AiKey {
    /// The key with this text.
    pub fn new(key: String) -> AiKey {
        AiKey(key)
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for AiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AiKey")
    }
}

/// How requests are authenticated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Auth {
    /// By a bearer token.
    Tokens,
    /// Every request is this user's: for loopback addresses only, and without rate limits.
    Owner(UserId),
}

/// How many requests a user may make in a minute, evenly or at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimits {
    /// Requests that read.
    pub reads_per_minute: NonZeroU32,
    /// All other requests.
    pub writes_per_minute: NonZeroU32,
}

impl Default for RateLimits {
    fn default() -> RateLimits {
        let one_and = |more| NonZeroU32::MIN.saturating_add(more);
        RateLimits { reads_per_minute: one_and(5_999), writes_per_minute: one_and(1_199) }
    }
}
