//! The outline of a module: its functions and classes, with their nesting and their lines.

use std::panic::{self, AssertUnwindSafe};

use interline_edit::{OutlineEntry, OutlineKind};
use memchr::{memchr_iter, memrchr2};
use ruff_python_ast::statement_visitor::{StatementVisitor, walk_stmt};
use ruff_python_ast::token::TokenKind;
use ruff_python_ast::{Decorator, Identifier, Stmt};
use ruff_text_size::Ranged;

use crate::check::parse_chunk;
use crate::error::{CodeError, Problem};
use crate::lexer::{Chunk, Chunks};
use crate::stack::LargeStack;
use crate::unclosed::lex_module;

/// The functions and classes of a module, at any nesting, in the order of the text.
///
/// An entry begins with its first decorator. It ends with the last line of its body; a comment after that belongs to the
/// innermost definition that it is indented deeper than.
///
/// A text that is not Python by its grammar has no outline, but the error that [`check`](crate::check) has; whether names,
/// `return` and `await` are where they may be is not asked. The limits are those of the check too: the time is linear in
/// the text, whatever it is.
pub fn outline(source: &str, _: &impl LargeStack) -> Result<Vec<OutlineEntry>, CodeError> {
    // The parser is not ours, and no text may end more than its own request.
    let failed = |_| Err(Problem::new(0, "the parser failed on this code"));
    let outlined = panic::catch_unwind(AssertUnwindSafe(|| outline_module(source))).unwrap_or_else(failed);
    outlined.map_err(|problem| CodeError::new(source, problem))
}

fn outline_module(source: &str) -> Result<Vec<OutlineEntry>, Problem> {
    let chunks = lex_module(source)?.chunks;
    // Which of several problems is the first depends on the whole.
    outline_chunks(&chunks).or_else(|_| outline_chunks(&Chunks::uncut(source)))
}

fn outline_chunks(chunks: &Chunks<'_>) -> Result<Vec<OutlineEntry>, Problem> {
    let (mut entries, mut lines_before) = (Vec::new(), 0);
    for index in 0..chunks.len() {
        lines_before += outline_chunk(chunks.chunk(index), lines_before, &mut entries)?;
    }
    Ok(entries)
}

/// Adds the definitions of a chunk; how many lines it has.
fn outline_chunk(chunk: Chunk<'_>, lines_before: usize, entries: &mut Vec<OutlineEntry>) -> Result<usize, Problem> {
    let parsed = parse_chunk(chunk)?;
    let newlines: Vec<usize> = memchr_iter(b'\n', chunk.text.as_bytes()).collect();
    let line_of = |offset: usize| lines_before + newlines.partition_point(|newline| *newline < offset) + 1;
    let mut collector = DefinitionCollector { text: chunk.text, depth: 0, definitions: Vec::new() };
    collector.visit_body(&parsed.syntax().body);

    let mut definitions = collector.definitions.into_iter().peekable();
    let mut open: Vec<OpenDefinition> = Vec::new();
    for token in parsed.tokens() {
        let start = token.start().to_usize();
        match token.kind() {
            TokenKind::Comment => {
                let Some(column) = indentation(chunk.text, start) else { continue };
                let deeper = open.partition_point(|definition| definition.indent < column);
                if let Some(innermost) = deeper.checked_sub(1) {
                    open[innermost].last_line = open[innermost].last_line.max(line_of(start));
                }
            }
            TokenKind::Newline
            | TokenKind::NonLogicalNewline
            | TokenKind::Indent
            | TokenKind::Dedent
            | TokenKind::EndOfFile => {}
            _ => {
                while let Some(closed) = open.pop_if(|definition| definition.end <= start) {
                    close(&closed, &mut open, entries);
                }
                while let Some(Definition { mut entry, start, end }) = definitions.next_if(|next| next.start <= start) {
                    (entry.first_line, entry.last_line) = (line_of(start), line_of(end));
                    let indent = indentation(chunk.text, start).unwrap_or(0);
                    open.push(OpenDefinition { entry: entries.len(), indent, end, last_line: entry.last_line });
                    entries.push(entry);
                }
            }
        }
    }
    while let Some(closed) = open.pop() {
        close(&closed, &mut open, entries);
    }
    Ok(newlines.len())
}

/// A definition that code or comments may still belong to.
struct OpenDefinition {
    /// Its index among the entries.
    entry: usize,
    /// The column of its first decorator, or of its `def` or `class`.
    indent: usize,
    /// Where its body ends, in bytes of the chunk.
    end: usize,
    last_line: usize,
}

/// Ends a definition; what belongs to it belongs to the one around it too.
fn close(closed: &OpenDefinition, open: &mut [OpenDefinition], entries: &mut [OutlineEntry]) {
    entries[closed.entry].last_line = closed.last_line;
    if let Some(around) = open.last_mut() {
        around.last_line = around.last_line.max(closed.last_line);
    }
}

/// The column of an offset that only blanks stand before on its line; `None` if something else does.
fn indentation(text: &str, offset: usize) -> Option<usize> {
    let before = text.as_bytes().get(..offset)?;
    let blanks = &before[memrchr2(b'\n', b'\r', before).map_or(0, |newline| newline + 1)..];
    let blanks = blanks.strip_prefix("\u{feff}".as_bytes()).unwrap_or(blanks);
    blanks.iter().try_fold(0, |column, byte| match byte {
        b' ' => Some(column + 1),
        b'\t' => Some((column / 8 + 1) * 8),
        b'\x0c' => Some(0),
        _ => None,
    })
}

/// A function or class, whose lines are still to be counted.
struct Definition {
    entry: OutlineEntry,
    start: usize,
    end: usize,
}

/// A visitor that collects definitions, in the order of the text. It looks at statements only, whose nesting the lexer
/// bounds.
struct DefinitionCollector<'s> {
    text: &'s str,
    depth: usize,
    definitions: Vec<Definition>,
}

impl DefinitionCollector<'_> {
    fn add(&mut self, kind: OutlineKind, name: &Identifier, decorators: &[Decorator], stmt: &Stmt) {
        let start = decorators.first().map_or(stmt.start(), |decorator| decorator.start().min(stmt.start()));
        // As it is written: the tree has it normalized.
        let title = self.text[name.range()].to_owned();
        let entry = OutlineEntry { kind, title, depth: self.depth + 1, first_line: 0, last_line: 0 };
        self.definitions.push(Definition { entry, start: start.to_usize(), end: stmt.end().to_usize() });
    }
}

impl<'t> StatementVisitor<'t> for DefinitionCollector<'_> {
    fn visit_stmt(&mut self, stmt: &'t Stmt) {
        match stmt {
            Stmt::FunctionDef(def) => self.add(OutlineKind::Function, &def.name, &def.decorator_list, stmt),
            Stmt::ClassDef(class) => self.add(OutlineKind::Class, &class.name, &class.decorator_list, stmt),
            _ => return walk_stmt(self, stmt),
        }
        self.depth += 1;
        walk_stmt(self, stmt);
        self.depth -= 1;
    }
}
