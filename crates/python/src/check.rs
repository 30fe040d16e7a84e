//! The check of a module, chunk by chunk, by two threads where it is long: each takes the next chunk that is not taken.

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};

use ruff_python_ast::{Mod, ModModule, PythonVersion};
use ruff_python_parser::{Mode, ParseError, ParseErrorType, ParseOptions, Parsed, parse_unchecked};
use ruff_text_size::TextSize;

use crate::error::{CodeError, Problem};
use crate::function::Function;
use crate::lexer::{Chunk, Chunks, LexedModule, ScopeMarkers};
use crate::missing_comma::expression_before;
use crate::sdk::SdkName;
use crate::stack::LargeStack;
use crate::unclosed::{lex_module, next_token};
use crate::walk::{ChunkPosition, WalkedChunk, walk};

/// With so many chunks, another thread is worth its while.
const MANY_CHUNKS: usize = 4;

/// How much is stored about the functions of one file: it is read wherever the file is listed.
const MAX_STORED_BYTES: usize = 1024 * 1024;

/// A text that is Python.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckedModule {
    /// Functions with a workflow decorator, in the order of the text.
    pub functions: Vec<Function>,
}

/// Accepts Python and says what its workflow functions are. The time and memory that it takes are proportional to the
/// text's length, whatever it is.
pub fn check(source: &str, sdk: &SdkName, stack: &impl LargeStack) -> Result<CheckedModule, CodeError> {
    // The parser is not ours, and no text may end more than its own request.
    let failed = |_| Err(Problem::new(0, "the parser failed on this code"));
    let checked = panic::catch_unwind(AssertUnwindSafe(|| check_module(source, sdk, stack))).unwrap_or_else(failed);
    checked.map_err(|problem| CodeError::new(source, problem))
}

/// Accepts Python and says what its workflow functions are; otherwise, its first problem.
fn check_module(source: &str, sdk: &SdkName, stack: &impl LargeStack) -> Result<CheckedModule, Problem> {
    let LexedModule { markers, chunks } = lex_module(source)?;
    let mut check = ModuleCheck { markers, chunks, sdk };
    match check.walk_all(stack) {
        Ok(walked) if !walked.iter().any(|chunk| chunk.declares_for_module) => check.join(walked),
        // Which of several problems is the first, and what may be declared, depends on the whole.
        _ => {
            check.chunks = Chunks::uncut(source);
            check.join(check.walk_all(stack)?)
        }
    }
}

/// A module, cut into chunks, and what it is checked by.
struct ModuleCheck<'s> {
    markers: ScopeMarkers,
    chunks: Chunks<'s>,
    sdk: &'s SdkName,
}

impl ModuleCheck<'_> {
    /// What the walk finds in each chunk, or a problem.
    fn walk_all(&self, stack: &impl LargeStack) -> Result<Vec<WalkedChunk>, Problem> {
        let first = self.walk_chunk(0, ChunkPosition::First)?;
        let (next, position) = (AtomicUsize::new(1), ChunkPosition::After(first.annotations));
        let work = || self.walk_remaining(&next, position);
        let is_long = self.chunks.len() >= MANY_CHUNKS;
        let (mut later, beside) = if is_long { stack.on_two_threads(work) } else { (work(), None) };
        later.extend(beside.into_iter().flatten());
        later.sort_unstable_by_key(|(index, _)| *index);
        [Ok(first)].into_iter().chain(later.into_iter().map(|(_, walked)| walked)).collect()
    }

    /// Walks through chunks, one after the other, until no chunk is left to take.
    fn walk_remaining(
        &self,
        next: &AtomicUsize,
        position: ChunkPosition,
    ) -> Vec<(usize, Result<WalkedChunk, Problem>)> {
        let mut taken = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= self.chunks.len() {
                return taken;
            }
            let walked = self.walk_chunk(index, position);
            if walked.is_err() {
                // The others do not matter any more.
                next.store(self.chunks.len(), Ordering::Relaxed);
            }
            taken.push((index, walked));
        }
    }

    fn walk_chunk(&self, index: usize, position: ChunkPosition) -> Result<WalkedChunk, Problem> {
        let chunk = self.chunks.chunk(index);
        walk(chunk, parse_chunk(chunk)?.syntax(), position, &self.markers, self.sdk)
    }

    /// The functions of all chunks, with their lines in the whole text.
    fn join(&self, walked: Vec<WalkedChunk>) -> Result<CheckedModule, Problem> {
        let (mut functions, mut stored_bytes, mut lines) = (Vec::new(), 0, 0);
        for (index, walked) in walked.into_iter().enumerate() {
            for (offset, mut function) in walked.functions {
                stored_bytes += function.size();
                if stored_bytes > MAX_STORED_BYTES {
                    let message = "the workflow functions of a file say more than 1 MiB about themselves";
                    return Err(Problem::new(offset, message));
                }
                function.line += lines;
                functions.push(function);
            }
            lines += self.chunks.chunk(index).text.bytes().filter(|byte| *byte == b'\n').count();
        }
        Ok(CheckedModule { functions })
    }
}

pub(crate) fn parse_chunk(chunk: Chunk<'_>) -> Result<Parsed<ModModule>, Problem> {
    let options = ParseOptions::from(Mode::Module).with_target_version(PythonVersion::latest_preview());
    let parsed = parse_unchecked(chunk.text, options);
    let problem = |place: TextSize, message| Problem::new((chunk.start + place).to_usize(), message);
    if let Some(error) = parsed.errors().iter().min_by_key(|error| error.location.start()) {
        return Err(problem(place_of(error, &parsed, chunk.text), error.error.to_string()));
    }
    parsed.try_into_module().ok_or_else(|| problem(TextSize::new(0), "the text is not a module".to_owned()))
}

/// Where CPython reports an error.
fn place_of(error: &ParseError, parsed: &Parsed<Mod>, text: &str) -> TextSize {
    let start = error.location.start();
    match &error.error {
        // A block is missing where the next statement begins.
        ParseErrorType::OtherError(message) if message.starts_with("Expected an indented block") => {
            TextSize::of(&text[..next_token(text, start.to_usize())])
        }
        _ => expression_before(text, parsed, error).unwrap_or(start),
    }
}
