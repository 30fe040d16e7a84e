//! A comma that is missing between two expressions in brackets: CPython reports the expression before it.

use ruff_python_ast::token::{TokenKind, Tokens};
use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{Expr, Mod};
use ruff_python_parser::{ParseError, ParseErrorType, Parsed};
use ruff_text_size::{Ranged, TextSize};

/// Where the expression begins after which a comma is missing; `None` for other errors, and where CPython reports what follows.
pub(crate) fn expression_before(text: &str, parsed: &Parsed<Mod>, error: &ParseError) -> Option<TextSize> {
    let ParseErrorType::ExpectedToken { expected: TokenKind::Comma, found } = &error.error else { return None };
    let end = end_of_token_before(parsed.tokens(), error.location.start())?;
    let mut finder = ExpressionFinder { end, found: None };
    match parsed.syntax() {
        Mod::Module(module) => finder.visit_body(&module.body),
        Mod::Expression(expression) => finder.visit_expr(&expression.body),
    }
    let expression = finder.found?;
    let is_reported = match expression {
        // Its last operand is no expression of its own.
        Expr::If(_) | Expr::Lambda(_) => false,
        // It may be meant as a prefix of the string.
        Expr::Name(_) if *found == TokenKind::String => false,
        _ => !begins_with_soft_keyword(&text[expression.range()]),
    };
    is_reported.then_some(expression.start())
}

/// Comments and line ends are no tokens.
fn end_of_token_before(tokens: &Tokens, offset: TextSize) -> Option<TextSize> {
    let before = tokens.iter().take_while(|token| token.end() <= offset);
    before.filter(|token| !token.kind().is_trivia()).last().map(Ranged::end)
}

/// What begins so may be a statement.
fn begins_with_soft_keyword(text: &str) -> bool {
    let word = text.split(|char: char| !char.is_alphanumeric() && char != '_').next();
    matches!(word, Some("match" | "case" | "type" | "_"))
}

/// Finds the longest expression that ends at an offset, without a star, a name and `:=`, or `yield` before it.
struct ExpressionFinder<'a> {
    end: TextSize,
    found: Option<&'a Expr>,
}

impl<'a> Visitor<'a> for ExpressionFinder<'a> {
    fn visit_expr(&mut self, expr: &'a Expr) {
        if self.found.is_some() {
            return;
        }
        match expr {
            // Entries of a dictionary that are spread are no expressions of their own.
            Expr::Dict(dict) if dict.items.iter().any(|item| item.key.is_none() && item.value.end() == self.end) => {
                return;
            }
            Expr::Starred(_) | Expr::Named(_) | Expr::Yield(_) => {}
            _ if expr.end() == self.end => self.found = Some(expr),
            _ => {}
        }
        walk_expr(self, expr);
    }
}
