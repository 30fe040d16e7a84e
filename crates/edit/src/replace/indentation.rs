//! Rules that turn the indentation of `old_str` into that of the content: a prefix added or removed, tabs or spaces.

use super::Level;
use super::normalization::push_plain;

/// How the indentation of `old_str` differs from that of the content, by one rule for all lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum IndentRule {
    /// The content has this prefix before the indentation of `old_str`; in the content's own characters.
    Add(String),
    /// The content lacks so many bytes at the start of the plain indentation of the last line of `old_str`.
    Remove(usize),
    /// The content has so many spaces for each tab.
    TabsToSpaces(usize),
    /// The content has a tab for so many spaces.
    SpacesToTabs(usize),
}

/// Widths of a tab.
pub(super) const TAB_WIDTHS: [usize; 4] = [2, 3, 4, 8];

/// The rule does not apply to the indentation of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CannotIndent;

impl IndentRule {
    /// The rule that adds or removes a prefix, for plain indentations one of which ends with the other.
    ///
    /// `content_raw` is the indentation of the content as it is written, character for character that of `content`.
    pub(super) fn shift(old: &str, content: &str, content_raw: &str) -> IndentRule {
        match old.strip_suffix(content) {
            Some(removed) if !removed.is_empty() => IndentRule::Remove(removed.len()),
            _ => {
                let added = content.chars().count().saturating_sub(old.chars().count());
                IndentRule::Add(content_raw.chars().take(added).collect())
            }
        }
    }

    /// The content's indentation for this plain one under a rule about tabs; `None` if the rule does not apply to it, or
    /// the result is longer than `max_bytes`.
    pub(super) fn convert_tabs(&self, indent: &str, max_bytes: usize) -> Option<String> {
        let spaces = indent.trim_start_matches('\t');
        let tabs = indent.len() - spaces.len();
        if !spaces.bytes().all(|byte| byte == b' ') {
            return None;
        }
        match self {
            IndentRule::TabsToSpaces(width) => {
                let total = tabs * width + spaces.len();
                (total <= max_bytes).then(|| " ".repeat(total))
            }
            IndentRule::SpacesToTabs(width) if tabs == 0 => {
                Some("\t".repeat(spaces.len() / width) + &" ".repeat(spaces.len() % width))
            }
            IndentRule::SpacesToTabs(_) | IndentRule::Add(_) | IndentRule::Remove(_) => None,
        }
    }

    /// The indentation of a line of `new_str` in the content's style; the rule was found at `level`, for an `old_str` whose
    /// last line has the plain indentation `last_indent`.
    pub(super) fn apply(&self, indent: &str, level: Level, last_indent: &str) -> Result<String, CannotIndent> {
        let mut plain = String::new();
        if level <= Level::IndentationRelative {
            plain.push_str(indent);
        } else {
            push_plain(&mut plain, indent);
        }
        Ok(match self {
            IndentRule::Add(prefix) => prefix.clone() + indent,
            IndentRule::Remove(bytes) => {
                let prefix = last_indent.get(..*bytes).ok_or(CannotIndent)?;
                plain.strip_prefix(prefix).ok_or(CannotIndent)?;
                // Plain and written indentation have the same number of characters.
                indent.chars().skip(prefix.chars().count()).collect()
            }
            IndentRule::TabsToSpaces(_) => self.convert_tabs(&plain, usize::MAX).ok_or(CannotIndent)?,
            IndentRule::SpacesToTabs(width) if !plain.len().is_multiple_of(*width) => return Err(CannotIndent),
            IndentRule::SpacesToTabs(_) => self.convert_tabs(&plain, usize::MAX).ok_or(CannotIndent)?,
        })
    }
}

/// Whether a prefix that the rule adds mixes tabs and spaces: a tab after spaces, or several spaces after a tab. One space
/// is how comments are aligned.
pub(super) fn mixes_tabs_and_spaces(rule: &IndentRule, indent: &str) -> bool {
    let IndentRule::Add(prefix) = rule else { return false };
    match (prefix.chars().next_back(), indent.chars().next()) {
        (Some(' '), Some('\t')) => true,
        (Some('\t'), Some(' ')) => indent.len() > 1,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rule: &IndentRule, indent: &str, expected: Option<&str>) {
        let got = rule.apply(indent, Level::IndentationRelative, "    ").ok();
        assert_eq!(got.as_deref(), expected, "{rule:?} {indent:?}");
    }

    #[test]
    fn a_mixture_of_tabs_and_spaces_is_seen() {
        let add = |prefix: &str| IndentRule::Add(prefix.to_owned());
        assert!(mixes_tabs_and_spaces(&add("  "), "\t"));
        assert!(mixes_tabs_and_spaces(&add("\t"), "    "));
        assert!(!mixes_tabs_and_spaces(&add("\t"), " "));
        assert!(!mixes_tabs_and_spaces(&add("\t"), "\t"));
        assert!(!mixes_tabs_and_spaces(&add(""), "\t"));
        assert!(!mixes_tabs_and_spaces(&IndentRule::TabsToSpaces(4), "\t"));
    }

    #[test]
    fn a_rule_is_applied_or_says_that_it_cannot() {
        check(&IndentRule::Add("\t".to_owned()), "  ", Some("\t  "));
        check(&IndentRule::Remove(2), "   ", Some(" "));
        check(&IndentRule::Remove(2), " ", None);
        check(&IndentRule::TabsToSpaces(4), "\t\t ", Some("         "));
        check(&IndentRule::TabsToSpaces(4), " \t", None);
        check(&IndentRule::SpacesToTabs(4), "        ", Some("\t\t"));
        check(&IndentRule::SpacesToTabs(4), "      ", None);
        check(&IndentRule::SpacesToTabs(4), "\t", None);
    }

    #[test]
    fn a_shift_is_found_in_both_directions() {
        assert_eq!(IndentRule::shift("  ", "\t  ", "\t  "), IndentRule::Add("\t".to_owned()));
        assert_eq!(IndentRule::shift("    ", "  ", "  "), IndentRule::Remove(2));
        assert_eq!(IndentRule::shift("  ", "  ", "  "), IndentRule::Add(String::new()));
        assert_eq!(IndentRule::shift("", "  ", "\u{a0} "), IndentRule::Add("\u{a0}".to_owned() + " "));
    }
}
