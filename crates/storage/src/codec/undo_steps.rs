//! Steps back through a history: undo records, each with the content before it decoded.

use std::sync::Arc;

use interline_items::{
    ContentBefore, Corruption, ItemId, StoreError, UndoPage, UndoRest, UndoStart, UndoStep, content_hash,
};

use super::CodecError;
use super::undo::{self, UndoKind, UndoRecord};

/// A version as it is stored: how to take it back, and the hash of its content. Those of older programs have none.
pub(crate) struct StoredStep {
    pub(crate) version: u64,
    pub(crate) undo: UndoRecord,
    pub(crate) hash: Option<[u8; 32]>,
}

/// The steps of some versions in a row, newest first. The last of them is not taken back: with it the next page begins, unless it
/// is the only one, which is the oldest.
pub(crate) fn page(item: ItemId, start: UndoStart, versions: &[StoredStep]) -> Result<UndoPage, StoreError> {
    let mut content = ContentThen { text: start.content, edits: Vec::new() };
    let mut steps = Vec::new();
    for pair in versions.windows(2) {
        let [StoredStep { version, undo, .. }, older] = pair else { continue };
        let damaged = |error: CodecError| damage(item, older.version, &error.to_string());
        let before = match content.take_back(undo).map_err(damaged)? {
            TakenBack::Unchanged => continue,
            TakenBack::Known(before) => before,
            TakenBack::Lost => return Ok(UndoPage { steps, rest: UndoRest::End { oldest: *version } }),
        };
        match &before {
            ContentBefore::Text(text) if !older.is_of(text) => {
                // A repair kept what could still be read of a damaged content.
                if undo.kind == UndoKind::Whole {
                    return Ok(UndoPage { steps, rest: UndoRest::End { oldest: *version } });
                }
                return Err(damage(item, older.version, ANOTHER_HASH));
            }
            ContentBefore::Text(_) | ContentBefore::Edited(_) | ContentBefore::Absent => {}
        }
        steps.push(UndoStep { version: *version, before });
    }
    let rest = match versions {
        [] => UndoRest::End { oldest: start.version },
        [only] => UndoRest::End { oldest: only.version },
        [.., last] => {
            let content = content.rebuilt().map_err(|error| damage(item, last.version, &error.to_string()))?;
            if content.as_ref().is_some_and(|text| !last.is_of(text)) {
                return Err(damage(item, last.version, ANOTHER_HASH));
            }
            UndoRest::More(UndoStart { version: last.version, content })
        }
    };
    Ok(UndoPage { steps, rest })
}

const ANOTHER_HASH: &str = "it was not rebuilt with its hash";

fn damage(item: ItemId, version: u64, detail: &str) -> StoreError {
    StoreError::Corrupt(Corruption::of_version(item, version, detail))
}

impl StoredStep {
    fn is_of(&self, text: &str) -> bool {
        self.hash.is_none_or(|hash| content_hash(text) == hash)
    }
}

/// A content on its way back: a text, and edits that were not applied to it yet.
struct ContentThen {
    text: Option<Arc<str>>,
    edits: Vec<interline_edit::Edit>,
}

/// What a record tells of the content before it.
enum TakenBack {
    Unchanged,
    Known(ContentBefore),
    Lost,
}

impl ContentThen {
    fn take_back(&mut self, UndoRecord { kind, bytes }: &UndoRecord) -> Result<TakenBack, CodecError> {
        let before = match kind {
            UndoKind::Unchanged => return Ok(TakenBack::Unchanged),
            UndoKind::Lost => return Ok(TakenBack::Lost),
            UndoKind::Splices | UndoKind::ZippedSplices => {
                let is_plain = *kind == UndoKind::Splices;
                let edit = if is_plain { undo::decode_splices(bytes)? } else { undo::decode_zipped_splices(bytes)? };
                self.edits.push(edit.clone());
                ContentBefore::Edited(edit)
            }
            UndoKind::Delta => {
                let newer = self.rebuilt()?.ok_or(undo::NO_NEWER)?;
                self.replace(Some(undo::decode_delta(&newer, bytes)?))
            }
            UndoKind::Whole => self.replace(Some(undo::decode_whole(bytes)?)),
            UndoKind::Absent => self.replace(None),
        };
        Ok(TakenBack::Known(before))
    }

    fn replace(&mut self, text: Option<Arc<str>>) -> ContentBefore {
        self.edits.clear();
        self.text.clone_from(&text);
        text.map_or(ContentBefore::Absent, ContentBefore::Text)
    }

    /// The content with all edits applied.
    fn rebuilt(&mut self) -> Result<Option<Arc<str>>, CodecError> {
        let edits = std::mem::take(&mut self.edits);
        self.text = undo::apply_edits(self.text.take(), &edits)?;
        Ok(self.text.clone())
    }
}
