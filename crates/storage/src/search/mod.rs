//! The search index, the same for both storages: they keep its blocks as rows and look into none of them.
//!
//! The index says of each *term* (a key of bytes; `items` makes them of a text) which items have it. It is a set of
//! immutable *segments*. Each comes from a batch of items ([`segment`]) or from other segments ([`merge`], when
//! [`policy`] says so) and is a sorted run of terms, cut into blocks of about 8 KB ([`block`]). An item that changes is
//! written to a new segment and is dead in the old one ([`dead`]): of an item, at most one segment has postings that
//! count.
//!
//! A term is looked up in the one block of each segment whose first key is the greatest that is not above it
//! ([`block::find`]). [`fingerprint`] compares the index with what it should hold.

pub(crate) mod block;
pub(crate) mod candidates;
pub(crate) mod fingerprint;
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
