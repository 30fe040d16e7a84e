//! Retention: which records of a history are forgotten.

use interline_items::{Retention, Stamp};
use jiff::Timestamp;

/// How many records of an item are forgotten in one transaction at the most.
const MAX_RECORDS: usize = 1_000;
/// How many of the oldest records must be read to decide about them.
pub(crate) const RECORDS_TO_READ: i64 = MAX_RECORDS as i64 + 1;
/// How many items one step looks at.
pub(crate) const MAX_ITEMS: i64 = 1_000;

/// One of the oldest records of an item.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OldRecord {
    pub(crate) stamp: Stamp,
    pub(crate) version: Option<u64>,
    pub(crate) at: Timestamp,
}

/// The part of a history that is forgotten in one transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// How many records are forgotten.
    pub(crate) records: u64,
    /// The stamp of the first record that stays.
    pub(crate) first_kept: Stamp,
}

/// Which records of a history of `total` records are forgotten, given the `oldest` ones; `None` if none is. `newest` is
/// the item's version, whose record is never forgotten.
///
/// The forgotten records are always the oldest: a version is rebuilt from newer ones.
pub(crate) fn cut(oldest: &[OldRecord], total: u64, newest: u64, retention: Retention) -> Option<Cut> {
    let too_old = |record: &&OldRecord| retention.before.is_some_and(|before| record.at < before);
    let by_age = oldest.iter().take_while(too_old).count();
    let by_number = retention.keep.map_or(0, |keep| total.saturating_sub(keep.max(1)));
    let exceeding = by_age.max(usize::try_from(by_number).unwrap_or(usize::MAX)).min(MAX_RECORDS);
    let newest_version = oldest.iter().position(|record| record.version == Some(newest));
    let forgotten = newest_version.map_or(exceeding, |newest_version| exceeding.min(newest_version));
    let first_kept = oldest.get(forgotten).filter(|_| forgotten > 0)?.stamp;
    Some(Cut { records: forgotten as u64, first_kept })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A history in which every `n`th record makes a version, one a second.
    fn history(records: u64, n: u64) -> (Vec<OldRecord>, u64) {
        let record = |number: u64| OldRecord {
            stamp: Stamp { version: number / n + 1, revision: number - number / n },
            version: number.is_multiple_of(n).then_some(number / n + 1),
            at: Timestamp::from_second(number.cast_signed()).unwrap(),
        };
        ((0..records).map(record).collect(), (records - 1) / n + 1)
    }

    fn forgotten(records: u64, n: u64, before: Option<i64>, keep: Option<u64>) -> u64 {
        let (mut history, newest) = history(records, n);
        history.truncate(usize::try_from(RECORDS_TO_READ).unwrap());
        let before = before.map(|second| Timestamp::from_second(second).unwrap());
        cut(&history, records, newest, Retention { before, keep }).map_or(0, |cut| cut.records)
    }

    #[test]
    fn old_records_and_those_too_many_go_but_never_the_newest_version() {
        assert_eq!(forgotten(10, 1, None, None), 0);
        assert_eq!(forgotten(10, 1, Some(4), None), 4);
        assert_eq!(forgotten(10, 1, None, Some(3)), 7);
        assert_eq!(forgotten(10, 1, Some(4), Some(3)), 7);
        assert_eq!(forgotten(10, 1, Some(8), Some(3)), 8);
        assert_eq!(forgotten(10, 1, Some(99), None), 9);
        assert_eq!(forgotten(10, 1, None, Some(0)), 9);
        assert_eq!(forgotten(1, 1, Some(99), Some(1)), 0);
        // Versions at 0, 4 and 8: what came after the last one stays with it.
        assert_eq!(forgotten(11, 4, Some(99), None), 8);
        assert_eq!(forgotten(11, 4, None, Some(1)), 8);
        assert_eq!(forgotten(5_000, 1, Some(9_999), None), 1_000);
        assert_eq!(forgotten(5_000, 2_000, None, Some(1)), 1_000);
    }

    #[test]
    fn a_record_out_of_time_keeps_all_that_came_after_it() {
        let (mut records, newest) = history(5, 1);
        records[1].at = Timestamp::from_second(50).unwrap();
        let retention = Retention { before: Timestamp::from_second(40).ok(), keep: None };
        let cut = cut(&records, 5, newest, retention).unwrap();
        assert_eq!((cut.records, cut.first_kept), (1, records[1].stamp));
    }
}
