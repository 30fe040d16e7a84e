//! Expressions that are looked for in many contents.

use interline_edit::{Case, Pattern, PatternError, RequiredText};

use super::fold::fold;
use super::term::{IndexQuery, SearchTerm};
use super::{Alternative, Search};

impl Search {
    /// A search for a regular expression in the contents of items.
    pub fn expression(expression: &str, case: Case) -> Result<Search, PatternError> {
        Ok(Search::pattern(Pattern::regex(expression, case)?))
    }

    /// A search for a pattern in the contents of items.
    pub fn pattern(pattern: Pattern) -> Search {
        let alternatives = vec![Alternative { wanted: vec![0], unwanted: Vec::new() }];
        Search { terms: vec![SearchTerm::expression(pattern)], alternatives }
    }
}

impl IndexQuery {
    /// What the texts that an expression requires ask for. An index holds folded texts, and what holds a text holds its
    /// folded form.
    pub(super) fn of_expression(required: &RequiredText) -> IndexQuery {
        match required {
            RequiredText::Nothing => IndexQuery::Anything,
            RequiredText::Text(text) => IndexQuery::of_text(&fold(text)),
            RequiredText::All(all) => IndexQuery::all(all.iter().map(IndexQuery::of_expression).collect()),
            RequiredText::Any(any) => {
                let any: Vec<IndexQuery> = any.iter().map(IndexQuery::of_expression).collect();
                if any.contains(&IndexQuery::Anything) { IndexQuery::Anything } else { IndexQuery::Any(any) }
            }
        }
    }
}
