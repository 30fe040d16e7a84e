//! Rules by which the indentation of `old_str` became that of the content.

use crate::lines::split_indent;

use super::Level;
use super::normal::plain_into;

/// What happened to the indentation of every line, by one rule for all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// The content has this before the indentation that `old_str` gives; in the content's own characters.
    Add(String),
    /// The content lacks this first part of the indentation that `old_str` gives, in plain characters.
    Remove(String),
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
    /// The rule that adds or removes a prefix, if one of the plain indentations ends with the other.
    ///
    /// `content_raw` is the indentation of the content as it is written, character for character that of `content`.
    pub(super) fn shift(old: &str, content: &str, content_raw: &str) -> Option<Rule> {
        if content.ends_with(old) {
            let added = content.chars().count() - old.chars().count();
            Some(Rule::Add(content_raw.chars().take(added).collect()))
        } else {
            old.strip_suffix(content).map(|removed| Rule::Remove(removed.to_owned()))
        }
    }

    /// What the content has for this plain indentation under a rule about tabs; `None` if it says nothing about it.
    pub(super) fn tabs(&self, indent: &str) -> Option<String> {
        let spaces = indent.trim_start_matches('\t');
        let tabs = indent.len() - spaces.len();
        if !spaces.bytes().all(|byte| byte == b' ') {
            return None;
        }
        match self {
            Rule::TabsToSpaces(width) => Some(" ".repeat(tabs * width + spaces.len())),
            Rule::SpacesToTabs(width) if tabs == 0 => {
                Some("\t".repeat(spaces.len() / width) + &" ".repeat(spaces.len() % width))
            }
            Rule::SpacesToTabs(_) | Rule::Add(_) | Rule::Remove(_) => None,
        }
    }

    /// The indentation that the content's style gives to a line of `new_str`, and the rest of that line; the rule was found at `level`.
    pub(super) fn apply<'l>(&self, line: &'l str, level: Level) -> Result<(String, &'l str), CannotIndent> {
        let (indent, body) = split_indent(line);
        let mut plain = String::new();
        if level <= Level::IndentationRelative {
            plain.push_str(indent);
        } else {
            plain_into(&mut plain, indent);
        }
        let indent = match self {
            Rule::Add(prefix) => prefix.clone() + indent,
            Rule::Remove(prefix) => {
                // Plain and written indentation have the same number of characters.
                plain.strip_prefix(prefix.as_str()).ok_or(CannotIndent)?;
                indent.chars().skip(prefix.chars().count()).collect()
            }
            Rule::TabsToSpaces(_) => self.tabs(&plain).ok_or(CannotIndent)?,
            Rule::SpacesToTabs(width) if !plain.len().is_multiple_of(*width) => return Err(CannotIndent),
            Rule::SpacesToTabs(_) => self.tabs(&plain).ok_or(CannotIndent)?,
        };
        Ok((indent, body))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rule: &Rule, line: &str, expected: Option<&str>) {
        let got = rule.apply(line, Level::IndentationRelative).ok().map(|(indent, body)| indent + body);
        assert_eq!(got.as_deref(), expected, "{rule:?} {line:?}");
    }

    #[test]
    fn a_rule_is_applied_or_says_that_it_cannot() {
        check(&Rule::Add("\t".to_owned()), "  x", Some("\t  x"));
        check(&Rule::Remove("  ".to_owned()), "   x", Some(" x"));
        check(&Rule::Remove("  ".to_owned()), " x", None);
        check(&Rule::TabsToSpaces(4), "\t\t x", Some("         x"));
        check(&Rule::TabsToSpaces(4), " \tx", None);
        check(&Rule::SpacesToTabs(4), "        x", Some("\t\tx"));
        check(&Rule::SpacesToTabs(4), "      x", None);
        check(&Rule::SpacesToTabs(4), "\tx", None);
    }

    #[test]
    fn a_shift_is_found_in_both_directions() {
        assert_eq!(Rule::shift("  ", "\t  ", "\t  "), Some(Rule::Add("\t".to_owned())));
        assert_eq!(Rule::shift("    ", "  ", "  "), Some(Rule::Remove("  ".to_owned())));
        assert_eq!(Rule::shift("\t", "    ", "    "), None);
        assert_eq!(Rule::shift("", "  ", "\u{a0} "), Some(Rule::Add("\u{a0}".to_owned() + " ")));
    }
}
