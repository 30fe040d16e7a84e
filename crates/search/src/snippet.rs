//! Snippets: the line of an item where a search matches, with its marks.

use std::ops::Range;

use interline_edit::SearchInterrupted;

use crate::fields::{FieldKind, SearchedFields};
use crate::fold::{Origins, fold, fold_while, origin};
use crate::stems::{Stemmer, words};
use crate::term::{SearchTerm, TermKind};

/// How many characters a snippet shows at the most.
const MAX_CHARS: usize = 200;
/// How many characters are shown before the first mark of a line that is cut.
const CHARS_BEFORE: usize = 40;
/// How many marks a snippet has at the most.
const MAX_MARKS: usize = 20;
/// How many lines are searched for a better one than the first that has a match.
const LINES_AFTER_FIRST: usize = 2_000;
/// Of a longer line only the beginning is looked at.
const MAX_LINE_BYTES: usize = 64 * 1024;

/// The line of an item where a search matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    /// The field.
    pub field: SnippetField,
    /// A line of it, or a part of the line, exactly as it stands there.
    pub text: String,
    /// What matches: 0-based ranges of characters of `text`, in order and apart from each other.
    pub marks: Vec<Range<usize>>,
}

/// The field that a snippet is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnippetField {
    /// The content, with the 1-based line.
    Content(u64),
    /// The description.
    Description,
    /// The title, or the name.
    Title,
    /// The web address.
    Url,
    /// The path.
    Path,
}

impl SnippetField {
    /// The name of the field.
    pub const fn name(self) -> &'static str {
        match self {
            SnippetField::Content(_) => "content",
            SnippetField::Description => "description",
            SnippetField::Title => "title",
            SnippetField::Url => "url",
            SnippetField::Path => "path",
        }
    }

    /// The line of the content; `None` in other fields.
    pub const fn line(self) -> Option<u64> {
        match self {
            SnippetField::Content(line) => Some(line),
            SnippetField::Description | SnippetField::Title | SnippetField::Url | SnippetField::Path => None,
        }
    }
}

/// The line of the content with the most of the terms, the first of several; a line of another field where none has any;
/// the line where a phrase begins where it goes on in the next.
pub(crate) fn best_snippet(
    terms: &[&SearchTerm],
    item: &SearchedFields<'_>,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<Option<Snippet>, SearchInterrupted> {
    let finder = TermFinder { terms, stems: Stemmer::english() };
    let in_content = item.content.map_or(Ok(None), |content| finder.best_line(content, keep_going))?;
    let in_others = || {
        let others = item.texts().filter(|(field, _)| *field != FieldKind::Content);
        others.filter_map(|(field, text)| finder.in_field(field, text)).next()
    };
    if let Some(found) = in_content.or_else(in_others) {
        return Ok(Some(found));
    }
    for (field, text) in item.texts() {
        if let Some(found) = finder.across_lines(field, text, keep_going)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Finds the terms of a search in lines.
struct TermFinder<'t> {
    terms: &'t [&'t SearchTerm],
    stems: Stemmer,
}

/// The matches of the terms in a line.
#[derive(Default)]
struct LineMatches {
    /// How many of the terms match.
    terms: usize,
    marks: Vec<Range<usize>>,
}

impl TermFinder<'_> {
    fn best_line(
        &self,
        content: &str,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Snippet>, SearchInterrupted> {
        if let [SearchTerm(TermKind::Regex(pattern))] = self.terms {
            let found = interline_edit::find_first(content, pattern, keep_going)?;
            return Ok(found.map(|found| first_line(FieldKind::Content, content, found)));
        }
        let mut best: Option<(usize, u64, &str, LineMatches)> = None;
        let mut lines_left = usize::MAX;
        for (index, line) in content.split('\n').enumerate() {
            if lines_left == 0 {
                break;
            }
            lines_left -= 1;
            if !keep_going() {
                return Err(SearchInterrupted);
            }
            let line = line.strip_suffix('\r').unwrap_or(line);
            let matches = self.line_matches(line);
            if matches.terms > best.as_ref().map_or(0, |(terms, ..)| *terms) {
                lines_left = lines_left.min(LINES_AFTER_FIRST);
                let is_all = matches.terms == self.terms.len();
                best = Some((matches.terms, index as u64 + 1, line, matches));
                if is_all {
                    break;
                }
            }
        }
        Ok(best.map(|(_, number, line, matches)| cut(SnippetField::Content(number), line, matches.marks)))
    }

    fn in_field(&self, field: FieldKind, text: &str) -> Option<Snippet> {
        let mut lines = (1..).zip(text.split('\n'));
        lines.find_map(|(number, line)| {
            let matches = self.line_matches(line);
            (matches.terms > 0).then(|| cut(snippet_field(field, number), line, matches.marks))
        })
    }

    /// The line where the first of the texts begins that goes on in the next, or begins too far on in its line.
    fn across_lines(
        &self,
        field: FieldKind,
        text: &str,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Snippet>, SearchInterrupted> {
        let folded = fold_while(text, keep_going)?;
        let mut first: Option<Range<usize>> = None;
        for SearchTerm(kind) in self.terms {
            let found = match kind {
                TermKind::Word { text, .. } | TermKind::Phrase(text) => occurrences(&folded, &text.folded).next(),
                TermKind::Regex(_) => None,
            };
            first = [first, found].into_iter().flatten().min_by_key(|found| found.start);
            if !keep_going() {
                return Err(SearchInterrupted);
            }
        }
        let Some(found) = first else { return Ok(None) };
        // A blank that it begins with may be the end of the line before.
        let start = found.start + usize::from(folded[found.start..].starts_with(' '));
        let end = origin(text, found.end, keep_going)?.unwrap_or(text.len());
        let start = origin(text, start, keep_going)?;
        Ok(start.map(|start| first_line(field, text, start..end)))
    }

    /// The matches in a line. A phrase that goes on in the next line is not found.
    fn line_matches(&self, line: &str) -> LineMatches {
        let line = &line[..line.floor_char_boundary(MAX_LINE_BYTES)];
        // Offsets are only mapped back for a line that has a match.
        let mut matches = self.folded_matches(&fold(line));
        if matches.terms > 0 {
            let origins = Origins::from_line(line);
            matches.marks.iter_mut().for_each(|mark| *mark = origins.range_in_line(mark));
        }
        matches
    }

    /// The matches in a folded line.
    fn folded_matches(&self, folded: &str) -> LineMatches {
        let mut matches = LineMatches::default();
        for SearchTerm(kind) in self.terms {
            let mut found: Vec<Range<usize>> = match kind {
                TermKind::Word { text, stem } => {
                    let mut forms = self.forms(folded, stem);
                    forms.extend(occurrences(folded, &text.folded));
                    forms
                }
                TermKind::Phrase(text) => occurrences(folded, &text.folded).collect(),
                TermKind::Regex(_) => Vec::new(),
            };
            matches.terms += usize::from(!found.is_empty());
            matches.marks.append(&mut found);
        }
        matches
    }

    /// The words of a folded line that have a stem.
    fn forms(&self, folded: &str, stem: &str) -> Vec<Range<usize>> {
        let found = words(folded).filter(|word| self.stems.is_form(stem, word));
        found
            .map(|word| {
                let start = word.as_ptr().addr() - folded.as_ptr().addr();
                start..start + word.len()
            })
            .collect()
    }
}

fn occurrences<'f>(folded: &'f str, text: &'f str) -> impl Iterator<Item = Range<usize>> + 'f {
    folded.match_indices(text).map(|(start, found)| start..start + found.len())
}

/// The snippet's field; the content alone has numbered lines.
fn snippet_field(field: FieldKind, line: u64) -> SnippetField {
    match field {
        FieldKind::Title => SnippetField::Title,
        FieldKind::Description => SnippetField::Description,
        FieldKind::Url => SnippetField::Url,
        FieldKind::Path => SnippetField::Path,
        FieldKind::Content => SnippetField::Content(line),
    }
}

/// The line in which a range of a text begins, marked as far as the range goes in it.
fn first_line(field: FieldKind, text: &str, part: Range<usize>) -> Snippet {
    let before = &text[..part.start];
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
    let number = before.bytes().filter(|byte| *byte == b'\n').count() as u64 + 1;
    let line = text[start..end].strip_suffix('\r').unwrap_or(&text[start..end]);
    let within = |at: usize| (at.max(start) - start).min(line.len());
    let mark = within(part.start)..within(part.end);
    cut(snippet_field(field, number), line, [mark].into())
}

/// A line, or the part of it around its first mark; marks in bytes become marks in characters.
fn cut(field: SnippetField, line: &str, mut marks: Vec<Range<usize>>) -> Snippet {
    marks.sort_unstable_by_key(|mark| (mark.start, mark.end));
    marks.dedup_by(|next, first| {
        let touches = next.start <= first.end;
        if touches {
            first.end = first.end.max(next.end);
        }
        touches
    });
    let first = marks.first().map_or(0, |mark| mark.start);
    let is_short = line.chars().nth(MAX_CHARS).is_none();
    let start =
        if is_short { 0 } else { line[..first].char_indices().rev().nth(CHARS_BEFORE - 1).map_or(0, |(at, _)| at) };
    let text: String = line[start..].chars().take(MAX_CHARS).collect();
    let end = start + text.len();
    let characters = |at: usize| line[start..at].chars().count();
    let marks = marks.iter().filter(|mark| mark.start < end && mark.start < mark.end).take(MAX_MARKS);
    let marks = marks.map(|mark| characters(mark.start)..characters(mark.end.min(end))).collect();
    Snippet { field, text, marks }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Search;

    #[track_caller]
    fn check(query: &str, item: SearchedFields<'_>, field: SnippetField, text: &str, mark: Range<usize>) {
        let search = Search::parse(query).unwrap().unwrap();
        let expected = Snippet { field, text: text.to_owned(), marks: [mark].into() };
        assert_eq!(search.snippet(&item, &mut || true), Ok(Some(expected)), "{query}");
    }

    #[test]
    fn a_text_that_goes_on_in_the_next_line_is_shown_where_it_begins() {
        let content = Some("Ünder\r\nthe  Old\r\n\r\noak tree");
        let item = SearchedFields { content, ..SearchedFields::default() };
        check("\"old oak tree\"", item, SnippetField::Content(2), "the  Old", 5..8);
        check("\"under the\"", item, SnippetField::Content(1), "Ünder", 0..5);
        // What one line shows is shown first.
        check("\"old oak\" tree", item, SnippetField::Content(4), "oak tree", 4..8);
        let item = SearchedFields { description: content, title: Some("oak"), ..SearchedFields::default() };
        check("\"old oak\"", item, SnippetField::Description, "the  Old", 5..8);
    }

    #[test]
    fn what_is_far_on_in_a_long_line_is_shown() {
        let content = format!("x\n{}needle\u{301}y", "ä".repeat(MAX_LINE_BYTES));
        let item = SearchedFields { content: Some(&content), ..SearchedFields::default() };
        let text = format!("{}needle\u{301}y", "ä".repeat(CHARS_BEFORE));
        check("needle", item, SnippetField::Content(2), &text, 40..47);
    }
}
