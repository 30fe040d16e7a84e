//! The types of the JSON about code: files, workflows, apps and organizations.

mod apps;
mod files;
mod organizations;
mod owner;
mod requests;
mod search;
mod workflows;

pub(crate) use apps::{
    AppBody, AppList, AppPatch, NewAppBody, PublishedBody, PublishedFileBody, VersionBody, VersionList,
};
pub(crate) use files::{
    DeletedBody, FileBody, FileLines, FileList, PatchedBody, ReplacedBody, code_path, numbered_lines,
};
pub(crate) use organizations::{NewOrganization, OrganizationBody, OrganizationList};
pub(crate) use owner::CodeOwner;
pub(crate) use requests::{
    DeleteFile, GetFile, ListFiles, PatchFile, ReadFileLines, ReplaceFileBody, ValidateWorkflow,
};
pub(crate) use search::{FoundCode, SearchCode};
pub(crate) use workflows::{CodeDiagnostic, ValidationBody, WorkflowList, parameter_kind_name, value_from_literal};
