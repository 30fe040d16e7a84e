//! An edit as a value: sorted, disjoint splices over a text, applied, inverted and shown as a diff.

use std::fmt;
use std::ops::Range;

use crate::diff::{self, UnifiedDiff, common_bytes};

pub use changed_lines::ChangedLines;

mod changed_lines;
mod composition;

/// One replacement of a byte range of the original text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splice {
    /// Byte range of the original text that goes; empty for an insertion.
    pub range: Range<usize>,
    /// The text that replaces it.
    pub text: String,
}

impl Splice {
    /// Shrinks the splice by the bytes at its start and end that it replaces by the same bytes.
    fn trim(&mut self, original: &str) {
        let (at_start, at_end) = common_at_edges(&original[self.range.clone()], &self.text);
        self.range = self.range.start + at_start..self.range.end - at_end;
        self.text.truncate(self.text.len() - at_end);
        self.text.drain(..at_start);
    }
}

/// How many bytes two texts have in common at their start, and then at their end; both on character boundaries.
pub(crate) fn common_at_edges(a: &str, b: &str) -> (usize, usize) {
    let mut at_start = common_bytes(a.as_bytes(), b.as_bytes());
    // A character that has only its first bytes in common is another character.
    while !(a.is_char_boundary(at_start) && b.is_char_boundary(at_start)) {
        at_start -= 1;
    }
    let (a, b) = (&a[at_start..], &b[at_start..]);
    let mut at_end = a.bytes().rev().zip(b.bytes().rev()).take_while(|(a, b)| a == b).count();
    while !a.is_char_boundary(a.len() - at_end) {
        at_end -= 1;
    }
    (at_start, at_end)
}

/// Makes one splice of those that touch.
fn join(splices: Vec<Splice>) -> Vec<Splice> {
    let mut joined: Vec<Splice> = Vec::with_capacity(splices.len());
    for splice in splices {
        match joined.last_mut() {
            Some(last) if splice.range.start <= last.range.end => {
                last.range.end = splice.range.end;
                last.text.push_str(&splice.text);
            }
            _ => joined.push(splice),
        }
    }
    joined
}

/// A change of one text: splices over the original, sorted, disjoint and on character boundaries.
///
/// No two splices touch: there is at least one byte between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edit {
    splices: Vec<Splice>,
}

/// The edit was made for another text: a range of it lies outside of this one or inside a character. That an edit fits
/// does not show that it was made for a text; its owner must know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EditMismatch;

impl fmt::Display for EditMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the edit was made for another text")
    }
}

impl std::error::Error for EditMismatch {}

impl Edit {
    /// Takes splices that are sorted and disjoint, and joins those that touch; `None` if they are not.
    pub fn new(splices: Vec<Splice>) -> Option<Edit> {
        let ordered = splices.iter().all(|splice| splice.range.start <= splice.range.end)
            && splices.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start);
        ordered.then(|| Edit { splices: join(splices) })
    }

    /// Makes the smallest edit that does the same as these splices over `original`: sorted, on character boundaries,
    /// touching at most.
    pub(crate) fn minimal(original: &str, splices: Vec<Splice>) -> Edit {
        let mut joined = join(splices);
        joined.iter_mut().for_each(|splice| splice.trim(original));
        joined.retain(|splice| !(splice.range.is_empty() && splice.text.is_empty()));
        Edit { splices: joined }
    }

    /// The splices, in the order of the text.
    pub fn splices(&self) -> &[Splice] {
        &self.splices
    }

    /// Whether applying it leaves every text as it is.
    pub fn is_empty(&self) -> bool {
        self.splices.is_empty()
    }

    /// The text after the edit. Bytes outside the splices are those of `original`.
    pub fn apply(&self, original: &str) -> Result<String, EditMismatch> {
        let removed: usize = self.splices.iter().map(|splice| splice.range.len()).sum();
        let added: usize = self.splices.iter().map(|splice| splice.text.len()).sum();
        let mut result = String::with_capacity((original.len() + added).saturating_sub(removed));
        let mut position = 0;
        for Splice { range, text } in &self.splices {
            result.push_str(original.get(position..range.start).ok_or(EditMismatch)?);
            result.push_str(text);
            position = range.end;
        }
        result.push_str(original.get(position..).ok_or(EditMismatch)?);
        Ok(result)
    }

    /// The edit that leads from the text after this edit back to `original`.
    pub fn invert(&self, original: &str) -> Result<Edit, EditMismatch> {
        let mut splices = Vec::with_capacity(self.splices.len());
        let (mut removed, mut added) = (0, 0);
        for Splice { range, text } in &self.splices {
            let start = range.start - removed + added;
            let gone = original.get(range.clone()).ok_or(EditMismatch)?;
            splices.push(Splice { range: start..start + text.len(), text: gone.to_owned() });
            removed += range.len();
            added += text.len();
        }
        Ok(Edit { splices })
    }

    /// The change as a unified diff. Only the lines that the splices touch are compared.
    pub fn diff(&self, original: &str) -> Result<UnifiedDiff, EditMismatch> {
        diff::diff_of_edit(original, self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn splice(range: Range<usize>, text: &str) -> Splice {
        Splice { range, text: text.to_owned() }
    }

    #[test]
    fn splices_that_touch_are_one() {
        let edit = Edit::new(vec![splice(0..2, "x"), splice(2..2, "y")]).unwrap();
        assert_eq!(edit.splices(), [splice(0..2, "xy")]);
        let removal = Edit::new(vec![splice(0..1, ""), splice(1..2, "")]).unwrap();
        assert_eq!(removal.invert("ab").unwrap().splices(), [splice(0..0, "ab")]);
        assert_eq!(Edit::new(vec![splice(1..2, ""), splice(0..1, "")]), None);
    }

    #[test]
    fn an_edit_that_does_not_fit_is_refused() {
        let edit = Edit::new(vec![splice(1..2, "x")]).unwrap();
        for text in ["a", "é"] {
            assert_eq!(edit.apply(text), Err(EditMismatch));
            assert_eq!(edit.invert(text), Err(EditMismatch));
            assert_eq!(edit.diff(text), Err(EditMismatch));
        }
    }

    #[test]
    fn the_smallest_edit_ends_at_characters() {
        let edit = Edit::minimal("aéz", vec![splice(0..4, "aèz")]);
        assert_eq!(edit.splices(), [splice(1..3, "è")]);
        assert!(Edit::minimal("aéz", vec![splice(0..4, "aéz")]).is_empty());
    }
}
