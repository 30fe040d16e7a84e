//! The transport of JSON-RPC messages as lines of an input and an output. A line that is no message is answered with an
//! error, and while a client does not read its answers, the server does not read its messages.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Deserialize;
use serde::de::IgnoredAny;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{Mutex, watch};

use super::line_buffer::{Line, LineBuffer, MAX_MESSAGE_BYTES};

/// How many requests may be in progress, or answered without the client having read the answer.
const MAX_UNANSWERED: usize = 64;
/// How long, after the end of the input, the server waits for the client to read the answers to its requests.
const MAX_WAIT: Duration = Duration::from_secs(5);

type Received = RxJsonRpcMessage<RoleServer>;
type Sent = TxJsonRpcMessage<RoleServer>;

/// The server's end of a connection to a client, over an input and an output.
pub(super) struct LineTransport<R, W> {
    input: R,
    has_ended: bool,
    /// Dropped when there will be no more messages.
    closing: Option<watch::Sender<()>>,
    buffer: LineBuffer,
    output: Arc<Mutex<W>>,
    /// Requests that no answer was sent to yet.
    unanswered: HashSet<RequestId>,
    /// How many messages were sent and are not written yet.
    unwritten: watch::Sender<usize>,
    max_wait: Duration,
}

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(input: R, output: W) -> LineTransport<R, W> {
        LineTransport {
            input,
            has_ended: false,
            closing: Some(watch::Sender::new(())),
            buffer: LineBuffer::default(),
            output: Arc::new(Mutex::new(output)),
            unanswered: HashSet::new(),
            unwritten: watch::Sender::new(0),
            max_wait: MAX_WAIT,
        }
    }

    /// A channel whose sender is dropped when no more messages will be received.
    pub(super) fn is_closing(&self) -> watch::Receiver<()> {
        self.closing.as_ref().map_or_else(|| watch::channel(()).1, watch::Sender::subscribe)
    }

    /// The next valid message.
    async fn next_message(&mut self) -> Option<Received> {
        loop {
            let mut written = self.unwritten.subscribe();
            let unwritten = *written.borrow_and_update();
            let has_room = self.unanswered.len() + unwritten < MAX_UNANSWERED;
            if has_room {
                match self.buffer.take_line() {
                    Some(line) => match self.parse(&line) {
                        Some(message) => return Some(message),
                        None => continue,
                    },
                    None if self.has_ended => return None,
                    None => {}
                }
            }
            tokio::select! {
                read = self.input.read_buf(&mut self.buffer.bytes), if !self.has_ended && self.buffer.has_room() => {
                    self.has_ended = !matches!(read, Ok(1..));
                }
                // An answer to a request in progress interrupts this.
                _ = written.changed(), if !has_room => {}
                () = tokio::time::sleep(self.max_wait), if self.has_ended && unwritten > 0 => return None,
            }
        }
    }

    /// The message of a line; a line that is no message is answered with an error.
    fn parse(&mut self, line: &Line) -> Option<Received> {
        let text = match line {
            Line::Whole(text) => text.trim_ascii(),
            Line::TooLong => {
                let message = format!("a message has at most {MAX_MESSAGE_BYTES} bytes");
                self.refuse(ErrorData::invalid_request(message, None), None);
                return None;
            }
        };
        if text.is_empty() {
            return None;
        }
        match serde_json::from_slice::<Received>(text) {
            Ok(message) => {
                self.track(&message);
                Some(message)
            }
            // The parser tells a wrong shape before it has read what comes after it in the line.
            Err(error) if error.is_data() && serde_json::from_slice::<IgnoredAny>(text).is_ok() => {
                self.refuse_shape(text);
                None
            }
            Err(_) => {
                self.refuse(ErrorData::parse_error("this line is not valid JSON", None), None);
                None
            }
        }
    }

    /// Keeps account of the requests that are not answered yet.
    fn track(&mut self, message: &Received) {
        match message {
            JsonRpcMessage::Request(request) => drop(self.unanswered.insert(request.id.clone())),
            // A cancelled request is never answered.
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.unanswered.remove(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }

    /// Refuses JSON that is no message, unless it is a notification, to which no client waits for an answer.
    fn refuse_shape(&mut self, text: &[u8]) {
        #[derive(Deserialize)]
        struct Shape {
            id: Option<RequestId>,
            method: Option<String>,
        }
        let id = match serde_json::from_slice(text) {
            Ok(Shape { id: None, method: Some(_) }) => return,
            Ok(Shape { id, .. }) => id,
            Err(_) => None,
        };
        let message = "this is not a JSON-RPC message; batches are not a part of the protocol";
        self.refuse(ErrorData::invalid_request(message, None), id);
    }

    fn refuse(&mut self, error: ErrorData, id: Option<RequestId>) {
        // In a task of its own: reading may be interrupted, a line that is being written may not.
        tokio::spawn(self.send(JsonRpcMessage::error(error, id)));
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(&mut self, message: Sent) -> impl Future<Output = io::Result<()>> + Send + 'static {
        match &message {
            JsonRpcMessage::Response(response) => drop(self.unanswered.remove(&response.id)),
            JsonRpcMessage::Error(error) => drop(error.id.as_ref().map(|id| self.unanswered.remove(id))),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => {}
        }
        let unwritten = Unwritten::new(&self.unwritten);
        let output = Arc::clone(&self.output);
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let mut output = output.lock().await;
            output.write_all(&line).await?;
            output.flush().await?;
            drop(unwritten);
            Ok(())
        }
    }

    /// Cancel safe: bytes that were read stay in the buffer.
    async fn receive(&mut self) -> Option<Received> {
        let next = self.next_message().await;
        if next.is_none() {
            self.closing = None;
        }
        next
    }

    /// Waits for nothing: a client that does not read would be waited for in vain.
    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A message that is not written yet.
struct Unwritten(watch::Sender<usize>);

impl Unwritten {
    fn new(count: &watch::Sender<usize>) -> Unwritten {
        count.send_modify(|count| *count += 1);
        Unwritten(count.clone())
    }
}

impl Drop for Unwritten {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

// By its path, because a fuzz target takes this file by its own.
#[cfg(test)]
#[path = "transport/tests.rs"]
mod tests;
