//! Where a PostgreSQL database is, and why it cannot be used, in words for the person who wrote its URL. They never hold the
//! password.

use std::error::Error as _;
use std::fmt;
use std::io;

use tokio_postgres::config::{Config, Host};
use tokio_postgres::error::{DbError, SqlState};

use super::connection::{CONNECT_TIMEOUT, configuration};
use super::failure::{Failure, error_chain};
use crate::OpenError;

const DEFAULT_PORT: u16 = 5432;
const FORM: &str = "write it as postgres://user:password@host:5432/database, with %40 for an @ in the password";

/// The servers of a URL, its user and its database.
pub(super) struct DatabasePlace {
    /// With their ports.
    servers: String,
    user: String,
    database: String,
}

impl DatabasePlace {
    pub(super) fn new(url: &str) -> Result<DatabasePlace, OpenError> {
        let config = configuration(url)?;
        let user = config.get_user().unwrap_or("");
        let database = config.get_dbname().unwrap_or(user);
        Ok(DatabasePlace { servers: servers(&config), user: user.to_owned(), database: database.to_owned() })
    }

    /// Why the database cannot be opened.
    pub(super) fn unusable(&self, failure: Failure) -> OpenError {
        let DatabasePlace { servers, database, .. } = self;
        match failure {
            Failure::Database(error) => match error.as_db_error() {
                Some(refusal) => self.refused(refusal),
                None => self.unreachable(&error),
            },
            Failure::NoConnection(_) | Failure::NoAnswer => postgres_error(
                format!("PostgreSQL at {servers} does not answer within {} s", CONNECT_TIMEOUT.as_secs()),
                "check host and port of the database's URL, and that no firewall is between".to_owned(),
            ),
            Failure::Answer(answer) => OpenError::Failed(format!("{database} at {servers}: {answer}")),
        }
    }

    /// The words for what the server said.
    fn refused(&self, refusal: &DbError) -> OpenError {
        let DatabasePlace { servers, user, database } = self;
        let (code, said) = (refusal.code(), refusal.message());
        if *code == SqlState::INVALID_CATALOG_NAME {
            return postgres_error(
                format!("PostgreSQL at {servers} has no database \"{database}\""),
                format!("make it with `createdb {database}`, or correct its name at the end of the database's URL"),
            );
        }
        if *code == SqlState::INVALID_PASSWORD {
            return postgres_error(
                format!("PostgreSQL at {servers}: {said}"),
                "correct user and password in the database's URL (an @ in a password is written %40)".to_owned(),
            );
        }
        if *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION {
            let hint = if said.contains("no encryption") {
                "the server may want TLS: add ?sslmode=require to the database's URL; or let its pg_hba.conf admit the user"
            } else {
                "correct the user in the database's URL, or let the server's pg_hba.conf admit it"
            };
            return postgres_error(format!("PostgreSQL at {servers} refuses user \"{user}\": {said}"), hint.to_owned());
        }
        if *code == SqlState::INSUFFICIENT_PRIVILEGE {
            return postgres_error(
                format!("user \"{user}\" may not do this in database \"{database}\" of {servers}: {said}"),
                format!("let the user own it: ALTER DATABASE \"{database}\" OWNER TO \"{user}\""),
            );
        }
        postgres_error(
            format!("PostgreSQL at {servers} cannot be used: {said}"),
            "the log of the PostgreSQL server may say more".to_owned(),
        )
    }

    /// The words for what happened before the server said anything.
    fn unreachable(&self, error: &tokio_postgres::Error) -> OpenError {
        let servers = &self.servers;
        let cause = error.source().map_or_else(|| error.to_string(), error_chain);
        // The library does not tell its kinds of errors apart otherwise.
        let during = error.to_string();
        if during.contains("TLS handshake") {
            return if cause.contains("does not support TLS") {
                postgres_error(
                    format!("PostgreSQL at {servers} does not speak TLS, and sslmode=require asks for it"),
                    "switch TLS on at the server (ssl = on), or leave sslmode out where the network is safe".to_owned(),
                )
            } else {
                postgres_error(
                    format!("TLS with PostgreSQL at {servers} fails: {cause}"),
                    "check the certificate's name and date; that of its authority can be named in SSL_CERT_FILE"
                        .to_owned(),
                )
            };
        }
        if during.contains("configuration") || during.contains("authentication") {
            return postgres_error(format!("PostgreSQL at {servers} cannot be logged in to: {cause}"), FORM.to_owned());
        }
        let cause = match error.source().and_then(|cause| cause.downcast_ref::<io::Error>()) {
            Some(error) => without_code(error),
            None => cause,
        };
        postgres_error(
            format!("PostgreSQL at {servers} cannot be reached: {cause}"),
            "check that it runs, and host and port of the database's URL".to_owned(),
        )
    }
}

impl fmt::Display for DatabasePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "database \"{}\" of PostgreSQL at {}", self.database, self.servers)
    }
}

fn postgres_error(message: impl Into<String>, suggestion: impl Into<String>) -> OpenError {
    // What a server says may have several lines.
    let message = message.into().replace(['\n', '\r'], " ");
    OpenError::Postgres { message, suggestion: suggestion.into() }
}

fn servers(config: &Config) -> String {
    let (hosts, ports) = (config.get_hosts(), config.get_ports());
    let port = |index: usize| ports.get(index).or(ports.first()).copied().unwrap_or(DEFAULT_PORT);
    let name = |(index, host): (usize, &Host)| match host {
        Host::Tcp(host) if host.contains(':') => format!("[{host}]:{}", port(index)),
        Host::Tcp(host) => format!("{host}:{}", port(index)),
        Host::Unix(path) => format!("{} (port {})", path.display(), port(index)),
    };
    let names: Vec<String> = hosts.iter().enumerate().map(name).collect();
    if names.is_empty() { "an address that its URL does not name".to_owned() } else { names.join(", ") }
}

/// The message of the system without the number that the standard library adds.
fn without_code(error: &io::Error) -> String {
    let text = error.to_string();
    text.split_once(" (os error").map_or(text.clone(), |(message, _)| message.to_owned())
}

/// Refuses a URL whose password holds an `@` as it is: what comes after it would be taken for the host, and be shown.
pub(super) fn check_credentials(url: &str) -> Result<(), OpenError> {
    let place = url.split_once('?').map_or(url, |(place, _)| place);
    if url.contains("://") && place.matches('@').count() > 1 {
        return Err(postgres_error("the database's URL cannot be read", FORM));
    }
    Ok(())
}

/// Why a URL cannot be read. An `@` after the first `?` may be a password's, of which the detail would quote a part.
pub(super) fn unreadable_url(url: &str, error: &tokio_postgres::Error) -> OpenError {
    let is_safe = url.split_once('?').is_none_or(|(_, options)| !options.contains('@'));
    let detail = error.source().filter(|_| is_safe).map(|detail| format!(": {detail}")).unwrap_or_default();
    postgres_error(format!("the database's URL cannot be read{detail}"), FORM.to_owned())
}
