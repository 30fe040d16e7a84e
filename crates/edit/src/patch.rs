//! Patching lines by number: replaces, inserts and removes line ranges, all or none.

use std::fmt;
use std::ops::Range;

use crate::edit::{Edit, Splice};
use crate::excerpt::bounded_excerpt;
use crate::lines::{Line, LineCount, ending_of_span, skip_lines, split_lines, strip_carriage_return, total_lines};

/// Replaces lines `start_line..=end_line` by `content`, or inserts it before `start_line` when that is `end_line + 1`.
///
/// Numbers are 1-based and refer to the text before the patch.
#[derive(Clone, Copy, Debug)]
pub struct LineOperation<'a> {
    /// First line.
    pub start_line: usize,
    /// Last line, inclusive.
    pub end_line: usize,
    /// The new lines; one trailing newline is not an extra line, nor is a final `\r` where lines end with `\r\n`; `""` removes.
    pub content: &'a str,
    /// The lines as the caller believes them to be now; compared as lines, one trailing newline aside.
    pub expect: Option<&'a str>,
}

/// Why no operation was applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatchError {
    /// The list is empty.
    NoOperations,
    /// Operations that no content of this size could take, every one of them, by index.
    Invalid(Vec<InvalidOperation>),
    /// Operations whose `expect` differs from the present lines, every one of them, by index.
    Stale(Vec<StaleOperation>),
}

impl fmt::Display for PatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PatchError::NoOperations => f.write_str("there are no operations"),
            PatchError::Invalid(operations) => write!(f, "{} operations cannot be applied", operations.len()),
            PatchError::Stale(operations) => {
                write!(f, "the lines of {} operations are not what `expect` says", operations.len())
            }
        }
    }
}

impl std::error::Error for PatchError {}

/// An operation that cannot be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidOperation {
    /// 0-based index in the list.
    pub index: usize,
    /// What is wrong with it; the first thing found.
    pub problem: OperationProblem,
}

/// What is wrong with an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationProblem {
    /// A line number lies outside the text.
    OutOfRange {
        /// Number of lines of the text.
        total_lines: usize,
    },
    /// `start_line` is more than one past `end_line`.
    StartAfterEnd,
    /// An insertion without text.
    EmptyInsertion,
    /// An insertion has no present text to compare `expect` with.
    ExpectOnInsertion,
    /// It touches what another operation replaces, or inserts at the same point.
    Overlaps {
        /// 0-based index of the other operation.
        other: usize,
    },
}

impl fmt::Display for OperationProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OperationProblem::OutOfRange { total_lines } => {
                write!(f, "out of range: the text has {}", LineCount(*total_lines))
            }
            OperationProblem::StartAfterEnd => {
                f.write_str("`start_line` is after `end_line`; to insert before line n give n and n - 1")
            }
            OperationProblem::EmptyInsertion => f.write_str("an insertion needs text"),
            OperationProblem::ExpectOnInsertion => f.write_str("an insertion has no present text to `expect`"),
            OperationProblem::Overlaps { other } => write!(f, "overlaps with operation {other}"),
        }
    }
}

/// An operation whose `expect` differs from the present lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaleOperation {
    /// 0-based index in the list.
    pub index: usize,
    /// The text that the lines have now, long lines and long texts cut; `None` where there are too many to show all.
    pub present: Option<String>,
}

/// Applies all operations or none. New lines take the line ending at their position, the last one that of the last line it replaces.
///
/// Everything is validated before anything is applied, and every bad operation is reported; one that no text of this
/// size could take wins over one whose `expect` is stale.
pub fn patch_lines(content: &str, operations: &[LineOperation<'_>]) -> Result<Edit, PatchError> {
    if operations.is_empty() {
        return Err(PatchError::NoOperations);
    }
    let text = CountedText { content, total_lines: total_lines(content) };
    let mut invalid = Vec::new();
    let mut ranges = Vec::with_capacity(operations.len());
    for (index, operation) in operations.iter().enumerate() {
        match OperationRange::from_operation(operation, &text) {
            Ok(range) => ranges.push((index, range)),
            Err(problem) => invalid.push(InvalidOperation { index, problem }),
        }
    }
    ranges.sort_by_key(|(_, range)| range.order());
    invalid.extend(overlaps(&ranges));
    if !invalid.is_empty() {
        invalid.sort_by_key(|operation| operation.index);
        return Err(PatchError::Invalid(invalid));
    }
    let steps = locate(&text, operations, &ranges);
    check_expectations(content, &steps)?;
    Ok(Edit::minimal(content, splices(&text, &steps)))
}

/// The splice that inserts lines before the first one; neither text is empty.
pub(crate) fn prepend_lines(content: &str, lines: &str) -> Splice {
    insertion(content, lines, OperationRange::Before(1), 0)
}

/// The splice that inserts lines after the last one, or before an empty last one; neither text is empty.
pub(crate) fn append_lines(content: &str, lines: &str) -> Splice {
    let after_last = total_lines(content) + usize::from(!content.ends_with('\n'));
    insertion(content, lines, OperationRange::Before(after_last), content.len())
}

fn insertion(content: &str, lines: &str, range: OperationRange, at: usize) -> Splice {
    let text = CountedText { content, total_lines: total_lines(content) };
    let step = LocatedOperation { index: 0, range, span: at..at, end: at, content: lines, expect: None };
    splice(&text, &step, 1)
}

/// A text whose lines were counted.
struct CountedText<'t> {
    content: &'t str,
    total_lines: usize,
}

impl CountedText<'_> {
    /// Whether its last line is empty.
    fn ends_empty(&self) -> bool {
        self.content.is_empty() || self.content.ends_with('\n')
    }
}

/// The lines that an operation replaces, or the point where it inserts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OperationRange {
    /// Lines, both inclusive.
    Lines { first: usize, last: usize },
    /// The point before a line; one past the last line is the end of a text that does not end empty.
    Before(usize),
}

impl OperationRange {
    fn from_operation(
        operation: &LineOperation<'_>,
        text: &CountedText<'_>,
    ) -> Result<OperationRange, OperationProblem> {
        let LineOperation { start_line, end_line, content, expect } = *operation;
        let total_lines = text.total_lines;
        let out_of_range = OperationProblem::OutOfRange { total_lines };
        match end_line.checked_add(1) {
            Some(after) if start_line > after => Err(OperationProblem::StartAfterEnd),
            Some(_) | None if end_line > total_lines || start_line == 0 => Err(out_of_range),
            Some(after) if start_line < after => Ok(OperationRange::Lines { first: start_line, last: end_line }),
            _ if content.is_empty() => Err(OperationProblem::EmptyInsertion),
            _ if expect.is_some() => Err(OperationProblem::ExpectOnInsertion),
            // Before and after an empty last line are the same point.
            _ if text.ends_empty() => Ok(OperationRange::Before(start_line.min(total_lines))),
            _ => Ok(OperationRange::Before(start_line)),
        }
    }

    /// The sort key: by line; an insertion comes before the lines that start there.
    fn order(&self) -> (usize, usize) {
        match self {
            OperationRange::Before(line) => (*line, 0),
            OperationRange::Lines { first, .. } => (*first, 1),
        }
    }
}

/// Both operations of every overlap, each once. The ranges are sorted.
fn overlaps(ranges: &[(usize, OperationRange)]) -> Vec<InvalidOperation> {
    let mut pairs = Vec::new();
    // The replacement that reaches furthest, and the last insertion: (index, line).
    let mut furthest: Option<(usize, usize)> = None;
    let mut inserted: Option<(usize, usize)> = None;
    for (index, range) in ranges {
        let other = match *range {
            OperationRange::Before(line) => {
                let same_point = inserted.filter(|(_, at)| *at == line);
                inserted = Some((*index, line));
                same_point.or(furthest.filter(|(_, reached)| line <= *reached))
            }
            OperationRange::Lines { first, last } => {
                let shared = furthest.filter(|(_, reached)| first <= *reached);
                if furthest.is_none_or(|(_, reached)| last > reached) {
                    furthest = Some((*index, last));
                }
                shared
            }
        };
        if let Some((other, _)) = other {
            pairs.extend([(*index, other), (other, *index)]);
        }
    }
    pairs.sort_unstable();
    pairs.dedup_by_key(|(index, _)| *index);
    let invalid = |(index, other)| InvalidOperation { index, problem: OperationProblem::Overlaps { other } };
    pairs.into_iter().map(invalid).collect()
}

/// A valid operation and where it applies, in the order of the text.
struct LocatedOperation<'a> {
    index: usize,
    range: OperationRange,
    /// From the start of the first line to the end of the text of the last; empty for an insertion.
    span: Range<usize>,
    /// Where the ending of the last line ends.
    end: usize,
    content: &'a str,
    expect: Option<&'a str>,
}

impl LocatedOperation<'_> {
    fn removes(&self) -> bool {
        self.content.is_empty()
    }

    /// The new lines; where `\r\n` follows them, a final `\r` is that of the ending.
    fn new_lines(&self, text: &str) -> Vec<&str> {
        let following = match self.range {
            OperationRange::Lines { .. } => &text[self.span.end..self.end],
            OperationRange::Before(_) => ending_of_span(text, &self.span),
        };
        match self.content.strip_suffix('\r') {
            Some(as_read) if following == "\r\n" => split_lines(as_read),
            _ => split_lines(strip_newline(self.content)),
        }
    }
}

/// The text without one trailing newline.
fn strip_newline(text: &str) -> &str {
    text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n')).unwrap_or(text)
}

/// Whether two texts have the same lines, whatever their endings.
fn same_lines(a: &str, b: &str) -> bool {
    fn lines(text: &str) -> impl Iterator<Item = &str> {
        let last = text.rfind('\n').map_or(0, |newline| newline + 1);
        text[..last].split_terminator('\n').map(strip_carriage_return).chain([&text[last..]])
    }
    lines(a).eq(lines(b))
}

/// Finds the bytes of all ranges in one pass.
fn locate<'a>(
    text: &CountedText<'_>,
    operations: &[LineOperation<'a>],
    ranges: &[(usize, OperationRange)],
) -> Vec<LocatedOperation<'a>> {
    let content = text.content;
    let (mut line, mut offset) = (1, 0);
    let mut go_to = |range: usize| {
        offset = skip_lines(content, offset, range - line).unwrap_or(content.len());
        line = range;
        offset
    };
    let steps = ranges.iter().map(|(index, range)| {
        let LineOperation { content: new, expect, .. } = operations[*index];
        let (span, end) = match *range {
            OperationRange::Before(line) => {
                let at = go_to(line);
                (at..at, at)
            }
            OperationRange::Lines { first, last } => {
                let start = go_to(first);
                let last = Line::at(content, go_to(last));
                (start..last.text_end, last.end)
            }
        };
        LocatedOperation { index: *index, range: *range, span, end, content: new, expect }
    });
    steps.collect()
}

/// Compares every `expect` with the present lines.
fn check_expectations(content: &str, steps: &[LocatedOperation<'_>]) -> Result<(), PatchError> {
    /// Bytes that all present texts together may take.
    const MAX_PRESENT_BYTES: usize = 32 * 1024;
    let is_stale = |step: &&LocatedOperation<'_>| {
        step.expect.is_some_and(|expect| {
            // Reading the lines of a range gives the carriage return of its last ending too.
            let ending = &content[step.span.end..step.end];
            let bare = if ending == "\r\n" { strip_carriage_return(expect) } else { expect };
            let present = &content[step.span.clone()];
            [expect, strip_newline(expect), bare].into_iter().all(|expect| !same_lines(expect, present))
        })
    };
    let stale: Vec<&LocatedOperation<'_>> = steps.iter().filter(is_stale).collect();
    if stale.is_empty() {
        return Ok(());
    }
    let share = MAX_PRESENT_BYTES / stale.len();
    let mut left = MAX_PRESENT_BYTES;
    let mut stale: Vec<StaleOperation> = stale
        .into_iter()
        .map(|step| {
            let present = (left > 0).then(|| bounded_excerpt(content, &step.span, 0, share));
            left = left.saturating_sub(present.as_ref().map_or(0, String::len));
            StaleOperation { index: step.index, present }
        })
        .collect();
    stale.sort_by_key(|operation| operation.index);
    Err(PatchError::Stale(stale))
}

fn splices(text: &CountedText<'_>, steps: &[LocatedOperation<'_>]) -> Vec<Splice> {
    let tail = steps.len() - tail_length(text, steps);
    let mut splices: Vec<Splice> = steps[..tail].iter().map(|step| splice(text, step, steps.len())).collect();
    splices.extend(tail_splice(text.content, &steps[tail..]));
    splices
}

fn splice(text: &CountedText<'_>, step: &LocatedOperation<'_>, steps: usize) -> Splice {
    let content = text.content;
    let ending = ending_of_span(content, &step.span);
    let range = step.span.clone();
    let mut new = step.new_lines(content).join(ending);
    match step.range {
        OperationRange::Lines { .. } if step.removes() => Splice { range: range.start..step.end, text: String::new() },
        OperationRange::Lines { .. } => Splice { range, text: new },
        // The empty text has no line to stand before, unless another operation makes one.
        OperationRange::Before(_) if content.is_empty() && steps == 1 => Splice { range, text: new },
        OperationRange::Before(line) if line > text.total_lines => Splice { range, text: ending.to_owned() + &new },
        OperationRange::Before(_) => {
            new.push_str(ending);
            Splice { range, text: new }
        }
    }
}

/// How many of the last steps remove the end of the text or insert there, if its last line goes.
fn tail_length(text: &CountedText<'_>, steps: &[LocatedOperation<'_>]) -> usize {
    let mut first_gone = text.total_lines + 1;
    let mut length = 0;
    let mut removes = false;
    for step in steps.iter().rev() {
        match step.range {
            OperationRange::Lines { first, last } if step.removes() && last + 1 == first_gone => {
                first_gone = first;
                removes = true;
            }
            OperationRange::Before(line) if line == first_gone => {}
            OperationRange::Lines { .. } | OperationRange::Before(_) => break,
        }
        length += 1;
    }
    if removes { length } else { 0 }
}

/// Removing up to the last line removes the ending before it too; lines that are inserted there take its place.
fn tail_splice(content: &str, tail: &[LocatedOperation<'_>]) -> Option<Splice> {
    let start = tail.first()?.span.start;
    let mut insertions = tail.iter().filter(|step| !step.removes()).peekable();
    if insertions.peek().is_none() {
        let start = Line::before(content, start).map_or(0, |line| line.text_end);
        return Some(Splice { range: start..content.len(), text: String::new() });
    }
    let mut text = String::new();
    let mut ending_before = "";
    for step in insertions {
        let ending = ending_of_span(content, &step.span);
        for line in step.new_lines(content) {
            text.push_str(ending_before);
            text.push_str(line);
            ending_before = ending;
        }
    }
    Some(Splice { range: start..content.len(), text })
}
