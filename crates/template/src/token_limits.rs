//! Limits of a template's tokens, checked in one linear pass before the parser builds a syntax tree of them.
//!
//! The parser bounds nested brackets and blocks, but not what nests without them: `a.b.b.b…`, `1 + 1 + …`, `x|f|f…`,
//! `not not …`, `if … elif … elif …`. Each such link makes the tree one level deeper, and whatever walks the tree,
//! the allocator's free included, takes a stack frame for each level.

use minijinja::machinery::{Token, tokenize};
use minijinja::syntax::SyntaxConfig;

use crate::template::TemplateError;

/// Tokens of a whole template: some 10,000 tags.
const MAX_TOKENS: usize = 50_000;
/// Open brackets inside one tag.
const MAX_BRACKETS: usize = 200;
/// Levels that a tag's tree may have.
const MAX_LEVELS: usize = 1_000;
/// `elif` tags of a whole template: in the worst case each nests in the one before.
const MAX_BRANCHES: usize = 500;

/// Refuses what would make a tree too large or too deep, and whatever is not made of tokens at all.
pub(crate) fn check_limits(source: &str) -> Result<(), TemplateError> {
    let mut tag = TagDepth::default();
    let mut branches = 0;
    let mut previous_is_block_start = false;
    for (index, token) in tokenize(source, false, SyntaxConfig::default()).enumerate() {
        let (token, span) = token.map_err(|error| TemplateError::from_engine(source, &error))?;
        let refuse = |what: String| Err(TemplateError::at(source, span, what));
        if index >= MAX_TOKENS {
            return refuse(format!("the template has more than {MAX_TOKENS} tokens in its tags"));
        }
        if previous_is_block_start && matches!(token, Token::Ident("elif")) {
            branches += 1;
        }
        if branches > MAX_BRANCHES {
            return refuse(format!("the template has more than {MAX_BRANCHES} `elif` tags"));
        }
        previous_is_block_start = matches!(token, Token::BlockStart);
        tag.count(&token);
        if tag.open.len() > MAX_BRACKETS {
            return refuse(format!("brackets are nested more than {MAX_BRACKETS} levels deep"));
        }
        if tag.levels() > MAX_LEVELS {
            return refuse(format!("an expression has more than {MAX_LEVELS} links (operators, attributes, filters)"));
        }
    }
    Ok(())
}

/// An upper bound of the depth of the syntax tree of the tag that is being read.
#[derive(Default)]
struct TagDepth {
    /// The brackets that are open, from the outside in.
    open: Vec<ExpressionDepth>,
    /// What is outside all brackets.
    outside: ExpressionDepth,
}

/// The depth of one part of a tag between commas, brackets left out.
#[derive(Default)]
struct ExpressionDepth {
    /// Tokens that nest what is around them one level deeper.
    links: usize,
    /// Levels of the deepest bracket that was closed in it.
    deepest: usize,
    /// Levels of the deepest expression before a comma.
    earlier: usize,
}

impl ExpressionDepth {
    fn levels(&self) -> usize {
        self.links + self.deepest
    }

    /// A comma: what follows stands beside what came before.
    fn separate(&mut self) {
        *self = ExpressionDepth { earlier: self.earlier.max(self.levels()), ..ExpressionDepth::default() };
    }
}

impl TagDepth {
    fn current(&mut self) -> &mut ExpressionDepth {
        self.open.last_mut().unwrap_or(&mut self.outside)
    }

    fn levels(&mut self) -> usize {
        self.current().levels()
    }

    fn count(&mut self, token: &Token<'_>) {
        match token {
            Token::VariableStart | Token::BlockStart | Token::TemplateData(_) => *self = TagDepth::default(),
            Token::BracketOpen | Token::ParenOpen | Token::BraceOpen => {
                self.current().links += 1;
                self.open.push(ExpressionDepth::default());
            }
            Token::BracketClose | Token::ParenClose | Token::BraceClose => {
                if let Some(closed) = self.open.pop() {
                    let levels = closed.levels().max(closed.earlier) + 1;
                    let expression = self.current();
                    expression.deepest = expression.deepest.max(levels);
                }
            }
            Token::Comma | Token::Colon | Token::Assign => self.current().separate(),
            token if is_link(token) => self.current().links += 1,
            _ => {}
        }
    }
}

fn is_link(token: &Token<'_>) -> bool {
    match token {
        Token::Ident(name) => matches!(*name, "and" | "or" | "not" | "is" | "in" | "if" | "else"),
        Token::Plus | Token::Minus | Token::Mul | Token::Div | Token::FloorDiv | Token::Pow | Token::Mod => true,
        Token::Eq | Token::Ne | Token::Gt | Token::Gte | Token::Lt | Token::Lte => true,
        Token::Dot | Token::Tilde | Token::Pipe => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_but_flat_templates_pass() {
        for source in [
            "plain [[[[ text }} %}".to_owned(),
            "[".repeat(4_000_000),
            format!("{{{{ [{}] }}}}", "a + b, ".repeat(5_000)),
            format!("{{{{ f({}) }}}}", "x=a.b.c|d, ".repeat(1_000)),
            "{{ a.b }} and {% if a is b %}x{% endif %}".repeat(2_500),
            format!("{{{{ a{} }}}}", ".b".repeat(1_000)),
            "{# [[[[[[ #}{% raw %}{{ [[[[ {% endraw %}".to_owned(),
            format!("{{{{ '{}' }}}}", "[".repeat(100_000)),
            format!("{{% if a %}}{}{{% endif %}}", "{% elif b %}".repeat(500)),
        ] {
            assert_eq!(check_limits(&source), Ok(()), "{}", &source[..source.len().min(60)]);
        }
    }

    #[test]
    fn deep_templates_are_refused() {
        for (source, detail) in [
            (format!("{{{{ {}", "[".repeat(4_000_000)), "brackets are nested more than 200 levels deep"),
            (format!("{{{{ {}", "{".repeat(300)), "brackets are nested more than 200 levels deep"),
            (format!("{{{{ a{} }}}}", ".b".repeat(12_000)), "an expression has more than 1000 links"),
            (format!("{{{{ 1{} }}}}", " + 1".repeat(6_000)), "an expression has more than 1000 links"),
            (format!("{{{{ 1{} }}}}", "|abs".repeat(6_000)), "an expression has more than 1000 links"),
            (format!("{{{{ {}a }}}}", "not ".repeat(6_000)), "an expression has more than 1000 links"),
            (format!("{{{{ {}1 }}}}", "-".repeat(24_000)), "an expression has more than 1000 links"),
            (format!("{{{{ a{} }}}}", "()".repeat(6_000)), "an expression has more than 1000 links"),
            (format!("{{{{ a{} }}}}", " if b else c".repeat(6_000)), "an expression has more than 1000 links"),
            (
                format!("{{{{ {}b{}{} }}}}", "(a + 1, ".repeat(150), ".b".repeat(900), ")".repeat(150)),
                "an expression has more than 1000 links",
            ),
            (format!("{{% if a %}}{}", "{% elif b %}".repeat(501)), "more than 500 `elif` tags"),
            ("{{ a }}".repeat(20_000), "more than 50000 tokens"),
        ] {
            let error = check_limits(&source).unwrap_err();
            assert!(error.detail.contains(detail), "{}: {error}", &source[..source.len().min(60)]);
        }
    }

    #[test]
    fn depths_inside_brackets_add_up() {
        let chain = "+ 1".repeat(400);
        let nested = format!("{{{{ ((1 {chain}) {chain}) {chain} }}}}");
        assert!(check_limits(&nested).is_err());
        let beside = format!("{{{{ (1 {chain}), (1 {chain}), (1 {chain}) }}}}");
        assert_eq!(check_limits(&beside), Ok(()));
    }
}
