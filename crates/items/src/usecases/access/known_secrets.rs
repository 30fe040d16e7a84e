//! Which secrets exist, without a look-up for each: for attempts from addresses that have failed too often.

use std::collections::HashSet;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::usecases::Interline;
use crate::{SecretHash, StoreError};

/// The least time between two readings of all secrets.
const PAUSE: Duration = Duration::from_secs(1);

/// The hashes of all secrets, as they were read last.
#[derive(Default)]
pub(in crate::usecases) struct KnownSecrets(Mutex<Option<Reading>>);

struct Reading {
    /// `None` if the storage could not answer.
    secrets: Option<HashSet<SecretHash>>,
    /// When it was begun; one that failed, when it failed.
    at: Instant,
}

impl Interline {
    /// Whether a token with this secret may exist. That there is none is only said of a secret that no token had when it was
    /// asked about: a token may be younger than the last reading. However many ask, the storage is asked once a second, for
    /// all of them, so that a wrong secret may wait for a second. A storage that cannot answer knows of no secret that it is
    /// wrong.
    pub async fn is_known_secret(&self, secret: SecretHash) -> bool {
        if self.credentials.has(secret) {
            return true;
        }
        self.known_secrets.may_contain(secret, || self.store.token_secrets()).await
    }
}

impl KnownSecrets {
    async fn may_contain<F>(&self, secret: SecretHash, read: impl Fn() -> F) -> bool
    where
        F: Future<Output = Result<Vec<SecretHash>, StoreError>>,
    {
        let asked = Instant::now();
        loop {
            let mut last = self.0.lock().await;
            let next = match &*last {
                Some(Reading { secrets: Some(secrets), .. }) if secrets.contains(&secret) => return true,
                Some(reading) if reading.at >= asked => return reading.secrets.is_none(),
                Some(reading) => reading.at + PAUSE,
                None => asked,
            };
            let now = Instant::now();
            if next <= now {
                *last = Some(match read().await {
                    Ok(secrets) => Reading { secrets: Some(secrets.into_iter().collect()), at: now },
                    Err(_) => Reading { secrets: None, at: Instant::now() },
                });
            } else {
                drop(last);
                tokio::time::sleep_until(next).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn secret(number: usize) -> SecretHash {
        SecretHash::from_secret(&number.to_string())
    }

    #[tokio::test(start_paused = true)]
    async fn a_token_that_is_younger_than_the_last_reading_is_known() {
        let known = KnownSecrets::default();
        assert!(!known.may_contain(secret(1), async || Ok(Vec::new())).await);
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(known.may_contain(secret(1), async || Ok([secret(1)].into())).await);
    }

    #[tokio::test(start_paused = true)]
    async fn the_storage_is_asked_once_a_second_for_all() {
        let (known, readings, begin) = (KnownSecrets::default(), AtomicUsize::new(0), Instant::now());
        for number in 0..5 {
            tokio::time::advance(Duration::from_millis(1)).await;
            let read = async || {
                readings.fetch_add(1, Ordering::Relaxed);
                Ok([secret(0)].into())
            };
            let guess = |guess| known.may_contain(secret(1 + 3 * number + guess), read);
            assert_eq!(tokio::join!(guess(0), guess(1), guess(2)), (false, false, false));
            assert!(known.may_contain(secret(0), read).await, "what is known does not wait");
            assert_eq!(readings.load(Ordering::Relaxed), number + 1);
        }
        assert_eq!(begin.elapsed().as_secs(), 4);
    }

    #[tokio::test(start_paused = true)]
    async fn a_storage_that_fails_refuses_nobody() {
        let (known, readings) = (KnownSecrets::default(), AtomicUsize::new(0));
        let read = async || {
            readings.fetch_add(1, Ordering::Relaxed);
            Err(StoreError::Unavailable("gone".to_owned()))
        };
        let ask = || known.may_contain(secret(1), read);
        assert_eq!(tokio::join!(ask(), ask(), ask()), (true, true, true));
        assert_eq!(readings.load(Ordering::Relaxed), 1, "who waited does not ask again");
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(!known.may_contain(secret(1), async || Ok(Vec::new())).await);
    }
}
