//! Finds `old_str` at the levels that compare whole lines: `indentation_relative`, `punctuation_normalized` and
//! `spacing_normalized`.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;

use memchr::memmem;

use crate::lines::{Line, is_blank_text, split_indent, split_lines};

use super::Level;
use super::anchored_lines::{Anchor, AnchoredLines, AnchoredStep};
use super::automaton::{Automaton, Symbol, SymbolIds};
use super::indentation::{IndentRule, TAB_WIDTHS};
use super::matches::{FinalCarriageReturn, OldStrMatch, OldStrMatches, WholeLineFit};
use super::normalization::{NormalizedLine, NormalizedLines, normalize, verbatim_piece};

/// `old_str` or `new_str` as whole lines.
#[derive(Debug)]
pub(super) struct WholeLines<'a> {
    /// The lines without their endings; a final newline ends the last one.
    pub(super) lines: Vec<&'a str>,
    /// Whether there is a final newline.
    pub(super) ended: bool,
}

impl<'a> WholeLines<'a> {
    pub(super) fn new(text: &'a str) -> WholeLines<'a> {
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

/// Finds the lines of `old` that are not blank edges, at one of the whole-line levels.
pub(super) fn find(
    content: &str,
    old: &WholeLines<'_>,
    level: Level,
    final_carriage_return: FinalCarriageReturn,
    keep: usize,
) -> OldStrMatches {
    let mut matches = OldStrMatches::keeping(keep);
    let core = old.core();
    let edges = BlankEdges { at_start: core.start, at_end: old.lines.len() - core.end };
    let Some(walk) = CandidateWalk::new(content, &old.lines[core], level) else { return matches };
    let variants = tab_variants(&walk.lines, content.len());
    let mut search = WholeLineSearch::new(&walk.lines, &variants);
    walk.steps(|step| match step {
        WalkStep::Gap => search.reset(),
        WalkStep::Line { text, normal, core } => {
            if let Some(matched) = search.next_line(normal)
                && let Some(core) = core
            {
                matches.add(|| {
                    let (span, fit) = edges.expand(content, core, search.rule(matched, normal, text));
                    OldStrMatch { span, fit: Some(fit), final_carriage_return }
                });
            }
        }
    });
    matches
}

/// Finds the bodies of all lines of `old`, whatever their indentation. Returns the start of the first line there whose
/// indentation changes otherwise than in `old`, else of the first line.
pub(super) fn find_with_any_indentation(content: &str, old: &WholeLines<'_>, level: Level) -> Option<usize> {
    let walk = CandidateWalk::new(content, &old.lines[old.core()], level)?;
    let mut ids = SymbolIds::default();
    let mut bodies = Automaton::new(walk.lines.iter().map(|line| ids.add(body_symbol(line))).collect());
    let mut found = None;
    walk.steps(|step| match step {
        WalkStep::Gap => bodies.reset(),
        WalkStep::Line { normal, core, .. } => {
            bodies.feed(ids.get(body_symbol(normal)));
            if bodies.is_matched() && found.is_none() {
                found = core;
            }
        }
    });
    let found = found?;
    let mut start = found.start;
    let (mut before, mut buffer) = (None::<(String, &str)>, String::new());
    for old in walk.lines.iter() {
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

/// Walks over the lines of the content that can be part of a match.
struct CandidateWalk<'t> {
    content: &'t str,
    /// The lines of `old_str` that are searched for.
    lines: NormalizedLines,
    level: Level,
}

/// The next step of a walk.
enum WalkStep<'t, 'n> {
    /// Lines were left out.
    Gap,
    /// A line, and the lines up to its end that a match ending here has, if there are so many.
    Line { text: &'t str, normal: NormalizedLine<'n>, core: Option<Range<usize>> },
}

impl<'t> CandidateWalk<'t> {
    /// `None` if a quick check shows that nothing can be found; that is the case for most levels of most requests.
    fn new(content: &'t str, lines: &[&str], level: Level) -> Option<CandidateWalk<'t>> {
        // Every line but the last has at least its ending, and the last is not blank.
        if lines.len() > content.len() {
            return None;
        }
        let lines = NormalizedLines::new(lines, level);
        let walk = CandidateWalk { content, lines, level };
        memmem::find(content.as_bytes(), walk.anchor().text.as_bytes())?;
        Some(walk)
    }

    fn anchor(&self) -> Anchor<'_> {
        Anchor::longest(self.lines.iter().map(|line| verbatim_piece(line.body, self.level)))
    }

    fn steps(&self, mut visit: impl FnMut(WalkStep<'_, '_>)) {
        let count = self.lines.iter().len();
        let mut starts = VecDeque::new();
        let mut buffer = String::new();
        for step in AnchoredLines::new(self.content, self.anchor()) {
            match step {
                AnchoredStep::Gap => {
                    starts.clear();
                    visit(WalkStep::Gap);
                }
                AnchoredStep::Line(line) if line.is_after_final_newline() => {}
                AnchoredStep::Line(line) => {
                    if starts.len() == count {
                        starts.pop_front();
                    }
                    starts.push_back(line.start);
                    let core = starts.front().filter(|_| starts.len() == count).map(|start| *start..line.text_end);
                    let text = line.text(self.content);
                    let normal = normalize(text, self.level, &mut buffer);
                    visit(WalkStep::Line { text, normal, core });
                }
            }
        }
    }
}

fn body_symbol(line: NormalizedLine<'_>) -> Symbol<'_> {
    if line.is_blank() { Symbol::Blank } else { Symbol::Body(line.body) }
}

fn indent_symbol(line: NormalizedLine<'_>) -> Symbol<'_> {
    if line.is_blank() { Symbol::NoIndent } else { Symbol::Indent(line.indent) }
}

fn change_symbol<'s>(before: Option<&'s str>, line: NormalizedLine<'s>) -> Symbol<'s> {
    match before {
        Some(before) if !line.is_blank() => Symbol::indent_change(before, line.indent),
        _ => Symbol::NoIndent,
    }
}

/// A rule about tabs, and what it makes of each indentation of `old_str`.
struct TabVariant<'a> {
    rule: IndentRule,
    indents: HashMap<&'a str, String>,
}

/// The rules about tabs that change something, and that can hold in a content of so many bytes.
fn tab_variants(lines: &NormalizedLines, max_bytes: usize) -> Vec<TabVariant<'_>> {
    let old_indents: HashSet<&str> = lines.iter().map(|line| line.indent).collect();
    let rules =
        TAB_WIDTHS.iter().flat_map(|width| [IndentRule::TabsToSpaces(*width), IndentRule::SpacesToTabs(*width)]);
    rules
        .filter_map(|rule| {
            let convert = |indent: &&'_ str| rule.convert_tabs(indent, max_bytes);
            let indents: HashMap<&str, String> =
                old_indents.iter().map(|indent| Some((*indent, convert(indent)?))).collect::<Option<_>>()?;
            let changes = indents.iter().any(|(before, after)| before != after);
            changes.then_some(TabVariant { rule, indents })
        })
        .collect()
}

/// Searches for several sequences of symbols at once, one for each kind of rule.
struct WholeLineSearch<'a> {
    ids: SymbolIds<'a>,
    /// Bodies with the change of the indentation between them: it is the same under any prefix.
    shifted: Automaton,
    last_indent: &'a str,
    /// Bodies with the indentation that a rule about tabs demands.
    tabs: Vec<(&'a IndentRule, Automaton)>,
    /// Indentation of the last line of the content that was not blank.
    indent_before: Option<String>,
}

/// The kind of rule by which a match was found.
#[derive(Clone, Copy)]
enum MatchedRule {
    /// A prefix that was added or removed.
    Shifted,
    /// One of the rules about tabs, by number.
    Tabs(usize),
}

impl<'a> WholeLineSearch<'a> {
    fn new(lines: &'a NormalizedLines, variants: &'a [TabVariant<'a>]) -> WholeLineSearch<'a> {
        let mut ids = SymbolIds::default();
        let mut shifted = Vec::with_capacity(2 * lines.iter().len());
        let mut before = None;
        for (index, line) in lines.iter().enumerate() {
            // The change before the first line says nothing about a match.
            if index > 0 {
                shifted.push(ids.add(change_symbol(before, line)));
            }
            shifted.push(ids.add(body_symbol(line)));
            if !line.is_blank() {
                before = Some(line.indent);
            }
        }
        let tabs = variants
            .iter()
            .map(|variant| {
                let symbols = lines.iter().flat_map(|line| {
                    let indent = variant.indents.get(line.indent).map_or(line.indent, String::as_str);
                    [indent_symbol(NormalizedLine { indent, ..line }), body_symbol(line)]
                });
                (&variant.rule, Automaton::new(symbols.map(|symbol| ids.add(symbol)).collect()))
            })
            .collect();
        let last_indent = before.unwrap_or("");
        WholeLineSearch { shifted: Automaton::new(shifted), last_indent, tabs, indent_before: None, ids }
    }

    fn reset(&mut self) {
        self.shifted.reset();
        self.tabs.iter_mut().for_each(|(_, automaton)| automaton.reset());
        self.indent_before = None;
    }

    /// The kind of rule by which a match ends with this line of the content, if one does.
    fn next_line(&mut self, line: NormalizedLine<'_>) -> Option<MatchedRule> {
        let change = self.ids.get(change_symbol(self.indent_before.as_deref(), line));
        let body = self.ids.get(body_symbol(line));
        self.shifted.feed(change);
        self.shifted.feed(body);
        if !self.tabs.is_empty() {
            let indent = self.ids.get(indent_symbol(line));
            for (_, automaton) in &mut self.tabs {
                automaton.feed(indent);
                automaton.feed(body);
            }
        }
        if !line.is_blank() {
            let before = self.indent_before.get_or_insert_default();
            before.clear();
            before.push_str(line.indent);
        }
        // All changes of indentation are equal, so the last lines alone show whether a prefix was added or removed.
        let is_shift = self.last_indent.ends_with(line.indent) || line.indent.ends_with(self.last_indent);
        if self.shifted.is_matched() && is_shift {
            return Some(MatchedRule::Shifted);
        }
        self.tabs.iter().position(|(_, automaton)| automaton.is_matched()).map(MatchedRule::Tabs)
    }

    /// The rule of a match that ends with this line of the content.
    fn rule(&self, matched: MatchedRule, line: NormalizedLine<'_>, text: &str) -> IndentRule {
        match matched {
            MatchedRule::Shifted => IndentRule::shift(self.last_indent, line.indent, split_indent(text).0),
            MatchedRule::Tabs(number) => self.tabs[number].0.clone(),
        }
    }
}

/// How many blank lines `old_str` has around its other lines.
struct BlankEdges {
    at_start: usize,
    at_end: usize,
}

impl BlankEdges {
    /// The match of a core, with the blank lines around it that `old_str` has too.
    fn expand(&self, content: &str, core: Range<usize>, rule: IndentRule) -> (Range<usize>, WholeLineFit) {
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
        (span, WholeLineFit { rule, ignored_at_start, ignored_at_end })
    }
}
