//! Which secrets exist, without a look-up for each: for attempts from addresses that have failed too often.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use tokio::sync::Mutex;

use crate::usecases::Interline;
use crate::{Error, SecretHash};

/// How long a reading of all secrets is used.
const MAX_AGE: Duration = Duration::from_secs(1);

/// The hashes of all secrets, as they were read last.
#[derive(Default)]
pub(in crate::usecases) struct KnownSecrets(Mutex<Option<(HashSet<SecretHash>, Instant)>>);

impl Interline {
    /// Whether there is a token with this secret, as of at most a second ago. However many ask, the storage is asked once a
    /// second, for all of them.
    pub async fn is_known_secret(&self, secret: SecretHash) -> Result<bool, Error> {
        let mut known = self.known_secrets.0.lock().await;
        if let Some((secrets, at)) = &*known
            && at.elapsed() < MAX_AGE
        {
            return Ok(secrets.contains(&secret));
        }
        let at = Instant::now();
        let secrets: HashSet<SecretHash> = self.store.token_secrets().await?.into_iter().collect();
        let is_known = secrets.contains(&secret);
        *known = Some((secrets, at));
        Ok(is_known)
    }
}
