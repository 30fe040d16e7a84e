//! Edits as values.

use std::fmt;
use std::ops::Range;

use crate::diff::{self, UnifiedDiff, common_bytes};

/// One replacement of a byte range of the original text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splice {
    /// Byte range of the original text that goes; empty for an insertion.
    pub range: Range<usize>,
    /// What stands there afterwards.
    pub text: String,
}

impl Splice {
    /// Leaves out what it replaces by itself at its start and end.
    fn trim(&mut self, original: &str) {
        let old = &original[self.range.clone()];
        let mut at_start = common_bytes(old.as_bytes(), self.text.as_bytes());
        // A character that is the same in its first bytes only is another one.
        while !(old.is_char_boundary(at_start) && self.text.is_char_boundary(at_start)) {
            at_start -= 1;
        }
        let (old_rest, new_rest) = (&old[at_start..], &self.text[at_start..]);
        let mut at_end = old_rest.bytes().rev().zip(new_rest.bytes().rev()).take_while(|(a, b)| a == b).count();
        while !old_rest.is_char_boundary(old_rest.len() - at_end) {
            at_end -= 1;
        }
        self.range = self.range.start + at_start..self.range.end - at_end;
        self.text.truncate(self.text.len() - at_end);
        self.text.drain(..at_start);
    }
}

/// A change of one text: splices over the original, sorted, disjoint and on character boundaries.
///
/// Two splices may touch (`a..b`, `b..c`); at most one of them is empty at any point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edit {
    splices: Vec<Splice>,
}

/// The edit was made for another text: a range lies outside of it or inside a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EditMismatch;

impl fmt::Display for EditMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the edit was made for another text")
    }
}

impl std::error::Error for EditMismatch {}

impl Edit {
    /// Takes splices that are sorted and disjoint; `None` if they are not.
    pub fn new(splices: Vec<Splice>) -> Option<Edit> {
        let ordered = splices.iter().all(|splice| splice.range.start <= splice.range.end)
            && splices.windows(2).all(|pair| {
                let (a, b) = (&pair[0].range, &pair[1].range);
                a.end <= b.start && a != b
            });
        ordered.then_some(Edit { splices })
    }

    /// Makes the smallest edit that does the same as these splices over `original`: sorted, on character boundaries,
    /// touching at most.
    pub(crate) fn minimal(original: &str, splices: Vec<Splice>) -> Edit {
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

    /// The change as a unified diff. Its cost is that of the edit and of copying its lines, not of comparing texts.
    pub fn diff(&self, original: &str) -> Result<UnifiedDiff, EditMismatch> {
        diff::of_edit(original, self)
    }
}
