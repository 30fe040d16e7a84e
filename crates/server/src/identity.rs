//! Identity: what a request or connection shows to prove who its user is.

use interline_items::{Caller, Error, Interline, SecretHash, Source, TokenId, UserId};

/// A proof of identity. It stays the same while the connection lives; what its user may do can change.
#[derive(Clone, Copy)]
pub enum Identity {
    /// This user: the process serves nobody else.
    User(UserId),
    /// The user of the token with this secret.
    Token(SecretHash),
    /// The user of this token, whose secret need not be shown: the process has the store itself.
    TrustedToken(TokenId),
}

impl Identity {
    /// The caller that the identity stands for now, through the interface `source`.
    pub(crate) async fn caller(self, interline: &Interline, source: Source) -> Result<Caller, Error> {
        match self {
            Identity::User(user) => interline.trusted(user, source).await,
            Identity::Token(secret) => interline.authenticate(secret, source).await,
            Identity::TrustedToken(token) => interline.trusted_token(token, source).await,
        }
    }
}
