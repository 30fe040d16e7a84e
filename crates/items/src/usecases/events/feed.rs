//! The newest events of the spaces that somebody listens to, read once for all who do.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::watch;

use crate::{Event, SpaceId, Store, StoreError};

/// How many events of a space are held. Who is further behind reads the store.
const HELD: usize = 1_024;
/// How many events are read at a time.
pub(super) const READ: usize = 512;
/// The store is looked at this often even when it says nothing.
const LOOK_ANYWAY: Duration = Duration::from_secs(1);
/// How long not to look again, for each listener and at the longest. Telling many takes a while, in which writers wait for
/// their turn: what happens in a short time is told together.
const PAUSE_PER_LISTENER: Duration = Duration::from_micros(100);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// What all listeners of a process share.
pub(in super::super) struct Feed {
    state: Mutex<State>,
    /// Changes when there may be something new.
    tick: watch::Sender<()>,
}

#[derive(Default)]
struct State {
    spaces: HashMap<SpaceId, Recent>,
    is_followed: bool,
}

/// The newest events of a space.
struct Recent {
    listeners: usize,
    /// The number of the newest that was read.
    newest: u64,
    /// The last of them up to that one, without a gap.
    events: VecDeque<Arc<Event>>,
}

/// What there is after an event.
pub(super) enum After {
    Nothing,
    Events(Vec<Arc<Event>>),
    /// More than is held.
    TooMuch,
}

impl Default for Feed {
    fn default() -> Feed {
        Feed { state: Mutex::default(), tick: watch::Sender::new(()) }
    }
}

impl Feed {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells when there may be something new.
    pub(super) fn ticks(&self) -> watch::Receiver<()> {
        self.tick.subscribe()
    }

    /// Reads the events of a space for a listener, from the one on that comes after `newest`.
    pub(super) fn watch(&self, space: SpaceId, newest: u64) {
        let recent = || Recent { listeners: 0, newest, events: VecDeque::new() };
        self.state().spaces.entry(space).or_insert_with(recent).listeners += 1;
    }

    /// Does not do so any more for that listener.
    pub(super) fn forget(&self, space: SpaceId) {
        let mut state = self.state();
        if let Some(recent) = state.spaces.get_mut(&space) {
            recent.listeners -= 1;
            if recent.listeners == 0 {
                state.spaces.remove(&space);
            }
        }
    }

    /// What happened in a space after the event of that number.
    pub(super) fn after(&self, space: SpaceId, number: u64) -> After {
        let state = self.state();
        let Some(recent) = state.spaces.get(&space) else { return After::TooMuch };
        let missing = recent.newest.saturating_sub(number);
        match usize::try_from(missing) {
            Ok(0) => After::Nothing,
            Ok(missing) if missing <= recent.events.len() => {
                After::Events(recent.events.range(recent.events.len() - missing..).cloned().collect())
            }
            Ok(_) | Err(_) => After::TooMuch,
        }
    }

    /// Follows the store from now on, unless somebody does.
    pub(super) fn follow(self: &Arc<Self>, store: &Arc<dyn Store>) {
        let mut state = self.state();
        if !std::mem::replace(&mut state.is_followed, true) {
            tokio::spawn(follow(Arc::downgrade(self), Arc::downgrade(store), store.changes()));
        }
    }

    /// Whether somebody listens; if not, nobody follows the store any more.
    fn is_listened_to(&self) -> bool {
        let mut state = self.state();
        state.is_followed = !state.spaces.is_empty();
        state.is_followed
    }

    /// How long not to look again.
    fn pause(&self) -> Duration {
        let listeners: usize = self.state().spaces.values().map(|recent| recent.listeners).sum();
        PAUSE_PER_LISTENER.saturating_mul(u32::try_from(listeners).unwrap_or(u32::MAX)).min(LONGEST_PAUSE)
    }

    /// Reads what is new.
    async fn read(&self, store: &dyn Store) -> Result<(), StoreError> {
        loop {
            let known: BTreeMap<SpaceId, u64> =
                self.state().spaces.iter().map(|(space, recent)| (*space, recent.newest)).collect();
            let events = store.events(&known, READ).await?;
            let is_all = events.len() < READ;
            if !events.is_empty() {
                self.add(events);
                self.tick.send_replace(());
            }
            if is_all {
                return Ok(());
            }
        }
    }

    fn add(&self, events: Vec<Event>) {
        let mut state = self.state();
        for event in events {
            // Whoever listens since a moment ago may have read it already, and whoever stopped does not care.
            let recent = state.spaces.get_mut(&event.space).filter(|recent| recent.newest + 1 == event.number);
            if let Some(recent) = recent {
                recent.newest = event.number;
                recent.events.push_back(Arc::new(event));
                if recent.events.len() > HELD {
                    recent.events.pop_front();
                }
            }
        }
    }
}

/// Reads what is new whenever there may be something, as long as somebody listens. A store that fails is asked again.
async fn follow(feed: Weak<Feed>, store: Weak<dyn Store>, mut changes: watch::Receiver<()>) {
    loop {
        changes.mark_unchanged();
        let pause = match (feed.upgrade(), store.upgrade()) {
            (Some(feed), Some(store)) if feed.is_listened_to() => {
                // It will be read the next time.
                let _ = feed.read(&*store).await;
                feed.pause()
            }
            _ => return,
        };
        tokio::time::sleep(pause).await;
        let _ = tokio::time::timeout(LOOK_ANYWAY, changes.changed()).await;
    }
}
