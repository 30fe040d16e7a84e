//! A TCP stream whose client must read: a write that makes too little progress for too long fails. The heads of requests that
//! come over it count in the memory budget.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use interline_items::{MemoryBudget, RequestMemory};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep};

use super::connection::Connection;
use super::log_limit::LogLimit;
use super::table::ConnectionPermit;
use crate::client_address::ClientAddress;

/// What a client must read at least in each period of the write timeout.
const MINIMUM_PROGRESS: usize = 16 * 1024;

/// The most that is read at a time. Of a body that nobody reads yet there is so much in memory and no more, uncounted, whatever
/// room the buffer of the protocol has.
const MAX_READ: u64 = 16 * 1024;

/// How many times the bytes of a head its buffer takes at the most: it grows twofold, and has room for the next read besides.
/// As measured, all of that is in memory, used or not.
const BUFFER_FACTOR: usize = 4;

/// What the streams of a server share.
pub(crate) struct StreamLimits {
    /// How long a client may read too little.
    pub(crate) write_timeout: Duration,
    /// Where long heads are counted.
    pub(crate) memory: MemoryBudget,
    /// For heads that there was no memory for.
    pub(crate) refused_heads: LogLimit,
}

/// A stream with its place among the connections, which is free when the stream is dropped.
pub(crate) struct TimedStream {
    stream: TcpStream,
    place: ConnectionPermit,
    limits: Arc<StreamLimits>,
    /// The bytes of the head that is being received.
    head: usize,
    /// How many requests had begun when it was looked at last.
    request_count: u64,
    /// What the buffer of the protocol takes for the longest head so far, because it does not shrink. It counts for the address at the
    /// other end: whose the request is, is not known before the head is whole.
    memory: RequestMemory,
    /// The end of the period in which the client must read; there is one while a write waits for the client.
    period: Option<Pin<Box<Sleep>>>,
    /// What was written in this period.
    progress: usize,
}

impl TimedStream {
    pub(crate) fn new(stream: TcpStream, place: ConnectionPermit, limits: Arc<StreamLimits>) -> TimedStream {
        let memory = limits.memory.request(ClientAddress(place.connection().peer()).memory_holder());
        TimedStream { stream, place, limits, head: 0, request_count: 0, memory, period: None, progress: 0 }
    }

    /// Its connection.
    pub(crate) fn connection(&self) -> &Arc<Connection> {
        self.place.connection()
    }

    /// Counts bytes that were read, if they are of a head, and fails where there is no memory for them.
    fn count_read(&mut self, bytes: usize) -> io::Result<()> {
        let connection = self.place.connection();
        if connection.is_upgraded() {
            self.memory.hold(0);
            return Ok(());
        }
        let request_count = connection.request_count();
        if request_count != self.request_count {
            (self.request_count, self.head) = (request_count, 0);
        }
        // Who reads a body counts it.
        if connection.has_request() {
            return Ok(());
        }
        self.head += bytes;
        let buffer = self.head.saturating_mul(BUFFER_FACTOR);
        let taken = self.memory.take(buffer.saturating_sub(self.memory.bytes()));
        taken.map_err(|_| {
            if let Some(times) = self.limits.refused_heads.count() {
                let peer = connection.peer();
                tracing::warn!(times, %peer, "there was no memory for the heads of requests; their connections are closed");
            }
            io::ErrorKind::OutOfMemory.into()
        })
    }

    /// Notes how a write of `length` bytes went, and fails where the client has read too little.
    fn watch(
        &mut self,
        context: &mut Context<'_>,
        length: usize,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match written {
            Poll::Ready(Ok(bytes)) => {
                self.progress += bytes;
                // All of it was taken: nobody waits for the client.
                if bytes == length {
                    self.period = None;
                    self.place.connection().set_write_pending(false);
                }
                Poll::Ready(Ok(bytes))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => {
                self.place.connection().set_write_pending(true);
                self.poll_period(context).map(Err)
            }
        }
    }

    /// Waits for the end of a period in which the client has read too little.
    fn poll_period(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        let timeout = self.limits.write_timeout;
        loop {
            let progress = &mut self.progress;
            let period = self.period.get_or_insert_with(|| {
                *progress = 0;
                Box::pin(tokio::time::sleep(timeout))
            });
            ready!(period.as_mut().poll(context));
            if self.progress < MINIMUM_PROGRESS {
                return Poll::Ready(io::ErrorKind::TimedOut.into());
            }
            self.progress = 0;
            period.as_mut().reset(Instant::now() + timeout);
        }
    }
}

impl AsyncRead for TimedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut (&mut self.stream).take(MAX_READ)).poll_read(context, buffer))?;
        Poll::Ready(self.count_read(buffer.filled().len() - before))
    }
}

impl AsyncWrite for TimedStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watch(context, bytes.len(), written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let length = slices.iter().map(|slice| slice.len()).sum();
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.watch(context, length, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
