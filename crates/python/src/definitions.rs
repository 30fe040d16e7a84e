//! Definitions of functions, classes and type aliases: the names that they bind, and the scope of each of their parts.

use ruff_python_ast::visitor::Visitor;
use ruff_python_ast::{AnyParameterRef, Parameters, Stmt, StmtClassDef, StmtFunctionDef, StmtTypeAlias, TypeParams};
use ruff_text_size::Ranged;

use crate::scopes::{NameFlags, ScopeKind};
use crate::walk::Walk;

/// Type parameters of one definition; the parser's own check compares each with each.
const MAX_TYPE_PARAMETERS: usize = 1_000;

impl Walk<'_> {
    pub(crate) fn function(&mut self, def: &StmtFunctionDef) {
        self.record_workflow_function(def);
        self.bind(&def.name.id);
        for decorator in &def.decorator_list {
            self.visit_decorator(decorator);
        }
        self.defaults(&def.parameters);
        if def.type_params.is_some() {
            self.context.enter(ScopeKind::Types, def.range());
            self.type_parameters(def.type_params.as_deref());
        }
        for annotation in def.parameters.iter().filter_map(AnyParameterRef::annotation) {
            self.visit_annotation(annotation);
        }
        if let Some(returns) = &def.returns {
            self.visit_annotation(returns);
        }
        let kind = if def.is_async { ScopeKind::AsyncFunction } else { ScopeKind::Function };
        self.context.enter(kind, def.range());
        self.parameters(&def.parameters);
        self.visit_body(&def.body);
        self.context.leave();
        if def.type_params.is_some() {
            self.context.leave();
        }
    }

    pub(crate) fn class(&mut self, class: &StmtClassDef) {
        self.bind(&class.name.id);
        for decorator in &class.decorator_list {
            self.visit_decorator(decorator);
        }
        if class.type_params.is_some() {
            self.context.enter(ScopeKind::Types, class.range());
            self.type_parameters(class.type_params.as_deref());
        }
        if let Some(arguments) = &class.arguments {
            self.visit_arguments(arguments);
        }
        self.context.enter_class(&class.name.id, class.range());
        self.visit_body(&class.body);
        self.context.leave();
        if class.type_params.is_some() {
            self.context.leave();
        }
    }

    pub(crate) fn defaults(&mut self, parameters: &Parameters) {
        for default in parameters.iter().filter_map(AnyParameterRef::default) {
            self.visit_expr(default);
        }
    }

    pub(crate) fn parameters(&mut self, parameters: &Parameters) {
        for parameter in parameters {
            let name = &parameter.name().id;
            self.context.scope(|scope| {
                scope.record(name, NameFlags::PARAMETER);
                scope.record(name, NameFlags::BOUND);
            });
        }
    }

    fn type_parameters(&mut self, parameters: Option<&TypeParams>) {
        let Some(parameters) = parameters else { return };
        for parameter in &parameters.type_params {
            self.bind(&parameter.name().id);
        }
        self.visit_type_params(parameters);
    }

    pub(crate) fn type_alias(&mut self, alias: &StmtTypeAlias) {
        self.visit_expr(&alias.name);
        self.context.enter(ScopeKind::Types, alias.range());
        self.type_parameters(alias.type_params.as_deref());
        self.visit_expr(&alias.value);
        self.context.leave();
    }

    /// Refuses a statement with more type parameters than can be looked at in time.
    pub(crate) fn refused_type_parameters(&self, stmt: &Stmt) -> bool {
        let parameters = match stmt {
            Stmt::FunctionDef(def) => def.type_params.as_deref(),
            Stmt::ClassDef(class) => class.type_params.as_deref(),
            Stmt::TypeAlias(alias) => alias.type_params.as_deref(),
            _ => None,
        };
        let Some(parameters) = parameters.filter(|parameters| parameters.len() > MAX_TYPE_PARAMETERS) else {
            return false;
        };
        self.context.refuse(parameters.start(), format!("more than {MAX_TYPE_PARAMETERS} type parameters"));
        true
    }
}
