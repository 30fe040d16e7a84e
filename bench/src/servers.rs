//! The measured servers, each in this process on a runtime of its own as the command makes it.

use std::error::Error;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use interline_items::fields::Limits;
use interline_items::{Interline, Source, Store, TokenDraft};
use interline_server::{Settings, serve};

pub(crate) use interline_server::Indexing;
use interline_storage::SqliteStore;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::requests::RequestWriter;

/// A server in this process. Dropping it ends it.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    runtime: Option<Runtime>,
    stop: Option<oneshot::Sender<()>>,
    task: Option<JoinHandle<()>>,
}

impl Running {
    fn start<F>(
        name: &str,
        run: impl FnOnce(TcpListener, oneshot::Receiver<()>) -> F,
    ) -> Result<Running, Box<dyn Error>>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let runtime = runtime(name)?;
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let address = listener.local_addr()?;
        let (stop, stopped) = oneshot::channel();
        let task = runtime.spawn(run(listener, stopped));
        Ok(Running { address, runtime: Some(runtime), stop: Some(stop), task: Some(task) })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Connections of the load that are still open would keep a graceful end waiting.
        drop(self.stop.take());
        if let (Some(runtime), Some(task)) = (self.runtime.take(), self.task.take()) {
            task.abort();
            let _ = runtime.block_on(task);
            drop(runtime);
        }
    }
}

/// What `#[tokio::main]` makes, with threads that a profile can tell apart.
pub(crate) fn runtime(name: &str) -> Result<Runtime, Box<dyn Error>> {
    Ok(Builder::new_multi_thread().enable_all().thread_name(name).build()?)
}

/// Interline over a store, with tokens and without rate limits.
pub(crate) struct Served {
    pub(crate) running: Running,
    pub(crate) store: Arc<SqliteStore>,
    pub(crate) requests: RequestWriter,
}

impl Served {
    /// Over the SQLite file `path`, which is made if there is none.
    pub(crate) fn start(path: &Path) -> Result<Served, Box<dyn Error>> {
        Served::start_with(path, Indexing::Here)
    }

    /// The same, with the index of searches kept up to date or not.
    pub(crate) fn start_with(path: &Path, indexing: Indexing) -> Result<Served, Box<dyn Error>> {
        let store = Arc::new(SqliteStore::open(path)?);
        let ServedStore { running, requests, .. } =
            ServedStore::start_with(Arc::<SqliteStore>::clone(&store), indexing)?;
        Ok(Served { running, store, requests })
    }
}

/// Interline over any store, with tokens and without rate limits.
pub(crate) struct ServedStore {
    pub(crate) running: Running,
    pub(crate) interline: Interline,
    pub(crate) requests: RequestWriter,
}

impl ServedStore {
    /// Over a store, with the index of searches kept up to date.
    pub(crate) fn start(store: Arc<dyn Store>) -> Result<ServedStore, Box<dyn Error>> {
        ServedStore::start_with(store, Indexing::Here)
    }

    fn start_with(store: Arc<dyn Store>, indexing: Indexing) -> Result<ServedStore, Box<dyn Error>> {
        let interline = Interline::new(store, Limits::default());
        let token = runtime("interline-first")?.block_on(token(&interline))?;
        let settings = Settings { rate_limits: None, indexing, ..Settings::default() };
        let over = interline.clone();
        let running = Running::start("interline", |listener, stopped| async move {
            let stopped = async { drop(stopped.await) };
            // It ends with an error only if the listener has no address.
            let _ = serve(listener, over, settings, stopped).await;
        })?;
        Ok(ServedStore { running, interline, requests: RequestWriter { token } })
    }
}

/// A token of the owner.
async fn token(interline: &Interline) -> Result<String, Box<dyn Error>> {
    if let Some((_, secret)) = interline.first_start("bench").await.map_err(error_message)? {
        return Ok(secret.as_str().to_owned());
    }
    let owner = interline.owner().await.map_err(error_message)?;
    let caller = interline.trusted(owner.id, Source::Cli).await.map_err(error_message)?;
    let draft = TokenDraft {
        name: "bench".to_owned(),
        scopes: None,
        kinds: None,
        spaces: None,
        expires_at: None,
        user: None,
        author: interline_items::Author::Person,
        writes: interline_items::Writes::Apply,
    };
    let (_, secret) = interline.create_token(&caller, draft).await.map_err(error_message)?;
    Ok(secret.as_str().to_owned())
}

#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` hands over")]
pub(crate) fn error_message(error: interline_items::Error) -> String {
    format!("{error:?}")
}

/// An axum handler that returns these bytes from memory, whatever is asked for.
pub(crate) fn bytes(body: String) -> Result<Running, Box<dyn Error>> {
    let body = Bytes::from(body);
    let answer = move || std::future::ready(([(CONTENT_TYPE, "application/json")], body.clone()));
    let router = Router::new().route("/notes", get(answer.clone())).route("/notes/{id}", get(answer));
    Running::start("peer", |listener, stopped| async move {
        let stopped = async { drop(stopped.await) };
        let listener = axum::serve::ListenerExt::tap_io(listener, |stream| drop(stream.set_nodelay(true)));
        let _ = axum::serve(listener, router).with_graceful_shutdown(stopped).await;
    })
}
