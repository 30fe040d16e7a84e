//! Inserting a text next to a passage that is named by its text, or as lines at an edge of the content.

use std::fmt;
use std::ops::Range;

use crate::edit::{Edit, Splice};
use crate::lines::{Line, ending_of_span, line_of, split_lines, strip_carriage_return, total_lines};
use crate::patch::{append_lines, prepend_lines};
use crate::replace::{
    FinalCarriageReturn, Level, LineEndings, MultipleMatches, NoMatch, NotOneMatch, OnlyMatch, Replace, find_one,
};

/// A request to insert a text.
#[derive(Clone, Copy, Debug)]
pub struct Insert<'a> {
    /// Where the text is inserted.
    pub position: InsertPosition<'a>,
    /// The text to insert.
    pub new_str: &'a str,
    /// The loosest level at which an anchor may be found; a looser one than [`Level::WhitespaceNormalized`] means that one.
    pub loosest: Level,
    /// What becomes of the line endings of `new_str` at an anchor. Whole lines always take those of the content.
    pub line_endings: LineEndings,
    /// How long the text may become.
    pub max_result_bytes: usize,
}

impl<'a> Insert<'a> {
    /// Both levels, literal line endings, at most 64 MiB.
    pub fn new(position: InsertPosition<'a>, new_str: &'a str) -> Insert<'a> {
        Insert {
            position,
            new_str,
            loosest: Level::WhitespaceNormalized,
            line_endings: LineEndings::Literal,
            max_result_bytes: 64 * 1024 * 1024,
        }
    }
}

/// Where a text is inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InsertPosition<'a> {
    /// Directly after this passage, wherever in a line it ends.
    After(&'a str),
    /// Directly before this passage, wherever in a line it begins.
    Before(&'a str),
    /// As whole lines before the first one.
    Start,
    /// As whole lines after the last one; an empty line after a final newline is none.
    End,
}

/// The result of an insertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Insertion {
    /// The change.
    pub edit: Edit,
    /// The level that found the anchor; `None` where the request has no anchor.
    pub level: Option<Level>,
    /// 1-based line of the new text where the first character of `new_str` lands.
    pub line: usize,
}

/// Why nothing was inserted.
#[derive(Clone, Debug, PartialEq)]
pub enum InsertError {
    /// The anchor is empty.
    EmptyAnchor,
    /// `new_str` is empty: there is nothing to insert.
    EmptyNewStr,
    /// The anchor (`old_str` in the fields of the error) was not found at any level that was allowed. The cause is never
    /// [`NoMatchCause::AlreadyApplied`](crate::NoMatchCause::AlreadyApplied): an insertion leaves its anchor where it is.
    NoMatch(Box<NoMatch>),
    /// The anchor was found several times.
    MultipleMatches(Box<MultipleMatches>),
    /// The text would become longer than the request allows.
    ResultTooLarge {
        /// How many bytes are allowed.
        max_result_bytes: usize,
    },
}

impl fmt::Display for InsertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InsertError::EmptyAnchor => f.write_str("the anchor is empty"),
            InsertError::EmptyNewStr => f.write_str("`new_str` is empty"),
            InsertError::NoMatch(none) => match &none.cause {
                Some(cause) => write!(f, "the anchor was not found: {cause}"),
                None => f.write_str("the anchor was not found"),
            },
            InsertError::MultipleMatches(many) => {
                write!(f, "the anchor is in {} places where 1 was expected", many.total)
            }
            InsertError::ResultTooLarge { max_result_bytes } => {
                write!(f, "the text would become longer than {max_result_bytes} bytes")
            }
        }
    }
}

impl std::error::Error for InsertError {}

impl From<NotOneMatch> for InsertError {
    fn from(error: NotOneMatch) -> InsertError {
        match error {
            NotOneMatch::NoMatch(none) => InsertError::NoMatch(none),
            NotOneMatch::MultipleMatches(several) => InsertError::MultipleMatches(several),
        }
    }
}

/// Finds the position and makes the edit that inserts `new_str` there.
///
/// An anchor is found and counted as [`replace()`](crate::replace()) finds `old_str`, and must have one match. `new_str` goes
/// in as it is, without a line ending before or after it; under [`LineEndings::Match`] its line endings (only) become
/// those of the anchor. An anchor that ends between `\r` and `\n` is a line as it is read: `new_str` goes before that ending,
/// which stays whole, and one final `\r` of `new_str` is that of the ending.
///
/// At the start and the end `new_str` is read as lines, as in a line patch: one trailing newline is not an extra line, and
/// every line ending becomes that of the content's first line at the start, of its last ended line at the end. A final
/// newline is neither added to the content nor lost. An empty content has no ending to go by: it becomes `new_str` as it
/// is, and so does a content that is not there yet if the caller passes `""` for it.
pub fn insert(content: &str, request: &Insert<'_>) -> Result<Insertion, InsertError> {
    if let InsertPosition::After("") | InsertPosition::Before("") = request.position {
        return Err(InsertError::EmptyAnchor);
    }
    if request.new_str.is_empty() {
        return Err(InsertError::EmptyNewStr);
    }
    let (level, splice) = match request.position {
        InsertPosition::After(anchor) => {
            let found = find_anchor(content, request, anchor)?;
            let end = found.span.end;
            (Some(found.level), Splice { range: end..end, text: text_after(content, request, &found) })
        }
        InsertPosition::Before(anchor) => {
            let OnlyMatch { level, span, .. } = find_anchor(content, request, anchor)?;
            let text = text_at(content, request.line_endings, request.new_str, &span);
            (Some(level), Splice { range: span.start..span.start, text })
        }
        InsertPosition::Start | InsertPosition::End if content.is_empty() => {
            (None, Splice { range: 0..0, text: request.new_str.to_owned() })
        }
        InsertPosition::Start => (None, prepend_lines(content, request.new_str)),
        InsertPosition::End => (None, append_lines(content, request.new_str)),
    };
    if splice.text.is_empty() {
        // It was the `\r` of the ending before which it goes.
        return Err(InsertError::EmptyNewStr);
    }
    if content.len().saturating_add(splice.text.len()) > request.max_result_bytes {
        return Err(InsertError::ResultTooLarge { max_result_bytes: request.max_result_bytes });
    }
    let line = match request.position {
        // The last line has to be ended first.
        InsertPosition::End if !content.is_empty() && !content.ends_with('\n') => total_lines(content) + 1,
        _ => line_of(content, splice.range.start),
    };
    Ok(Insertion { edit: Edit::minimal(content, vec![splice]), level, line })
}

/// The only match of the anchor.
fn find_anchor(content: &str, request: &Insert<'_>, anchor: &str) -> Result<OnlyMatch, NotOneMatch> {
    let anchor_request = Replace {
        loosest: request.loosest.min(Level::WhitespaceNormalized),
        line_endings: request.line_endings,
        ..Replace::new(anchor, "")
    };
    find_one(content, &anchor_request)
}

/// `new_str` as it is written after the anchor. After a line as it is read, whose final `\r` is that of the line's ending, it
/// goes before that ending: its own final `\r` is that of the ending too, and a newline that it begins with ends the line as
/// the ending does.
fn text_after(content: &str, request: &Insert<'_>, anchor: &OnlyMatch) -> String {
    let new = request.new_str;
    match anchor.final_carriage_return {
        FinalCarriageReturn::Text => text_at(content, request.line_endings, new, &anchor.span),
        FinalCarriageReturn::OfLineEnding => {
            let ends_with_crlf = Line::containing(content, anchor.span.end).ending(content) == "\r\n";
            let carriage_return = if ends_with_crlf && new.starts_with('\n') { "\r" } else { "" };
            let new = carriage_return.to_owned() + strip_carriage_return(new);
            text_at(content, request.line_endings, &new, &anchor.span)
        }
    }
}

/// The text as it is written next to the anchor.
fn text_at(content: &str, line_endings: LineEndings, new: &str, anchor: &Range<usize>) -> String {
    match line_endings {
        LineEndings::Literal => new.to_owned(),
        LineEndings::Match => split_lines(new).join(ending_of_span(content, anchor)),
    }
}
