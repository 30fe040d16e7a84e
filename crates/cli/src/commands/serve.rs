//! The command `interline serve`: runs the server until a signal stops it.

mod greeting;

use std::io;
use std::net::SocketAddr;

use interline_items::JobPolicy;
use interline_server::{Auth, JobSettings, Settings};
use tokio::net::{TcpListener, TcpSocket};
use tokio::signal::unix::{SignalKind, signal};

use crate::args::ServeArgs;
use crate::command_error::CommandError;
use crate::environment::Environment;
use crate::local::IfMissing;
use crate::machine;
use crate::output::print;
use crate::settings::{AuthMode, ListenAddress, ServeSettings};
use crate::tls;
use crate::{local, log};

/// What the system keeps of an answer that its client has not read yet, in bytes.
const SEND_BUFFER: u32 = 256 * 1024;
/// How many connections the system keeps for the server to accept.
const BACKLOG: u32 = 1_024;

pub(super) async fn run(args: &ServeArgs, environment: &Environment) -> Result<(), CommandError> {
    let settings = ServeSettings::from_args(args, environment)?;
    // Before the store: a second server at the same address must not make one.
    let (listener, address) = listen_on_one(&settings.listen)?;
    let stop = stop_signal()?;
    let (interline, owner) = local::open(&settings.store, IfMissing::Make).await?;
    let interline = interline.with_local_agent_writes(settings.mcp_writes);
    let greeting = greeting::text(address, &settings, &owner, environment);
    let defaults = Settings::default();
    let server_settings = Settings {
        auth: match settings.auth {
            AuthMode::Token => Auth::Tokens,
            AuthMode::None => Auth::Owner(owner.user.id),
        },
        rate_limits: settings.rate_limits,
        allowed_hosts: allowed_hosts(settings.allowed_hosts, &settings.listen, address),
        allowed_origins: settings.allowed_origins,
        max_connections: machine::connections_within(defaults.max_connections),
        max_connections_per_address: settings.bounds.max_connections_per_address,
        trusted_proxies: settings.bounds.trusted_proxies,
        memory_budget: settings.bounds.memory_budget.unwrap_or_else(machine::default_memory_budget),
        measure_memory: machine::anonymous_memory,
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
    let _log = log::start(settings.log, settings.log_format, environment);
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

/// Listens on the first of the addresses that this machine has.
fn listen_on_one(addresses: &ListenAddress) -> Result<(TcpListener, SocketAddr), CommandError> {
    let mut failed = None;
    for &address in addresses.addresses() {
        match listen(address).and_then(|listener| Ok((listener.local_addr()?, listener))) {
            Ok((address, listener)) => return Ok((listener, address)),
            Err(error) if is_elsewhere(&error) => failed = Some((address, error)),
            // An address that is in use must not become another one.
            Err(error) => return Err(cannot_listen(address, &error)),
        }
    }
    Err(match failed {
        Some((address, error)) => cannot_listen(address, &error),
        None => CommandError::usage(format!("{addresses} is no address")),
    })
}

/// Whether this machine does not have the address, or its kind of addresses.
fn is_elsewhere(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::AddrNotAvailable | io::ErrorKind::Unsupported)
}

/// The names that requests may be sent to. A loopback address by its name is reached by that name, too.
fn allowed_hosts(mut hosts: Vec<String>, listen: &ListenAddress, address: SocketAddr) -> Vec<String> {
    if address.ip().to_canonical().is_loopback() {
        hosts.extend(listen.name().map(str::to_owned));
    }
    hosts
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
