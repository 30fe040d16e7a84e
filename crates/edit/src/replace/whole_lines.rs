//! Finds `old_str` at the levels that compare whole lines: `indentation_relative`, `punctuation_normalized` and
//! `spacing_normalized`.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;

use memchr::memmem;

use crate::lines::{Line, is_blank_text, split_indent, split_lines, trim_blanks_end};

use super::Level;
use super::anchored_lines::{Anchor, AnchoredLines, AnchoredStep};
use super::automaton::{Automaton, Symbol, SymbolIds};
use super::indentation::{Conversion, IndentRule, Prefix, Shift, only_indentation};
use super::matches::{FinalCarriageReturn, OldStrMatch, OldStrMatches, WholeLineFit};
use super::normalization::{NormalizedLine, NormalizedLines, normalize, verbatim_piece};

/// An `old_str` of more lines is looked for with its own tabs and spaces only: every conversion takes memory for each line.
const MAX_CONVERTED_LINES: usize = 10_000;

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

    /// Whether it has no word, and too few lines to identify a passage without regard to indentation: a bracket, a rule.
    pub(super) fn is_weak_evidence(&self) -> bool {
        const MIN_LINES: usize = 4;
        let mut bodies: Vec<&str> = Vec::new();
        for line in &self.lines {
            let body = trim_blanks_end(split_indent(line).1);
            if body.contains(char::is_alphanumeric) {
                return false;
            }
            if bodies.len() < MIN_LINES && !body.is_empty() && !bodies.contains(&body) {
                bodies.push(body);
            }
        }
        bodies.len() < MIN_LINES
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
    let evidence = UnitEvidence::new(&walk.lines);
    let conversions = ConvertedIndents::all(&walk.lines, evidence, content.len());
    let mut search = WholeLineSearch::new(&walk.lines, &conversions);
    walk.steps(|step| match step {
        WalkStep::Gap => search.reset(),
        WalkStep::Line { text, normal, core } => {
            if search.next_line(normal)
                && let Some(core) = core
            {
                matches.add(|| {
                    let rule = search.indent_rule(content, core.start, evidence, (text, normal));
                    let (span, fit) = edges.expand(content, core, rule);
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
    /// Where the anchor is first.
    first_hit: usize,
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
        let first_hit = memmem::find(content.as_bytes(), anchor(&lines, level).text.as_bytes())?;
        Some(CandidateWalk { content, lines, level, first_hit })
    }

    fn steps(&self, mut visit: impl FnMut(WalkStep<'_, '_>)) {
        let count = self.lines.iter().len();
        let mut starts = VecDeque::new();
        let mut buffer = String::new();
        let anchor = anchor(&self.lines, self.level);
        for step in AnchoredLines::from_hit(self.content, anchor, Some(self.first_hit)) {
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

fn anchor(lines: &NormalizedLines, level: Level) -> Anchor<'_> {
    Anchor::longest(lines.iter().map(|line| verbatim_piece(line.body, level)))
}

fn body_symbol(line: NormalizedLine<'_>) -> Symbol<'_> {
    if line.is_blank() { Symbol::Blank } else { Symbol::Body(line.body) }
}

fn change_symbol<'s>(before: Option<&'s str>, line: NormalizedLine<'s>) -> Symbol<'s> {
    match before {
        Some(before) if !line.is_blank() => Symbol::indent_change(before, line.indent),
        _ => Symbol::NoIndent,
    }
}

/// A conversion, and what it makes of each indentation of `old_str`.
struct ConvertedIndents<'a> {
    conversion: Conversion,
    indents: HashMap<&'a str, String>,
}

impl<'a> ConvertedIndents<'a> {
    /// The conversions that change something, and that can hold in a content of so many bytes; first the one that changes
    /// nothing.
    fn all(lines: &'a NormalizedLines, evidence: UnitEvidence<'_>, max_bytes: usize) -> Vec<ConvertedIndents<'a>> {
        let mut all = vec![ConvertedIndents { conversion: Conversion::Same, indents: HashMap::new() }];
        if lines.iter().len() > MAX_CONVERTED_LINES {
            return all;
        }
        let old_indents: HashSet<&str> = lines.iter().map(|line| line.indent).collect();
        let scales = Conversion::scales().filter(|_| evidence == UnitEvidence::Enough);
        for conversion in Conversion::tabs().chain(scales) {
            if all.iter().any(|other| other.conversion.has_ratio_of(conversion)) {
                continue;
            }
            let convert = |indent: &&'a str| Some((*indent, conversion.convert(indent, max_bytes)?));
            let indents: Option<HashMap<&str, String>> = old_indents.iter().map(convert).collect();
            let changing = indents.filter(|indents| indents.iter().any(|(before, after)| before != after));
            all.extend(changing.map(|indents| ConvertedIndents { conversion, indents }));
        }
        all
    }

    fn get<'s>(&'s self, indent: &'s str) -> &'s str {
        self.indents.get(indent).map_or(indent, String::as_str)
    }
}

/// Whether the indentations of `old_str` show a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnitEvidence<'a> {
    /// Two of them differ by more than a blank for alignment.
    Enough,
    /// They are one: that of this line among those that are not blank, counted in all lines.
    None { line: usize, indent: &'a str },
}

impl<'a> UnitEvidence<'a> {
    fn new(lines: &'a NormalizedLines) -> UnitEvidence<'a> {
        let written = lines.iter().enumerate().filter(|(_, line)| !line.is_blank());
        match only_indentation(written.clone().map(|(_, line)| line.indent)) {
            Some((index, indent)) => {
                UnitEvidence::None { line: written.map(|(line, _)| line).nth(index).unwrap_or(0), indent }
            }
            None => UnitEvidence::Enough,
        }
    }
}

/// Searches for several sequences of symbols at once, one for each conversion.
struct WholeLineSearch<'a> {
    ids: SymbolIds<'a>,
    /// Bodies with the change of the converted indentation between them: it is the same under any prefix.
    sequences: Vec<ConvertedSequence<'a>>,
    /// Indentation of the last line of the content that was not blank.
    indent_before: Option<String>,
}

/// The lines of `old_str` under one conversion.
struct ConvertedSequence<'a> {
    conversion: Conversion,
    automaton: Automaton,
    last_indent: &'a str,
}

impl<'a> WholeLineSearch<'a> {
    fn new(lines: &'a NormalizedLines, conversions: &'a [ConvertedIndents<'a>]) -> WholeLineSearch<'a> {
        let mut ids = SymbolIds::default();
        let mut sequences = Vec::with_capacity(conversions.len());
        for converted in conversions {
            let mut symbols = Vec::with_capacity(2 * lines.iter().len());
            let mut before = None;
            for (index, line) in lines.iter().enumerate() {
                let line = NormalizedLine { indent: converted.get(line.indent), ..line };
                // The change before the first line says nothing about a match.
                if index > 0 {
                    symbols.push(ids.add(change_symbol(before, line)));
                }
                symbols.push(ids.add(body_symbol(line)));
                if !line.is_blank() {
                    before = Some(line.indent);
                }
            }
            let automaton = Automaton::new(symbols);
            let last_indent = before.unwrap_or("");
            sequences.push(ConvertedSequence { conversion: converted.conversion, automaton, last_indent });
        }
        WholeLineSearch { ids, sequences, indent_before: None }
    }

    fn reset(&mut self) {
        self.sequences.iter_mut().for_each(|sequence| sequence.automaton.reset());
        self.indent_before = None;
    }

    /// Whether a match ends with this line of the content.
    fn next_line(&mut self, line: NormalizedLine<'_>) -> bool {
        let change = self.ids.get(change_symbol(self.indent_before.as_deref(), line));
        let body = self.ids.get(body_symbol(line));
        for sequence in &mut self.sequences {
            sequence.automaton.feed(change);
            sequence.automaton.feed(body);
        }
        if !line.is_blank() {
            let before = self.indent_before.get_or_insert_default();
            before.clear();
            before.push_str(line.indent);
        }
        self.matching(line.indent).next().is_some()
    }

    /// The conversions by which a match ends with the last line of the content, which has this indentation.
    fn matching(&self, indent: &str) -> impl Iterator<Item = &ConvertedSequence<'a>> {
        // All changes of indentation are equal, so the last lines alone show whether a prefix was added or removed.
        self.sequences.iter().filter(move |sequence| {
            let old = sequence.last_indent;
            sequence.automaton.is_matched() && (old.ends_with(indent) || indent.ends_with(old))
        })
    }

    /// The rule for a match whose first line starts at `start` and that ends with the last line of the content.
    fn indent_rule(
        &self,
        content: &str,
        start: usize,
        evidence: UnitEvidence<'_>,
        (text, last): (&str, NormalizedLine<'_>),
    ) -> IndentRule {
        match evidence {
            UnitEvidence::Enough => {
                let is_same = |sequence: &&ConvertedSequence<'_>| sequence.conversion == Conversion::Same;
                let matching: Vec<&ConvertedSequence<'_>> = self.matching(last.indent).collect();
                // Without a conversion nothing is in doubt.
                let matching = if matching.first().is_some_and(is_same) { &matching[..1] } else { &matching[..] };
                let shift = |sequence: &&ConvertedSequence<'_>| Shift {
                    conversion: sequence.conversion,
                    prefix: Prefix::between(sequence.last_indent, last.indent, split_indent(text).0),
                };
                IndentRule::Shift(matching.iter().map(shift).collect())
            }
            UnitEvidence::None { line, indent } => {
                let start = (0..line).fold(start, |start, _| Line::at(content, start).end);
                let to = split_indent(Line::at(content, start).text(content)).0;
                IndentRule::Rebase { from: indent.to_owned(), to: to.to_owned() }
            }
        }
    }
}

/// The match of an `old_str` with one line that is not blank, its first, as a whole line of the content.
pub(super) fn fit_line(content: &str, line: Line, old: &WholeLines<'_>) -> (Range<usize>, WholeLineFit) {
    let core = old.core();
    let edges = BlankEdges { at_start: core.start, at_end: old.lines.len() - core.end };
    let rule = IndentRule::Rebase {
        from: old.lines[core].first().map_or("", |line| split_indent(line).0).to_owned(),
        to: split_indent(line.text(content)).0.to_owned(),
    };
    edges.expand(content, line.start..line.text_end, rule)
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
