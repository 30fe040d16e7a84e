//! Merging three texts, and the places of a conflict in as many bytes as an answer may have.

use std::sync::Arc;

use interline_edit::{ConflictLines, Edit, MergeConflict, merge};

use crate::{ConflictPassage, ConflictPlace, ContentWrite, Error};

/// The longest text of a place that an error has.
const MAX_PASSAGE_BYTES: usize = 6 * 1024;
/// How many bytes the places of an error have together, at the most; the first one is always there.
const MAX_PLACES_BYTES: usize = 20 * 1024;

/// What comes of three texts.
pub(in crate::usecases) enum TextMerge {
    /// A text, which is `None` if it is the stored one.
    Clean(Option<MergedText>),
    /// The first places that both sides changed, and how many there are.
    Conflicts { places: Vec<ConflictPlace>, total: usize },
}

/// A merged text, and the edit from it back to the stored one.
pub(in crate::usecases) struct MergedText {
    pub(in crate::usecases) new: Arc<str>,
    undo: Edit,
}

impl MergedText {
    /// The change from the stored content to this text.
    pub(in crate::usecases) fn into_write(self, stored: &Option<Arc<str>>) -> ContentWrite {
        let MergedText { new, undo } = self;
        match stored {
            Some(_) => ContentWrite::Edit { new, undo },
            None => ContentWrite::Set { old: None, new: Some(new) },
        }
    }
}

/// Merges base, ours and theirs, which is the stored one.
pub(in crate::usecases) fn merge_texts([base, ours, theirs]: [&str; 3]) -> Result<TextMerge, Error> {
    let mismatch = |mismatch: interline_edit::EditMismatch| Error::Internal(mismatch.to_string());
    let edit = match merge(base, ours, theirs) {
        Ok(edit) => edit,
        Err(conflicts) => return Ok(TextMerge::Conflicts { places: places(&conflicts), total: conflicts.len() }),
    };
    if edit.is_empty() {
        return Ok(TextMerge::Clean(None));
    }
    let (new, undo) = (edit.apply(theirs).map_err(mismatch)?.into(), edit.invert(theirs).map_err(mismatch)?);
    Ok(TextMerge::Clean(Some(MergedText { new, undo })))
}

fn places(conflicts: &[MergeConflict<'_>]) -> Vec<ConflictPlace> {
    let mut places = Vec::new();
    let mut bytes = 0;
    for MergeConflict { base, ours, theirs } in conflicts {
        let place = ConflictPlace { base: passage(base), ours: passage(ours), theirs: passage(theirs) };
        bytes += [&place.base, &place.ours, &place.theirs].map(passage_bytes).iter().sum::<usize>();
        if bytes > MAX_PLACES_BYTES && !places.is_empty() {
            break;
        }
        places.push(place);
    }
    places
}

/// A passage with its line numbers, about.
fn passage_bytes(passage: &ConflictPassage) -> usize {
    const NUMBERS: usize = 60;
    passage.text.len() + NUMBERS
}

/// The lines, or the first of them; of a line that alone is too long, its beginning.
fn passage(lines: &ConflictLines<'_>) -> ConflictPassage {
    let ConflictLines { start_line, end_line, text } = *lines;
    let truncated = text.len() > MAX_PASSAGE_BYTES;
    let shown = &text[..text.floor_char_boundary(MAX_PASSAGE_BYTES)];
    let shown = match shown.rfind('\n') {
        Some(last) if truncated => &shown[..=last],
        Some(_) | None => shown,
    };
    ConflictPassage { start_line, end_line, text: shown.to_owned(), truncated }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conflicts(texts: [&str; 3]) -> (Vec<ConflictPlace>, usize) {
        match merge_texts(texts).unwrap() {
            TextMerge::Conflicts { places, total } => (places, total),
            TextMerge::Clean(_) => panic!("there is no conflict"),
        }
    }

    #[test]
    fn the_places_of_a_conflict_are_bounded() {
        let side = |word: &str| (0..500).map(|line| format!("{word} {line}\nkept {line}\n")).collect::<String>();
        let (places, total) = conflicts([&side("base"), &side("ours"), &side("theirs")]);
        assert_eq!(total, 500);
        assert!((50..150).contains(&places.len()), "{}", places.len());
        assert_eq!((places[0].ours.text.as_str(), places[1].theirs.start_line), ("ours 0\n", 3));

        let long = |word: &str| format!("{word}\n").repeat(10_000);
        let (places, total) = conflicts(["", &long("ours"), &"€".repeat(50_000)]);
        assert_eq!((places.len(), total), (1, 1));
        let ConflictPlace { base, ours, theirs } = &places[0];
        assert_eq!((base.start_line, base.end_line, base.truncated), (1, 0, false));
        assert!(ours.truncated && ours.text.len() <= MAX_PASSAGE_BYTES && ours.text.ends_with("ours\n"));
        assert_eq!((ours.start_line, ours.end_line), (1, 10_000));
        assert!(theirs.truncated && theirs.text.len() == MAX_PASSAGE_BYTES);
    }
}
