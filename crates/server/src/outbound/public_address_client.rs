//! The public-address client: an HTTP client that connects only to addresses that its rule allows.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use interline_items::{WebhookTargets, is_public};
use reqwest::Client;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;
use tokio::sync::OnceCell;

use super::error_with_causes;
use crate::settings::MakeTls;

/// How long connecting to an address may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A client that is built when it is first needed: reading the trusted certificates takes long, and most servers need no
/// client.
pub(super) struct LazyClient {
    tls: MakeTls,
    targets: WebhookTargets,
    client: OnceCell<Client>,
}

impl LazyClient {
    pub(super) fn new(tls: MakeTls, targets: WebhookTargets) -> LazyClient {
        LazyClient { tls, targets, client: OnceCell::new() }
    }

    /// The client, or why there is none.
    pub(super) async fn get(&self) -> Result<&Client, String> {
        let (tls, targets) = (self.tls, self.targets);
        let building = async || {
            // Not on the threads that answer requests: building reads files.
            let built = tokio::task::spawn_blocking(move || build(tls, targets)).await;
            built.unwrap_or_else(|panicked| Err(panicked.to_string()))
        };
        self.client.get_or_try_init(building).await
    }
}

fn build(tls: MakeTls, targets: WebhookTargets) -> Result<Client, String> {
    let tls = tls().map_err(|error| format!("TLS cannot be used: {error}"))?;
    Client::builder()
        .tls_backend_preconfigured(tls)
        .dns_resolver(TargetResolver(targets))
        // A redirect could lead to an address that is not allowed, and a proxy would resolve names by itself.
        .redirect(Policy::none())
        .no_proxy()
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_max_idle_per_host(1)
        .user_agent(concat!("interline/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| error_with_causes(&error))
}

/// A DNS resolver that returns allowed addresses only: the address of a name can change after the name was checked.
struct TargetResolver(WebhookTargets);

impl Resolve for TargetResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let targets = self.0;
        Box::pin(async move {
            let resolved: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            let allowed: Vec<SocketAddr> = match targets {
                WebhookTargets::Any => resolved,
                WebhookTargets::Public => resolved.into_iter().filter(|address| is_public(address.ip())).collect(),
            };
            if allowed.is_empty() {
                let message = format!("{} has no public address", name.as_str());
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, message).into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rustls::{ClientConfig, RootCertStore};

    use super::*;

    fn tls() -> io::Result<ClientConfig> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        Ok(config.map_err(io::Error::other)?.with_root_certificates(RootCertStore::empty()).with_no_client_auth())
    }

    /// The address of a name is checked when the name is resolved, whatever was checked before.
    #[tokio::test]
    async fn a_name_that_leads_here_is_not_followed() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://localhost:{}/", listener.local_addr().unwrap().port());
        let refused =
            LazyClient::new(tls, WebhookTargets::Public).get().await.unwrap().post(&url).send().await.unwrap_err();
        assert!(
            error_with_causes(&refused).contains("localhost has no public address"),
            "{}",
            error_with_causes(&refused)
        );
        let client = LazyClient::new(tls, WebhookTargets::Any);
        let request = client.get().await.unwrap().post(&url).send();
        tokio::select! {
            accepted = listener.accept() => assert!(accepted.is_ok()),
            answer = request => panic!("{answer:?}"),
        }
    }
}
