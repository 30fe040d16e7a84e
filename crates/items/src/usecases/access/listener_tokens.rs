//! The tokens of listeners: a listener learns within a second that its token was removed or has expired.
//!
//! What this process removes is signalled at once. What other processes remove is found by one query for the tokens of all
//! listeners, so that a thousand listeners cost no more than one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::watch;

use crate::usecases::now;
use crate::{Store, StoreError, Token, TokenId, UserId, supervise};

/// How often the storage is asked which of the tokens still exist.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// The tokens that listeners of this process use.
#[derive(Default)]
pub(in crate::usecases) struct ListenerTokens(Mutex<UsedTokens>);

#[derive(Default)]
struct UsedTokens {
    by_id: BTreeMap<TokenId, UsedToken>,
    /// Whether the task runs that asks the storage.
    is_checking: bool,
}

struct UsedToken {
    user: UserId,
    expires_at: Option<Timestamp>,
    listeners: usize,
    validity: watch::Sender<Validity>,
}

/// Whether a token still authenticates its user.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Validity {
    Valid,
    Revoked,
}

/// The use of a token by one listener.
pub(in crate::usecases) struct TokenUse {
    tokens: Arc<ListenerTokens>,
    token: TokenId,
    validity: watch::Receiver<Validity>,
}

impl ListenerTokens {
    /// Adds a listener that uses a token.
    pub(in crate::usecases) fn use_token(self: &Arc<Self>, token: &Token, store: &Arc<dyn Store>) -> TokenUse {
        let mut used = self.used();
        let new = || UsedToken {
            user: token.user,
            expires_at: token.expires_at,
            listeners: 0,
            validity: watch::Sender::new(Validity::Valid),
        };
        let entry = used.by_id.entry(token.id).or_insert_with(new);
        entry.listeners += 1;
        let validity = entry.validity.subscribe();
        if !std::mem::replace(&mut used.is_checking, true) {
            let (tokens, store) = (Arc::downgrade(self), Arc::downgrade(store));
            let check = move || check_while_used(Weak::clone(&tokens), Weak::clone(&store));
            tokio::spawn(supervise("token-check", check));
        }
        TokenUse { tokens: Arc::clone(self), token: token.id, validity }
    }

    fn used(&self) -> MutexGuard<'_, UsedTokens> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Signals that a token was removed.
    pub(in crate::usecases) fn revoke(&self, token: TokenId) {
        self.revoke_where(|id, _| *id == token);
    }

    /// Signals that a user was removed with all tokens.
    pub(in crate::usecases) fn revoke_user(&self, user: UserId) {
        self.revoke_where(|_, used| used.user == user);
    }

    fn revoke_where(&self, is_revoked: impl Fn(&TokenId, &UsedToken) -> bool) {
        let used = self.used();
        for (_, token) in used.by_id.iter().filter(|(id, token)| is_revoked(id, token)) {
            token.validity.send_replace(Validity::Revoked);
        }
    }

    /// The tokens to ask for; `None` where there are none, and then the task ends.
    fn to_check(&self) -> Option<BTreeSet<TokenId>> {
        let mut used = self.used();
        used.is_checking = !used.by_id.is_empty();
        used.is_checking.then(|| used.by_id.keys().copied().collect())
    }

    /// Asks once which of the tokens still exist, and signals to the listeners of the others.
    async fn check<F>(&self, tokens: BTreeSet<TokenId>, existing: impl FnOnce(BTreeSet<TokenId>) -> F)
    where
        F: Future<Output = Result<BTreeSet<TokenId>, StoreError>>,
    {
        // A storage that cannot answer now is asked again.
        let Ok(existing) = existing(tokens.clone()).await else { return };
        let now = now();
        self.revoke_where(|id, token| {
            let has_expired = token.expires_at.is_some_and(|expires| expires <= now);
            has_expired || (tokens.contains(id) && !existing.contains(id))
        });
    }
}

/// Asks the storage again and again, as long as there is a listener.
async fn check_while_used(tokens: Weak<ListenerTokens>, store: Weak<dyn Store>) {
    loop {
        tokio::time::sleep(CHECK_INTERVAL).await;
        let (Some(used), Some(store)) = (tokens.upgrade(), store.upgrade()) else { return };
        let Some(ids) = used.to_check() else { return };
        used.check(ids, async |ids| store.existing_tokens(&ids).await).await;
    }
}

impl TokenUse {
    /// Returns when the token no longer authenticates its user.
    pub(in crate::usecases) fn revoked(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut validity = self.validity.clone();
        async move {
            // The sender lives as long as this listener.
            let _ = validity.wait_for(|validity| *validity == Validity::Revoked).await;
        }
    }
}

impl Drop for TokenUse {
    fn drop(&mut self) {
        let mut used = self.tokens.used();
        if let Some(token) = used.by_id.get_mut(&self.token) {
            token.listeners -= 1;
            if token.listeners == 0 {
                used.by_id.remove(&self.token);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::usecases::access::token_without_scopes;

    fn token(expires_at: Option<Timestamp>) -> Token {
        Token { expires_at, ..token_without_scopes(UserId::generate()) }
    }

    /// The use of a token whose storage is gone: nobody asks but the test.
    fn used(tokens: &Arc<ListenerTokens>, token: &Token) -> TokenUse {
        let mut used = tokens.used();
        used.is_checking = true;
        let entry = used.by_id.entry(token.id).or_insert_with(|| UsedToken {
            user: token.user,
            expires_at: token.expires_at,
            listeners: 0,
            validity: watch::Sender::new(Validity::Valid),
        });
        entry.listeners += 1;
        TokenUse { tokens: Arc::clone(tokens), token: token.id, validity: entry.validity.subscribe() }
    }

    fn is_revoked(token: &TokenUse) -> bool {
        *token.validity.borrow() == Validity::Revoked
    }

    #[tokio::test]
    async fn a_thousand_listeners_cost_one_query_and_learn_of_it_together() {
        let tokens = Arc::new(ListenerTokens::default());
        let [kept, removed] = [token(None), token(None)];
        let listeners: Vec<_> =
            (0..1_000).map(|number| used(&tokens, if number % 2 == 0 { &kept } else { &removed })).collect();
        let asked = AtomicUsize::new(0);
        let ids = tokens.to_check().unwrap();
        assert_eq!(ids.len(), 2);
        tokens
            .check(ids, async |_| {
                asked.fetch_add(1, Ordering::SeqCst);
                Ok([kept.id].into())
            })
            .await;
        assert_eq!(asked.into_inner(), 1);
        assert_eq!(listeners.iter().filter(|listener| is_revoked(listener)).count(), 500);
        listeners[1].revoked().await;
        drop(listeners);
        assert_eq!(tokens.to_check(), None);
    }

    #[tokio::test]
    async fn what_this_process_removes_is_signalled_at_once() {
        let tokens = Arc::new(ListenerTokens::default());
        let held = [token(None), token(None), token(None)];
        let uses = held.each_ref().map(|token| used(&tokens, token));
        tokens.revoke(held[0].id);
        tokens.revoke_user(held[1].user);
        assert_eq!(uses.each_ref().map(is_revoked), [true, true, false]);
    }

    #[tokio::test]
    async fn an_expired_token_is_revoked_and_a_failing_storage_revokes_nothing() {
        let tokens = Arc::new(ListenerTokens::default());
        let (expired, other) = (token(Some(Timestamp::UNIX_EPOCH)), token(None));
        let uses = [used(&tokens, &expired), used(&tokens, &other)];
        let all = tokens.to_check().unwrap();
        tokens.check(all.clone(), async |_| Err(StoreError::Unavailable(String::new()))).await;
        assert_eq!(uses.each_ref().map(is_revoked), [false, false]);
        tokens.check(all, async |ids| Ok(ids)).await;
        assert_eq!(uses.each_ref().map(is_revoked), [true, false]);
    }
}
