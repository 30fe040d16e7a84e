//! The change sets that are open: which set the next write of a client joins.
//!
//! They are held in memory: no row is read or locked for an edit. At worst two servers begin two sets for one client.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::{Author, ChangeSetId, ChangeSetRef, Client, ItemId, SpaceId, TokenId, UserId};

/// A write joins a set whose last write is at most this old, unless the operator says otherwise.
pub(in crate::usecases) const DEFAULT_PAUSE: Duration = Duration::from_secs(10 * 60);
/// A set that is this old takes no more writes.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
/// How many items a set has at the most.
pub(super) const MAX_ITEMS: usize = 1_000;
/// How many open sets are held, of all users and of one. Beyond it the one that was joined longest ago is closed.
const MAX_SETS: usize = 4_096;
const MAX_SETS_OF_USER: usize = 64;
/// Another process may have closed a set: that is looked up this often.
const TRUSTED_FOR: Duration = Duration::from_secs(1);

/// Whose writes belong together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::usecases) struct SetKey {
    pub(in crate::usecases) user: UserId,
    /// `None` for a caller without a token, who is alone in its process.
    pub(in crate::usecases) token: Option<TokenId>,
    /// What a person does with a token is not what an agent does with it: a person reviews the one and not the other.
    pub(in crate::usecases) author: Author,
    pub(in crate::usecases) client: Client,
}

struct OpenSet {
    set: ChangeSetRef,
    begun: Instant,
    joined: Instant,
    looked_up: Instant,
    items: HashSet<ItemId>,
    spaces: BTreeSet<SpaceId>,
}

/// A set that should be looked up, and the spaces that its records are in.
pub(in crate::usecases) struct SetToLookUp {
    pub(in crate::usecases) set: ChangeSetRef,
    pub(in crate::usecases) spaces: BTreeSet<SpaceId>,
}

/// The items of a set that a client has named, as far as this process knows them.
struct NamedSet {
    joined: Instant,
    items: HashSet<ItemId>,
}

/// The open sets of a process.
pub(in crate::usecases) struct OpenSets {
    pause: Duration,
    open: Mutex<HashMap<SetKey, OpenSet>>,
    named: Mutex<HashMap<ChangeSetId, NamedSet>>,
}

impl Default for OpenSets {
    fn default() -> OpenSets {
        OpenSets::new(DEFAULT_PAUSE)
    }
}

impl OpenSets {
    /// None yet; a set is closed after a pause of this length.
    pub(in crate::usecases) fn new(pause: Duration) -> OpenSets {
        OpenSets { pause, open: Mutex::default(), named: Mutex::default() }
    }

    /// The set that a write of an item in a space belongs to: the open one of its key, or a new one.
    pub(in crate::usecases) fn join(&self, key: &SetKey, item: ItemId, space: SpaceId) -> ChangeSetRef {
        let now = Instant::now();
        let mut open = self.lock();
        if let Some(joined) = open.get_mut(key)
            && self.takes(joined, item, now)
        {
            joined.joined = now;
            joined.items.insert(item);
            joined.spaces.insert(space);
            return joined.set;
        }
        open.remove(key);
        make_room(&mut open, key.user, now, self.pause);
        let set = ChangeSetRef::generate();
        let begun = OpenSet {
            set,
            begun: now,
            joined: now,
            looked_up: now,
            items: HashSet::from([item]),
            spaces: BTreeSet::from([space]),
        };
        open.insert(key.clone(), begun);
        set
    }

    fn takes(&self, open: &OpenSet, item: ItemId, now: Instant) -> bool {
        now.duration_since(open.joined) <= self.pause
            && now.duration_since(open.begun) < LONGEST
            && (open.items.len() < MAX_ITEMS || open.items.contains(&item))
    }

    /// The open set of a key, if it was not looked up for a while; it counts as looked up from now on.
    pub(in crate::usecases) fn due(&self, key: &SetKey) -> Option<SetToLookUp> {
        let now = Instant::now();
        let mut open = self.lock();
        let open = open.get_mut(key).filter(|open| now.duration_since(open.looked_up) >= TRUSTED_FOR)?;
        open.looked_up = now;
        Some(SetToLookUp { set: open.set, spaces: open.spaces.clone() })
    }

    /// Closes a set: the next write of its client begins another.
    pub(in crate::usecases) fn close(&self, set: ChangeSetId) {
        self.lock().retain(|_, open| open.set.id != set);
    }

    /// Whether the items of a named set are known here.
    pub(super) fn knows_named(&self, set: ChangeSetId) -> bool {
        self.lock_named().contains_key(&set)
    }

    /// Remembers the items of a named set. Beyond the most sets, the one that was joined longest ago is forgotten.
    pub(super) fn put_named(&self, set: ChangeSetId, items: impl Iterator<Item = ItemId>) {
        let mut named = self.lock_named();
        if named.len() >= MAX_SETS {
            let oldest = named.iter().min_by_key(|(_, known)| known.joined).map(|(set, _)| *set);
            oldest.map(|set| named.remove(&set));
        }
        named.insert(set, NamedSet { joined: Instant::now(), items: items.collect() });
    }

    /// Whether a named set has as many items as a set may have.
    pub(super) fn is_full(&self, set: ChangeSetId) -> bool {
        self.lock_named().get(&set).is_some_and(|known| known.items.len() >= MAX_ITEMS)
    }

    /// Whether a write of an item belongs to a named set: not if that is full without the item.
    pub(super) fn join_named(&self, set: ChangeSetId, item: ItemId) -> bool {
        let mut named = self.lock_named();
        let Some(known) = named.get_mut(&set) else { return true };
        known.joined = Instant::now();
        if known.items.len() >= MAX_ITEMS {
            return known.items.contains(&item);
        }
        known.items.insert(item);
        true
    }

    fn lock_named(&self) -> MutexGuard<'_, HashMap<ChangeSetId, NamedSet>> {
        self.named.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SetKey, OpenSet>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Closes sets so that there is room for one more of a user.
fn make_room(open: &mut HashMap<SetKey, OpenSet>, user: UserId, now: Instant, pause: Duration) {
    if open.len() >= MAX_SETS {
        open.retain(|_, open| now.duration_since(open.joined) <= pause);
    }
    let of_user = open.keys().filter(|key| key.user == user).count();
    let close_one = |open: &mut HashMap<SetKey, OpenSet>, among: &dyn Fn(&SetKey) -> bool| {
        let oldest = open.iter().filter(|(key, _)| among(key)).min_by_key(|(_, open)| open.joined);
        if let Some(key) = oldest.map(|(key, _)| key.clone()) {
            open.remove(&key);
        }
    };
    if of_user >= MAX_SETS_OF_USER {
        close_one(open, &|key| key.user == user);
    } else if open.len() >= MAX_SETS {
        close_one(open, &|_| true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(user: UserId, client: &str) -> SetKey {
        SetKey { user, token: None, author: Author::Person, client: Client::parse(client, None).unwrap() }
    }

    #[test]
    fn writes_of_one_client_join_one_set_and_those_of_another_do_not() {
        let (sets, user, space) = (OpenSets::default(), UserId::generate(), SpaceId::generate());
        let first = sets.join(&key(user, "a"), ItemId::generate(), space);
        assert_eq!(sets.join(&key(user, "a"), ItemId::generate(), space), first);
        assert_ne!(sets.join(&key(user, "b"), ItemId::generate(), space), first);
        assert_ne!(sets.join(&key(UserId::generate(), "a"), ItemId::generate(), space), first);
        let agent = SetKey { author: Author::Agent, ..key(user, "a") };
        assert_ne!(sets.join(&agent, ItemId::generate(), space), first);
        sets.close(first.id);
        assert_ne!(sets.join(&key(user, "a"), ItemId::generate(), space), first);
    }

    #[test]
    fn a_set_ends_with_a_pause_and_with_its_thousandth_item() {
        let (user, space) = (UserId::generate(), SpaceId::generate());
        let sets = OpenSets::new(Duration::ZERO);
        let first = sets.join(&key(user, "a"), ItemId::generate(), space);
        while sets.join(&key(user, "a"), ItemId::generate(), space) == first {}

        let (sets, one) = (OpenSets::default(), ItemId::generate());
        let first = sets.join(&key(user, "a"), one, space);
        for _ in 1..MAX_ITEMS {
            assert_eq!(sets.join(&key(user, "a"), ItemId::generate(), space), first);
        }
        assert_eq!(sets.join(&key(user, "a"), one, space), first, "it has this item already");
        assert_ne!(sets.join(&key(user, "a"), ItemId::generate(), space), first);
    }

    #[test]
    fn a_named_set_is_full_with_its_thousandth_item() {
        let (sets, set, one) = (OpenSets::default(), ChangeSetId::generate(), ItemId::generate());
        sets.put_named(set, [one].into_iter());
        for _ in 1..MAX_ITEMS {
            assert!(sets.knows_named(set) && !sets.is_full(set));
            assert!(sets.join_named(set, ItemId::generate()));
        }
        assert!(sets.is_full(set) && sets.join_named(set, one), "it has this item already");
        assert!(!sets.join_named(set, ItemId::generate()));
        for _ in 0..MAX_SETS {
            sets.put_named(ChangeSetId::generate(), std::iter::empty());
        }
        assert!(!sets.knows_named(set) && sets.lock_named().len() == MAX_SETS, "they are bounded");
    }

    #[test]
    fn a_user_with_many_clients_closes_no_set_of_another() {
        let (sets, space) = (OpenSets::default(), SpaceId::generate());
        let quiet = key(UserId::generate(), "quiet");
        let set = sets.join(&quiet, ItemId::generate(), space);
        let loud = UserId::generate();
        for number in 0..MAX_SETS {
            sets.join(&key(loud, &format!("client {number}")), ItemId::generate(), space);
        }
        assert_eq!(sets.join(&quiet, ItemId::generate(), space), set);
        assert!(sets.lock().len() <= MAX_SETS_OF_USER + 1);
    }
}
