//! Callers and what they may do: authentication by token, users, tokens, organizations.

mod caller;
mod credentials;
mod known_secrets;
mod listener_tokens;
mod organizations;
mod tokens;
mod users;

pub use caller::Caller;
pub(super) use credentials::{CredentialsCache, TokenUses};
pub(super) use known_secrets::KnownSecrets;
pub(super) use listener_tokens::{ListenerTokens, TokenUse};
pub use organizations::OrganizationDraft;
pub use tokens::{Secret, TokenDraft};
pub use users::UserDraft;
pub(super) use users::check_name;
