//! Instrumentation: rewrites the syntax tree of a template so that a [`MeteredCall`] stands around every operation whose
//! cost depends on the size of a value.
//!
//! Text outside of tags becomes an expression, so that all output passes the formatter, which counts it. Metered
//! calls are calls, so nothing is left that the compiler would compute in advance, without any bound.

use minijinja::Value;
use minijinja::machinery::Span;
use minijinja::machinery::ast::{
    AutoEscape, BinOp, BinOpKind, Block, Break, Call, CallArg, CallBlock, Const, Continue, Do, EmitExpr, Expr, Filter,
    FilterBlock, ForLoop, GetAttr, GetItem, IfCond, IfExpr, List, Macro, Map, Set, SetBlock, Spanned, Stmt, Template,
    Test, Tuple, UnaryOp, UnaryOpKind, Var, WithBlock,
};

use crate::metered::MeteredCall;
use crate::operators::Comparison;

/// The instrumented form of a statement that [`crate::variables`] accepted.
pub(crate) fn instrumented<'a>(plain: &Stmt<'a>) -> Stmt<'a> {
    match plain {
        Stmt::Template(node) => {
            Stmt::Template(Spanned::new(Template { children: statements(&node.children) }, node.span()))
        }
        Stmt::EmitExpr(node) => emit(expression(&node.expr), node.span()),
        Stmt::EmitRaw(node) => emit(constant(Value::from_safe_string(node.raw.to_owned()), node.span()), node.span()),
        Stmt::ForLoop(node) => Stmt::ForLoop(Spanned::new(for_loop(node), node.span())),
        Stmt::IfCond(node) => Stmt::IfCond(Spanned::new(condition(node), node.span())),
        Stmt::WithBlock(node) => {
            let part = WithBlock { assignments: together(&node.assignments), body: statements(&node.body) };
            Stmt::WithBlock(Spanned::new(part, node.span()))
        }
        Stmt::Set(node) => Stmt::Set(Spanned::new(set(node), node.span())),
        Stmt::SetBlock(node) => Stmt::SetBlock(Spanned::new(set_block(node), node.span())),
        Stmt::AutoEscape(node) => {
            let part = AutoEscape { enabled: expression(&node.enabled), body: statements(&node.body) };
            Stmt::AutoEscape(Spanned::new(part, node.span()))
        }
        Stmt::FilterBlock(node) => {
            let part = FilterBlock { filter: expression(&node.filter), body: statements(&node.body) };
            Stmt::FilterBlock(Spanned::new(part, node.span()))
        }
        Stmt::Block(node) => {
            let part = Block { name: node.name, required: node.required, body: statements(&node.body) };
            Stmt::Block(Spanned::new(part, node.span()))
        }
        Stmt::Macro(node) => Stmt::Macro(declaration(node)),
        Stmt::CallBlock(node) => {
            let part = CallBlock { call: call(&node.call), macro_decl: declaration(&node.macro_decl) };
            Stmt::CallBlock(Spanned::new(part, node.span()))
        }
        Stmt::Continue(node) => Stmt::Continue(Spanned::new(Continue, node.span())),
        Stmt::Break(node) => Stmt::Break(Spanned::new(Break, node.span())),
        Stmt::Do(node) => Stmt::Do(Spanned::new(Do { call: call(&node.call) }, node.span())),
        // No accepted template has one.
        Stmt::Import(_) | Stmt::FromImport(_) | Stmt::Extends(_) | Stmt::Include(_) => {
            emit(constant(Value::from(""), Span::default()), Span::default())
        }
    }
}

fn statements<'a>(plain: &[Stmt<'a>]) -> Vec<Stmt<'a>> {
    plain.iter().map(instrumented).collect()
}

fn emit(expr: Expr<'_>, span: Span) -> Stmt<'_> {
    Stmt::EmitExpr(Spanned::new(EmitExpr { expr }, span))
}

fn for_loop<'a>(node: &ForLoop<'a>) -> ForLoop<'a> {
    let unpacks = matches!(node.target, Expr::List(_));
    ForLoop {
        target: target(&node.target),
        iter: metered(if unpacks { MeteredCall::IterateUnpacked } else { MeteredCall::Iterate }, &node.iter),
        filter_expr: node.filter_expr.as_ref().map(expression),
        recursive: node.recursive,
        body: statements(&node.body),
        else_body: statements(&node.else_body),
    }
}

fn condition<'a>(node: &IfCond<'a>) -> IfCond<'a> {
    IfCond {
        expr: expression(&node.expr),
        true_body: statements(&node.true_body),
        false_body: statements(&node.false_body),
    }
}

/// In Jinja2 the values of a `with` are all computed before any name is assigned; the engine goes one by one.
fn together<'a>(assignments: &[(Expr<'a>, Expr<'a>)]) -> Vec<(Expr<'a>, Expr<'a>)> {
    let Some((first, _)) = assignments.first() else { return Vec::new() };
    let span = first.span();
    let targets = assignments.iter().map(|(name, _)| target(name)).collect();
    let values = assignments.iter().map(|(_, value)| expression(value)).collect();
    vec![(
        Expr::List(Spanned::new(List { items: targets }, span)),
        Expr::Tuple(Spanned::new(Tuple { items: values }, span)),
    )]
}

fn set<'a>(node: &Set<'a>) -> Set<'a> {
    let expr = match &node.target {
        target if assigns_attribute(target) => metered(MeteredCall::Store, &node.expr),
        Expr::List(_) => metered(MeteredCall::Unpack, &node.expr),
        _ => expression(&node.expr),
    };
    Set { target: target(&node.target), expr }
}

fn set_block<'a>(node: &SetBlock<'a>) -> SetBlock<'a> {
    SetBlock {
        target: target(&node.target),
        filter: node.filter.as_ref().map(expression),
        body: statements(&node.body),
    }
}

fn declaration<'a>(node: &Spanned<Macro<'a>>) -> Spanned<Macro<'a>> {
    let part = Macro {
        name: node.name,
        args: node.args.iter().map(target).collect(),
        defaults: node.defaults.iter().map(expression).collect(),
        body: statements(&node.body),
    };
    Spanned::new(part, node.span())
}

/// A namespace's attribute, among others perhaps.
fn assigns_attribute(target: &Expr<'_>) -> bool {
    match target {
        Expr::GetAttr(_) => true,
        Expr::List(node) => node.items.iter().any(assigns_attribute),
        _ => false,
    }
}

/// What is assigned to stays as it is.
fn target<'a>(plain: &Expr<'a>) -> Expr<'a> {
    match plain {
        Expr::Var(node) => variable(node.id, node.span()),
        Expr::GetAttr(node) => {
            Expr::GetAttr(Spanned::new(GetAttr { expr: target(&node.expr), name: node.name }, node.span()))
        }
        Expr::List(node) => {
            Expr::List(Spanned::new(List { items: node.items.iter().map(target).collect() }, node.span()))
        }
        other => expression(other),
    }
}

fn variable(id: &str, span: Span) -> Expr<'_> {
    Expr::Var(Spanned::new(Var { id }, span))
}

fn constant(value: Value, span: Span) -> Expr<'static> {
    Expr::Const(Spanned::new(Const { value }, span))
}

fn call_around<'a>(call: MeteredCall, arguments: Vec<Expr<'a>>, span: Span) -> Expr<'a> {
    let args = arguments.into_iter().map(CallArg::Pos).collect();
    Expr::Call(Spanned::new(Call { expr: variable(call.name(), span), args }, span))
}

fn metered<'a>(call: MeteredCall, plain: &Expr<'a>) -> Expr<'a> {
    call_around(call, vec![expression(plain)], plain.span())
}

fn expressions<'a>(plain: &[Expr<'a>]) -> Vec<Expr<'a>> {
    plain.iter().map(expression).collect()
}

fn expression<'a>(plain: &Expr<'a>) -> Expr<'a> {
    let span = plain.span();
    match plain {
        Expr::Var(node) => variable(node.id, span),
        Expr::Const(node) => constant(node.value.clone(), span),
        Expr::UnaryOp(node) => {
            let op = if matches!(node.op, UnaryOpKind::Not) { UnaryOpKind::Not } else { UnaryOpKind::Neg };
            Expr::UnaryOp(Spanned::new(UnaryOp { op, expr: expression(&node.expr) }, span))
        }
        Expr::BinOp(node) => operation(node),
        Expr::Compare(node) => {
            let names: Vec<&str> = node.ops.iter().map(|operation| Comparison::from(operation.op).name()).collect();
            let first = [constant(Value::from(names), span), expression(&node.expr)];
            let others = node.ops.iter().map(|operation| expression(&operation.expr));
            call_around(MeteredCall::Compare, first.into_iter().chain(others).collect(), span)
        }
        Expr::IfExpr(node) => {
            let part = IfExpr {
                test_expr: expression(&node.test_expr),
                true_expr: expression(&node.true_expr),
                false_expr: node.false_expr.as_ref().map(expression),
            };
            Expr::IfExpr(Spanned::new(part, span))
        }
        // Filters and tests weigh their arguments themselves.
        Expr::Filter(node) => {
            let args = node.args.iter().map(|argument| call_argument(argument, expression)).collect();
            Expr::Filter(Spanned::new(Filter { name: node.name, expr: node.expr.as_ref().map(expression), args }, span))
        }
        Expr::Test(node) => {
            let args = node.args.iter().map(|argument| call_argument(argument, expression)).collect();
            Expr::Test(Spanned::new(Test { name: node.name, expr: expression(&node.expr), args }, span))
        }
        Expr::Call(node) => Expr::Call(call(node)),
        Expr::GetAttr(node) => {
            Expr::GetAttr(Spanned::new(GetAttr { expr: expression(&node.expr), name: node.name }, span))
        }
        Expr::GetItem(node) => {
            let (expr, subscript_expr) =
                (metered(MeteredCall::Index, &node.expr), metered(MeteredCall::Weigh, &node.subscript_expr));
            Expr::GetItem(Spanned::new(GetItem { expr, subscript_expr }, span))
        }
        Expr::Slice(node) => {
            let bound =
                |part: &Option<Expr<'a>>| part.as_ref().map_or_else(|| constant(Value::from(()), span), expression);
            let bounds = [bound(&node.start), bound(&node.stop), bound(&node.step)];
            call_around(MeteredCall::Slice, std::iter::once(expression(&node.expr)).chain(bounds).collect(), span)
        }
        Expr::List(node) => constructed(Expr::List(Spanned::new(List { items: expressions(&node.items) }, span))),
        Expr::Tuple(node) => constructed(Expr::Tuple(Spanned::new(Tuple { items: expressions(&node.items) }, span))),
        Expr::Map(node) => {
            let keys = node.keys.iter().map(|key| metered(MeteredCall::Weigh, key)).collect();
            constructed(Expr::Map(Spanned::new(Map { keys, values: expressions(&node.values) }, span)))
        }
    }
}

fn constructed(literal: Expr<'_>) -> Expr<'_> {
    let span = literal.span();
    call_around(MeteredCall::Construct, vec![literal], span)
}

fn operation<'a>(node: &Spanned<BinOp<'a>>) -> Expr<'a> {
    let span = node.span();
    let with = |left, right| Expr::BinOp(Spanned::new(BinOp { op: node.op, left, right }, span));
    let both = |call| with(metered(call, &node.left), metered(call, &node.right));
    let ours = |call| call_around(call, vec![expression(&node.left), expression(&node.right)], span);
    let compared = |comparison: Comparison| {
        let name = constant(Value::from(vec![comparison.name()]), span);
        call_around(MeteredCall::Compare, vec![name, expression(&node.left), expression(&node.right)], span)
    };
    match node.op {
        BinOpKind::ScAnd | BinOpKind::ScOr => with(expression(&node.left), expression(&node.right)),
        BinOpKind::Mul => ours(MeteredCall::Multiply),
        BinOpKind::Rem => ours(MeteredCall::Remainder),
        BinOpKind::Concat => ours(MeteredCall::Concatenate),
        BinOpKind::Eq => compared(Comparison::Equal),
        BinOpKind::Ne => compared(Comparison::NotEqual),
        BinOpKind::Lt => compared(Comparison::Less),
        BinOpKind::Lte => compared(Comparison::LessOrEqual),
        BinOpKind::Gt => compared(Comparison::Greater),
        BinOpKind::Gte => compared(Comparison::GreaterOrEqual),
        BinOpKind::In => compared(Comparison::In),
        BinOpKind::Add => call_around(MeteredCall::Construct, vec![both(MeteredCall::Copy)], span),
        BinOpKind::Sub | BinOpKind::Div | BinOpKind::FloorDiv | BinOpKind::Pow => both(MeteredCall::Weigh),
    }
}

/// The argument of a method may outlive the call: `loop.changed` stores it until the next call.
fn call<'a>(node: &Spanned<Call<'a>>) -> Spanned<Call<'a>> {
    let is_method = matches!(node.expr, Expr::GetAttr(_));
    let call = if is_method { MeteredCall::Store } else { MeteredCall::Weigh };
    let args = node.args.iter().map(|argument| call_argument(argument, |value| metered(call, value)));
    Spanned::new(Call { expr: expression(&node.expr), args: args.collect() }, node.span())
}

fn call_argument<'a>(argument: &CallArg<'a>, instrument: impl Fn(&Expr<'a>) -> Expr<'a>) -> CallArg<'a> {
    match argument {
        CallArg::Pos(value) => CallArg::Pos(instrument(value)),
        CallArg::Kwarg(name, value) => CallArg::Kwarg(name, instrument(value)),
        CallArg::PosSplat(value) => CallArg::PosSplat(instrument(value)),
        CallArg::KwargSplat(value) => CallArg::KwargSplat(instrument(value)),
    }
}
