//! The local store: opening it, and the commands that work on it as its owner.

use std::path::Path;
use std::sync::Arc;

use interline_items::{
    Author, Caller, CheckReport, Error, Interline, ListenRequest, Listener, RemoveUser, Scope, Source, Store, Token,
    TokenDraft, TokenId, User, UserDraft, Writes,
};
use interline_server::{Identity, LocalService, McpServer};
use interline_storage::{OpenError, PostgresStore, SqliteStore};
use jiff::Timestamp;

use crate::command_error::CommandError;
use crate::connection::{NewToken, find_user};
use crate::first_start::{self, Owner};
use crate::output;
use crate::settings::{Database, StoreSettings};
use crate::wire::{NewTokenResponse, NewUserResponse, TokenListResponse, TokenResponse, UserListResponse};

/// The local store, and its owner.
pub(crate) struct LocalStore {
    interline: Interline,
    owner: User,
}

/// What a command does where there is no store yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IfMissing {
    /// It makes one: the first start.
    Make,
    /// It is refused, because it could only find nothing: its user has mistyped where the store is.
    Refuse,
}

/// Opens the store.
pub(crate) async fn open(settings: &StoreSettings, if_missing: IfMissing) -> Result<(Interline, Owner), CommandError> {
    match (if_missing, &settings.database) {
        (IfMissing::Refuse, _) => require_store(settings).await?,
        (IfMissing::Make, Database::Postgres(_)) => first_start::make_private_directory(&settings.data_dir)?,
        (IfMissing::Make, Database::Sqlite(path)) => {
            first_start::make_private_directory(&settings.data_dir)?;
            // SQLite gives the files beside it the same mode.
            first_start::make_private_file(path)?;
        }
    }
    let interline = connect(settings).await?;
    let owner = first_start::owner(&interline, settings).await?;
    Ok((interline, owner))
}

/// Checks a store that is there already. A file is only read.
pub(crate) async fn check(settings: &StoreSettings) -> Result<CheckReport, CommandError> {
    require_store(settings).await?;
    match &settings.database {
        Database::Sqlite(path) => SqliteStore::check_file(path).map_err(|error| unusable_file(path, &error)),
        Database::Postgres(_) => Ok(connect(settings).await?.check().await?),
    }
}

/// Refused where there is no store. Nothing is made.
async fn require_store(settings: &StoreSettings) -> Result<(), CommandError> {
    let missing = |place: String| {
        CommandError::refused(format!("there is no store in {place}"))
            .hint("say where it is with --data-dir or --database; `interline serve` makes a new one")
    };
    match &settings.database {
        Database::Sqlite(path) => match SqliteStore::require_store(path) {
            Err(OpenError::NoStore(_)) => Err(missing(settings.data_dir.display().to_string())),
            checked => checked.map_err(|error| unusable_file(path, &error)),
        },
        Database::Postgres(url) => match PostgresStore::require_store(url).await {
            Err(OpenError::NoStore(place)) => Err(missing(place)),
            checked => Ok(checked?),
        },
    }
}

fn unusable_file(path: &Path, error: &OpenError) -> CommandError {
    CommandError::failed(format!("{}: {error}", path.display()))
}

async fn connect(settings: &StoreSettings) -> Result<Interline, CommandError> {
    let store: Arc<dyn Store> = match &settings.database {
        Database::Sqlite(path) => Arc::new(SqliteStore::open(path).map_err(|error| unusable_file(path, &error))?),
        Database::Postgres(url) => {
            let connections = settings.postgres_connections.unwrap_or_default();
            Arc::new(PostgresStore::connect_with(url, connections).await?)
        }
    };
    Ok(Interline::new(store, settings.limits.clone()).with_sdk(settings.sdk_name.clone()))
}

impl LocalStore {
    /// Opens the store, and says so if it is new: a user who mistyped its directory should know.
    pub(crate) async fn open(settings: &StoreSettings, if_missing: IfMissing) -> Result<LocalStore, CommandError> {
        let (interline, owner) = open(settings, if_missing).await?;
        if owner.new_secret.is_some() {
            let (directory, file) = (settings.data_dir.display(), settings.token_file());
            output::print_to_stderr(&format!(
                "note: made a new store in {directory}; its owner is {}, the owner's token is saved in {}",
                owner.user.name,
                file.display()
            ));
        }
        Ok(LocalStore { interline, owner: owner.user })
    }

    /// The REST API on the store, as the owner.
    pub(crate) fn into_service(self) -> LocalService {
        LocalService::new(self.interline, self.owner.id)
    }

    /// Serves MCP on standard input and output until the input ends: with an agent's token, which says itself what becomes of
    /// its writes, or as the owner's local agent, of whose writes `writes` says so.
    pub(crate) async fn serve_mcp(
        self,
        server: McpServer,
        token: Option<&str>,
        writes: Writes,
    ) -> Result<(), CommandError> {
        let identity = match token {
            Some(id) => Identity::TrustedToken(self.agent_token(id).await?),
            None => Identity::User(self.owner.id),
        };
        let interline = self.interline.with_local_agent_writes(writes);
        let served = interline_server::serve_mcp(server, interline, identity).await;
        served.map_err(|error| CommandError::failed(format!("the MCP server stopped: {error}")))
    }

    /// Listens to the store's events, as the owner.
    pub(crate) async fn listen(&self, filter: ListenRequest) -> Result<Listener, CommandError> {
        Ok(self.interline.listen(&self.caller().await?, filter).await?)
    }

    /// Lets a listener receive what the owner may see by now.
    pub(crate) async fn refresh(&self, listener: &mut Listener) -> Result<(), CommandError> {
        Ok(listener.update(&self.caller().await?).await?)
    }

    pub(crate) async fn add_user(&self, draft: UserDraft) -> Result<NewUserResponse, CommandError> {
        let (user, _, secret) = self.interline.create_user(&self.caller().await?, draft).await?;
        Ok(NewUserResponse::new(&user, &secret))
    }

    pub(crate) async fn users(&self) -> Result<UserListResponse, CommandError> {
        Ok(UserListResponse { users: self.all_users().await?.iter().map(Into::into).collect() })
    }

    pub(crate) async fn remove_user(&self, name_or_id: &str, items: RemoveUser) -> Result<(), CommandError> {
        let user = self.user(name_or_id).await?;
        self.interline.remove_user(&self.caller().await?, user.id, items).await?;
        Ok(())
    }

    pub(crate) async fn add_token(&self, new: NewToken) -> Result<NewTokenResponse, CommandError> {
        let user = match &new.user {
            Some(name_or_id) => Some(self.user(name_or_id).await?.id),
            None => None,
        };
        let draft = TokenDraft {
            name: new.name,
            scopes: new.scopes,
            kinds: new.kinds,
            spaces: None,
            expires_at: new.expires_at,
            user,
            author: new.author,
            writes: new.writes,
        };
        let (token, secret) = self.interline.create_token(&self.caller().await?, draft).await?;
        Ok(NewTokenResponse::new(&token, &secret))
    }

    pub(crate) async fn tokens(&self, user: Option<&str>) -> Result<TokenListResponse, CommandError> {
        let caller = match user {
            Some(name_or_id) => self.interline.trusted(self.user(name_or_id).await?.id, Source::Cli).await?,
            None => self.caller().await?,
        };
        let tokens = self.interline.tokens(&caller).await?;
        Ok(TokenListResponse { tokens: tokens.iter().map(TokenResponse::from).collect() })
    }

    /// Gives a token another name, whichever user it belongs to.
    pub(crate) async fn rename_token(&self, id: &str, name: &str) -> Result<TokenResponse, CommandError> {
        let (caller, token) = self.token(id).await?;
        Ok((&self.interline.rename_token(&caller, token.id, name).await?).into())
    }

    /// Removes a token, whichever user it belongs to.
    pub(crate) async fn remove_token(&self, id: &str) -> Result<(), CommandError> {
        let (caller, token) = self.token(id).await?;
        Ok(self.interline.delete_token(&caller, token.id).await?)
    }

    /// The agents' token of the owner with this name, which is made where there is none. One that is to propose is not one
    /// that applies; one that proposes is never replaced by one that applies.
    pub(crate) async fn named_agent_token(&self, name: &str, writes: Writes) -> Result<TokenId, CommandError> {
        if let Some(token) = self.existing_agent_token(name, writes).await? {
            return Ok(token);
        }
        let draft = TokenDraft {
            name: name.to_owned(),
            // Users and organizations are no work of an agent.
            scopes: Some([Scope::Read, Scope::Write].into()),
            kinds: None,
            spaces: None,
            expires_at: None,
            user: None,
            author: Author::Agent,
            writes,
        };
        let (token, _) = self.interline.create_token(&self.caller().await?, draft).await?;
        Ok(token.id)
    }

    /// The same, if there is one that has not expired.
    pub(crate) async fn existing_agent_token(
        &self,
        name: &str,
        writes: Writes,
    ) -> Result<Option<TokenId>, CommandError> {
        let tokens = self.interline.tokens(&self.caller().await?).await?;
        let is_usable = |token: &&Token| {
            token.name == name
                && token.author == Author::Agent
                && token.expires_at.is_none_or(|expires| expires > Timestamp::now())
        };
        let usable: Vec<&Token> = tokens.iter().filter(is_usable).collect();
        let proposing = usable.iter().find(|token| token.writes == Writes::Propose);
        let found = match writes {
            Writes::Propose => proposing,
            Writes::Apply => proposing.or(usable.first()),
        };
        Ok(found.map(|token| token.id))
    }

    /// A token that an agent may act with, by its id.
    async fn agent_token(&self, id: &str) -> Result<TokenId, CommandError> {
        let install = "`interline mcp install --client …` makes a token for the client and writes its id";
        let (_, token) = self.token(id).await.map_err(|error| match error.is_refusal() {
            true => CommandError::refused(format!("there is no token {id}; it may have been removed")).hint(install),
            false => error,
        })?;
        if token.author != Author::Agent {
            return Err(
                CommandError::refused(format!("the token {} is a person's, not an agent's", token.name)).hint(install)
            );
        }
        // Whether it has expired, before the client begins.
        self.interline.trusted_token(token.id, Source::Cli).await.map_err(|error| match error {
            Error::Unauthorized => CommandError::refused(format!("the token {} has expired", token.name)).hint(install),
            error => error.into(),
        })?;
        Ok(token.id)
    }

    /// A token of any user, and its user as a caller.
    async fn token(&self, id: &str) -> Result<(Caller, Token), CommandError> {
        for user in self.all_users().await? {
            let caller = self.interline.trusted(user.id, Source::Cli).await?;
            let tokens = self.interline.tokens(&caller).await?;
            let mut tokens = tokens.into_iter();
            if let Some(token) = tokens.find(|token| token.id.to_string().eq_ignore_ascii_case(id)) {
                return Ok((caller, token));
            }
        }
        Err(CommandError::refused(format!("there is no token {id}"))
            .hint("`interline token list --user …` shows the ids"))
    }

    async fn caller(&self) -> Result<Caller, CommandError> {
        Ok(self.interline.trusted(self.owner.id, Source::Cli).await?)
    }

    async fn all_users(&self) -> Result<Vec<User>, CommandError> {
        Ok(self.interline.users(&self.caller().await?).await?)
    }

    async fn user(&self, name_or_id: &str) -> Result<User, CommandError> {
        let users = self.all_users().await?;
        find_user(users, name_or_id, |user| (user.id.to_string(), &user.name))
    }
}
