//! Where a walk through the tree is, as the parser's own checks ask for it.

use std::cell::RefCell;

use ruff_python_ast::PythonVersion;
use ruff_python_ast::name::Name;
use ruff_python_parser::semantic_errors::{LazyImportContext, SemanticSyntaxContext, SemanticSyntaxError};
use ruff_text_size::{TextLen, TextRange, TextSize};

use super::Problem;
use super::blocks::Blocks;
use super::scan::{Landmarks, Part};
use super::scopes::{Scope, ScopeKind, Table};

/// The scopes around a place, and the first problem so far.
pub(super) struct Context<'s> {
    /// What is walked through; places in a tree are counted from its start.
    pub(super) part: Part<'s>,
    landmarks: &'s Landmarks,
    /// The innermost last; the module always is the first.
    scopes: Vec<Place>,
    /// Whether annotations are kept as text, by `from __future__ import annotations`.
    pub(super) annotations: Annotations,
    problem: RefCell<Option<Problem>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Annotations {
    Evaluated,
    KeptAsText,
}

struct Place {
    scope: Scope,
    blocks: Blocks,
    /// Inside how many `try` statements of the scope.
    tries: usize,
}

impl<'s> Context<'s> {
    pub(super) fn new(part: Part<'s>, landmarks: &'s Landmarks) -> Context<'s> {
        let mut context = Context {
            part,
            landmarks,
            scopes: Vec::new(),
            annotations: Annotations::Evaluated,
            problem: RefCell::new(None),
        };
        context.enter(ScopeKind::Module, TextRange::up_to(part.text.text_len()));
        context
    }

    /// Enters a scope that is a part of this range.
    pub(super) fn enter(&mut self, kind: ScopeKind, range: TextRange) {
        let table = if self.landmarks.any_in(range + self.part.start) { Table::Kept } else { Table::Needless };
        let scope = Scope::new(kind, table, self.scopes.last().map(|place| &place.scope));
        self.scopes.push(Place { scope, blocks: Blocks::default(), tries: 0 });
    }

    /// Enters the scope of a class.
    pub(super) fn enter_class(&mut self, name: &Name, range: TextRange) {
        self.enter(ScopeKind::Class, range);
        self.scope(|scope| scope.name_class(name));
    }

    /// Leaves the innermost scope; whether something in it waits.
    pub(super) fn leave(&mut self) -> bool {
        let Some(Place { scope, .. }) = self.scopes.pop() else { return false };
        let waits = scope.waits;
        let ended = scope.end(self.scopes.last_mut().map(|place| &mut place.scope));
        self.note(ended);
        waits
    }

    /// Leaves the module; the first problem of the whole walk, or what annotations are in it.
    pub(super) fn finish(mut self) -> Result<Annotations, Problem> {
        self.leave();
        self.problem.into_inner().map_or(Ok(self.annotations), Err)
    }

    pub(super) fn kind(&self) -> ScopeKind {
        self.scopes.last().map_or(ScopeKind::Module, |place| place.scope.kind)
    }

    /// Does something with the innermost scope.
    pub(super) fn scope<T: Default>(&mut self, work: impl FnOnce(&mut Scope) -> T) -> T {
        self.scopes.last_mut().map(|place| work(&mut place.scope)).unwrap_or_default()
    }

    /// The scopes, from the innermost out.
    pub(super) fn scopes_outwards(&mut self) -> impl Iterator<Item = &mut Scope> {
        self.scopes.iter_mut().rev().map(|place| &mut place.scope)
    }

    /// The blocks around this place in its function.
    pub(super) fn blocks(&self) -> Option<&Blocks> {
        self.scopes.last().map(|place| &place.blocks)
    }

    pub(super) fn blocks_mut(&mut self) -> Option<&mut Blocks> {
        self.scopes.last_mut().map(|place| &mut place.blocks)
    }

    pub(super) fn enter_try(&mut self) {
        if let Some(place) = self.scopes.last_mut() {
            place.tries += 1;
        }
    }

    pub(super) fn leave_try(&mut self) {
        if let Some(place) = self.scopes.last_mut() {
            place.tries -= 1;
        }
    }

    pub(super) fn note(&self, result: Result<(), Problem>) {
        let Err(problem) = result else { return };
        let mut first = self.problem.borrow_mut();
        if first.as_ref().is_none_or(|first| problem.offset < first.offset) {
            *first = Some(problem);
        }
    }

    /// Where a place in the tree is in the whole text.
    pub(super) fn offset(&self, place: TextSize) -> usize {
        (self.part.start + place).to_usize()
    }

    pub(super) fn refuse(&self, start: TextSize, message: impl Into<String>) {
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
                let tries = self.scopes.last().map_or(0, |place| place.tries);
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
        self.part.text
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
        self.scopes.last().is_some_and(|place| place.blocks.in_loop())
    }

    fn is_bound_parameter(&self, _: &str) -> bool {
        false
    }
}
