//! Rules that turn the indentation of `old_str` into that of the content: a prefix added or removed, tabs or spaces, another
//! unit.

pub(in crate::replace) use absolute_lines::doubtful_line;
pub(in crate::replace) use file_style::FileStyle;
pub(in crate::replace) use rebase::NoUnit;
pub(in crate::replace) use shallower_lines::{ShallowerLines, indentations};
pub(in crate::replace) use unclear_lines::UnclearLines;
pub(in crate::replace) use writer::{IndentWriter, WrittenLines};

use super::Level;
use super::normalization::push_plain;
use crate::lines::trim_blanks_end;

mod absolute_lines;
mod deeper_lines;
mod file_style;
mod rebase;
mod shallower_lines;
mod unclear_lines;
mod writer;

/// How many spaces one level of indentation, or a tab, can be.
pub(in crate::replace) const UNITS: [usize; 4] = [2, 3, 4, 8];

/// How the indentation of `old_str` differs from that of the content, by one rule for all lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::replace) enum IndentRule {
    /// The indentations of `old_str`, converted, differ from those of the content by one prefix. Where several conversions
    /// of tabs explain them, all of those.
    Shift(Vec<Shift>),
    /// All lines of `old_str` have one indentation. That is no evidence for a unit: deeper lines take the content's.
    Rebase {
        /// The plain indentation of `old_str`.
        from: String,
        /// The content's indentation, in its own characters.
        to: String,
    },
}

impl IndentRule {
    /// Whether the content has more indentation than `old_str`.
    fn adds_indentation(&self, level: Level) -> bool {
        match self {
            IndentRule::Rebase { from, to } => plain(to, level).len() > from.len(),
            IndentRule::Shift(shifts) => shifts.first().is_some_and(|shift| match &shift.prefix {
                Prefix::Add(prefix) => !prefix.is_empty(),
                Prefix::Remove(_) => false,
            }),
        }
    }
}

/// A conversion, and the prefix by which converted indentations differ from those of the content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::replace) struct Shift {
    pub(in crate::replace) conversion: Conversion,
    pub(in crate::replace) prefix: Prefix,
}

/// What differs between two indentations beside a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::replace) enum Conversion {
    /// Nothing.
    Same,
    /// The content has so many spaces for each tab.
    TabsToSpaces(usize),
    /// The content has a tab for so many spaces.
    SpacesToTabs(usize),
    /// The content has levels of another number of spaces.
    Scale {
        /// Spaces of a level of `old_str`.
        from: usize,
        /// Spaces of a level of the content.
        to: usize,
    },
}

impl Conversion {
    /// The conversions of tabs and spaces, in the order in which they are tried.
    pub(in crate::replace) fn tabs() -> impl Iterator<Item = Conversion> {
        let to_spaces = UNITS.into_iter().map(Conversion::TabsToSpaces);
        to_spaces.chain(UNITS.into_iter().map(Conversion::SpacesToTabs))
    }

    /// The conversions between units, in the order in which they are tried; several have the same ratio.
    pub(in crate::replace) fn scales() -> impl Iterator<Item = Conversion> {
        let pairs = UNITS.into_iter().flat_map(|from| UNITS.into_iter().map(move |to| (from, to)));
        pairs.filter(|(from, to)| from != to).map(|(from, to)| Conversion::Scale { from, to })
    }

    /// The plain indentation of a line of `old_str` in the content's style; `None` if the conversion does not apply to it, or
    /// the result is longer than `max_bytes`.
    pub(in crate::replace) fn convert(self, indent: &str, max_bytes: usize) -> Option<String> {
        let spaces = indent.trim_start_matches('\t');
        let tabs = indent.len() - spaces.len();
        if self != Conversion::Same && !spaces.bytes().all(|byte| byte == b' ') {
            return None;
        }
        let repeat = |unit: &str, count: usize| (count <= max_bytes).then(|| unit.repeat(count));
        match self {
            Conversion::Same => Some(indent.to_owned()),
            Conversion::TabsToSpaces(width) => repeat(" ", tabs * width + spaces.len()),
            Conversion::SpacesToTabs(width) if tabs == 0 => {
                Some(repeat("\t", spaces.len() / width)? + &" ".repeat(spaces.len() % width))
            }
            Conversion::Scale { from, to } if tabs == 0 && spaces.len().is_multiple_of(from) => {
                repeat(" ", spaces.len() / from * to)
            }
            Conversion::SpacesToTabs(_) | Conversion::Scale { .. } => None,
        }
    }

    /// The plain indentation of a line that is written; `None` if the conversion does not apply to it. Beside tabs there may
    /// be one blank, which aligns a comment.
    pub(in crate::replace) fn convert_written(self, indent: &str) -> Option<String> {
        match self {
            Conversion::SpacesToTabs(width) if indent.len() % width > 1 => None,
            _ => self.convert(indent, usize::MAX),
        }
    }

    /// Whether two conversions make the same of every indentation that both apply to.
    pub(in crate::replace) fn has_ratio_of(self, other: Conversion) -> bool {
        match (self, other) {
            (Conversion::Scale { from, to }, Conversion::Scale { from: other_from, to: other_to }) => {
                from * other_to == other_from * to
            }
            _ => self == other,
        }
    }

    /// The most bytes that one byte of an indentation can become.
    pub(in crate::replace) fn growth(self) -> usize {
        match self {
            Conversion::Same | Conversion::SpacesToTabs(_) => 1,
            Conversion::TabsToSpaces(width) => width,
            Conversion::Scale { from, to } => to.div_ceil(from),
        }
    }
}

/// A prefix by which indentations differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::replace) enum Prefix {
    /// The content has it before the indentation of `old_str`; in the content's own characters.
    Add(String),
    /// The content lacks it; plain.
    Remove(String),
}

impl Prefix {
    /// The prefix by which two plain indentations differ, one of which ends with the other.
    ///
    /// `content_raw` is the indentation of the content as it is written, character for character that of `content`.
    pub(in crate::replace) fn between(old: &str, content: &str, content_raw: &str) -> Prefix {
        match old.strip_suffix(content) {
            Some(removed) if !removed.is_empty() => Prefix::Remove(removed.to_owned()),
            _ => {
                let added = content.chars().count().saturating_sub(old.chars().count());
                Prefix::Add(content_raw.chars().take(added).collect())
            }
        }
    }
}

/// The rule does not apply to the indentation of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::replace) struct CannotIndent;

impl Shift {
    /// The indentation of a line of `new_str` in the content's style; the shift was found at `level`.
    pub(in crate::replace) fn indent(&self, indent: &str, level: Level) -> Option<String> {
        let converted = match self.conversion {
            Conversion::Same => indent.to_owned(),
            conversion => conversion.convert_written(&plain(indent, level))?,
        };
        match &self.prefix {
            Prefix::Add(prefix) => Some(prefix.clone() + &converted),
            Prefix::Remove(prefix) => {
                plain(&converted, level).strip_prefix(prefix.as_str())?;
                // Plain and written indentation have the same number of characters.
                Some(converted.chars().skip(prefix.chars().count()).collect())
            }
        }
    }
}

/// An indentation as a level compares it.
pub(in crate::replace) fn plain(indent: &str, level: Level) -> String {
    if level <= Level::IndentationRelative {
        return indent.to_owned();
    }
    let mut plain = String::new();
    push_plain(&mut plain, indent);
    plain
}

/// Whether a prefix that is added to an indentation mixes tabs and spaces: a tab after spaces, or several spaces after a tab.
/// One space is how comments are aligned.
pub(in crate::replace) fn mixes_tabs_and_spaces(prefix: &Prefix, indent: &str) -> bool {
    let Prefix::Add(prefix) = prefix else { return false };
    match (prefix.chars().next_back(), indent.chars().next()) {
        (Some(' '), Some('\t')) => true,
        (Some('\t'), Some(' ')) => indent.len() > 1,
        _ => false,
    }
}

/// Whether the lines after this one are deeper in most languages.
pub(in crate::replace) fn opens_block(line: &str) -> bool {
    trim_blanks_end(line).ends_with(['{', '(', '[', ':'])
}

/// The line whose indentation is all that is known: the first with the shortest one, if the others have no more than one
/// blank for alignment beside it. `None` if the indentations are evidence for a unit.
pub(in crate::replace) fn only_indentation<'a>(
    indents: impl Iterator<Item = &'a str> + Clone,
) -> Option<(usize, &'a str)> {
    let (index, shortest) = indents.clone().enumerate().min_by_key(|(_, indent)| indent.len())?;
    let is_alone = indents.into_iter().all(|indent| matches!(indent.strip_prefix(shortest), Some("" | " ")));
    is_alone.then_some((index, shortest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(conversion: Conversion, prefix: &Prefix, indent: &str, expected: Option<&str>) {
        let got = Shift { conversion, prefix: prefix.clone() }.indent(indent, Level::IndentationRelative);
        assert_eq!(got.as_deref(), expected, "{conversion:?} {prefix:?} {indent:?}");
    }

    #[test]
    fn a_mixture_of_tabs_and_spaces_is_seen() {
        let add = |prefix: &str| Prefix::Add(prefix.to_owned());
        assert!(mixes_tabs_and_spaces(&add("  "), "\t"));
        assert!(mixes_tabs_and_spaces(&add("\t"), "    "));
        assert!(!mixes_tabs_and_spaces(&add("\t"), " "));
        assert!(!mixes_tabs_and_spaces(&add("\t"), "\t"));
        assert!(!mixes_tabs_and_spaces(&add(""), "\t"));
        assert!(!mixes_tabs_and_spaces(&Prefix::Remove("\t".to_owned()), "\t"));
    }

    #[test]
    fn a_rule_is_applied_or_says_that_it_cannot() {
        let none = Prefix::Add(String::new());
        check(Conversion::Same, &Prefix::Add("\t".to_owned()), "  ", Some("\t  "));
        check(Conversion::Same, &Prefix::Remove("  ".to_owned()), "   ", Some(" "));
        check(Conversion::Same, &Prefix::Remove("  ".to_owned()), " ", None);
        check(Conversion::TabsToSpaces(4), &none, "\t\t ", Some("         "));
        check(Conversion::TabsToSpaces(4), &none, " \t", None);
        check(Conversion::TabsToSpaces(4), &Prefix::Add("    ".to_owned()), "\t", Some("        "));
        check(Conversion::SpacesToTabs(4), &none, "        ", Some("\t\t"));
        check(Conversion::SpacesToTabs(4), &none, "     ", Some("\t "));
        check(Conversion::SpacesToTabs(4), &none, "      ", None);
        check(Conversion::SpacesToTabs(4), &none, "\t", None);
        check(Conversion::SpacesToTabs(4), &Prefix::Remove("\t".to_owned()), "        ", Some("\t"));
        check(Conversion::Scale { from: 2, to: 4 }, &none, "    ", Some("        "));
        check(Conversion::Scale { from: 4, to: 2 }, &Prefix::Add("  ".to_owned()), "    ", Some("    "));
        check(Conversion::Scale { from: 4, to: 2 }, &none, "  ", None);
    }

    #[test]
    fn a_prefix_is_found_in_both_directions() {
        assert_eq!(Prefix::between("  ", "\t  ", "\t  "), Prefix::Add("\t".to_owned()));
        assert_eq!(Prefix::between("    ", "  ", "  "), Prefix::Remove("  ".to_owned()));
        assert_eq!(Prefix::between("  ", "  ", "  "), Prefix::Add(String::new()));
        assert_eq!(Prefix::between("", "  ", "\u{a0} "), Prefix::Add("\u{a0}".to_owned() + " "));
    }

    #[test]
    fn one_indentation_and_alignment_are_no_evidence() {
        let only = |indents: &[&'static str]| only_indentation(indents.iter().copied());
        assert_eq!(only(&["  "]), Some((0, "  ")));
        assert_eq!(only(&["\t ", "\t", "\t "]), Some((1, "\t")));
        assert_eq!(only(&["  ", "    "]), None);
        assert_eq!(only(&["", "\t"]), None);
        assert_eq!(only(&["\t", " "]), None);
    }
}
