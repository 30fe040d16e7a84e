//! Telling other processes that something was committed, and hearing it from them.
//!
//! It is told after the commit, on a connection of its own turn and for many commits at once: a notification inside the
//! transaction would make commits wait for each other. What is lost with a process, others find when they look anyway.

use std::future::poll_fn;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use deadpool_postgres::Pool;
use interline_items::StoreError;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tokio_postgres::config::SslMode;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{AsyncMessage, NoTls, Socket};

use super::connect::{configuration, tls};

/// How soon after each other commits are told.
const PAUSE: Duration = Duration::from_millis(5);
/// How long a connection that was lost is left alone.
const RETRY: Duration = Duration::from_secs(1);

const TELL: &str = "SELECT pg_notify('interline_events', '')";
const LISTEN: &str = "LISTEN interline_events";

/// Where commits are told and heard of.
pub(super) struct Wakeup {
    url: String,
    changes: watch::Sender<()>,
    committed: Arc<Notify>,
    teller: JoinHandle<()>,
    listener: OnceLock<JoinHandle<()>>,
}

impl Wakeup {
    pub(super) fn new(url: &str, pool: Pool) -> Wakeup {
        let committed = Arc::new(Notify::new());
        let teller = tokio::spawn(tell(pool, Arc::clone(&committed)));
        Wakeup { url: url.to_owned(), changes: watch::Sender::new(()), committed, teller, listener: OnceLock::new() }
    }

    /// Tells of a commit, and goes on with its outcome.
    pub(super) fn after<T>(&self, outcome: Result<T, StoreError>) -> Result<T, StoreError> {
        if matches!(outcome, Ok(_) | Err(StoreError::Unknown(_))) {
            self.changes.send_replace(());
            self.committed.notify_one();
        }
        outcome
    }

    /// Changes after each commit, of others from now on.
    pub(super) fn changes(&self) -> watch::Receiver<()> {
        self.listener.get_or_init(|| tokio::spawn(listen(self.url.clone(), self.changes.clone())));
        self.changes.subscribe()
    }
}

impl Drop for Wakeup {
    fn drop(&mut self) {
        self.teller.abort();
        if let Some(listener) = self.listener.get() {
            listener.abort();
        }
    }
}

async fn tell(pool: Pool, committed: Arc<Notify>) {
    loop {
        committed.notified().await;
        if let Ok(client) = pool.get().await {
            // Others look anyway.
            let _ = client.batch_execute(TELL).await;
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Listens on a connection of its own, on another one after each loss.
async fn listen(url: String, changes: watch::Sender<()>) {
    loop {
        // What is wrong with the connection, requests will tell.
        let _ = match (configuration(&url), tls()) {
            (Ok(config), Ok(tls)) if config.get_ssl_mode() == SslMode::Require => hear(&config, tls, &changes).await,
            (Ok(config), _) => hear(&config, NoTls, &changes).await,
            (Err(_), _) => Ok(()),
        };
        tokio::time::sleep(RETRY).await;
        // What was told meanwhile was not heard.
        changes.send_replace(());
    }
}

async fn hear<T>(
    config: &tokio_postgres::Config,
    tls: T,
    changes: &watch::Sender<()>,
) -> Result<(), tokio_postgres::Error>
where
    T: MakeTlsConnect<Socket>,
{
    let (client, mut connection) = config.connect(tls).await?;
    let listening = client.batch_execute(LISTEN);
    let mut listening = std::pin::pin!(async {
        let listening = listening.await;
        changes.send_replace(());
        match listening {
            // The connection ends when its client is dropped.
            Ok(()) => std::future::pending().await,
            failed => failed,
        }
    });
    let mut hearing = std::pin::pin!(async {
        while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
            if let AsyncMessage::Notification(_) = message? {
                changes.send_replace(());
            }
        }
        Ok(())
    });
    tokio::select! {
        failed = &mut listening => failed,
        ended = &mut hearing => ended,
    }
}
