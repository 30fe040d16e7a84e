//! The event feed: the newest events of the spaces that have listeners, read from the storage once for all listeners of a
//! process.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::watch;

use crate::{Event, SpaceId, Store, StoreError, supervise};

/// How many events of a space are held. A listener that is further behind reads the storage.
const MAX_HELD: usize = 1_024;
/// How many events are read at a time.
pub(super) const MAX_READ: usize = 512;
/// The storage is read this often even when it announces no change.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// The pause between two reads, for each listener and at the longest. Serving many listeners takes a while, in which writers
/// wait for their turn: the events of a short time are sent together.
const PAUSE_PER_LISTENER: Duration = Duration::from_micros(100);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// What all listeners of a process share.
pub(in super::super) struct EventFeed {
    state: Mutex<FeedState>,
    /// Changes when there are new events.
    new_events: watch::Sender<()>,
}

#[derive(Default)]
struct FeedState {
    spaces: HashMap<SpaceId, RecentEvents>,
    /// Whether the task runs that reads the storage.
    is_reading: bool,
}

/// The newest events of a space.
struct RecentEvents {
    listeners: usize,
    /// The number of the newest event that was read.
    newest: u64,
    /// The last events up to that one, without a gap.
    events: VecDeque<Arc<Event>>,
}

/// The events of a space after an event.
pub(super) enum EventsAfter {
    None,
    Events(Vec<Arc<Event>>),
    /// There are more than the feed holds.
    MoreThanHeld,
}

impl Default for EventFeed {
    fn default() -> EventFeed {
        EventFeed { state: Mutex::default(), new_events: watch::Sender::new(()) }
    }
}

impl EventFeed {
    fn state(&self) -> MutexGuard<'_, FeedState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Signals that there are new events.
    pub(super) fn new_events(&self) -> watch::Receiver<()> {
        self.new_events.subscribe()
    }

    /// Adds a listener of a space. If it is the first, the space's events are read from the one after `newest` on.
    pub(super) fn subscribe(&self, space: SpaceId, newest: u64) {
        let recent = || RecentEvents { listeners: 0, newest, events: VecDeque::new() };
        self.state().spaces.entry(space).or_insert_with(recent).listeners += 1;
    }

    /// Removes a listener of a space.
    pub(super) fn unsubscribe(&self, space: SpaceId) {
        let mut state = self.state();
        if let Some(recent) = state.spaces.get_mut(&space) {
            recent.listeners -= 1;
            if recent.listeners == 0 {
                state.spaces.remove(&space);
            }
        }
    }

    /// The events of a space after the event of that number.
    pub(super) fn after(&self, space: SpaceId, number: u64) -> EventsAfter {
        let state = self.state();
        let Some(recent) = state.spaces.get(&space) else { return EventsAfter::MoreThanHeld };
        let missing = recent.newest.saturating_sub(number);
        match usize::try_from(missing) {
            Ok(0) => EventsAfter::None,
            Ok(missing) if missing <= recent.events.len() => {
                EventsAfter::Events(recent.events.range(recent.events.len() - missing..).cloned().collect())
            }
            Ok(_) | Err(_) => EventsAfter::MoreThanHeld,
        }
    }

    /// Starts the task that reads the storage, unless it runs.
    pub(super) fn start_reading(self: &Arc<Self>, store: &Arc<dyn Store>) {
        let mut state = self.state();
        if !std::mem::replace(&mut state.is_reading, true) {
            let (feed, store, changes) = (Arc::downgrade(self), Arc::downgrade(store), store.changes());
            let read = move || read_while_heard(Weak::clone(&feed), Weak::clone(&store), changes.clone());
            tokio::spawn(supervise("event-feed", read));
        }
    }

    /// Whether there is a listener; if not, the reading task ends.
    fn has_listeners(&self) -> bool {
        let mut state = self.state();
        state.is_reading = !state.spaces.is_empty();
        state.is_reading
    }

    /// The pause before the next read.
    fn pause(&self) -> Duration {
        let listeners: usize = self.state().spaces.values().map(|recent| recent.listeners).sum();
        PAUSE_PER_LISTENER.saturating_mul(u32::try_from(listeners).unwrap_or(u32::MAX)).min(LONGEST_PAUSE)
    }

    /// Reads the new events of all spaces that have listeners.
    async fn read(&self, store: &dyn Store) -> Result<(), StoreError> {
        loop {
            let newest: BTreeMap<SpaceId, u64> =
                self.state().spaces.iter().map(|(space, recent)| (*space, recent.newest)).collect();
            let events = store.events(&newest, MAX_READ).await?;
            let is_all = events.len() < MAX_READ;
            if !events.is_empty() {
                self.add(events);
                self.new_events.send_replace(());
            }
            if is_all {
                return Ok(());
            }
        }
    }

    fn add(&self, events: Vec<Event>) {
        let mut state = self.state();
        for event in events {
            // The space may have got its first listener, which begins after this event, or lost its last one meanwhile.
            let recent = state.spaces.get_mut(&event.space).filter(|recent| recent.newest + 1 == event.number);
            if let Some(recent) = recent {
                recent.newest = event.number;
                recent.events.push_back(Arc::new(event));
                if recent.events.len() > MAX_HELD {
                    recent.events.pop_front();
                }
            }
        }
    }
}

/// Reads new events whenever the storage announces a change, as long as there is a listener. A storage that fails is read
/// again.
async fn read_while_heard(feed: Weak<EventFeed>, store: Weak<dyn Store>, mut changes: watch::Receiver<()>) {
    loop {
        changes.mark_unchanged();
        let pause = match (feed.upgrade(), store.upgrade()) {
            (Some(feed), Some(store)) if feed.has_listeners() => {
                // What could not be read is read the next time.
                let _ = feed.read(&*store).await;
                feed.pause()
            }
            _ => return,
        };
        tokio::time::sleep(pause).await;
        let _ = tokio::time::timeout(POLL_INTERVAL, changes.changed()).await;
    }
}
