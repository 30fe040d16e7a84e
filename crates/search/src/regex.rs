//! Searches for a regular expression in many contents.

use interline_edit::{Case, Pattern, PatternError, RequiredText};

use crate::fold::fold;
use crate::search::{Alternative, Search};
use crate::term::{IndexQuery, SearchTerm};

impl Search {
    /// A search for a regular expression in the contents of items.
    pub fn regex(expression: &str, case: Case) -> Result<Search, PatternError> {
        Ok(Search::from_pattern(Pattern::regex(expression, case)?))
    }

    /// A search for a pattern in the contents of items.
    pub fn from_pattern(pattern: Pattern) -> Search {
        let alternatives = vec![Alternative { required: vec![0], excluded: Vec::new() }];
        Search { terms: vec![SearchTerm::regex(pattern)], alternatives }
    }
}

impl IndexQuery {
    /// The index terms of the texts that a regular expression requires. An index holds folded texts, and a text that holds
    /// another holds its folded form.
    pub(crate) fn from_required(required: &RequiredText) -> IndexQuery {
        match required {
            RequiredText::Nothing => IndexQuery::Anything,
            RequiredText::Text(text) => IndexQuery::from_text(&fold(text)),
            RequiredText::All(all) => IndexQuery::all(all.iter().map(IndexQuery::from_required).collect()),
            RequiredText::Any(any) => {
                let any: Vec<IndexQuery> = any.iter().map(IndexQuery::from_required).collect();
                if any.contains(&IndexQuery::Anything) { IndexQuery::Anything } else { IndexQuery::Any(any) }
            }
        }
    }
}
