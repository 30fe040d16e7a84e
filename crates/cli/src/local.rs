//! The local store.

use std::sync::Arc;

use interline_items::{
    Caller, Interline, ListenRequest, Listener, RemoveUser, Source, Store, TokenDraft, User, UserDraft,
};
use interline_server::McpServer;
use interline_storage::{PostgresStore, SqliteStore};

use crate::failure::Failure;
use crate::first_start::{self, Owner};
use crate::output;
use crate::settings::{Database, StoreSettings};
use crate::shapes::{NewTokenShape, NewUserShape, TokenList, TokenShape, UserList};
use crate::target::{NewToken, named};

/// The local store, and its owner.
pub(crate) struct Local {
    interline: Interline,
    owner: User,
}

/// Opens the store; the first start makes it.
pub(crate) async fn open(settings: &StoreSettings) -> Result<(Interline, Owner), Failure> {
    first_start::make_private_directory(&settings.data_dir)?;
    if let Database::Sqlite(path) = &settings.database {
        // SQLite gives the files beside it the same mode.
        first_start::make_private_file(path)?;
    }
    let interline = connect(settings).await?;
    let owner = first_start::owner(&interline, settings).await?;
    Ok((interline, owner))
}

/// Opens a store that is there already.
pub(crate) async fn open_existing(settings: &StoreSettings) -> Result<Interline, Failure> {
    match &settings.database {
        Database::Sqlite(path) if path.try_exists().is_ok_and(|exists| !exists) => {
            Err(Failure::refused(format!("there is no store in {}", settings.data_dir.display()))
                .hint("say where it is with --data-dir or --database"))
        }
        Database::Sqlite(_) | Database::Postgres(_) => connect(settings).await,
    }
}

async fn connect(settings: &StoreSettings) -> Result<Interline, Failure> {
    let store: Arc<dyn Store> = match &settings.database {
        Database::Sqlite(path) => Arc::new(SqliteStore::open(path)?),
        Database::Postgres(url) => Arc::new(PostgresStore::connect(url).await?),
    };
    Ok(Interline::new(store, settings.limits.clone()).with_sdk(settings.sdk_name.clone()))
}

impl Local {
    /// Opens the store, and says so if it is new: whoever mistyped its place should know.
    pub(crate) async fn open(settings: &StoreSettings) -> Result<Local, Failure> {
        let (interline, owner) = open(settings).await?;
        if owner.new_secret.is_some() {
            let (directory, file) = (settings.data_dir.display(), settings.token_file());
            output::complain(&format!(
                "note: the store in {directory} is new; its owner is {}, whose token is in {}",
                owner.user.name,
                file.display()
            ));
        }
        Ok(Local { interline, owner: owner.user })
    }

    /// Answers on standard input and output, as the owner, until the input ends.
    pub(crate) async fn serve_mcp(self, server: McpServer) -> Result<(), Failure> {
        let served = interline_server::serve_mcp(server, self.interline, self.owner.id).await;
        served.map_err(|error| Failure::failed(format!("the server stopped: {error}")))
    }

    /// Listens to what happens, as the owner.
    pub(crate) async fn listen(&self, wanted: ListenRequest) -> Result<Listener, Failure> {
        Ok(self.interline.listen(&self.caller().await?, wanted).await?)
    }

    /// Sees to it that a listener hears what the owner may see by now.
    pub(crate) async fn renew(&self, listener: &mut Listener) -> Result<(), Failure> {
        Ok(listener.update(&self.caller().await?).await?)
    }

    pub(crate) async fn add_user(&self, draft: UserDraft) -> Result<NewUserShape, Failure> {
        let (user, _, secret) = self.interline.create_user(&self.caller().await?, draft).await?;
        Ok(NewUserShape::of(&user, &secret))
    }

    pub(crate) async fn users(&self) -> Result<UserList, Failure> {
        Ok(UserList { users: self.all_users().await?.iter().map(Into::into).collect() })
    }

    pub(crate) async fn remove_user(&self, wanted: &str, items: RemoveUser) -> Result<(), Failure> {
        let user = self.user(wanted).await?;
        self.interline.remove_user(&self.caller().await?, user.id, items).await?;
        Ok(())
    }

    pub(crate) async fn add_token(&self, new: NewToken) -> Result<NewTokenShape, Failure> {
        let user = match &new.user {
            Some(wanted) => Some(self.user(wanted).await?.id),
            None => None,
        };
        let draft = TokenDraft {
            name: new.name,
            scopes: new.scopes,
            kinds: new.kinds,
            spaces: None,
            expires_at: new.expires_at,
            user,
        };
        let (token, secret) = self.interline.create_token(&self.caller().await?, draft).await?;
        Ok(NewTokenShape::of(&token, &secret))
    }

    pub(crate) async fn tokens(&self, user: Option<&str>) -> Result<TokenList, Failure> {
        let caller = match user {
            Some(wanted) => self.interline.trusted(self.user(wanted).await?.id, Source::Cli).await?,
            None => self.caller().await?,
        };
        let tokens = self.interline.tokens(&caller).await?;
        Ok(TokenList { tokens: tokens.iter().map(TokenShape::from).collect() })
    }

    /// Removes a token, whosever it is.
    pub(crate) async fn remove_token(&self, id: &str) -> Result<(), Failure> {
        for user in self.all_users().await? {
            let caller = self.interline.trusted(user.id, Source::Cli).await?;
            let tokens = self.interline.tokens(&caller).await?;
            if let Some(token) = tokens.iter().find(|token| token.id.to_string().eq_ignore_ascii_case(id)) {
                return Ok(self.interline.delete_token(&caller, token.id).await?);
            }
        }
        Err(Failure::refused(format!("there is no token {id}")).hint("`interline token list --user …` shows the ids"))
    }

    async fn caller(&self) -> Result<Caller, Failure> {
        Ok(self.interline.trusted(self.owner.id, Source::Cli).await?)
    }

    async fn all_users(&self) -> Result<Vec<User>, Failure> {
        Ok(self.interline.users(&self.caller().await?).await?)
    }

    async fn user(&self, wanted: &str) -> Result<User, Failure> {
        let users = self.all_users().await?;
        named(users, wanted, |user| (user.id.to_string(), &user.name))
    }
}
