//! Why a change that was made for an older version could not be merged with what was stored since.

use std::fmt;

use super::{Error, quoted_names};

/// Why a change was not merged; nothing of it is stored.
#[derive(Debug)]
pub enum FailedMerge {
    /// What was sent and what is stored changed the same since the base.
    BothChanged {
        /// Names of the fields, in the order of the wire.
        fields: Vec<&'static str>,
        /// The first places of the content, as many as an answer lists.
        places: Vec<ConflictPlace>,
        /// How many places there are.
        total: usize,
    },
    /// The contents can be merged, but what comes of it is not what the kind demands, unlike what was sent.
    Invalid(Error),
}

/// A place of a content that both sides changed, as each of the three texts has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConflictPlace {
    /// In the expected version.
    pub base: ConflictPassage,
    /// In what was sent.
    pub ours: ConflictPassage,
    /// In what is stored.
    pub theirs: ConflictPassage,
}

/// Lines of one text; none, before `start_line`, when that is `end_line + 1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConflictPassage {
    /// First line, 1-based.
    pub start_line: usize,
    /// Last line, inclusive.
    pub end_line: usize,
    /// Their text, every line ending included, or the beginning of it.
    pub text: String,
    /// Whether `text` is only the beginning.
    pub truncated: bool,
}

impl FailedMerge {
    /// What to do next, where the item is at `version`.
    pub(super) fn suggestion(&self, version: u64) -> String {
        match self {
            FailedMerge::BothChanged { places, .. } if places.is_empty() => format!(
                "nothing was applied: leave out the fields named in `fields`, or read the item again and send them for \
                 version {version}"
            ),
            FailedMerge::BothChanged { .. } => format!(
                "nothing was applied: settle the places in `conflicts` on the content of version {version}, then send \
                 the whole content with that version"
            ),
            FailedMerge::Invalid(_) => format!(
                "nothing was applied: read the item again, make the change fit version {version}, then send the whole \
                 content with that version"
            ),
        }
    }
}

impl fmt::Display for FailedMerge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (fields, total) = match self {
            FailedMerge::Invalid(error) => return write!(f, "what comes of merging them is refused: {error}"),
            FailedMerge::BothChanged { fields, total, .. } => (fields, *total),
        };
        f.write_str("both change ")?;
        if total > 0 {
            write!(f, "{total} place{} of the content", if total == 1 { "" } else { "s" })?;
        }
        if fields.is_empty() {
            return Ok(());
        }
        let (and, s) = (if total > 0 { " and " } else { "" }, if fields.len() == 1 { "" } else { "s" });
        write!(f, "{and}the field{s} {}", quoted_names(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_what_both_changed() {
        let both = |fields: &[&'static str], total| FailedMerge::BothChanged {
            fields: fields.to_vec(),
            places: Vec::new(),
            total,
        };
        for (failed, message) in [
            (both(&[], 1), "both change 1 place of the content"),
            (both(&["title"], 2), "both change 2 places of the content and the field `title`"),
            (both(&["title", "tags"], 0), "both change the fields `title`, `tags`"),
            (
                FailedMerge::Invalid(Error::TooLarge { limit: 1, actual: 2 }),
                "what comes of merging them is refused: the content has 2 bytes, and 1 are allowed",
            ),
        ] {
            assert_eq!(failed.to_string(), message);
        }
    }
}
