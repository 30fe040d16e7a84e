//! The cache of credentials by token secret, and the record of when each token was last used.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;

use crate::{Error, SecretHash, Token, TokenId};

use super::caller::Principal;
use crate::usecases::Interline;

/// How long credentials are cached.
const MAX_AGE: Duration = Duration::from_secs(1);
/// How many tokens are cached at the most.
const MAX_TOKENS: usize = 4_096;

impl Interline {
    /// The principal of a secret, as it was at most a second ago. An unknown secret is looked up every time.
    pub(in crate::usecases) async fn principal(&self, secret: SecretHash) -> Result<Arc<Principal>, Error> {
        let begin = Instant::now();
        if let Some(cached) = self.credentials.get(secret, begin) {
            return Ok(cached);
        }
        let generation = self.credentials.generation();
        let credentials = self.store.credentials(secret).await?.ok_or(Error::Unauthorized)?;
        let principal = Arc::new(Principal::from_credentials(credentials));
        self.credentials.put(secret, &principal, begin, generation);
        Ok(principal)
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
}

#[derive(Default)]
struct CachedPrincipals {
    by_secret: HashMap<SecretHash, (Arc<Principal>, Instant)>,
    /// How often the cache was cleared.
    generation: u64,
}

impl CredentialsCache {
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
    use super::*;
    use crate::usecases::access::token_without_scopes;
    use crate::{Credentials, Rank, User, UserId};

    fn secret(number: u32) -> SecretHash {
        SecretHash::from_secret(&number.to_string())
    }

    fn credentials() -> Arc<Principal> {
        let user = User {
            id: UserId::generate(),
            name: "a".to_owned(),
            email: None,
            rank: Rank::Member,
            organization: None,
            created_at: Timestamp::UNIX_EPOCH,
        };
        let token = token_without_scopes(user.id);
        Arc::new(Principal::from_credentials(Credentials { token, user, memberships: Vec::new() }))
    }

    #[test]
    fn credentials_are_cached_for_less_than_a_second() {
        let (cache, begin) = (CredentialsCache::default(), Instant::now());
        assert_eq!(cache.get(secret(1), begin), None);
        let made = credentials();
        cache.put(secret(1), &made, begin, cache.generation());
        assert_eq!(cache.get(secret(1), begin + MAX_AGE - Duration::from_nanos(1)), Some(made));
        assert_eq!(cache.get(secret(1), begin + MAX_AGE), None);
        assert_eq!(cache.get(secret(2), begin), None);
    }

    #[test]
    fn what_was_read_before_a_change_is_not_cached_after_it() {
        let (cache, begin) = (CredentialsCache::default(), Instant::now());
        let generation = cache.generation();
        cache.put(secret(1), &credentials(), begin, generation);
        cache.clear();
        assert_eq!(cache.get(secret(1), begin), None);
        cache.put(secret(1), &credentials(), begin, generation);
        assert_eq!(cache.get(secret(1), begin), None);
    }

    #[test]
    fn so_many_are_cached_and_no_more() {
        let (cache, begin) = (CredentialsCache::default(), Instant::now());
        let made = credentials();
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
