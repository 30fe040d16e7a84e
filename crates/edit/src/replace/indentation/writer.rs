//! Indents the lines of `new_str` that are written over a match of whole lines.

use std::collections::HashSet;

use crate::lines::{is_blank_text, split_indent};

use super::deeper_lines::{misplaced_line, misplaced_line_of_shift};
use super::rebase::{NoUnit, Rebase, StepUnit};
use super::{
    CannotIndent, Conversion, FileStyle, IndentRule, Prefix, Shift, mixes_tabs_and_spaces, opens_block, plain,
};
use crate::replace::Level;

/// A rule, ready for the lines of one match.
pub(in crate::replace) enum IndentWriter<'f> {
    Shift(ShiftWriter<'f>),
    Rebase { rebase: Rebase<'f>, unit: StepUnit, level: Level },
}

impl<'f> IndentWriter<'f> {
    /// `old_lines` are those of the match.
    pub(in crate::replace) fn new(
        rule: &'f IndentRule,
        level: Level,
        old_lines: &[&str],
        written: &WrittenLines<'_>,
        style: impl FnOnce() -> FileStyle,
    ) -> Result<IndentWriter<'f>, NoUnit> {
        match rule {
            IndentRule::Shift(shifts) => {
                if let Some(number) = misplaced_line_of_shift(shifts, old_lines, written, level) {
                    return Err(NoUnit(number));
                }
                Ok(IndentWriter::Shift(ShiftWriter::new(shifts, level, old_lines, style)))
            }
            IndentRule::Rebase { from, to } => {
                let rebase = Rebase { from, to, plain_to: plain(to, level) };
                if let Some(number) = misplaced_line(&rebase, written, level) {
                    return Err(NoUnit(number));
                }
                let indents: Vec<(usize, String)> = written.indents(level).collect();
                let indents = indents.iter().map(|(number, indent)| (*number, indent.as_str()));
                let unit = rebase.step_unit(indents, || written.block_steps(level), style)?;
                Ok(IndentWriter::Rebase { rebase, unit, level })
            }
        }
    }

    /// The indentation of a line of `new_str` in the content.
    pub(in crate::replace) fn indent(&self, indent: &str) -> Result<String, CannotIndent> {
        let written = match self {
            IndentWriter::Shift(writer) => writer.indent(indent),
            IndentWriter::Rebase { rebase, unit, level } => rebase.indent(indent, &plain(indent, *level), *unit),
        };
        written.ok_or(CannotIndent)
    }

    /// An upper bound for the bytes of so many lines of `new_str`; known before they are written.
    pub(in crate::replace) fn most_bytes(&self, new_str: &str, lines: usize) -> usize {
        let (growth, prefix) = match self {
            IndentWriter::Shift(ShiftWriter { shifts, .. }) => {
                let growth = shifts.iter().map(|shift| shift.conversion.growth()).max().unwrap_or(1);
                let prefixes = shifts.iter().map(|shift| match &shift.prefix {
                    Prefix::Add(prefix) => prefix.len(),
                    Prefix::Remove(_) => 0,
                });
                (growth, prefixes.max().unwrap_or(0))
            }
            IndentWriter::Rebase { rebase, unit, .. } => (unit.growth(), rebase.to.len()),
        };
        new_str.len() * growth + lines * (prefix + "\r\n".len())
    }
}

/// The lines of `new_str`, and the numbers of those that are written, each with the line of `old_str` that it replaces.
pub(in crate::replace) struct WrittenLines<'n> {
    pub(in crate::replace) lines: &'n [&'n str],
    pub(in crate::replace) written: &'n [(usize, Option<usize>)],
    /// Lines that stay: (of `old_str`, of `lines`).
    pub(in crate::replace) pairs: &'n [(usize, usize)],
}

impl WrittenLines<'_> {
    /// The numbers and the plain indentations of the lines that are written.
    fn indents(&self, level: Level) -> impl Iterator<Item = (usize, String)> {
        self.written.iter().map(move |(number, _)| (*number, plain(split_indent(self.lines[*number]).0, level)))
    }

    /// Whether a line is written, and does not stay.
    pub(super) fn is_written(&self, number: usize) -> bool {
        self.written.binary_search_by_key(&number, |(number, _)| *number).is_ok()
    }

    /// The line of the match in `old_str` that a line is, or that it replaces; none for one that is added.
    pub(super) fn old_line(&self, number: usize) -> Option<usize> {
        match self.written.binary_search_by_key(&number, |(number, _)| *number) {
            Ok(index) => self.written[index].1,
            Err(_) => {
                let index = self.pairs.binary_search_by_key(&number, |(_, number)| *number).ok()?;
                Some(self.pairs[index].0)
            }
        }
    }

    /// By how many spaces lines are deeper that follow one which opens a block, with their numbers.
    fn block_steps(&self, level: Level) -> Vec<(usize, usize)> {
        let step = |(number, indent): (usize, String)| {
            let before =
                self.lines[..number].iter().rfind(|line| !is_blank_text(line)).filter(|line| opens_block(line))?;
            let step = indent.strip_prefix(plain(split_indent(before).0, level).as_str())?;
            (!step.is_empty() && step.bytes().all(|byte| byte == b' ')).then_some((number, step.len()))
        };
        self.indents(level).filter_map(step).collect()
    }
}

/// Indents lines by the shifts that explain a match.
pub(in crate::replace) struct ShiftWriter<'f> {
    shifts: &'f [Shift],
    level: Level,
    /// The plain indentations of the match in `old_str`: what they become is certain.
    old_indents: HashSet<String>,
    mixing: TabMixing,
    style: FileStyle,
    /// The prefix of the first shift, as the level compares it.
    plain_prefix: Prefix,
}

/// Whether the content mixes tabs and spaces in the indentation of the match.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TabMixing {
    Already,
    NotYet,
}

impl<'f> ShiftWriter<'f> {
    fn new(
        shifts: &'f [Shift],
        level: Level,
        old_lines: &[&str],
        style: impl FnOnce() -> FileStyle,
    ) -> ShiftWriter<'f> {
        let old_indents = old_lines.iter().filter(|line| !is_blank_text(line)).map(|line| split_indent(line).0);
        let plain_prefix = match shifts.first() {
            Some(Shift { prefix: Prefix::Add(prefix), .. }) => Prefix::Add(plain(prefix, level)),
            Some(Shift { prefix: Prefix::Remove(_), .. }) | None => Prefix::Remove(String::new()),
        };
        if let [Shift { conversion: Conversion::Same, .. }] = shifts {
            let is_mixed = old_indents.clone().any(|indent| mixes_tabs_and_spaces(&plain_prefix, indent));
            let mixing = if is_mixed { TabMixing::Already } else { TabMixing::NotYet };
            let (old_indents, style) = (HashSet::new(), FileStyle::Unclear);
            return ShiftWriter { shifts, level, old_indents, mixing, style, plain_prefix };
        }
        let old_indents = old_indents.map(|indent| plain(indent, level)).collect();
        ShiftWriter { shifts, level, old_indents, mixing: TabMixing::Already, style: style(), plain_prefix }
    }

    fn indent(&self, indent: &str) -> Option<String> {
        let first = self.shifts.first()?;
        match first.conversion {
            Conversion::Same
                if self.mixing == TabMixing::NotYet && mixes_tabs_and_spaces(&self.plain_prefix, indent) =>
            {
                None
            }
            Conversion::Same => first.indent(indent, self.level),
            Conversion::TabsToSpaces(_) | Conversion::SpacesToTabs(_) => {
                let is_known =
                    self.is_of_old_str(indent) || self.shifts.iter().all(|shift| self.leads_to_unit(shift.conversion));
                let written = first.indent(indent, self.level).filter(|_| is_known)?;
                // Where the match does not tell the width of a tab, it must not matter.
                let agree = self.shifts.iter().all(|shift| shift.indent(indent, self.level).as_ref() == Some(&written));
                agree.then_some(written)
            }
            Conversion::Scale { .. } => {
                let scale = self.scale_for(indent, first.conversion)?;
                Shift { conversion: scale, prefix: first.prefix.clone() }.indent(indent, self.level)
            }
        }
    }

    /// Of the scales with a ratio that hold for the whole match, the first that leads to the content's unit.
    fn scale_for(&self, indent: &str, found: Conversion) -> Option<Conversion> {
        let holds = |scale: &Conversion| self.old_indents.iter().all(|indent| scale.convert_written(indent).is_some());
        let mut scales = Conversion::scales().filter(|scale| scale.has_ratio_of(found)).filter(holds);
        scales.find(|scale| self.is_of_old_str(indent) || self.leads_to_unit(*scale))
    }

    fn is_of_old_str(&self, indent: &str) -> bool {
        self.old_indents.contains(&plain(indent, self.level))
    }

    /// Whether the conversion writes the content's unit, where that is clear.
    fn leads_to_unit(&self, conversion: Conversion) -> bool {
        match (conversion, self.style) {
            (Conversion::TabsToSpaces(unit) | Conversion::Scale { to: unit, .. }, FileStyle::Spaces(of_content)) => {
                unit == of_content
            }
            _ => true,
        }
    }
}
