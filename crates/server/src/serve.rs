//! Connections: accepting, bounding and ending them.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use interline_items::{Interline, Upkeep, UpkeepReport};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tower::util::MapRequest;

use crate::{Indexing, Settings, http, work};

/// How long a connection may be silent between requests, or take to send a head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(75);
/// How long a new connection may take to send its first head: who says nothing must not keep a place from others.
const FIRST_HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// The most of a request's head, and of a body that nobody has asked for yet, that is kept in memory.
const MAX_BUFFER: usize = 64 * 1024;
/// When the house is kept first, and how often from then on.
const FIRST_HOUSEKEEPING: Duration = Duration::from_secs(60);
const HOUSEKEEPING_PAUSE: Duration = Duration::from_secs(60 * 60);
/// How long to wait after the index of searches could not be brought up to date. Searches are right meanwhile, and slower.
const INDEX_RETRY: Duration = Duration::from_secs(5);
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
    let mut beside =
        vec![tokio::spawn(http::fold_figures()), tokio::spawn(keep_house(interline.clone(), settings.housekeeping))];
    match settings.indexing {
        Indexing::Here => beside.push(tokio::spawn(keep_index(interline.clone()))),
        Indexing::Elsewhere => {}
    }
    let interline = match &settings.work {
        Some(work) => interline.with_webhook_targets(work.targets),
        None => interline,
    };
    if let Some(settings) = settings.work.clone() {
        beside.push(tokio::spawn(work::work(interline.clone(), settings)));
        beside.push(tokio::spawn(work::tell_figures(interline.clone())));
    }
    let (closing, is_closing) = watch::channel(());
    let max_connections = settings.max_connections;
    let listeners = Arc::new(Semaphore::new(max_connections));
    let end = http::End { is_closing: is_closing.clone(), listeners: Arc::clone(&listeners) };
    let router = http::router(interline, settings, address, end);
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener, &places) => accepted,
            () = &mut shutdown => break,
        };
        let Some((stream, place)) = accepted else { continue };
        let heard = Arc::new(Notify::new());
        let service = service(router.clone(), Arc::clone(&heard));
        let connection = protocol().serve_connection(TokioIo::new(stream), service).with_upgrades();
        let mut is_closing = is_closing.clone();
        let serving = async move {
            let mut connection = pin!(connection);
            tokio::select! {
                // Whatever ends a connection early is the client's affair: it has gone or does not speak HTTP.
                _ = connection.as_mut() => return,
                _ = is_closing.changed() => connection.as_mut().graceful_shutdown(),
            }
            let _ = connection.await;
        };
        tokio::spawn(async move {
            unless_silent(serving, &heard, FIRST_HEAD_TIMEOUT).await;
            drop(place);
        });
    }
    drop(listener);
    drop(closing);
    beside.iter().for_each(JoinHandle::abort);
    let ended = async { (emptied(&places, max_connections).await, emptied(&listeners, max_connections).await) };
    if tokio::time::timeout(patience, ended).await.is_err() {
        tracing::warn!("requests in flight did not end in time; their connections are closed");
    }
    Ok(())
}

/// Waits until nobody has a place any more.
async fn emptied(places: &Semaphore, all: usize) {
    // Neither is ever closed.
    let _ = places.acquire_many(u32::try_from(all).unwrap_or(u32::MAX)).await;
}

/// What answers the requests of a connection, and tells when there is one.
fn service(
    router: Router,
    heard: Arc<Notify>,
) -> TowerToHyperService<MapRequest<Router, impl FnMut(Request<Incoming>) -> Request<Incoming> + Clone>> {
    TowerToHyperService::new(MapRequest::new(router, move |request| {
        heard.notify_one();
        http::without_final_slash(request)
    }))
}

/// Lets a connection go on to its end; one from which no request is heard in time is dropped.
async fn unless_silent<T>(connection: impl Future<Output = T>, heard: &Notify, patience: Duration) {
    let silent = async {
        if tokio::time::timeout(patience, heard.notified()).await.is_ok() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        _ = connection => {}
        () = silent => {}
    }
}

/// Throws away what is too old, again and again. What fails is tried again the next time.
async fn keep_house(interline: Interline, rules: Upkeep) {
    let mut pause = tokio::time::interval_at(Instant::now() + FIRST_HOUSEKEEPING, HOUSEKEEPING_PAUSE);
    loop {
        pause.tick().await;
        match interline.run_upkeep(rules).await {
            Ok(thrown) if thrown == UpkeepReport::default() => {}
            Ok(UpkeepReport { items, records, events, jobs: work, idempotency_records: answers }) => {
                tracing::info!(items, records, events, work, answers, "threw away what was too old");
            }
            Err(error) => tracing::warn!(?error, "housekeeping failed"),
        }
    }
}

/// Brings the index of searches up to date, again and again. What goes on failing in one way is told once.
pub(crate) async fn keep_index(interline: Interline) {
    let mut told = None;
    loop {
        let pause = match interline.keep_index().await {
            Ok(pause) => {
                told = None;
                pause
            }
            Err(error) => {
                if told.replace(error.code()) != Some(error.code()) {
                    tracing::warn!(?error, "the index of searches cannot be brought up to date; it is tried again");
                }
                INDEX_RETRY
            }
        };
        tokio::time::sleep(pause).await;
    }
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

#[cfg(test)]
mod tests {
    use std::future::pending;

    use super::*;

    #[tokio::test]
    async fn a_silent_connection_is_dropped_and_one_that_was_heard_goes_on() {
        let heard = Notify::new();
        unless_silent(pending::<()>(), &heard, Duration::ZERO).await;
        heard.notify_one();
        let mut ended = false;
        let connection = async {
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            ended = true;
        };
        unless_silent(connection, &heard, Duration::ZERO).await;
        assert!(ended);
    }
}
