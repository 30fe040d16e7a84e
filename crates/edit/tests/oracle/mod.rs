//! The naive oracle: a straight, slow translation of the contract of the text engine into lists of lines.
//!
//! Nothing here shares code with the engine; only the types of its surface are used. Shared by the integration tests
//! and, through `#[path]`, by the fuzz targets; each uses a part of it.
#![allow(dead_code, unused_imports, reason = "every test binary uses another part of the oracle")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "an oracle that is in doubt must stop the test")]

pub(crate) mod apply_diff;
pub(crate) mod characters;
pub(crate) mod classes;
pub(crate) mod comparison;
pub(crate) mod contents;
pub(crate) mod damaging;
pub(crate) mod generate;
pub(crate) mod generate_patch;
pub(crate) mod insert;
pub(crate) mod laws;
pub(crate) mod laws_of_matching;
pub(crate) mod laws_of_typography;
pub(crate) mod line_pairs;
pub(crate) mod lines;
pub(crate) mod loose_refusals;
pub(crate) mod misremember;
pub(crate) mod patch;
pub(crate) mod replace;
pub(crate) mod rng;
pub(crate) mod warnings;
pub(crate) mod whole_lines;

pub(crate) use insert::{InsertOutcome, insert};
pub(crate) use patch::{PatchOutcome, patch};
pub(crate) use replace::{ReplaceOutcome, replace};

use std::ops::Range;

/// All occurrences of `needle`, overlapping ones too, in order; none for an empty needle.
pub(crate) fn occurrences(text: &str, needle: &str) -> Vec<Range<usize>> {
    let starts = (0..text.len()).filter(|&start| !needle.is_empty() && text.is_char_boundary(start));
    starts.filter(|&start| text[start..].starts_with(needle)).map(|start| start..start + needle.len()).collect()
}
