//! People to write with.

use std::collections::BTreeSet;

use interline_items::{
    NewToken, Rank, Scope, SecretHash, Space, SpaceId, SpaceOwner, Store, Token, TokenId, User, UserId,
};

use crate::samples::at;

/// A user with a space of its own and a token.
#[derive(Clone, Debug)]
pub(crate) struct Author {
    pub(crate) user: User,
    pub(crate) space: Space,
    pub(crate) token: NewToken,
}

/// An author that the store knows.
pub(crate) async fn author(store: &dyn Store, name: &str) -> Author {
    let author = stranger(name);
    store.create_user(&author.user, &author.space, &author.token).await.unwrap();
    author
}

/// An author that no store knows yet.
pub(crate) fn stranger(name: &str) -> Author {
    let user = User {
        id: UserId::generate(),
        name: name.to_owned(),
        email: None,
        rank: Rank::Member,
        organization: None,
        created_at: at(0),
    };
    let space = Space { id: SpaceId::generate(), owner: SpaceOwner::User(user.id), name: format!("{name}'s") };
    let token = token(user.id, name);
    Author { user, space, token }
}

/// A token that allows reading and writing everything; its secret is made of its name.
pub(crate) fn token(user: UserId, name: &str) -> NewToken {
    let token = Token {
        id: TokenId::generate(),
        user,
        name: name.to_owned(),
        scopes: BTreeSet::from([Scope::Read, Scope::Write]),
        kinds: None,
        spaces: None,
        prefix: name.chars().take(6).collect(),
        created_at: at(0),
        expires_at: None,
        last_used_at: None,
    };
    NewToken { token, secret: secret(name) }
}

/// Something that looks like the hash of a secret, another one for each name.
pub(crate) fn secret(name: &str) -> SecretHash {
    let mut hash = [7; 32];
    for (place, byte) in hash.iter_mut().zip(name.bytes()) {
        *place = byte;
    }
    SecretHash(hash)
}
