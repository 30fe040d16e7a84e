//! Learns which typographic or plain forms (quotes, dashes, ellipses, blanks) the content has where `old_str` has others,
//! and writes `new_str` in the forms of the content.

use std::collections::{HashMap, HashSet};

use crate::lines::is_blank;

use super::normalization::TypographicClass;

/// The content's form of each character of `old_str`, where that is one other form throughout.
#[derive(Debug, Default)]
pub(super) struct Typography<'a> {
    /// For each character (or `...`) its form in the content; `None` for several forms.
    forms: HashMap<&'a str, Option<&'a str>>,
    /// The neighbours of those characters whose meaning depends on their neighbours.
    neighbours: HashSet<(char, Neighbours)>,
}

const DOTS: &str = "...";

impl<'a> Typography<'a> {
    /// Learns from two bodies that are equal after normalisation.
    pub(super) fn learn(&mut self, mut old: &'a str, mut content: &'a str) {
        for (at, c) in old.char_indices().filter(|(_, c)| depends_on_neighbours(*c)) {
            self.neighbours.insert((c, Neighbours::around(old, at, c)));
        }
        while let (Some(a), Some(b)) = (old.chars().next(), content.chars().next()) {
            let (old_part, content_part) = if is_blank(a) && is_blank(b) {
                let runs = (run(old, is_blank), run(content, is_blank));
                self.learn_blanks(runs.0, runs.1);
                runs
            } else if is_dot(a) && is_dot(b) {
                let runs = (run(old, is_dot), run(content, is_dot));
                self.learn_dots(runs.0, runs.1);
                runs
            } else {
                let units = (first(old, a), first(content, b));
                if TypographicClass::from_char(a).is_some() {
                    self.record(units.0, units.1);
                }
                units
            };
            old = &old[old_part.len()..];
            content = &content[content_part.len()..];
        }
    }

    /// Learns from two runs of dots and ellipses that are equally many dots.
    fn learn_dots(&mut self, old: &'a str, content: &'a str) {
        // After how many dots a character of the content begins, and where.
        let mut starts = vec![None; content.len() + 1];
        let mut dots = 0;
        for (at, c) in content.char_indices() {
            starts[dots] = Some(at);
            dots += dots_of(c);
        }
        starts[dots] = Some(content.len());
        let standing_for = |dots: usize| Some(&content[(*starts.get(dots)?)?..(*starts.get(dots + DOTS.len())?)?]);
        let mut dots = 0;
        for (at, c) in old.char_indices() {
            match standing_for(dots) {
                Some(form) if old[at..].starts_with(DOTS) => self.record(DOTS, form),
                Some(form) if c != '.' => self.record(first(&old[at..], c), form),
                None if c != '.' => {
                    self.forms.insert(first(&old[at..], c), None);
                }
                Some(_) | None => {}
            }
            dots += dots_of(c);
        }
    }

    /// Learns from two indentations of the same line: one may have a prefix that the other has not.
    pub(super) fn learn_indent(&mut self, old: &'a str, content: &'a str) {
        let mut others = content.char_indices().rev();
        for (index, c) in old.char_indices().rev() {
            let form = others.next().map(|(at, other)| (other, &content[at..at + other.len_utf8()]));
            if TypographicClass::from_char(c) == Some(TypographicClass::Space) {
                self.learn_blank(&old[index..index + c.len_utf8()], form);
            }
        }
    }

    /// Runs of equally many blanks show the form of each; the blanks of other runs have no definite form.
    fn learn_blanks(&mut self, old: &'a str, content: &'a str) {
        let same_length = old.chars().count() == content.chars().count();
        let mut others = content.char_indices();
        for (index, c) in old.char_indices() {
            let form = others.next().filter(|_| same_length);
            let form = form.map(|(at, other)| (other, &content[at..at + other.len_utf8()]));
            if TypographicClass::from_char(c) == Some(TypographicClass::Space) {
                self.learn_blank(&old[index..index + c.len_utf8()], form);
            }
        }
    }

    fn learn_blank(&mut self, unit: &'a str, form: Option<(char, &'a str)>) {
        match form {
            Some((c, form)) if TypographicClass::from_char(c) == Some(TypographicClass::Space) => {
                self.record(unit, form);
            }
            _ => {
                self.forms.insert(unit, None);
            }
        }
    }

    fn record(&mut self, unit: &'a str, form: &'a str) {
        let recorded = self.forms.entry(unit).or_insert(Some(form));
        if *recorded != Some(form) {
            *recorded = None;
        }
    }

    /// Writes a body of `new_str` in the forms of the content.
    pub(super) fn write(&self, written: &mut String, body: &str) {
        if self.forms.is_empty() {
            written.push_str(body);
            return;
        }
        let mut at = 0;
        while let Some(c) = body[at..].chars().next() {
            let rest = &body[at..];
            let dots = rest.starts_with(DOTS) && self.forms.contains_key(DOTS);
            let unit = if dots { DOTS } else { first(rest, c) };
            let form = self.forms.get(unit).copied().flatten();
            let form = form.filter(|_| {
                !depends_on_neighbours(c) || self.neighbours.contains(&(c, Neighbours::around(body, at, c)))
            });
            written.push_str(form.unwrap_or(unit));
            at += unit.len();
        }
    }
}

/// The neighbours of a character: blanks and the edges of a line, or text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Neighbours {
    before: Neighbour,
    after: Neighbour,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Neighbour {
    Blank,
    Text,
}

impl Neighbours {
    fn around(body: &str, at: usize, c: char) -> Neighbours {
        let side =
            |neighbour: Option<char>| if neighbour.is_none_or(is_blank) { Neighbour::Blank } else { Neighbour::Text };
        Neighbours {
            before: side(body[..at].chars().next_back()),
            after: side(body[at + c.len_utf8()..].chars().next()),
        }
    }
}

/// Whether the meaning of a character depends on its neighbours: a dash between blanks is not that of `--force`, and an
/// opening quote is not a closing one.
fn depends_on_neighbours(c: char) -> bool {
    matches!(
        TypographicClass::from_char(c),
        Some(TypographicClass::SingleQuote | TypographicClass::DoubleQuote | TypographicClass::Dash)
    )
}

fn first(text: &str, c: char) -> &str {
    &text[..c.len_utf8()]
}

fn run(text: &str, belongs: fn(char) -> bool) -> &str {
    &text[..text.len() - text.trim_start_matches(belongs).len()]
}

fn is_dot(c: char) -> bool {
    c == '.' || TypographicClass::from_char(c) == Some(TypographicClass::Ellipsis)
}

fn dots_of(c: char) -> usize {
    if c == '.' { 1 } else { DOTS.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pairs: &[(&str, &str)], new: &str, expected: &str) {
        let mut typography = Typography::default();
        for (old, content) in pairs {
            typography.learn(old, content);
        }
        let mut written = String::new();
        typography.write(&mut written, new);
        assert_eq!(written, expected, "{pairs:?}");
    }

    #[test]
    fn one_form_throughout_is_written_as_the_content_has_it() {
        check(&[("it's", "it’s")], "that's", "that’s");
        check(&[("it’s", "it's")], "that’s", "that's");
        check(&[("a - b", "a — b")], "c - d", "c — d");
        check(&[("wait...", "wait…")], "go... on", "go… on");
        check(&[("wait…", "wait...")], "go… on", "go... on");
        check(&[("a\u{a0}b", "a b")], "c\u{a0}d", "c d");
        check(&[("a b", "a\u{a0}b")], "c d", "c\u{a0}d");
        check(&[("…...", "...…")], "c… d...", "c... d…");
    }

    #[test]
    fn a_character_in_another_place_is_written_as_given() {
        check(&[("run - now", "run — now")], "run - now with --force and x-y", "run — now with --force and x-y");
        check(&[("say \"stop", "say “stop")], "say \"stop\"", "say “stop\"");
    }

    #[test]
    fn more_than_one_form_is_written_as_given() {
        check(&[("\"a\"", "“a”")], "\"b\"", "\"b\"");
        check(&[("it's 'x", "it’s 'x")], "that's", "that's");
        check(&[("a...", "a…"), ("b...", "b...")], "c...", "c...");
        check(&[("…. a…", ".… a...")], "c… d...", "c… d...");
        check(&[("a b", "a  b")], "c d", "c d");
        check(&[("a b", "a\tb")], "c d", "c d");
    }
}
