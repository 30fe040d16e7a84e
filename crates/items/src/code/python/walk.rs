//! What a syntax tree alone does not say: whether each statement and name is where it may be.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_interpolated_string_element, walk_pattern, walk_stmt};
use ruff_python_ast::{Expr, Identifier, InterpolatedStringElement, ModModule, Pattern, Stmt, StmtFunctionDef};
use ruff_python_parser::semantic_errors::SemanticSyntaxChecker;
use ruff_text_size::Ranged;

use super::context::{Annotations, Context};
use super::decorated::decorated;
use super::scan::Landmarks;
use super::scopes::{Declared, Said, ScopeKind};
use super::{Checked, Problem};
use crate::code::{Function, SdkName};

/// How much is kept of the functions of one file: it is read wherever the file is listed.
const MAX_KEPT_BYTES: usize = 1024 * 1024;

/// Accepts a module in which everything is where it may be.
pub(super) fn walk(source: &str, landmarks: &Landmarks, module: &ModModule, sdk: &SdkName) -> Result<Checked, Problem> {
    let mut walk = Walk {
        source,
        sdk,
        checker: SemanticSyntaxChecker::new(),
        context: Context::new(source, landmarks),
        functions: Vec::new(),
        kept_bytes: 0,
        lines: Lines { offset: 0, line: 1 },
    };
    walk.visit_body(&module.body);
    walk.context.finish()?;
    Ok(Checked { functions: walk.functions })
}

/// A walk through the tree, in the order of the text.
pub(super) struct Walk<'a> {
    source: &'a str,
    sdk: &'a SdkName,
    checker: SemanticSyntaxChecker,
    pub(super) context: Context<'a>,
    functions: Vec<Function>,
    kept_bytes: usize,
    lines: Lines,
}

/// Lines of offsets that only grow.
struct Lines {
    offset: usize,
    line: usize,
}

impl Lines {
    fn line_of(&mut self, source: &str, offset: usize) -> usize {
        let between = source.as_bytes().get(self.offset..offset).unwrap_or_default();
        self.line += between.iter().filter(|byte| **byte == b'\n').count();
        self.offset = self.offset.max(offset);
        self.line
    }
}

impl<'a> Visitor<'a> for Walk<'a> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        if self.refused_type_parameters(stmt) {
            return;
        }
        self.checker.visit_stmt(stmt, &self.context);
        match stmt {
            Stmt::FunctionDef(def) => self.function(def),
            Stmt::ClassDef(class) => self.class(class),
            Stmt::TypeAlias(alias) => self.type_alias(alias),
            Stmt::Global(global) => self.declare(&global.names, Declared::Global),
            Stmt::Nonlocal(nonlocal) => self.declare(&nonlocal.names, Declared::Nonlocal),
            Stmt::Import(import) => {
                for alias in &import.names {
                    let first = alias.name.split('.').next().unwrap_or_default();
                    self.import(alias.asname.as_ref().map_or(first, Identifier::as_str));
                }
            }
            Stmt::ImportFrom(import) => {
                for alias in &import.names {
                    self.import(alias.asname.as_ref().unwrap_or(&alias.name));
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

    fn visit_annotation(&mut self, annotation: &'a Expr) {
        match self.context.annotations {
            Annotations::Evaluated => self.visit_expr(annotation),
            Annotations::KeptAsText => {
                self.context.enter(ScopeKind::Types, annotation.range());
                self.visit_expr(annotation);
                self.context.leave();
            }
        }
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        let captured = match pattern {
            Pattern::MatchAs(pattern) => pattern.name.as_ref(),
            Pattern::MatchStar(pattern) => pattern.name.as_ref(),
            Pattern::MatchMapping(pattern) => pattern.rest.as_ref(),
            _ => None,
        };
        if let Some(name) = captured {
            self.bind(name);
        }
        match pattern {
            Pattern::MatchValue(value) => self.pattern_value(&value.value),
            Pattern::MatchMapping(mapping) => mapping.keys.iter().for_each(|key| self.pattern_value(key)),
            _ => {}
        }
        walk_pattern(self, pattern);
    }

    fn visit_interpolated_string_element(&mut self, element: &'a InterpolatedStringElement) {
        if let InterpolatedStringElement::Interpolation(field) = element {
            self.not_starred(Some(&field.expression));
        }
        walk_interpolated_string_element(self, element);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        if self.expression(expr) {
            walk_expr(self, expr);
        }
    }
}

impl<'a> Walk<'a> {
    /// The parser's own checks that look at one expression alone.
    pub(super) fn check_alone(&mut self, expr: &Expr) {
        self.checker.visit_expr(expr, &self.context);
    }

    pub(super) fn not_starred(&self, expr: Option<&Expr>) {
        if let Some(expr) = expr.filter(|expr| expr.is_starred_expr()) {
            self.context.refuse(expr.start(), "can't use starred expression here");
        }
    }

    fn pattern_value(&self, value: &Expr) {
        if value.is_f_string_expr() || value.is_t_string_expr() {
            self.context.refuse(value.start(), "patterns may only match literals and attribute lookups");
        }
    }

    /// An expression as it is written.
    pub(super) fn written(&self, expr: &Expr) -> &'a str {
        &self.source[expr.range()]
    }

    pub(super) fn bind(&mut self, name: &'a str) {
        self.context.scope(|scope| scope.say(name, Said::BOUND));
    }

    /// Keeps what is to be known of a function that has a workflow decorator.
    pub(super) fn keep_decorated(&mut self, def: &StmtFunctionDef) {
        let lines = &mut self.lines;
        let source = self.source;
        let Some(function) = decorated(source, def, self.sdk, |offset| lines.line_of(source, offset)) else { return };
        self.kept_bytes += function.size();
        if self.kept_bytes > MAX_KEPT_BYTES {
            self.context.refuse(def.start(), "the workflow functions of a file say more than 1 MiB about themselves");
        } else {
            self.functions.push(function);
        }
    }

    fn import(&mut self, name: &'a str) {
        self.context.scope(|scope| scope.say(name, Said::IMPORTED));
    }

    fn declare(&mut self, names: &'a [Identifier], declared: Declared) {
        for name in names {
            let offset = name.start().to_usize();
            let mut result = Ok(());
            self.context.scope(|scope| result = scope.declare(name, declared, offset));
            self.context.note(result);
        }
    }

    fn annotated(&mut self, name: &'a str, stmt: &Stmt, simple: bool) {
        if !simple {
            return;
        }
        let said = self.context.scope(|scope| scope.said(name));
        let elsewhere = said.has(Said::GLOBAL) || said.has(Said::NONLOCAL);
        if elsewhere && self.context.kind() != ScopeKind::Module {
            self.context.refuse(stmt.start(), format!("annotated name '{name}' can't be global or nonlocal"));
        }
        self.context.scope(|scope| scope.say(name, Said::ANNOTATED));
    }
}
