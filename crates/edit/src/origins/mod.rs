//! Blame: from which version each line of a text came, found step by step from the newest version to older ones.

use std::collections::BTreeMap;

use crate::edit::{Edit, EditMismatch};
use crate::hunks::hunks;
use crate::lines::total_lines;

use older_text::{Adoption, OlderText};
use region::unchanged_lines;

mod newest_lines;
mod older_text;
mod region;

/// Lines of the newest text that came from one version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineOrigin {
    /// First line, 1-based.
    pub start_line: usize,
    /// Last line, inclusive.
    pub end_line: usize,
    /// The newest version that inserted or changed these lines.
    pub version: u64,
}

/// A version with the text that it had.
#[derive(Clone, Copy, Debug)]
pub struct OlderVersion<'t> {
    /// Its number.
    pub version: u64,
    /// The text after it.
    pub text: &'t str,
}

/// From which version each line of a text came, as far as the steps so far tell.
///
/// Made with the newest text. Each step takes one version back, the newest first; versions that left the text as it was
/// can be left out, if they are not restores. A line comes from the newest version whose diff shows it as added: one that
/// inserted it, changed bytes or the ending of it, removed a part of it, or joined it from others. Lines that were removed
/// leave no trace on their neighbours. The empty last line after a final newline stays as long as the text ends so.
///
/// A version that brings back what an older one had says so by [`step_restored`](LineOrigins::step_restored) or
/// [`step_with_source`](LineOrigins::step_with_source): those lines keep their first origin.
///
/// A step takes time by the lines that it changes, not by the text. Once [all lines are resolved](LineOrigins::is_resolved),
/// no step changes anything.
///
/// ```
/// use interline_edit::{LineOrigin, LineOrigins, Replace, replace};
///
/// let first = "one\ntwo\nthree\n";
/// let second = replace(first, &Replace::new("two", "2"))?.edit;
/// let newest = second.apply(first)?;
///
/// let mut origins = LineOrigins::new(&newest);
/// origins.step(2, &second.invert(first)?)?;
/// let line = |start_line, end_line, version| LineOrigin { start_line, end_line, version };
/// assert_eq!(origins.lines(1), [line(1, 1, 1), line(2, 2, 2), line(3, 4, 1)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LineOrigins<'t> {
    older: OlderText<'t>,
    /// Of each line of the newest text.
    origins: Vec<Origin>,
    /// How many lines are not resolved.
    unresolved: usize,
    /// By the version from which lines were brought back: each line there, and the line of the newest text that it became.
    brought_back: BTreeMap<u64, Vec<(usize, usize)>>,
    /// The restore whose source the steps are on the way to: the text is that of both, and the versions between are left out.
    restore: Option<Restore>,
}

/// A version that gave the text of an older one again.
#[derive(Clone, Copy, Debug)]
struct Restore {
    by: u64,
    from: u64,
}

/// What is known of the origin of a line.
#[derive(Clone, Copy, Debug)]
enum Origin {
    /// It is a line of the older text.
    Older,
    /// It came from this version.
    Version(u64),
    /// A version brought it back from an older one, which no step has reached.
    BroughtBack { by: u64, from: u64 },
    /// It came from where this line of the newest text came from.
    SameAs(usize),
}

impl<'t> LineOrigins<'t> {
    /// Starts at the newest text.
    pub fn new(newest: &'t str) -> LineOrigins<'t> {
        let older = OlderText::new(newest);
        let unresolved = older.newest_count();
        let (origins, brought_back) = (vec![Origin::Older; unresolved], BTreeMap::new());
        LineOrigins { older, origins, unresolved, brought_back, restore: None }
    }

    /// Whether the origin of every line is known: older versions have nothing to add.
    pub fn is_resolved(&self) -> bool {
        self.unresolved == 0
    }

    /// Whether a step of this version can tell anything. All others can be left out: they are without effect, and their edits
    /// are not looked at.
    pub fn needs(&self, version: u64) -> bool {
        !self.is_resolved() && self.restore.is_none_or(|restore| version <= restore.from)
    }

    /// Takes one version back: `undo` is the edit of its text that gives the text before it.
    ///
    /// Where it does not fit, nothing changes.
    pub fn step(&mut self, version: u64, undo: &Edit) -> Result<(), EditMismatch> {
        if !self.needs(version) {
            return Ok(());
        }
        self.reach(version);
        for line in self.older.undo(undo)? {
            self.resolve(line, version);
        }
        Ok(())
    }

    /// Takes one version back whose whole text is that of an older version, `source`: a restore.
    ///
    /// All its lines come from where the lines of that version came from; what the versions between did is without effect on
    /// them. If no step reaches the older version, they come from `version`. A source that is not older is a plain step; one with
    /// another text makes later steps fail or their origins wrong.
    pub fn step_restored(&mut self, version: u64, undo: &Edit, source: u64) -> Result<(), EditMismatch> {
        if source >= version || !self.needs(version) {
            return self.step(version, undo);
        }
        self.reach(version);
        // Lines that a newer version brought back wait for a version between: its text is needed.
        if self.brought_back.keys().next_back().is_some_and(|waited_for| *waited_for > source) {
            let all: Vec<(usize, usize)> = self.older.newest_lines().collect();
            self.older.undo(undo)?;
            self.older.forget_newest();
            all.into_iter().for_each(|(there, line)| self.bring_back(line, there, version, source));
        } else {
            self.restore = Some(Restore { by: version, from: source });
        }
        Ok(())
    }

    /// Takes one version back that brought some lines of an older version back: an undo of some changes.
    ///
    /// Lines that it added and that the older version has too, as a diff of both texts aligns them, come from where those came
    /// from. If it changed the text into that of the older version, it is a [restore](LineOrigins::step_restored). Steps go on
    /// with the version before; lines that were brought back wait for the older one. If no step reaches that, they come
    /// from `version`.
    ///
    /// Takes time by the length of both texts.
    pub fn step_with_source(
        &mut self,
        version: u64,
        undo: &Edit,
        source: OlderVersion<'_>,
    ) -> Result<(), EditMismatch> {
        if source.version >= version || !self.needs(version) {
            return self.step(version, undo);
        }
        self.reach(version);
        if self.older.has_no_newest_line() {
            return self.step(version, undo);
        }
        let text = self.older.text();
        if text == source.text && undo.apply(&text)? != text {
            return self.step_restored(version, undo, source.version);
        }
        let there = self.lines_of_source(&text, source.text);
        for line in self.older.undo(undo)? {
            match there[line] {
                Some(there) => self.bring_back(line, there, version, source.version),
                None => self.resolve(line, version),
            }
        }
        Ok(())
    }

    /// Takes one version back of which no edit is known, only the text before it; compares both texts by lines.
    ///
    /// Takes time by the length of both texts.
    pub fn step_to_text(&mut self, version: u64, before: &str) -> Result<(), EditMismatch> {
        if !self.needs(version) {
            return Ok(());
        }
        self.step(version, &self.edit_to(before))
    }

    /// Takes one version back before which there was no text: all its lines come from it.
    ///
    /// Older versions are without effect on them, also where they had a text once.
    pub fn step_to_nothing(&mut self, version: u64) -> Result<(), EditMismatch> {
        if !self.needs(version) {
            return Ok(());
        }
        self.reach(version);
        let lines: Vec<usize> = self.older.newest_lines().map(|(_, line)| line).collect();
        let undo = self.edit_to("");
        self.older.undo(&undo)?;
        self.older.forget_newest();
        lines.into_iter().for_each(|line| self.resolve(line, version));
        Ok(())
    }

    /// The edit that gives the text before a version, found by comparing both by lines: of a version that is the next to be taken
    /// back, and that [is needed](LineOrigins::needs).
    ///
    /// Takes time by the length of both texts.
    pub fn edit_to(&self, before: &str) -> Edit {
        hunks(before, &self.older.text()).revert_all()
    }

    /// The origins of all lines in order; those of lines next to each other differ.
    ///
    /// Lines that no step has resolved come from `oldest`, the version that the steps have led to.
    pub fn lines(&self, oldest: u64) -> Vec<LineOrigin> {
        let mut runs: Vec<LineOrigin> = Vec::new();
        for (index, origin) in self.origins.iter().enumerate() {
            let (line, version) = (index + 1, self.version(*origin, oldest));
            match runs.last_mut() {
                Some(last) if last.version == version => last.end_line = line,
                _ => runs.push(LineOrigin { start_line: line, end_line: line, version }),
            }
        }
        runs
    }

    fn version(&self, mut origin: Origin, oldest: u64) -> u64 {
        // A line that is the same as another was taken out of the older text, so that no other is the same as it later.
        while let Origin::SameAs(line) = origin {
            origin = self.origins[line];
        }
        match (origin, self.restore) {
            (Origin::Version(version), _) => version,
            (Origin::BroughtBack { by, from }, _) if from < oldest => by,
            (Origin::Older, Some(Restore { by, from })) if from < oldest => by,
            (Origin::BroughtBack { .. } | Origin::Older | Origin::SameAs(_), _) => oldest,
        }
    }

    fn resolve(&mut self, line: usize, version: u64) {
        self.origins[line] = Origin::Version(version);
        self.unresolved -= 1;
    }

    fn bring_back(&mut self, line: usize, there: usize, by: u64, from: u64) {
        self.origins[line] = Origin::BroughtBack { by, from };
        self.brought_back.entry(from).or_default().push((there, line));
    }

    /// For each line of the newest text the line of the source that it is, if it is in the text and the source has it.
    fn lines_of_source(&self, text: &str, source: &str) -> Vec<Option<usize>> {
        let mut there_of_here = vec![None; total_lines(text)];
        let kept = unchanged_lines((source, total_lines(source)), (text, there_of_here.len()));
        for (there, here) in kept.into_iter().enumerate() {
            if let Some(here) = here {
                there_of_here[here] = Some(there);
            }
        }
        let mut there_of_line = vec![None; self.older.newest_count()];
        self.older.newest_lines().for_each(|(here, line)| there_of_line[line] = there_of_here[here]);
        there_of_line
    }

    /// Finds the lines that were brought back from this version or, because none between changed the text, a newer one.
    fn reach(&mut self, version: u64) {
        if self.restore.is_some_and(|restore| version <= restore.from) {
            self.restore = None;
        }
        let mut wishes: Vec<(usize, usize)> = self.brought_back.split_off(&version).into_values().flatten().collect();
        if wishes.is_empty() {
            return;
        }
        wishes.sort_unstable();
        let adoptions = self.older.adopt(&wishes);
        for ((_, line), adoption) in wishes.into_iter().zip(adoptions) {
            match (adoption, self.origins[line]) {
                (Adoption::Adopted, _) => self.origins[line] = Origin::Older,
                (Adoption::SameAs(other), _) => {
                    self.origins[line] = Origin::SameAs(other);
                    self.unresolved -= 1;
                }
                // The source was another text than was said.
                (Adoption::Refused, Origin::BroughtBack { by, .. }) => self.resolve(line, by),
                (Adoption::Refused, _) => {}
            }
        }
    }
}
