//! The visitor that checks a syntax tree for what the grammar alone does not say: whether each statement and name is where
//! it may be.

use ruff_python_ast::name::Name;
use ruff_python_ast::visitor::{Visitor, walk_expr, walk_interpolated_string_element, walk_pattern, walk_stmt};
use ruff_python_ast::{
    AtomicNodeIndex, Expr, Identifier, InterpolatedStringElement, ModModule, Pattern, Stmt, StmtFunctionDef, StmtPass,
};
use ruff_python_parser::semantic_errors::SemanticSyntaxChecker;
use ruff_text_size::{Ranged, TextRange};

use crate::context::{Annotations, Context};
use crate::decorators::workflow_function;
use crate::error::Problem;
use crate::function::Function;
use crate::lexer::{Chunk, ScopeMarkers};
use crate::scopes::{Declaration, NameFlags, ScopeKind};
use crate::sdk::SdkName;

/// Where in its module a chunk stands.
#[derive(Clone, Copy)]
pub(crate) enum ChunkPosition {
    First,
    /// After others, which decide whether annotations are evaluated.
    After(Annotations),
}

/// What the walk found in a chunk of a module.
pub(crate) struct WalkedChunk {
    /// Functions with a workflow decorator and where they begin; their lines are counted from the chunk's first.
    pub(crate) functions: Vec<(usize, Function)>,
    pub(crate) annotations: Annotations,
    /// A `global` or `nonlocal` statement is in no function and no class.
    pub(crate) declares_for_module: bool,
}

/// Accepts a chunk in which everything is where it may be.
pub(crate) fn walk(
    chunk: Chunk<'_>,
    tree: &ModModule,
    position: ChunkPosition,
    markers: &ScopeMarkers,
    sdk: &SdkName,
) -> Result<WalkedChunk, Problem> {
    let (context, checker) = (Context::new(chunk, markers), SemanticSyntaxChecker::new());
    let lines = Lines { source: chunk.text, offset: 0, line: 1 };
    let mut walk = Walk { sdk, checker, context, functions: Vec::new(), lines, declares_for_module: false };
    if let ChunkPosition::After(annotations) = position {
        walk.context.annotations = annotations;
        walk.begin_after_a_statement();
    }
    walk.visit_body(&tree.body);
    let (functions, declares_for_module) = (walk.functions, walk.declares_for_module);
    let annotations = walk.context.finish()?;
    Ok(WalkedChunk { functions, annotations, declares_for_module })
}

/// A walk through the tree of a chunk, in the order of the text.
pub(crate) struct Walk<'s> {
    sdk: &'s SdkName,
    checker: SemanticSyntaxChecker,
    pub(crate) context: Context<'s>,
    functions: Vec<(usize, Function)>,
    lines: Lines<'s>,
    declares_for_module: bool,
}

/// Maps ascending offsets to lines.
struct Lines<'s> {
    source: &'s str,
    offset: usize,
    line: usize,
}

impl Lines<'_> {
    fn line_of(&mut self, offset: usize) -> usize {
        let between = self.source.as_bytes().get(self.offset..offset).unwrap_or_default();
        self.line += between.iter().filter(|byte| **byte == b'\n').count();
        self.offset = self.offset.max(offset);
        self.line
    }
}

impl<'t> Visitor<'t> for Walk<'_> {
    fn visit_stmt(&mut self, stmt: &'t Stmt) {
        if self.refused_type_parameters(stmt) {
            return;
        }
        self.checker.visit_stmt(stmt, &self.context);
        match stmt {
            Stmt::FunctionDef(def) => self.function(def),
            Stmt::ClassDef(class) => self.class(class),
            Stmt::TypeAlias(alias) => self.type_alias(alias),
            Stmt::Global(global) => self.declare(&global.names, Declaration::Global),
            Stmt::Nonlocal(nonlocal) => self.declare(&nonlocal.names, Declaration::Nonlocal),
            Stmt::Import(import) => {
                for alias in &import.names {
                    match &alias.asname {
                        Some(name) => self.import(&name.id),
                        None => self.import(&Name::new(alias.name.split('.').next().unwrap_or_default())),
                    }
                }
            }
            Stmt::ImportFrom(import) => {
                for alias in &import.names {
                    self.import(&alias.asname.as_ref().unwrap_or(&alias.name).id);
                    if import.module.as_deref() == Some("__future__") && alias.name.as_str() == "annotations" {
                        self.context.annotations = Annotations::KeptAsText;
                    }
                }
            }
            Stmt::Assign(assign) => {
                assign.targets.iter().for_each(|target| self.not_starred(Some(target)));
                walk_stmt(self, stmt);
            }
            Stmt::AugAssign(assign) => {
                self.not_starred(Some(&assign.value));
                walk_stmt(self, stmt);
            }
            Stmt::AnnAssign(assign) => {
                self.not_starred(assign.value.as_deref());
                if let Expr::Name(name) = assign.target.as_ref() {
                    self.annotated(&name.id, stmt, assign.simple);
                }
                walk_stmt(self, stmt);
            }
            Stmt::Expr(alone) => {
                self.not_starred(Some(&alone.value));
                self.visit_expr(&alone.value);
            }
            Stmt::For(_) | Stmt::While(_) | Stmt::With(_) | Stmt::Try(_) => self.block_statement(stmt),
            Stmt::Break(_) | Stmt::Continue(_) | Stmt::Return(_) => {
                self.leave(stmt);
                walk_stmt(self, stmt);
            }
            _ => walk_stmt(self, stmt),
        }
    }

    fn visit_annotation(&mut self, annotation: &'t Expr) {
        match self.context.annotations {
            Annotations::Evaluated => self.visit_expr(annotation),
            Annotations::KeptAsText => {
                self.context.enter(ScopeKind::Types, annotation.range());
                self.visit_expr(annotation);
                self.context.leave();
            }
        }
    }

    fn visit_pattern(&mut self, pattern: &'t Pattern) {
        let captured = match pattern {
            Pattern::MatchAs(pattern) => pattern.name.as_ref(),
            Pattern::MatchStar(pattern) => pattern.name.as_ref(),
            Pattern::MatchMapping(pattern) => pattern.rest.as_ref(),
            _ => None,
        };
        if let Some(name) = captured {
            self.bind(&name.id);
        }
        match pattern {
            Pattern::MatchValue(value) => self.pattern_value(&value.value),
            Pattern::MatchMapping(mapping) => mapping.keys.iter().for_each(|key| self.pattern_value(key)),
            _ => {}
        }
        walk_pattern(self, pattern);
    }

    fn visit_interpolated_string_element(&mut self, element: &'t InterpolatedStringElement) {
        if let InterpolatedStringElement::Interpolation(field) = element {
            self.not_starred(Some(&field.expression));
        }
        walk_interpolated_string_element(self, element);
    }

    fn visit_expr(&mut self, expr: &'t Expr) {
        if self.expression(expr) {
            walk_expr(self, expr);
        }
    }
}

impl<'s> Walk<'s> {
    /// The checker takes note that nothing may be imported from `__future__` any more.
    fn begin_after_a_statement(&mut self) {
        let pass = StmtPass { range: TextRange::default(), node_index: AtomicNodeIndex::NONE };
        self.checker.visit_stmt(&Stmt::Pass(pass), &self.context);
    }

    /// The parser's own checks that look at one expression alone.
    pub(crate) fn check_alone(&mut self, expr: &Expr) {
        self.checker.visit_expr(expr, &self.context);
    }

    pub(crate) fn not_starred(&self, expr: Option<&Expr>) {
        if let Some(expr) = expr.filter(|expr| expr.is_starred_expr()) {
            self.context.refuse(expr.start(), "can't use starred expression here");
        }
    }

    fn pattern_value(&self, value: &Expr) {
        if value.is_f_string_expr() || value.is_t_string_expr() {
            self.context.refuse(value.start(), "patterns may only match literals and attribute lookups");
        }
    }

    /// The source text of an expression.
    pub(crate) fn source_of(&self, expr: &Expr) -> &'s str {
        &self.context.chunk.text[expr.range()]
    }

    pub(crate) fn bind(&mut self, name: &Name) {
        self.context.scope(|scope| scope.record(name, NameFlags::BOUND));
    }

    /// Records a function that has a workflow decorator.
    pub(crate) fn record_workflow_function(&mut self, def: &StmtFunctionDef) {
        let line = || self.lines.line_of(def.name.start().to_usize());
        if let Some(function) = workflow_function(self.context.chunk.text, def, self.sdk, line) {
            self.functions.push((self.context.offset(def.start()), function));
        }
    }

    fn import(&mut self, name: &Name) {
        self.context.scope(|scope| scope.record(name, NameFlags::IMPORTED));
    }

    fn declare(&mut self, names: &[Identifier], declared: Declaration) {
        self.declares_for_module |= self.context.kind() == ScopeKind::Module;
        for name in names {
            let offset = self.context.offset(name.start());
            let mut result = Ok(());
            self.context.scope(|scope| result = scope.declare(&name.id, declared, offset));
            self.context.note(result);
        }
    }

    fn annotated(&mut self, name: &Name, stmt: &Stmt, simple: bool) {
        if !simple {
            return;
        }
        let flags = self.context.scope(|scope| scope.flags(name));
        let elsewhere = flags.has(NameFlags::GLOBAL) || flags.has(NameFlags::NONLOCAL);
        if elsewhere && self.context.kind() != ScopeKind::Module {
            self.context.refuse(stmt.start(), format!("annotated name '{name}' can't be global or nonlocal"));
        }
        self.context.scope(|scope| scope.record(name, NameFlags::ANNOTATED));
    }
}
