//! What says who somebody is. Who may do what changes; this does not.

use interline_items::{Caller, Error, Interline, SecretHash, Source, UserId};

/// How it is known who somebody is.
#[derive(Clone, Copy)]
pub(crate) enum Identity {
    /// This user, because nobody else can be there.
    User(UserId),
    /// Whoever a token stands for.
    Token(SecretHash),
}

impl Identity {
    /// Who that is by now, at the door `source`.
    pub(crate) async fn caller(self, interline: &Interline, source: Source) -> Result<Caller, Error> {
        match self {
            Identity::User(user) => interline.trusted(user, source).await,
            Identity::Token(secret) => interline.authenticate(secret, source).await,
        }
    }
}
