//! What an administrative command works on: the local store, or a server. Both answer in the same shapes.

use std::collections::BTreeSet;

use interline_items::{Kind, RemoveUser, Scope, UserDraft};
use jiff::Timestamp;

use crate::args::TargetArgs;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::local::Local;
use crate::remote::Server;
use crate::settings::TargetSettings;
use crate::shapes::{NewTokenShape, NewUserShape, TokenList, UserList};

/// The local store, or a server.
pub(crate) enum Target {
    Local(Local),
    Server(Server),
}

/// A token to make.
pub(crate) struct NewToken {
    pub(crate) name: String,
    /// What it allows; `None` is all that the caller may do.
    pub(crate) scopes: Option<BTreeSet<Scope>>,
    /// The kinds that exist for it; `None` is all.
    pub(crate) kinds: Option<BTreeSet<Kind>>,
    pub(crate) expires_at: Option<Timestamp>,
    /// The name or id of its user; `None` is the caller.
    pub(crate) user: Option<String>,
}

impl Target {
    /// What the arguments mean.
    pub(crate) async fn open_for(args: &TargetArgs, environment: &Environment) -> Result<Target, Failure> {
        match TargetSettings::of(&args.place, environment)? {
            TargetSettings::Local(store) => Ok(Target::Local(Local::open(&store).await?)),
            TargetSettings::Server { url, token } => Ok(Target::Server(Server::at(url, token)?)),
        }
    }

    pub(crate) async fn add_user(&self, draft: UserDraft) -> Result<NewUserShape, Failure> {
        match self {
            Target::Local(store) => store.add_user(draft).await,
            Target::Server(server) => server.add_user(&draft).await,
        }
    }

    pub(crate) async fn users(&self) -> Result<UserList, Failure> {
        match self {
            Target::Local(store) => store.users().await,
            Target::Server(server) => server.users().await,
        }
    }

    pub(crate) async fn remove_user(&self, wanted: &str, items: RemoveUser) -> Result<(), Failure> {
        match self {
            Target::Local(store) => store.remove_user(wanted, items).await,
            Target::Server(server) => server.remove_user(wanted, items).await,
        }
    }

    pub(crate) async fn add_token(&self, new: NewToken) -> Result<NewTokenShape, Failure> {
        match self {
            Target::Local(store) => store.add_token(new).await,
            Target::Server(server) => server.add_token(&new).await,
        }
    }

    pub(crate) async fn tokens(&self, user: Option<&str>) -> Result<TokenList, Failure> {
        match self {
            Target::Local(store) => store.tokens(user).await,
            Target::Server(server) => server.tokens(user).await,
        }
    }

    pub(crate) async fn remove_token(&self, id: &str) -> Result<(), Failure> {
        match self {
            Target::Local(store) => store.remove_token(id).await,
            Target::Server(server) => server.remove_token(id).await,
        }
    }
}

/// The one user who has that name or id. Names need not be unique.
pub(crate) fn named<U>(users: Vec<U>, wanted: &str, id_and_name: impl Fn(&U) -> (String, &str)) -> Result<U, Failure> {
    let is_meant = |user: &U| {
        let (id, name) = id_and_name(user);
        name == wanted || id.eq_ignore_ascii_case(wanted)
    };
    let mut meant: Vec<U> = users.into_iter().filter(is_meant).collect();
    match (meant.pop(), meant.len()) {
        (Some(user), 0) => Ok(user),
        (None, _) => {
            Err(Failure::refused(format!("there is no user {wanted}")).hint("`interline user list` shows all"))
        }
        (Some(_), others) => Err(Failure::refused(format!("{} users are called {wanted}", others + 1))
            .hint("name the one by its id, as `interline user list` shows it")),
    }
}
