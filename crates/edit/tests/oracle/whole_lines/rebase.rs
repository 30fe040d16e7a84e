//! The oracle of indentation where `old_str` has only one: deeper and shallower lines take the file's unit, or are
//! refused.

use super::super::classes::note;
use super::file_style::{FileStyle, UNITS};
use super::indents::{ChangedIndents, Indent};

/// The one indentation of `old_str`, and what the document has for it.
pub(crate) struct Rebase {
    pub(crate) from: Indent,
    pub(crate) to: Indent,
}

/// How the indentation of a changed line lies to the one of `old_str`.
enum Step {
    Equal,
    /// One blank more, for alignment.
    Aligned,
    Deeper(Indent),
    Shallower(String),
}

/// The indentations of all changed lines in the document; `None` if one cannot be told.
pub(crate) fn rebase(rule: &Rebase, style: FileStyle, changed: &ChangedIndents) -> Option<Vec<String>> {
    let mut steps = Vec::new();
    for indent in &changed.indents {
        steps.push(step(&rule.from.read, indent)?);
    }
    let mut rests = Vec::new();
    for step in &steps {
        match step {
            Step::Equal | Step::Aligned => {}
            Step::Deeper(rest) => rests.push(rest.read.clone()),
            Step::Shallower(rest) => rests.push(rest.clone()),
        }
    }
    let mut converted = convert_all(rule, style, &rests, &changed.steps)?.into_iter();
    let to = &rule.to;
    let mut result = Vec::new();
    for (step, indent) in steps.iter().zip(&changed.indents) {
        result.push(match step {
            Step::Equal => to.given.clone(),
            Step::Aligned => to.given.clone() + &indent.given.chars().last().unwrap().to_string(),
            Step::Deeper(rest) => {
                let converted = converted.next().unwrap();
                if makes_a_mixture(&to.read, &converted) {
                    return None;
                }
                // What stays as it is stays in the characters that were given.
                to.given.clone() + if converted == rest.read { &rest.given } else { &converted }
            }
            Step::Shallower(_) => {
                let rest = to.read.strip_suffix(converted.next().unwrap().as_str())?;
                to.given.chars().take(rest.chars().count()).collect()
            }
        });
    }
    Some(result)
}

/// Whether a tab comes after spaces, or more than one space after a tab.
fn makes_a_mixture(indent: &str, rest: &str) -> bool {
    indent.ends_with(' ') && rest.starts_with('\t') || indent.ends_with('\t') && rest.starts_with("  ")
}

fn step(from: &str, indent: &Indent) -> Option<Step> {
    if indent.read == from {
        return Some(Step::Equal);
    }
    if indent.read == format!("{from} ") {
        return Some(Step::Aligned);
    }
    if let Some(rest) = indent.read.strip_prefix(from) {
        let given = indent.given.chars().skip(from.chars().count()).collect();
        return Some(Step::Deeper(Indent { given, read: rest.to_owned() }));
    }
    from.strip_prefix(indent.read.as_str()).map(|rest| Step::Shallower(rest.to_owned()))
}

/// The rests in the file's units; `None` if that is not clear.
fn convert_all(rule: &Rebase, style: FileStyle, rests: &[String], steps: &[usize]) -> Option<Vec<String>> {
    let Some(shortest) = rests.iter().map(|rest| rest.chars().count()).min() else { return Some(Vec::new()) };
    let all_are = |kind: char| rests.iter().all(|rest| rest.chars().all(|c| c == kind));
    let lengths: Vec<usize> = rests.iter().map(|rest| rest.chars().count()).collect();
    let to = &rule.to.read;
    let as_given = Some(rests.to_vec());
    if all_are('\t') {
        note("rebase of tabs");
        return match style {
            FileStyle::Tabs => as_given,
            FileStyle::Spaces(unit) => Some(lengths.iter().map(|tabs| " ".repeat(tabs * unit)).collect()),
            FileStyle::Unclear if to.contains(' ') => None,
            FileStyle::Unclear => as_given,
        };
    }
    if !all_are(' ') {
        return None;
    }
    note("rebase of spaces");
    match style {
        FileStyle::Tabs => spaces_to_tabs(rule, shortest, &lengths),
        // Where `old_str` has the document's indentation, nothing is re-indented.
        FileStyle::Spaces(_) if rule.from.read == rule.to.read => as_given,
        FileStyle::Spaces(unit) if is_scaled(rule, unit, shortest) => {
            note("rebase by scale");
            let all = lengths.iter().all(|length| length.is_multiple_of(shortest));
            all.then(|| lengths.iter().map(|length| " ".repeat(length / shortest * unit)).collect())
        }
        FileStyle::Spaces(unit) if shortest < unit => None,
        // A block in another unit than the file's.
        FileStyle::Spaces(unit) if steps.iter().any(|&step| step != unit) => None,
        FileStyle::Spaces(_) => as_given,
        FileStyle::Unclear if to.contains('\t') => None,
        FileStyle::Unclear => as_given,
    }
}

/// Whether `old_str` has its indentation in units of `its_unit` where the document has units of `files_unit`.
fn is_scaled(rule: &Rebase, files_unit: usize, its_unit: usize) -> bool {
    let (from, to) = (&rule.from.read, &rule.to.read);
    let only_spaces = |indent: &str| !indent.is_empty() && indent.chars().all(|c| c == ' ');
    its_unit != files_unit
        && UNITS.contains(&its_unit)
        && only_spaces(from)
        && only_spaces(to)
        && from.len() * files_unit == to.len() * its_unit
}

/// Spaces in a file of tabs: the shortest rest is one tab, unless the line that is there says otherwise.
fn spaces_to_tabs(rule: &Rebase, width: usize, lengths: &[usize]) -> Option<Vec<String>> {
    let (from, to) = (&rule.from.read, &rule.to.read);
    let from_is_spaces = !from.is_empty() && from.chars().all(|c| c == ' ');
    let to_is_tabs = !to.is_empty() && to.chars().all(|c| c == '\t');
    let width_there =
        (from_is_spaces && to_is_tabs && from.len().is_multiple_of(to.len())).then(|| from.len() / to.len());
    if !UNITS.contains(&width) || width_there.is_some_and(|there| there != width) {
        return None;
    }
    if width == 8 && width_there.is_none() {
        return None;
    }
    let fits = lengths.iter().all(|length| length % width <= 1);
    fits.then(|| lengths.iter().map(|length| "\t".repeat(length / width) + &" ".repeat(length % width)).collect())
}
