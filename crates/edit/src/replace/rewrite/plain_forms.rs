//! Makes typographic characters of `new_str` plain where those of `old_str` stand for plain ones: who gives the quotation
//! marks of code as “ and ” does not want them there.

use std::borrow::Cow;

use crate::lines::split_indent;
use crate::replace::normalization::{TypographicClass, is_word_character};

/// A set of classes of typographic characters. An apostrophe inside a word has a class of its own: a text can have ’ there, and
/// plain quotation marks beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Classes(u8);

impl Classes {
    const APOSTROPHE: Classes = Classes(1);
    const SINGLE_QUOTE: Classes = Classes(2);
    const DOUBLE_QUOTE: Classes = Classes(4);
    const DASH: Classes = Classes(8);
    const ELLIPSIS: Classes = Classes(16);
    const SPACE: Classes = Classes(32);
    const QUOTES: Classes = Classes(1 | 2 | 4);

    /// The classes of which a line has typographic characters.
    fn of_line(line: &str) -> Classes {
        if line.is_ascii() {
            return Classes::default();
        }
        typographic(line).fold(Classes::default(), |all, (_, class, _)| all.and(class))
    }

    fn of_character(class: TypographicClass, before: Option<char>, after: Option<char>) -> Classes {
        let is_inside_word = before.is_some_and(is_word_character) && after.is_some_and(is_word_character);
        match class {
            TypographicClass::SingleQuote if is_inside_word => Classes::APOSTROPHE,
            TypographicClass::SingleQuote => Classes::SINGLE_QUOTE,
            TypographicClass::DoubleQuote => Classes::DOUBLE_QUOTE,
            TypographicClass::Dash => Classes::DASH,
            TypographicClass::Ellipsis => Classes::ELLIPSIS,
            TypographicClass::Space => Classes::SPACE,
        }
    }

    fn and(self, other: Classes) -> Classes {
        Classes(self.0 | other.0)
    }

    fn both(self, other: Classes) -> Classes {
        Classes(self.0 & other.0)
    }

    fn without(self, other: Classes) -> Classes {
        Classes(self.0 & !other.0)
    }

    fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// The typographic characters of a line: where, their class, their plain form.
fn typographic(line: &str) -> impl Iterator<Item = (usize, Classes, &'static str)> {
    let mut before = None;
    let mut characters = line.char_indices().peekable();
    std::iter::from_fn(move || {
        loop {
            let (at, c) = characters.next()?;
            let after = characters.peek().map(|(_, c)| *c);
            let class = TypographicClass::from_char(c).filter(|_| !c.is_ascii());
            let found = class.map(|class| (at, Classes::of_character(class, before, after), class.plain()));
            before = Some(c);
            if found.is_some() {
                return found;
            }
        }
    })
}

/// What the lines of a match say about the typographic characters of `old_str`.
#[derive(Default)]
pub(super) struct PlainForms {
    /// For each line the classes that `old_str` has, and those that the document has.
    lines: Vec<(Classes, Classes)>,
    /// The classes that stand for plain characters wherever `old_str` has them.
    plain: Classes,
    /// Whether the document has typographic spaces in an indentation.
    has_typographic_indent: bool,
}

impl PlainForms {
    /// `lines` are those of `old_str` and of the document.
    pub(super) fn new<'l>(lines: impl Iterator<Item = (&'l str, &'l str)>) -> PlainForms {
        let mut forms = PlainForms::default();
        let (mut given, mut kept) = (Classes::default(), Classes::default());
        for (old, document) in lines {
            let (old, there) = (Classes::of_line(old), Classes::of_line(document));
            given = given.and(old);
            kept = kept.and(old.both(there));
            forms.has_typographic_indent |= !Classes::of_line(split_indent(document).0).is_empty();
            forms.lines.push((old, there));
        }
        forms.plain = given.without(kept);
        let quotes = given.both(Classes::QUOTES);
        if !quotes.is_empty() && kept.both(Classes::QUOTES).is_empty() {
            // Who gives one kind of quotes in another form does so with the others.
            forms.plain = forms.plain.and(Classes::QUOTES);
        }
        forms
    }

    /// A line of `new_str` as it is written for the line of that number, or for none in particular.
    pub(super) fn write<'n>(&self, line: &'n str, replaced: Option<usize>) -> Cow<'n, str> {
        if line.is_ascii() {
            return line.into();
        }
        let (old, there) = replaced.and_then(|number| self.lines.get(number).copied()).unwrap_or_default();
        let plain = old.without(there).and(self.plain.without(old));
        let indent = split_indent(line).0.len();
        let mut written = String::with_capacity(line.len());
        let mut copied = 0;
        for (at, class, form) in typographic(line) {
            let is_indent = at < indent && class == Classes::SPACE && !self.has_typographic_indent;
            if is_indent || !class.both(plain).is_empty() {
                written.push_str(&line[copied..at]);
                written.push_str(form);
                copied = at + line[at..].chars().next().map_or(0, char::len_utf8);
            }
        }
        written.push_str(&line[copied..]);
        written.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[(&str, &str)], line: &str, replaced: Option<usize>, expected: &str) {
        let forms = PlainForms::new(lines.iter().copied());
        assert_eq!(forms.write(line, replaced), expected, "{lines:?} {line:?} {replaced:?}");
    }

    #[test]
    fn characters_that_stand_for_plain_ones_become_plain() {
        check(&[("x = ‘a’", "x = 'a'")], "x = ‘b’ + “c”", Some(0), "x = 'b' + \"c\"");
        check(&[("a – b", "a - b")], "a – c — d", None, "a - c - d");
        check(&[("a…", "a...")], "b…", Some(0), "b...");
        check(&[("\u{a0}\u{a0}a", "  a")], "\u{a0}\u{a0}b\u{a0}c", Some(0), "  b c");
        check(&[("“a”", "\"a\"")], "a — b…", Some(0), "a — b…");
    }

    #[test]
    fn a_line_learns_from_the_one_that_it_replaces() {
        let lines = [("// don’t", "// don’t"), ("x = ‘a’", "x = 'a'"), ("“c”", "“c”")];
        check(&lines, "x = ‘b’", Some(1), "x = 'b'");
        check(&lines, "// won’t", Some(0), "// won’t");
        check(&lines, "“d”", Some(2), "“d”");
        check(&lines, "“d”", None, "“d”");
        check(&[("it’s ‘a’", "it’s 'a'")], "it’s ‘b’", Some(0), "it’s 'b'");
    }

    #[test]
    fn an_indentation_is_typographic_only_where_the_document_has_such() {
        check(&[("a", "a")], "\u{a0}\u{a0}b\u{a0}c", None, "  b\u{a0}c");
        check(&[("  a", "\u{a0}\u{a0}a")], "\u{a0}\u{a0}b", None, "\u{a0}\u{a0}b");
    }
}
