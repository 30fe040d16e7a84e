//! A TCP stream whose client must read: a write that makes too little progress for too long fails.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep};

use super::connection::Connection;
use super::table::ConnectionPermit;

/// What a client must read at least in each period of the write timeout.
const MINIMUM_PROGRESS: usize = 16 * 1024;

/// A stream with its place among the connections, which is free when the stream is dropped.
pub(crate) struct TimedStream {
    stream: TcpStream,
    place: ConnectionPermit,
    timeout: Duration,
    /// The end of the period in which the client must read; there is one while a write waits for the client.
    period: Option<Pin<Box<Sleep>>>,
    /// What was written in this period.
    progress: usize,
}

impl TimedStream {
    pub(crate) fn new(stream: TcpStream, place: ConnectionPermit, timeout: Duration) -> TimedStream {
        TimedStream { stream, place, timeout, period: None, progress: 0 }
    }

    /// Its connection.
    pub(crate) fn connection(&self) -> &Arc<Connection> {
        self.place.connection()
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
        let timeout = self.timeout;
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
        Pin::new(&mut self.stream).poll_read(context, buffer)
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
