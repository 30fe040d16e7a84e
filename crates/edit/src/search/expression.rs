//! Regular expressions: compiling them within limits, and walking over their matches with pauses.

use std::ops::Range;

use memchr::memrchr;
use regex::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

use super::pattern::{Case, PatternError};
use super::required_text::RequiredText;

/// Parsing alone takes several kilobytes for each class such as `\w`, before the compiled size is known.
const MAX_EXPRESSION_BYTES: usize = 8 << 10;

/// Room for some eighty times `\w`, which takes about 50 KiB; compiling this much takes some 20 ms.
const MAX_COMPILED_BYTES: usize = 4 << 20;

/// Groups in groups. Bounds the recursion over the syntax tree.
const MAX_NESTING: u32 = 100;

/// How many bytes to search for a match before pausing. The slowest automatons take some 30 µs a byte.
const WINDOW: usize = 16 << 10;

#[derive(Debug, Clone)]
pub(super) struct Expression {
    regex: Regex,
    reach: Reach,
    /// The texts that every match contains.
    pub(super) required_text: RequiredText,
}

/// How far a match can go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reach {
    lines: LineReach,
    /// The length of the longest match, if there is one.
    bytes: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineReach {
    /// No match holds `\n`.
    One,
    Any,
}

impl Expression {
    pub(super) fn new(expression: &str, case: Case) -> Result<Self, PatternError> {
        if expression.len() > MAX_EXPRESSION_BYTES {
            return Err(PatternError::TooLarge);
        }
        let insensitive = case == Case::Insensitive;
        // The builder parses too, but reports neither the position of an error nor the syntax tree.
        let tree = ParserBuilder::new()
            .multi_line(true)
            .crlf(true)
            .case_insensitive(insensitive)
            .nest_limit(MAX_NESTING)
            .build()
            .parse(expression)
            .map_err(|error| invalid(&error))?;
        let lines = if contains_newline(&tree) { LineReach::Any } else { LineReach::One };
        let reach = Reach { lines, bytes: tree.properties().maximum_len() };
        let regex = RegexBuilder::new(expression)
            .multi_line(true)
            .crlf(true)
            .case_insensitive(insensitive)
            .nest_limit(MAX_NESTING)
            .size_limit(MAX_COMPILED_BYTES)
            .build()
            .map_err(|error| match error {
                regex::Error::CompiledTooBig(_) => PatternError::TooLarge,
                other => PatternError::Invalid { detail: other.to_string(), position: None },
            })?;
        Ok(Expression { regex, reach, required_text: RequiredText::from_hir(&tree) })
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// The matches in `text`, leftmost first, none overlapping.
    pub(super) fn matches<'a>(&'a self, text: &'a str) -> Matches<'a> {
        Matches { expression: self, text, at: 0, window: WINDOW, last_end: None }
    }
}

fn invalid(error: &regex_syntax::Error) -> PatternError {
    let (detail, position) = match error {
        regex_syntax::Error::Parse(error) => (error.kind().to_string(), Some(error.span().start.offset)),
        regex_syntax::Error::Translate(error) => (error.kind().to_string(), Some(error.span().start.offset)),
        other => (other.to_string(), None),
    };
    PatternError::Invalid { detail, position }
}

/// Whether a match may hold `\n`. May say yes too often, never no.
fn contains_newline(tree: &Hir) -> bool {
    match tree.kind() {
        HirKind::Empty | HirKind::Look(_) => false,
        HirKind::Literal(literal) => literal.0.contains(&b'\n'),
        HirKind::Class(Class::Unicode(class)) => class.iter().any(|r| r.start() <= '\n' && '\n' <= r.end()),
        HirKind::Class(Class::Bytes(class)) => class.iter().any(|r| r.start() <= b'\n' && b'\n' <= r.end()),
        HirKind::Repetition(repetition) => contains_newline(&repetition.sub),
        HirKind::Capture(capture) => contains_newline(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(contains_newline),
    }
}

/// One step of a search.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SearchStep {
    Match(Range<usize>),
    /// No match so far: the caller may stop here.
    Pause,
}

/// The iterator of [`Expression::matches`].
///
/// A single call into the automaton cannot be interrupted, so matches are first searched for in a piece of the
/// text. That a piece holds none is certain but for those that touch its end, so the next piece starts where a
/// match that reaches the end could. If that is not known, or too near, the same piece is tried twice as long:
/// at worst the work is doubled, and a caller that wants to stop waits as long again as it already has.
///
/// That a piece holds a match is not certain, since `$` and the like take its end for the text's. So the match
/// itself comes from the whole text. The automaton gives up there at the end of the line if no match can go on:
/// many matches on a line cost as many times the line, not the text.
#[derive(Debug)]
pub(super) struct Matches<'a> {
    expression: &'a Expression,
    text: &'a str,
    /// No match that is not yet returned starts before. Past the text's end when there are no more.
    at: usize,
    window: usize,
    last_end: Option<usize>,
}

impl Matches<'_> {
    /// Looks at the next piece; says whether it certainly holds no match, and if so moves on.
    fn skip_piece_without_match(&mut self) -> bool {
        let end = self.text.ceil_char_boundary(self.at.saturating_add(self.window));
        if end >= self.text.len() || self.expression.regex.shortest_match_at(&self.text[..end], self.at).is_some() {
            return false;
        }
        let next = self.earliest_start(end);
        if next - self.at >= self.window / 2 {
            self.at = next;
            self.window = WINDOW;
        } else {
            self.window = self.window.saturating_mul(2);
        }
        true
    }

    /// Where a match that ends at `end` or later starts at the earliest.
    fn earliest_start(&self, end: usize) -> usize {
        let Reach { lines, bytes } = self.expression.reach;
        let line = match lines {
            LineReach::One => memrchr(b'\n', &self.text.as_bytes()[self.at..end]).map(|offset| self.at + offset + 1),
            LineReach::Any => None,
        };
        let near = bytes.map(|longest| self.text.floor_char_boundary(end.saturating_sub(longest)));
        self.at.max(line.unwrap_or(0)).max(near.unwrap_or(0))
    }

    fn after_char_at(&self, position: usize) -> usize {
        position + self.text[position..].chars().next().map_or(1, char::len_utf8)
    }
}

impl Iterator for Matches<'_> {
    type Item = SearchStep;

    fn next(&mut self) -> Option<SearchStep> {
        while self.at <= self.text.len() {
            if self.skip_piece_without_match() {
                return Some(SearchStep::Pause);
            }
            self.window = WINDOW;
            let Some(found) = self.expression.regex.find_at(self.text, self.at) else {
                self.at = self.text.len() + 1;
                return None;
            };
            let follows = self.last_end.replace(found.end()) == Some(found.end());
            self.at = if found.is_empty() { self.after_char_at(found.end()) } else { found.end() };
            if !(found.is_empty() && follows) {
                return Some(SearchStep::Match(found.range()));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_that_cannot_match_a_newline_is_known() {
        let lines = |expression: &str| Expression::new(expression, Case::Sensitive).unwrap().reach.lines;
        for expression in ["foo", "^a.*b$", r"[\w-]+\b", "(a|(b))*", r"a\r", r"\Aa", "[^\n]"] {
            assert_eq!(lines(expression), LineReach::One, "{expression}");
        }
        for expression in ["a\nb", r"a\s+b", "[^a]", "(?s)a.b", "(a|(b\n))*", r"\W"] {
            assert_eq!(lines(expression), LineReach::Any, "{expression}");
        }
    }

    /// The pauses and the pieces must not show: the iteration is that of the `regex` crate.
    #[test]
    fn matches_are_those_of_the_regex_crate() {
        let mut text = String::from("éa1\r\nxx\n\n  b\rxyx é\r\n");
        text.push_str(&"x".repeat(WINDOW - 30));
        text.push_str("a\nb\r\ncat é ".repeat(2_000).as_str());
        text.push_str(&"y".repeat(WINDOW + WINDOW / 2));
        text.push_str("\nend\n");
        let expressions = [
            "a",
            "x*",
            "y+",
            "^",
            "$",
            "^$",
            r"\z",
            r"\A",
            r"\b",
            r"\B",
            r"\s*",
            ".*",
            ".*$",
            "é|",
            r"end\s*\z",
            r"\w+$",
            "(?s)b.*?y",
            "(?s)b.*y",
            "[^y]+y",
            r"a\r?\nb",
            "zzz",
            r"\n",
            r"\r$",
            r"y\b",
            r"y\B",
            "(?-m)^é",
            "(?:)",
        ];
        for expression in expressions {
            let compiled = Expression::new(expression, Case::Sensitive).unwrap();
            let expected = compiled.regex.find_iter(&text).map(|found| found.range());
            let found = compiled.matches(&text).filter_map(|step| match step {
                SearchStep::Match(range) => Some(range),
                SearchStep::Pause => None,
            });
            assert!(found.eq(expected), "{expression}");
        }
    }

    #[test]
    fn a_search_without_matches_pauses() {
        let lines = "some words\n".repeat(100_000);
        let pauses = |expression: &str, text: &str| {
            Expression::new(expression, Case::Sensitive)
                .unwrap()
                .matches(text)
                .filter(|s| *s == SearchStep::Pause)
                .count()
        };
        assert!(pauses("nowhere", &lines) >= lines.len() / WINDOW);
        assert!(pauses(r"no\swhere", &lines) >= lines.len() / WINDOW);
        assert!(pauses(r"no\s+where", &lines) >= 5);
        assert_eq!(pauses("nowhere", "short"), 0);
    }
}
