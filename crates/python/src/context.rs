//! The context of a walk through the syntax tree: the scopes and blocks around a node, as the parser's semantic checks ask
//! for them.

use std::cell::RefCell;

use ruff_python_ast::PythonVersion;
use ruff_python_ast::name::Name;
use ruff_python_parser::semantic_errors::{LazyImportContext, SemanticSyntaxContext, SemanticSyntaxError};
use ruff_text_size::{TextLen, TextRange, TextSize};

use crate::blocks::Blocks;
use crate::error::Problem;
use crate::lexer::{Chunk, ScopeMarkers};
use crate::scopes::{Scope, ScopeKind, SymbolTable};

/// The scopes around a node, and the first problem so far.
pub(crate) struct Context<'s> {
    /// The chunk that is walked through; offsets in its tree are counted from its start.
    pub(crate) chunk: Chunk<'s>,
    markers: &'s ScopeMarkers,
    /// The innermost last; the module always is the first.
    scopes: Vec<ScopeFrame>,
    /// Whether annotations are kept as text, by `from __future__ import annotations`.
    pub(crate) annotations: Annotations,
    problem: RefCell<Option<Problem>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Annotations {
    Evaluated,
    KeptAsText,
}

/// A scope on the stack of scopes.
struct ScopeFrame {
    scope: Scope,
    blocks: Blocks,
    /// Inside how many `try` statements of the scope.
    tries: usize,
}

impl<'s> Context<'s> {
    pub(crate) fn new(chunk: Chunk<'s>, markers: &'s ScopeMarkers) -> Context<'s> {
        let mut context = Context {
            chunk,
            markers,
            scopes: Vec::new(),
            annotations: Annotations::Evaluated,
            problem: RefCell::new(None),
        };
        context.enter(ScopeKind::Module, TextRange::up_to(chunk.text.text_len()));
        context
    }

    /// Enters a scope within this range.
    pub(crate) fn enter(&mut self, kind: ScopeKind, range: TextRange) {
        let table =
            if self.markers.any_in(range + self.chunk.start) { SymbolTable::Recorded } else { SymbolTable::Needless };
        let scope = Scope::new(kind, table, self.scopes.last().map(|frame| &frame.scope));
        self.scopes.push(ScopeFrame { scope, blocks: Blocks::default(), tries: 0 });
    }

    /// Enters the scope of a class.
    pub(crate) fn enter_class(&mut self, name: &Name, range: TextRange) {
        self.enter(ScopeKind::Class, range);
        self.scope(|scope| scope.name_class(name));
    }

    /// Leaves the innermost scope; whether something in it awaits.
    pub(crate) fn leave(&mut self) -> bool {
        let Some(ScopeFrame { scope, .. }) = self.scopes.pop() else { return false };
        let awaits = scope.awaits;
        let ended = scope.end(self.scopes.last_mut().map(|frame| &mut frame.scope));
        self.note(ended);
        awaits
    }

    /// Leaves the module; the first problem of the whole walk, or what annotations are in it.
    pub(crate) fn finish(mut self) -> Result<Annotations, Problem> {
        self.leave();
        self.problem.into_inner().map_or(Ok(self.annotations), Err)
    }

    pub(crate) fn kind(&self) -> ScopeKind {
        self.scopes.last().map_or(ScopeKind::Module, |frame| frame.scope.kind)
    }

    /// Runs `work` on the innermost scope.
    pub(crate) fn scope<T: Default>(&mut self, work: impl FnOnce(&mut Scope) -> T) -> T {
        self.scopes.last_mut().map(|frame| work(&mut frame.scope)).unwrap_or_default()
    }

    /// The scopes, from the innermost out.
    pub(crate) fn scopes_outwards(&mut self) -> impl Iterator<Item = &mut Scope> {
        self.scopes.iter_mut().rev().map(|frame| &mut frame.scope)
    }

    /// The blocks around this node in its function.
    pub(crate) fn blocks(&self) -> Option<&Blocks> {
        self.scopes.last().map(|frame| &frame.blocks)
    }

    pub(crate) fn blocks_mut(&mut self) -> Option<&mut Blocks> {
        self.scopes.last_mut().map(|frame| &mut frame.blocks)
    }

    pub(crate) fn enter_try(&mut self) {
        if let Some(frame) = self.scopes.last_mut() {
            frame.tries += 1;
        }
    }

    pub(crate) fn leave_try(&mut self) {
        if let Some(frame) = self.scopes.last_mut() {
            frame.tries -= 1;
        }
    }

    pub(crate) fn note(&self, result: Result<(), Problem>) {
        let Err(problem) = result else { return };
        let mut first = self.problem.borrow_mut();
        if first.as_ref().is_none_or(|first| problem.offset < first.offset) {
            *first = Some(problem);
        }
    }

    /// The offset in the whole text of an offset in the tree.
    pub(crate) fn offset(&self, in_chunk: TextSize) -> usize {
        (self.chunk.start + in_chunk).to_usize()
    }

    pub(crate) fn refuse(&self, start: TextSize, message: impl Into<String>) {
        self.note(Err(Problem::new(self.offset(start), message)));
    }
}

/// The checks that need to know more than a statement or a name are in [`super::walk`]; this answers the others.
impl SemanticSyntaxContext for Context<'_> {
    fn future_annotations_or_stub(&self) -> bool {
        self.annotations == Annotations::KeptAsText
    }

    fn lazy_import_context(&self) -> Option<LazyImportContext> {
        match self.kind() {
            ScopeKind::Class => Some(LazyImportContext::Class),
            ScopeKind::Module => {
                let tries = self.scopes.last().map_or(0, |frame| frame.tries);
                (tries > 0).then_some(LazyImportContext::TryExceptBlocks)
            }
            _ => Some(LazyImportContext::Function),
        }
    }

    /// The newest version whose rules refuse nothing that an older one accepts: since 3.14 some expressions are refused
    /// in annotations.
    fn python_version(&self) -> PythonVersion {
        PythonVersion::PY313
    }

    fn source(&self) -> &str {
        self.chunk.text
    }

    fn global(&self, _: &str) -> Option<TextRange> {
        None
    }

    fn has_nonlocal_binding(&self, _: &str) -> bool {
        true
    }

    fn in_async_context(&self) -> bool {
        self.kind() == ScopeKind::AsyncFunction
    }

    fn in_await_allowed_context(&self) -> bool {
        true
    }

    fn in_yield_allowed_context(&self) -> bool {
        true
    }

    fn in_sync_comprehension(&self) -> bool {
        false
    }

    fn in_class_body_comprehension(&self) -> bool {
        false
    }

    fn in_module_scope(&self) -> bool {
        self.kind() == ScopeKind::Module
    }

    fn in_function_scope(&self) -> bool {
        matches!(self.kind(), ScopeKind::Function | ScopeKind::AsyncFunction)
    }

    fn in_generator_context(&self) -> bool {
        false
    }

    fn in_notebook(&self) -> bool {
        false
    }

    fn report_semantic_error(&self, error: SemanticSyntaxError) {
        self.refuse(error.range.start(), error.to_string());
    }

    fn in_loop_context(&self) -> bool {
        self.scopes.last().is_some_and(|frame| frame.blocks.in_loop())
    }

    fn is_bound_parameter(&self, _: &str) -> bool {
        false
    }
}
