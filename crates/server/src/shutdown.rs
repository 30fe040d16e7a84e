//! How connections that outlive a request, event sockets and MCP streams, learn that the server stops.

use std::sync::Arc;

use tokio::sync::{Semaphore, watch};

/// The signal that the server stops, and the permits that it waits for before it has stopped; cheap to clone.
#[derive(Clone)]
pub(crate) struct Shutdown {
    /// Reports a change when the server stops: its sender is dropped then.
    pub(crate) is_closing: watch::Receiver<()>,
    /// One permit for each listener. A listener holds its permit until its connection is closed.
    pub(crate) listeners: Arc<Semaphore>,
}
