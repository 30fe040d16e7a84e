//! Lines of `new_str` that cannot be meant relatively to a line of `old_str` which lacks its indentation: they close or leave
//! the block that it is in, or open one beside that.

use std::collections::HashSet;

use crate::lines::{is_blank_text, split_indent, trim_blanks_end};

use super::plain;
use crate::replace::Level;
use crate::replace::normalization::is_word_character;

/// Words that go on with what a block began; after a bracket that closes it they are beside it.
const CONTINUING_WORDS: [&str; 9] =
    ["else", "elif", "elsif", "elseif", "except", "finally", "catch", "rescue", "ensure"];
/// Words that close a block.
const ENDING_WORDS: [&str; 5] = ["end", "endif", "fi", "done", "esac"];
/// Words that open a block which is a part of another one; other lines with a colon at their end declare something.
const CONTROL_WORDS: [&str; 15] = [
    "if", "elif", "else", "for", "while", "with", "try", "except", "finally", "match", "switch", "do", "async",
    "unless", "until",
];
/// Words of lines that seldom are in a block.
const FILE_LEVEL_WORDS: [&str; 4] = ["import", "from", "export", "package"];
/// Words after which nothing follows in a block.
const LEAVING_WORDS: [&str; 6] = ["return", "raise", "throw", "break", "continue", "pass"];

/// The line of `new` (0-based) that may be as it should be, though it is no deeper than `base`, the indentation of the one
/// line of `old`.
pub(in crate::replace) fn doubtful_line(old: &[&str], new: &[&str], base: &str, level: Level) -> Option<usize> {
    let least = shapes(old, level).map(|line| line.depth).min()?;
    let new: Vec<LineShape<'_>> = shapes(new, level).collect();
    let first = new.first()?;
    let is_doubtful = |(index, line): &(usize, &LineShape<'_>)| {
        if !base.starts_with(&line.indent) {
            return false;
        }
        let closes = line.depth < least;
        let Some(before) = index.checked_sub(1).map(|before| &new[before]) else { return closes };
        let is_of_its_own = first_token(line.body) != first_token(first.body);
        closes || line.closes_block(before) || is_of_its_own && line.declares() || before.leaves_block(base)
    };
    new.iter().enumerate().find(is_doubtful).map(|(_, line)| line.number)
}

/// The same for several lines of `old`; lines that it has are as they should be.
pub(super) fn doubtful_line_after_several(old: &[&str], new: &[&str], level: Level) -> Option<usize> {
    let known: HashSet<&str> = old.iter().map(|line| trim_blanks_end(line)).collect();
    let old: Vec<LineShape<'_>> = shapes(old, level).collect();
    let base = &old.iter().min_by_key(|line| line.indent.len())?.indent;
    let tokens: HashSet<&str> =
        old.iter().filter(|line| line.indent == *base).map(|line| first_token(line.body)).collect();
    let lines: Vec<LineShape<'_>> = shapes(new, level).collect();
    let is_doubtful = |pair: &&[LineShape<'_>]| {
        let [before, line] = pair else { return false };
        let is_outside = base.starts_with(&line.indent)
            && (!tokens.contains(first_token(line.body)) && line.declares() || before.leaves_block(base));
        !known.contains(trim_blanks_end(new[line.number])) && (line.closes_block(before) || is_outside)
    };
    lines.windows(2).find(is_doubtful).map(|pair| pair[1].number)
}

/// The line of `new` (0-based) that closes a bracket which neither `new` nor `old` opens, and is not shallower than `old`.
pub(in crate::replace) fn unopened_closer(old: &[&str], new: &[&str], level: Level) -> Option<usize> {
    let least = shapes(old, level).map(|line| line.depth).min()?;
    let shortest = shapes(old, level).map(|line| line.indent.len()).min()?;
    shapes(new, level).find(|line| line.depth < least && line.indent.len() == shortest).map(|line| line.number)
}

/// What a line that is not blank looks like.
struct LineShape<'l> {
    number: usize,
    /// As the level compares it.
    indent: String,
    body: &'l str,
    /// How many brackets are open where it starts, those aside that it closes first.
    depth: isize,
}

impl LineShape<'_> {
    /// Whether it declares something, and has it in a block.
    fn is_header(&self) -> bool {
        // Only modules of Python ask for their name, and outside all blocks.
        let is_control = CONTROL_WORDS.contains(&first_word(self.body)) && !self.body.contains("__name__");
        trim_blanks_end(self.body).ends_with(':') && !is_control
    }

    /// Whether it declares something that seldom is in a block.
    fn declares(&self) -> bool {
        self.is_header() || FILE_LEVEL_WORDS.contains(&first_word(self.body))
    }

    /// Whether nothing follows it in a block that is no deeper than `base`.
    fn leaves_block(&self, base: &str) -> bool {
        self.indent.len() <= base.len() && LEAVING_WORDS.contains(&first_word(self.body))
    }

    /// Whether it closes a block that the line before it is not in.
    fn closes_block(&self, before: &LineShape<'_>) -> bool {
        self.is_closing_after(before) && before.indent.len() <= self.indent.len()
    }

    fn is_closing_after(&self, before: &LineShape<'_>) -> bool {
        let word = first_word(self.body);
        self.body.starts_with("</")
            || ENDING_WORDS.contains(&word)
            || CONTINUING_WORDS.contains(&word) && !before.body.starts_with([')', ']', '}'])
    }
}

fn shapes<'l>(lines: &[&'l str], level: Level) -> impl Iterator<Item = LineShape<'l>> {
    let mut open = 0;
    lines.iter().enumerate().filter(|(_, line)| !is_blank_text(line)).map(move |(number, line)| {
        let (indent, body) = split_indent(line);
        let closers = body.chars().take_while(|c| matches!(c, ')' | ']' | '}')).count();
        let depth = open - isize::try_from(closers).unwrap_or(isize::MAX);
        open += opened_brackets(body);
        LineShape { number, indent: plain(indent, level), body, depth }
    })
}

/// How many brackets more a line opens than it closes, texts between quotes aside.
pub(super) fn opened_brackets(body: &str) -> isize {
    let mut opened = 0;
    let mut before = None;
    let mut unclosed = Vec::new();
    let mut rest = body.chars();
    while let Some(c) = rest.next() {
        match c {
            '(' | '[' | '{' => opened += 1,
            ')' | ']' | '}' => opened -= 1,
            // After one that is not closed no other of its kind is.
            '"' | '`' | '\'' if !unclosed.contains(&c) && (c != '\'' || !before.is_some_and(is_word_character)) => {
                match after_quote(rest.clone(), c) {
                    Some(after) => rest = after,
                    None => unclosed.push(c),
                }
            }
            _ => {}
        }
        before = Some(c);
    }
    opened
}

/// What follows the next such quote.
fn after_quote(mut text: std::str::Chars<'_>, quote: char) -> Option<std::str::Chars<'_>> {
    while let Some(c) = text.next() {
        if c == quote {
            return Some(text);
        }
        if c == '\\' {
            text.next();
        }
    }
    None
}

fn first_word(body: &str) -> &str {
    &body[..body.len() - body.trim_start_matches(is_word_character).len()]
}

/// A word, an ellipsis of dots, or one character.
pub(super) fn first_token(body: &str) -> &str {
    let word = first_word(body);
    let other = if body.starts_with("...") { 3 } else { body.chars().next().map_or(0, char::len_utf8) };
    if word.is_empty() { &body[..other] } else { word }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str, expected: Option<usize>) {
        let lines = |text: &'static str| text.split('\n').collect::<Vec<_>>();
        let (old_lines, new_lines) = (lines(String::leak(old.to_owned())), lines(String::leak(new.to_owned())));
        let found = doubtful_line(&old_lines, &new_lines, "", Level::Exact);
        assert_eq!(found, expected, "{old:?} {new:?}");
    }

    #[test]
    fn lines_that_close_a_block_are_not_relative() {
        check("a();", "a();\n}\nfunction g() {\n  b();", Some(1));
        check("a();", "if (x) {\n  a();\n}", None);
        check("a();", "if (x)\n{\n  a();\n}", None);
        check("a();", "}\na();", Some(0));
        check("} else {", "} else if (x) {\n  b();\n} else {", None);
        check("a(\"{\");", "a(\"{\");\n}", Some(1));
        check("a()", "a()\nelse:\n  b()", Some(1));
        check("a()", "if x:\n  a()\nelse:\n  b()", None);
        check("}", "}\nelse {\n}", None);
        check("<p/>", "<p/>\n</div>", Some(1));
    }

    #[test]
    fn lines_that_open_another_block_are_not_relative() {
        check("a = 1", "a = 1\n\nclass B:\n  b = 2", Some(2));
        check("a: 1", "a: 1\nb:\n  c: 2", Some(1));
        check("a = 1", "a = 1\nwhile a:\n  b()", None);
        check("def f():", "def f():\n  pass\n\ndef g():\n  pass", None);
        check("a()", "a()\n\nif __name__ == 'x':\n  b()", Some(2));
        check("a()", "a()\n\nimport os", Some(2));
        check("import a", "import a\nimport b", None);
        check("return 1", "return 1\n\nprint(2)", Some(2));
        check("return 1", "if a:\n  return 1\nprint(2)", None);
    }

    #[test]
    fn a_closer_may_be_shallower_than_the_old_lines() {
        let closer = |old: &[&str], new: &[&str]| unopened_closer(old, new, Level::IndentationRelative);
        assert_eq!(closer(&["a();", "b();"], &["a();", "}", "b();"]), Some(1));
        assert_eq!(closer(&["  a();", "  b();"], &["  a();", "}", "f() {", "  b();"]), None);
        assert_eq!(closer(&["a();", "}"], &["b();", "}"]), None);
    }
}
