//! The cache of credentials by token secret, and the record of when each token was last used.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tokio::sync::Mutex as AsyncMutex;

use crate::{Credentials, Error, SecretHash, Token, TokenId};

use super::caller::Principal;
use crate::usecases::Interline;

/// How long credentials are cached.
const MAX_AGE: Duration = Duration::from_secs(1);
/// How many tokens are cached at the most.
const MAX_TOKENS: usize = 4_096;

impl Interline {
    /// The principal of a secret, as it was at most a second ago. An unknown secret is looked up every time.
    pub(in crate::usecases) async fn principal(&self, secret: SecretHash) -> Result<Arc<Principal>, Error> {
        let read = async || self.store.credentials(secret).await?.ok_or(Error::Unauthorized);
        self.credentials.get_or_read(secret, read).await
    }

    /// Writes the time of a token's use, in a background task and at most once a minute. After a write that fails, the next
    /// use writes it.
    pub(in crate::usecases) fn record_token_use(&self, token: &Token, now: Timestamp) {
        let minute = now.as_second() / 60;
        let is_recorded = token.last_used_at.is_some_and(|used| used.as_second() / 60 >= minute);
        if is_recorded || !self.token_uses.begin(token.id, minute) {
            return;
        }
        let (store, token_uses, id) = (Arc::clone(&self.store), Arc::clone(&self.token_uses), token.id);
        tokio::spawn(async move {
            if store.mark_token_used(id, now).await.is_err() {
                token_uses.undo(id);
            }
        });
    }
}

/// The principals of secrets, each cached for [`MAX_AGE`].
#[derive(Default)]
pub(in crate::usecases) struct CredentialsCache {
    cached: Mutex<CachedPrincipals>,
    /// The lock of each secret that is being read: of the requests of one token, one reads and the others wait for it. It
    /// guards how the last read failed.
    reading: Mutex<HashMap<SecretHash, Weak<AsyncMutex<Option<FailedRead>>>>>,
}

#[derive(Default)]
struct CachedPrincipals {
    by_secret: HashMap<SecretHash, (Arc<Principal>, Instant)>,
    /// How often the cache was cleared.
    generation: u64,
}

/// A read that failed, for those who waited for it.
struct FailedRead {
    at: Instant,
    failure: ReadFailure,
}

#[derive(Clone)]
enum ReadFailure {
    UnknownSecret,
    Storage(String),
}

impl FailedRead {
    fn from_error(error: &Error) -> FailedRead {
        let failure = match error {
            Error::Unauthorized => ReadFailure::UnknownSecret,
            error => ReadFailure::Storage(error.to_string()),
        };
        FailedRead { at: Instant::now(), failure }
    }

    fn to_error(&self) -> Error {
        match &self.failure {
            ReadFailure::UnknownSecret => Error::Unauthorized,
            ReadFailure::Storage(detail) => Error::Unavailable(detail.clone()),
        }
    }
}

impl CredentialsCache {
    /// The principal of a secret, from the cache or by `read`. Who waits for the read of another gets its failure too: a
    /// storage that does not answer must not be waited for by one after the other.
    async fn get_or_read(
        &self,
        secret: SecretHash,
        read: impl AsyncFnOnce() -> Result<Credentials, Error>,
    ) -> Result<Arc<Principal>, Error> {
        let asked = Instant::now();
        if let Some(cached) = self.get(secret, asked) {
            return Ok(cached);
        }
        let reading = self.reading(secret);
        let mut last_failure = reading.lock().await;
        let begin = Instant::now();
        if let Some(cached) = self.get(secret, begin) {
            return Ok(cached);
        }
        if let Some(failed) = last_failure.as_ref().filter(|failed| failed.at >= asked) {
            return Err(failed.to_error());
        }
        let generation = self.generation();
        let read = read().await.inspect_err(|error| *last_failure = Some(FailedRead::from_error(error)));
        let principal = Arc::new(Principal::from_credentials(read?));
        self.put(secret, &principal, begin, generation);
        Ok(principal)
    }

    /// The lock to hold while the credentials of a secret are read.
    fn reading(&self, secret: SecretHash) -> Arc<AsyncMutex<Option<FailedRead>>> {
        let mut reading = lock(&self.reading);
        if reading.len() >= MAX_TOKENS {
            reading.retain(|_, lock| lock.strong_count() > 0);
        }
        let known = reading.get(&secret).and_then(Weak::upgrade);
        known.unwrap_or_else(|| {
            let new = Arc::default();
            reading.insert(secret, Arc::downgrade(&new));
            new
        })
    }

    /// Whether the principal of a secret is cached.
    pub(super) fn has(&self, secret: SecretHash) -> bool {
        self.get(secret, Instant::now()).is_some()
    }

    fn get(&self, secret: SecretHash, now: Instant) -> Option<Arc<Principal>> {
        let cached = lock(&self.cached);
        let (principal, since) = cached.by_secret.get(&secret)?;
        (now.saturating_duration_since(*since) < MAX_AGE).then(|| Arc::clone(principal))
    }

    /// Changes when the cache is cleared: credentials that were read before must not be cached after.
    fn generation(&self) -> u64 {
        lock(&self.cached).generation
    }

    /// Caches what was read from `since` on, unless the cache was cleared since `generation`.
    fn put(&self, secret: SecretHash, principal: &Arc<Principal>, since: Instant, generation: u64) {
        let mut cached = lock(&self.cached);
        if cached.generation != generation {
            return;
        }
        // Reading so many again costs less than knowing which of them to keep.
        if cached.by_secret.len() >= MAX_TOKENS {
            cached.by_secret.clear();
        }
        cached.by_secret.insert(secret, (Arc::clone(principal), since));
    }

    /// Clears the cache because users, tokens or memberships were changed. To be called after the change is committed.
    pub(in crate::usecases) fn clear(&self) {
        let mut cached = lock(&self.cached);
        cached.by_secret.clear();
        cached.generation += 1;
    }
}

/// The minute, since 1970, in which a use of each token was last written.
#[derive(Default)]
pub(in crate::usecases) struct TokenUses {
    minutes: Mutex<HashMap<TokenId, i64>>,
}

impl TokenUses {
    /// Whether the use in this minute is still to be written; from now on it counts as written.
    fn begin(&self, token: TokenId, minute: i64) -> bool {
        let mut minutes = lock(&self.minutes);
        // A token that is read has its last use with it, so little is written twice.
        if minutes.len() >= MAX_TOKENS {
            minutes.clear();
        }
        minutes.insert(token, minute).is_none_or(|marked| marked < minute)
    }

    /// Notes that the use could not be written.
    fn undo(&self, token: TokenId) {
        lock(&self.minutes).remove(&token);
    }
}

/// Each statement leaves what these locks guard whole, so a panic under them spoils nothing.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::task::JoinSet;

    use super::*;
    use crate::usecases::access::token_without_scopes;
    use crate::{Rank, User, UserId};

    fn secret(number: u32) -> SecretHash {
        SecretHash::from_secret(&number.to_string())
    }

    fn principal() -> Arc<Principal> {
        Arc::new(Principal::from_credentials(credentials()))
    }

    fn credentials() -> Credentials {
        let user = User {
            id: UserId::generate(),
            name: "a".to_owned(),
            email: None,
            rank: Rank::Member,
            organization: None,
            created_at: Timestamp::UNIX_EPOCH,
        };
        let token = token_without_scopes(user.id);
        Credentials { token, user, memberships: Vec::new() }
    }

    #[tokio::test]
    async fn of_many_requests_with_one_token_one_reads_its_credentials() {
        let (cache, reads) = (Arc::new(CredentialsCache::default()), Arc::new(AtomicUsize::new(0)));
        let mut requests = JoinSet::new();
        for _ in 0..100 {
            let (cache, reads) = (Arc::clone(&cache), Arc::clone(&reads));
            requests.spawn(async move {
                let read = async || {
                    reads.fetch_add(1, Ordering::Relaxed);
                    tokio::task::yield_now().await;
                    Ok(credentials())
                };
                cache.get_or_read(secret(1), read).await.unwrap()
            });
        }
        let all = requests.join_all().await;
        assert_eq!(reads.load(Ordering::Relaxed), 1);
        assert!(all.iter().all(|principal| Arc::ptr_eq(principal, &all[0])));
    }

    #[tokio::test]
    async fn a_read_that_fails_or_is_given_up_leaves_the_next_to_another() {
        let cache = CredentialsCache::default();
        let failed = cache.get_or_read(secret(1), async || Err(Error::Unauthorized)).await;
        assert!(matches!(failed, Err(Error::Unauthorized)));
        let given_up = cache.get_or_read(secret(1), async || std::future::pending().await);
        assert!(tokio::time::timeout(Duration::ZERO, given_up).await.is_err());
        // Another secret is read meanwhile.
        assert!(cache.get_or_read(secret(2), async || Ok(credentials())).await.is_ok());
        assert!(cache.get_or_read(secret(1), async || Ok(credentials())).await.is_ok());
    }

    #[tokio::test]
    async fn who_waits_for_a_read_that_fails_does_not_read_again() {
        let (cache, reads) = (CredentialsCache::default(), AtomicUsize::new(0));
        let read = async || {
            reads.fetch_add(1, Ordering::Relaxed);
            tokio::task::yield_now().await;
            Err(Error::Unavailable("gone".to_owned()))
        };
        let failing = || cache.get_or_read(secret(1), read);
        let (first, second, third) = tokio::join!(failing(), failing(), failing());
        assert!([first, second, third].iter().all(|failed| matches!(failed, Err(Error::Unavailable(_)))));
        assert_eq!(reads.load(Ordering::Relaxed), 1);
        assert!(failing().await.is_err());
        assert_eq!(reads.load(Ordering::Relaxed), 2, "who asks later reads");
    }

    #[test]
    fn locks_of_secrets_that_nobody_reads_are_forgotten() {
        let cache = CredentialsCache::default();
        for number in 0..10_000 {
            cache.reading(secret(number));
            assert!(lock(&cache.reading).len() <= MAX_TOKENS);
        }
    }

    #[test]
    fn credentials_are_cached_for_less_than_a_second() {
        let (cache, begin) = (CredentialsCache::default(), Instant::now());
        assert_eq!(cache.get(secret(1), begin), None);
        let made = principal();
        cache.put(secret(1), &made, begin, cache.generation());
        assert_eq!(cache.get(secret(1), begin + MAX_AGE - Duration::from_nanos(1)), Some(made));
        assert_eq!(cache.get(secret(1), begin + MAX_AGE), None);
        assert_eq!(cache.get(secret(2), begin), None);
    }

    #[test]
    fn what_was_read_before_a_change_is_not_cached_after_it() {
        let (cache, begin) = (CredentialsCache::default(), Instant::now());
        let generation = cache.generation();
        cache.put(secret(1), &principal(), begin, generation);
        cache.clear();
        assert_eq!(cache.get(secret(1), begin), None);
        cache.put(secret(1), &principal(), begin, generation);
        assert_eq!(cache.get(secret(1), begin), None);
    }

    #[test]
    fn so_many_are_cached_and_no_more() {
        let (cache, begin) = (CredentialsCache::default(), Instant::now());
        let made = principal();
        for number in 0..10_000 {
            cache.put(secret(number), &made, begin, cache.generation());
            assert!(lock(&cache.cached).by_secret.len() <= MAX_TOKENS);
        }
        assert!(cache.get(secret(9_999), begin).is_some());
    }

    #[test]
    fn a_use_is_written_once_a_minute_unless_that_failed() {
        let (uses, token) = (TokenUses::default(), TokenId::generate());
        let outcomes = [7, 7, 8, 7].map(|minute| uses.begin(token, minute));
        assert_eq!(outcomes, [true, false, true, false]);
        uses.undo(token);
        assert!(uses.begin(token, 8));
        for _ in 0..10_000 {
            uses.begin(TokenId::generate(), 8);
            assert!(lock(&uses.minutes).len() <= MAX_TOKENS);
        }
    }
}
