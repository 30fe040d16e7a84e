//! Connections: accepting, bounding and ending them.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use interline_items::Interline;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tower::util::MapRequest;

use crate::{Settings, http};

/// How long a connection may be silent between requests, or take to send a head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(75);
/// The most of a request's head, and of a body that nobody has asked for yet, that is kept in memory.
const MAX_BUFFER: usize = 64 * 1024;
/// How long to wait after a connection could not be accepted, which mostly means that there are too many files open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Answers on `listener` until `shutdown` is done; then finishes the requests in flight and returns.
pub async fn serve(
    listener: TcpListener,
    interline: Interline,
    settings: Settings,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let address = listener.local_addr()?;
    let places = Arc::new(Semaphore::new(settings.max_connections));
    let patience = settings.shutdown_timeout;
    let router = http::router(interline, settings, address);
    let service = TowerToHyperService::new(MapRequest::new(router, http::without_final_slash::<Incoming>));
    let connections = GracefulShutdown::new();
    let figures = tokio::spawn(http::fold_figures());
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener, &places) => accepted,
            () = &mut shutdown => break,
        };
        let Some((stream, place)) = accepted else { continue };
        let connection = protocol().serve_connection(TokioIo::new(stream), service.clone());
        let connection = connections.watch(connection);
        tokio::spawn(async move {
            // Whatever ends a connection early is the client's affair: it has gone or does not speak HTTP.
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    figures.abort();
    if tokio::time::timeout(patience, connections.shutdown()).await.is_err() {
        tracing::warn!("requests in flight did not end in time; their connections are closed");
    }
    Ok(())
}

/// The next connection, when there is a place for it; `None` where it could not be accepted.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> Option<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, _)) => {
            // Answers are written whole: nothing is gained by waiting for more.
            let _ = stream.set_nodelay(true);
            Some((stream, place))
        }
        Err(error) => {
            tracing::warn!(%error, "a connection could not be accepted");
            tokio::time::sleep(ACCEPT_PAUSE).await;
            None
        }
    }
}

fn protocol() -> http1::Builder {
    let mut protocol = http1::Builder::new();
    protocol.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).max_buf_size(MAX_BUFFER);
    protocol
}
