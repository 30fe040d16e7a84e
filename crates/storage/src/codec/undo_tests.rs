//! Tests of undo records: histories of contents, and their rebuilding.

use interline_edit::Splice;
use proptest::prelude::*;

use super::*;

/// The content before a record.
fn apply(undo: &UndoRecord, newer: Option<&str>) -> Result<Option<String>, CodecError> {
    let older = rebuild(newer.map(Arc::from), std::slice::from_ref(undo))?;
    Ok(older.as_deref().map(str::to_owned))
}

/// A content and the records that were left on the way to it, oldest first.
struct History {
    newest: Option<Arc<str>>,
    chain: UndoChain,
    records: Vec<UndoRecord>,
}

impl History {
    fn new(text: &str) -> History {
        let mut history = History { newest: None, chain: UndoChain::default(), records: Vec::new() };
        history.set(Some(text));
        history
    }

    fn write(&mut self, write: &ContentWrite) {
        let step = encode_step(write).unwrap();
        let (undo, chain) = match self.chain.extended(write, &step) {
            Some(longer) => (step, longer),
            None => (encode_whole(write).unwrap(), UndoChain::default()),
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
        prop_assert_eq!(history.rebuilt(), contents.clone());
        for (oldest, content) in contents.iter().enumerate() {
            let records: Vec<UndoRecord> = history.records[oldest..].iter().rev().cloned().collect();
            let rebuilt = rebuild(history.newest.clone(), &records).unwrap();
            prop_assert_eq!(rebuilt.as_deref(), content.as_deref());
        }
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
    assert_eq!(history.chain, UndoChain::default());
}

#[test]
fn a_record_that_does_not_fit_is_an_error() {
    let splices = UndoRecord { kind: UndoKind::Splices, bytes: vec![9, 1, 0] };
    assert!(apply(&splices, Some("short")).is_err());
    assert!(apply(&splices, None).is_err());
    for kind in [UndoKind::Delta, UndoKind::Whole, UndoKind::ZippedSplices] {
        assert!(apply(&UndoRecord { kind, bytes: vec![1, 2, 3] }, Some("text")).is_err());
    }
    assert!(apply(&UndoRecord { kind: UndoKind::Lost, bytes: Vec::new() }, Some("text")).is_err());
    assert!(UndoKind::from_number(7).is_err());
}

#[test]
fn kinds_keep_their_numbers() {
    for (number, kind) in [(0, UndoKind::Unchanged), (1, UndoKind::Absent), (2, UndoKind::Splices)] {
        assert_eq!(UndoKind::from_number(number).unwrap(), kind);
    }
    for (number, kind) in
        [(3, UndoKind::ZippedSplices), (4, UndoKind::Delta), (5, UndoKind::Whole), (6, UndoKind::Lost)]
    {
        assert_eq!(UndoKind::from_number(number).unwrap(), kind);
    }
}
