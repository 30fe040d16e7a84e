//! Keeping the search index up to date, in the background behind the writes, and checking the whole store.

use std::time::{Duration, Instant};

use jiff::SignedDuration;

use crate::search::{IndexStep, IndexStepResult};
use crate::{CheckReport, Error};

use super::{Interline, now};

/// An item is indexed when it has not changed for so long: one that is being edited would be indexed for nothing.
const QUIET: SignedDuration = SignedDuration::from_secs(1);
/// With more unindexed items, which every search must read itself, they are indexed however lately they changed.
const MANY_STALE: u64 = 1_000;
/// The pause before the next step where nothing was to be indexed.
const PAUSE: Duration = Duration::from_millis(500);
/// The pause before the next step where another process keeps the index.
const PAUSE_ELSEWHERE: Duration = Duration::from_secs(5);
/// A process that ends with its command indexes when so many items are stale: fewer cost a search a few milliseconds, and
/// every step makes a segment that is merged later.
const BACKLOG: u64 = 256;
/// A step is followed by a pause of so many times its length, so that most of the machine is left to requests.
const PAUSE_FACTOR: u32 = 3;

impl Interline {
    /// Brings the search index a step on; how long to wait before the next step.
    pub async fn keep_index(&self) -> Result<Duration, Error> {
        let begin = Instant::now();
        let mut indexed = self.store.index(IndexStep { unchanged_since: now() - QUIET }).await?;
        if matches!(indexed, IndexStepResult::Nothing { stale } if stale > MANY_STALE) {
            indexed = self.store.index(IndexStep { unchanged_since: now() }).await?;
        }
        Ok(match indexed {
            IndexStepResult::Added { stale, .. } if stale > MANY_STALE => begin.elapsed(),
            IndexStepResult::Added { .. } | IndexStepResult::Tidied => begin.elapsed() * PAUSE_FACTOR,
            IndexStepResult::Nothing { .. } => PAUSE,
            IndexStepResult::Elsewhere => PAUSE_ELSEWHERE,
        })
    }

    /// Brings the search index up to date with all that was written before, as fast as it can; for tools and tests.
    pub async fn complete_index(&self) -> Result<(), Error> {
        let until = now();
        loop {
            match self.store.index(IndexStep { unchanged_since: until }).await? {
                IndexStepResult::Added { .. } | IndexStepResult::Tidied => {}
                IndexStepResult::Nothing { .. } | IndexStepResult::Elsewhere => return Ok(()),
            }
        }
    }

    /// Indexes what has piled up, if that is much: for a process that ends with its command, and so keeps no index beside its
    /// requests. Before every step it asks whether it may go on, and leaves the rest for the next process if not, or if another
    /// process works on the index. Whatever ends it in the middle, nothing is lost: what is not indexed is stale as before.
    pub async fn index_backlog(&self, may_go_on: impl Fn() -> bool + Send) -> Result<(), Error> {
        if self.store.stale_items().await? < BACKLOG {
            return Ok(());
        }
        let step = IndexStep { unchanged_since: now() };
        while may_go_on() {
            match self.store.index(step).await? {
                IndexStepResult::Added { .. } | IndexStepResult::Tidied => {}
                IndexStepResult::Nothing { .. } => break,
                IndexStepResult::Elsewhere => return Ok(()),
            }
        }
        Ok(self.store.release_index().await?)
    }

    /// Reads everything that is stored and reports what does not fit together.
    pub async fn check(&self) -> Result<CheckReport, Error> {
        Ok(self.store.check().await?)
    }
}
