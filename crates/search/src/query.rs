//! The query language: a parser of what people type to find items.

use std::fmt;

use crate::search::{Alternative, Search};
use crate::term::{SearchTerm, TermKind};

/// Limits of one query.
const MAX_CHARS: usize = 1_000;
const MAX_TERMS: usize = 50;

/// Why a query is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryError {
    /// The query has more characters than are accepted.
    TooLong {
        /// How many it has.
        actual: usize,
    },
    /// The query has more terms than are accepted.
    TooManyTerms {
        /// How many it has.
        actual: usize,
    },
    /// The query, or one of its alternatives, has excluded terms only.
    OnlyExcluded,
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueryError::TooLong { actual } => write!(f, "has {actual} characters; at most {MAX_CHARS} are accepted"),
            QueryError::TooManyTerms { actual } => write!(f, "has {actual} words; at most {MAX_TERMS} are accepted"),
            QueryError::OnlyExcluded => f.write_str(
                "says only what is not wanted (`-word`); give a word that is wanted too, on each side of `OR`",
            ),
        }
    }
}

impl std::error::Error for QueryError {}

/// A term or operator of a query.
enum QueryPart {
    Required(SearchTerm),
    Excluded(SearchTerm),
    Or,
}

impl Search {
    /// Parses a query; `None` if it asks for nothing.
    ///
    /// Words must all be there, as forms of a word or as parts of others; what has other characters than letters and
    /// digits in it, or stands in double quotes (`\"` is one of them), must be there as it stands. `-` before one of
    /// them: it must not. `OR` between them: what is on one of its sides.
    pub fn parse(query: &str) -> Result<Option<Search>, QueryError> {
        let actual = query.chars().count();
        if actual > MAX_CHARS {
            return Err(QueryError::TooLong { actual });
        }
        let parts = parts(query);
        let actual = parts.iter().filter(|part| !matches!(part, QueryPart::Or)).count();
        if actual > MAX_TERMS {
            return Err(QueryError::TooManyTerms { actual });
        }
        let mut search = Search { terms: Vec::new(), alternatives: Vec::new() };
        for parts in alternatives(parts) {
            let mut alternative = Alternative::default();
            for part in parts {
                match part {
                    QueryPart::Required(term) => alternative.required.push(search.index_of(term)),
                    QueryPart::Excluded(term) => alternative.excluded.push(search.index_of(term)),
                    QueryPart::Or => {}
                }
            }
            if alternative.required.is_empty() {
                return Err(QueryError::OnlyExcluded);
            }
            alternative.required.sort_unstable();
            alternative.required.dedup();
            search.alternatives.push(alternative);
        }
        Ok((!search.alternatives.is_empty()).then_some(search))
    }

    /// The index of a term, which is there only once.
    fn index_of(&mut self, term: SearchTerm) -> usize {
        let same = self.terms.iter().position(|other| other.is_same(&term));
        same.unwrap_or_else(|| {
            self.terms.push(term);
            self.terms.len() - 1
        })
    }
}

impl SearchTerm {
    fn is_same(&self, other: &SearchTerm) -> bool {
        match (&self.0, &other.0) {
            (TermKind::Word { text: one, .. }, TermKind::Word { text: other, .. })
            | (TermKind::Phrase(one), TermKind::Phrase(other)) => one.folded == other.folded,
            _ => false,
        }
    }
}

/// The parts on each side of `OR`. An `OR` that has nothing on one side is a word.
fn alternatives(parts: Vec<QueryPart>) -> Vec<Vec<QueryPart>> {
    let mut alternatives = vec![Vec::new()];
    let mut parts = parts.into_iter().peekable();
    while let Some(part) = parts.next() {
        let Some(current) = alternatives.last_mut() else { break };
        match part {
            QueryPart::Or if !current.is_empty() && parts.peek().is_some_and(|next| !matches!(next, QueryPart::Or)) => {
                alternatives.push(Vec::new());
            }
            QueryPart::Or => current.extend(SearchTerm::typed("OR").map(QueryPart::Required)),
            term => current.push(term),
        }
    }
    alternatives.retain(|alternative| !alternative.is_empty());
    alternatives
}

fn parts(query: &str) -> Vec<QueryPart> {
    let mut parts = Vec::new();
    let mut rest = query.trim_start();
    while !rest.is_empty() {
        let after_minus =
            rest.strip_prefix('-').filter(|after| !after.starts_with(|c: char| c == '-' || c.is_whitespace()));
        let after_minus = after_minus.filter(|after| !after.is_empty());
        let from = after_minus.unwrap_or(rest);
        let (term, after) = match from.strip_prefix('"') {
            Some(quoted) => {
                let (text, after) = until_quote(quoted);
                (SearchTerm::quoted(&text), after)
            }
            None => {
                let (text, after) = from.split_at(from.find(char::is_whitespace).unwrap_or(from.len()));
                if after_minus.is_none() && text == "OR" {
                    parts.push(QueryPart::Or);
                    rest = after.trim_start();
                    continue;
                }
                (SearchTerm::typed(text), after)
            }
        };
        parts.extend(term.map(if after_minus.is_some() { QueryPart::Excluded } else { QueryPart::Required }));
        rest = after.trim_start();
    }
    parts
}

/// The text up to the closing quote, or to the end where there is none, and what comes after it.
fn until_quote(text: &str) -> (String, &str) {
    let mut quoted = String::new();
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match char {
            '"' => return (quoted, chars.as_str()),
            '\\' if chars.as_str().starts_with('"') => {
                quoted.extend(chars.next());
            }
            other => quoted.push(other),
        }
    }
    (quoted, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A query as it was understood: words bare, texts in `<>`, alternatives apart.
    fn understood(query: &str) -> String {
        let search = Search::parse(query).unwrap().unwrap();
        let term = |index: &usize| match &search.terms[*index].0 {
            TermKind::Word { text, .. } => text.folded.clone(),
            TermKind::Phrase(text) => format!("<{}>", text.folded),
            TermKind::Regex(_) => panic!("no query has expressions"),
        };
        let alternative = |one: &Alternative| {
            let required = one.required.iter().map(term);
            required.chain(one.excluded.iter().map(|index| format!("-{}", term(index)))).collect::<Vec<_>>().join(" ")
        };
        search.alternatives.iter().map(alternative).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn queries_are_words_texts_and_what_is_not_wanted() {
        let word = "x".repeat(64);
        let longer = "x".repeat(65);
        for (query, expected) in [
            ("run", "run"),
            ("  two\u{3000}words\n", "two words"),
            ("Run RUN run", "run"),
            ("Ünï", "uni"),
            ("node.js c++ user_id %", "<node.js> <c++> <user_id> <%>"),
            ("a-b foo@bar", "<a-b> <foo@bar>"),
            ("\"a b\"", "<a b>"),
            ("\" a\t\n b \"", "<a b>"),
            ("run \"run\"", "run <run>"),
            ("\"un closed", "<un closed>"),
            ("\"a \\\" b\" c", "<a \" b> c"),
            ("\"a\\b\"", "<a\\b>"),
            ("\"a\"b", "<a> b"),
            ("\"a\"\"b\"", "<a> <b>"),
            ("a\"b c", "<a\"b> c"),
            ("“a b”", "<\"a> <b\">"),
            ("\\", "<\\>"),
            ("a -b", "a -b"),
            ("-b a", "a -b"),
            ("a -\"b c\"", "a -<b c>"),
            ("a -c++", "a -<c++>"),
            ("a - b", "a <-> b"),
            ("a -", "a <->"),
            ("--release", "<--release>"),
            ("---", "<--->"),
            ("–a", "<-a>"),
            ("a -\"\"", "a"),
            ("\"\" a \u{200b}", "a"),
            (&word, &word),
            (&longer, &format!("<{longer}>")),
        ] {
            assert_eq!(understood(query), expected, "{query:?}");
        }
    }

    #[test]
    fn or_stands_between_alternatives_and_is_a_word_elsewhere() {
        for (query, expected) in [
            ("a OR b", "a | b"),
            ("a b OR c -d OR e", "a b | c -d | e"),
            ("\"a b\" OR \"c\"", "<a b> | <c>"),
            ("a or b", "a or b"),
            ("a Or b", "a or b"),
            ("a \"OR\" b", "a <or> b"),
            ("OR", "or"),
            ("OR a", "or a"),
            ("a OR", "a or"),
            ("OR OR", "or"),
            ("a OR OR b", "a or | b"),
            ("a OR \"\"", "a or"),
            ("\"\" OR a", "or a"),
            ("a OR b OR", "a | b or"),
            ("a -OR", "a -or"),
            ("aORb", "aorb"),
        ] {
            assert_eq!(understood(query), expected, "{query:?}");
        }
    }

    #[test]
    fn what_is_too_much_or_only_unwanted_is_refused() {
        let refused = |query: &str| Search::parse(query).unwrap_err();
        for query in ["-a", "-a -b", "-\"a b\"", "a OR -b", "-a OR b", "a OR b -c OR -d"] {
            assert_eq!(refused(query), QueryError::OnlyExcluded, "{query:?}");
        }
        assert_eq!(refused(&"é".repeat(1_001)), QueryError::TooLong { actual: 1_001 });
        assert_eq!(refused(&"a ".repeat(51)), QueryError::TooManyTerms { actual: 51 });
        assert!(Search::parse(&"é".repeat(1_000)).is_ok());
        assert!(Search::parse(&"a ".repeat(50)).is_ok());
        for nothing in ["", " \n", "\"\"", "\"", "-\"\"", "\u{200b}\u{301}"] {
            assert!(matches!(Search::parse(nothing), Ok(None)), "{nothing:?}");
        }
    }
}
