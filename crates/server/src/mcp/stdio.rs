//! Over standard input and output: for an agent that starts the server itself.

use std::io;

use interline_items::{Interline, UserId};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;
use rmcp::{RoleServer, serve_server};

use super::{Handler, McpServer, Principal};
use crate::serve::keep_index;

/// The longest message that is read, in bytes.
const MAX_MESSAGE_BYTES: usize = 20 * 1024 * 1024;

/// Answers on standard input and output, as `owner`, until the input ends. Nothing else may write to the output
/// meanwhile.
pub async fn serve_mcp(server: McpServer, interline: Interline, owner: UserId) -> io::Result<()> {
    let index = tokio::spawn(keep_index(interline.clone()));
    let handler = Handler::new(server, interline, Principal::Owner(owner));
    let (input, output) = stdio_pipes();
    let transport = AsyncRwTransport::<RoleServer, _, _>::new(input, output).with_max_line_length(MAX_MESSAGE_BYTES);
    let served = match serve_server(handler, transport).await {
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
