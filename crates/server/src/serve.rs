//! The server: accepts connections, limits them, shuts them down, and runs the background tasks.

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
use interline_items::{Interline, Upkeep, UpkeepReport, supervise};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tower::util::MapRequest;

use crate::client_address::ClientAddress;
use crate::shutdown::Shutdown;
use crate::{Indexing, Settings, http, job_worker};

/// How long a connection may be silent between requests, or take to send a head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(75);
/// How long a new connection may take to send its first head: a silent client must not keep a connection from others.
const FIRST_HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// The most bytes of a request's head, and of a body that no handler reads yet, that are kept in memory.
const MAX_BUFFER: usize = 64 * 1024;
/// When upkeep runs first, and how often from then on.
const FIRST_UPKEEP: Duration = Duration::from_secs(60);
const UPKEEP_PAUSE: Duration = Duration::from_secs(60 * 60);
/// How long to wait after the search index could not be updated. Searches are right meanwhile, and slower.
const INDEX_RETRY: Duration = Duration::from_secs(5);
/// How long to wait after a connection could not be accepted, which mostly means that too many files are open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Answers on `listener` until `shutdown` is done; then finishes the requests in flight and returns.
pub async fn serve(
    listener: TcpListener,
    interline: Interline,
    settings: Settings,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let address = listener.local_addr()?;
    let connections = Arc::new(Semaphore::new(settings.max_connections));
    let shutdown_timeout = settings.shutdown_timeout;
    let mut background = vec![
        tokio::spawn(supervise("metrics", http::run_metrics_upkeep)),
        tokio::spawn(supervise("upkeep", {
            let (interline, rules) = (interline.clone(), settings.upkeep);
            move || run_upkeep(interline.clone(), rules)
        })),
    ];
    match settings.indexing {
        Indexing::Here => background.push(tokio::spawn(supervised_indexing(interline.clone()))),
        Indexing::Elsewhere => {}
    }
    let interline = match &settings.jobs {
        Some(jobs) => interline.with_webhook_targets(jobs.targets),
        None => interline,
    };
    if let Some(settings) = settings.jobs.clone() {
        let worker = interline.clone();
        let run_jobs = move || job_worker::run_jobs(worker.clone(), settings.clone());
        background.push(tokio::spawn(supervise("jobs", run_jobs)));
        let measured = interline.clone();
        let measure = move || job_worker::update_job_metrics(measured.clone());
        background.push(tokio::spawn(supervise("job-metrics", measure)));
    }
    let (closing, is_closing) = watch::channel(());
    let max_connections = settings.max_connections;
    let listeners = Arc::new(Semaphore::new(max_connections));
    let router_shutdown = Shutdown { is_closing: is_closing.clone(), listeners: Arc::clone(&listeners) };
    let router = http::router(interline, settings, address, router_shutdown);
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener, &connections) => accepted,
            () = &mut shutdown => break,
        };
        let Some((stream, permit)) = accepted else { continue };
        let requested = Arc::new(Notify::new());
        let address = stream.peer_addr().ok().map(|address| ClientAddress(address.ip()));
        let service = service(router.clone(), Arc::clone(&requested), address);
        let connection = protocol().serve_connection(TokioIo::new(stream), service).with_upgrades();
        let mut is_closing = is_closing.clone();
        let serving = async move {
            let mut connection = pin!(connection);
            tokio::select! {
                // A connection that ends early is the client's affair: the client has gone or does not speak HTTP.
                _ = connection.as_mut() => return,
                _ = is_closing.changed() => connection.as_mut().graceful_shutdown(),
            }
            let _ = connection.await;
        };
        tokio::spawn(async move {
            unless_silent(serving, &requested, FIRST_HEAD_TIMEOUT).await;
            drop(permit);
        });
    }
    drop(listener);
    drop(closing);
    background.iter().for_each(JoinHandle::abort);
    let closed =
        async { (all_returned(&connections, max_connections).await, all_returned(&listeners, max_connections).await) };
    if tokio::time::timeout(shutdown_timeout, closed).await.is_err() {
        tracing::warn!("requests in flight did not end in time; their connections are closed");
    }
    Ok(())
}

/// Waits until all permits have been returned.
async fn all_returned(permits: &Semaphore, all: usize) {
    // The semaphore is never closed.
    let _ = permits.acquire_many(u32::try_from(all).unwrap_or(u32::MAX)).await;
}

/// The service that answers the requests of a connection, and notifies `requested` at each of them.
fn service(
    router: Router,
    requested: Arc<Notify>,
    address: Option<ClientAddress>,
) -> TowerToHyperService<MapRequest<Router, impl FnMut(Request<Incoming>) -> Request<Incoming> + Clone>> {
    TowerToHyperService::new(MapRequest::new(router, move |mut request: Request<Incoming>| {
        requested.notify_one();
        if let Some(address) = address {
            request.extensions_mut().insert(address);
        }
        http::without_final_slash(request)
    }))
}

/// Runs a connection to its end; a connection on which no request arrives within `first_head_timeout` is dropped.
async fn unless_silent<T>(connection: impl Future<Output = T>, requested: &Notify, first_head_timeout: Duration) {
    let silent = async {
        if tokio::time::timeout(first_head_timeout, requested.notified()).await.is_ok() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        _ = connection => {}
        () = silent => {}
    }
}

/// Deletes what is too old, again and again. What fails is tried again the next time.
async fn run_upkeep(interline: Interline, rules: Upkeep) {
    let mut pause = tokio::time::interval_at(Instant::now() + FIRST_UPKEEP, UPKEEP_PAUSE);
    loop {
        pause.tick().await;
        match interline.run_upkeep(rules).await {
            Ok(report) if report == UpkeepReport::default() => {}
            Ok(UpkeepReport { items, records, events, jobs: work, idempotency_records: answers }) => {
                tracing::info!(items, records, events, work, answers, "threw away what was too old");
            }
            Err(error) => tracing::warn!(?error, "housekeeping failed"),
        }
    }
}

/// Keeps the search index up to date, whatever happens.
pub(crate) async fn supervised_indexing(interline: Interline) {
    supervise("indexing", || run_indexing(interline.clone())).await;
}

/// Keeps the search index up to date. A failure that goes on in the same way is logged once.
async fn run_indexing(interline: Interline) {
    let mut logged = None;
    loop {
        let pause = match interline.keep_index().await {
            Ok(pause) => {
                logged = None;
                pause
            }
            Err(error) => {
                if logged.replace(error.code()) != Some(error.code()) {
                    tracing::warn!(?error, "the index of searches cannot be brought up to date; it is tried again");
                }
                INDEX_RETRY
            }
        };
        tokio::time::sleep(pause).await;
    }
}

/// The next connection, once fewer than the allowed number are open; `None` where it could not be accepted.
async fn accept(
    listener: &TcpListener,
    connections: &Arc<Semaphore>,
) -> Option<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let permit = Arc::clone(connections).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, _)) => {
            // Responses are written whole: nothing is gained by waiting for more.
            let _ = stream.set_nodelay(true);
            Some((stream, permit))
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
    async fn a_silent_connection_is_dropped_and_one_with_a_request_goes_on() {
        let requested = Notify::new();
        unless_silent(pending::<()>(), &requested, Duration::ZERO).await;
        requested.notify_one();
        let mut ended = false;
        let connection = async {
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            ended = true;
        };
        unless_silent(connection, &requested, Duration::ZERO).await;
        assert!(ended);
    }
}
