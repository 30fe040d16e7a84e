//! The levels that compare whole lines and fit `new_str` to the place: indentation, typography, spacing.

use std::collections::VecDeque;
use std::ops::Range;

use crate::lines::{Line, is_blank_text, split_indent, split_lines};

use super::Level;
use super::anchored::{Anchor, AnchoredLines, Step};
use super::automaton::{Automaton, Symbol};
use super::indentation::{Rule, TAB_WIDTHS};
use super::normal::{NormalLine, normalize, verbatim_piece};
use super::places::{Fit, FoundPlace, Places};

/// `old_str` or `new_str` as whole lines.
#[derive(Debug)]
pub(super) struct WholeLines<'a> {
    /// The lines without their endings; a final newline ends the last one.
    pub(super) lines: Vec<&'a str>,
    /// Whether there is a final newline.
    pub(super) ended: bool,
}

impl<'a> WholeLines<'a> {
    pub(super) fn of(text: &'a str) -> WholeLines<'a> {
        let ended = text.ends_with('\n');
        let mut lines = split_lines(text);
        if ended {
            lines.pop();
        }
        WholeLines { lines, ended }
    }

    /// The lines from the first to the last that is not blank; empty if all are blank.
    pub(super) fn core(&self) -> Range<usize> {
        let start = self.lines.iter().position(|line| !is_blank_text(line)).unwrap_or(self.lines.len());
        let end = self.lines.iter().rposition(|line| !is_blank_text(line)).map_or(start, |last| last + 1);
        start..end
    }
}

/// Finds the lines of `old` that are not blank edges, at a fitted level.
pub(super) fn find(content: &str, old: &WholeLines<'_>, level: Level, expected: usize) -> Places {
    let mut places = Places::expecting(expected);
    let core = old.core();
    let edges = Edges { at_start: core.start, at_end: old.lines.len() - core.end };
    let mut buffers = vec![String::new(); core.len()];
    let lines: Vec<NormalLine<'_>> =
        old.lines[core].iter().zip(&mut buffers).map(|(line, buffer)| normalize(line, level, buffer)).collect();
    let variants = tab_variants(&lines);
    let mut searches = Searches::new(&lines, &variants);
    walk(content, &lines, level, |step| match step {
        CoreStep::Gap => searches.reset(),
        CoreStep::Line { text, normal, core } => {
            if let Some(rule) = searches.next_line(text, normal)
                && let Some(core) = core
            {
                places.add(|| edges.place(content, core, rule));
            }
        }
    });
    places
}

/// What a walk over the lines that can be part of a match comes to.
enum CoreStep<'t, 'n> {
    /// Lines were left out.
    Gap,
    /// A line, and the lines up to its end that a match ending here has, if there are so many.
    Line { text: &'t str, normal: NormalLine<'n>, core: Option<Range<usize>> },
}

/// Walks the lines near an anchor of `lines`.
fn walk(content: &str, lines: &[NormalLine<'_>], level: Level, mut visit: impl FnMut(CoreStep<'_, '_>)) {
    let anchor = Anchor::longest(lines.iter().map(|line| verbatim_piece(line.body, level)));
    let mut starts = VecDeque::with_capacity(lines.len().min(1024));
    let mut buffer = String::new();
    for step in AnchoredLines::new(content, anchor) {
        match step {
            Step::Gap => {
                starts.clear();
                visit(CoreStep::Gap);
            }
            Step::Line(line) if line.is_after_final_newline() => {}
            Step::Line(line) => {
                if starts.len() == lines.len() {
                    starts.pop_front();
                }
                starts.push_back(line.start);
                let core = starts.front().filter(|_| starts.len() == lines.len()).map(|start| *start..line.text_end);
                let text = line.text(content);
                let normal = normalize(text, level, &mut buffer);
                visit(CoreStep::Line { text, normal, core });
            }
        }
    }
}

/// Where the bodies of all lines of `old` stand, whatever their indentation: the start of the first line there whose
/// indentation changes otherwise than in `old`, else of the first line.
pub(super) fn find_with_any_indentation(content: &str, old: &WholeLines<'_>, level: Level) -> Option<usize> {
    let mut buffers = vec![String::new(); old.lines.len()];
    let core = old.core();
    let lines: Vec<NormalLine<'_>> =
        old.lines[core].iter().zip(&mut buffers).map(|(line, buffer)| normalize(line, level, buffer)).collect();
    let mut bodies = Automaton::new(lines.iter().map(|line| body_symbol(*line)).collect());
    let mut found = None;
    walk(content, &lines, level, |step| match step {
        CoreStep::Gap => bodies.reset(),
        CoreStep::Line { normal, core, .. } => {
            bodies.feed(body_symbol(normal));
            if bodies.is_matched() && found.is_none() {
                found = core;
            }
        }
    });
    let found = found?;
    let mut start = found.start;
    let (mut before, mut buffer) = (None::<(String, &str)>, String::new());
    for old in &lines {
        let line = Line::at(content, start);
        let here = normalize(line.text(content), level, &mut buffer);
        if !old.is_blank() {
            if let Some((content_before, old_before)) = &before
                && Symbol::indent_change(content_before, here.indent) != Symbol::indent_change(old_before, old.indent)
            {
                return Some(start);
            }
            before = Some((here.indent.to_owned(), old.indent));
        }
        start = line.end;
    }
    Some(found.start)
}

fn body_symbol(line: NormalLine<'_>) -> Symbol<'_> {
    if line.is_blank() { Symbol::Blank } else { Symbol::Body(line.body) }
}

/// The rules about tabs that can hold for these lines, with the indentations that the content must have.
fn tab_variants(lines: &[NormalLine<'_>]) -> Vec<(Rule, Vec<String>)> {
    let rules = TAB_WIDTHS.iter().flat_map(|width| [Rule::TabsToSpaces(*width), Rule::SpacesToTabs(*width)]);
    rules
        .filter_map(|rule| {
            let indents: Vec<String> = lines.iter().map(|line| rule.tabs(line.indent)).collect::<Option<_>>()?;
            let changes = lines.iter().zip(&indents).any(|(line, indent)| line.indent != indent);
            changes.then_some((rule, indents))
        })
        .collect()
}

/// The sequences of symbols that are looked for at once, one for each kind of rule.
struct Searches<'a> {
    /// Bodies with the change of the indentation between them: it is the same under any prefix.
    shifted: Automaton<'a>,
    last_indent: &'a str,
    /// Bodies with the indentation that a rule about tabs demands.
    tabs: Vec<(&'a Rule, Automaton<'a>)>,
    /// Indentation of the last line of the content that was not blank.
    indent_before: Option<String>,
}

impl<'a> Searches<'a> {
    fn new(lines: &[NormalLine<'a>], variants: &'a [(Rule, Vec<String>)]) -> Searches<'a> {
        let mut shifted = Vec::with_capacity(2 * lines.len());
        let mut before = None;
        for line in lines {
            shifted.push(change_symbol(before, *line));
            shifted.push(body_symbol(*line));
            if !line.is_blank() {
                before = Some(line.indent);
            }
        }
        // The change before the first line says nothing about a match.
        shifted.remove(0);
        let tabs = variants
            .iter()
            .map(|(rule, indents)| {
                let symbols = lines.iter().zip(indents).flat_map(|(line, indent)| {
                    let indent = if line.is_blank() { Symbol::NoIndent } else { Symbol::Indent(indent) };
                    [indent, body_symbol(*line)]
                });
                (rule, Automaton::new(symbols.collect()))
            })
            .collect();
        let last_indent = lines.last().map_or("", |line| line.indent);
        Searches { shifted: Automaton::new(shifted), last_indent, tabs, indent_before: None }
    }

    fn reset(&mut self) {
        self.shifted.reset();
        self.tabs.iter_mut().for_each(|(_, automaton)| automaton.reset());
        self.indent_before = None;
    }

    /// The rule of the match that ends with this line of the content.
    fn next_line(&mut self, text: &str, line: NormalLine<'_>) -> Option<Rule> {
        self.shifted.feed(change_symbol(self.indent_before.as_deref(), line));
        self.shifted.feed(body_symbol(line));
        let indent = if line.is_blank() { Symbol::NoIndent } else { Symbol::Indent(line.indent) };
        for (_, automaton) in &mut self.tabs {
            automaton.feed(indent);
            automaton.feed(body_symbol(line));
        }
        if !line.is_blank() {
            let before = self.indent_before.get_or_insert_default();
            before.clear();
            before.push_str(line.indent);
        }
        // All changes of indentation are equal, so the last lines alone tell what was added or removed.
        let shift = self.shifted.is_matched().then(|| Rule::shift(self.last_indent, line.indent, split_indent(text).0));
        shift.flatten().or_else(|| self.tabs.iter().find(|(_, a)| a.is_matched()).map(|(rule, _)| (*rule).clone()))
    }
}

fn change_symbol<'s>(before: Option<&'s str>, line: NormalLine<'s>) -> Symbol<'s> {
    match before {
        Some(before) if !line.is_blank() => Symbol::indent_change(before, line.indent),
        _ => Symbol::NoIndent,
    }
}

/// How many blank lines `old_str` has around its other lines.
struct Edges {
    at_start: usize,
    at_end: usize,
}

impl Edges {
    /// The place of a core: with the blank lines around it that `old_str` has too.
    fn place(&self, content: &str, core: Range<usize>, rule: Rule) -> FoundPlace {
        let mut span = core;
        let mut ignored_at_start = self.at_start;
        while ignored_at_start > 0
            && let Some(line) = Line::before(content, span.start)
            && is_blank_text(line.text(content))
        {
            span.start = line.start;
            ignored_at_start -= 1;
        }
        let mut ignored_at_end = self.at_end;
        let mut last = Line::containing(content, span.end);
        while ignored_at_end > 0 && last.end > last.text_end {
            last = Line::at(content, last.end);
            if last.is_after_final_newline() || !is_blank_text(last.text(content)) {
                break;
            }
            span.end = last.text_end;
            ignored_at_end -= 1;
        }
        FoundPlace { span, fit: Some(Fit { rule, ignored_at_start, ignored_at_end }) }
    }
}
