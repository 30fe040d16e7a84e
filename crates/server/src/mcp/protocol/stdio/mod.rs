//! Serves MCP over standard input and output, for an agent that starts the server itself.

mod line_buffer;
mod transport;

use std::io;
use std::sync::Arc;

use interline_items::Interline;
use rmcp::serve_server;
use rmcp::transport::io::stdio_pipes;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Semaphore;

use self::transport::LineTransport;
use super::subscriptions::{ConnectionService, ConnectionSubscriptions};
use super::{Handler, McpServer, McpTransport};
use crate::identity::Identity;
use crate::serve::supervised_indexing;
use crate::shutdown::Shutdown;

/// How many streams a client can have. Each is a request without an answer, and there must be room for other requests.
const MAX_STREAMS: usize = 16;

/// Answers on standard input and output, with `identity`, until the input ends. Nothing else may write to the output
/// meanwhile.
pub async fn serve_mcp(server: McpServer, interline: Interline, identity: Identity) -> io::Result<()> {
    let index = tokio::spawn(supervised_indexing(interline.clone()));
    let (input, output) = stdio_pipes();
    let served = serve_mcp_on(server, interline, identity, (input, output)).await;
    index.abort();
    served
}

/// The same on another input and output, without keeping the index of searches.
pub async fn serve_mcp_on<R, W>(
    server: McpServer,
    interline: Interline,
    identity: Identity,
    (input, output): (R, W),
) -> io::Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let transport = LineTransport::new(input, output);
    let shutdown = Shutdown { is_closing: transport.is_closing(), listeners: Arc::new(Semaphore::new(MAX_STREAMS)) };
    let connection = McpTransport::Connection(identity, Arc::new(ConnectionSubscriptions::default()));
    let handler = Handler::new(server, interline, connection, shutdown);
    match serve_server(ConnectionService(handler), transport).await {
        Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
        // A client that leaves before the handshake is no failure.
        Err(error) => {
            tracing::info!(%error, "the client left before it began");
            Ok(())
        }
    }
}
