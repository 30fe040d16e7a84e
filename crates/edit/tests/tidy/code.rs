//! Strips comments, literals and tests from source, so that the rules see code only.

use std::fmt::Write as _;

/// The source with comments and literals blanked out; every other character keeps its place and line.
pub(crate) fn code_only(source: &str) -> String {
    let text: Vec<char> = source.chars().collect();
    let mut code = String::with_capacity(source.len());
    let mut at = 0;
    while at < text.len() {
        let end = literal_end(&text, at).unwrap_or(at);
        if end == at {
            code.push(text[at]);
            at += 1;
        } else {
            code.extend(text[at..end].iter().map(|&c| if c == '\n' { '\n' } else { ' ' }));
            at = end;
        }
    }
    code
}

/// Where the comment or literal that begins at `at` ends, if one does.
fn literal_end(text: &[char], at: usize) -> Option<usize> {
    let rest = &text[at..];
    let in_word = at > 0 && is_word(text[at - 1]);
    match rest {
        ['/', '/', ..] => Some(rest.iter().position(|&c| c == '\n').map_or(text.len(), |n| at + n)),
        ['/', '*', ..] => Some(at + block_comment_len(rest)),
        ['"', ..] => Some(at + quoted_len(rest, '"')),
        ['r', '#' | '"', ..] if !in_word => Some(at + raw_string_len(rest)?),
        ['b' | 'c', 'r', '#' | '"', ..] if !in_word => Some(at + 1 + raw_string_len(&rest[1..])?),
        // A lifetime has no closing quote.
        ['\'', '\\', ..] | ['\'', _, '\'', ..] => Some(at + quoted_len(rest, '\'')),
        _ => None,
    }
}

fn block_comment_len(text: &[char]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        match &text[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] if depth == 1 => return at + 2,
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    text.len()
}

fn quoted_len(text: &[char], quote: char) -> usize {
    let mut at = 1;
    while at < text.len() && text[at] != quote {
        at += if text[at] == '\\' { 2 } else { 1 };
    }
    text.len().min(at + 1)
}

/// `None` for a raw identifier (`r#type`).
fn raw_string_len(text: &[char]) -> Option<usize> {
    let hashes = text[1..].iter().take_while(|&&c| c == '#').count();
    let body = 1 + hashes + 1;
    (text.get(body - 1) == Some(&'"')).then_some(())?;
    let closing: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
    let end = text[body..].windows(closing.len()).position(|window| window == closing);
    Some(end.map_or(text.len(), |end| body + end + closing.len()))
}

pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// `std::{fmt, fs::File}` gets `std::fmt std::fs` beside it, so that a grouped import names what it takes.
pub(crate) fn spelled_out(code: &str) -> String {
    let mut parts = code.split("std::{");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut depth = 0;
        let mut names = vec![String::new()];
        for c in part.chars().take_while(|&c| c != ';') {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => names.push(String::new()),
                _ => names.last_mut().expect("never empty").push(c),
            }
        }
        for name in names {
            let _ = write!(out, "std::{} ", name.trim());
        }
        out.push_str(part);
    }
    out
}

/// The 1-based lines on which `name` stands as a name of its own.
pub(crate) fn lines_that_name(code: &str, name: &str) -> Vec<usize> {
    let mut lines: Vec<usize> = code
        .match_indices(name)
        .filter(|(at, _)| !code[..*at].ends_with(is_word) && !code[at + name.len()..].starts_with(is_word))
        .map(|(at, _)| code[..at].matches('\n').count() + 1)
        .collect();
    lines.dedup();
    lines
}

/// The code without the items under `#[cfg(test)]`, lines kept.
pub(crate) fn without_tests(code: &str) -> String {
    let mut parts = code.split("#[cfg(test)]");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = item_len(part);
        out.extend(part[..end].matches('\n'));
        out.push_str(&part[end..]);
    }
    out
}

/// The length of the item at the start of `code`: up to its closing brace, or to a `;` before any brace.
fn item_len(code: &str) -> usize {
    let (mut braces, mut others) = (0, 0);
    for (at, c) in code.char_indices() {
        match c {
            '(' | '[' => others += 1,
            ')' | ']' => others -= 1,
            '{' => braces += 1,
            '}' if braces <= 1 => return at + 1,
            '}' => braces -= 1,
            ';' if braces == 0 && others == 0 => return at + 1,
            _ => {}
        }
    }
    code.len()
}

#[test]
fn rules_see_code_and_only_code() {
    let source = r####"
        //! std::fs in prose
        /* std::fs /* nested */ still std::fs */
        const A: &str = "std::fs \" std::fs"; const B: &str = r#"std::fs " std::fs"#;
        fn quotes<'a>(x: &'a str) -> (char, char, u8) { ('"', '\'', b'"') }
        use std::{fmt, fs::{self, File}, io as inout};
        fn main() { a.unwrap(); my_std::net(); std::network(); println!(); }
        #[cfg(test)]
        fn f(x: [u8; 2]) { b.unwrap(); { b.expect("") } }
        fn after() { c.expect(""); }
    "####;
    let code = code_only(source);
    assert_eq!(code.split('\n').count(), source.split('\n').count(), "line numbers hold");
    let named = spelled_out(&code);
    assert_eq!(lines_that_name(&named, "std::fs"), [6]);
    assert_eq!(lines_that_name(&named, "std::io"), [6]);
    assert_eq!(lines_that_name(&named, "std::net"), [] as [usize; 0]);
    assert_eq!(lines_that_name(&named, "println!"), [7]);
    assert_eq!(lines_that_name(&named, "print!"), [] as [usize; 0]);
    let shipped = without_tests(&code);
    assert_eq!(shipped.matches(".unwrap()").count(), 1);
    assert_eq!(shipped.matches(".expect(").count(), 1);
}
