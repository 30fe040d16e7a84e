//! A bracket that is never closed: which problem of the text is told, and where.

use ruff_text_size::TextSize;

use crate::check::parse_chunk;
use crate::error::Problem;
use crate::lexer::{Chunk, LexError, LexedModule, UnclosedBracket, lex};

/// A logical line of more bytes is not parsed to see where a parser gives up in it.
const MAX_LINE_BYTES: usize = 64 * 1024;

/// What the lexer knows of a text, or the problem that CPython would tell.
pub(crate) fn lex_module(source: &str) -> Result<LexedModule<'_>, Problem> {
    lex(source).map_err(|error| match error {
        LexError::Problem(problem) => problem,
        LexError::Unclosed(bracket) => first_problem(source, bracket),
    })
}

/// CPython tells of the bracket unless the parser gives up on its line or before it: then what it gave up at is told.
fn first_problem(source: &str, unclosed: UnclosedBracket) -> Problem {
    let UnclosedBracket { bracket, deferred } = unclosed;
    let line = &source[bracket.problem.offset..];
    let line_end = bracket.problem.offset + line.find('\n').unwrap_or(line.len());
    let (end, told) = match deferred.filter(|deferred| deferred.problem.offset < line_end) {
        Some(deferred) => (deferred.problem.offset, deferred),
        None => (line_end, bracket),
    };
    if end - told.line_start > MAX_LINE_BYTES {
        return told.problem;
    }
    let text = &source[..end];
    match parse_chunk(Chunk { text, start: TextSize::new(0) }) {
        Err(earlier) if earlier.offset < told.line_start => earlier,
        Err(earlier) => {
            let offset = next_token(text, earlier.offset);
            // What is wrong at the end is that the text ends.
            if offset < end { Problem { offset, ..earlier } } else { told.problem }
        }
        Ok(_) => told.problem,
    }
}

/// Where the next token begins, at an offset or after it; line ends and comments are none.
pub(crate) fn next_token(text: &str, offset: usize) -> usize {
    let mut rest = text.get(offset..).unwrap_or_default();
    loop {
        rest = rest.trim_start();
        match rest.strip_prefix('#') {
            Some(comment) => rest = comment.find('\n').map_or("", |end| &comment[end..]),
            None => return text.len() - rest.len(),
        }
    }
}
