//! The connection of an administrative command: to the local store, or to a remote server. Both return the same types.

use std::collections::BTreeSet;

use interline_items::{Author, Kind, RemoveUser, Scope, UserDraft, Writes};
use jiff::Timestamp;

use crate::args::StoreCommandArgs;
use crate::command_error::CommandError;
use crate::environment::Environment;
use crate::local::{IfMissing, LocalStore};
use crate::remote::RemoteServer;
use crate::settings::StoreAddress;
use crate::wire::{NewTokenResponse, NewUserResponse, TokenListResponse, TokenResponse, UserListResponse};

/// The local store, opened, or a remote server.
pub(crate) enum Connection {
    Local(LocalStore),
    Server(RemoteServer),
}

/// A token to make.
pub(crate) struct NewToken {
    pub(crate) name: String,
    /// What the token allows; `None` is all that the caller may do.
    pub(crate) scopes: Option<BTreeSet<Scope>>,
    /// The kinds that exist for the token; `None` is all.
    pub(crate) kinds: Option<BTreeSet<Kind>>,
    pub(crate) expires_at: Option<Timestamp>,
    /// The name or id of the token's user; `None` is the caller.
    pub(crate) user: Option<String>,
    /// Whether a person or an agent uses it.
    pub(crate) author: Author,
    /// What becomes of its writes.
    pub(crate) writes: Writes,
}

impl Connection {
    /// Opens the store that the arguments name.
    pub(crate) async fn open(
        args: &StoreCommandArgs,
        environment: &Environment,
        if_missing: IfMissing,
    ) -> Result<Connection, CommandError> {
        match StoreAddress::from_args(&args.address, environment)? {
            StoreAddress::Local(store) => Ok(Connection::Local(LocalStore::open(&store, if_missing).await?)),
            StoreAddress::Server { url, token } => Ok(Connection::Server(RemoteServer::new(url, token)?)),
        }
    }

    pub(crate) async fn add_user(&self, draft: UserDraft) -> Result<NewUserResponse, CommandError> {
        match self {
            Connection::Local(store) => store.add_user(draft).await,
            Connection::Server(server) => server.add_user(&draft).await,
        }
    }

    pub(crate) async fn users(&self) -> Result<UserListResponse, CommandError> {
        match self {
            Connection::Local(store) => store.users().await,
            Connection::Server(server) => server.users().await,
        }
    }

    pub(crate) async fn remove_user(&self, name_or_id: &str, items: RemoveUser) -> Result<(), CommandError> {
        match self {
            Connection::Local(store) => store.remove_user(name_or_id, items).await,
            Connection::Server(server) => server.remove_user(name_or_id, items).await,
        }
    }

    pub(crate) async fn add_token(&self, new: NewToken) -> Result<NewTokenResponse, CommandError> {
        match self {
            Connection::Local(store) => store.add_token(new).await,
            Connection::Server(server) => server.add_token(&new).await,
        }
    }

    pub(crate) async fn tokens(&self, user: Option<&str>) -> Result<TokenListResponse, CommandError> {
        match self {
            Connection::Local(store) => store.tokens(user).await,
            Connection::Server(server) => server.tokens(user).await,
        }
    }

    pub(crate) async fn rename_token(&self, id: &str, name: &str) -> Result<TokenResponse, CommandError> {
        match self {
            Connection::Local(store) => store.rename_token(id, name).await,
            Connection::Server(server) => server.rename_token(id, name).await,
        }
    }

    pub(crate) async fn remove_token(&self, id: &str) -> Result<(), CommandError> {
        match self {
            Connection::Local(store) => store.remove_token(id).await,
            Connection::Server(server) => server.remove_token(id).await,
        }
    }
}

/// The one user who has that name or id. Names need not be unique.
pub(crate) fn find_user<U>(
    users: Vec<U>,
    name_or_id: &str,
    id_and_name: impl Fn(&U) -> (String, &str),
) -> Result<U, CommandError> {
    let matches = |user: &U| {
        let (id, name) = id_and_name(user);
        name == name_or_id || id.eq_ignore_ascii_case(name_or_id)
    };
    let mut found: Vec<U> = users.into_iter().filter(matches).collect();
    match (found.pop(), found.len()) {
        (Some(user), 0) => Ok(user),
        (None, _) => {
            Err(CommandError::refused(format!("there is no user {name_or_id}")).hint("`interline user list` shows all"))
        }
        (Some(_), others) => Err(CommandError::refused(format!("{} users are called {name_or_id}", others + 1))
            .hint("name the one by its id, as `interline user list` shows it")),
    }
}
