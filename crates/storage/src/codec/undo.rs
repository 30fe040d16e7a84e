//! Old contents. The newest content is stored whole; the record of each version says how the content *before* that
//! version is made from the content *of* that version.
//!
//! An edit leaves its inverse splices, a whole write a compressed delta. Both need the newer content, so a version is
//! rebuilt by going back record by record from the newest one. Such a record is an [`encode_step`]. When the chain has
//! outgrown the text ([`Chain::extended`]), [`encode_whole`] makes a whole copy instead, and older versions are rebuilt
//! from there.

use std::sync::Arc;

use interline_edit::Edit;
use interline_items::ContentWrite;

use super::{CodecError, splices, zip};

/// From how many bytes on splices are compressed; below, zstd's frame takes what it saves.
const ZIPPED_FROM: usize = 256;
/// How many bytes a chain may have, however short the text is.
const MIN_CHAIN_BYTES: u64 = 4096;
/// How many records a chain may have, however long the text is: each is a pass over the text.
const MAX_CHAIN_STEPS: u32 = 2000;

/// What sort of record it is; stored as its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UndoKind {
    /// The content was the same.
    Unchanged = 0,
    /// There was no content.
    Absent = 1,
    /// Splices over the newer content.
    Splices = 2,
    /// The same, compressed.
    ZippedSplices = 3,
    /// What the older content had that the newer one has not, compressed.
    Delta = 4,
    /// The older content, compressed.
    Whole = 5,
}

impl UndoKind {
    /// The kind of that number.
    pub(crate) fn from_number(number: i64) -> Result<UndoKind, CodecError> {
        use UndoKind::{Absent, Delta, Splices, Unchanged, Whole, ZippedSplices};
        [Unchanged, Absent, Splices, ZippedSplices, Delta, Whole]
            .into_iter()
            .find(|kind| *kind as i64 == number)
            .ok_or(CodecError::Undo("its record is of an unknown kind"))
    }

    /// Whether the older content comes without the newer one: going back can start here.
    pub(crate) fn stands_alone(self) -> bool {
        matches!(self, UndoKind::Absent | UndoKind::Whole)
    }
}

/// The numbers of the kinds that stand alone, as SQL lists them.
macro_rules! standing_alone {
    () => {
        "(1, 5)"
    };
}
pub(crate) use standing_alone;

/// How the content before a version is made from the content of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Undo {
    /// What sort of record it is.
    pub(crate) kind: UndoKind,
    /// Its data.
    pub(crate) bytes: Vec<u8>,
}

/// The records since the last one that stands alone: what must be gone through to get there from the newest content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chain {
    /// How many bytes they have.
    pub(crate) bytes: u64,
    /// How many they are.
    pub(crate) steps: u32,
}

impl Undo {
    /// A record as it is stored.
    pub(crate) fn of_stored(kind: i64, bytes: Vec<u8>) -> Result<Undo, CodecError> {
        Ok(Undo { kind: UndoKind::from_number(kind)?, bytes })
    }
}

/// The shortest record that goes with a change of content.
pub(crate) fn encode_step(write: &ContentWrite) -> Result<Undo, CodecError> {
    match write {
        ContentWrite::Keep => Ok(Undo { kind: UndoKind::Unchanged, bytes: Vec::new() }),
        ContentWrite::Edit { undo, .. } => {
            let bytes = splices::encode(undo);
            if bytes.len() < ZIPPED_FROM {
                Ok(Undo { kind: UndoKind::Splices, bytes })
            } else {
                Ok(Undo { kind: UndoKind::ZippedSplices, bytes: zip::compress(&bytes)? })
            }
        }
        ContentWrite::Set { old: Some(old), new: Some(new) } => {
            Ok(Undo { kind: UndoKind::Delta, bytes: zip::compress_against(new, old)? })
        }
        ContentWrite::Set { .. } => encode_whole(write),
    }
}

/// The record that goes with a change of content and stands alone: the next one starts a new chain.
pub(crate) fn encode_whole(write: &ContentWrite) -> Result<Undo, CodecError> {
    let whole = |old: &str| Ok(Undo { kind: UndoKind::Whole, bytes: zip::compress(old.as_bytes())? });
    match write {
        ContentWrite::Keep => encode_step(write),
        ContentWrite::Edit { new, undo } => {
            whole(&undo.apply(new).map_err(|_| CodecError::Undo("its splices are for another text"))?)
        }
        ContentWrite::Set { old: Some(old), .. } => whole(old),
        ContentWrite::Set { old: None, .. } => Ok(Undo { kind: UndoKind::Absent, bytes: Vec::new() }),
    }
}

impl Chain {
    /// The chain with the record `step` of `write` at its end; `None` if a whole copy is due instead.
    pub(crate) fn extended(self, write: &ContentWrite, step: &Undo) -> Option<Chain> {
        if step.kind == UndoKind::Unchanged {
            return Some(self);
        }
        if step.kind.stands_alone() {
            return Some(Chain::default());
        }
        let longer = Chain { bytes: self.bytes + step.bytes.len() as u64, steps: self.steps + 1 };
        let fits = longer.bytes <= MIN_CHAIN_BYTES.max(old_length(write)) && longer.steps <= MAX_CHAIN_STEPS;
        fits.then_some(longer)
    }
}

/// The content before the last of some records, which are newest first, from the content after the first of them. It is
/// not looked at if the first record stands alone.
pub(crate) fn rebuild(newest: Option<Arc<str>>, records: &[Undo]) -> Result<Option<Arc<str>>, CodecError> {
    let mut rebuilt: Option<Option<String>> = None;
    for undo in records.iter().filter(|undo| undo.kind != UndoKind::Unchanged) {
        let newer = rebuilt.as_ref().map_or(newest.as_deref(), |content| content.as_deref());
        rebuilt = Some(apply(undo, newer)?);
    }
    Ok(rebuilt.map_or(newest, |content| content.map(Arc::from)))
}

/// The content before a version, from the content of it. A record that stands alone does not look at `newer`.
fn apply(undo: &Undo, newer: Option<&str>) -> Result<Option<String>, CodecError> {
    let newer_text = || newer.ok_or(CodecError::Undo("there is no newer content"));
    match undo.kind {
        UndoKind::Unchanged => Ok(newer.map(str::to_owned)),
        UndoKind::Absent => Ok(None),
        UndoKind::Splices => splice(&splices::decode(&undo.bytes)?, newer_text()?).map(Some),
        UndoKind::ZippedSplices => splice(&splices::decode(&zip::decompress(&undo.bytes)?)?, newer_text()?).map(Some),
        UndoKind::Delta => text(zip::decompress_against(newer_text()?, &undo.bytes)?).map(Some),
        UndoKind::Whole => text(zip::decompress(&undo.bytes)?).map(Some),
    }
}

fn splice(edit: &Edit, newer: &str) -> Result<String, CodecError> {
    edit.apply(newer).map_err(|_| CodecError::Undo("its splices are for another text"))
}

fn text(bytes: Vec<u8>) -> Result<String, CodecError> {
    String::from_utf8(bytes).map_err(|_| CodecError::Undo("it is no text"))
}

/// How many bytes the content had before a change.
fn old_length(write: &ContentWrite) -> u64 {
    match write {
        ContentWrite::Keep => 0,
        ContentWrite::Edit { new, undo } => {
            let (mut gone, mut back) = (0, 0);
            for splice in undo.splices() {
                gone += splice.range.len();
                back += splice.text.len();
            }
            (new.len() + back).saturating_sub(gone) as u64
        }
        ContentWrite::Set { old, .. } => old.as_ref().map_or(0, |old| old.len() as u64),
    }
}

#[cfg(test)]
mod tests {
    use interline_edit::Splice;
    use proptest::prelude::*;

    use super::*;

    /// A content and the records that were left on the way to it, oldest first.
    struct History {
        newest: Option<Arc<str>>,
        chain: Chain,
        records: Vec<Undo>,
    }

    impl History {
        fn new(text: &str) -> History {
            let mut history = History { newest: None, chain: Chain::default(), records: Vec::new() };
            history.set(Some(text));
            history
        }

        fn write(&mut self, write: &ContentWrite) {
            let step = encode_step(write).unwrap();
            let (undo, chain) = match self.chain.extended(write, &step) {
                Some(longer) => (step, longer),
                None => (encode_whole(write).unwrap(), Chain::default()),
            };
            self.records.push(undo);
            self.chain = chain;
        }

        fn set(&mut self, text: Option<&str>) {
            let new: Option<Arc<str>> = text.map(Arc::from);
            self.write(&ContentWrite::Set { old: self.newest.clone(), new: new.clone() });
            self.newest = new;
        }

        fn edit(&mut self, edit: &Edit) {
            let Some(old) = self.newest.clone() else { return };
            let new: Arc<str> = edit.apply(&old).unwrap().into();
            self.write(&ContentWrite::Edit { new: new.clone(), undo: edit.invert(&old).unwrap() });
            self.newest = Some(new);
        }

        /// The contents before each record, oldest first.
        fn rebuilt(&self) -> Vec<Option<String>> {
            let mut content = self.newest.as_deref().map(str::to_owned);
            let mut contents: Vec<Option<String>> = self
                .records
                .iter()
                .rev()
                .map(|undo| {
                    let newer = if undo.kind.stands_alone() { None } else { content.as_deref() };
                    content = apply(undo, newer).unwrap();
                    content.clone()
                })
                .collect();
            contents.reverse();
            contents
        }

        fn bytes(&self) -> usize {
            self.records.iter().map(|undo| undo.bytes.len()).sum()
        }
    }

    #[derive(Clone, Debug)]
    enum Change {
        Keep,
        Set(Option<String>),
        Edit(Vec<(prop::sample::Index, prop::sample::Index, String)>),
    }

    fn change() -> impl Strategy<Value = Change> {
        let text = prop_oneof![
            3 => "[a-zäß€𝄞\r\n ]{0,40}",
            1 => Just(String::new()),
            1 => "[a-z]{0,8}".prop_map(|word| word.repeat(900)),
        ];
        let splice = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), text.clone());
        prop_oneof![
            1 => Just(Change::Keep),
            1 => Just(Change::Set(None)),
            3 => text.prop_map(|text| Change::Set(Some(text))),
            9 => prop::collection::vec(splice, 0..4).prop_map(Change::Edit),
        ]
    }

    /// An edit of `text` whose splices start and end at random characters.
    fn edit_of(text: &str, splices: &[(prop::sample::Index, prop::sample::Index, String)]) -> Edit {
        let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let mut ranges: Vec<_> = splices
            .iter()
            .map(|(a, b, new)| {
                let (a, b) = (*a.get(&boundaries), *b.get(&boundaries));
                Splice { range: a.min(b)..a.max(b), text: new.clone() }
            })
            .collect();
        ranges.sort_by_key(|splice| splice.range.start);
        let mut end = 0;
        ranges.retain(|splice| {
            let disjoint = splice.range.start > end || (end == 0 && splice.range.start == 0);
            end = if disjoint { splice.range.end.max(1) } else { end };
            disjoint
        });
        Edit::new(ranges).unwrap()
    }

    proptest! {
        #[test]
        fn every_version_is_rebuilt_byte_for_byte(changes in prop::collection::vec(change(), 1..60)) {
            let mut history = History::new("start\n");
            let mut contents = vec![None];
            for change in changes {
                contents.push(history.newest.as_deref().map(str::to_owned));
                match change {
                    Change::Keep => history.write(&ContentWrite::Keep),
                    Change::Set(text) => history.set(text.as_deref()),
                    Change::Edit(splices) => {
                        let Some(text) = history.newest.clone() else {
                            contents.pop();
                            continue;
                        };
                        history.edit(&edit_of(&text, &splices));
                    }
                }
            }
            prop_assert_eq!(history.rebuilt(), contents);
        }
    }

    /// Text that does not compress away.
    fn words(bytes: usize, seed: u64) -> String {
        let mut state = seed;
        let mut text = String::with_capacity(bytes + 16);
        while text.len() < bytes {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(&format!("{:x} ", state >> 24));
        }
        text
    }

    #[test]
    fn a_thousand_small_edits_of_a_large_text_take_little() {
        let mut history = History::new(&words(1 << 20, 1));
        for i in 0..1000 {
            let splice = Splice { range: i * 1000..i * 1000 + 20, text: format!("edit number {i}") };
            history.edit(&Edit::new(vec![splice]).unwrap());
        }
        assert!(history.bytes() < 30_000, "{}", history.bytes());
    }

    #[test]
    fn a_whole_write_that_changes_little_takes_little() {
        let text = words(4 << 20, 2);
        let mut history = History::new(&text);
        // A passage from the far end, moved to the front and changed in one place.
        let (front, back) = text.split_at(3 << 20);
        history.set(Some(&format!("{}{front}", back.replacen(' ', " changed ", 1))));
        assert!(history.bytes() < 2_000, "{}", history.bytes());
        assert_eq!(history.rebuilt()[1].as_deref(), Some(&*text));
    }

    #[test]
    fn a_chain_that_outgrows_the_text_ends_in_a_whole_copy() {
        let mut history = History::new(&words(8000, 3));
        for seed in 4..40 {
            let splice = Splice { range: 0..1000, text: words(1000, seed)[..1000].to_owned() };
            history.edit(&Edit::new(vec![splice]).unwrap());
        }
        let copies = history.records.iter().filter(|undo| undo.kind == UndoKind::Whole).count();
        assert!((2..=6).contains(&copies), "{copies}");
        let mut since = 0;
        for undo in &history.records {
            since = if undo.kind.stands_alone() { 0 } else { since + undo.bytes.len() };
            assert!(since <= 8000, "{since}");
        }
    }

    #[test]
    fn a_chain_of_many_small_steps_ends_too() {
        let mut history = History::new(&words(100_000, 5));
        for i in 0..=MAX_CHAIN_STEPS as usize {
            history.edit(&Edit::new(vec![Splice { range: i..i + 1, text: "x".to_owned() }]).unwrap());
        }
        assert_eq!(history.records.last().map(|undo| undo.kind), Some(UndoKind::Whole));
        assert_eq!(history.chain, Chain::default());
    }

    #[test]
    fn a_record_that_does_not_fit_is_an_error() {
        let splices = Undo { kind: UndoKind::Splices, bytes: vec![9, 1, 0] };
        assert!(apply(&splices, Some("short")).is_err());
        assert!(apply(&splices, None).is_err());
        for kind in [UndoKind::Delta, UndoKind::Whole, UndoKind::ZippedSplices] {
            assert!(apply(&Undo { kind, bytes: vec![1, 2, 3] }, Some("text")).is_err());
        }
        assert!(UndoKind::from_number(6).is_err());
    }

    #[test]
    fn kinds_keep_their_numbers() {
        for (number, kind) in [(0, UndoKind::Unchanged), (1, UndoKind::Absent), (2, UndoKind::Splices)] {
            assert_eq!(UndoKind::from_number(number).unwrap(), kind);
        }
        for (number, kind) in [(3, UndoKind::ZippedSplices), (4, UndoKind::Delta), (5, UndoKind::Whole)] {
            assert_eq!(UndoKind::from_number(number).unwrap(), kind);
        }
    }
}
