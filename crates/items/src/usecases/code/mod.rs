//! Code: files by their paths, workflows, apps, organizations. A use case here finds the item that is meant by the rules of
//! access; the others do the work.

mod apps;
mod files;
mod matching;
mod organizations;
mod publish;
mod replace;
mod scope;
mod search;
mod workflows;

pub use apps::{AppChanges, AppDetails, AppDraft, AppRef};
pub use files::CodeFiles;
pub use organizations::OrganizationDraft;
pub use publish::PublishedVersion;
pub use replace::{ReplaceFile, Replaced};
pub use scope::{CodeScope, FileRef};
pub use search::{FoundInFiles, LineMatch, SearchFiles};
pub use workflows::{FoundWorkflow, Validation, WorkflowFilter, WorkflowRef, WorkflowSource, Workflows};
