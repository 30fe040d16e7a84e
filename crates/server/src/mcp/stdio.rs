//! Over standard input and output: for an agent that starts the server itself.

use std::io;

use interline_items::{Interline, UserId};
use rmcp::serve_server;
use rmcp::transport::io::stdio_pipes;

use super::lines::Lines;
use super::{Handler, McpServer, Principal};
use crate::serve::keep_index;

/// Answers on standard input and output, as `owner`, until the input ends. Nothing else may write to the output
/// meanwhile.
pub async fn serve_mcp(server: McpServer, interline: Interline, owner: UserId) -> io::Result<()> {
    let index = tokio::spawn(keep_index(interline.clone()));
    let handler = Handler::new(server, interline, Principal::Owner(owner));
    let (input, output) = stdio_pipes();
    let served = match serve_server(handler, Lines::new(input, output)).await {
        Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
        // Whoever leaves before saying who they are wanted nothing.
        Err(error) => {
            tracing::info!(%error, "the client left before it began");
            Ok(())
        }
    };
    index.abort();
    served
}
