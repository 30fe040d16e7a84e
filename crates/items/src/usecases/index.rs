//! Keeping the index of searches up to date, behind what is written.

use std::time::{Duration, Instant};

use jiff::SignedDuration;

use crate::search::{IndexStep, IndexStepResult};
use crate::{CheckReport, Error};

use super::{Interline, now};

/// An item is indexed when it has not changed for so long: one that is being edited would be indexed for nothing.
const QUIET: SignedDuration = SignedDuration::from_secs(1);
/// With more items that searches must read themselves, they are indexed however lately they changed.
const MANY: u64 = 1_000;
/// How often it is looked whether there is something to do.
const PAUSE: Duration = Duration::from_millis(500);
/// How often it is looked whether another process still is at it.
const PAUSE_ELSEWHERE: Duration = Duration::from_secs(5);
/// A step is followed by a pause of so many times its length, so that most of the machine is left to those who wait.
const REST: u32 = 3;

impl Interline {
    /// Brings the index of searches a step on; how long to wait before the next.
    pub async fn keep_index(&self) -> Result<Duration, Error> {
        let begin = Instant::now();
        let mut indexed = self.store.index(IndexStep { unchanged_since: now() - QUIET }).await?;
        if matches!(indexed, IndexStepResult::Nothing { stale } if stale > MANY) {
            indexed = self.store.index(IndexStep { unchanged_since: now() }).await?;
        }
        Ok(match indexed {
            IndexStepResult::Added { stale, .. } if stale > MANY => begin.elapsed(),
            IndexStepResult::Added { .. } | IndexStepResult::Tidied => begin.elapsed() * REST,
            IndexStepResult::Nothing { .. } => PAUSE,
            IndexStepResult::Elsewhere => PAUSE_ELSEWHERE,
        })
    }

    /// Brings the index up to date with all that was written before, as fast as it can; for tools and tests.
    pub async fn complete_index(&self) -> Result<(), Error> {
        let until = now();
        loop {
            match self.store.index(IndexStep { unchanged_since: until }).await? {
                IndexStepResult::Added { .. } | IndexStepResult::Tidied => {}
                IndexStepResult::Nothing { .. } | IndexStepResult::Elsewhere => return Ok(()),
            }
        }
    }

    /// Reads everything and tells what does not fit together.
    pub async fn check(&self) -> Result<CheckReport, Error> {
        Ok(self.store.check().await?)
    }
}
