//! Literal values of decorator arguments.

use ruff_python_ast::{Expr, Number, UnaryOp};

use crate::function::Literal;

/// How many lists and dicts may be inside each other: what is stored is read again wherever the item is.
const MAX_DEPTH: usize = 16;

/// The value of an expression, if it is a literal and has a form that can be stored.
pub(crate) fn literal(expr: &Expr) -> Option<Literal> {
    within(expr, MAX_DEPTH)
}

fn within(expr: &Expr, depth: usize) -> Option<Literal> {
    let inner = |expr: &Expr| within(expr, depth.checked_sub(1)?);
    match expr {
        Expr::NoneLiteral(_) => Some(Literal::None),
        Expr::BooleanLiteral(bool) => Some(Literal::Bool(bool.value)),
        Expr::NumberLiteral(number) => positive(&number.value),
        Expr::UnaryOp(unary) if unary.op == UnaryOp::USub => match unary.operand.as_ref() {
            Expr::NumberLiteral(number) => match positive(&number.value)? {
                Literal::Integer(integer) => Some(Literal::Integer(-integer)),
                Literal::Float(float) => Some(Literal::Float(-float)),
                _ => None,
            },
            _ => None,
        },
        Expr::StringLiteral(string) => Some(Literal::Text(string.value.to_str().to_owned())),
        Expr::List(list) => list.elts.iter().map(inner).collect::<Option<_>>().map(Literal::List),
        Expr::Tuple(tuple) => tuple.elts.iter().map(inner).collect::<Option<_>>().map(Literal::List),
        Expr::Dict(dict) => {
            let entries = dict.items.iter().map(|item| {
                let key = item.key.as_ref()?.as_string_literal_expr()?.value.to_str();
                Some((key.to_owned(), inner(&item.value)?))
            });
            entries.collect::<Option<_>>().map(Literal::Map)
        }
        _ => None,
    }
}

fn positive(number: &Number) -> Option<Literal> {
    match number {
        Number::Int(int) => int.as_i64().map(Literal::Integer),
        Number::Float(float) => float.is_finite().then_some(Literal::Float(*float)),
        Number::Complex { .. } => None,
    }
}
