//! Parses an expression. What would take long to translate is refused before.

use regex_syntax::ast::parse::ParserBuilder;
use regex_syntax::ast::{Ast, ClassBracketed, ClassSet, ClassSetItem, Flag, Flags, GroupKind, Span};
use regex_syntax::hir::Hir;
use regex_syntax::hir::translate::TranslatorBuilder;

use super::super::pattern::{Case, PatternError};

/// Parsing alone takes several kilobytes for each class such as `\w`, before the compiled size is known.
const MAX_EXPRESSION_BYTES: usize = 8 << 10;

/// Groups in groups. Bounds the recursion over the syntax tree.
const MAX_NESTING: u32 = 100;

/// What all classes of an expression may cost, in units of some 5 µs.
const MAX_CLASS_COST: usize = 4_096;

/// What it costs to make a class of many ranges such as `\w` or `[^x]`, and to intersect or subtract two.
const CLASS_COST: usize = 4;
const OPERATION_COST: usize = 16;

/// What it costs to add to such a class the other cases of its characters.
const FOLDING_COST: usize = 64;

/// The syntax tree of an expression.
pub(super) fn parse(expression: &str, case: Case) -> Result<Hir, PatternError> {
    if expression.len() > MAX_EXPRESSION_BYTES {
        return Err(PatternError::TooLarge);
    }
    let ast = ParserBuilder::new()
        .nest_limit(MAX_NESTING)
        .build()
        .parse(expression)
        .map_err(|error| invalid(error.kind(), error.span()))?;
    // A flag counts for all of the expression, wherever it stands.
    let folded = if sets_insensitive(&ast) { Case::Insensitive } else { case };
    if cost(&ast, folded) > MAX_CLASS_COST {
        return Err(PatternError::TooLarge);
    }
    TranslatorBuilder::new()
        .multi_line(true)
        .crlf(true)
        .case_insensitive(case == Case::Insensitive)
        .build()
        .translate(expression, &ast)
        .map_err(|error| invalid(error.kind(), error.span()))
}

fn invalid(kind: &impl ToString, span: &Span) -> PatternError {
    PatternError::Invalid { detail: kind.to_string(), position: Some(span.start.offset) }
}

/// Whether `(?i)` stands anywhere.
fn sets_insensitive(ast: &Ast) -> bool {
    let is_set = |flags: &Flags| flags.flag_state(Flag::CaseInsensitive) == Some(true);
    match ast {
        Ast::Flags(set) => is_set(&set.flags),
        Ast::Repetition(repetition) => sets_insensitive(&repetition.ast),
        Ast::Group(group) => {
            matches!(&group.kind, GroupKind::NonCapturing(flags) if is_set(flags)) || sets_insensitive(&group.ast)
        }
        Ast::Concat(concat) => concat.asts.iter().any(sets_insensitive),
        Ast::Alternation(alternation) => alternation.asts.iter().any(sets_insensitive),
        Ast::Empty(_)
        | Ast::Literal(_)
        | Ast::Dot(_)
        | Ast::Assertion(_)
        | Ast::ClassUnicode(_)
        | Ast::ClassPerl(_)
        | Ast::ClassBracketed(_) => false,
    }
}

/// What the classes cost.
fn cost(ast: &Ast, case: Case) -> usize {
    match ast {
        Ast::Empty(_) | Ast::Flags(_) | Ast::Literal(_) | Ast::Dot(_) | Ast::Assertion(_) => 0,
        Ast::ClassPerl(_) => CLASS_COST,
        Ast::ClassUnicode(_) => class_cost(case),
        Ast::ClassBracketed(class) => bracketed_cost(class, case),
        Ast::Repetition(repetition) => cost(&repetition.ast, case),
        Ast::Group(group) => cost(&group.ast, case),
        Ast::Concat(concat) => concat.asts.iter().map(|part| cost(part, case)).sum(),
        Ast::Alternation(alternation) => alternation.asts.iter().map(|part| cost(part, case)).sum(),
    }
}

fn class_cost(case: Case) -> usize {
    match case {
        Case::Sensitive => CLASS_COST,
        Case::Insensitive => FOLDING_COST,
    }
}

/// The other cases are added at each level, before it is negated.
fn bracketed_cost(class: &ClassBracketed, case: Case) -> usize {
    let inner = set_cost(&class.kind, case);
    if inner > 0 { inner + class_cost(case) } else { 1 }
}

fn set_cost(set: &ClassSet, case: Case) -> usize {
    match set {
        ClassSet::Item(item) => item_cost(item, case),
        ClassSet::BinaryOp(operation) => {
            set_cost(&operation.lhs, case) + set_cost(&operation.rhs, case) + OPERATION_COST + 2 * class_cost(case)
        }
    }
}

/// Zero for what is ASCII.
fn item_cost(item: &ClassSetItem, case: Case) -> usize {
    match item {
        ClassSetItem::Empty(_) | ClassSetItem::Ascii(_) => 0,
        ClassSetItem::Literal(literal) => usize::from(!literal.c.is_ascii()),
        ClassSetItem::Range(range) => usize::from(!range.end.c.is_ascii()),
        ClassSetItem::Unicode(_) => class_cost(case),
        ClassSetItem::Perl(_) => CLASS_COST,
        ClassSetItem::Bracketed(class) => bracketed_cost(class, case),
        ClassSetItem::Union(union) => union.items.iter().map(|item| item_cost(item, case)).sum(),
    }
}
