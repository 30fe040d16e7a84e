//! The oracle of indentation: by which rule the indentations of `old_str` become those of the document, and how changed
//! lines are indented by it.
//!
//! Indentations come as pairs: as given, and as the level reads them (from `punctuation_normalized` on every Unicode
//! space as a space). Both have the same number of characters.

use super::super::classes::note;
use super::file_style::{FileStyle, UNITS};
use super::rebase::{Rebase, rebase};

/// An indentation as it is written, and as the level reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Indent {
    pub(crate) given: String,
    pub(crate) read: String,
}

/// What is done to an indentation of `old_str` before a prefix is added or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conversion {
    Same,
    TabsToSpaces(usize),
    SpacesToTabs(usize),
    Scale(usize, usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Shift {
    Add(String),
    Remove(String),
}

/// A rule that explains all pairs of indentations of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IndentRule {
    conversion: Conversion,
    shift: Shift,
}

/// A non-blank line of the core: its indentation in `old_str` and in the document.
#[derive(Clone, Debug)]
pub(crate) struct IndentPair {
    pub(crate) old: Indent,
    pub(crate) document: Indent,
}

/// The indentations of the changed lines.
pub(crate) struct ChangedIndents {
    pub(crate) indents: Vec<Indent>,
    /// How many spaces those are deeper that follow a line which opens a block.
    pub(crate) steps: Vec<usize>,
}

/// All rules that explain the pairs, in order; the place is none if there are none.
pub(crate) fn rules_for(pairs: &[IndentPair]) -> Vec<IndentRule> {
    let mut conversions = vec![Conversion::Same];
    conversions.extend(UNITS.map(Conversion::TabsToSpaces));
    conversions.extend(UNITS.map(Conversion::SpacesToTabs));
    if has_evidence(pairs) {
        for unit in UNITS {
            conversions.extend(UNITS.map(|other| Conversion::Scale(unit, other)));
        }
    }
    conversions.retain(|conversion| !matches!(conversion, Conversion::Scale(unit, other) if unit == other));
    conversions.into_iter().filter_map(|conversion| rule_by(conversion, pairs)).collect()
}

fn rule_by(conversion: Conversion, pairs: &[IndentPair]) -> Option<IndentRule> {
    let mut converted = Vec::new();
    for pair in pairs {
        converted.push((convert(conversion, &pair.old.read)?, pair.document.read.clone()));
    }
    let changes_something = pairs.iter().zip(&converted).any(|(pair, (converted, _))| pair.old.read != *converted);
    if conversion != Conversion::Same && !changes_something {
        return None;
    }
    let (first, first_document) = &converted[0];
    if let Some(prefix) = first_document.strip_suffix(first.as_str())
        && converted.iter().all(|(old, document)| *document == format!("{prefix}{old}"))
    {
        return Some(IndentRule { conversion, shift: Shift::Add(prefix.to_owned()) });
    }
    if let Some(prefix) = first.strip_suffix(first_document.as_str())
        && converted.iter().all(|(old, document)| *old == format!("{prefix}{document}"))
    {
        return Some(IndentRule { conversion, shift: Shift::Remove(prefix.to_owned()) });
    }
    None
}

/// The indentation of a changed line by the conversion; `None` if it cannot be converted: what is left of a line of
/// spaces beside the tabs is at most one blank for alignment.
fn convert_changed(conversion: Conversion, indent: &str) -> Option<String> {
    match conversion {
        Conversion::SpacesToTabs(width) if indent.chars().count() % width > 1 => None,
        _ => convert(conversion, indent),
    }
}

/// The indentation of a line of `old_str` by the conversion; `None` if it cannot be converted.
fn convert(conversion: Conversion, indent: &str) -> Option<String> {
    let columns = indent.chars().count();
    let only_spaces = indent == " ".repeat(columns);
    match conversion {
        Conversion::Same => Some(indent.to_owned()),
        Conversion::TabsToSpaces(width) => {
            let tabs = indent.chars().take_while(|&c| c == '\t').count();
            let spaces = columns - tabs;
            (indent == "\t".repeat(tabs) + &" ".repeat(spaces)).then(|| " ".repeat(width * tabs + spaces))
        }
        Conversion::SpacesToTabs(width) => {
            let (tabs, spaces) = (columns / width, columns % width);
            only_spaces.then(|| "\t".repeat(tabs) + &" ".repeat(spaces))
        }
        Conversion::Scale(unit, other) => {
            (only_spaces && columns.is_multiple_of(unit)).then(|| " ".repeat(columns / unit * other))
        }
    }
}

/// Whether two lines of `old_str` differ in their indentation by more than one blank for alignment.
pub(crate) fn has_evidence(pairs: &[IndentPair]) -> bool {
    pairs.iter().any(|one| pairs.iter().any(|other| differ_by_a_unit(&one.old.read, &other.old.read)))
}

fn differ_by_a_unit(one: &str, other: &str) -> bool {
    let common: String = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect();
    let rests = (&one[common.len()..], &other[common.len()..]);
    !matches!(rests, ("", "") | ("", " ") | (" ", ""))
}

/// Whether the document has more indentation than `old_str`, by the rule that is taken.
pub(crate) fn adds_indentation(pairs: &[IndentPair]) -> bool {
    if !has_evidence(pairs) {
        let first = shallowest(pairs);
        return first.document.read.len() > first.old.read.len();
    }
    let rules = rules_for(pairs);
    rules.first().is_some_and(|rule| matches!(&rule.shift, Shift::Add(prefix) if !prefix.is_empty()))
}

/// The prefix that the rule that is taken adds, if `old_str` has several indentations, and whether it does nothing else.
pub(crate) fn added_prefix(pairs: &[IndentPair]) -> Option<(String, bool)> {
    let rule = rules_for(pairs).into_iter().next().filter(|_| has_evidence(pairs))?;
    match rule.shift {
        Shift::Add(prefix) if !prefix.is_empty() => Some((prefix, rule.conversion == Conversion::Same)),
        _ => None,
    }
}

/// The one indentation of `old_str` and that of the document, if the first is a part of the second.
pub(crate) fn lacking_part(pairs: &[IndentPair]) -> Option<(String, String)> {
    let IndentPair { old, document } = shallowest(pairs);
    let lacks = old.read != document.read && document.read.starts_with(&old.read);
    (lacks && !has_evidence(pairs)).then(|| (old.read.clone(), document.read.clone()))
}

/// The first line with the shortest indentation in `old_str`.
fn shallowest(pairs: &[IndentPair]) -> &IndentPair {
    let shortest = pairs.iter().map(|pair| pair.old.read.chars().count()).min().unwrap();
    pairs.iter().find(|pair| pair.old.read.chars().count() == shortest).unwrap()
}

/// The indentations of the changed lines as the document would have them; `None` if one cannot be told.
///
/// `kept_old` are the indentations of all non-blank lines of `old_str` in the span.
pub(crate) fn indent_changed_lines(
    pairs: &[IndentPair],
    kept_old: &[Indent],
    style: FileStyle,
    changed: &ChangedIndents,
) -> Option<Vec<String>> {
    if changed.indents.is_empty() {
        return Some(Vec::new());
    }
    if !has_evidence(pairs) {
        let first = shallowest(pairs);
        return rebase(&Rebase { from: first.old.clone(), to: first.document.clone() }, style, changed);
    }
    let last = &pairs[pairs.len() - 1].document.given;
    let mut result = Vec::new();
    for indent in &changed.indents {
        let rules = decisive_rules(pairs, style, indent);
        let first_rule = rules.first()?;
        if makes_a_mixture(first_rule, indent) && !kept_old.iter().any(|old| makes_a_mixture(first_rule, old)) {
            return None;
        }
        let first = indent_by(first_rule, indent, last)?;
        // Where the lines do not tell the width of a tab, it must not matter.
        if rules.iter().any(|rule| indent_by(rule, indent, last).as_ref() != Some(&first)) {
            note("tab width unknown");
            return None;
        }
        result.push(first);
    }
    Some(result)
}

/// The rules that must agree on the indentation of a line: the same indentation with a prefix; else the tabs at all
/// widths that explain the place; else a scale. None if an indentation that `old_str` does not have would come out in
/// another unit than the file has.
fn decisive_rules(pairs: &[IndentPair], style: FileStyle, indent: &Indent) -> Vec<IndentRule> {
    let rules = rules_for(pairs);
    let is_in_old = pairs.iter().any(|pair| pair.old.read == indent.read);
    let of = |wanted: fn(&Conversion) -> bool| -> Vec<IndentRule> {
        rules.iter().filter(|rule| wanted(&rule.conversion)).cloned().collect()
    };
    let same = of(|conversion| *conversion == Conversion::Same);
    let tabs = of(|conversion| matches!(conversion, Conversion::TabsToSpaces(_) | Conversion::SpacesToTabs(_)));
    let mut scales = of(|conversion| matches!(conversion, Conversion::Scale(..)));
    if !same.is_empty() {
        return same;
    }
    if !tabs.is_empty() {
        note(if tabs[0].shift == Shift::Add(String::new()) { "tabs" } else { "tabs with a shift" });
        let known = is_in_old || tabs.iter().all(|rule| leads_to(rule.conversion, style));
        return if known { tabs } else { Vec::new() };
    }
    note("scale");
    if !is_in_old {
        scales.retain(|rule| leads_to(rule.conversion, style));
    }
    scales.truncate(1);
    scales
}

/// Whether the conversion writes the file's unit, where that is clear.
fn leads_to(conversion: Conversion, style: FileStyle) -> bool {
    match (conversion, style) {
        (Conversion::TabsToSpaces(unit) | Conversion::Scale(_, unit), FileStyle::Spaces(files)) => unit == files,
        _ => true,
    }
}

/// The indentation by the rule; `last` is the document's indentation of the last line of the core.
fn indent_by(rule: &IndentRule, indent: &Indent, last: &str) -> Option<String> {
    let converted = convert_changed(rule.conversion, &indent.read)?;
    // What is not converted is written in the characters that were given.
    let given = if rule.conversion == Conversion::Same { &indent.given } else { &converted };
    match &rule.shift {
        Shift::Add(prefix) => Some(last.chars().take(prefix.chars().count()).chain(given.chars()).collect()),
        Shift::Remove(prefix) => {
            converted.strip_prefix(prefix.as_str())?;
            Some(given.chars().skip(prefix.chars().count()).collect())
        }
    }
}

/// Whether adding a prefix puts a tab after spaces, or more than one space after a tab.
fn makes_a_mixture(rule: &IndentRule, indent: &Indent) -> bool {
    let IndentRule { conversion: Conversion::Same, shift: Shift::Add(prefix) } = rule else { return false };
    prefix.ends_with(' ') && indent.given.starts_with('\t')
        || prefix.ends_with('\t') && indent.given.starts_with(' ') && indent.given.len() > 1
}
