//! Offers of a refusal: the change that a refused edit probably meant, and the id by which it can be asked for.

use interline_edit::{Edit, UnifiedDiff};

use crate::{Error, Snapshot};

use super::resolve::engine_mismatch;

/// A change that a refused edit probably meant. It is made only when the request is repeated with its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeOffer {
    /// Names the item, its version, the request and the result.
    pub id: String,
    /// 1-based first line of the passage that would change.
    pub line: usize,
    /// 1-based last line of it.
    pub end_line: usize,
    /// What would change.
    pub diff: UnifiedDiff,
}

impl MergeOffer {
    /// Whether the whole diff goes into a refusal: what cannot be seen is not offered.
    pub(super) fn can_be_seen(&self) -> bool {
        const MAX_DIFF_BYTES: usize = 32 * 1024;
        !self.diff.truncated && self.diff.text.len() <= MAX_DIFF_BYTES
    }
}

/// A change that can be offered, of one passage of a text.
pub(super) struct OfferedChange {
    pub(super) edit: Edit,
    pub(super) line: usize,
    pub(super) end_line: usize,
}

impl OfferedChange {
    /// The offer of this change to a request that names `old_str` and `new_str`.
    pub(super) fn to_offer(
        &self,
        before: &Snapshot,
        text: &str,
        old_str: &str,
        new_str: &str,
    ) -> Result<MergeOffer, Error> {
        let result = self.edit.apply(text).map_err(engine_mismatch)?;
        let diff = self.edit.diff(text).map_err(engine_mismatch)?;
        let id = offer_id(before, [old_str, new_str, &result]);
        Ok(MergeOffer { id, line: self.line, end_line: self.end_line, diff })
    }
}

/// A hash: whoever knows it has seen what it stands for.
fn offer_id(before: &Snapshot, texts: [&str; 3]) -> String {
    const HEX_DIGITS: usize = 32;
    let mut hasher = blake3::Hasher::new();
    hasher.update(before.item.id.to_string().as_bytes());
    hasher.update(&before.item.stamp.version.to_le_bytes());
    for text in texts {
        // With its length: no two lists of texts are the same bytes.
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    let mut id = hasher.finalize().to_hex().to_string();
    id.truncate(HEX_DIGITS);
    id
}
