//! A client of the load generator: one kept-alive connection.

use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use memchr::memmem;
use thiserror::Error;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::runtime::Builder;

use super::Requests;

/// Room for the head of an answer, and for as much of the body as comes along.
const BUFFER: usize = 256 * 1024;

/// Why a connection cannot be used any more.
#[derive(Debug, Error)]
pub(crate) enum LoadError {
    #[error(transparent)]
    Connection(#[from] io::Error),
    #[error("the server said: {0}")]
    Refused(String),
}

/// A connection and where its requests come from.
pub(super) struct Client {
    stream: TcpStream,
    source: Requests,
    request: Vec<u8>,
    buffer: Vec<u8>,
}

/// The head of an answer.
struct Head {
    /// Bytes of it.
    length: usize,
    is_success: bool,
    body_length: usize,
}

impl Client {
    pub(super) async fn connect(address: SocketAddr, source: Requests) -> io::Result<Client> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Client { stream, source, request: Vec::new(), buffer: vec![0; BUFFER] })
    }

    /// Sends one request after the other until `end`; how long each took.
    pub(super) async fn run_until(mut self, end: Instant) -> Result<(Client, Vec<Duration>), LoadError> {
        let mut times = Vec::new();
        let mut now = Instant::now();
        while now < end {
            self.request.clear();
            (self.source)(&mut self.request);
            let sent = Instant::now();
            self.exchange().await?;
            now = Instant::now();
            times.push(now - sent);
        }
        Ok((self, times))
    }

    /// Sends the request and reads the answer to its end. The body is not kept: the generator does as little as can be.
    async fn exchange(&mut self) -> Result<(), LoadError> {
        self.stream.write_all(&self.request).await?;
        let mut filled = 0;
        let head = loop {
            filled += read_some(&mut self.stream, &mut self.buffer[filled..]).await?;
            if let Some(head) = parse_head(&self.buffer[..filled]) {
                break head?;
            }
        };
        if !head.is_success {
            return Err(LoadError::Refused(String::from_utf8_lossy(&self.buffer[..filled]).into_owned()));
        }
        let mut missing = (head.length + head.body_length).saturating_sub(filled);
        while missing > 0 {
            let room = missing.min(BUFFER);
            missing -= read_some(&mut self.stream, &mut self.buffer[..room]).await?;
        }
        Ok(())
    }
}

/// The body of the answer to one request on a connection of its own. It must be a success.
pub(crate) fn send_request(address: SocketAddr, request: &[u8]) -> Result<String, LoadError> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut stream = TcpStream::connect(address).await?;
        stream.write_all(request).await?;
        let mut answer = Vec::new();
        let mut piece = vec![0; BUFFER];
        loop {
            let read = read_some(&mut stream, &mut piece).await?;
            answer.extend_from_slice(&piece[..read]);
            let Some(head) = parse_head(&answer) else { continue };
            let head = head?;
            if answer.len() >= head.length + head.body_length {
                let body = String::from_utf8_lossy(&answer[head.length..]).into_owned();
                return if head.is_success { Ok(body) } else { Err(LoadError::Refused(body)) };
            }
        }
    })
}

async fn read_some(stream: &mut TcpStream, buffer: &mut [u8]) -> io::Result<usize> {
    match stream.read(buffer).await? {
        0 => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server closed the connection")),
        read => Ok(read),
    }
}

/// The head at the start of an answer, once it is there whole.
fn parse_head(answer: &[u8]) -> Option<Result<Head, LoadError>> {
    let length = memmem::find(answer, b"\r\n\r\n")? + 4;
    let head = &answer[..length];
    let digits = memmem::find(head, b"\r\ncontent-length: ").map(|at| &head[at + 18..]);
    let digits = digits.and_then(|rest| std::str::from_utf8(&rest[..memchr::memchr(b'\r', rest)?]).ok());
    let body_length = digits.and_then(|digits| digits.parse().ok());
    let refused = || LoadError::Refused(String::from_utf8_lossy(head).into_owned());
    let is_success = head.starts_with(b"HTTP/1.1 2");
    Some(body_length.ok_or_else(refused).map(|body_length| Head { length, is_success, body_length }))
}
