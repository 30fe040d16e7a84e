//! `wordwrap` of Jinja2: greedy, as in Python. The engine's own balances the lines instead.

use std::iter;

use minijinja::value::Kwargs;
use minijinja::{Error, State, Value};

use super::text::{given, only_text};
use crate::meter::{Meter, failure};
use crate::metered_text::MeteredText;
use crate::python::integer;

/// How lines are broken.
struct Wrap<'a> {
    /// Characters of a line.
    width: usize,
    long_words: LongWords,
    hyphens: Hyphens,
    /// What goes between lines.
    between: &'a str,
}

enum LongWords {
    Break,
    Keep,
}

enum Hyphens {
    Break,
    Keep,
}

/// The filter; all parameters by name.
#[expect(clippy::needless_pass_by_value, reason = "the engine hands arguments over by value")]
pub(crate) fn wordwrap(state: &mut State<'_, '_>, value: &Value, parameters: Kwargs) -> Result<String, Error> {
    let text = only_text(state, value, "wordwrap")?;
    wrapped(Meter::from_state(state), text, &parameters)
}

fn wrapped(meter: &mut Meter, text: &str, parameters: &Kwargs) -> Result<String, Error> {
    let flag = |name| Ok::<_, Error>(given(parameters, name)?.is_none_or(|value| value.is_true()));
    let (long_words, hyphens) = (flag("break_long_words")?, flag("break_on_hyphens")?);
    let width = given(parameters, "width")?.map_or(Ok(79), |width| integer(&width, "a width"))?;
    if width <= 0 {
        return Err(failure(format!("a width of {width}; lines have at least one character")));
    }
    let wrap = Wrap {
        width: usize::try_from(width).unwrap_or(usize::MAX),
        long_words: if long_words { LongWords::Break } else { LongWords::Keep },
        hyphens: if hyphens { Hyphens::Break } else { Hyphens::Keep },
        between: parameters.get::<Option<&str>>("wrapstring")?.unwrap_or("\n"),
    };
    parameters.assert_all_used()?;
    let mut lines = Lines { out: MeteredText::new(meter), between: wrap.between, count: 0 };
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        wrap.line(&mut lines, line.strip_suffix('\r').unwrap_or(line))?;
    }
    lines.out.finish(Ok(()))
}

/// The lines that are finished.
struct Lines<'a> {
    out: MeteredText<'a, String>,
    between: &'a str,
    count: usize,
}

impl Lines<'_> {
    /// Takes a line, without the blanks at its end, and leaves an empty one.
    fn push(&mut self, line: &mut String) -> Result<(), Error> {
        if self.count > 0 {
            self.out.push_str(self.between)?;
        }
        self.count += 1;
        self.out.push_str(line.trim_end())?;
        line.clear();
        Ok(())
    }
}

impl Wrap<'_> {
    /// Breaks one line of the text; a blank one stays as an empty one.
    fn line(&self, lines: &mut Lines<'_>, text: &str) -> Result<(), Error> {
        let before = lines.count;
        let (mut line, mut length) = (String::new(), 0);
        for chunk in chunks(text, &self.hyphens) {
            let chunk_length = chunk.chars().count();
            let is_blank = chunk.starts_with(char::is_whitespace);
            if length + chunk_length <= self.width {
                // Blanks that a line would begin with are dropped, but not those of the text's beginning.
                if !(is_blank && line.is_empty() && lines.count > before) {
                    line.push_str(chunk);
                    length += chunk_length;
                }
                continue;
            }
            if is_blank {
                lines.push(&mut line)?;
                length = 0;
                continue;
            }
            let breaks = chunk_length > self.width && matches!(self.long_words, LongWords::Break);
            if !breaks && !line.is_empty() {
                lines.push(&mut line)?;
                length = 0;
            }
            for c in chunk.chars() {
                if breaks && length == self.width {
                    lines.push(&mut line)?;
                    length = 0;
                }
                line.push(c);
                length += 1;
            }
        }
        if !line.trim_end().is_empty() || lines.count == before {
            lines.push(&mut line)?;
        }
        Ok(())
    }
}

/// Words and the blanks between them; a word ends after a hyphen that joins letters.
fn chunks<'t>(text: &'t str, hyphens: &Hyphens) -> impl Iterator<Item = &'t str> {
    let (mut characters, mut start, mut before) = (text.char_indices(), 0, None::<char>);
    iter::from_fn(move || {
        for (offset, c) in characters.by_ref() {
            let Some(previous) = before.replace(c) else { continue };
            let word_ends = previous.is_whitespace() != c.is_whitespace();
            let joins = previous == '-' && c.is_alphabetic() && matches!(hyphens, Hyphens::Break);
            let hyphen_ends = joins && text[start..offset - 1].ends_with(char::is_alphabetic);
            if word_ends || hyphen_ends {
                let chunk = &text[start..offset];
                start = offset;
                return Some(chunk);
            }
        }
        let chunk = &text[start..];
        start = text.len();
        (!chunk.is_empty()).then_some(chunk)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_filled_as_in_jinja2() {
        for (text, width, expected) in [
            ("a b c d e f g", 5, "a b c\nd e f\ng"),
            ("the quick brown fox", 10, "the quick\nbrown fox"),
            ("abcdefghij k", 4, "abcd\nefgh\nij k"),
            ("a abcdefghij", 4, "a ab\ncdef\nghij"),
            ("well-known fact", 6, "well-\nknown\nfact"),
            ("one\n\ntwo three", 5, "one\n\ntwo\nthree"),
            ("", 5, ""),
            ("ää öö üü", 5, "ää öö\nüü"),
        ] {
            let parameters = Kwargs::from_iter([("width", Value::from(width))]);
            assert_eq!(wrapped(&mut Meter::full(), text, &parameters).unwrap(), expected, "{text:?}");
        }
    }

    #[test]
    fn long_words_and_hyphens_can_be_kept_and_lines_joined_otherwise() {
        let off = [("width", Value::from(4)), ("break_long_words", false.into()), ("break_on_hyphens", false.into())];
        assert_eq!(
            wrapped(&mut Meter::full(), "a well-known x", &off.into_iter().collect()).unwrap(),
            "a\nwell-known\nx"
        );
        let joined = [("width", Value::from(1)), ("wrapstring", "/".into())];
        assert_eq!(wrapped(&mut Meter::full(), "a b", &joined.into_iter().collect()).unwrap(), "a/b");
    }
}
