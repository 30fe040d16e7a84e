//! The server: accepts connections, limits them, shuts them down, and runs the background tasks.

use std::convert::Infallible;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use interline_items::{Interline, MemoryBudget, Upkeep, UpkeepReport, supervise};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tower::Service as _;

use crate::client_address::ClientAddress;
use crate::connections::{
    Acceptor, AnswerBody, CloseRequest, Connection, ConnectionLimits, ConnectionTable, ForwardedFor, ForwardedId,
    LONGEST_IDLE, LogLimit, StreamLimits, TimedStream, forwarded_address,
};
use crate::shutdown::Shutdown;
use crate::{Indexing, Settings, http, job_worker};

/// How long a new connection may take to send its first head: a silent client must not keep a connection from others.
const FIRST_HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// How long an answer that is on its way may take when its connection is asked to close.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
/// How often idle connections are looked for.
const IDLE_PAUSE: Duration = Duration::from_secs(1);
/// The most bytes of a request's head; it may have one read more if its end is in that. So the cursor of events in 1,500 spaces
/// fits into it, and an expression of 8 KB, also if all of it is percent-encoded. [`TimedStream`] counts what is longer than
/// most heads in the memory budget.
const MAX_HEAD: usize = 64 * 1024;
/// When upkeep runs first, and how often from then on.
const FIRST_UPKEEP: Duration = Duration::from_secs(60);
const UPKEEP_PAUSE: Duration = Duration::from_secs(60 * 60);
/// How long to wait after the search index could not be updated. Searches are right meanwhile, and slower.
const INDEX_RETRY: Duration = Duration::from_secs(5);

/// Answers on `listener` until `shutdown` is done; then finishes the requests in flight and returns.
pub async fn serve(
    listener: TcpListener,
    interline: Interline,
    settings: Settings,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let address = listener.local_addr()?;
    let shutdown_timeout = settings.shutdown_timeout;
    let memory = MemoryBudget::new(settings.memory_budget, settings.measure_memory);
    let write_timeout = settings.write_timeout;
    let stream_limits =
        Arc::new(StreamLimits { write_timeout, memory: memory.clone(), refused_heads: LogLimit::default() });
    let max_connections = settings.max_connections;
    let table = ConnectionTable::new(ConnectionLimits {
        places: max_connections,
        per_address: settings.connections_per_address(),
        trusted_proxies: settings.trusted_proxies.clone(),
    });
    let mut background = vec![
        tokio::spawn(supervise("metrics", http::run_metrics_upkeep)),
        tokio::spawn(supervise("upkeep", {
            let (interline, rules) = (interline.clone(), settings.upkeep);
            move || run_upkeep(interline.clone(), rules)
        })),
        tokio::spawn(supervise("idle-connections", {
            let table = table.clone();
            move || run_idle_check(table.clone())
        })),
    ];
    match settings.indexing {
        Indexing::Here => background.push(tokio::spawn(supervised_indexing(interline.clone()))),
        Indexing::Elsewhere => {}
    }
    let interline = interline.with_listeners_per_user(settings.listeners_per_user);
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
    let listeners = Arc::new(Semaphore::new(max_connections));
    let router_shutdown = Shutdown { is_closing: is_closing.clone(), listeners: Arc::clone(&listeners) };
    let router = http::router(interline, settings, address, table.clone(), memory, router_shutdown);
    let mut acceptor = Acceptor::new(listener, table.clone());
    let refused = Arc::new(LogLimit::default());
    let mut shutdown = pin!(shutdown);
    loop {
        let (stream, peer) = tokio::select! {
            accepted = acceptor.accept() => accepted,
            () = &mut shutdown => break,
        };
        let (table, refused, stream_limits) = (table.clone(), Arc::clone(&refused), Arc::clone(&stream_limits));
        let (router, is_closing) = (router.clone(), is_closing.clone());
        tokio::spawn(async move {
            match table.admit(peer).await {
                Some(place) => {
                    let stream = TimedStream::new(stream, place, stream_limits);
                    serve_connection(stream, table, router, is_closing).await;
                }
                None => {
                    if let Some(times) = refused.count() {
                        tracing::warn!(times, %peer, "there was no place for new connections");
                    }
                }
            }
        });
    }
    drop(acceptor);
    drop(closing);
    background.iter().for_each(JoinHandle::abort);
    let all_listeners = u32::try_from(max_connections).unwrap_or(u32::MAX);
    // The semaphore is never closed.
    let closed = async { (table.all_closed().await, listeners.acquire_many(all_listeners).await.is_ok()) };
    if tokio::time::timeout(shutdown_timeout, closed).await.is_err() {
        tracing::warn!("requests in flight did not end in time; their connections are closed");
    }
    Ok(())
}

/// Speaks HTTP on a connection until either side closes it, or another protocol takes over.
async fn serve_connection(
    stream: TimedStream,
    table: ConnectionTable,
    router: Router,
    mut is_closing: watch::Receiver<()>,
) {
    let connection = Arc::clone(stream.connection());
    let answering = Arc::clone(&connection);
    let service = service_fn(move |request| answer(&table, &answering, router.clone(), request));
    let mut http = pin!(protocol().serve_connection(TokioIo::new(stream), service).with_upgrades());
    // A connection that ends early is the client's affair: the client has gone or does not speak HTTP.
    tokio::select! {
        _ = http.as_mut() => {}
        () = connection.is_silent_for(FIRST_HEAD_TIMEOUT) => {}
        how = connection.is_asked_to_close() => match how {
            CloseRequest::Now => {}
            CloseRequest::Gracefully => {
                http.as_mut().graceful_shutdown();
                let _ = tokio::time::timeout(CLOSE_TIMEOUT, http.as_mut()).await;
            }
        },
        _ = is_closing.changed() => {
            http.as_mut().graceful_shutdown();
            let _ = http.as_mut().await;
        }
    }
    connection.leave_http();
}

/// Answers one request of a connection. The request knows its connection and the address of its client.
fn answer(
    table: &ConnectionTable,
    connection: &Arc<Connection>,
    mut router: Router,
    request: Request<Incoming>,
) -> impl Future<Output = Result<Response<AnswerBody>, Infallible>> + use<> {
    let in_flight = connection.begin_request();
    let mut request = http::without_final_slash(request);
    let forwarded = forwarded_address(connection.peer(), request.headers(), &table.limits().trusted_proxies);
    let client = forwarded.map_or(connection.peer(), |ForwardedFor(client)| client);
    forwarded.map(|forwarded| request.extensions_mut().insert(forwarded));
    let id = ForwardedId::from_headers(connection.peer(), request.headers(), &table.limits().trusted_proxies);
    id.map(|id| request.extensions_mut().insert(id));
    request.extensions_mut().insert(ClientAddress(client));
    request.extensions_mut().insert(Arc::clone(connection));
    let answering = router.call(request);
    async move { Ok(AnswerBody::in_response(answering.await?, in_flight)) }
}

/// Closes connections that are idle for too long, again and again.
async fn run_idle_check(table: ConnectionTable) {
    let mut pause = tokio::time::interval(IDLE_PAUSE);
    loop {
        pause.tick().await;
        table.close_idle();
    }
}

/// Deletes what is too old, again and again. What fails is tried again the next time.
async fn run_upkeep(interline: Interline, rules: Upkeep) {
    let mut pause = tokio::time::interval_at(Instant::now() + FIRST_UPKEEP, UPKEEP_PAUSE);
    loop {
        pause.tick().await;
        match interline.run_upkeep(rules).await {
            Ok(report) if report == UpkeepReport::default() => {}
            Ok(report) => {
                let UpkeepReport { items, apps, records, events, jobs, .. } = report;
                let UpkeepReport { idempotency_records: answers, change_set_names, purged_items, .. } = report;
                tracing::info!(
                    items,
                    apps,
                    records,
                    events,
                    work = jobs,
                    answers,
                    change_set_names,
                    purged_items,
                    "removed what was too old"
                );
            }
            Err(error) => tracing::warn!(error = error.with_detail(), "removing what is too old failed"),
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
                    let error = error.with_detail();
                    tracing::warn!(error, "the search index cannot be brought up to date; it is tried again");
                }
                INDEX_RETRY
            }
        };
        tokio::time::sleep(pause).await;
    }
}

fn protocol() -> http1::Builder {
    let mut protocol = http1::Builder::new();
    // Idle connections are closed earlier as places run out, see `ConnectionTable`. The limit of the buffer is that of heads;
    // `max_header_size` would allow trailers as much, which are kept uncounted: they have 16 KB without it.
    protocol.timer(TokioTimer::new()).header_read_timeout(LONGEST_IDLE).max_buf_size(MAX_HEAD);
    protocol
}
