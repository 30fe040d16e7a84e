//! Generates contents: code with one unit of indentation, tables, prose, lines of odd words, soup.

use super::misremember;
use super::rng::Rng;

#[rustfmt::skip]
const SOUP: [&str; 24] = [
    "a", "a", "b", "b", " ", " ", "\t", "\n", "\n", "\r\n", "\r", "\u{A0}", "\u{301}", "\u{1F600}", "\u{2019}", "'",
    "\u{2014}", "-", "\u{2026}", "...", "\u{3000}", "\u{2028}", "\u{85}", ".",
];
#[rustfmt::skip]
const WORDS: [&str; 30] = [
    "a", "b", "c", "aa", "ab", "e\u{301}", "\u{E9}", "\u{1F600}", "it's", "it\u{2019}s", "\"q\"",
    "\u{201C}q\u{201D}", "x-y", "x\u{2014}y", "\u{2013}", "...", "\u{2026}", "w...", "w\u{2026}.", ".\u{2026}", "}",
    "\r", "lock(m)", "unlock(m)", "n=3", "n=30", "\"a  b\"", "'a  b'", "`a\tb`", "a_b",
];
#[rustfmt::skip]
const STATEMENTS: [&str; 18] = [
    "a = 1", "b()", "go(a, b)", "if a {", "if a:", "}", "});", "return x - y;", "// a - b", "// a \u{2014} b",
    "x: &'a T", "f(...a)", "# it\u{2019}s", "s = \"a  b\"", "retries = 3", "retries = 30", "lock(m)", "unlock(m)",
];
const INDENTS: [&str; 8] = ["  ", "  ", "    ", "    ", "\t", "\t", "   ", "\u{A0}"];
const UNITS: [&str; 8] = ["  ", "  ", "    ", "    ", "    ", "\t", "\t", "        "];

/// Some word.
pub(crate) fn word(rng: &mut Rng) -> &'static str {
    rng.pick(&WORDS)
}

/// Some statement of code.
pub(crate) fn statement(rng: &mut Rng) -> &'static str {
    rng.pick(&STATEMENTS)
}

/// Some step of indentation.
pub(crate) fn indent(rng: &mut Rng) -> &'static str {
    rng.pick(&INDENTS)
}

/// Tokens at random.
pub(crate) fn soup(rng: &mut Rng, longest: usize) -> String {
    (0..rng.between(0, longest)).map(|_| rng.pick(&SOUP)).collect()
}

/// A text of a few lines, or soup.
pub(crate) fn content(rng: &mut Rng) -> String {
    let mut list = match rng.weighted(&[7, 28, 39, 15, 11]) {
        0 => return soup(rng, 16),
        1 => odd_lines(rng),
        2 => code(rng),
        3 => table(rng),
        _ => prose(rng),
    };
    // Repeat a passage, perhaps elsewhere on the page.
    for _ in 0..rng.weighted(&[60, 28, 12]) {
        let first = rng.below(list.len());
        let mut passage = list[first..rng.between(first + 1, list.len().min(first + 3))].to_vec();
        if rng.percent(40) {
            misremember::indentation(rng, &mut passage);
        }
        if rng.percent(30) {
            misremember::trailing_blanks(rng, &mut passage);
        }
        let at = rng.between(0, list.len());
        list.splice(at..at, passage);
    }
    let final_newline = rng.percent(60);
    join(rng, &list, final_newline)
}

fn odd_lines(rng: &mut Rng) -> Vec<String> {
    let unit = indent(rng);
    (0..rng.between(1, 9)).map(|_| odd_line(rng, unit)).collect()
}

/// A line of words with the unit of indentation, or a blank one.
pub(crate) fn odd_line(rng: &mut Rng, unit: &str) -> String {
    if rng.percent(18) {
        return if rng.percent(60) { String::new() } else { misremember::blanks(rng).to_owned() };
    }
    let mut line = unit.repeat(rng.weighted(&[35, 35, 20, 10]));
    if rng.percent(5) {
        line.push_str(misremember::blanks(rng));
    }
    for index in 0..rng.between(1, 4) {
        if index > 0 && rng.percent(85) {
            let separator = if rng.percent(70) { " " } else { misremember::blanks(rng) };
            line.push_str(separator);
        }
        line.push_str(word(rng));
    }
    if rng.percent(15) {
        line.push_str(misremember::blanks(rng));
    }
    line
}

/// Nested blocks in one unit, with comments that have a blank for alignment; rarely a line of another style.
fn code(rng: &mut Rng) -> Vec<String> {
    let unit = rng.pick(&UNITS);
    let mut list = Vec::new();
    let mut depth = 0;
    for _ in 0..rng.between(2, 12) {
        let indent = if rng.percent(4) { indent(rng).to_owned() } else { unit.repeat(depth) };
        match rng.weighted(&[62, 9, 9, 6, 6, 8]) {
            0 => list.push(indent + statement(rng)),
            1 => list.extend([format!("{indent}/**"), format!("{indent} * {}", word(rng)), format!("{indent} */")]),
            2 => list.push(String::new()),
            3 => list.push(format!("{indent}{}  // {}", statement(rng), word(rng))),
            4 => {
                let columns = " ".repeat(rng.between(2, 5));
                list.extend([format!("{indent}go(a,"), format!("{indent}{columns}b)")]);
            }
            _ => list.push(indent + statement(rng) + misremember::blanks(rng)),
        }
        depth = match rng.below(10) {
            0..=3 => (depth + 1).min(3),
            4..=6 => depth,
            _ => depth.saturating_sub(1),
        };
    }
    list
}

/// Rows of cells between tabs, several blanks or bars.
fn table(rng: &mut Rng) -> Vec<String> {
    let separator = rng.pick(&["\t", "\t", "  ", "   ", " | ", "\u{2028}", " \t"]);
    let mut list = Vec::new();
    for _ in 0..rng.between(1, 5) {
        let cells: Vec<&str> = (0..rng.between(2, 4)).map(|_| word(rng)).collect();
        list.push(cells.join(separator));
    }
    list
}

/// Sentences with quotes, dashes and blanks that are not spaces.
fn prose(rng: &mut Rng) -> Vec<String> {
    let marks = [
        "\u{2014}",
        "-",
        "\u{201C}a  b\u{201D}",
        "it\u{2019}s",
        "\u{2026}",
        "a\u{A0}b",
        "c.  D",
        "\"a b\"",
        "\u{2018}a b\u{2019}",
    ];
    let mut list = Vec::new();
    for _ in 0..rng.between(1, 4) {
        let mut line = rng.pick(&["", "", "- ", "\u{2014} ", "> "]).to_owned();
        for index in 0..rng.between(2, 6) {
            if index > 0 {
                line.push(' ');
            }
            line.push_str(if rng.percent(50) { rng.pick(&marks) } else { rng.pick(&["one", "two", "a", "b"]) });
        }
        list.push(line);
    }
    list
}

/// The lines with endings of one kind, or mixed.
pub(crate) fn join(rng: &mut Rng, list: &[String], final_newline: bool) -> String {
    let crlf = [0, 0, 0, 100, 100, 50][rng.below(6)];
    let mut text = String::new();
    for (index, line) in list.iter().enumerate() {
        text.push_str(line);
        if index + 1 < list.len() || final_newline {
            text.push_str(if rng.percent(crlf) { "\r\n" } else { "\n" });
        }
    }
    text
}
