//! Where an item matches, to be shown.

use std::ops::Range;

use super::fold::{Origins, fold};
use super::searched::{Place, Searched};
use super::term::{Method, SearchTerm};
use super::words::{Stems, words};

/// How many characters a snippet shows at the most.
const MAX_CHARS: usize = 200;
/// How many characters are shown before the first mark of a line that is cut.
const CHARS_BEFORE: usize = 40;
/// How many marks a snippet has at the most.
const MAX_MARKS: usize = 20;
/// How many lines are looked through for a better one than the first that shows something.
const LINES_AFTER_FIRST: usize = 2_000;
/// Of a longer line only the beginning is looked at.
const MAX_LINE_BYTES: usize = 64 * 1024;

/// Where an item matches.
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
}

/// The line of the content that shows the most of the terms, the first of several; another field where none shows any.
pub(super) fn snippet(terms: &[&SearchTerm], item: &Searched<'_>) -> Option<Snippet> {
    let finder = Finder { terms, stems: Stems::english() };
    let in_content = item.content.and_then(|content| finder.best_line(content));
    in_content.or_else(|| {
        let others = item.texts().filter(|(place, _)| *place != Place::Content);
        others.filter_map(|(place, text)| finder.in_field(place, text)).next()
    })
}

struct Finder<'t> {
    terms: &'t [&'t SearchTerm],
    stems: Stems,
}

/// What of the terms a line shows.
#[derive(Default)]
struct Shown {
    /// How many terms.
    terms: usize,
    marks: Vec<Range<usize>>,
}

impl Finder<'_> {
    fn best_line(&self, content: &str) -> Option<Snippet> {
        if let [SearchTerm(Method::Expression(pattern))] = self.terms {
            return expression_line(content, pattern);
        }
        let mut best: Option<(usize, u64, &str, Shown)> = None;
        let mut lines_left = usize::MAX;
        for (index, line) in content.split('\n').enumerate() {
            if lines_left == 0 {
                break;
            }
            lines_left -= 1;
            let line = line.strip_suffix('\r').unwrap_or(line);
            let shown = self.shown(line);
            if shown.terms > best.as_ref().map_or(0, |(terms, ..)| *terms) {
                lines_left = lines_left.min(LINES_AFTER_FIRST);
                let is_all = shown.terms == self.terms.len();
                best = Some((shown.terms, index as u64 + 1, line, shown));
                if is_all {
                    break;
                }
            }
        }
        best.map(|(_, number, line, shown)| cut(SnippetField::Content(number), line, shown.marks))
    }

    fn in_field(&self, place: Place, text: &str) -> Option<Snippet> {
        let field = match place {
            Place::Head => SnippetField::Title,
            Place::Description => SnippetField::Description,
            Place::Address => SnippetField::Url,
            Place::Content => return None,
        };
        let lines = text.split('\n').map(|line| (line, self.shown(line)));
        let (line, shown) = lines.into_iter().find(|(_, shown)| shown.terms > 0)?;
        Some(cut(field, line, shown.marks))
    }

    /// What a line shows. A text that goes on in the next line is not seen.
    fn shown(&self, line: &str) -> Shown {
        let line = &line[..line.floor_char_boundary(MAX_LINE_BYTES)];
        // The way back is only made for a line that shows something.
        let mut shown = self.found(&fold(line));
        if shown.terms > 0 {
            let origins = Origins::of(line);
            shown.marks.iter_mut().for_each(|mark| *mark = origins.of_part(mark));
        }
        shown
    }

    /// The same of a folded line.
    fn found(&self, folded: &str) -> Shown {
        let mut shown = Shown::default();
        for SearchTerm(method) in self.terms {
            let mut found: Vec<Range<usize>> = match method {
                Method::Word { text, stem } => {
                    let mut forms = self.forms(folded, stem);
                    forms.extend(occurrences(folded, &text.folded));
                    forms
                }
                Method::Text(text) => occurrences(folded, &text.folded).collect(),
                Method::Expression(_) => Vec::new(),
            };
            shown.terms += usize::from(!found.is_empty());
            shown.marks.append(&mut found);
        }
        shown
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

/// The first line that an expression matches in, which may go on in the next.
fn expression_line(content: &str, pattern: &interline_edit::Pattern) -> Option<Snippet> {
    // The item was found by this match: it takes no longer to find it again.
    let found = interline_edit::find_first(content, pattern, &mut || true).ok()??;
    let before = &content[..found.start];
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let end = content[start..].find('\n').map_or(content.len(), |newline| start + newline);
    let number = before.bytes().filter(|byte| *byte == b'\n').count() as u64 + 1;
    let line = content[start..end].strip_suffix('\r').unwrap_or(&content[start..end]);
    let within = |at: usize| (at.max(start) - start).min(line.len());
    let mark = within(found.start)..within(found.end);
    Some(cut(SnippetField::Content(number), line, [mark].into()))
}

/// A line, or the part of it around its first mark; marks in bytes become marks in characters.
fn cut(field: SnippetField, line: &str, mut marks: Vec<Range<usize>>) -> Snippet {
    marks.sort_unstable_by_key(|mark| (mark.start, mark.end));
    marks.dedup_by(|next, kept| {
        let touches = next.start <= kept.end;
        if touches {
            kept.end = kept.end.max(next.end);
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
