//! Texts and queries by chance, of few words, so that many match.

use super::oracle::Texts;

/// Chance that comes out the same for the same seed: splitmix64.
pub(crate) struct Chance(u64);

/// Words and what is like them. Parts of some are others, some look alike, some are forms of one word.
const WORDS: &[&str] = &[
    "run",
    "runs",
    "running",
    "Runner",
    "edit",
    "Edits",
    "edited",
    "editing",
    "editor",
    "connect",
    "connection",
    "connections",
    "the",
    "a",
    "I",
    "or",
    "OR",
    "useState",
    "usestate",
    "state",
    "States",
    "node.js",
    "node",
    "js",
    "user_id",
    "user",
    "id",
    "c++",
    "C",
    "%",
    "100%",
    "_",
    "a_b",
    "ab",
    "\\",
    "\\n",
    "'",
    "\"",
    "it's",
    "it’s",
    "“quoted”",
    "\"quoted\"",
    "café",
    "cafe",
    "CAFE\u{301}",
    "naïve",
    "naive",
    "Straße",
    "strasse",
    "ΟΔΟΣ",
    "οδος",
    "İstanbul",
    "istanbul",
    "ﬁne",
    "fine",
    "①",
    "1",
    "2026",
    "26",
    "x86",
    "x86s",
    "東京",
    "東京都",
    "京都",
    "京",
    "한국어",
    "한국",
    "한",
    "が",
    "か",
    "か\u{3099}",
    "ガ",
    "👍",
    "👍🏽",
    "👩\u{200d}🚀",
    "🚀",
    "❤\u{fe0f}",
    "❤",
    "שלום",
    "مرحبا",
    "soft\u{ad}ware",
    "software",
    "zero\u{200b}width",
    "–",
    "-",
    "--release",
    "-v",
    "a-b",
    "foo@bar.org",
    "foo",
    "generously",
    "generous",
    "dying",
    "die",
    "skies",
    "sky",
    "\u{301}",
    "½",
    "ª",
    "ǅ",
    "ŉ",
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "xxxx",
];

const BLANKS: &[&str] = &[" ", " ", " ", "\n", "\r\n", "\t", "  ", "\u{a0}", "", ", ", ".", "-", "\u{3000}"];

impl Chance {
    pub(crate) fn new(seed: u64) -> Chance {
        Chance(seed)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((bits ^ (bits >> 31)) % bound as u64).unwrap()
    }

    pub(crate) fn one<'c>(&mut self, choices: &[&'c str]) -> &'c str {
        choices[self.below(choices.len())]
    }

    /// A text of so many words at the most.
    pub(crate) fn text(&mut self, words: usize) -> String {
        let mut text = String::new();
        for _ in 0..=self.below(words) {
            text.push_str(self.one(WORDS));
            text.push_str(self.one(BLANKS));
        }
        text
    }

    fn maybe_text(&mut self, words: usize) -> Option<String> {
        (self.below(3) > 0).then(|| self.text(words))
    }

    /// The texts of an item.
    pub(crate) fn texts(&mut self) -> Texts {
        Texts {
            title: self.maybe_text(4),
            name: (self.below(3) == 0).then(|| self.text(2)),
            description: (self.below(3) == 0).then(|| self.text(6)),
            url: (self.below(3) == 0).then(|| format!("https://example.org/{}", self.text(3))),
            path: (self.below(3) == 0).then(|| format!("src/{}.py", self.text(2))),
            content: self.maybe_text(25),
        }
    }

    /// A query, mostly of one or two parts; some look for parts of what the items have.
    pub(crate) fn query(&mut self, items: &[Texts]) -> String {
        let mut query = String::new();
        for _ in 0..=[0, 0, 0, 1, 1, 2, 4][self.below(7)] {
            query.push_str(["", "", "", "-", "-", "--", "OR "][self.below(7)]);
            let part = match self.below(8) {
                0 => self.part_of(items),
                1 => self.text(3).trim_end().to_owned(),
                _ => self.one(WORDS).to_owned(),
            };
            match self.below(6) {
                0 => query.push_str(&format!("\"{}\"", part.replace('"', "\\\""))),
                1 if self.below(4) == 0 => query.push_str(&format!("\"{part}")),
                _ => query.push_str(&part),
            }
            query.push_str([" ", " ", " ", " OR ", "\t", ""][self.below(6)]);
        }
        query
    }

    /// Some characters of a text of an item.
    fn part_of(&mut self, items: &[Texts]) -> String {
        let item = &items[self.below(items.len())];
        let texts: Vec<&String> = [&item.title, &item.description, &item.content].into_iter().flatten().collect();
        if texts.is_empty() {
            return String::new();
        }
        let chars: Vec<char> = texts[self.below(texts.len())].chars().collect();
        let start = self.below(chars.len().max(1));
        chars[start..].iter().take(1 + self.below(9)).collect()
    }
}
