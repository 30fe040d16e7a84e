//! Quotes in pairs, apostrophes, dashes, dots and blanks, in the forms of the document and of the request.
//!
//! A line is made with marks that stand for characters of either form: `«»` for double quotes, `‹›` for single ones, `ʼ`
//! for an apostrophe, `⸺` for a dash, `⁝` for dots, `·` for a blank. A plain character in it is plain in every form.

use super::super::misremember;
use super::super::rng::Rng;
use super::{Passage, surround};

/// How the marks are written: double quotes, single quotes, apostrophe, dash, dots, blank.
type Forms = [&'static str; 8];

const PLAIN: Forms = ["\"", "\"", "'", "'", "'", "-", "...", " "];
const CURLY: Forms = ["\u{201C}", "\u{201D}", "\u{2018}", "\u{2019}", "\u{2019}", "\u{2014}", "\u{2026}", "\u{A0}"];
const GERMAN: Forms = ["\u{201E}", "\u{201C}", "\u{201A}", "\u{2018}", "\u{2019}", "\u{2013}", "\u{2026}", "\u{202F}"];
const MARKS: [char; 8] = ['«', '»', '‹', '›', 'ʼ', '⸺', '⁝', '·'];

const QUOTED: [&str; 14] = [
    "«a b» c",
    "print(«hello», «you»)",
    "say «it is ‹on›» now",
    "itʼs «on»",
    "‹a› and ‹b›",
    "x = ‹on›",
    "the dogsʼ «bowl»",
    "«a», «b», «c»",
    "he said «donʼt»",
    "«a»",
    "<a href=«x» id=«y»>",
    "s = «it's»",
    "x: &'a «T»",
    "« a ».",
];
const DASHED: [&str; 16] = [
    "// total ⸺ net",
    "⸺ one",
    "- one ⸺ two",
    "a ⸺ b ⸺ c",
    "wait⁝ for it",
    "[⁝a, b]",
    "f(⁝a)",
    "let x = a - b; // a ⸺ b",
    "x = a⸺b",
    "1⸺2 and 3⸺4",
    "a⁝",
    "⁝a",
    "# ⸺ a ⸺",
    "--flag ⸺ does it",
    "a·b c",
    "10·km ⸺ far",
];
const WORDS: [&str; 8] = ["a", "b", "two", "now", "net", "gross", "x", "you"];
/// What is put in: marks of the request, and characters that are plain in every form.
const PUT_IN: [&str; 16] =
    ["«z»", "‹z›", "itʼs", " «", "» ", " - ", " - z", "-", "...", "⁝", " ⸺ z", "'", "\"", "z·z", " - 1", "'z'"];

fn render(line: &str, forms: &Forms) -> String {
    let mut text = String::new();
    for c in line.chars() {
        match MARKS.iter().position(|&mark| mark == c) {
            Some(mark) => text.push_str(forms[mark]),
            None => text.push(c),
        }
    }
    text
}

/// The words, marks and blanks of a line.
fn pieces(line: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for c in line.chars() {
        let is_letter = |c: char| c.is_alphanumeric() && !MARKS.contains(&c);
        match pieces.last_mut() {
            Some(last) if is_letter(c) && last.chars().all(is_letter) => last.push(c),
            _ => pieces.push(c.to_string()),
        }
    }
    pieces
}

/// Changes one piece of the line.
fn change(rng: &mut Rng, line: &mut String) {
    let mut list = pieces(line);
    let at = rng.below(list.len());
    let is_word = |piece: &String| piece.chars().all(char::is_alphanumeric) && !piece.contains(MARKS);
    let words: Vec<usize> = (0..list.len()).filter(|&at| is_word(&list[at])).collect();
    let word = if words.is_empty() { at } else { words[rng.below(words.len())] };
    match rng.weighted(&[30, 12, 10, 18, 8, 8, 8, 6]) {
        0 => list[word] = rng.pick(&WORDS).to_owned(),
        1 => list[word] = format!("«{}»", list[word]),
        2 => list[word] = format!("‹{}›", list[word]),
        3 => list.insert(at, rng.pick(&PUT_IN).to_owned()),
        4 => _ = list.remove(at),
        5 => list.push(rng.pick(&PUT_IN).to_owned()),
        6 => list.insert(0, rng.pick(&PUT_IN).to_owned()),
        _ => list.retain(|piece| !["«", "»"].contains(&piece.as_str())),
    }
    *line = list.concat();
    if line.is_empty() {
        line.push('a');
    }
}

/// A passage of these lines: the document in one form, the request in another.
fn passage(rng: &mut Rng, lines: &[&str], document: &Forms, request: &Forms) -> Passage {
    let indent = rng.pick(&["", "", "    ", "\t", "··"]);
    let old: Vec<String> = (0..rng.weighted(&[0, 55, 30, 15])).map(|_| indent.to_owned() + rng.pick(lines)).collect();
    let mut new = old.clone();
    for _ in 0..rng.between(1, 2) {
        let at = rng.below(new.len());
        match rng.weighted(&[75, 17, 8]) {
            0 => {
                let mut body = new[at].trim_start_matches([' ', '\t', '·']).to_owned();
                change(rng, &mut body);
                new[at] = indent.to_owned() + &body;
            }
            1 => {
                let lines = if rng.percent(50) { lines } else { &CODE };
                new.insert(at + 1, indent.to_owned() + rng.pick(lines));
            }
            _ if new.len() > 1 => _ = new.remove(at),
            _ => {}
        }
    }
    // Rarely the new text is in the document's form, or partly.
    let new_forms = if rng.percent(12) { document } else { request };
    let rendered = |lines: &[String], forms: &Forms| lines.iter().map(|line| render(line, forms)).collect::<Vec<_>>();
    let (there, mut old, mut new) = (rendered(&old, document), rendered(&old, request), rendered(&new, new_forms));
    match rng.below(10) {
        0 => misremember::spacing(rng, &mut old),
        1 => {
            let at = rng.below(new.len());
            misremember::typography(rng, &mut new[at..=at]);
        }
        2 => misremember::typography(rng, &mut old),
        _ => {}
    }
    Passage { document: surround(rng, there, &["one", "", "let z = y - 1;", "} else {"]), old, new }
}

const CODE: [&str; 6] = ["let z = a - b;", "f(...a)", "x: &'a T", "- three", "s = \"it's\"", "range(1...2)"];

/// Curly or German quotes in the document, plain ones in the request.
pub(crate) fn quotes(rng: &mut Rng) -> Passage {
    let forms = if rng.percent(65) { CURLY } else { GERMAN };
    let request = if rng.percent(90) { PLAIN } else { CURLY };
    passage(rng, &QUOTED, &forms, &request)
}

/// Plain quotes in the document, typographic ones in the request.
pub(crate) fn quotes_of_a_plain_document(rng: &mut Rng) -> Passage {
    let forms = if rng.percent(70) { CURLY } else { GERMAN };
    passage(rng, &QUOTED, &PLAIN, &forms)
}

/// Dashes, dots and blanks in the document's form, plain in the request.
pub(crate) fn dashes_and_dots(rng: &mut Rng) -> Passage {
    let forms = if rng.percent(65) { CURLY } else { GERMAN };
    passage(rng, &DASHED, &forms, &PLAIN)
}

/// All of these in a request for a plain document.
pub(crate) fn typographic_request(rng: &mut Rng) -> Passage {
    let forms = if rng.percent(70) { CURLY } else { GERMAN };
    let lines = if rng.percent(70) { &DASHED[..] } else { &QUOTED[..] };
    passage(rng, lines, &PLAIN, &forms)
}
