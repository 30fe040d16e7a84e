//! Listening to events: what was committed through every door and by every process.

mod feed;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use tokio::sync::watch;

use crate::fair::{FairPermit, FairSemaphore};
use crate::{
    Error, Event, EventCursor, EventRange, EventSubject, ItemEvent, ItemId, Kind, OverloadCause, Overloaded,
    ProposalEvent, Scope, SpaceId, Store, UserId,
};

pub(super) use self::feed::EventFeed;
use self::feed::EventsAfter;
use super::access::TokenUse;
use super::{Caller, Interline};

/// Which events a listener receives.
#[derive(Clone, Debug)]
pub struct ListenRequest {
    /// From which event on.
    pub from: ListenFrom,
    /// The kinds; `None` is all.
    pub kinds: Option<BTreeSet<Kind>>,
    /// The items; `None` is all. Events of items that do not exist for the caller are never received.
    pub ids: Option<BTreeSet<ItemId>>,
}

/// From which event on a listener receives events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListenFrom {
    /// Those that happen from now on.
    Now,
    /// All that are kept.
    Oldest,
    /// Those after a cursor. Of spaces that the cursor does not have, all that are kept.
    After(EventCursor),
}

/// A listener: the events of the spaces that exist for a caller, one after the other.
pub struct Listener {
    store: Arc<dyn Store>,
    feed: Arc<EventFeed>,
    new_events: watch::Receiver<()>,
    visible_kinds: BTreeSet<Kind>,
    /// Who listens: some events are for those who may decide.
    caller: Caller,
    request: ListenRequest,
    /// The last event of each space that was received or skipped.
    cursor: EventCursor,
    /// The same of spaces that do not exist for the caller now: they may come back.
    parked: EventCursor,
    /// Events that were read and not returned yet.
    buffered: VecDeque<Arc<Event>>,
    /// `None` for a caller without a token.
    token: Option<TokenUse>,
    _place: FairPermit<UserId>,
}

/// How many listeners a user may have at a time, unless the operator says otherwise.
pub const LISTENERS_PER_USER: usize = 64;

/// More than there are connections to listen on.
const MAX_LISTENERS: usize = 1_000_000;

/// The listeners of each user.
#[derive(Clone)]
pub(super) struct ListenerPlaces(FairSemaphore<UserId>);

impl Default for ListenerPlaces {
    fn default() -> ListenerPlaces {
        ListenerPlaces::new(LISTENERS_PER_USER)
    }
}

impl ListenerPlaces {
    pub(super) fn new(per_user: usize) -> ListenerPlaces {
        ListenerPlaces(FairSemaphore::new(MAX_LISTENERS, per_user))
    }

    fn take(&self, user: UserId) -> Result<FairPermit<UserId>, Error> {
        let resource = "places for listeners: close an event socket or a stream that you no longer read";
        let full = Overloaded { resource, cause: OverloadCause::Caller };
        self.0.try_acquire(user).ok_or(Error::Overloaded(full))
    }
}

/// An event that a listener received.
#[derive(Clone, Debug)]
pub struct ReceivedEvent {
    /// The event.
    pub event: Arc<Event>,
    /// The cursor from which to go on after it.
    pub cursor: EventCursor,
}

impl Interline {
    /// Listens to the events of the items that exist for the caller: each event once, in order for each item.
    ///
    /// [`Error::Overloaded`] if the user has as many listeners as one user may have; [`Error::CursorExpired`] if the events after the cursor are not kept any more, or never were.
    pub async fn listen(&self, caller: &Caller, request: ListenRequest) -> Result<Listener, Error> {
        caller.require(Scope::Read)?;
        let place = self.listeners.take(caller.user())?;
        let ranges = self.store.event_ranges(&caller.spaces()).await?;
        let cursor = start_cursor(&ranges, &request.from)?;
        let parked = match &request.from {
            ListenFrom::Now | ListenFrom::Oldest => EventCursor::default(),
            ListenFrom::After(cursor) => cursor.clone(),
        };
        let new_events = self.feed.new_events();
        ranges.iter().for_each(|(space, range)| self.feed.subscribe(*space, range.newest));
        self.feed.start_reading(&self.store);
        Ok(Listener {
            store: Arc::clone(&self.store),
            feed: Arc::clone(&self.feed),
            new_events,
            visible_kinds: caller.kinds().clone(),
            caller: caller.clone(),
            request,
            cursor,
            parked,
            buffered: VecDeque::new(),
            _place: place,
            token: caller.principal().token().map(|token| self.listener_tokens.use_token(token, &self.store)),
        })
    }
}

/// The event of each space after which a listener begins.
fn start_cursor(ranges: &BTreeMap<SpaceId, EventRange>, from: &ListenFrom) -> Result<EventCursor, Error> {
    let newest = |(space, range): (&SpaceId, &EventRange)| (*space, range.newest);
    let positions = ranges.iter().map(|(space, range)| {
        let oldest = range.oldest.saturating_sub(1);
        let number = match from {
            ListenFrom::Now => range.newest,
            ListenFrom::Oldest => oldest,
            ListenFrom::After(cursor) => match cursor.0.get(space) {
                Some(number) if !range.goes_on_after(*number) => return None,
                number => number.copied().unwrap_or(oldest),
            },
        };
        Some((*space, number))
    });
    match positions.collect() {
        Some(positions) => Ok(EventCursor(positions)),
        None => Err(Error::CursorExpired { current: EventCursor(ranges.iter().map(newest).collect()) }),
    }
}

impl Listener {
    /// The next event, as soon as there is one. No event is lost when the future is dropped before it is ready.
    pub async fn next(&mut self) -> Result<ReceivedEvent, Error> {
        loop {
            if let Some(received) = self.next_buffered() {
                return Ok(received);
            }
            self.new_events.mark_unchanged();
            self.buffered = self.read().await?.into();
            if self.buffered.is_empty() {
                // It cannot fail: the listener keeps the feed alive, which has the sender.
                let _ = self.new_events.changed().await;
            }
        }
    }

    /// The next event, if it was read already.
    pub fn next_buffered(&mut self) -> Option<ReceivedEvent> {
        while let Some(event) = self.buffered.pop_front() {
            self.cursor.0.insert(event.space, event.number);
            if self.is_requested(&event) {
                return Some(ReceivedEvent { event, cursor: self.cursor.clone() });
            }
        }
        None
    }

    /// The cursor after the last event that was received or skipped.
    pub fn cursor(&self) -> &EventCursor {
        &self.cursor
    }

    /// Returns when the token of the listener no longer authenticates its user, within a second; never for a caller without
    /// a token.
    pub fn revoked(&self) -> impl Future<Output = ()> + Send + use<> {
        let revoked = self.token.as_ref().map(TokenUse::revoked);
        async move {
            match revoked {
                Some(revoked) => revoked.await,
                None => std::future::pending().await,
            }
        }
    }

    /// Takes over the kinds and spaces that exist for the caller by now. Events of a space that is new to the listener are
    /// received from the oldest that is kept on; of a space that it had before, from where it was.
    pub async fn update(&mut self, caller: &Caller) -> Result<(), Error> {
        caller.require(Scope::Read)?;
        self.visible_kinds.clone_from(caller.kinds());
        self.caller = caller.clone();
        let spaces: BTreeSet<SpaceId> = caller.spaces().into_iter().collect();
        let new: Vec<SpaceId> = spaces.iter().copied().filter(|space| !self.cursor.0.contains_key(space)).collect();
        for (space, range) in self.store.event_ranges(&new).await? {
            self.feed.subscribe(space, range.newest);
            let parked = self.parked.0.remove(&space).filter(|number| range.goes_on_after(*number));
            self.cursor.0.insert(space, parked.unwrap_or(range.oldest.saturating_sub(1)));
        }
        let feed = &self.feed;
        for (space, number) in self.cursor.0.extract_if(.., |space, _| !spaces.contains(space)) {
            feed.unsubscribe(space);
            self.parked.0.insert(space, number);
        }
        self.buffered.retain(|event| spaces.contains(&event.space));
        Ok(())
    }

    fn is_requested(&self, event: &Event) -> bool {
        let ListenRequest { kinds, ids, .. } = &self.request;
        match &event.subject {
            EventSubject::Item(ItemEvent { item, kind, .. }) => {
                self.visible_kinds.contains(kind)
                    && kinds.as_ref().is_none_or(|kinds| kinds.contains(kind))
                    && ids.as_ref().is_none_or(|ids| ids.contains(item))
            }
            // It may be about items of every kind: who asks for some of them does not ask for it.
            EventSubject::ChangeSet(_) => {
                kinds.is_none() && ids.is_none() && Kind::ALL.iter().all(|kind| self.visible_kinds.contains(kind))
            }
            EventSubject::Proposal(ProposalEvent { item, kind, .. }) => {
                self.caller.sees_event(event)
                    && kinds.as_ref().is_none_or(|kinds| kinds.contains(kind))
                    && ids.as_ref().is_none_or(|ids| ids.contains(item))
            }
        }
    }

    /// The events after the cursor: from the feed, or from the storage for spaces where the listener is too far behind.
    async fn read(&self) -> Result<Vec<Arc<Event>>, Error> {
        let (mut events, mut behind) = (Vec::new(), BTreeMap::new());
        for (space, number) in &self.cursor.0 {
            match self.feed.after(*space, *number) {
                EventsAfter::None => {}
                EventsAfter::Events(mut more) => events.append(&mut more),
                EventsAfter::MoreThanHeld => drop(behind.insert(*space, *number)),
            }
        }
        if !behind.is_empty() {
            events.extend(self.store.events(&behind, feed::MAX_READ).await?.into_iter().map(Arc::new));
        }
        Ok(events)
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.cursor.0.keys().for_each(|space| self.feed.unsubscribe(*space));
    }
}
