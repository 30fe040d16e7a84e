//! Making, listing, renaming and deleting tokens; their secrets.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

use crate::usecases::{Caller, Interline, now, to_microseconds};
use crate::{Author, Error, Kind, NewToken, Refusal, Scope, SecretHash, SpaceId, Token, TokenId, UserId, Writes};

use super::users::check_name;

/// What every token's secret begins with.
const SECRET_PREFIX: &str = "il_";
/// How many characters of a secret are stored in clear, to tell tokens apart.
const SHOWN_CHARS: usize = 8;

/// The secret of a token, which is shown once and never stored.
pub struct Secret(String);

impl Secret {
    /// 32 random bytes.
    pub(super) fn generate() -> Result<Secret, Error> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| Error::Internal(error.to_string()))?;
        Ok(Secret(SECRET_PREFIX.to_owned() + &URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// The text that a client sends.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl SecretHash {
    /// The hash of a secret that a client sent.
    pub fn from_secret(secret: &str) -> SecretHash {
        SecretHash(Sha256::digest(secret.as_bytes()).into())
    }
}

/// The fields of a new token, as the caller gives them.
#[derive(Clone, Debug)]
pub struct TokenDraft {
    /// Name; blanks around it are dropped.
    pub name: String,
    /// What it allows; `None` is what the caller's own token allows.
    pub scopes: Option<BTreeSet<Scope>>,
    /// The kinds that exist for it; `None` is all that exist for the caller.
    pub kinds: Option<BTreeSet<Kind>>,
    /// The spaces that exist for it; `None` is all of its user's.
    pub spaces: Option<BTreeSet<SpaceId>>,
    /// From when on it is refused.
    pub expires_at: Option<Timestamp>,
    /// The user that it authenticates, for admins; `None` is the caller.
    pub user: Option<UserId>,
    /// Whether agents use it.
    pub author: Author,
    /// Whether its writes are applied, or kept as proposals.
    pub writes: Writes,
}

impl Interline {
    /// Makes a token that allows no more than the caller's own.
    pub async fn create_token(&self, caller: &Caller, draft: TokenDraft) -> Result<(Token, Secret), Error> {
        caller.require_person()?;
        caller.require(Scope::Write)?;
        let name = parse_name(&draft.name)?;
        if draft.scopes.as_ref().is_some_and(BTreeSet::is_empty) {
            // It could not be used for anything.
            return Err(Error::field("scopes", "must have at least one of read, write, admin and review"));
        }
        let user = match draft.user {
            Some(user) if user != caller.user() => {
                caller.require(Scope::Admin)?;
                caller.require_unnarrowed()?;
                self.store
                    .user(user)
                    .await?
                    .ok_or(Error::NotFound { kind: None, requested: user.to_string(), actual: None })?
                    .id
            }
            _ => caller.user(),
        };
        let scopes = match (draft.scopes, draft.author) {
            (Some(scopes), Author::Agent) if scopes.contains(&Scope::Review) => {
                return Err(Error::field("scopes", "a token for agents cannot have `review`: people decide"));
            }
            (Some(scopes), _) => scopes,
            (None, Author::Person) => caller.scopes(),
            (None, Author::Agent) => caller.scopes().into_iter().filter(|scope| *scope != Scope::Review).collect(),
        };
        for scope in &scopes {
            caller.require(*scope)?;
        }
        if let Some(kind) = draft.kinds.iter().flatten().find(|kind| !caller.kinds().contains(kind)) {
            return Err(Error::Forbidden(Refusal::Kind(*kind)));
        }
        self.check_spaces(caller, user, draft.spaces.as_ref()).await?;
        let secret = Secret::generate()?;
        let token = Token {
            author: draft.author,
            writes: draft.writes,
            scopes,
            kinds: caller.narrowed_kinds(draft.kinds),
            spaces: caller.narrowed_spaces(user, draft.spaces),
            expires_at: caller.narrowed_expiry(draft.expires_at.map(to_microseconds)),
            ..unnarrowed_token(user, name, &secret)
        };
        let new = NewToken { token: token.clone(), secret: SecretHash::from_secret(secret.as_str()) };
        self.store.create_token(&new).await?;
        self.credentials.clear();
        Ok((token, secret))
    }

    /// Refuses spaces that the new token's user is not in, or that do not exist for a caller who is that user.
    async fn check_spaces(
        &self,
        caller: &Caller,
        user: UserId,
        requested: Option<&BTreeSet<SpaceId>>,
    ) -> Result<(), Error> {
        let Some(requested) = requested else { return Ok(()) };
        let allowed: Vec<SpaceId> = if user == caller.user() {
            caller.spaces()
        } else {
            self.store.memberships(user).await?.iter().map(|membership| membership.space.id).collect()
        };
        match requested.iter().find(|space| !allowed.contains(space)) {
            Some(space) => Err(Error::field("spaces", format!("{space} is no space of that user"))),
            None => Ok(()),
        }
    }

    /// The caller's tokens.
    pub async fn tokens(&self, caller: &Caller) -> Result<Vec<Token>, Error> {
        caller.require(Scope::Read)?;
        Ok(self.store.tokens(caller.user()).await?)
    }

    /// Gives one of the caller's tokens another name, without the blanks around it: a token that may write renames itself, and
    /// one that is not narrowed the others.
    pub async fn rename_token(&self, caller: &Caller, id: TokenId, name: &str) -> Result<Token, Error> {
        caller.require_person()?;
        caller.require(Scope::Write)?;
        if caller.token() != Some(id) {
            caller.require_unnarrowed()?;
        }
        let renamed = self.store.rename_token(caller.user(), id, parse_name(name)?).await?;
        let renamed = renamed.ok_or_else(|| no_token(id))?;
        self.credentials.clear();
        Ok(renamed)
    }

    /// Removes one of the caller's tokens: any token may remove itself, and a token that is not narrowed the others.
    pub async fn delete_token(&self, caller: &Caller, id: TokenId) -> Result<(), Error> {
        if caller.token() != Some(id) {
            caller.require_person()?;
            caller.require(Scope::Write)?;
            caller.require_unnarrowed()?;
        }
        if self.store.delete_token(caller.user(), id).await? {
            self.credentials.clear();
            self.listener_tokens.revoke(id);
            Ok(())
        } else {
            Err(no_token(id))
        }
    }
}

fn no_token(id: TokenId) -> Error {
    Error::NotFound { kind: None, requested: id.to_string(), actual: None }
}

/// A token of a user with every scope, kind and space, which never expires.
pub(super) fn unnarrowed_token(user: UserId, name: &str, secret: &Secret) -> Token {
    Token {
        id: TokenId::generate(),
        user,
        name: name.to_owned(),
        author: Author::Person,
        writes: Writes::Apply,
        scopes: Scope::ALL.into(),
        kinds: None,
        spaces: None,
        prefix: secret.as_str().chars().take(SECRET_PREFIX.len() + SHOWN_CHARS).collect(),
        created_at: now(),
        expires_at: None,
        last_used_at: None,
    }
}

/// The name of a token, without the blanks around it.
fn parse_name(name: &str) -> Result<&str, Error> {
    let name = name.trim();
    check_name("name", name)?;
    Ok(name)
}
