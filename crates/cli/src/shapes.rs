//! Users and tokens as the REST API shows them: what a server answers, and what `--json` prints.

use interline_items::{Kind, OrganizationId, Rank, Scope, Secret, Token, User};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A user.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct UserShape {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) email: Option<String>,
    pub(crate) admin: bool,
    pub(crate) organization_id: Option<String>,
    pub(crate) created_at: String,
}

/// A user that was just made.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct NewUserShape {
    #[serde(flatten)]
    pub(crate) user: UserShape,
    pub(crate) token: String,
}

/// All users, oldest first.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct UserList {
    pub(crate) users: Vec<UserShape>,
}

/// A token without its secret.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TokenShape {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) scopes: Vec<String>,
    pub(crate) kinds: Option<Vec<String>>,
    pub(crate) spaces: Option<Vec<String>>,
    pub(crate) prefix: String,
    pub(crate) created_at: String,
    pub(crate) expires_at: Option<String>,
    pub(crate) last_used_at: Option<String>,
}

/// A token that was just made, with its secret.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct NewTokenShape {
    #[serde(flatten)]
    pub(crate) about: TokenShape,
    pub(crate) token: String,
}

/// The tokens of a user, oldest first.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TokenList {
    pub(crate) tokens: Vec<TokenShape>,
}

impl From<&User> for UserShape {
    fn from(user: &User) -> UserShape {
        UserShape {
            id: user.id.to_string(),
            name: user.name.clone(),
            email: user.email.clone(),
            admin: user.rank == Rank::Admin,
            organization_id: user.organization.as_ref().map(OrganizationId::to_string),
            created_at: time(user.created_at),
        }
    }
}

impl NewUserShape {
    pub(crate) fn of(user: &User, secret: &Secret) -> NewUserShape {
        NewUserShape { user: user.into(), token: secret.as_str().to_owned() }
    }
}

impl From<&Token> for TokenShape {
    fn from(token: &Token) -> TokenShape {
        TokenShape {
            id: token.id.to_string(),
            name: token.name.clone(),
            scopes: token.scopes.iter().copied().map(Scope::name).map(str::to_owned).collect(),
            kinds: token.kinds.as_ref().map(|kinds| kinds.iter().map(Kind::to_string).collect()),
            spaces: token.spaces.as_ref().map(|spaces| spaces.iter().map(ToString::to_string).collect()),
            prefix: token.prefix.clone(),
            created_at: time(token.created_at),
            expires_at: token.expires_at.map(time),
            last_used_at: token.last_used_at.map(time),
        }
    }
}

impl NewTokenShape {
    pub(crate) fn of(token: &Token, secret: &Secret) -> NewTokenShape {
        NewTokenShape { about: token.into(), token: secret.as_str().to_owned() }
    }
}

/// A time as RFC 3339, in UTC, to the microsecond.
pub(crate) fn time(time: Timestamp) -> String {
    format!("{time:.6}")
}
