//! Changes a passage in the ways in which a model remembers it wrongly: blanks, indentation, typography, spacing.

use super::characters::plain_char;
use super::lines::{is_blank, is_blank_line, split_indent, trimmed};
use super::rng::Rng;

const BLANKS: [&str; 6] = [" ", "  ", "\t", "\u{A0}", "\u{3000}", "\u{2028}"];

/// Blanks of some kind.
pub(crate) fn blanks(rng: &mut Rng) -> &'static str {
    if rng.percent(70) { rng.pick(&BLANKS[..3]) } else { rng.pick(&BLANKS) }
}

/// Adds or strips blanks at the end of some lines.
pub(crate) fn trailing_blanks(rng: &mut Rng, lines: &mut [String]) {
    for line in lines {
        match rng.below(4) {
            0 => line.push_str(blanks(rng)),
            1 => *line = trimmed(line).to_owned(),
            _ => {}
        }
    }
}

/// Changes the indentation of all lines by one rule.
pub(crate) fn indentation(rng: &mut Rng, lines: &mut [String]) {
    match rng.weighted(&[3, 5, 2, 2, 3, 5]) {
        0 => {
            let prefix = blanks(rng);
            each_indent(lines, |indent| format!("{prefix}{indent}"));
        }
        1 => {
            let common = common_indent(lines);
            let count = rng.between(common.min(1), common);
            each_indent(lines, |indent| indent.chars().skip(count).collect());
        }
        2 => {
            let width = [2, 3, 4, 8][rng.below(4)];
            each_indent(lines, |indent| indent.replace('\t', &" ".repeat(width)));
        }
        4 => {
            let (unit, other) = ([2, 3, 4, 8][rng.below(4)], [2, 3, 4, 8][rng.below(4)]);
            each_indent(lines, |indent| match indent.len().is_multiple_of(unit) && !indent.contains('\t') {
                true => " ".repeat(indent.len() / unit * other),
                false => indent.to_owned(),
            });
        }
        5 => {
            // Without what all have, and in the other characters.
            let common = common_indent(lines);
            let tabs = lines.iter().any(|line| line.starts_with('\t'));
            let width = [2, 4, 4, 8][rng.below(4)];
            each_indent(lines, |indent| {
                let rest: String = indent.chars().skip(common).collect();
                if tabs { rest.replace('\t', &" ".repeat(width)) } else { rest.replace(&" ".repeat(width), "\t") }
            });
        }
        _ => {
            let width = [2, 3, 4, 8][rng.below(4)];
            each_indent(lines, |indent| {
                let spaces = indent.chars().take_while(|&c| c == ' ').count();
                let rest: String = indent.chars().skip(spaces).collect();
                "\t".repeat(spaces / width) + &" ".repeat(spaces % width) + &rest
            });
        }
    }
}

/// Writes indentations that are made of `unit` with another unit, perhaps without what all lines have in common.
pub(crate) fn unit(rng: &mut Rng, lines: &mut [String], unit: &str) {
    let other = rng.pick(&["\t", "  ", "    ", "    ", "   ", "        "]);
    each_indent(lines, |indent| indent.replace(unit, other));
    if rng.percent(50) {
        let common = common_indent(lines);
        each_indent(lines, |indent| indent.chars().skip(common).collect());
    }
}

/// How many characters of indentation all lines have in common.
fn common_indent(lines: &[String]) -> usize {
    let indents: Vec<Vec<char>> =
        lines.iter().filter(|line| !is_blank_line(line)).map(|line| split_indent(line).0.chars().collect()).collect();
    let shortest = indents.iter().map(Vec::len).min().unwrap_or(0);
    (0..shortest).take_while(|&at| indents.iter().all(|indent| indent[at] == indents[0][at])).count()
}

fn each_indent(lines: &mut [String], change: impl Fn(&str) -> String) {
    for line in lines.iter_mut().filter(|line| !is_blank_line(line)) {
        let (indent, rest) = split_indent(line);
        *line = change(indent) + rest;
    }
}

/// Adds or takes off blank lines at the edges.
pub(crate) fn blank_edges(rng: &mut Rng, lines: &mut Vec<String>) {
    for _ in 0..rng.between(1, 2) {
        let blank = if rng.percent(70) { "" } else { blanks(rng) }.to_owned();
        match rng.below(5) {
            0 | 1 => lines.insert(0, blank),
            2 | 3 => lines.push(blank),
            _ if lines.len() > 1 && is_blank_line(&lines[0]) => _ = lines.remove(0),
            _ => {}
        }
    }
}

/// Writes some characters in another form of the same class; consistently or not.
pub(crate) fn typography(rng: &mut Rng, lines: &mut [String]) {
    let chance = [100, 100, 50][rng.below(3)];
    let seed = rng.next();
    let consistent = rng.percent(70);
    for line in lines {
        let dots = line.contains("...") && rng.percent(chance);
        let text = if dots { line.replace("...", "\u{2026}") } else { line.clone() };
        *line = String::new();
        for c in text.chars() {
            let mut form = if consistent { Rng::new(seed ^ u64::from(c)) } else { Rng::new(rng.next()) };
            if rng.percent(chance) { line.push_str(&other_form(&mut form, c)) } else { line.push(c) }
        }
        // Dots next to an ellipsis can be read in more than one way.
        if rng.percent(30)
            && let Some(at) = if rng.percent(50) { line.find("...") } else { line.rfind("...") }
        {
            line.replace_range(at..at + 3, "\u{2026}");
        }
    }
}

/// The character in some form of its class.
pub(crate) fn other_form(rng: &mut Rng, c: char) -> String {
    match plain_char(c).as_str() {
        "'" => rng.pick(&["'", "\u{2018}", "\u{2019}", "\u{201A}"]).to_owned(),
        "\"" => rng.pick(&["\"", "\u{201C}", "\u{201D}", "\u{201F}"]).to_owned(),
        "-" => rng.pick(&["-", "\u{2013}", "\u{2014}", "\u{2212}"]).to_owned(),
        "..." if c == '\u{2026}' => rng.pick(&["...", "\u{2026}"]).to_owned(),
        " " => rng.pick(&[" ", " ", "\u{A0}", "\u{3000}", "\u{2009}"]).to_owned(),
        _ => c.to_string(),
    }
}

/// Changes the length of runs of blanks inside lines.
pub(crate) fn spacing(rng: &mut Rng, lines: &mut [String]) {
    for line in lines {
        let (indent, rest) = split_indent(line);
        let mut result = indent.to_owned();
        let chars: Vec<char> = rest.chars().collect();
        for (index, &c) in chars.iter().enumerate() {
            let before_a_blank = chars.get(index + 1).is_some_and(|&next| is_blank(next));
            if is_blank(c) && before_a_blank && rng.percent(40) {
                continue;
            }
            result.push(if is_blank(c) && rng.percent(40) { ' ' } else { c });
            if is_blank(c) && rng.percent(40) {
                result.push_str(blanks(rng));
            }
        }
        *line = result;
    }
}
