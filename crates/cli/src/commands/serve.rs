//! The command `interline serve`: runs the server until a signal stops it.

use std::fmt::Write as _;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;

use interline_items::JobPolicy;
use interline_server::{Auth, JobSettings, Settings};
use tokio::net::{TcpListener, TcpSocket};
use tokio::signal::unix::{SignalKind, signal};

use crate::args::ServeArgs;
use crate::command_error::CommandError;
use crate::environment::Environment;
use crate::first_start::Owner;
use crate::machine;
use crate::output::print;
use crate::settings::{AuthMode, ServeSettings};
use crate::tls;
use crate::{local, log};

/// What the system keeps of an answer that its client has not read yet, in bytes.
const SEND_BUFFER: u32 = 256 * 1024;
/// How many connections the system keeps for the server to accept.
const BACKLOG: u32 = 1_024;

pub(super) async fn run(args: &ServeArgs, environment: &Environment) -> Result<(), CommandError> {
    let settings = ServeSettings::from_args(args, environment)?;
    // Before the store: a second server at the same address must not make one.
    let listener = listen(settings.listen).map_err(|error| cannot_listen(settings.listen, &error))?;
    let address = listener.local_addr().map_err(|error| cannot_listen(settings.listen, &error))?;
    let stop = stop_signal()?;
    let (interline, owner) = local::open(&settings.store).await?;
    let greeting = greeting(address, &settings, &owner);
    let defaults = Settings::default();
    let server_settings = Settings {
        auth: match settings.auth {
            AuthMode::Token => Auth::Tokens,
            AuthMode::None => Auth::Owner(owner.user.id),
        },
        rate_limits: settings.rate_limits,
        allowed_hosts: settings.allowed_hosts,
        allowed_origins: settings.allowed_origins,
        max_connections: machine::connections_within(defaults.max_connections),
        max_connections_per_address: settings.bounds.max_connections_per_address,
        trusted_proxies: settings.bounds.trusted_proxies,
        memory_budget: settings.bounds.memory_budget.unwrap_or_else(machine::default_memory_budget),
        upkeep: settings.housekeeping,
        listeners_per_user: settings.listeners_per_user,
        jobs: Some(JobSettings {
            tls: tls::configuration,
            targets: settings.outbound.targets,
            policy: JobPolicy { deliveries_per_user: settings.outbound.deliveries_per_user, ..JobPolicy::default() },
            ai: settings.outbound.ai,
        }),
        ..defaults
    };
    let _log = log::start(settings.log, settings.log_format);
    // Nobody has to read the greeting: the token is in its file too.
    if print(&greeting).is_err() {
        tracing::warn!("stdout cannot be written");
    }
    tracing::info!(%address, "listening");
    let served = interline_server::serve(listener, interline, server_settings, stop).await;
    served.map_err(|error| CommandError::failed(format!("the server stopped: {error}")))?;
    tracing::info!("stopped");
    Ok(())
}

/// Listens on an address.
fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // A server that is started again finds the connections of the one before it.
    socket.set_reuseaddr(true)?;
    // Accepted connections have it too. With more, a slow client would look for too long as if it read nothing.
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

fn cannot_listen(address: SocketAddr, error: &io::Error) -> CommandError {
    match error.kind() {
        io::ErrorKind::AddrInUse => CommandError::failed(format!("the address {address} is in use"))
            .hint("another server may be running; choose another address with --listen, or port 0 for any free one"),
        io::ErrorKind::PermissionDenied => CommandError::failed(format!("this user may not listen on {address}"))
            .hint("choose a port above 1023 with --listen"),
        _ => CommandError::failed(format!("the address {address} cannot be listened on: {error}"))
            .hint("choose one of this machine's with --listen"),
    }
}

/// A future that ends when SIGINT or SIGTERM arrives. The handlers are installed by this call, not by the first poll.
fn stop_signal() -> Result<impl Future<Output = ()> + Send + 'static, CommandError> {
    let listen = |kind| signal(kind).map_err(|error| CommandError::failed(format!("signals cannot be heard: {error}")));
    let (mut interrupt, mut terminate) = (listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// The text that is printed at the start: the address, the owner's token if it is new, and a line to try it.
fn greeting(address: SocketAddr, settings: &ServeSettings, owner: &Owner) -> String {
    let token_file = settings.store.token_file();
    let mut text = format!("Interline listens on http://{address}\n");
    if let Some(secret) = &owner.new_secret {
        let _ = write!(
            text,
            "\nThe token of {}, shown this once and kept in {}:\n\n    {}\n",
            owner.user.name,
            token_file.display(),
            secret.as_str()
        );
    }
    let _ = write!(
        text,
        "\nTry it:\n\n    {}\n",
        example(address, settings.auth, Some(token_file.as_path()).filter(|file| file.exists()))
    );
    text
}

/// A request that can be pasted into a shell.
fn example(address: SocketAddr, auth: AuthMode, token_file: Option<&Path>) -> String {
    let here = SocketAddr::new(reachable(address.ip()), address.port());
    match auth {
        AuthMode::None => format!("curl http://{here}/notes"),
        AuthMode::Token => {
            // The owner's token is where the first start was: not on every machine that shares a database.
            let token = match token_file {
                Some(file) => format!("$(cat {})", shell_quoted(&file.display().to_string())),
                None => "$INTERLINE_TOKEN".to_owned(),
            };
            format!("curl -H \"Authorization: Bearer {token}\" http://{here}/notes")
        }
    }
}

/// An address that reaches this server, where `listened` may stand for every address of the machine.
fn reachable(listened: IpAddr) -> IpAddr {
    match listened {
        IpAddr::V4(address) if address.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(address) if address.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        address => address,
    }
}

/// One word of a shell.
fn shell_quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,@%:=".contains(c);
    if text.chars().all(is_plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(address: &str, auth: AuthMode, file: &str, expected: &str) {
        assert_eq!(example(address.parse().expect("an address"), auth, Some(Path::new(file))), expected);
    }

    #[test]
    fn the_example_can_be_pasted() {
        check("127.0.0.1:4680", AuthMode::None, "/d/token", "curl http://127.0.0.1:4680/notes");
        check(
            "0.0.0.0:80",
            AuthMode::Token,
            "/my data/it's/token",
            r#"curl -H "Authorization: Bearer $(cat '/my data/it'\''s/token')" http://127.0.0.1:80/notes"#,
        );
        check(
            "[::]:80",
            AuthMode::Token,
            "/d/token",
            r#"curl -H "Authorization: Bearer $(cat /d/token)" http://[::1]:80/notes"#,
        );
    }
}
