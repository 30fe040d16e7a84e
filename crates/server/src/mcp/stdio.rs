//! Over standard input and output: for an agent that starts the server itself.

use std::io;
use std::sync::Arc;

use interline_items::{Interline, UserId};
use rmcp::serve_server;
use rmcp::transport::io::stdio_pipes;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Semaphore;

use super::lines::Lines;
use super::subscriptions::{Connected, Connection};
use super::{Handler, McpServer, Principal};
use crate::serve::run_indexing;
use crate::shutdown::Shutdown;

/// How many streams a client can have. Each is a request that is not answered, of which there must be room for others.
const MAX_STREAMS: usize = 16;

/// Answers on standard input and output, as `owner`, until the input ends. Nothing else may write to the output
/// meanwhile.
pub async fn serve_mcp(server: McpServer, interline: Interline, owner: UserId) -> io::Result<()> {
    let index = tokio::spawn(run_indexing(interline.clone()));
    let (input, output) = stdio_pipes();
    let served = serve_mcp_on(server, interline, owner, (input, output)).await;
    index.abort();
    served
}

/// The same on another input and output, without keeping the index of searches.
pub async fn serve_mcp_on<R, W>(
    server: McpServer,
    interline: Interline,
    owner: UserId,
    (input, output): (R, W),
) -> io::Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let lines = Lines::new(input, output);
    let end = Shutdown { is_closing: lines.is_closing(), listeners: Arc::new(Semaphore::new(MAX_STREAMS)) };
    let handler = Handler::new(server, interline, Principal::Owner(owner, Arc::new(Connection::default())), end);
    match serve_server(Connected(handler), lines).await {
        Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
        // Whoever leaves before saying who they are wanted nothing.
        Err(error) => {
            tracing::info!(%error, "the client left before it began");
            Ok(())
        }
    }
}
