//! A connection of an attacker: raw requests, whose answers are read and thrown away.

use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Small: there are thousands.
const BUFFER: usize = 16 * 1024;
/// The last bytes of a body of chunks.
const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

/// A connection, kept alive.
pub(super) struct Connection {
    pub(super) stream: TcpStream,
    buffer: Vec<u8>,
}

/// A request with a token, or without one if that is empty.
pub(super) fn request(server: SocketAddr, token: &str, method: &str, path: &str, body: &str) -> Vec<u8> {
    let authorization = if token.is_empty() { String::new() } else { format!("Authorization: Bearer {token}\r\n") };
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {server}\r\n{authorization}Content-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    (head + body).into_bytes()
}

impl Connection {
    pub(super) async fn open(server: SocketAddr) -> io::Result<Connection> {
        let stream = TcpStream::connect(server).await?;
        stream.set_nodelay(true)?;
        Ok(Connection::from(stream))
    }

    /// Sends a request and reads the answer to its end; its status.
    pub(super) async fn exchange(&mut self, request: &[u8]) -> io::Result<u16> {
        // A server that refuses a body may answer before it was sent.
        let sent = self.stream.write_all(request).await;
        match self.read_answer().await {
            Ok(status) => sent.map(|()| status),
            Err(error) => Err(sent.err().unwrap_or(error)),
        }
    }

    async fn read_answer(&mut self) -> io::Result<u16> {
        let mut read = Vec::new();
        let head_end = loop {
            if let Some(end) = read.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                break end + 4;
            }
            let bytes = self.read_some().await?;
            read.extend_from_slice(&self.buffer[..bytes]);
        };
        let body = read.split_off(head_end);
        let head = String::from_utf8_lossy(&read).to_ascii_lowercase();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or(io::ErrorKind::InvalidData)?;
        let length =
            head.split('\n').find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
        match length {
            Some(length) => self.skip(length.saturating_sub(body.len())).await?,
            None if head.contains("transfer-encoding: chunked") => self.skip_chunks(&body).await?,
            None => {}
        }
        Ok(status)
    }

    async fn skip(&mut self, mut bytes: usize) -> io::Result<()> {
        while bytes > 0 {
            bytes = bytes.saturating_sub(self.read_some().await?);
        }
        Ok(())
    }

    async fn skip_chunks(&mut self, begun: &[u8]) -> io::Result<()> {
        let mut last = begun.to_vec();
        while !last.ends_with(LAST_CHUNK) {
            let bytes = self.read_some().await?;
            last.drain(..last.len().saturating_sub(LAST_CHUNK.len()));
            last.extend_from_slice(&self.buffer[..bytes]);
        }
        Ok(())
    }

    /// Reads and throws away until the server closes.
    pub(super) async fn until_closed(&mut self) {
        while self.read_some().await.is_ok() {}
    }

    async fn read_some(&mut self) -> io::Result<usize> {
        match self.stream.read(&mut self.buffer).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            bytes => Ok(bytes),
        }
    }
}

impl From<TcpStream> for Connection {
    fn from(stream: TcpStream) -> Connection {
        Connection { stream, buffer: vec![0; BUFFER] }
    }
}
