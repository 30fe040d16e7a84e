//! The types of the JSON about code: files, workflows, apps and organizations.

mod apps;
mod field_names;
mod files;
mod organizations;
mod owner;
mod requests;
mod search;
mod workflows;

pub(crate) use apps::{
    AppList, AppResponse, AppVersionList, AppVersionResponse, CreateAppRequest, PublishAppResponse,
    PublishedFileResponse, UpdateAppRequest,
};
pub(crate) use field_names::{OLD_STRING, with_code_field_names};
pub(crate) use files::{
    DeleteFileResponse, FileLines, FileList, FileResponse, PatchFileResponse, ReplaceFileResponse, code_path,
    numbered_context, numbered_lines,
};
pub(crate) use organizations::{CreateOrganizationRequest, OrganizationList, OrganizationResponse};
pub(crate) use owner::CodeOwner;
pub(crate) use requests::{
    DeleteFileRequest, GetFileRequest, ListFilesRequest, PatchFileRequest, ReadFileLinesRequest, ReplaceFileRequest,
    ValidateWorkflowRequest,
};
pub(crate) use search::{SearchCodeRequest, SearchCodeResponse};
pub(crate) use workflows::{
    CodeDiagnostic, PARAMETER_KINDS, ValidationResponse, WorkflowList, parameter_kind_name, value_from_literal,
};
