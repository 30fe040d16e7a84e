//! Attributing the writes of a caller: its client, its reason, and the change set that it names.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::fields::FieldError;
use crate::usecases::access::default_client;
use crate::usecases::{Caller, Interline, now};
use crate::{
    Attribution, Author, ChangeSetError, ChangeSetId, ChangeSetRef, Client, Error, Item, NamedChangeSet, Reason,
    Refusal,
};

use super::open_sets::{OpenSets, SetKey, SetToLookUp};

/// What a request says about its writes. What it leaves out stays as it was.
#[derive(Clone, Debug, Default)]
pub struct AttributionRequest {
    /// The client.
    pub client: Option<Client>,
    /// The client where neither the request nor an earlier one of the same token says more.
    pub fallback_client: Option<Client>,
    /// Why it writes.
    pub reason: Option<Reason>,
    /// The change set that its writes belong to, by an identifier of its own.
    pub change_set: Option<ChangeSetId>,
}

/// How the writes of a caller are attributed; shared by the clones of a caller.
#[derive(Clone)]
pub(in crate::usecases) struct WriteAttribution {
    open_sets: Arc<OpenSets>,
    stated: Arc<Mutex<Stated>>,
}

/// What is known of the writes of one request.
#[derive(Clone, Debug, Default)]
struct Stated {
    client: Option<Client>,
    reason: Option<Reason>,
    /// The set that they belong to, where it is not the open one of the client.
    change_set: Option<ChangeSetRef>,
}

impl std::fmt::Debug for WriteAttribution {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.lock().fmt(f)
    }
}

impl WriteAttribution {
    pub(in crate::usecases) fn new(open_sets: &Arc<OpenSets>) -> WriteAttribution {
        WriteAttribution { open_sets: Arc::clone(open_sets), stated: Arc::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Stated> {
        self.stated.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same, for writes that are a change set of their own.
    fn with_own_set(&self) -> WriteAttribution {
        let stated = Stated { change_set: Some(ChangeSetRef::generate()), ..self.lock().clone() };
        WriteAttribution { open_sets: Arc::clone(&self.open_sets), stated: Arc::new(Mutex::new(stated)) }
    }
}

impl Caller {
    /// The client that the caller uses.
    pub(in crate::usecases) fn client(&self) -> Client {
        self.write_attribution().lock().client.get_or_insert_with(|| default_client(self)).clone()
    }

    /// The attribution of a write of an item.
    pub(in crate::usecases) fn attribution(&self, item: &Item) -> Attribution {
        let writing = self.write_attribution();
        let (client, reason, change_set) = {
            let mut stated = writing.lock();
            let client = stated.client.get_or_insert_with(|| default_client(self)).clone();
            (client, stated.reason.clone(), stated.change_set)
        };
        let change_set = change_set.unwrap_or_else(|| {
            let key = SetKey { user: self.user(), token: self.token(), client: client.clone() };
            writing.open_sets.join(&key, item.id, item.space)
        });
        Attribution { client, reason, author: self.author(), change_set }
    }

    /// The attribution of something that belongs to a given change set.
    pub(in crate::usecases) fn attribution_in(&self, change_set: ChangeSetRef) -> Attribution {
        let reason = self.write_attribution().lock().reason.clone();
        Attribution { client: self.client(), reason, author: self.author(), change_set }
    }

    /// The same caller, whose writes are a change set of their own.
    pub(in crate::usecases) fn with_own_change_set(&self) -> Caller {
        self.clone().with_write_attribution(self.write_attribution().with_own_set())
    }

    /// Refused to agents: only people may do this.
    pub(in crate::usecases) fn require_person(&self) -> Result<(), Error> {
        match self.author() {
            Author::Person => Ok(()),
            Author::Agent => Err(Error::Forbidden(Refusal::Agent)),
        }
    }
}

impl Interline {
    /// Remembers, for a day, how a client has introduced itself with the caller's token.
    pub fn introduce_client(&self, caller: &Caller, client: Client) {
        self.introduced_clients.put(caller, client);
    }

    /// Attributes the writes that a caller, and its clones, make from now on.
    ///
    /// A change set that a request names must be new, or one that the same token has begun by naming it, about which no one
    /// has decided: the set of another user does not exist for the caller, and any other is a conflict.
    pub async fn attribute(&self, caller: &Caller, request: AttributionRequest) -> Result<(), Error> {
        let AttributionRequest { client, fallback_client, reason, change_set } = request;
        let client = client.or_else(|| self.introduced_clients.get(caller)).or(fallback_client);
        let named = match change_set {
            Some(id) => Some(self.named_change_set(caller, id).await?),
            None => None,
        };
        {
            let mut stated = caller.write_attribution().lock();
            stated.client = client.or(stated.client.take());
            stated.reason = match (stated.reason.take(), reason) {
                (Some(before), Some(reason)) if before != reason => return Err(given_twice("reason")),
                (before, reason) => reason.or(before),
            };
            stated.change_set = match (stated.change_set, named) {
                (Some(before), Some(set)) if before != set => return Err(given_twice("change_set")),
                (before, set) => set.or(before),
            };
            if stated.change_set.is_some() {
                return Ok(());
            }
        }
        self.look_up_open_set(caller).await
    }

    /// Closes the open set of a caller, if a person has decided about it through another process.
    async fn look_up_open_set(&self, caller: &Caller) -> Result<(), Error> {
        let key = SetKey { user: caller.user(), token: caller.token(), client: caller.client() };
        if let Some(SetToLookUp { set, spaces }) = self.open_sets.due(&key)
            && self.store.is_decided(set, &spaces).await?
        {
            self.open_sets.close(set.id);
        }
        Ok(())
    }

    async fn named_change_set(&self, caller: &Caller, id: ChangeSetId) -> Result<ChangeSetRef, Error> {
        // A set that the store has made is never joined by its name.
        if let Some(set) = ChangeSetRef::from_generated(id)
            && self.store.change_set_user(set, caller.visible()).await?.is_some()
        {
            return Err(Error::ChangeSet(ChangeSetError::Closed(id)));
        }
        let begun_at = ChangeSetRef::generate().begun_at;
        let wanted = NamedChangeSet { set: ChangeSetRef { begun_at, id }, user: caller.user(), token: caller.token() };
        let named = self.store.name_change_set(&wanted).await?;
        if named.user != caller.user() {
            return Err(Error::Missing { what: "change set", requested: id.to_string(), hint: NAME_A_NEW_ONE });
        }
        let is_open = named.token == caller.token()
            && now().duration_since(named.set.begun_at) < LONGEST_NAMED
            && !self.store.is_decided(named.set, caller.visible().spaces()).await?;
        if is_open { Ok(named.set) } else { Err(Error::ChangeSet(ChangeSetError::Closed(id))) }
    }
}

/// How long a named set takes writes.
const LONGEST_NAMED: jiff::SignedDuration = jiff::SignedDuration::from_hours(24);

const NAME_A_NEW_ONE: &str = "name a change set by a new UUID, or leave it out";

fn given_twice(field: &'static str) -> Error {
    Error::ValidationFailed(vec![FieldError::new(field, "is given twice, with two values")])
}
