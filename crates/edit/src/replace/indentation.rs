//! Rules by which the indentation of `old_str` became that of the content.

use super::Level;
use super::normal::plain_into;

/// What happened to the indentation of every line, by one rule for all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// The content has this before the indentation that `old_str` gives; in the content's own characters.
    Add(String),
    /// The content lacks so many bytes at the start of the plain indentation that the last line of `old_str` gives.
    Remove(usize),
    /// The content has so many spaces for each tab.
    TabsToSpaces(usize),
    /// The content has a tab for so many spaces.
    SpacesToTabs(usize),
}

/// Widths of a tab.
pub(super) const TAB_WIDTHS: [usize; 4] = [2, 3, 4, 8];

/// A line that the rule says nothing about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CannotIndent;

impl Rule {
    /// The rule that adds or removes a prefix, for plain indentations one of which ends with the other.
    ///
    /// `content_raw` is the indentation of the content as it is written, character for character that of `content`.
    pub(super) fn shift(old: &str, content: &str, content_raw: &str) -> Rule {
        match old.strip_suffix(content) {
            Some(removed) if !removed.is_empty() => Rule::Remove(removed.len()),
            _ => {
                let added = content.chars().count().saturating_sub(old.chars().count());
                Rule::Add(content_raw.chars().take(added).collect())
            }
        }
    }

    /// What the content has for this plain indentation under a rule about tabs; `None` if it says nothing about it, or
    /// more than `max_bytes`.
    pub(super) fn tabs(&self, indent: &str, max_bytes: usize) -> Option<String> {
        let spaces = indent.trim_start_matches('\t');
        let tabs = indent.len() - spaces.len();
        if !spaces.bytes().all(|byte| byte == b' ') {
            return None;
        }
        match self {
            Rule::TabsToSpaces(width) => {
                let total = tabs * width + spaces.len();
                (total <= max_bytes).then(|| " ".repeat(total))
            }
            Rule::SpacesToTabs(width) if tabs == 0 => {
                Some("\t".repeat(spaces.len() / width) + &" ".repeat(spaces.len() % width))
            }
            Rule::SpacesToTabs(_) | Rule::Add(_) | Rule::Remove(_) => None,
        }
    }

    /// What the content's style makes of the indentation of a line of `new_str`; the rule was found at `level`, for an
    /// `old_str` whose last line has the plain indentation `last_indent`.
    pub(super) fn apply(&self, indent: &str, level: Level, last_indent: &str) -> Result<String, CannotIndent> {
        let mut plain = String::new();
        if level <= Level::IndentationRelative {
            plain.push_str(indent);
        } else {
            plain_into(&mut plain, indent);
        }
        Ok(match self {
            Rule::Add(prefix) => prefix.clone() + indent,
            Rule::Remove(bytes) => {
                let prefix = last_indent.get(..*bytes).ok_or(CannotIndent)?;
                plain.strip_prefix(prefix).ok_or(CannotIndent)?;
                // Plain and written indentation have the same number of characters.
                indent.chars().skip(prefix.chars().count()).collect()
            }
            Rule::TabsToSpaces(_) => self.tabs(&plain, usize::MAX).ok_or(CannotIndent)?,
            Rule::SpacesToTabs(width) if !plain.len().is_multiple_of(*width) => return Err(CannotIndent),
            Rule::SpacesToTabs(_) => self.tabs(&plain, usize::MAX).ok_or(CannotIndent)?,
        })
    }
}

/// Whether a prefix that the rule adds makes a mixture: a tab after spaces, or several spaces after a tab. One space is
/// how comments are aligned.
pub(super) fn mixes(rule: &Rule, indent: &str) -> bool {
    let Rule::Add(prefix) = rule else { return false };
    match (prefix.chars().next_back(), indent.chars().next()) {
        (Some(' '), Some('\t')) => true,
        (Some('\t'), Some(' ')) => indent.len() > 1,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rule: &Rule, indent: &str, expected: Option<&str>) {
        let got = rule.apply(indent, Level::IndentationRelative, "    ").ok();
        assert_eq!(got.as_deref(), expected, "{rule:?} {indent:?}");
    }

    #[test]
    fn a_mixture_of_tabs_and_spaces_is_seen() {
        let add = |prefix: &str| Rule::Add(prefix.to_owned());
        assert!(mixes(&add("  "), "\t"));
        assert!(mixes(&add("\t"), "    "));
        assert!(!mixes(&add("\t"), " "));
        assert!(!mixes(&add("\t"), "\t"));
        assert!(!mixes(&add(""), "\t"));
        assert!(!mixes(&Rule::TabsToSpaces(4), "\t"));
    }

    #[test]
    fn a_rule_is_applied_or_says_that_it_cannot() {
        check(&Rule::Add("\t".to_owned()), "  ", Some("\t  "));
        check(&Rule::Remove(2), "   ", Some(" "));
        check(&Rule::Remove(2), " ", None);
        check(&Rule::TabsToSpaces(4), "\t\t ", Some("         "));
        check(&Rule::TabsToSpaces(4), " \t", None);
        check(&Rule::SpacesToTabs(4), "        ", Some("\t\t"));
        check(&Rule::SpacesToTabs(4), "      ", None);
        check(&Rule::SpacesToTabs(4), "\t", None);
    }

    #[test]
    fn a_shift_is_found_in_both_directions() {
        assert_eq!(Rule::shift("  ", "\t  ", "\t  "), Rule::Add("\t".to_owned()));
        assert_eq!(Rule::shift("    ", "  ", "  "), Rule::Remove(2));
        assert_eq!(Rule::shift("  ", "  ", "  "), Rule::Add(String::new()));
        assert_eq!(Rule::shift("", "  ", "\u{a0} "), Rule::Add("\u{a0}".to_owned() + " "));
    }
}
