//! Callers and what they may do: authentication by token, users, tokens, organizations.

mod caller;
mod credentials;
mod known_secrets;
mod listener_tokens;
mod organizations;
mod tokens;
mod users;

pub use caller::Caller;
pub(super) use caller::default_client;
pub(super) use credentials::{CredentialsCache, TokenUses};
pub(super) use known_secrets::KnownSecrets;
pub(super) use listener_tokens::{ListenerTokens, TokenUse};
pub use organizations::OrganizationDraft;
pub use tokens::{Secret, TokenDraft};
pub use users::UserDraft;
pub(super) use users::check_name;

/// A token of a user, for tests of what depends on none of its other fields.
#[cfg(test)]
fn token_without_scopes(user: crate::UserId) -> crate::Token {
    crate::Token {
        id: crate::TokenId::generate(),
        user,
        name: "a".to_owned(),
        author: crate::Author::Person,
        writes: crate::Writes::Apply,
        scopes: std::collections::BTreeSet::new(),
        kinds: None,
        spaces: None,
        prefix: String::new(),
        created_at: jiff::Timestamp::UNIX_EPOCH,
        expires_at: None,
        last_used_at: None,
    }
}
