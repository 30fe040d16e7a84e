//! Name resolution: the undeclared variables of a template, and whether its filters, tests and functions exist.

use std::collections::BTreeSet;

use minijinja::machinery::ast::{Call, CallArg, Expr, ForLoop, IfCond, Macro, Spanned, Stmt};
use minijinja::machinery::{Span, parse};
use minijinja::syntax::SyntaxConfig;

use crate::environment::{is_filter, is_function, is_test};
use crate::scope::Scopes;
use crate::template::{NAME, TemplateError};

/// Macros declared inside of macros. To compile one, the engine reads all that is in it again.
const MAX_NESTED_MACROS: usize = 5;

/// Parses `source` and finds the variables that it may look up in its context.
///
/// A variable counts when there is a way to a use of it on which nothing in the template has assigned it. Jinja2's own
/// `meta.find_undeclared_variables` is coarser: it also reports a variable that one branch of an `if` assigns, used
/// or not, and one that every branch assigns.
pub(crate) fn undeclared_variables(source: &str) -> Result<BTreeSet<String>, TemplateError> {
    let tree = parse(source, NAME, SyntaxConfig::default());
    let tree = tree.map_err(|error| TemplateError::from_engine(source, &error))?;
    let mut resolver = Resolver {
        source,
        scopes: Scopes::default(),
        macros: Vec::new(),
        inside_macros: 0,
        undeclared: BTreeSet::new(),
    };
    resolver.statement(&tree)?;
    Ok(resolver.undeclared.into_iter().map(str::to_owned).collect())
}

struct Resolver<'t, 'a> {
    source: &'a str,
    scopes: Scopes<'a>,
    /// For each scope the macros that were declared in it. They are read when it ends: a macro may use what is assigned
    /// after its declaration, another macro above all.
    macros: Vec<Vec<&'t Spanned<Macro<'a>>>>,
    inside_macros: usize,
    undeclared: BTreeSet<&'a str>,
}

type Resolved = Result<(), TemplateError>;

impl<'t, 'a> Resolver<'t, 'a> {
    fn scoped(&mut self, read: impl FnOnce(&mut Self) -> Resolved) -> Resolved {
        self.scopes.open();
        self.macros.push(Vec::new());
        read(self)?;
        self.scopes.assume_all();
        for declared in self.macros.pop().unwrap_or_default() {
            self.macro_body(declared)?;
        }
        self.scopes.close();
        Ok(())
    }

    fn macro_body(&mut self, declared: &'t Spanned<Macro<'a>>) -> Resolved {
        self.inside_macros += 1;
        if self.inside_macros > MAX_NESTED_MACROS {
            let detail = format!("macros and `call` blocks are nested more than {MAX_NESTED_MACROS} levels deep");
            return Err(TemplateError::at(self.source, declared.span(), detail));
        }
        self.scoped(|resolver| {
            resolver.scopes.assign("caller");
            declared.args.iter().try_for_each(|name| resolver.target(name))?;
            resolver.expressions(&declared.defaults)?;
            resolver.statements(&declared.body)
        })?;
        self.inside_macros -= 1;
        Ok(())
    }

    fn statements(&mut self, statements: &'t [Stmt<'a>]) -> Resolved {
        statements.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &'t Stmt<'a>) -> Resolved {
        match statement {
            Stmt::Template(template) => self.scoped(|resolver| {
                resolver.scopes.assign("self");
                resolver.statements(&template.children)
            }),
            Stmt::EmitRaw(_) | Stmt::Continue(_) | Stmt::Break(_) => Ok(()),
            Stmt::EmitExpr(emit) => self.expression(&emit.expr),
            Stmt::Do(action) => self.call(&action.call),
            Stmt::Set(set) => {
                self.expression(&set.expr)?;
                self.target(&set.target)
            }
            Stmt::SetBlock(set) => {
                self.optional(set.filter.as_ref())?;
                self.scoped(|resolver| resolver.statements(&set.body))?;
                self.target(&set.target)
            }
            Stmt::AutoEscape(part) => {
                self.expression(&part.enabled)?;
                self.scoped(|resolver| resolver.statements(&part.body))
            }
            Stmt::FilterBlock(part) => {
                self.expression(&part.filter)?;
                self.scoped(|resolver| resolver.statements(&part.body))
            }
            Stmt::Block(block) => self.scoped(|resolver| {
                resolver.scopes.assign("super");
                resolver.statements(&block.body)
            }),
            Stmt::IfCond(part) => self.condition(part),
            Stmt::ForLoop(part) => self.for_loop(part),
            Stmt::WithBlock(part) => {
                part.assignments.iter().try_for_each(|(_, value)| self.expression(value))?;
                self.scoped(|resolver| {
                    part.assignments.iter().try_for_each(|(target, _)| resolver.target(target))?;
                    resolver.statements(&part.body)
                })
            }
            Stmt::Macro(declared) => {
                self.scopes.assign(declared.name);
                if let Some(macros) = self.macros.last_mut() {
                    macros.push(declared);
                }
                Ok(())
            }
            Stmt::CallBlock(part) => {
                self.call(&part.call)?;
                self.macro_body(&part.macro_decl)
            }
            Stmt::Include(part) => self.refuse_other_templates(part.span(), "include"),
            Stmt::Import(part) => self.refuse_other_templates(part.span(), "import"),
            Stmt::FromImport(part) => self.refuse_other_templates(part.span(), "from"),
            Stmt::Extends(part) => self.refuse_other_templates(part.span(), "extends"),
        }
    }

    fn condition(&mut self, part: &'t IfCond<'a>) -> Resolved {
        self.expression(&part.expr)?;
        let mark = self.scopes.mark();
        self.statements(&part.true_body)?;
        let when_true = self.scopes.roll_back(mark);
        self.statements(&part.false_body)?;
        let when_false = self.scopes.roll_back(mark);
        self.scopes.join(when_true, &when_false);
        Ok(())
    }

    fn for_loop(&mut self, part: &'t ForLoop<'a>) -> Resolved {
        self.expression(&part.iter)?;
        self.scoped(|resolver| {
            resolver.target(&part.target)?;
            resolver.optional(part.filter_expr.as_ref())?;
            resolver.scopes.assign("loop");
            resolver.statements(&part.body)
        })?;
        self.scoped(|resolver| resolver.statements(&part.else_body))
    }

    /// What is assigned to: a namespace's attribute reads the namespace.
    fn target(&mut self, target: &'t Expr<'a>) -> Resolved {
        match target {
            Expr::Var(variable) => self.scopes.assign(variable.id),
            Expr::GetAttr(attribute) => self.expression(&attribute.expr)?,
            Expr::List(list) if !list.items.is_empty() => list.items.iter().try_for_each(|item| self.target(item))?,
            _ => return Err(TemplateError::at(self.source, target.span(), "a name to assign to is missing")),
        }
        Ok(())
    }

    fn optional(&mut self, expression: Option<&'t Expr<'a>>) -> Resolved {
        expression.map_or(Ok(()), |expression| self.expression(expression))
    }

    fn expressions(&mut self, expressions: &'t [Expr<'a>]) -> Resolved {
        expressions.iter().try_for_each(|expression| self.expression(expression))
    }

    fn expression(&mut self, expression: &'t Expr<'a>) -> Resolved {
        match expression {
            Expr::Const(_) => Ok(()),
            Expr::Var(variable) => self.variable(variable.id, variable.span()),
            Expr::Slice(slice) => {
                self.expression(&slice.expr)?;
                [&slice.start, &slice.stop, &slice.step].into_iter().try_for_each(|part| self.optional(part.as_ref()))
            }
            Expr::UnaryOp(operation) => self.expression(&operation.expr),
            Expr::BinOp(operation) => {
                self.expression(&operation.left)?;
                self.expression(&operation.right)
            }
            Expr::Compare(compare) => {
                self.expression(&compare.expr)?;
                compare.ops.iter().try_for_each(|operation| self.expression(&operation.expr))
            }
            Expr::IfExpr(condition) => {
                self.expression(&condition.test_expr)?;
                self.expression(&condition.true_expr)?;
                self.optional(condition.false_expr.as_ref())
            }
            Expr::Filter(filter) => {
                if !is_filter(filter.name) {
                    return self.refuse_unknown(filter.span(), "filter", filter.name);
                }
                self.optional(filter.expr.as_ref())?;
                self.call_arguments(&filter.args)
            }
            Expr::Test(test) => {
                if !is_test(test.name) {
                    return self.refuse_unknown(test.span(), "test", test.name);
                }
                self.expression(&test.expr)?;
                self.call_arguments(&test.args)
            }
            Expr::GetAttr(attribute) => self.expression(&attribute.expr),
            Expr::GetItem(item) => {
                self.expression(&item.expr)?;
                self.expression(&item.subscript_expr)
            }
            Expr::Call(call) => self.call(call),
            Expr::List(list) => self.expressions(&list.items),
            Expr::Tuple(tuple) => self.expressions(&tuple.items),
            Expr::Map(map) => {
                self.expressions(&map.keys)?;
                self.expressions(&map.values)
            }
        }
    }

    fn variable(&mut self, name: &'a str, span: Span) -> Resolved {
        if self.scopes.is_assigned(name) || is_function(name) {
            return Ok(());
        }
        if self.inside_macros > 0 && matches!(name, "varargs" | "kwargs") {
            let detail = format!("`{name}` is not available in macros here; name the macro's parameters");
            return Err(TemplateError::at(self.source, span, detail));
        }
        self.undeclared.insert(name);
        Ok(())
    }

    fn call(&mut self, call: &'t Spanned<Call<'a>>) -> Resolved {
        match &call.expr {
            // Arguments are JSON, so what comes from outside can never be called.
            Expr::Var(function) if self.scopes.is_assigned(function.id) || is_function(function.id) => {}
            Expr::Var(function) => return self.refuse_unknown(call.span(), "function", function.id),
            callee => self.expression(callee)?,
        }
        self.call_arguments(&call.args)
    }

    fn call_arguments(&mut self, arguments: &'t [CallArg<'a>]) -> Resolved {
        arguments.iter().try_for_each(|argument| match argument {
            CallArg::Pos(value) | CallArg::Kwarg(_, value) | CallArg::PosSplat(value) | CallArg::KwargSplat(value) => {
                self.expression(value)
            }
        })
    }

    fn refuse_unknown(&self, span: Span, what: &str, name: &str) -> Resolved {
        Err(TemplateError::at(self.source, span, format!("there is no {what} named `{name}`")))
    }

    fn refuse_other_templates(&self, span: Span, tag: &str) -> Resolved {
        let detail = format!("`{tag}` is not available: a stored prompt stands alone and cannot load other templates");
        Err(TemplateError::at(self.source, span, detail))
    }
}
