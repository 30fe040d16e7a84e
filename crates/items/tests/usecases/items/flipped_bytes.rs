//! Bytes of the file are damaged at random: no text is returned that was not written, and no edit is built on one.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use interline_items::fields::Limits;
use interline_items::{
    Contents, EditRequest, Error, ExpectedVersion, Filter, FindItems, InsertAt, Interline, Item, ItemDraft, ItemRef,
    Kind, PageStart, ReadContent, Source, TagMatch, TextChange, TextFilter, User, View,
};
use interline_storage::SqliteStore;

use crate::world::{by_id, empty};

/// Lengths of contents: within a page, over a few, over many.
const SIZES: [usize; 7] = [60, 700, 3_000, 20_000, 90_000, 400_000, 1_500_000];
const VERSIONS: u64 = 4;
/// Each damages a copy of the file in other places.
const SEEDS: u64 = 12;

/// An item, and the text of each of its versions.
struct Written {
    item: Item,
    texts: Vec<String>,
}

/// How many reads and edits succeeded, and how many were refused because of damage.
#[derive(Debug, Default)]
struct Tally {
    right: u64,
    refused: u64,
    wrong: Vec<String>,
}

impl Tally {
    fn add(&mut self, what: &str, outcome: Result<Option<String>, Error>, expected: &str) {
        match outcome {
            Ok(Some(text)) if text == expected => self.right += 1,
            Ok(Some(_)) => self.wrong.push(format!("{what}: another text")),
            Ok(None) => self.wrong.push(format!("{what}: no text")),
            // An index that is damaged may not find an item that is there.
            Err(_) => self.refused += 1,
        }
    }
}

#[tokio::test]
async fn no_damaged_text_is_returned_or_edited() {
    let (interline, file, directory) = empty(Limits::default());
    let (user, _) = interline.first_start("owner").await.unwrap().unwrap();
    let written = write_items(&interline, &user).await;
    interline.complete_index().await.unwrap();
    drop(interline);

    let whole = fs::read(&file).unwrap();
    let mut tally = Tally::default();
    for seed in 0..SEEDS {
        let path = directory.path().join(format!("damaged-{seed}.db"));
        fs::write(&path, damaged(whole.clone(), seed)).unwrap();
        use_all(&path, &user, &written, &mut tally).await;
        fs::remove_file(&path).unwrap();
    }
    assert!(tally.wrong.is_empty(), "{} of {}: {:?}", tally.wrong.len(), tally.right + tally.refused, tally.wrong);
    assert!(tally.refused > 20 && tally.right > 20, "{tally:?}");
}

/// Items of each size, with several versions by edits and by whole writes.
async fn write_items(interline: &Interline, user: &User) -> Vec<Written> {
    let caller = interline.trusted(user.id, Source::Cli).await.unwrap();
    let mut written = Vec::new();
    for (number, size) in SIZES.into_iter().enumerate() {
        let line = |line: usize| format!("line {line} of text {number}: the quick brown fox jumps over it\n");
        let first: String = (0..size / 50 + 1).map(line).collect();
        let draft =
            ItemDraft { title: Some(format!("Text {number}")), content: Some(first.clone()), ..ItemDraft::default() };
        let item = interline.create(&caller, Kind::Note, draft).await.unwrap().item;
        let mut texts = vec![first];
        for version in 2..=VERSIONS {
            let edited = interline.edit(&caller, &by_id(&item), appended(&format!("version {version}"))).await.unwrap();
            texts.push(edited.after.content.unwrap().to_string());
        }
        written.push(Written { item, texts });
    }
    written
}

fn appended(line: &str) -> EditRequest {
    EditRequest::new(TextChange::Insert { at: InsertAt::End, new_str: line.to_owned() })
}

/// Overwrites short runs of bytes, after the first page, without which SQLite does not take the file for its own.
fn damaged(mut bytes: Vec<u8>, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let places = bytes.len() / 40_000;
    for _ in 0..places {
        let start = 4_096 + usize::try_from(next()).unwrap_or(0) % (bytes.len() - 4_200);
        let length = 1 + usize::try_from(next() % 24).unwrap_or(0);
        // Half of the runs are letters, so that a text stays one.
        let is_text = next() % 2 == 0;
        for byte in &mut bytes[start..start + length] {
            *byte = if is_text { b'a' + (next() % 26) as u8 } else { next().to_le_bytes()[0] };
        }
    }
    bytes
}

/// Reads, edits, lists and searches everything in a damaged file.
async fn use_all(path: &Path, user: &User, written: &[Written], tally: &mut Tally) {
    let Ok(store) = SqliteStore::open(path) else { return };
    let interline = Interline::new(Arc::new(store), Limits::default());
    let Ok(caller) = interline.trusted(user.id, Source::Cli).await else { return };
    for Written { item, texts } in written {
        let (which, newest) = (ItemRef::Id(item.id, None), texts.last().unwrap());
        let read = interline.read(&caller, &which, ReadContent::Whole).await;
        tally.add("a read", read.map(|read| read.part.map(|part| part.text.to_string())), newest);
        for (version, text) in (1..).zip(texts) {
            let read = interline.read_version(&caller, &which, version, ReadContent::Whole).await;
            tally.add("a version", read.map(|read| read.part.map(|part| part.text.to_string())), text);
        }
        let expected = format!("{}\none more", newest.trim_end());
        let edited = interline.edit(&caller, &which, appended("one more")).await;
        let edited = edited.map(|edited| edited.after.content.map(|text| text.trim_end().to_owned()));
        tally.add("an edit", edited, &expected);
        // Whatever it says, it answers.
        let _ = interline.restore_version(&caller, &which, 1, ExpectedVersion::Any).await;
    }
    list(&interline, &caller, written, tally).await;
}

async fn list(interline: &Interline, caller: &interline_items::Caller, written: &[Written], tally: &mut Tally) {
    let text = TextFilter::parse(Some("quick"), None).unwrap();
    let order = text.order(None, None).unwrap();
    let filter = Filter {
        spaces: BTreeSet::new(),
        kinds: [Kind::Note].into(),
        tags: Vec::new(),
        tag_match: TagMatch::All,
        views: [View::Active].into(),
    };
    let request = FindItems { text, filter, order, start: PageStart::Offset(0), limit: 50, contents: Contents::Read };
    let Ok(found) = interline.find_items(caller, request).await else { return };
    for hit in found.items {
        let (id, content) = (hit.snapshot.item.id, hit.snapshot.content);
        let Some(Written { texts, .. }) = written.iter().find(|written| written.item.id == id) else { continue };
        if let Some(content) = content
            && !texts.iter().any(|text| content.starts_with(text.trim_end()))
        {
            tally.wrong.push("a listed content: another text".to_owned());
        }
        if let Some(snippet) = hit.snippet
            && !texts[0].contains(snippet.text.trim_matches('…').trim())
        {
            tally.wrong.push(format!("a snippet: {}", snippet.text));
        }
    }
}
