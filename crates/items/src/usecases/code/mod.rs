//! Files of code by their paths, workflows and apps.
//!
//! A use case here finds the item that a path names, by the rules about organizations and apps; then it calls the use cases
//! for items and edits, which do the work.

mod app_trash;
mod apps;
mod file_matcher;
mod files;
mod history;
mod publish;
mod replace;
mod scope;
mod search;
mod workflows;

pub use apps::{AppChanges, AppDetails, AppDraft, AppRef};
pub use files::CodeFiles;
pub use publish::PublishedVersion;
pub use replace::{ReplaceFile, ReplacedFile};
pub use scope::{CodeScope, FileRef};
pub use search::{FoundInFiles, LineMatch, SearchFiles};
pub use workflows::{FoundWorkflow, Validation, WorkflowFilter, WorkflowRef, WorkflowSource, Workflows};
