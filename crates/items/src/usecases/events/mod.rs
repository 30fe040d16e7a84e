//! Listening to what happens, from every door and every process, after its commit.

mod feed;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use tokio::sync::watch;

use crate::{Error, Event, EventCursor, EventRange, ItemId, Kind, Scope, SpaceId, Store};

use self::feed::After;
pub(super) use self::feed::Feed;
use super::{Caller, Interline};

/// What is to be heard.
#[derive(Clone, Debug)]
pub struct ListenRequest {
    /// From when on.
    pub from: ListenFrom,
    /// The kinds; `None` is all.
    pub kinds: Option<BTreeSet<Kind>>,
    /// The items; `None` is all. Those that do not exist for the caller are never heard of.
    pub ids: Option<BTreeSet<ItemId>>,
}

/// From when on somebody listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListenFrom {
    /// What happens from now on.
    Now,
    /// Everything that is kept.
    Oldest,
    /// What happened after a cursor was told. Of spaces that it does not know, everything that is kept.
    After(EventCursor),
}

/// Somebody who listens.
pub struct Listener {
    store: Arc<dyn Store>,
    feed: Arc<Feed>,
    ticks: watch::Receiver<()>,
    visible: BTreeSet<Kind>,
    wanted: ListenRequest,
    heard: EventCursor,
    /// Up to where it has heard of spaces that do not exist for the caller now: they may come back.
    parked: EventCursor,
    ahead: VecDeque<Arc<Event>>,
}

/// An event that was heard.
#[derive(Clone, Debug)]
pub struct ReceivedEvent {
    /// The event.
    pub event: Arc<Event>,
    /// From where to go on after it.
    pub cursor: EventCursor,
}

impl Interline {
    /// Listens to what happens to the items that exist for the caller: everything once, in order for each item.
    ///
    /// [`Error::CursorExpired`] if what came after the cursor is not kept any more, or never was.
    pub async fn listen(&self, caller: &Caller, wanted: ListenRequest) -> Result<Listener, Error> {
        caller.needs(Scope::Read)?;
        let ranges = self.store.event_ranges(&caller.spaces()).await?;
        let heard = begin(&ranges, &wanted.from)?;
        let parked = match &wanted.from {
            ListenFrom::Now | ListenFrom::Oldest => EventCursor::default(),
            ListenFrom::After(cursor) => cursor.clone(),
        };
        let ticks = self.feed.ticks();
        ranges.iter().for_each(|(space, range)| self.feed.watch(*space, range.newest));
        self.feed.follow(&self.store);
        Ok(Listener {
            store: Arc::clone(&self.store),
            feed: Arc::clone(&self.feed),
            ticks,
            visible: caller.kinds().clone(),
            wanted,
            heard,
            parked,
            ahead: VecDeque::new(),
        })
    }
}

/// Where in each space a listener begins.
fn begin(ranges: &BTreeMap<SpaceId, EventRange>, from: &ListenFrom) -> Result<EventCursor, Error> {
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
    /// The next event, as soon as there is one. Nothing is lost when it is not waited for to the end.
    pub async fn next(&mut self) -> Result<ReceivedEvent, Error> {
        loop {
            if let Some(heard) = self.at_hand() {
                return Ok(heard);
            }
            self.ticks.mark_unchanged();
            self.ahead = self.read().await?.into();
            if self.ahead.is_empty() {
                // The sender is as old as the listener.
                let _ = self.ticks.changed().await;
            }
        }
    }

    /// The next event, if it was read already.
    pub fn at_hand(&mut self) -> Option<ReceivedEvent> {
        while let Some(event) = self.ahead.pop_front() {
            self.heard.0.insert(event.space, event.number);
            if self.is_wanted(&event) {
                return Some(ReceivedEvent { event, cursor: self.heard.clone() });
            }
        }
        None
    }

    /// Up to where it has listened.
    pub fn cursor(&self) -> &EventCursor {
        &self.heard
    }

    /// Takes note of what exists for the caller by now. What happened in a space that is new to it is told from the
    /// oldest that is kept on; in one that it knew before, from where it was.
    pub async fn update(&mut self, caller: &Caller) -> Result<(), Error> {
        caller.needs(Scope::Read)?;
        self.visible.clone_from(caller.kinds());
        let spaces: BTreeSet<SpaceId> = caller.spaces().into_iter().collect();
        let new: Vec<SpaceId> = spaces.iter().copied().filter(|space| !self.heard.0.contains_key(space)).collect();
        for (space, range) in self.store.event_ranges(&new).await? {
            self.feed.watch(space, range.newest);
            let parked = self.parked.0.remove(&space).filter(|number| range.goes_on_after(*number));
            self.heard.0.insert(space, parked.unwrap_or(range.oldest.saturating_sub(1)));
        }
        let feed = &self.feed;
        for (space, number) in self.heard.0.extract_if(.., |space, _| !spaces.contains(space)) {
            feed.forget(space);
            self.parked.0.insert(space, number);
        }
        self.ahead.retain(|event| spaces.contains(&event.space));
        Ok(())
    }

    fn is_wanted(&self, event: &Event) -> bool {
        self.visible.contains(&event.kind)
            && self.wanted.kinds.as_ref().is_none_or(|kinds| kinds.contains(&event.kind))
            && self.wanted.ids.as_ref().is_none_or(|ids| ids.contains(&event.item))
    }

    /// What happened since.
    async fn read(&self) -> Result<Vec<Arc<Event>>, Error> {
        let (mut events, mut behind) = (Vec::new(), BTreeMap::new());
        for (space, number) in &self.heard.0 {
            match self.feed.after(*space, *number) {
                After::Nothing => {}
                After::Events(mut some) => events.append(&mut some),
                After::TooMuch => drop(behind.insert(*space, *number)),
            }
        }
        if !behind.is_empty() {
            events.extend(self.store.events(&behind, feed::READ).await?.into_iter().map(Arc::new));
        }
        Ok(events)
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.heard.0.keys().for_each(|space| self.feed.forget(*space));
    }
}
