//! An HTTP client on one kept-alive connection, without retries that would hide a broken connection.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// After which time without an answer a server counts as dead.
const PATIENCE: Duration = Duration::from_secs(60);

/// Sends requests, one after the other.
pub(crate) struct Client {
    address: SocketAddr,
    /// The header that says who it is, if it says so.
    authorization: String,
    patience: Duration,
    connection: Option<BufReader<TcpStream>>,
}

/// The answer of a server.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Null where there is none.
    pub(crate) body: Value,
}

impl Answer {
    /// Status and code: how an answer is counted.
    pub(crate) fn name(&self) -> String {
        match self.body["error"].as_str() {
            Some(code) => format!("{} {code}", self.status),
            None => self.status.to_string(),
        }
    }

    pub(crate) fn version(&self) -> Option<u64> {
        self.body["version"].as_u64()
    }
}

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Client {
        Client { address, authorization: String::new(), patience: PATIENCE, connection: None }
    }

    /// One with a token, which waits for so long at the most.
    pub(crate) fn with_token(address: SocketAddr, token: &str, patience: Duration) -> Client {
        Client { authorization: format!("Authorization: Bearer {token}\r\n"), patience, ..Client::new(address) }
    }

    /// Breaks the connection; the next request makes another.
    pub(crate) fn disconnect(&mut self) {
        self.connection = None;
    }

    /// Sends a request and waits for its answer. After an error it is not known whether the request arrived.
    pub(crate) fn send(&mut self, method: &str, path: &str, body: &Value) -> io::Result<Answer> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => BufReader::new(connect_within(self.address, self.patience)?),
        };
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\n{}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            self.address,
            self.authorization,
            body.len()
        );
        connection.get_mut().write_all((head + &body).as_bytes())?;
        let answer = read(&mut connection)?;
        self.connection = Some(connection);
        Ok(answer)
    }
}

pub(crate) fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    connect_within(address, PATIENCE)
}

fn connect_within(address: SocketAddr, patience: Duration) -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&address, patience)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(patience))?;
    stream.set_write_timeout(Some(patience))?;
    Ok(stream)
}

fn read(connection: &mut BufReader<TcpStream>) -> io::Result<Answer> {
    let first = line(connection)?;
    let status = first.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(|| broken("no status"))?;
    let mut length = 0;
    loop {
        let header = line(connection)?;
        if header.is_empty() {
            break;
        }
        if let Some((name, value)) = header.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().map_err(|_| broken("no length"))?;
        }
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body)?;
    let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body)? };
    Ok(Answer { status, body })
}

fn line(connection: &mut BufReader<TcpStream>) -> io::Result<String> {
    let mut line = String::new();
    if connection.read_line(&mut line)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(line.trim_end().to_owned())
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
