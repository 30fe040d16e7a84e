//! The search index, the same for both storages: they keep its blocks as rows and do not look into them.
//!
//! The index says of each *term* (a key of bytes, made from a text) which items have it. It is a set of immutable
//! *segments*. Each is made from a batch of items ([`segment`]) or from other segments ([`merge`], when [`merge_policy`]
//! says so) and is a sorted run of terms with their [`postings`], cut into blocks of about 8 KB ([`block`]). An item that
//! changes is written to a new segment and gets a tombstone in the old one ([`item_set`]): at most one segment has
//! postings of an item that count. After its terms, a segment has a [`vocabulary`] of the tokens of words.
//!
//! A term is looked up in the one block of each segment whose first key is the greatest that is not above it
//! ([`block::find`]). What is found makes the [`candidates`] of a search. [`fingerprint`] compares the index with the
//! texts. One process at a time works on the index ([`lease`]).

pub(crate) mod block;
pub(crate) mod candidates;
pub(crate) mod fingerprint;
pub(crate) mod hit;
pub(crate) mod item_keys;
pub(crate) mod item_set;
pub(crate) mod lease;
pub(crate) mod live_segment;
pub(crate) mod merge;
pub(crate) mod merge_policy;
pub(crate) mod postings;
pub(crate) mod segment;
pub(crate) mod vocabulary;

#[cfg(test)]
mod tests;
