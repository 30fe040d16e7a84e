//! `interline serve`.

use std::fmt::Write as _;
use std::io;
use std::io::IsTerminal as _;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;

use interline_items::JobPolicy;
use interline_server::{Auth, JobSettings, Settings};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

use crate::args::ServeArgs;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::first_start::Owner;
use crate::local;
use crate::output::{Form, say};
use crate::settings::{AuthMode, ServeSettings};
use crate::tls;

pub(super) async fn run(args: &ServeArgs, environment: &Environment) -> Result<(), Failure> {
    let settings = ServeSettings::of(args, environment)?;
    // Before the store: a second server at the same address must not make one.
    let listener = TcpListener::bind(settings.listen).await.map_err(|error| cannot_listen(settings.listen, &error))?;
    let address = listener.local_addr().map_err(|error| cannot_listen(settings.listen, &error))?;
    let stop = stop_signal()?;
    let (interline, owner) = local::open(&settings.store).await?;
    let greeting = greeting(address, &settings, &owner);
    let answers = Settings {
        auth: match settings.auth {
            AuthMode::Token => Auth::Tokens,
            AuthMode::None => Auth::Owner(owner.user.id),
        },
        rate_limits: settings.rate_limits,
        allowed_hosts: settings.allowed_hosts,
        allowed_origins: settings.allowed_origins,
        upkeep: settings.housekeeping,
        jobs: Some(JobSettings {
            tls: tls::configuration,
            targets: settings.after_change.targets,
            policy: JobPolicy::default(),
            ai: settings.after_change.ai,
        }),
        ..Settings::default()
    };
    start_logging(settings.log, settings.log_form);
    say(&greeting)?;
    tracing::info!(%address, "listening");
    let served = interline_server::serve(listener, interline, answers, stop).await;
    served.map_err(|error| Failure::failed(format!("the server stopped: {error}")))?;
    tracing::info!("stopped");
    Ok(())
}

fn cannot_listen(address: SocketAddr, error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::AddrInUse => Failure::failed(format!("the address {address} is in use"))
            .hint("another server may be running; choose another address with --listen, or port 0 for any free one"),
        io::ErrorKind::PermissionDenied => Failure::failed(format!("this user may not listen on {address}"))
            .hint("choose a port above 1023 with --listen"),
        _ => Failure::failed(format!("the address {address} cannot be listened on: {error}"))
            .hint("choose one of this machine's with --listen"),
    }
}

/// Done when somebody wants the server to stop. Signals are heard from now on.
fn stop_signal() -> Result<impl Future<Output = ()> + Send + 'static, Failure> {
    let hear = |kind| signal(kind).map_err(|error| Failure::failed(format!("signals cannot be heard: {error}")));
    let (mut interrupt, mut terminate) = (hear(SignalKind::interrupt())?, hear(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Logs to stderr from now on.
pub(super) fn start_logging(filter: EnvFilter, form: Form) {
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    match form {
        Form::Json => logs.json().init(),
        Form::Text => logs.with_ansi(io::stderr().is_terminal()).init(),
    }
}

/// What is printed at the start: the address, the token if it is new, and a line to try it.
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
                Some(file) => format!("$(cat {})", quoted(&file.display().to_string())),
                None => "$INTERLINE_TOKEN".to_owned(),
            };
            format!("curl -H \"Authorization: Bearer {token}\" http://{here}/notes")
        }
    }
}

/// An address that leads here, where `listened` may mean every one.
fn reachable(listened: IpAddr) -> IpAddr {
    match listened {
        IpAddr::V4(address) if address.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(address) if address.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        address => address,
    }
}

/// One word of a shell.
fn quoted(text: &str) -> String {
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
