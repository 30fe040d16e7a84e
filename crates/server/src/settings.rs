//! What an operator may choose.

use std::num::NonZeroU32;
use std::time::Duration;
use std::{fmt, io};

use interline_items::{JobPolicy, Upkeep, UserId, WebhookTargets};
use rustls::ClientConfig;

/// How requests are answered.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Whose a request is.
    pub auth: Auth,
    /// How many requests a user may make; `None` is as many as they like.
    pub rate_limits: Option<RateLimits>,
    /// Names that the server is reached by, beside those of the loopback interface. A server that listens on other
    /// interfaces and is given none answers to any name.
    pub allowed_hosts: Vec<String>,
    /// Pages elsewhere that may call the API, as `https://example.org`.
    pub allowed_origins: Vec<String>,
    /// The longest body of a request, in bytes.
    pub max_body_bytes: usize,
    /// How many connections are served at a time; further ones wait.
    pub max_connections: usize,
    /// How long a client may take to send a request.
    pub request_timeout: Duration,
    /// How long things are kept.
    pub housekeeping: Upkeep,
    /// Who keeps the index of searches up to date.
    pub indexing: Indexing,
    /// How work that follows from changes is done; `None` leaves it to other processes on the same store.
    pub work: Option<JobSettings>,
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
            max_connections: 4_096,
            request_timeout: Duration::from_secs(60),
            housekeeping: Upkeep::default(),
            indexing: Indexing::Here,
            work: None,
            shutdown_timeout: Duration::from_secs(10),
        }
    }
}

/// Who keeps the index of searches up to date. Searches find the same all the same; without an index they take longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indexing {
    /// This process, taking turns with others that do.
    Here,
    /// Other processes on the same store.
    Elsewhere,
}

/// How work that follows from changes is done.
#[derive(Clone, Debug)]
pub struct JobSettings {
    /// Whom to trust outside, and how to speak with them. Called when it is first needed.
    pub tls: MakeTls,
    /// Which addresses webhooks may have.
    pub targets: WebhookTargets,
    /// How what fails is tried again.
    pub rules: JobPolicy,
    /// The model that summarizes; `None` if there is none.
    pub ai: Option<AiSettings>,
}

/// Makes a configuration of TLS.
pub type MakeTls = fn() -> io::Result<ClientConfig>;

/// A model behind an OpenAI-compatible endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AiSettings {
    /// The endpoint, like `https://api.example.com/v1`.
    pub url: String,
    /// What it calls the model.
    pub model: String,
    /// What it is shown, if it wants to see something.
    pub key: Option<AiKey>,
}

impl AiSettings {
    /// Where completions are made.
    pub(crate) fn endpoint(&self) -> String {
        let url = self.url.trim_end_matches('/');
        if url.ends_with("/chat/completions") { url.to_owned() } else { format!("{url}/chat/completions") }
    }
}

/// A secret that an endpoint is shown. It is not shown by `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct AiKey(String);

impl AiKey {
    /// The key of that text.
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

/// Whose a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Auth {
    /// That of the token's user.
    Tokens,
    /// This user's, whoever sends it: for loopback addresses only, and without rate limits.
    Owner(UserId),
}

/// How many requests a user may make in a minute, in any rhythm.
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
