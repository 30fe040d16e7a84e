//! What the syntax tree of an expression tells about its matches and its automaton before that is built.

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

/// The ranges that a class has at the most whose transitions are looked through in no time.
const FEW_RANGES: usize = 8;

/// What a class with more ranges costs beside one with few.
const MANY_RANGES_COST: usize = 4;

/// The least that a class beyond ASCII and one range of it take in an automaton.
const LEAST_CLASS_BYTES: usize = 100;
const LEAST_RANGE_BYTES: usize = 8;

/// How far a match can go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reach {
    pub(super) lines: LineReach,
    /// The length of the longest match, if there is one.
    pub(super) bytes: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineReach {
    /// No match holds `\n`.
    One,
    Any,
}

impl Reach {
    pub(super) fn from_hir(tree: &Hir) -> Reach {
        let lines = if contains_newline(tree) { LineReach::Any } else { LineReach::One };
        Reach { lines, bytes: tree.properties().maximum_len() }
    }
}

/// Whether a match may hold `\n`. May say yes too often, never no.
fn contains_newline(tree: &Hir) -> bool {
    match tree.kind() {
        HirKind::Empty | HirKind::Look(_) => false,
        HirKind::Literal(literal) => literal.0.contains(&b'\n'),
        HirKind::Class(Class::Unicode(class)) => class.iter().any(|r| r.start() <= '\n' && '\n' <= r.end()),
        HirKind::Class(Class::Bytes(class)) => class.iter().any(|r| r.start() <= b'\n' && b'\n' <= r.end()),
        HirKind::Repetition(repetition) => contains_newline(&repetition.sub),
        HirKind::Capture(capture) => contains_newline(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(contains_newline),
    }
}

/// How many units of work the automaton takes for one byte at the most: about the states that it can be in at once.
///
/// A class is many states, but in a text of whole characters it is in one of them at a time. A literal can be begun as
/// often at once as it overlaps itself. What is repeated stands there as often as it may be.
pub(super) fn width(tree: &Hir) -> usize {
    match tree.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => overlaps(&literal.0),
        HirKind::Class(Class::Bytes(_)) => 1,
        HirKind::Class(Class::Unicode(class)) => {
            if class.ranges().len() <= FEW_RANGES {
                1
            } else {
                MANY_RANGES_COST
            }
        }
        HirKind::Repetition(repetition) => copies(repetition).saturating_mul(width(&repetition.sub).saturating_add(1)),
        HirKind::Capture(capture) => width(&capture.sub),
        HirKind::Concat(parts) => sum(parts, width),
        HirKind::Alternation(parts) => sum(parts, width).saturating_add(parts.len()),
    }
}

/// About how much the classes beyond ASCII take in the automaton: what compiling takes long for. Never more than they do.
pub(super) fn class_bytes(tree: &Hir) -> usize {
    match tree.kind() {
        HirKind::Empty | HirKind::Look(_) | HirKind::Literal(_) | HirKind::Class(Class::Bytes(_)) => 0,
        HirKind::Class(Class::Unicode(class)) if class.is_ascii() => 0,
        HirKind::Class(Class::Unicode(class)) => LEAST_CLASS_BYTES + class.ranges().len() * LEAST_RANGE_BYTES,
        HirKind::Repetition(repetition) => copies(repetition).saturating_mul(class_bytes(&repetition.sub)),
        HirKind::Capture(capture) => class_bytes(&capture.sub),
        HirKind::Concat(parts) => sum(parts, class_bytes),
        // Alternatives may share states.
        HirKind::Alternation(parts) => parts.iter().map(class_bytes).max().unwrap_or(0),
    }
}

fn sum(parts: &[Hir], of: impl Fn(&Hir) -> usize) -> usize {
    parts.iter().map(of).fold(0, usize::saturating_add)
}

/// How often the repeated part stands in the automaton.
fn copies(repetition: &Repetition) -> usize {
    repetition.max.unwrap_or(repetition.min.max(1)) as usize
}

/// How many beginnings of a literal a text can end with at once: the longest chain of Knuth, Morris and Pratt's table.
fn overlaps(literal: &[u8]) -> usize {
    let mut longest_shorter = vec![0; literal.len()];
    let mut chain = vec![1; literal.len()];
    let mut length = 0;
    for at in 1..literal.len() {
        while length > 0 && literal[at] != literal[length] {
            length = longest_shorter[length - 1];
        }
        if literal[at] == literal[length] {
            length += 1;
            chain[at] = chain[length - 1] + 1;
        }
        longest_shorter[at] = length;
    }
    chain.into_iter().max().unwrap_or(1)
}
