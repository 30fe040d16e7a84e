//! `wordwrap` of Jinja2: greedy, as in Python. The engine's own balances the lines instead.

use minijinja::value::Kwargs;
use minijinja::{Error, State, Value};

use super::text::{given, only_text};
use crate::meter::failure;
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
    wrapped(text, &parameters)
}

fn wrapped(text: &str, parameters: &Kwargs) -> Result<String, Error> {
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
    let lines = text.strip_suffix('\n').unwrap_or(text).split('\n');
    let lines = lines.flat_map(|line| wrap.lines(line.strip_suffix('\r').unwrap_or(line)));
    Ok(lines.collect::<Vec<_>>().join(wrap.between))
}

impl Wrap<'_> {
    /// The lines of one line of the text; a blank one stays as an empty one.
    fn lines(&self, text: &str) -> Vec<String> {
        let (mut lines, mut line, mut length) = (Vec::new(), String::new(), 0);
        for chunk in chunks(text, &self.hyphens) {
            let chunk_length = chunk.chars().count();
            let is_blank = chunk.starts_with(char::is_whitespace);
            if length + chunk_length <= self.width {
                // Blanks that a line would begin with are dropped, but not those of the text's beginning.
                if !(is_blank && line.is_empty() && !lines.is_empty()) {
                    line.push_str(chunk);
                    length += chunk_length;
                }
                continue;
            }
            if is_blank {
                finish(&mut lines, &mut line);
                length = 0;
                continue;
            }
            let breaks = chunk_length > self.width && matches!(self.long_words, LongWords::Break);
            if !breaks && !line.is_empty() {
                finish(&mut lines, &mut line);
                length = 0;
            }
            for c in chunk.chars() {
                if breaks && length == self.width {
                    finish(&mut lines, &mut line);
                    length = 0;
                }
                line.push(c);
                length += 1;
            }
        }
        if !line.trim_end().is_empty() || lines.is_empty() {
            finish(&mut lines, &mut line);
        }
        lines
    }
}

fn finish(lines: &mut Vec<String>, line: &mut String) {
    let mut finished = std::mem::take(line);
    finished.truncate(finished.trim_end().len());
    lines.push(finished);
}

/// Words and the blanks between them; a word ends after a hyphen that joins letters.
fn chunks<'t>(text: &'t str, hyphens: &Hyphens) -> Vec<&'t str> {
    let (mut chunks, mut start, mut before) = (Vec::new(), 0, None::<char>);
    for (offset, c) in text.char_indices() {
        let Some(previous) = before.replace(c) else { continue };
        let word_ends = previous.is_whitespace() != c.is_whitespace();
        let joins = previous == '-' && c.is_alphabetic() && matches!(hyphens, Hyphens::Break);
        let hyphen_ends = joins && text[start..offset - 1].ends_with(char::is_alphabetic);
        if word_ends || hyphen_ends {
            chunks.push(&text[start..offset]);
            start = offset;
        }
    }
    if start < text.len() {
        chunks.push(&text[start..]);
    }
    chunks
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
            assert_eq!(wrapped(text, &parameters).unwrap(), expected, "{text:?}");
        }
    }

    #[test]
    fn long_words_and_hyphens_can_be_kept_and_lines_joined_otherwise() {
        let off = [("width", Value::from(4)), ("break_long_words", false.into()), ("break_on_hyphens", false.into())];
        assert_eq!(wrapped("a well-known x", &off.into_iter().collect()).unwrap(), "a\nwell-known\nx");
        let joined = [("width", Value::from(1)), ("wrapstring", "/".into())];
        assert_eq!(wrapped("a b", &joined.into_iter().collect()).unwrap(), "a/b");
    }
}
