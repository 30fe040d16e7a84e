//! The text engine: replaces, inserts, patches, merges, searches and compares text. Text in, text out.
//!
//! Everything here is pure and synchronous: no I/O, no clock, no globals. All input is `&str`; positions
//! are byte offsets, line numbers are 1-based.
//!
//! The principal types:
//!
//! * [`Replace`] asks for `old_str` to become `new_str`; [`replace()`] climbs a ladder of [`Level`]s from
//!   byte-exact to loosely spaced, and stops at the first level that finds anything. One match is replaced,
//!   several are an error, and text that is not there is never "close enough".
//! * [`Insert`] asks for a text next to an anchor, which [`insert()`] finds in the same way, or for whole lines at the start
//!   or the end.
//! * [`LineOperation`]s patch lines by number; [`patch_lines`] validates all of them before any applies.
//! * [`merge()`] puts the changes of two sides since their common base together, or lists each [`MergeConflict`].
//! * An [`Edit`] is the result of all of them: sorted, disjoint [`Splice`]s over the original text. It can be
//!   applied, inverted, joined with a later one, and rendered as a [`UnifiedDiff`].
//! * [`Hunks`] are the change between two texts in pieces that a person keeps or takes back one by one; [`hunks()`] finds them.
//! * [`LineOrigins`] tell from which version each line of a text came, step by step back through its edits.
//! * A [`Pattern`] is searched for by [`search()`], with lines and context as slices of the text.
//! * [`markdown_outline`] lists the headings of a Markdown text with the lines of their sections.
//!
//! ```
//! use interline_edit::{Level, Replace, replace};
//!
//! let content = "fn main() {\n    greet( \"you\" );\n}\n";
//! // The model forgot the indentation. It is found all the same, and put back.
//! let request = Replace::new("greet( \"you\" );\nbye();", "greet(\"you\");");
//! assert!(replace(content, &request).is_err(), "`bye();` is not there");
//!
//! let request = Replace::new("\ngreet( \"you\" );\n", "\ngreet(\"you\");\ngreet(\"me\");\n");
//! let done = replace(content, &request)?;
//! assert_eq!(done.level, Level::IndentationRelative);
//! assert_eq!(done.line, 2);
//! let after = done.edit.apply(content)?;
//! assert_eq!(after, "fn main() {\n    greet(\"you\");\n    greet(\"me\");\n}\n");
//!
//! let undo = done.edit.invert(content)?;
//! assert_eq!(undo.apply(&after)?, content);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod diff;
mod edit;
mod excerpt;
mod hunks;
mod insert;
mod line_comparison;
mod lines;
mod merge;
mod origins;
mod outline;
mod patch;
mod replace;
mod search;

pub use diff::{UnifiedDiff, diff, diff_memory, diff_within};
pub use edit::{ChangedLines, Edit, EditMismatch, Splice};
pub use excerpt::{MAX_EXCERPT_CHARS, excerpt};
pub use hunks::{Hunk, HunkLines, Hunks, LineCounts, UnknownHunk, hunks};
pub use insert::{Insert, InsertError, InsertPosition, Insertion, insert};
pub use lines::{LineRangeError, read_lines, total_lines};
pub use merge::{ConflictLines, MergeConflict, merge, merge_memory};
pub use origins::{LineOrigin, LineOrigins, OlderVersion};
pub use outline::{OutlineEntry, OutlineKind, markdown_outline};
pub use patch::{InvalidOperation, LineOperation, OperationProblem, PatchError, StaleOperation, patch_lines};
pub use replace::{
    Level, LineEndings, MatchLocation, MergedChange, MultipleMatches, NoMatch, NoMatchCause, Replace, ReplaceError,
    ReplaceWarning, Replacement, SimilarPassage, replace,
};
pub use search::{
    Case, Hit, Pattern, PatternError, RequiredText, SearchInterrupted, SearchOptions, SearchResult, find_first, search,
    search_lines,
};
