//! TLS of outgoing connections, to remote servers, webhook endpoints and the AI endpoint.

use std::io;
use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore};

/// TLS that trusts the system's authorities. A system without any can still be used without TLS.
pub(crate) fn configuration() -> io::Result<ClientConfig> {
    let mut authorities = RootCertStore::empty();
    authorities.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    // The process may have several providers of cryptography through other crates: the choice is made here.
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?;
    Ok(config.with_root_certificates(authorities).with_no_client_auth())
}
