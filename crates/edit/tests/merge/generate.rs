//! Triples of texts by seed: a base and two sides that were made from it by edits of lines.

use crate::oracle::rng::Rng;

/// A base and what two sides made of it.
#[derive(Clone, Debug)]
pub(crate) struct Triple {
    pub(crate) base: String,
    pub(crate) ours: String,
    pub(crate) theirs: String,
}

/// The lines that a text is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Alphabet {
    /// Every line of a text is another.
    Unique,
    /// So many different lines.
    Repeated(usize),
}

impl Alphabet {
    pub(crate) const ALL: [Alphabet; 3] = [Alphabet::Unique, Alphabet::Repeated(4), Alphabet::Repeated(12)];
}

/// Short texts; sometimes with `\r\n`, without a final newline, with the same edit on both sides.
pub(crate) fn triple(seed: u64, alphabet: Alphabet) -> Triple {
    let mut source = Lines { rng: Rng::new(seed), alphabet, made: 0 };
    let length = if source.rng.percent(10) { source.rng.below(4) } else { source.rng.between(4, 24) };
    let base: Vec<String> = (0..length).map(|_| source.line()).collect();
    let mut both = base.clone();
    if source.rng.percent(25) {
        source.edit(&mut both, &base);
    }
    let (mut ours, mut theirs) = (both.clone(), both);
    for _ in 0..source.rng.between(1, 4) {
        source.edit(&mut ours, &base);
    }
    for _ in 0..source.rng.between(1, 4) {
        source.edit(&mut theirs, &base);
    }
    // Both may come to the same line by themselves.
    if source.rng.percent(5) {
        let line = source.line();
        for side in [&mut ours, &mut theirs] {
            let at = source.rng.below(side.len() + 1);
            side.insert(at, line.clone());
        }
    }
    let ending = if source.rng.percent(10) { "\r\n" } else { "\n" };
    let final_newline = !source.rng.percent(15);
    let mut text = |lines: &[String], change_percent: usize| {
        let other = if ending == "\n" { "\r\n" } else { "\n" };
        let changed = source.rng.percent(change_percent).then(|| source.rng.below(lines.len() + 1));
        let with_ending =
            |(index, line): (usize, &String)| line.clone() + if changed == Some(index) { other } else { ending };
        let text: String = lines.iter().enumerate().map(with_ending).collect();
        if final_newline != source.rng.percent(change_percent) { text } else { without_last_ending(text) }
    };
    Triple { base: text(&base, 0), ours: text(&ours, 4), theirs: text(&theirs, 4) }
}

fn without_last_ending(mut text: String) -> String {
    text.pop();
    if text.ends_with('\r') {
        text.pop();
    }
    text
}

/// Makes lines and edits.
struct Lines {
    rng: Rng,
    alphabet: Alphabet,
    made: usize,
}

impl Lines {
    fn line(&mut self) -> String {
        match self.alphabet {
            Alphabet::Unique => {
                self.made += 1;
                format!("line {}", self.made)
            }
            Alphabet::Repeated(count) => format!("line {}", self.rng.below(count)),
        }
    }

    /// One edit of a side. Lines of the base come back only where lines may repeat.
    fn edit(&mut self, side: &mut Vec<String>, base: &[String]) {
        let at = self.rng.below(side.len() + 1);
        let count = self.rng.between(1, 3).min(side.len() - at);
        let new: Vec<String> = (0..self.rng.between(1, 3)).map(|_| self.line()).collect();
        match self.rng.weighted(&[30, 25, 30, 10, 5]) {
            0 => _ = side.splice(at..at, new),
            1 => _ = side.drain(at..at + count),
            2 => _ = side.splice(at..at + count, new),
            3 => {
                let moved: Vec<String> = side.drain(at..at + count).collect();
                let to = self.rng.below(side.len() + 1);
                side.splice(to..to, moved);
            }
            _ if self.alphabet != Alphabet::Unique && !base.is_empty() => {
                let from = self.rng.below(base.len());
                let copied = base[from..base.len().min(from + 3)].to_vec();
                side.splice(at..at, copied);
            }
            _ => _ = side.splice(at..at, new),
        }
    }
}
