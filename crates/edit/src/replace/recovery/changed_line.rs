//! Tells whether a new line is a line that `old_str` lacks, changed, or one that comes beside it: only if both cannot stand
//! together it is clear.

use crate::lines::trim_blanks_end;
use crate::replace::nearest::words;

/// A line of the passage that `old_str` lacks, and a similar one of `new_str`.
pub(super) struct SimilarLine<'a> {
    pub(super) left_out: &'a str,
    /// The line of the passage after it.
    pub(super) next: Option<&'a str>,
    pub(super) new: &'a str,
}

impl SimilarLine<'_> {
    /// Whether the two lines cannot stand together: the new one says all that the other does, declares the same name, or is
    /// in the middle of the same sentence.
    pub(super) fn exclude_each_other(&self) -> bool {
        self.is_extended() || self.declares_same_name() || self.is_inside_sentence()
    }

    /// Whether the new line has all words of the other, and these are many, or declare something.
    fn is_extended(&self) -> bool {
        const DECLARING_WORDS: [&str; 16] = [
            "import",
            "from",
            "use",
            "export",
            "const",
            "let",
            "var",
            "def",
            "fn",
            "func",
            "function",
            "class",
            "struct",
            "enum",
            "type",
            "interface",
        ];
        const MIN_WORDS: usize = 8;
        const MIN_DECLARING_WORDS: usize = 3;
        let (old, new) = (texts(self.left_out), texts(self.new));
        let count = old.iter().filter(|word| is_word(word)).count();
        let declares = old.first().is_some_and(|first| DECLARING_WORDS.contains(first));
        let mut rest = new.into_iter();
        let has_all = old.iter().all(|word| rest.any(|other| other == *word));
        has_all && count >= if declares { MIN_DECLARING_WORDS } else { MIN_WORDS }
    }

    /// Whether both lines declare one name, and the new one does not use the other's value. Without a word that declares it, a
    /// name can be given one value after the other.
    fn declares_same_name(&self) -> bool {
        const DECLARING_WORDS: [&str; 6] = ["const", "let", "var", "val", "final", "type"];
        let (Some((name, _)), Some((new_name, value))) = (assignment(self.left_out), assignment(self.new)) else {
            return false;
        };
        let words: Vec<&str> = texts(name).into_iter().filter(|word| is_word(word)).collect();
        let Some((last, others)) = words.split_last() else { return false };
        let is_declared = others.iter().any(|word| DECLARING_WORDS.contains(word));
        name == new_name && is_declared && !texts(value).contains(last)
    }

    /// Whether both lines go on with the same word in a next line that begins in the middle of a sentence.
    fn is_inside_sentence(&self) -> bool {
        const MIN_WORDS: usize = 6;
        let (old, new) = (texts(self.left_out), texts(self.new));
        let is_inside = |word: &str| word.chars().all(char::is_lowercase);
        let ends_alike = old.last().is_some_and(|last| is_inside(last) && new.last() == Some(last));
        let next = self.next.map(texts).unwrap_or_default();
        // Lines of code that begin alike are no sentence.
        let goes_on = next.first().is_some_and(|first| is_inside(first) && old.first() != Some(first));
        ends_alike && goes_on && old.iter().filter(|word| is_word(word)).count() >= MIN_WORDS
    }
}

/// How many brackets of each kind some lines open more than they close.
pub(super) fn open_brackets(lines: &[&str]) -> [isize; 3] {
    let mut open = [0; 3];
    for c in lines.iter().flat_map(|line| line.chars()) {
        match c {
            '(' => open[0] += 1,
            ')' => open[0] -= 1,
            '[' => open[1] += 1,
            ']' => open[1] -= 1,
            '{' => open[2] += 1,
            '}' => open[2] -= 1,
            _ => {}
        }
    }
    open
}

/// What stands before and after the sign of an assignment, if it is a plain one.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let is_operator = name.ends_with(['=', '<', '>', '!', '+', '-', '*', '/', '%', '&', '|', '^', '~', ':', '?', '.']);
    (!is_operator && !value.starts_with(['=', '>', '~'])).then(|| (trim_blanks_end(name), value))
}

fn texts(line: &str) -> Vec<&str> {
    words(line, 0).map(|word| &line[word.range]).collect()
}

fn is_word(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(left_out: &str, next: &str, new: &str, expected: bool) {
        let line = SimilarLine { left_out, next: Some(next), new };
        assert_eq!(line.exclude_each_other(), expected, "{left_out:?} {next:?} {new:?}");
    }

    #[test]
    fn lines_that_cannot_stand_together_are_one_line() {
        check("import { A } from \"a\";", "", "import type { A } from \"a\";", true);
        check("const a = b ? b : c;", "", "const a = b ?? c;", true);
        check("export const a: A = b();", "", "export const a: A = c();", true);
        check("This is how the order is made in the", "following way:", "So the order is made in the", true);
    }

    #[test]
    fn lines_that_can_are_two() {
        check("import { A } from \"a\";", "", "import { B } from \"a\";", false);
        check("from a.b.c import d, e, f", "from g import h", "from a.x.c import d, e, f", false);
        check("a = 1;", "", "b = 1;", false);
        check("a = 1;", "", "a = 2;", false);
        check("a.b = c(1, 2);", "", "a.b = c(1, 3);", false);
        check("x: int = 1", "", "x: int = 2", false);
        check("a = f(b);", "", "a = f(a);", false);
        check("assert_eq(a, b);", "", "assert_eq(a, b, c);", false);
        check("- run: make", "- run: x", "- run: make test", false);
    }
}
