//! What secrets stand for, remembered for a moment, and when tokens were used.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;

use crate::{Error, SecretHash, Token, TokenId};

use super::Interline;
use super::caller::Who;

/// How long credentials are remembered.
const MAX_AGE: Duration = Duration::from_secs(1);
/// How many tokens are remembered at the most.
const MAX_TOKENS: usize = 4_096;

impl Interline {
    /// What a secret stands for, at most a second ago. An unknown secret is looked up every time.
    pub(super) async fn credentials(&self, secret: SecretHash) -> Result<Arc<Who>, Error> {
        let begin = Instant::now();
        if let Some(known) = self.credentials.get(secret, begin) {
            return Ok(known);
        }
        let generation = self.credentials.generation();
        let credentials = self.store.credentials(secret).await?.ok_or(Error::Unauthorized)?;
        let who = Arc::new(Who::of(credentials));
        self.credentials.put(secret, &who, begin, generation);
        Ok(who)
    }

    /// Writes that a token is used now, beside the request and at most once a minute. A write that fails is made up for
    /// at the next use.
    pub(super) fn note_use(&self, token: &Token, now: Timestamp) {
        let minute = now.as_second() / 60;
        let is_noted = token.last_used_at.is_some_and(|used| used.as_second() / 60 >= minute);
        if is_noted || !self.use_marks.begin(token.id, minute) {
            return;
        }
        let (store, use_marks, id) = (Arc::clone(&self.store), Arc::clone(&self.use_marks), token.id);
        tokio::spawn(async move {
            if store.mark_token_used(id, now).await.is_err() {
                use_marks.take_back(id);
            }
        });
    }
}

/// What secrets stand for, each remembered for [`MAX_AGE`].
#[derive(Default)]
pub(super) struct CredentialsCache {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    by_secret: HashMap<SecretHash, (Arc<Who>, Instant)>,
    /// How often everything was forgotten.
    generation: u64,
}

impl CredentialsCache {
    fn get(&self, secret: SecretHash, now: Instant) -> Option<Arc<Who>> {
        let known = lock(&self.known);
        let (credentials, since) = known.by_secret.get(&secret)?;
        (now.saturating_duration_since(*since) < MAX_AGE).then(|| Arc::clone(credentials))
    }

    /// Changes when everything is forgotten: what was read before must not be remembered after.
    fn generation(&self) -> u64 {
        lock(&self.known).generation
    }

    /// Remembers what was read from `since` on, unless everything was forgotten since `generation`.
    fn put(&self, secret: SecretHash, credentials: &Arc<Who>, since: Instant, generation: u64) {
        let mut known = lock(&self.known);
        if known.generation != generation {
            return;
        }
        // Reading so many again costs less than knowing which of them to keep.
        if known.by_secret.len() >= MAX_TOKENS {
            known.by_secret.clear();
        }
        known.by_secret.insert(secret, (Arc::clone(credentials), since));
    }

    /// Forgets everything: users, tokens or memberships were changed. To be called after the change is committed.
    pub(super) fn forget(&self) {
        let mut known = lock(&self.known);
        known.by_secret.clear();
        known.generation += 1;
    }
}

/// The minute, since 1970, in which a use of each token was last written.
#[derive(Default)]
pub(super) struct UseMarks {
    minutes: Mutex<HashMap<TokenId, i64>>,
}

impl UseMarks {
    /// Whether the use in this minute is still to be written; from now on it is taken for written.
    fn begin(&self, token: TokenId, minute: i64) -> bool {
        let mut minutes = lock(&self.minutes);
        // The tokens themselves tell their last use too, so little is written twice.
        if minutes.len() >= MAX_TOKENS {
            minutes.clear();
        }
        minutes.insert(token, minute).is_none_or(|marked| marked < minute)
    }

    /// It could not be written.
    fn take_back(&self, token: TokenId) {
        lock(&self.minutes).remove(&token);
    }
}

/// What these locks guard is whole after every statement, so a panic under them spoils nothing.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{Credentials, Rank, User, UserId};

    fn secret(number: u32) -> SecretHash {
        SecretHash::of(&number.to_string())
    }

    fn credentials() -> Arc<Who> {
        let user = User {
            id: UserId::generate(),
            name: "a".to_owned(),
            email: None,
            rank: Rank::Member,
            organization: None,
            created_at: Timestamp::UNIX_EPOCH,
        };
        let token = Token {
            id: TokenId::generate(),
            user: user.id,
            name: "a".to_owned(),
            scopes: BTreeSet::new(),
            kinds: None,
            spaces: None,
            prefix: String::new(),
            created_at: Timestamp::UNIX_EPOCH,
            expires_at: None,
            last_used_at: None,
        };
        Arc::new(Who::of(Credentials { token, user, memberships: Vec::new() }))
    }

    #[test]
    fn credentials_are_known_for_less_than_a_second() {
        let (cache, begin) = (CredentialsCache::default(), Instant::now());
        assert_eq!(cache.get(secret(1), begin), None);
        let made = credentials();
        cache.put(secret(1), &made, begin, cache.generation());
        assert_eq!(cache.get(secret(1), begin + MAX_AGE - Duration::from_nanos(1)), Some(made));
        assert_eq!(cache.get(secret(1), begin + MAX_AGE), None);
        assert_eq!(cache.get(secret(2), begin), None);
    }

    #[test]
    fn what_was_read_before_a_change_is_not_remembered_after_it() {
        let (cache, begin) = (CredentialsCache::default(), Instant::now());
        let generation = cache.generation();
        cache.put(secret(1), &credentials(), begin, generation);
        cache.forget();
        assert_eq!(cache.get(secret(1), begin), None);
        cache.put(secret(1), &credentials(), begin, generation);
        assert_eq!(cache.get(secret(1), begin), None);
    }

    #[test]
    fn so_many_are_remembered_and_no_more() {
        let (cache, begin) = (CredentialsCache::default(), Instant::now());
        let made = credentials();
        for number in 0..10_000 {
            cache.put(secret(number), &made, begin, cache.generation());
            assert!(lock(&cache.known).by_secret.len() <= MAX_TOKENS);
        }
        assert!(cache.get(secret(9_999), begin).is_some());
    }

    #[test]
    fn a_use_is_written_once_a_minute_unless_that_failed() {
        let (marks, token) = (UseMarks::default(), TokenId::generate());
        let outcomes = [7, 7, 8, 7].map(|minute| marks.begin(token, minute));
        assert_eq!(outcomes, [true, false, true, false]);
        marks.take_back(token);
        assert!(marks.begin(token, 8));
        for _ in 0..10_000 {
            marks.begin(TokenId::generate(), 8);
            assert!(lock(&marks.minutes).len() <= MAX_TOKENS);
        }
    }
}
