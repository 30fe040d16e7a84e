//! Attributing the writes of a caller: its client, its reason, and the change set that it names.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::fields::FieldError;
use crate::usecases::access::default_client;
use crate::usecases::{Caller, Interline, now};
use crate::{
    Attribution, Author, ChangeSetError, ChangeSetId, ChangeSetRef, Client, Error, Item, Kind, NamedChangeSet, Reason,
    Refusal, Scope, UserId, Visibility,
};

use super::open_sets::{MAX_ITEMS, OpenSets, SetKey, SetToLookUp};

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
    change_set: Option<StatedSet>,
}

/// A set that is not the open one of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StatedSet {
    /// The request names it.
    Named(ChangeSetRef),
    /// It is made for the request.
    Own(ChangeSetRef),
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
        let own = StatedSet::Own(ChangeSetRef::generate());
        let stated = Stated { change_set: Some(own), ..self.lock().clone() };
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
        let change_set = match change_set {
            Some(StatedSet::Own(set)) => Some(set),
            // A request of many items can fill the set that it names: the rest goes into the client's own.
            Some(StatedSet::Named(set)) => writing.open_sets.join_named(set.id, item.id).then_some(set),
            None => None,
        };
        let change_set =
            change_set.unwrap_or_else(|| writing.open_sets.join(&self.set_key(client.clone()), item.id, item.space));
        Attribution { client, reason, author: self.author(), change_set }
    }

    /// Whose open set the caller's writes join.
    fn set_key(&self, client: Client) -> SetKey {
        SetKey { user: self.user(), token: self.token(), author: self.author(), client }
    }

    /// The attribution of something that belongs to a given change set.
    pub(in crate::usecases) fn attribution_in(&self, change_set: ChangeSetRef) -> Attribution {
        let reason = self.write_attribution().lock().reason.clone();
        Attribution { client: self.client(), reason, author: self.author(), change_set }
    }

    /// Why the caller writes, if its request says so.
    pub fn stated_reason(&self) -> Option<Reason> {
        self.write_attribution().lock().reason.clone()
    }

    /// The same caller, whose writes are a change set of their own.
    pub(in crate::usecases) fn with_own_change_set(&self) -> Caller {
        self.clone().with_write_attribution(self.write_attribution().with_own_set())
    }

    /// Refused to agents, and to tokens whose writes are kept as proposals: only people may do this.
    pub(in crate::usecases) fn require_person(&self) -> Result<(), Error> {
        match self.author() {
            Author::Person => self.require_apply(),
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
        let named = match change_set {
            Some(id) => Some(StatedSet::Named(self.named_change_set(caller, id).await?)),
            None => None,
        };
        {
            let mut stated = caller.write_attribution().lock();
            // What an earlier part of the request said of its client counts more than what another request said.
            let said = client.or(stated.client.take()).or_else(|| self.introduced_clients.get(caller));
            stated.client = said.or(fallback_client);
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
        let key = caller.set_key(caller.client());
        if let Some(SetToLookUp { set, spaces }) = self.open_sets.due(&key)
            && self.store.is_decided(set, &spaces).await?
        {
            self.open_sets.close(set.id);
        }
        Ok(())
    }

    async fn named_change_set(&self, caller: &Caller, id: ChangeSetId) -> Result<ChangeSetRef, Error> {
        // A name is stored: who may not write stores none.
        caller.require(Scope::Write)?;
        let of_another = || Error::Missing { what: "change set", requested: id.to_string(), hint: NAME_A_NEW_ONE };
        // A set that the store has made is never joined by its name.
        match self.user_of_generated(caller, id).await? {
            Some(user) if user == caller.user() => return Err(Error::ChangeSet(ChangeSetError::Closed(id))),
            Some(_) => return Err(of_another()),
            None => {}
        }
        let begun_at = ChangeSetRef::generate().begun_at;
        let wanted = NamedChangeSet { set: ChangeSetRef { begun_at, id }, user: caller.user(), token: caller.token() };
        // A name is looked up before it is written: most writes are not the first of their set.
        let named = match self.store.named_change_set(id).await? {
            Some(named) => named,
            None => self.store.name_change_set(&wanted).await?,
        };
        if named.user != caller.user() {
            return Err(of_another());
        }
        let is_open = named.token == caller.token()
            && now().duration_since(named.set.begun_at) < LONGEST_NAMED
            && !self.store.is_decided(named.set, caller.visible().spaces()).await?
            && !self.is_full(caller, named.set).await?;
        if is_open { Ok(named.set) } else { Err(Error::ChangeSet(ChangeSetError::Closed(id))) }
    }

    /// Whether a set that a client has named has as many items as a set may have.
    async fn is_full(&self, caller: &Caller, set: ChangeSetRef) -> Result<bool, Error> {
        if !self.open_sets.knows_named(set.id) {
            let known = self.store.change_set(set, caller.visible(), MAX_ITEMS).await?;
            let items = known.into_iter().flat_map(|summary| summary.items).map(|item| item.id);
            self.open_sets.put_named(set.id, items);
        }
        Ok(self.open_sets.is_full(set.id))
    }

    /// The user of a set that the store has made; `None` if there is none in the spaces of the caller's user. Those that a
    /// narrowed token does not see are among them: by the name of such a set the token would hide it from its user.
    async fn user_of_generated(&self, caller: &Caller, id: ChangeSetId) -> Result<Option<UserId>, Error> {
        let Some(set) = ChangeSetRef::from_generated(id) else { return Ok(None) };
        let memberships = self.store.memberships(caller.user()).await?;
        let spaces = memberships.iter().map(|membership| membership.space.id).collect();
        Ok(self.store.change_set_user(set, &Visibility::new(spaces, Kind::ALL.into())).await?)
    }
}

/// How long a named set takes writes.
const LONGEST_NAMED: jiff::SignedDuration = jiff::SignedDuration::from_hours(24);

const NAME_A_NEW_ONE: &str = "name a change set by a new UUID, or leave it out";

fn given_twice(field: &'static str) -> Error {
    Error::ValidationFailed(vec![FieldError::new(field, "is given twice, with two values")])
}
