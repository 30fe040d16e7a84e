//! Finds every occurrence of a byte string in another, overlapping ones included, in linear time and constant memory.

use std::iter::FusedIterator;

use memchr::memmem::Finder;

use super::SearchInterrupted;
use super::work_budget::{SCANNED_BYTES, WorkBudget};

/// How many bytes to look through at once, at the least: the needle's length if that is more.
const PIECE: usize = 256 << 10;

/// The offsets of all occurrences of `needle` in `haystack`, ascending, overlapping ones included.
///
/// An empty needle occurs nowhere. The time is linear in both lengths whatever they hold; a needle that
/// occurs once costs one substring search over the haystack.
pub(crate) fn occurrences<'a>(haystack: &'a [u8], needle: &'a [u8]) -> Occurrences<'a> {
    Occurrences::new(haystack, Finder::new(needle))
}

/// The iterator of [`occurrences`].
///
/// Looking for the next occurrence one byte after the last one reads the needle's length again. That is paid
/// for by the distance between the two when it is more than half of the needle. When it is less, it is the
/// needle's smallest period (were there a smaller one, the text would have shown an occurrence there), so from
/// then on the occurrences at that distance are found by comparing one more period, and there are no others
/// nearer than a length less a period (Fine and Wilf).
#[derive(Debug)]
pub(crate) struct Occurrences<'a> {
    haystack: &'a [u8],
    finder: Finder<'a>,
    /// The last occurrence returned.
    last: Option<usize>,
    /// The needle's smallest period, known once the text has shown it and at most half of the needle.
    period: Option<usize>,
    /// Where no occurrence that is not yet returned can start before.
    from: usize,
}

impl<'a> Occurrences<'a> {
    /// Occurrences of the finder's needle: for a caller that looks for one needle in many texts.
    pub(crate) fn new(haystack: &'a [u8], finder: Finder<'a>) -> Self {
        let from = if finder.needle().is_empty() { haystack.len() + 1 } else { 0 };
        Occurrences { haystack, finder, last: None, period: None, from }
    }

    /// Whether the text goes on for one more period after the occurrence at `last`.
    fn goes_on(&self, last: usize, period: usize) -> bool {
        let needle = self.finder.needle();
        self.haystack[last + needle.len()..].starts_with(&needle[needle.len() - period..])
    }
}

impl Occurrences<'_> {
    /// The next occurrence, within a budget.
    pub(super) fn next_within(&mut self, budget: &mut WorkBudget<'_>) -> Result<Option<usize>, SearchInterrupted> {
        if let (Some(last), Some(period)) = (self.last, self.period) {
            if self.goes_on(last, period) {
                self.last = Some(last + period);
                return Ok(self.last);
            }
            self.from = last + self.finder.needle().len() - period + 1;
        }
        let Some(found) = self.find(budget)? else {
            self.from = self.haystack.len() + 1;
            self.last = None;
            return Ok(None);
        };
        if let Some(last) = self.last
            && self.period.is_none()
            && found - last <= self.finder.needle().len() / 2
        {
            self.period = Some(found - last);
        }
        self.last = Some(found);
        self.from = found + 1;
        Ok(self.last)
    }

    /// The first occurrence at `from` or later, looked for piece by piece.
    fn find(&mut self, budget: &mut WorkBudget<'_>) -> Result<Option<usize>, SearchInterrupted> {
        let needle = self.finder.needle().len();
        while self.from <= self.haystack.len() {
            let next = self.from.saturating_add(PIECE.max(needle));
            // An occurrence that starts in the piece may end a needle's length after it.
            let piece = &self.haystack[self.from..next.saturating_add(needle).min(self.haystack.len())];
            budget.spend(piece.len() / SCANNED_BYTES)?;
            if let Some(offset) = self.finder.find(piece) {
                return Ok(Some(self.from + offset));
            }
            self.from = next;
        }
        Ok(None)
    }
}

impl Iterator for Occurrences<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        // Nobody interrupts it.
        self.next_within(&mut WorkBudget::new(&mut || true)).unwrap_or(None)
    }
}

impl FusedIterator for Occurrences<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(haystack: &str, needle: &str, expected: &[usize]) {
        let found: Vec<usize> = occurrences(haystack.as_bytes(), needle.as_bytes()).collect();
        assert_eq!(found, expected, "{needle:?} in {haystack:?}");
    }

    #[test]
    fn overlapping_occurrences_all_count() {
        check("aaa", "aa", &[0, 1]);
        check("aaaaa", "aaa", &[0, 1, 2]);
        check("abababa", "aba", &[0, 2, 4]);
        check("abaababaab", "abaab", &[0, 5]);
        check("a\n\n\nb\n\n", "\n\n", &[1, 2, 5]);
    }

    #[test]
    fn edges() {
        check("", "a", &[]);
        check("", "", &[]);
        check("abc", "", &[]);
        check("a", "aa", &[]);
        check("a", "a", &[0]);
        check("aXa", "a", &[0, 2]);
    }

    /// All words of two letters up to these lengths: every shape of periods and borders.
    #[test]
    fn agrees_with_trying_every_offset() {
        let words = |length: u32| (0..1_u32 << length).map(move |bits| word(bits, length));
        for haystack in words(11) {
            for needle in (1..=6).flat_map(words) {
                let expected: Vec<usize> =
                    (0..haystack.len()).filter(|&at| haystack[at..].starts_with(&needle)).collect();
                let found: Vec<usize> = occurrences(haystack.as_bytes(), needle.as_bytes()).collect();
                assert_eq!(found, expected, "{needle:?} in {haystack:?}");
            }
        }
    }

    fn word(bits: u32, length: u32) -> String {
        (0..length).map(|at| if bits >> at & 1 == 0 { 'a' } else { 'b' }).collect()
    }

    #[test]
    fn an_exhausted_iterator_stays_so() {
        let mut found = occurrences(b"aXaa", b"a");
        assert_eq!(found.by_ref().count(), 3);
        assert_eq!(found.next(), None);
        assert_eq!(found.next(), None);
    }

    /// These would take hours if each occurrence cost its needle's length.
    #[test]
    fn repetitive_texts_are_linear() {
        let text = "a".repeat(4 << 20);
        let (half, end) = (text.len() / 2, text.len());
        assert_eq!(occurrences(text.as_bytes(), &text.as_bytes()[..1000]).count(), end - 999);
        assert_eq!(occurrences(text.as_bytes(), &text.as_bytes()[..half]).count(), end - half + 1);
        let needle = "ab".repeat(half / 4);
        let text = "ab".repeat(half);
        assert_eq!(occurrences(text.as_bytes(), needle.as_bytes()).count(), (text.len() - needle.len()) / 2 + 1);
        let needle = "a".repeat(1000);
        let text = format!("{}b", "a".repeat(1999)).repeat(2000);
        assert_eq!(occurrences(text.as_bytes(), needle.as_bytes()).count(), 1000 * 2000);
    }
}
