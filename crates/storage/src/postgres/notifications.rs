//! Notifications of commits between processes, by `LISTEN` and `NOTIFY`.
//!
//! A process notifies after the commit, on a connection of its own and once for many commits: a notification inside the
//! transaction would make commits wait for each other. A notification that is lost with its process is no loss: listeners
//! also look for new events from time to time.

use std::future::poll_fn;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use deadpool_postgres::Pool;
use interline_items::{StoreError, supervise};
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tokio_postgres::config::SslMode;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{AsyncMessage, NoTls, Socket};

use crate::postgres::connection::{configuration, tls};

/// The least time between two notifications.
const NOTIFY_INTERVAL: Duration = Duration::from_millis(5);
/// How long the listener waits before it connects again.
const RECONNECT_DELAY: Duration = Duration::from_secs(1);

const NOTIFY: &str = "SELECT pg_notify('interline_events', '')";
const LISTEN: &str = "LISTEN interline_events";

/// Sends notifications of the commits of this process, and receives those of other processes.
pub(super) struct Notifications {
    url: String,
    changes: watch::Sender<()>,
    committed: Arc<Notify>,
    notifier: JoinHandle<()>,
    listener: OnceLock<JoinHandle<()>>,
}

impl Notifications {
    pub(super) fn new(url: &str, pool: Pool) -> Notifications {
        let committed = Arc::new(Notify::new());
        let told = Arc::clone(&committed);
        let send = move || send_notifications(pool.clone(), Arc::clone(&told));
        let notifier = tokio::spawn(supervise("postgres-notifier", send));
        Notifications {
            url: url.to_owned(),
            changes: watch::Sender::new(()),
            committed,
            notifier,
            listener: OnceLock::new(),
        }
    }

    /// Notifies of a commit if its result may be one, and returns the result.
    pub(super) fn notify_after<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        if matches!(result, Ok(_) | Err(StoreError::Unknown(_))) {
            self.changes.send_replace(());
            self.committed.notify_one();
        }
        result
    }

    /// A channel that changes after each commit of this process, and from now on of other processes.
    pub(super) fn changes(&self) -> watch::Receiver<()> {
        self.listener.get_or_init(|| {
            let (url, changes) = (self.url.clone(), self.changes.clone());
            tokio::spawn(supervise("postgres-listener", move || listen(url.clone(), changes.clone())))
        });
        self.changes.subscribe()
    }
}

impl Drop for Notifications {
    fn drop(&mut self) {
        self.notifier.abort();
        if let Some(listener) = self.listener.get() {
            listener.abort();
        }
    }
}

async fn send_notifications(pool: Pool, committed: Arc<Notify>) {
    loop {
        committed.notified().await;
        if let Ok(client) = pool.get().await {
            // Listeners also look without a notification.
            let _ = client.batch_execute(NOTIFY).await;
        }
        tokio::time::sleep(NOTIFY_INTERVAL).await;
    }
}

/// Listens on a connection of its own, and connects again after each loss.
async fn listen(url: String, changes: watch::Sender<()>) {
    loop {
        // Requests will report what is wrong with the connection.
        let _ = match (configuration(&url), tls()) {
            (Ok(config), Ok(tls)) if config.get_ssl_mode() == SslMode::Require => receive(&config, tls, &changes).await,
            (Ok(config), _) => receive(&config, NoTls, &changes).await,
            (Err(_), _) => Ok(()),
        };
        tokio::time::sleep(RECONNECT_DELAY).await;
        // Notifications meanwhile were not received.
        changes.send_replace(());
    }
}

async fn receive<T>(
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
    let mut receiving = std::pin::pin!(async {
        while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
            if let AsyncMessage::Notification(_) = message? {
                changes.send_replace(());
            }
        }
        Ok(())
    });
    tokio::select! {
        failed = &mut listening => failed,
        ended = &mut receiving => ended,
    }
}
