//! The texts that every match of a pattern contains: a search index can look them up before a text is read.

use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind, Literal};

/// Alternatives beyond this many are worth less than looking them up takes.
const MAX_ALTERNATIVES: usize = 64;

/// Texts that a text must contain to contain a match. Letters may be in their other case, as far as the pattern allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequiredText {
    /// Nothing is known.
    Nothing,
    /// This text.
    Text(String),
    /// All of these; there are at least two.
    All(Vec<RequiredText>),
    /// At least one of these; there are at least two.
    Any(Vec<RequiredText>),
}

impl RequiredText {
    /// The texts that every match of an expression contains.
    pub(super) fn from_hir(tree: &Hir) -> RequiredText {
        match tree.kind() {
            HirKind::Empty | HirKind::Look(_) | HirKind::Class(Class::Bytes(_)) => RequiredText::Nothing,
            HirKind::Literal(Literal(bytes)) => {
                RequiredText::text(std::str::from_utf8(bytes).map(str::to_owned).unwrap_or_default())
            }
            HirKind::Class(Class::Unicode(class)) => {
                RequiredText::text(letter_of(class).map(String::from).unwrap_or_default())
            }
            HirKind::Repetition(repetition) if repetition.min > 0 => RequiredText::from_hir(&repetition.sub),
            HirKind::Repetition(_) => RequiredText::Nothing,
            HirKind::Capture(capture) => RequiredText::from_hir(&capture.sub),
            HirKind::Concat(parts) => RequiredText::in_a_row(parts),
            HirKind::Alternation(parts) => RequiredText::any(parts),
        }
    }

    fn text(text: String) -> RequiredText {
        if text.is_empty() { RequiredText::Nothing } else { RequiredText::Text(text) }
    }

    /// Neighbours that are texts stand together: `u`, `[sS]`, `e` is one text.
    fn in_a_row(parts: &[Hir]) -> RequiredText {
        let mut all = Vec::new();
        let mut run = String::new();
        for part in parts {
            match (RequiredText::from_hir(part), is_fixed(part)) {
                (RequiredText::Text(text), true) => run.push_str(&text),
                (other, _) => {
                    all.push(RequiredText::text(std::mem::take(&mut run)));
                    all.push(other);
                }
            }
        }
        all.push(RequiredText::text(run));
        all.retain(|one| *one != RequiredText::Nothing);
        match all.len() {
            0 => RequiredText::Nothing,
            1 => all.remove(0),
            _ => RequiredText::All(all),
        }
    }

    fn any(parts: &[Hir]) -> RequiredText {
        let any: Vec<RequiredText> = parts.iter().map(RequiredText::from_hir).collect();
        if any.len() > MAX_ALTERNATIVES || any.contains(&RequiredText::Nothing) {
            return RequiredText::Nothing;
        }
        RequiredText::Any(any)
    }
}

/// Whether a part matches its one text and nothing else, so that what stands beside it continues the text.
fn is_fixed(part: &Hir) -> bool {
    match part.kind() {
        HirKind::Literal(_) | HirKind::Class(_) => true,
        HirKind::Capture(capture) => is_fixed(&capture.sub),
        HirKind::Empty | HirKind::Look(_) | HirKind::Repetition(_) | HirKind::Concat(_) | HirKind::Alternation(_) => {
            false
        }
    }
}

/// The letter that a class stands for, if it holds one letter in its cases only.
fn letter_of(class: &ClassUnicode) -> Option<char> {
    let mut letters = class.iter().flat_map(|range| range.start()..=range.end());
    let first = letters.next()?;
    // The long s is the one that lower case does not bring to its letter.
    let lower = |letter: char| if letter == 'ſ' { Some('s') } else { letter.to_lowercase().next() };
    // The cases of a letter are few: a class such as `\w` is given up at its second.
    letters.all(|letter| lower(letter) == lower(first)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::super::{Case, Pattern};
    use super::RequiredText::{All, Any, Nothing};
    use super::*;

    fn text(text: &str) -> RequiredText {
        RequiredText::Text(text.to_owned())
    }

    #[test]
    fn what_every_match_holds_is_known() {
        for (expression, required) in [
            ("useState", text("useState")),
            ("use(State)", text("useState")),
            ("foo.*bar", All(vec![text("foo"), text("bar")])),
            ("foo|bar", Any(vec![text("foo"), text("bar")])),
            ("x(foo|bar)y", All(vec![text("x"), Any(vec![text("foo"), text("bar")]), text("y")])),
            ("(foo)+bar", All(vec![text("foo"), text("bar")])),
            ("(foo)?bar", text("bar")),
            ("foo|", Nothing),
            (r"\w+", Nothing),
            (r"def \w+\(", All(vec![text("def "), text("(")])),
            ("^", Nothing),
            ("[ab]c", text("c")),
            ("é", text("é")),
        ] {
            let pattern = Pattern::regex(expression, Case::Sensitive).unwrap();
            assert_eq!(pattern.required_text(), required, "{expression}");
        }
    }

    #[test]
    fn letters_in_both_cases_are_one_text() {
        for expression in ["(?i)foo", "(?i:f)oo", "[fF]oo"] {
            let required = Pattern::regex(expression, Case::Sensitive).unwrap().required_text();
            let RequiredText::Text(found) = &required else { panic!("{expression}: {required:?}") };
            assert_eq!(found.to_ascii_lowercase(), "foo");
        }
        let required = Pattern::regex("(?i)useState", Case::Sensitive).unwrap().required_text();
        let RequiredText::Text(found) = &required else { panic!("{required:?}") };
        assert_eq!(found.to_ascii_lowercase(), "usestate");
        assert_eq!(Pattern::regex("[fg]oo", Case::Sensitive).unwrap().required_text(), text("oo"));
    }

    #[test]
    fn a_literal_holds_itself() {
        assert_eq!(Pattern::literal("a.b", Case::Sensitive).unwrap().required_text(), text("a.b"));
        assert_eq!(Pattern::literal("A.b", Case::Insensitive).unwrap().required_text(), text("A.b"));
    }
}
