//! The line ranges that an edit changed, in the text after the edit.

use crate::lines::newlines;

use super::{Edit, EditMismatch, Splice};

/// Lines of the text after an edit, 1-based, both inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangedLines {
    /// First line.
    pub start_line: usize,
    /// Last line.
    pub end_line: usize,
}

impl Edit {
    /// The lines of `new_text`, which is the text after this edit, that it touched. Every other line is one of the text
    /// before; where lines were only removed, the range is the line that stands there now.
    ///
    /// In order; two ranges are one where they would share or touch lines when shown with so many lines of context.
    pub fn changed_lines(&self, new_text: &str, context_lines: usize) -> Result<Vec<ChangedLines>, EditMismatch> {
        let nearest = context_lines.saturating_mul(2).saturating_add(1);
        let mut changed: Vec<ChangedLines> = Vec::new();
        let (mut removed, mut added) = (0, 0);
        let (mut counted, mut line) = (0, 1);
        for splice in &self.splices {
            let start = (splice.range.start - removed).checked_add(added).ok_or(EditMismatch)?;
            let from_start = new_text.get(start..).ok_or(EditMismatch)?;
            let after = from_start.get(splice.text.len()..).ok_or(EditMismatch)?;
            line += newlines(&new_text.as_bytes()[counted..start]);
            let lines = touched(&new_text[..start], splice, after, line);
            match changed.last_mut() {
                Some(last) if lines.start_line - last.end_line <= nearest => last.end_line = lines.end_line,
                _ => changed.push(lines),
            }
            counted = start + splice.text.len();
            line += newlines(splice.text.as_bytes());
            removed += splice.range.len();
            added += splice.text.len();
        }
        Ok(changed)
    }
}

/// The lines that a splice touched, between the text before it and the text after it; it starts on the line of that number.
fn touched(before: &str, splice: &Splice, after: &str, line: usize) -> ChangedLines {
    let text = splice.text.as_str();
    let end_line = line + newlines(text.as_bytes());
    let is_line_start = before.is_empty() || before.ends_with('\n');
    let same_ending = ["\n", "\r\n"].iter().any(|ending| text.starts_with(ending) && after.starts_with(ending));
    match splice.range.is_empty() {
        // Whole lines before a line, which stays as it is.
        true if is_line_start && text.ends_with('\n') => ChangedLines { start_line: line, end_line: end_line - 1 },
        // Whole lines after a line: its ending looks written, but is the one that it had.
        true if same_ending => ChangedLines { start_line: line + 1, end_line },
        _ => ChangedLines { start_line: line, end_line },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The touched lines of a text whose bytes in brackets were inserted; brackets with nothing in them stand for a removal.
    fn changed(marked: &str, context_lines: usize) -> Vec<(usize, usize)> {
        let (mut new_text, mut splices, mut kept) = (String::new(), Vec::new(), 0);
        for piece in marked.split('[') {
            let (written, rest) = piece.split_once(']').unwrap_or(("", piece));
            if piece.contains(']') {
                let removed = usize::from(written.is_empty());
                splices.push(Splice { range: kept..kept + removed, text: written.to_owned() });
                kept += removed;
            }
            new_text = new_text + written + rest;
            kept += rest.len();
        }
        let edit = Edit::new(splices).unwrap();
        let lines = edit.changed_lines(&new_text, context_lines).unwrap();
        lines.iter().map(|lines| (lines.start_line, lines.end_line)).collect()
    }

    #[test]
    fn other_lines_are_those_of_before() {
        assert_eq!(changed("a\nb", 2), []);
        assert_eq!(changed("[x]", 0), [(1, 1)]);
        assert_eq!(changed("a\n[x\n]b\n", 0), [(2, 2)], "a line before another");
        assert_eq!(changed("a[\nx]\nb\n", 0), [(2, 2)], "a line after another");
        assert_eq!(changed("a[\r\nx]\r\nb", 0), [(2, 2)]);
        assert_eq!(changed("a[\n]\nb", 0), [(2, 2)], "an empty line");
        assert_eq!(changed("a[\nx]", 0), [(1, 2)], "line 1 had no ending");
        assert_eq!(changed("a[x\n]b\n", 0), [(1, 2)], "a line in two");
        assert_eq!(changed("a\r\n[x\r\ny\r\n]b", 0), [(2, 3)]);
        assert_eq!(changed("a\n[]b", 0), [(2, 2)], "a removal");
        assert_eq!(changed("a\n[]", 0), [(2, 2)], "a removal at the end");
        assert_eq!(changed("[é]\n\n[\u{1F600}]", 0), [(1, 1), (3, 3)]);
    }

    #[test]
    fn ranges_whose_contexts_meet_are_one() {
        let text = "[x]\n2\n3\n4\n5\n[x]\n7\n";
        assert_eq!(changed(text, 1), [(1, 1), (6, 6)]);
        assert_eq!(changed(text, 2), [(1, 6)], "lines 3 and 4 touch");
        assert_eq!(changed(text, usize::MAX), [(1, 6)]);
        assert_eq!(changed("[x]\n[y]", 0), [(1, 2)]);
        assert_eq!(changed("[x] [y\nz]\n\n[]", 0), [(1, 2), (4, 4)]);
        assert_eq!(changed("[x\n]\n[x]", 0), [(1, 1), (3, 3)]);
        assert_eq!(changed("[x\n]\n[x]", 1), [(1, 3)]);
    }

    #[test]
    fn another_text_is_refused() {
        let edit = Edit::new(vec![Splice { range: 1..1, text: "x".to_owned() }]).unwrap();
        for text in ["", "a", "é"] {
            assert_eq!(edit.changed_lines(text, 2), Err(EditMismatch));
        }
        let at_the_ends = [0..0, usize::MAX..usize::MAX].map(|range| Splice { range, text: "x".to_owned() }).to_vec();
        assert_eq!(Edit::new(at_the_ends).unwrap().changed_lines("x", 2), Err(EditMismatch));
    }
}
