//! Checks of expressions: names, numbers, comprehensions, lambdas, `await` and `yield` where they may be.

use ruff_python_ast::name::Name;
use ruff_python_ast::visitor::Visitor;
use ruff_python_ast::{Comprehension, Expr, ExprContext, ExprLambda, ExprNamed, Number};
use ruff_text_size::{Ranged, TextSize};

use crate::scopes::{NameFlags, ScopeKind};
use crate::walk::Walk;

/// CPython makes numbers of decimal digits only up to here.
const MAX_DIGITS: usize = 4_300;
/// CPython counts the targets before a starred one in a byte.
const MAX_TARGETS_BEFORE_STAR: usize = 255;

impl Walk<'_> {
    /// Checks an expression; whether its operands are still to be visited.
    pub(crate) fn expression(&mut self, expr: &Expr) -> bool {
        match expr {
            Expr::Name(name) => {
                // All else that is checked of a name alone is in the table of its scope.
                if name.id.as_str() == "__debug__" {
                    self.check_alone(expr);
                }
                match name.ctx {
                    ExprContext::Load => self.context.scope(|scope| scope.record(&name.id, NameFlags::USED)),
                    ExprContext::Store | ExprContext::Del => self.bind(&name.id),
                    ExprContext::Invalid => {}
                }
                return false;
            }
            Expr::StringLiteral(_) | Expr::BytesLiteral(_) | Expr::BooleanLiteral(_) | Expr::NoneLiteral(_) => {
                return false;
            }
            Expr::Tuple(tuple) => {
                self.check_alone(expr);
                self.targets(&tuple.elts, tuple.ctx);
            }
            Expr::List(list) => {
                self.check_alone(expr);
                self.targets(&list.elts, list.ctx);
            }
            Expr::Call(call) => {
                self.check_alone(expr);
                for keyword in &call.arguments.keywords {
                    if keyword.arg.as_deref() == Some("__debug__") {
                        self.context.refuse(keyword.start(), DEBUG);
                    }
                }
            }
            Expr::Attribute(attribute) if attribute.attr.as_str() == "__debug__" => {
                if matches!(attribute.ctx, ExprContext::Store | ExprContext::Del) {
                    self.context.refuse(attribute.attr.start(), DEBUG);
                }
            }
            Expr::NumberLiteral(number) => self.number(expr, &number.value),
            Expr::Lambda(lambda) => {
                self.check_alone(expr);
                self.lambda(lambda);
                return false;
            }
            Expr::ListComp(list) => {
                self.comprehension(ScopeKind::Comprehension, &list.generators, [None, Some(&list.elt)], expr);
                return false;
            }
            Expr::SetComp(set) => {
                self.comprehension(ScopeKind::Comprehension, &set.generators, [None, Some(&set.elt)], expr);
                return false;
            }
            Expr::DictComp(dict) => {
                let made = [dict.key.as_deref(), Some(&dict.value)];
                self.comprehension(ScopeKind::Comprehension, &dict.generators, made, expr);
                return false;
            }
            Expr::Generator(generator) => {
                self.comprehension(ScopeKind::Generator, &generator.generators, [None, Some(&generator.elt)], expr);
                return false;
            }
            Expr::Named(named) => {
                self.named(named);
                return false;
            }
            Expr::Await(_) => self.awaits(expr.start()),
            Expr::Yield(produced) => {
                self.not_starred(produced.value.as_deref());
                self.yields(expr);
            }
            Expr::YieldFrom(_) => self.yields(expr),
            _ => {}
        }
        true
    }

    fn targets(&self, targets: &[Expr], context: ExprContext) {
        if context != ExprContext::Store {
            return;
        }
        if let Some(star) = targets.iter().position(Expr::is_starred_expr)
            && star > MAX_TARGETS_BEFORE_STAR
        {
            self.context.refuse(targets[star].start(), "too many expressions in star-unpacking assignment");
        }
    }

    fn number(&self, expr: &Expr, number: &Number) {
        let Number::Int(int) = number else { return };
        if int.as_i64().is_some() {
            return;
        }
        let source = self.source_of(expr);
        let radix = source.get(1..2).is_some_and(|second| "xXoObB".contains(second));
        if !radix && source.bytes().filter(u8::is_ascii_digit).count() > MAX_DIGITS {
            self.context.refuse(expr.start(), format!("an integer has more than {MAX_DIGITS} digits; use hexadecimal"));
        }
    }

    fn lambda(&mut self, lambda: &ExprLambda) {
        if let Some(parameters) = &lambda.parameters {
            self.defaults(parameters);
        }
        self.context.enter(ScopeKind::Lambda, lambda.range());
        if let Some(parameters) = &lambda.parameters {
            self.parameters(parameters);
        }
        self.visit_expr(&lambda.body);
        self.context.leave();
    }

    /// A comprehension, in CPython's order: the first iterable is evaluated outside, what is made comes last.
    fn comprehension(&mut self, kind: ScopeKind, generators: &[Comprehension], made: [Option<&Expr>; 2], expr: &Expr) {
        if let Some(first) = generators.first() {
            self.iterable(&first.iter);
        }
        self.context.enter(kind, expr.range());
        for (index, generator) in generators.iter().enumerate() {
            if generator.is_async {
                self.context.scope(|scope| scope.awaits = true);
            }
            self.not_starred(Some(&generator.target));
            self.iterated(&generator.target);
            self.visit_expr(&generator.target);
            if index > 0 {
                self.iterable(&generator.iter);
            }
            for condition in &generator.ifs {
                self.visit_expr(condition);
            }
        }
        for part in made.into_iter().flatten() {
            self.visit_expr(part);
        }
        let awaits = self.context.leave();
        if awaits && kind == ScopeKind::Comprehension {
            match self.context.kind() {
                ScopeKind::AsyncFunction => {}
                around if around.is_comprehension() => self.context.scope(|scope| scope.awaits = true),
                _ => {
                    let message = "asynchronous comprehension outside of an asynchronous function";
                    self.context.refuse(expr.start(), message);
                }
            }
        }
    }

    fn iterable(&mut self, iterable: &Expr) {
        self.context.scope(|scope| scope.iterables += 1);
        self.visit_expr(iterable);
        self.context.scope(|scope| scope.iterables -= 1);
    }

    /// Names that the `for` of a comprehension binds.
    fn iterated(&mut self, target: &Expr) {
        match target {
            Expr::Name(name) => {
                let flags = self.context.scope(|scope| scope.flags(&name.id));
                if flags.has(NameFlags::NONLOCAL) {
                    let message = format!("comprehension inner loop cannot rebind '{}'", name.id);
                    self.context.refuse(name.start(), message);
                }
                self.context.scope(|scope| scope.record(&name.id, NameFlags::ITERATED));
            }
            Expr::Tuple(tuple) => tuple.elts.iter().for_each(|target| self.iterated(target)),
            Expr::List(list) => list.elts.iter().for_each(|target| self.iterated(target)),
            Expr::Starred(starred) => self.iterated(&starred.value),
            _ => {}
        }
    }

    /// An assignment expression binds its name in the function around all comprehensions.
    fn named(&mut self, named: &ExprNamed) {
        self.visit_expr(&named.value);
        let Expr::Name(name) = named.target.as_ref() else { return self.visit_expr(&named.target) };
        self.check_alone(&named.target);
        if let Some(message) = self.bind_outside(&name.id) {
            self.context.refuse(name.start(), message);
        }
    }

    fn bind_outside(&mut self, name: &Name) -> Option<String> {
        if self.context.scope(|scope| scope.iterables) > 0 {
            return Some("assignment expression cannot be used in a comprehension iterable expression".to_owned());
        }
        let in_comprehension = self.context.kind().is_comprehension();
        for scope in self.context.scopes_outwards() {
            match scope.kind {
                ScopeKind::Comprehension | ScopeKind::Generator => {
                    if scope.flags(name).has(NameFlags::ITERATED) {
                        let message = "assignment expression cannot rebind comprehension iteration variable";
                        return Some(format!("{message} '{name}'"));
                    }
                }
                ScopeKind::Class if in_comprehension => {
                    let message = "assignment expression within a comprehension cannot be used in a class body";
                    return Some(message.to_owned());
                }
                ScopeKind::Types => {
                    return Some("assignment expression cannot be used within an annotation".to_owned());
                }
                _ => {
                    scope.record(name, NameFlags::BOUND);
                    break;
                }
            }
        }
        if in_comprehension {
            self.context.scope(|scope| scope.record(name, NameFlags::NONLOCAL));
        }
        None
    }

    fn awaits(&mut self, start: TextSize) {
        match self.context.kind() {
            ScopeKind::AsyncFunction => {}
            ScopeKind::Comprehension | ScopeKind::Generator => self.context.scope(|scope| scope.awaits = true),
            ScopeKind::Function | ScopeKind::Lambda => self.context.refuse(start, "'await' outside async function"),
            ScopeKind::Module | ScopeKind::Class => self.context.refuse(start, "'await' outside function"),
            ScopeKind::Types => self.context.refuse(start, "'await' cannot be used within an annotation"),
        }
    }

    fn yields(&self, expr: &Expr) {
        let message = match self.context.kind() {
            ScopeKind::AsyncFunction if expr.is_yield_from_expr() => "'yield from' inside async function",
            ScopeKind::Function | ScopeKind::AsyncFunction | ScopeKind::Lambda => return,
            ScopeKind::Comprehension | ScopeKind::Generator => "'yield' inside a comprehension",
            ScopeKind::Module | ScopeKind::Class => "'yield' outside function",
            ScopeKind::Types => "'yield' cannot be used within an annotation",
        };
        self.context.refuse(expr.start(), message);
    }
}

const DEBUG: &str = "cannot assign to __debug__";
