//! Users and their tokens.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

use crate::fields::FieldError;
use crate::{
    Error, Kind, Membership, NewToken, OrganizationId, Rank, Refusal, RemoveUser, Scope, SecretHash, Space, SpaceId,
    SpaceOwner, Token, TokenId, User, UserId, UserRemoval,
};

use super::{Caller, Interline, now, to_microseconds};

/// What every token's secret begins with.
const SECRET_PREFIX: &str = "il_";
/// How many characters of a secret are kept to tell tokens apart.
const SHOWN_CHARS: usize = 8;
/// The longest name of a user or token, and the longest address of a user.
const MAX_NAME_CHARS: usize = 200;

/// A secret that is shown once.
pub struct Secret(String);

impl Secret {
    /// 32 random bytes.
    fn generate() -> Result<Secret, Error> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| Error::Internal(error.to_string()))?;
        Ok(Secret(SECRET_PREFIX.to_owned() + &URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// The text that a caller sends.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl SecretHash {
    /// The hash of what a caller sent.
    pub fn of(secret: &str) -> SecretHash {
        SecretHash(Sha256::digest(secret.as_bytes()).into())
    }
}

/// A new user as it is given.
#[derive(Clone, Debug)]
pub struct UserDraft {
    /// Name.
    pub name: String,
    /// Where to reach it.
    pub email: Option<String>,
    /// What it may do beyond its own spaces.
    pub rank: Rank,
    /// The organization that it belongs to.
    pub organization: Option<OrganizationId>,
}

/// A new token as it is given.
#[derive(Clone, Debug)]
pub struct TokenDraft {
    /// Name.
    pub name: String,
    /// What it allows; `None` is what the caller's own token allows.
    pub scopes: Option<BTreeSet<Scope>>,
    /// The kinds that exist for it; `None` is all that exist for the caller.
    pub kinds: Option<BTreeSet<Kind>>,
    /// The spaces that exist for it; `None` is all of its user's.
    pub spaces: Option<BTreeSet<SpaceId>>,
    /// From when on it is refused.
    pub expires_at: Option<Timestamp>,
    /// Whose it is, for admins; `None` is the caller's.
    pub user: Option<UserId>,
}

impl Interline {
    /// Makes the first user, an admin, if there is none; its secret is shown once.
    pub async fn first_start(&self, name: &str) -> Result<Option<(User, Secret)>, Error> {
        if self.store.first_user().await?.is_some() {
            return Ok(None);
        }
        let draft = UserDraft { name: name.to_owned(), email: None, rank: Rank::Admin, organization: None };
        let (new, secret) = NewUser::of(draft)?;
        // Another process may have made one meanwhile.
        let made = self.store.create_first_user(&new.user, &new.space, &new.token).await?;
        Ok(made.then_some((new.user, secret)))
    }

    /// The oldest user: the one that the first start made.
    pub async fn owner(&self) -> Result<User, Error> {
        self.store.first_user().await?.ok_or_else(|| Error::Internal("the store has no user".to_owned()))
    }

    /// Makes a user with a space of its own and its first token.
    pub async fn create_user(&self, caller: &Caller, draft: UserDraft) -> Result<(User, Token, Secret), Error> {
        caller.may_make_user(draft.rank)?;
        if let Some(organization) = draft.organization
            && self.store.organization(organization).await?.is_none()
        {
            return Err(refused("organization_id", format!("there is no organization {organization}")));
        }
        let (new, secret) = NewUser::of(draft)?;
        self.store.create_user(&new.user, &new.space, &new.token).await?;
        Ok((new.user, new.token.token, secret))
    }

    /// Removes another user and its own space; how many items went with it. Its name stays in histories.
    pub async fn remove_user(&self, caller: &Caller, user: UserId, items: RemoveUser) -> Result<u64, Error> {
        caller.needs(Scope::Admin)?;
        caller.needs_whole_user()?;
        if user == caller.user() {
            return Err(refused("user", "nobody removes themselves: ask another admin"));
        }
        let removal = self.store.remove_user(user, items, now()).await?;
        self.credentials.forget();
        match removal {
            UserRemoval::Removed(items) => Ok(items),
            UserRemoval::Unknown => Err(Error::NotFound { kind: None, wanted: user.to_string(), actual: None }),
            UserRemoval::LastAdmin => Err(refused("user", "is the last admin: make another one first")),
            UserRemoval::HasItems(count) => {
                let message =
                    format!("still has {count} items: export what is to be kept, then remove it with its items");
                Err(refused("user", message))
            }
        }
    }

    /// All users.
    pub async fn users(&self, caller: &Caller) -> Result<Vec<User>, Error> {
        caller.needs(Scope::Admin)?;
        Ok(self.store.users().await?)
    }

    /// The caller as a user.
    pub async fn me(&self, caller: &Caller) -> Result<User, Error> {
        self.store.user(caller.user()).await?.ok_or(Error::Unauthorized)
    }

    /// The spaces that exist for the caller.
    pub fn spaces<'c>(&self, caller: &'c Caller) -> Result<&'c [Membership], Error> {
        caller.needs(Scope::Read)?;
        Ok(caller.memberships())
    }

    /// Makes a token that allows no more than the caller's own.
    pub async fn create_token(&self, caller: &Caller, draft: TokenDraft) -> Result<(Token, Secret), Error> {
        caller.needs(Scope::Write)?;
        check_draft(&draft)?;
        let user = match draft.user {
            Some(user) if user != caller.user() => {
                caller.needs(Scope::Admin)?;
                caller.needs_whole_user()?;
                self.store
                    .user(user)
                    .await?
                    .ok_or(Error::NotFound { kind: None, wanted: user.to_string(), actual: None })?
                    .id
            }
            _ => caller.user(),
        };
        let scopes = draft.scopes.unwrap_or_else(|| caller.scopes());
        for scope in &scopes {
            caller.needs(*scope)?;
        }
        if let Some(kind) = draft.kinds.iter().flatten().find(|kind| !caller.kinds().contains(kind)) {
            return Err(Error::Forbidden(Refusal::Kind(*kind)));
        }
        self.check_spaces(caller, user, draft.spaces.as_ref()).await?;
        let secret = Secret::generate()?;
        let token = Token {
            scopes,
            kinds: caller.narrowed_kinds(draft.kinds),
            spaces: caller.narrowed_spaces(user, draft.spaces),
            expires_at: caller.narrowed_expiry(draft.expires_at.map(to_microseconds)),
            ..first_token(user, &draft.name, &secret)
        };
        let new = NewToken { token: token.clone(), secret: SecretHash::of(secret.as_str()) };
        self.store.create_token(&new).await?;
        self.credentials.forget();
        Ok((token, secret))
    }

    /// Refuses spaces that the new token's user is not in, or that do not exist for a caller who is that user.
    async fn check_spaces(
        &self,
        caller: &Caller,
        user: UserId,
        wanted: Option<&BTreeSet<SpaceId>>,
    ) -> Result<(), Error> {
        let Some(wanted) = wanted else { return Ok(()) };
        let known: Vec<SpaceId> = if user == caller.user() {
            caller.spaces()
        } else {
            self.store.memberships(user).await?.iter().map(|membership| membership.space.id).collect()
        };
        match wanted.iter().find(|space| !known.contains(space)) {
            Some(space) => Err(refused("spaces", format!("{space} is no space of that user"))),
            None => Ok(()),
        }
    }

    /// The caller's tokens.
    pub async fn tokens(&self, caller: &Caller) -> Result<Vec<Token>, Error> {
        caller.needs(Scope::Read)?;
        Ok(self.store.tokens(caller.user()).await?)
    }

    /// Removes one of the caller's tokens: any token may remove itself, and one that is not narrowed the others.
    pub async fn delete_token(&self, caller: &Caller, id: TokenId) -> Result<(), Error> {
        if caller.token() != Some(id) {
            caller.needs(Scope::Write)?;
            caller.needs_whole_user()?;
        }
        if self.store.delete_token(caller.user(), id).await? {
            self.credentials.forget();
            Ok(())
        } else {
            Err(Error::NotFound { kind: None, wanted: id.to_string(), actual: None })
        }
    }
}

/// A user with what comes with it.
struct NewUser {
    user: User,
    space: Space,
    token: NewToken,
}

impl NewUser {
    fn of(draft: UserDraft) -> Result<(NewUser, Secret), Error> {
        check_name("name", &draft.name)?;
        if let Some(email) = &draft.email {
            check_name("email", email)?;
        }
        let user = User {
            id: UserId::generate(),
            name: draft.name,
            email: draft.email,
            rank: draft.rank,
            organization: draft.organization,
            created_at: now(),
        };
        let space = Space { id: SpaceId::generate(), owner: SpaceOwner::User(user.id), name: user.name.clone() };
        let secret = Secret::generate()?;
        let scopes = match user.rank {
            Rank::Admin => Scope::ALL.into(),
            Rank::Member => [Scope::Read, Scope::Write].into(),
        };
        let token = Token { scopes, ..first_token(user.id, "first", &secret) };
        let token = NewToken { token, secret: SecretHash::of(secret.as_str()) };
        Ok((NewUser { user, space, token }, secret))
    }
}

fn first_token(user: UserId, name: &str, secret: &Secret) -> Token {
    Token {
        id: TokenId::generate(),
        user,
        name: name.to_owned(),
        scopes: Scope::ALL.into(),
        kinds: None,
        spaces: None,
        prefix: secret.as_str().chars().take(SECRET_PREFIX.len() + SHOWN_CHARS).collect(),
        created_at: now(),
        expires_at: None,
        last_used_at: None,
    }
}

/// Refuses a token that nobody could use.
fn check_draft(draft: &TokenDraft) -> Result<(), Error> {
    check_name("name", &draft.name)?;
    if draft.scopes.as_ref().is_some_and(BTreeSet::is_empty) {
        return Err(refused("scopes", "must have at least one of read, write and admin"));
    }
    Ok(())
}

pub(super) fn check_name(field: &'static str, name: &str) -> Result<(), Error> {
    let length = name.chars().count();
    if name.trim().is_empty() {
        Err(refused(field, "must not be blank"))
    } else if length > MAX_NAME_CHARS || name.contains(char::is_control) {
        let message =
            format!("has {length} characters; at most {MAX_NAME_CHARS} and no control characters are allowed");
        Err(refused(field, message))
    } else {
        Ok(())
    }
}

fn refused(field: &'static str, message: impl Into<String>) -> Error {
    Error::ValidationFailed(vec![FieldError::new(field, message)])
}
