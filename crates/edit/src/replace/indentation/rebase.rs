//! Indents lines of `new_str` where `old_str` has a single indentation: lines as deep as that take the content's, and deeper
//! or shallower ones take the unit of the content around them, never one that is guessed.

use super::{Conversion, FileStyle, UNITS};

/// The indentation of `old_str` and the one that the content has in its place.
#[derive(Clone, Debug)]
pub(in crate::replace) struct Rebase<'r> {
    /// Plain.
    pub(in crate::replace) from: &'r str,
    /// In the content's own characters.
    pub(in crate::replace) to: &'r str,
    /// The same, plain.
    pub(in crate::replace) plain_to: String,
}

/// A line's indentation compared with that of `old_str`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Depth<'i> {
    /// The same, and one blank for alignment or none.
    Same(&'i str),
    /// More: the rest.
    Deeper(&'i str),
    /// Less: what is missing.
    Shallower(&'i str),
}

/// The unit of the deeper and shallower lines of one `new_str`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::replace) struct StepUnit(Conversion);

/// No unit is clear for the line of that number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::replace) struct NoUnit(pub(in crate::replace) usize);

impl<'r> Rebase<'r> {
    /// The unit of all lines of `new_str` that are written, given as their numbers and plain indentations. `block_steps` are
    /// numbers of lines that follow one which opens a block, with the spaces by which they are deeper.
    pub(in crate::replace) fn step_unit<'i>(
        &self,
        indents: impl Iterator<Item = (usize, &'i str)>,
        block_steps: impl FnOnce() -> Vec<(usize, usize)>,
        style: impl FnOnce() -> FileStyle,
    ) -> Result<StepUnit, NoUnit>
    where
        'r: 'i,
    {
        let mut steps = Vec::new();
        for (number, indent) in indents {
            match self.depth(indent) {
                Some(Depth::Same(_)) => {}
                Some(Depth::Deeper(step) | Depth::Shallower(step)) => steps.push((number, step)),
                None => return Err(NoUnit(number)),
            }
        }
        let Some((first, first_step)) = steps.first().copied() else { return Ok(StepUnit(Conversion::Same)) };
        let unit = first_step.chars().next().filter(|c| matches!(c, ' ' | '\t')).ok_or(NoUnit(first))?;
        if let Some((other, _)) = steps.iter().find(|(_, step)| !step.chars().all(|c| c == unit)) {
            return Err(NoUnit(*other));
        }
        let shortest = steps.iter().map(|(_, step)| step.len()).min().unwrap_or(0);
        let style = style();
        let conversion = match (unit, style) {
            ('\t', FileStyle::Tabs) => Some(Conversion::Same),
            ('\t', FileStyle::Spaces(unit)) => Some(Conversion::TabsToSpaces(unit)),
            ('\t', FileStyle::Unclear) => (!self.plain_to.contains(' ')).then_some(Conversion::Same),
            (_, FileStyle::Spaces(unit)) => self.spaces_in_spaces(shortest, unit),
            (_, FileStyle::Tabs) => self.spaces_in_tabs(shortest),
            (_, FileStyle::Unclear) => (!self.plain_to.contains('\t')).then_some(Conversion::Same),
        };
        let conversion = conversion.ok_or(NoUnit(first))?;
        if let (' ', FileStyle::Spaces(unit_of_file), Conversion::Same) = (unit, style, conversion)
            && self.from != self.plain_to
            && let Some((number, _)) = block_steps().into_iter().find(|(_, step)| *step != unit_of_file)
        {
            // A block in another unit than the file's.
            return Err(NoUnit(number));
        }
        match steps.iter().find(|(_, step)| conversion.convert_written(step).is_none()) {
            Some((other, _)) => Err(NoUnit(*other)),
            None => Ok(StepUnit(conversion)),
        }
    }

    /// The indentation of a line of `new_str`, given as it is and plain; `None` if it cannot be made.
    pub(in crate::replace) fn indent(&self, given: &str, plain: &str, unit: StepUnit) -> Option<String> {
        // What stays as it is stays in the characters that were given.
        let given_rest = || given.chars().skip(self.from.chars().count());
        match self.depth(plain)? {
            Depth::Same(_) => Some(self.to.chars().chain(given_rest()).collect()),
            Depth::Deeper(step) => {
                let converted = unit.0.convert_written(step)?;
                let mixes = self.plain_to.ends_with(' ') && converted.starts_with('\t')
                    || self.plain_to.ends_with('\t') && converted.starts_with("  ");
                match mixes {
                    true => None,
                    false if converted == step => Some(self.to.chars().chain(given_rest()).collect()),
                    false => Some(self.to.to_owned() + &converted),
                }
            }
            Depth::Shallower(step) => {
                let rest = self.plain_to.strip_suffix(unit.0.convert_written(step)?.as_str())?;
                Some(self.to.chars().take(rest.chars().count()).collect())
            }
        }
    }

    fn depth<'i>(&self, indent: &'i str) -> Option<Depth<'i>>
    where
        'r: 'i,
    {
        match indent.strip_prefix(self.from) {
            Some(alignment @ ("" | " ")) => Some(Depth::Same(alignment)),
            Some(step) => Some(Depth::Deeper(step)),
            None => self.from.strip_prefix(indent).map(Depth::Shallower),
        }
    }

    /// Steps of spaces, the shortest of this length, in a content of this unit.
    fn spaces_in_spaces(&self, shortest: usize, unit: usize) -> Option<Conversion> {
        if self.from == self.plain_to {
            return Some(Conversion::Same);
        }
        let scale = Conversion::Scale { from: shortest, to: unit };
        // Both indentations are equally many levels, each in its own unit.
        let are_spaces = |indent: &str| indent.bytes().all(|byte| byte == b' ');
        let explains_all = !self.from.is_empty()
            && are_spaces(self.from)
            && are_spaces(&self.plain_to)
            && self.from.len() * unit == self.plain_to.len() * shortest;
        if shortest != unit && explains_all && UNITS.contains(&shortest) {
            return Some(scale);
        }
        // Longer steps align something, or are several levels; shorter ones are those of another unit.
        (shortest >= unit).then_some(Conversion::Same)
    }

    /// Steps of spaces, the shortest of this length, in a content of tabs.
    fn spaces_in_tabs(&self, shortest: usize) -> Option<Conversion> {
        let width_of_base = match self.plain_to.len() {
            tabs if tabs > 0 && self.plain_to.bytes().all(|byte| byte == b'\t') => {
                let is_multiple = self.from.len().is_multiple_of(tabs) && !self.from.is_empty();
                (is_multiple && self.from.bytes().all(|byte| byte == b' ')).then_some(self.from.len() / tabs)
            }
            _ => None,
        };
        let is_sure = match width_of_base {
            Some(width) => width == shortest,
            // Eight spaces can be one level or two.
            None => shortest != 8,
        };
        (is_sure && UNITS.contains(&shortest)).then_some(Conversion::SpacesToTabs(shortest))
    }
}

impl StepUnit {
    /// The most bytes that one byte of an indentation can become.
    pub(in crate::replace) fn growth(self) -> usize {
        self.0.growth()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(from: &str, to: &str, style: FileStyle, indents: &[&str], expected: Result<&[&str], usize>) {
        let rebase = Rebase { from, to, plain_to: to.to_owned() };
        let unit = rebase.step_unit(indents.iter().copied().enumerate(), Vec::new, || style);
        let written = unit.and_then(|unit| {
            let write = |(number, indent): (usize, &&str)| rebase.indent(indent, indent, unit).ok_or(NoUnit(number));
            indents.iter().enumerate().map(write).collect::<Result<Vec<String>, NoUnit>>()
        });
        let expected = expected.map(|indents| indents.iter().map(|indent| (*indent).to_owned()).collect());
        assert_eq!(written, expected.map_err(NoUnit), "{from:?} to {to:?} in {style:?}: {indents:?}");
    }

    #[test]
    fn deeper_lines_take_the_unit_of_the_file() {
        check("\t", "        ", FileStyle::Spaces(4), &["\t", "\t\t"], Ok(&["        ", "            "]));
        check("", "\t", FileStyle::Tabs, &["", "    ", "        "], Ok(&["\t", "\t\t", "\t\t\t"]));
        check(
            "",
            "    ",
            FileStyle::Spaces(4),
            &["", "    ", "          "],
            Ok(&["    ", "        ", "              "]),
        );
        check("    ", "  ", FileStyle::Spaces(2), &["        ", "    "], Ok(&["    ", "  "]));
        check("\t", "\t\t", FileStyle::Tabs, &["", "\t "], Ok(&["\t", "\t\t "]));
    }

    #[test]
    fn no_unit_is_guessed() {
        check("\t", "        ", FileStyle::Unclear, &["\t\t"], Err(0));
        check("", "    ", FileStyle::Spaces(4), &["", "  "], Err(1));
        check("", "\t", FileStyle::Tabs, &["        "], Err(0));
        check("    ", "\t\t", FileStyle::Tabs, &["        "], Err(0));
        check("", "\t", FileStyle::Tabs, &["\t", "    "], Err(1));
        check("  ", "    ", FileStyle::Unclear, &["\t"], Err(0));
    }
}
