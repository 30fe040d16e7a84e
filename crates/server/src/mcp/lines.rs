//! Messages as lines of an input and an output. What is no message is answered too, and a client that does not read its
//! answers is not heard until it does.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Deserialize;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{Mutex, watch};

/// The longest message that is read, in bytes.
const MAX_MESSAGE_BYTES: usize = 20 * 1024 * 1024;
/// How many requests may be under way, or answered without the answer being read.
const MAX_UNANSWERED: usize = 64;
/// How long the requests that came before the end of the input wait for somebody who reads answers.
const MAX_WAIT: Duration = Duration::from_secs(5);

type Received = RxJsonRpcMessage<RoleServer>;
type Sent = TxJsonRpcMessage<RoleServer>;

/// A client at the other end of an input and an output.
pub(super) struct Lines<R, W> {
    input: R,
    has_ended: bool,
    /// Dropped with the last message.
    is_heard: Option<watch::Sender<()>>,
    ahead: Ahead,
    output: Arc<Mutex<W>>,
    /// Requests that no answer was sent to yet.
    unanswered: HashSet<RequestId>,
    /// How many messages were sent and are not written yet.
    unwritten: watch::Sender<usize>,
    max_wait: Duration,
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(input: R, output: W) -> Lines<R, W> {
        Lines {
            input,
            has_ended: false,
            is_heard: Some(watch::Sender::new(())),
            ahead: Ahead::default(),
            output: Arc::new(Mutex::new(output)),
            unanswered: HashSet::new(),
            unwritten: watch::Sender::new(0),
            max_wait: MAX_WAIT,
        }
    }

    /// Its sender is gone when nothing more will be received.
    pub(super) fn is_closing(&self) -> watch::Receiver<()> {
        self.is_heard.as_ref().map_or_else(|| watch::channel(()).1, watch::Sender::subscribe)
    }

    /// The next message that is one.
    async fn next(&mut self) -> Option<Received> {
        loop {
            let mut written = self.unwritten.subscribe();
            let unwritten = *written.borrow_and_update();
            let has_room = self.unanswered.len() + unwritten < MAX_UNANSWERED;
            if has_room {
                match self.ahead.take_line() {
                    Some(line) => match self.understood(&line) {
                        Some(message) => return Some(message),
                        None => continue,
                    },
                    None if self.has_ended => return None,
                    None => {}
                }
            }
            tokio::select! {
                read = self.input.read_buf(&mut self.ahead.bytes), if !self.has_ended && self.ahead.has_room() => {
                    self.has_ended = !matches!(read, Ok(1..));
                }
                // An answer to what is under way interrupts this.
                _ = written.changed(), if !has_room => {}
                () = tokio::time::sleep(self.max_wait), if self.has_ended && unwritten > 0 => return None,
            }
        }
    }

    /// The message of a line; one that is none is answered.
    fn understood(&mut self, line: &Line) -> Option<Received> {
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
                self.note(&message);
                Some(message)
            }
            Err(error) if error.is_data() => {
                self.refuse_shape(text);
                None
            }
            Err(_) => {
                self.refuse(ErrorData::parse_error("this line is not valid JSON", None), None);
                None
            }
        }
    }

    /// Remembers what is to be answered.
    fn note(&mut self, message: &Received) {
        match message {
            JsonRpcMessage::Request(request) => drop(self.unanswered.insert(request.id.clone())),
            // What is cancelled is never answered.
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

    /// Refuses JSON that is no message, unless nobody waits for an answer.
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

impl<R, W> Transport<RoleServer> for Lines<R, W>
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

    /// Can be interrupted: what was read is kept.
    async fn receive(&mut self) -> Option<Received> {
        let next = self.next().await;
        if next.is_none() {
            self.is_heard = None;
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

/// What was read and not taken yet.
#[derive(Default)]
struct Ahead {
    bytes: Vec<u8>,
    /// Where what is not taken begins.
    start: usize,
    /// Up to where there is no end of a line.
    searched: usize,
    /// Whether it begins inside a line that is too long.
    is_skipping: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Line {
    Whole(Vec<u8>),
    TooLong,
}

impl Ahead {
    fn has_room(&self) -> bool {
        self.bytes.len() - self.start < MAX_MESSAGE_BYTES
    }

    /// The next line, if all of it is there. One that is too long is told when that is known.
    fn take_line(&mut self) -> Option<Line> {
        loop {
            let end = self.bytes[self.searched..].iter().position(|byte| *byte == b'\n');
            match (end.map(|end| self.searched + end), self.is_skipping) {
                (Some(end), was_skipping) => {
                    let line = self.bytes[self.start..end].to_vec();
                    self.is_skipping = false;
                    self.drop_until(end + 1);
                    if !was_skipping {
                        return Some(Line::Whole(line));
                    }
                }
                (None, was_skipping) => {
                    let is_too_long = !self.has_room();
                    if was_skipping || is_too_long {
                        self.is_skipping = true;
                        self.drop_until(self.bytes.len());
                    }
                    self.searched = self.bytes.len();
                    return (is_too_long && !was_skipping).then_some(Line::TooLong);
                }
            }
        }
    }

    /// Forgets what was taken, now and then: each time would move the rest of a long input as often as it has lines.
    fn drop_until(&mut self, start: usize) {
        (self.start, self.searched) = (start, start);
        if self.start * 2 >= self.bytes.len() {
            self.bytes.drain(..self.start);
            (self.start, self.searched) = (0, 0);
            self.bytes.shrink_to(64 * 1024);
        }
    }
}

#[cfg(test)]
mod tests;
