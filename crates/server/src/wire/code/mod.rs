//! The JSON of code: what both doors take and answer about files, workflows, apps and organizations.

mod apps;
mod field_names;
mod files;
mod organizations;
mod place;
mod requests;
mod search;
mod workflows;

pub(crate) use apps::{
    AppBody, AppList, AppPatch, NewAppBody, PublishedBody, PublishedFileBody, VersionBody, VersionList,
};
pub(crate) use field_names::{OLD_STRING, with_code_field_names};
pub(crate) use files::{DeletedBody, FileBody, FileLines, FileList, PatchedBody, ReplacedBody, numbered};
pub(crate) use organizations::{NewOrganization, OrganizationBody, OrganizationList};
pub(crate) use place::Place;
pub(crate) use requests::{
    DeleteFile, GetFile, ListFiles, PatchFile, ReadFileLines, ReplaceFileBody, ValidateWorkflow,
};
pub(crate) use search::{FoundCode, SearchCode};
pub(crate) use workflows::{ValidationBody, WorkflowList, value_of};
