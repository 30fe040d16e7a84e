//! Search over many items: the query language, text folding, index terms, scoring and snippets.
//!
//! * A [`Search`] is what a query asks for: alternatives of required and excluded [`SearchTerm`]s. [`Search::parse`] reads
//!   the query language, [`Search::regex`] a regular expression.
//! * [`SearchedFields`] are the texts of one item that are searched. [`Search::score`] says whether and how well they
//!   match, [`Search::snippet`] where.
//! * [`index_terms`] are the [`IndexTerm`]s (n-grams, tokens and stems) by which an index knows an item. The
//!   [`IndexLookup`] of a [`SearchTerm`] says which of them an item that matches must have.
//!
//! [`Search::score`] is the one truth about a match: an index only tells beforehand which items need not be read
//! ([`Search::evaluate`], [`TermPresence`]). So every storage finds the same items in the same order, whatever part of its
//! index is up to date.
//!
//! Everything here is pure and synchronous: no I/O, no clock. Work that may take long asks its caller now and then
//! whether it is to go on. The index itself lives in storage.
//!
//! ```
//! use interline_search::{Search, SearchedFields, SnippetField, TermPresence};
//!
//! let search = Search::parse("running -draft OR \"exact phrase\"")?.expect("something to look for");
//! let item = SearchedFields {
//!     title: Some("Deploy notes"),
//!     content: Some("First line.\nThe script runs every night.\n"),
//!     ..SearchedFields::default()
//! };
//! let score = search.score(&item, |_| TermPresence::Unknown, &mut || true)?;
//! assert!(score.is_some(), "`runs` is a form of `running`");
//!
//! let snippet = search.snippet(&item, &mut || true)?.expect("a snippet of what matches");
//! assert_eq!(snippet.field, SnippetField::Content(2));
//! assert_eq!(snippet.text, "The script runs every night.");
//! assert_eq!(snippet.marks, [11..15]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod fields;
mod fold;
mod index_terms;
mod query;
mod regex;
mod search;
mod snippet;
mod stems;
mod term;
mod tokens;

pub use fields::SearchedFields;
pub use index_terms::{IndexTerm, NGram, Payload, index_terms};
pub use query::QueryError;
pub use search::{Search, TermPresence, Verdict};
pub use snippet::{Snippet, SnippetField};
pub use term::{IndexLookup, IndexQuery, Proof, SearchTerm};
pub use tokens::TokenPattern;
