//! Generated texts to measure on: the same in every run and on every machine.

use std::fmt::Write as _;

/// A name that about 300 lines of 4 MB of [`source`] have.
pub(crate) const RARE_NAME: &str = "retry_budget";

const VERBS: &[&str] =
    &["load", "parse", "merge", "find", "update", "render", "collect", "validate", "read", "apply", "split", "resolve"];
const NOUNS: &[&str] = &[
    "item", "note", "user", "version", "line", "token", "header", "session", "request", "index", "cursor", "buffer",
    "entry", "config", "label", "branch",
];
const PROSE: &[&str] = &[
    "the", "a", "of", "and", "to", "is", "when", "that", "every", "which", "content", "server", "keeps", "order",
    "before", "after", "change", "returns", "without", "first", "time", "only", "read", "value", "must",
];

/// Numbers that look random and are always the same (SplitMix64).
#[derive(Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number in `0..limit`.
    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        let high = ((self.next() >> 32) * u64::from(limit)) >> 32;
        u32::try_from(high).unwrap_or(0)
    }

    /// One of the texts; empty if there are none.
    pub(crate) fn pick_of<'t>(&mut self, texts: &'t [String]) -> &'t str {
        let index = self.below(u32::try_from(texts.len()).unwrap_or(u32::MAX));
        texts.get(index as usize).map_or("", String::as_str)
    }

    pub(crate) fn pick<'w>(&mut self, words: &[&'w str]) -> &'w str {
        let index = self.below(u32::try_from(words.len()).unwrap_or(1));
        words[index as usize]
    }
}

/// Functions in Python and passages of Markdown: lines of some 40 bytes, indented, some of them blank.
pub(crate) fn source(bytes: usize, seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let mut text = String::with_capacity(bytes + 4096);
    while text.len() < bytes {
        if dice.below(4) == 0 { passage_of_prose(&mut text, &mut dice) } else { function(&mut text, &mut dice) }
    }
    let end = text[..bytes].rfind('\n').map_or(bytes, |newline| newline + 1);
    text.truncate(end);
    text
}

// Writing to a string cannot fail: the results of `write!` are dropped.

fn function(text: &mut String, dice: &mut Dice) {
    let (verb, noun, other) = (dice.pick(VERBS), dice.pick(NOUNS), dice.pick(NOUNS));
    let _ = writeln!(text, "def {verb}_{noun}_{}({noun}, {other}=None):", dice.below(10_000));
    let _ = writeln!(text, "    \"\"\"{} the {noun} {}.\"\"\"", capital(verb), prose(dice, 5));
    let mut depth = 1;
    for _ in 0..8 + dice.below(10) {
        if dice.below(12) == 0 {
            text.push('\n');
        }
        let indent = "    ".repeat(depth);
        let (verb, noun, other) = (dice.pick(VERBS), dice.pick(NOUNS), dice.pick(NOUNS));
        let number = dice.below(1_000);
        let _ = match dice.below(9) {
            0 if depth < 4 => {
                depth += 1;
                writeln!(text, "{indent}if {noun}.{other} is not None and len({noun}) > {number}:")
            }
            1 if depth < 4 => {
                depth += 1;
                writeln!(text, "{indent}for {noun} in self.{other}s[{number}:]:")
            }
            2 => writeln!(text, "{indent}# {}", prose(dice, 7)),
            3 => writeln!(text, "{indent}{noun} += {number}"),
            4 => writeln!(text, "{indent}{noun}.{verb}(\"{other}\", {other}={number}, strict=True)"),
            5 if dice.below(23) == 0 => writeln!(text, "{indent}{RARE_NAME}({noun}, {number})"),
            _ => writeln!(text, "{indent}{noun}_{other} = self.{verb}_{other}({noun}[{number}])"),
        };
        depth = depth.saturating_sub(usize::from(dice.below(4) == 0)).max(1);
    }
    let _ = writeln!(text, "    return {}\n\n", dice.pick(NOUNS));
}

fn passage_of_prose(text: &mut String, dice: &mut Dice) {
    let _ = writeln!(text, "## {} a {}\n", capital(dice.pick(VERBS)), dice.pick(NOUNS));
    for _ in 0..2 + dice.below(6) {
        let words = 8 + dice.below(9);
        let _ = writeln!(text, "{}", prose(dice, words));
    }
    text.push('\n');
    for _ in 0..dice.below(5) {
        let _ = writeln!(text, "- `{}_{}`: {}", dice.pick(VERBS), dice.pick(NOUNS), prose(dice, 4));
    }
    text.push('\n');
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

fn prose(dice: &mut Dice, words: u32) -> String {
    (0..words).map(|_| dice.pick(PROSE)).collect::<Vec<_>>().join(" ")
}

/// Words with single spaces and no line ending, in a multiple of their order.
pub(crate) fn one_line(bytes: usize, seed: u64) -> String {
    let mut text = source(bytes, seed).replace('\n', " ");
    text.truncate(bytes);
    text
}

/// Eight lines of a function of [`source`], without the last ending, from about this offset on.
///
/// All are indented or blank.
pub(crate) fn passage(text: &str, offset: usize) -> &str {
    let after = |from: usize, needle: &str| text[from..].find(needle).map_or(text.len(), |at| from + at + needle.len());
    let start = after(after(offset, "\ndef "), "\n");
    let length = text[start..].match_indices('\n').nth(7).map_or(0, |(newline, _)| newline);
    &text[start..start + length]
}
