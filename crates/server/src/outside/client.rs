//! A client that goes where it may.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use interline_items::{WebhookTargets, is_public};
use reqwest::Client;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;
use tokio::sync::OnceCell;

use super::told;
use crate::settings::MakeTls;

/// How long an address may take to let us in.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A client that is made when it is first needed: whom to trust takes long to read, and most servers need none.
pub(super) struct LazyClient {
    tls: MakeTls,
    targets: WebhookTargets,
    made: OnceCell<Client>,
}

impl LazyClient {
    pub(super) fn new(tls: MakeTls, targets: WebhookTargets) -> LazyClient {
        LazyClient { tls, targets, made: OnceCell::new() }
    }

    /// The client, or why there is none.
    pub(super) async fn get(&self) -> Result<&Client, String> {
        let (tls, targets) = (self.tls, self.targets);
        let making = async || {
            // Away from the threads that answer requests: files are read.
            let made = tokio::task::spawn_blocking(move || make(tls, targets)).await;
            made.unwrap_or_else(|gone| Err(gone.to_string()))
        };
        self.made.get_or_try_init(making).await
    }
}

fn make(tls: MakeTls, targets: WebhookTargets) -> Result<Client, String> {
    let tls = tls().map_err(|error| format!("TLS cannot be used: {error}"))?;
    Client::builder()
        .tls_backend_preconfigured(tls)
        .dns_resolver(Looking(targets))
        // A redirect could lead where the address itself may not, and a proxy would look names up for us.
        .redirect(Policy::none())
        .no_proxy()
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_max_idle_per_host(1)
        .user_agent(concat!("interline/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| told(&error))
}

/// Looks names up, and finds only where messages may go: what a name leads to can change after it was checked.
struct Looking(WebhookTargets);

impl Resolve for Looking {
    fn resolve(&self, name: Name) -> Resolving {
        let targets = self.0;
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            let may: Vec<SocketAddr> = match targets {
                WebhookTargets::Any => found,
                WebhookTargets::Public => found.into_iter().filter(|address| is_public(address.ip())).collect(),
            };
            if may.is_empty() {
                let message = format!("{} has no public address", name.as_str());
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, message).into());
            }
            Ok(Box::new(may.into_iter()) as Addrs)
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

    /// What a name leads to is seen when it is looked up, whatever was thought of it before.
    #[tokio::test]
    async fn a_name_that_leads_here_is_not_followed() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://localhost:{}/", listener.local_addr().unwrap().port());
        let refused =
            LazyClient::new(tls, WebhookTargets::Public).get().await.unwrap().post(&url).send().await.unwrap_err();
        assert!(told(&refused).contains("localhost has no public address"), "{}", told(&refused));
        let client = LazyClient::new(tls, WebhookTargets::Any);
        let request = client.get().await.unwrap().post(&url).send();
        tokio::select! {
            accepted = listener.accept() => assert!(accepted.is_ok()),
            answer = request => panic!("{answer:?}"),
        }
    }
}
