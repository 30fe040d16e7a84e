//! Requests as bytes on a connection, for those that no HTTP client would send.

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::test_store::TestServer;

/// What came back over a connection until the server closed it.
pub(crate) struct RawAnswer {
    pub(crate) text: String,
}

impl RawAnswer {
    /// The status, or 0 where nothing came.
    pub(crate) fn status(&self) -> u16 {
        self.text.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
    }

    /// The body, as JSON.
    pub(crate) fn json(&self) -> Value {
        let body = self.text.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }
}

impl TestServer {
    /// A new connection.
    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// The head of a request by the owner that asks for the connection to be closed after it.
    pub(crate) fn head(&self, line: &str, headers: &str) -> String {
        format!(
            "{line} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n{headers}\r\n",
            self.address, self.store.secret
        )
    }

    /// Sends bytes on a new connection, and reads until the server closes it.
    pub(crate) async fn raw(&self, bytes: &[u8]) -> RawAnswer {
        let mut stream = self.connect().await;
        // A server that has refused may have closed already: what it answered is what counts.
        let _ = stream.write_all(bytes).await;
        read_to_end(&mut stream).await
    }

    /// A request by the owner with a body that need not be JSON nor UTF-8.
    pub(crate) async fn raw_body(&self, line: &str, body: &[u8]) -> RawAnswer {
        let headers = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        let mut request = self.head(line, &headers).into_bytes();
        request.extend_from_slice(body);
        self.raw(&request).await
    }
}

/// Reads until the other end closes; a reset after the answer is an end too.
pub(crate) async fn read_to_end(stream: &mut TcpStream) -> RawAnswer {
    let (mut bytes, mut part) = (Vec::new(), vec![0; 1 << 16]);
    while let Ok(length @ 1..) = stream.read(&mut part).await {
        bytes.extend_from_slice(&part[..length]);
    }
    RawAnswer { text: String::from_utf8_lossy(&bytes).into_owned() }
}
