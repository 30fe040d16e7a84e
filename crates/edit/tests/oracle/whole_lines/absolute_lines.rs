//! The oracle of lines that may be meant as they are given, and not relative to `old_str`: the edit is refused rather
//! than to guess.

use std::collections::BTreeSet;

use super::super::lines::{is_blank_line, is_word, split_indent, trimmed};

/// They close a block and open its next part.
const CONTINUING_WORDS: [&str; 9] =
    ["else", "elif", "elsif", "elseif", "except", "finally", "catch", "rescue", "ensure"];
const ENDING_WORDS: [&str; 5] = ["end", "endif", "fi", "done", "esac"];
const CONTROL_WORDS: [&str; 15] = [
    "if", "elif", "else", "for", "while", "with", "try", "except", "finally", "match", "switch", "do", "async",
    "unless", "until",
];
/// They begin lines that belong to the whole file.
const FILE_WORDS: [&str; 4] = ["import", "from", "export", "package"];
const LEAVING_WORDS: [&str; 6] = ["return", "raise", "throw", "break", "continue", "pass"];

/// A line of a request: its indentation as the level reads it, and the rest of it.
#[derive(Clone, Debug)]
pub(crate) struct RequestLine {
    pub(crate) indent: String,
    pub(crate) body: String,
    /// The whole line without the blanks at its end.
    pub(crate) given: String,
}

/// The lines that are not blank, with the indentations as `read` reads them.
pub(crate) fn request_lines(lines: &[String], read: impl Fn(&str) -> String) -> Vec<RequestLine> {
    let with_text = lines.iter().filter(|line| !is_blank_line(line));
    with_text
        .map(|line| RequestLine {
            indent: read(split_indent(line).0),
            body: split_indent(line).1.to_owned(),
            given: trimmed(line).to_owned(),
        })
        .collect()
}

/// How deep in brackets every line begins, what it closes first taken off.
fn levels(lines: &[RequestLine]) -> Vec<isize> {
    let mut depth = 0;
    let mut levels = Vec::new();
    for line in lines {
        let leading = line.body.chars().take_while(|c| ")]}".contains(*c)).count();
        levels.push(depth - isize::try_from(leading).unwrap());
        for c in outside_quotes(&line.body) {
            depth += isize::from("([{".contains(c)) - isize::from(")]}".contains(c));
        }
    }
    levels
}

/// The characters of a line that no two equal quotes enclose.
fn outside_quotes(body: &str) -> Vec<char> {
    let chars: Vec<char> = body.chars().collect();
    let mut outside = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let after_a_word = at > 0 && is_word(chars[at - 1]);
        let opens = "\"'`".contains(chars[at]) && !(chars[at] == '\'' && after_a_word);
        match closing_quote(&chars, at) {
            Some(end) if opens => at = end,
            _ => outside.push(chars[at]),
        }
        at += 1;
    }
    outside
}

/// Where the quote at `open` is closed on the line.
fn closing_quote(chars: &[char], open: usize) -> Option<usize> {
    let mut at = open + 1;
    while at < chars.len() {
        if chars[at] == chars[open] {
            return Some(at);
        }
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    None
}

/// How long the indentation of a line is that closes what `old_str` does not open.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CloserIndent {
    AtMost(usize),
    Exactly(usize),
}

/// The numbers of the lines of `new` that close what neither they nor `old` open.
fn closers(old: &[RequestLine], new: &[RequestLine], indent: CloserIndent) -> BTreeSet<usize> {
    let least = levels(old).into_iter().min().unwrap_or(0);
    let levels = levels(new);
    let closes = |line: &usize| {
        let length = new[*line].indent.len();
        let is_there = match indent {
            CloserIndent::AtMost(longest) => length <= longest,
            CloserIndent::Exactly(wanted) => length == wanted,
        };
        levels[*line] < least && is_there
    };
    (0..new.len()).filter(closes).collect()
}

/// Whether a line of `new` closes what it does not open, where `old` has several lines.
pub(crate) fn has_closer(old: &[RequestLine], new: &[RequestLine]) -> bool {
    let shortest = old.iter().map(|line| line.indent.len()).min().unwrap_or(0);
    !closers(old, new, CloserIndent::Exactly(shortest)).is_empty()
}

/// Whether a line of `new` may be meant as it is given, where `old` is one line with the indentation `base`.
pub(crate) fn has_doubtful_line(old: &[RequestLine], new: &[RequestLine], base: &str) -> bool {
    if old.len() != 1 {
        return false;
    }
    let closers = closers(old, new, CloserIndent::AtMost(base.len()));
    (0..new.len()).any(|at| {
        let line = &new[at];
        if !base.starts_with(&line.indent) {
            return false;
        }
        let Some(before) = at.checked_sub(1).map(|before| &new[before]) else { return closers.contains(&at) };
        let word = first_word(&line.body);
        let continues = CONTINUING_WORDS.contains(&word) && !before.body.starts_with([')', ']', '}']);
        let closes_a_block = line.body.starts_with("</") || ENDING_WORDS.contains(&word) || continues;
        let begins_otherwise = first_token(&line.body) != first_token(&new[0].body);
        let is_control = CONTROL_WORDS.contains(&word) && !line.body.contains("__name__");
        let names_a_block = trimmed(&line.body).ends_with(':') && !is_control && begins_otherwise;
        let is_of_the_file = FILE_WORDS.contains(&word) && begins_otherwise;
        let comes_after_the_end =
            before.indent.len() <= base.len() && LEAVING_WORDS.contains(&first_word(&before.body));
        closers.contains(&at)
            || closes_a_block && before.indent.len() <= line.indent.len()
            || names_a_block
            || is_of_the_file
            || comes_after_the_end
    })
}

/// The same where `old` has several lines: a line that it has is meant as `old` means it.
pub(crate) fn has_doubtful_line_after_several(old: &[RequestLine], new: &[RequestLine]) -> bool {
    let shortest = old.iter().map(|line| line.indent.len()).min().unwrap_or(0);
    let Some(base) = old.iter().map(|line| &line.indent).find(|indent| indent.len() == shortest) else { return false };
    (1..new.len()).any(|at| {
        let (line, before) = (&new[at], &new[at - 1]);
        if old.iter().any(|old| old.given == line.given) {
            return false;
        }
        let word = first_word(&line.body);
        let continues = CONTINUING_WORDS.contains(&word) && !before.body.starts_with([')', ']', '}']);
        let closes_a_block = line.body.starts_with("</") || ENDING_WORDS.contains(&word) || continues;
        if closes_a_block && before.indent.len() <= line.indent.len() {
            return true;
        }
        let begins_otherwise =
            !old.iter().any(|old| old.indent == *base && first_token(&old.body) == first_token(&line.body));
        let is_control = CONTROL_WORDS.contains(&word) && !line.body.contains("__name__");
        let names_a_block = trimmed(&line.body).ends_with(':') && !is_control;
        let declares = begins_otherwise && (names_a_block || FILE_WORDS.contains(&word));
        let comes_after_the_end =
            before.indent.len() <= base.len() && LEAVING_WORDS.contains(&first_word(&before.body));
        base.starts_with(&line.indent) && (declares || comes_after_the_end)
    })
}

/// Whether `one` is deeper than `other`, by more than a blank for alignment.
fn is_deeper_than(one: &RequestLine, other: &RequestLine) -> bool {
    one.indent.strip_prefix(&other.indent).is_some_and(|rest| !rest.is_empty() && rest != " ")
}

/// A line of `new`, for the question whether it may be meant as it is given.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// It stays: the line of that number of `old`, blank lines not counted.
    Stays(usize),
    /// It replaces the line of that number.
    Replaces(usize),
    /// It is added, or replaces a blank line.
    Added,
}

/// Whether a line of `new` is deeper than the line before it and may be meant as it is given, where `old` has several
/// indentations that all lack `prefix`; `keeps_unit` says that nothing else differs.
pub(crate) fn has_misplaced_line_of_several(
    old: &[RequestLine],
    new: &[RequestLine],
    origins: &[Origin],
    (prefix, keeps_unit): (&str, bool),
) -> bool {
    (1..new.len()).any(|at| {
        let (line, before) = (&new[at], &new[at - 1]);
        if matches!(origins[at], Origin::Stays(_)) || !is_deeper_than(line, before) {
            return false;
        }
        if opens_a_block(&before.body) {
            let there = format!("{prefix}{}", before.indent);
            return keeps_unit && line.indent.starts_with(&there) && line.indent != there;
        }
        match origins[at - 1] {
            Origin::Stays(number) | Origin::Replaces(number) => {
                let led_deeper = old.get(number + 1).is_some_and(|next| is_deeper_than(next, &old[number]));
                !goes_on(before) && !led_deeper
            }
            Origin::Added => false,
        }
    })
}

/// Whether the next line belongs to this one.
fn goes_on(line: &RequestLine) -> bool {
    let brackets = outside_quotes(&line.body);
    let count = |kind: &str| brackets.iter().filter(|c| kind.contains(**c)).count();
    ["\\", "=", "+", "&", "|", "=>", "->"].iter().any(|end| trimmed(&line.body).ends_with(end))
        || count("([{") > count(")]}")
}

/// Whether a further line of `new` begins with `to`, the document's indentation, of which `old` has only a part, although
/// nothing opens a block.
pub(crate) fn has_line_with_all_of_the_indentation(new: &[RequestLine], to: &str) -> bool {
    let Some(first) = new.first() else { return false };
    !opens_a_block(&first.body) && new[1..].iter().any(|line| line.indent.starts_with(to))
}

/// Whether a line of `new` is deeper than `from`, the one indentation of `old`, and may be meant as it is given, where the
/// document has `to`; `is_added` says which lines neither stay nor replace one.
pub(crate) fn has_misplaced_line(
    new: &[RequestLine],
    (from, to): (&str, &str),
    is_added: impl Fn(usize) -> bool,
) -> bool {
    let is_deeper =
        |line: &RequestLine| line.indent.starts_with(from) && line.indent != from && line.indent != format!("{from} ");
    (0..new.len()).filter(|&at| is_deeper(&new[at])).any(|at| {
        if at == 0 {
            return true;
        }
        let before = &new[at - 1];
        if is_deeper(before) {
            return false;
        }
        if opens_a_block(&before.body) {
            return new[at].indent.starts_with(to) && new[at].indent != to;
        }
        !goes_on(before) && !is_added(at - 1)
    })
}

/// Whether the line ends as one does after which lines are deeper.
pub(crate) fn opens_a_block(line: &str) -> bool {
    trimmed(line).ends_with(['{', '(', '[', ':'])
}

fn first_word(body: &str) -> &str {
    &body[..body.find(|c| !is_word(c)).unwrap_or(body.len())]
}

fn first_token(body: &str) -> &str {
    match first_word(body) {
        "" if body.starts_with("...") => "...",
        "" => &body[..body.chars().next().map_or(0, char::len_utf8)],
        word => word,
    }
}
