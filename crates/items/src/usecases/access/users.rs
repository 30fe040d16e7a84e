//! Making, listing and removing users; the first user of a new store.

use crate::fields::{Hidden, is_blank, refuse_hidden, refuse_other_form};
use crate::usecases::{Caller, Interline, now};
use crate::{
    Error, Membership, NewToken, OrganizationId, Rank, RemoveUser, Scope, SecretHash, Space, SpaceId, SpaceOwner,
    Token, User, UserId, UserRemoval,
};

use super::tokens::{Secret, unnarrowed_token};

/// The longest name of a user or token, and the longest e-mail address of a user.
const MAX_NAME_CHARS: usize = 200;

/// The fields of a new user, as the caller gives them.
#[derive(Clone, Debug)]
pub struct UserDraft {
    /// Name.
    pub name: String,
    /// E-mail address.
    pub email: Option<String>,
    /// What it may do beyond its own spaces.
    pub rank: Rank,
    /// The organization that it belongs to.
    pub organization: Option<OrganizationId>,
}

impl Interline {
    /// Makes the first user, an admin, if there is none; the secret of its token is shown once.
    pub async fn first_start(&self, name: &str) -> Result<Option<(User, Secret)>, Error> {
        if self.store.first_user().await?.is_some() {
            return Ok(None);
        }
        let draft = UserDraft { name: name.to_owned(), email: None, rank: Rank::Admin, organization: None };
        let (new, secret) = NewUser::from_draft(draft)?;
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
        caller.require_person()?;
        caller.require_may_make_user(draft.rank)?;
        if let Some(organization) = draft.organization
            && self.store.organization(organization).await?.is_none()
        {
            return Err(Error::field("organization_id", format!("there is no organization {organization}")));
        }
        let (new, secret) = NewUser::from_draft(draft)?;
        self.store.create_user(&new.user, &new.space, &new.token).await?;
        Ok((new.user, new.token.token, secret))
    }

    /// Removes another user with its own space; the number of items that were removed with it. Histories keep its name.
    pub async fn remove_user(&self, caller: &Caller, user: UserId, items: RemoveUser) -> Result<u64, Error> {
        caller.require_person()?;
        caller.require(Scope::Admin)?;
        caller.require_unnarrowed()?;
        if user == caller.user() {
            return Err(Error::field("user", "nobody removes themselves: ask another admin"));
        }
        let removal = self.store.remove_user(user, items, now()).await?;
        self.credentials.clear();
        match removal {
            UserRemoval::Removed(items) => {
                self.listener_tokens.revoke_user(user);
                Ok(items)
            }
            UserRemoval::Unknown => Err(Error::NotFound { kind: None, requested: user.to_string(), actual: None }),
            UserRemoval::LastAdmin => Err(Error::field("user", "is the last admin: make another one first")),
            UserRemoval::HasItems(count) => {
                let message =
                    format!("still has {count} items: export what is to be kept, then remove it with its items");
                Err(Error::field("user", message))
            }
        }
    }

    /// All users, for admins.
    pub async fn users(&self, caller: &Caller) -> Result<Vec<User>, Error> {
        caller.require(Scope::Admin)?;
        Ok(self.store.users().await?)
    }

    /// The caller's own user.
    pub async fn me(&self, caller: &Caller) -> Result<User, Error> {
        self.store.user(caller.user()).await?.ok_or(Error::Unauthorized)
    }

    /// The spaces that exist for the caller.
    pub fn spaces<'c>(&self, caller: &'c Caller) -> Result<&'c [Membership], Error> {
        caller.require(Scope::Read)?;
        Ok(caller.memberships())
    }
}

/// A user with its own space and its first token.
struct NewUser {
    user: User,
    space: Space,
    token: NewToken,
}

impl NewUser {
    fn from_draft(draft: UserDraft) -> Result<(NewUser, Secret), Error> {
        check_name("name", &draft.name)?;
        if let Some(email) = &draft.email {
            check_address("email", email)?;
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
            Rank::Member => [Scope::Read, Scope::Write, Scope::Review].into(),
        };
        let token = Token { scopes, ..unnarrowed_token(user.id, "first", &secret) };
        let token = NewToken { token, secret: SecretHash::from_secret(secret.as_str()) };
        Ok((NewUser { user, space, token }, secret))
    }
}

/// Refuses a name that shows nothing, one that is too long, one with control characters or others that are not seen, and one
/// that is not in Unicode form NFC.
pub(in crate::usecases) fn check_name(field: &'static str, name: &str) -> Result<(), Error> {
    check_text(field, name, Hidden::Joiners)
}

/// The same, of what is typed and compared, such as an e-mail address: it has no joiners either.
pub(in crate::usecases) fn check_address(field: &'static str, address: &str) -> Result<(), Error> {
    check_text(field, address, Hidden::None)
}

fn check_text(field: &'static str, text: &str, allowed: Hidden) -> Result<(), Error> {
    let length = text.chars().count();
    if is_blank(text) {
        return Err(Error::field(field, "must not be blank"));
    }
    if length > MAX_NAME_CHARS || text.contains(char::is_control) {
        let message =
            format!("has {length} characters; at most {MAX_NAME_CHARS} and no control characters are allowed");
        return Err(Error::field(field, message));
    }
    let checked = refuse_hidden(field, text, allowed).and_then(|()| refuse_other_form(field, text));
    checked.map_err(|error| Error::ValidationFailed(vec![error]))
}
