//! Blame: from which version each line of an item came, with who made it and why.
//!
//! `trace` goes back through the history; what it finds is kept in a small `cache`.

mod cache;
mod trace;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use interline_edit::LineOrigin;

use crate::memory_budget::take_in_all_for_work;
use crate::usecases::commit::{MAX_ROUNDS, lost_every_round};
use crate::usecases::{Caller, Interline, ItemRef};
use crate::{Attribution, Error, HistoryRecord, ItemId, OverloadCause, Overloaded, Scope};

pub(in crate::usecases) use cache::BlameCache;

/// From which version each line of an item came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blame {
    /// The version of the item that the lines are of.
    pub version: u64,
    /// How many lines there are; 0 without a content.
    pub total_lines: usize,
    /// All lines in order. Those of ranges next to each other came from different versions.
    pub ranges: Vec<BlameRange>,
}

/// Lines next to each other that came from one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlameRange {
    /// The first line, 1-based.
    pub start_line: usize,
    /// The last line, inclusive.
    pub end_line: usize,
    /// The change that made the version.
    pub record: Arc<HistoryRecord>,
}

/// How many bytes an answer takes at the most, about: a request that is alone may take more than the memory budget has.
const MAX_ANSWER_BYTES: usize = 256 << 20;

/// About how many bytes a range takes in an answer, beside the texts of its record.
const RANGE_BYTES: usize = 400;

/// About how many bytes a range of a record takes while an answer is made of it: a buffer that grows is there twice.
fn range_bytes(record: &HistoryRecord) -> usize {
    let names = [record.user.name.as_deref(), record.token.as_ref().and_then(|token| token.name.as_deref())];
    let names: usize = names.into_iter().flatten().map(str::len).sum();
    let Attribution { client, reason, .. } = &record.attribution;
    let reason = reason.as_ref().map_or(0, |reason| reason.as_str().len());
    2 * (RANGE_BYTES + names + client.name().len() + reason)
}

impl Interline {
    /// From which version each line of an item came, in whatever state the item is: the newest version whose diff shows the
    /// line as added. Lines that were brought back keep their first origin, as far as the history tells it:
    ///
    /// * A restore or an undo after which the content is that of an older version has the origins of that content. Where several
    ///   older versions have it, those of the oldest: the history does not say which of them was meant.
    /// * Another undo has the origins of the lines that the version before the undone change set has, too; other lines that it
    ///   adds come from it. The newest hundred such undos of a history are looked at so; to all others lines that they
    ///   add belong.
    /// * A merge adds the lines that were sent; all others keep their origins.
    ///
    /// Where old versions were forgotten, the oldest that is kept is the origin of what it had. An item without a content has no
    /// lines.
    pub async fn blame(&self, caller: &Caller, item_ref: &ItemRef) -> Result<Blame, Error> {
        caller.require(Scope::Read)?;
        let caller = &caller.seeing_stored();
        for _ in 0..MAX_ROUNDS {
            let item = self.visible_item(caller, item_ref).await?;
            let (version, lines) = match self.blames.get(item.id, item.stamp.version) {
                Some(lines) => (item.stamp.version, lines),
                None => self.trace(caller, item_ref).await?,
            };
            if let Some(blame) = self.with_records(caller, item.id, version, &lines).await? {
                self.blames.put(item.id, version, lines);
                return Ok(blame);
            }
            // Some of the versions were forgotten since.
            self.blames.remove(item.id);
        }
        Err(lost_every_round())
    }

    /// The lines with the records of their versions; `None` if one is not there any more.
    async fn with_records(
        &self,
        caller: &Caller,
        item: ItemId,
        version: u64,
        lines: &[LineOrigin],
    ) -> Result<Option<Blame>, Error> {
        let versions: BTreeSet<u64> = lines.iter().map(|line| line.version).collect();
        let versions: Vec<u64> = versions.into_iter().collect();
        let found = match versions.as_slice() {
            [] => Vec::new(),
            versions => {
                let _permit = self.read_permit(caller).await?;
                self.store.version_records(item, versions).await?
            }
        };
        let with_version = |record: HistoryRecord| Some((record.version?, Arc::new(record)));
        let records: BTreeMap<u64, Arc<HistoryRecord>> = found.into_iter().filter_map(with_version).collect();
        // An answer tells of every range who made its version and why, however often that is the same.
        let bytes_of = |line: &LineOrigin| records.get(&line.version).map_or(0, |record| range_bytes(record));
        let bytes = lines.iter().map(bytes_of).fold(0, usize::saturating_add);
        if bytes > MAX_ANSWER_BYTES {
            return Err(Overloaded { resource: "memory of a blame", cause: OverloadCause::Caller }.into());
        }
        take_in_all_for_work(bytes)?;
        let range = |line: &LineOrigin| {
            let LineOrigin { start_line, end_line, version } = *line;
            Some(BlameRange { start_line, end_line, record: Arc::clone(records.get(&version)?) })
        };
        let ranges: Option<Vec<BlameRange>> = lines.iter().map(range).collect();
        let total_lines = lines.last().map_or(0, |last| last.end_line);
        Ok(ranges.map(|ranges| Blame { version, total_lines, ranges }))
    }
}
