//! Request bodies of `POST /code/…`, which have the arguments of the tools for code.

use interline_items::{
    AppRef, CodeFiles, CodeKind, CodeScope, EditMode, EditRequest, Error, ExpectedVersion, FileRef, LineRange,
    OrganizationId, PassageChange, ReadContent, ReplaceFile, TextChange, WorkflowSource,
};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::wire::enumerations::{EntityType, MatchLevel, OnStale};
use crate::wire::requests::deserialize_some;
use crate::wire::{Object, invalid_field, loosest_level, on_stale, require_version};

/// Declares a request body with its own fields and with those that name the code it is about. (Serde can share fields
/// between types, but then neither type refuses unknown fields nor says which field is wrong.)
macro_rules! code_request {
    ($(#[$attribute:meta])* $name:ident { $($(#[$field_attribute:meta])* $field:ident: $type:ty,)* }) => {
        #[derive(Debug, Deserialize, ToSchema)]
        #[serde(deny_unknown_fields)]
        $(#[$attribute])*
        pub(crate) struct $name {
            /// What it is.
            #[schema(value_type = EntityType)]
            entity_type: String,
            $($(#[$field_attribute])* $field: $type,)*
            /// The app by its id or slug: of app files, and only of them.
            #[serde(default)]
            app_id: Option<String>,
            /// The organization, of workflows; unless given, the caller's, and for admins none.
            #[serde(default)]
            organization_id: Option<Uuid>,
        }

        impl $name {
            fn scope(&self) -> Result<CodeScope, Error> {
                code_scope(&self.entity_type, self.app_id.as_deref(), self.organization_id)
            }
        }
    };
}

code_request! {
    /// Which files are listed.
    #[schema(as = ListFiles)]
    ListFilesRequest {
        /// What their paths begin with.
        #[serde(default)]
        path_prefix: Option<String>,
    }
}

code_request! {
    /// Which lines of a file are read.
    #[schema(as = ReadFileLines)]
    ReadFileLinesRequest {
        /// The path of the file.
        path: String,
        /// The first line; 1 unless given.
        #[serde(default)]
        #[schema(value_type = Option<i64>, minimum = 1)]
        start_line: Option<u64>,
        /// The last line; 100 lines after the first unless given.
        #[serde(default)]
        #[schema(value_type = Option<i64>, minimum = 1)]
        end_line: Option<u64>,
    }
}

code_request! {
    /// Which file is read.
    #[schema(as = GetFile)]
    GetFileRequest {
        /// The path of the file.
        path: String,
    }
}

code_request! {
    /// A passage of a file and what it becomes, or several.
    #[schema(as = PatchFile)]
    PatchFileRequest {
        /// The path of the file.
        path: String,
        /// The passage as you remember it; it must be unique unless `expected_matches` says how often it is there.
        #[serde(default, deserialize_with = "deserialize_some")]
        #[schema(nullable = false, min_length = 1)]
        old_string: Option<String>,
        /// What it becomes; empty to delete it.
        #[serde(default, deserialize_with = "deserialize_some")]
        #[schema(nullable = false)]
        new_string: Option<String>,
        /// In how many places it is; all of them are changed. 1 unless given.
        #[serde(default, deserialize_with = "deserialize_some")]
        #[schema(value_type = Option<i64>, minimum = 1, nullable = false)]
        expected_matches: Option<usize>,
        /// From 1 to 100 edits instead, each on the result of the one before, saved together.
        #[serde(default, deserialize_with = "deserialize_some")]
        #[schema(value_type = Option<Vec<FilePassageEditRequest>>, nullable = false, min_items = 1, max_items = 100)]
        edits: Option<Vec<Object<FilePassageEditRequest>>>,
        /// Only if the file is at this version; otherwise `conflict`.
        #[serde(default, deserialize_with = "deserialize_some")]
        #[schema(value_type = Option<i64>, minimum = 1, nullable = false)]
        expected_version: Option<u64>,
        /// Nothing is written; the answer tells what would be.
        #[serde(default)]
        dry_run: bool,
        /// The loosest level at which a passage may be found; unless given, `spacing_normalized`. With `exact` the new text is
        /// written as given, also where its lines lack the indentation of the passage.
        #[serde(rename = "match", default, deserialize_with = "deserialize_some")]
        #[schema(value_type = Option<MatchLevel>, nullable = false)]
        loosest: Option<String>,
        /// The id of the change that a refusal offered: the same request with it makes that change.
        #[serde(default, deserialize_with = "deserialize_some")]
        #[schema(nullable = false)]
        merged: Option<String>,
    }
}

code_request! {
    /// A whole file.
    #[schema(as = ReplaceFileBody)]
    ReplaceFileRequest {
        /// The path of the file.
        path: String,
        /// Its content.
        content: String,
        /// Only if the file is there at this version; otherwise `conflict`.
        #[serde(default, deserialize_with = "deserialize_some")]
        #[schema(value_type = Option<i64>, minimum = 1, nullable = false)]
        expected_version: Option<u64>,
        /// With `expected_version`: what becomes of the content where the file is at another version. `refuse` unless given;
        /// with `merge`, what was changed since is kept, or `conflicts` says where both changed the same.
        #[serde(default, deserialize_with = "deserialize_some")]
        #[schema(value_type = Option<OnStale>, nullable = false)]
        on_stale: Option<String>,
    }
}

code_request! {
    /// Which file is deleted.
    #[schema(as = DeleteFile)]
    DeleteFileRequest {
        /// The path of the file.
        path: String,
        /// Only if the file is at this version; otherwise `conflict`.
        #[serde(default, deserialize_with = "deserialize_some")]
        #[schema(value_type = Option<i64>, minimum = 1, nullable = false)]
        expected_version: Option<u64>,
    }
}

/// One of several edits.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = OnePatch)]
pub(crate) struct FilePassageEditRequest {
    /// The passage as you remember it.
    #[schema(min_length = 1)]
    old_string: String,
    /// What it becomes.
    new_string: String,
    /// In how many places it is; 1 unless given.
    #[serde(default, deserialize_with = "deserialize_some")]
    #[schema(value_type = Option<i64>, minimum = 1, nullable = false)]
    expected_matches: Option<usize>,
}

/// What is validated: exactly one of `content` and `path`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ValidateWorkflow)]
pub(crate) struct ValidateWorkflowRequest {
    /// A text that is not stored.
    #[serde(default)]
    content: Option<String>,
    /// The path of a stored workflow.
    #[serde(default)]
    path: Option<String>,
    /// The organization of the path; unless given, the caller's, and for admins none.
    #[serde(default)]
    organization_id: Option<Uuid>,
}

impl ListFilesRequest {
    pub(crate) fn into_query(self) -> Result<CodeFiles, Error> {
        Ok(CodeFiles { scope: self.scope()?, path_prefix: self.path_prefix })
    }
}

impl ReadFileLinesRequest {
    pub(crate) fn into_query(self) -> Result<(FileRef, ReadContent), Error> {
        for (field, line) in [("start_line", self.start_line), ("end_line", self.end_line)] {
            if line == Some(0) {
                return Err(invalid_field(field, "must be a whole number of at least 1"));
            }
        }
        let range = LineRange::for_code(self.start_line, self.end_line);
        Ok((FileRef { scope: self.scope()?, path: self.path }, ReadContent::Lines(range)))
    }
}

impl GetFileRequest {
    pub(crate) fn into_file(self) -> Result<FileRef, Error> {
        Ok(FileRef { scope: self.scope()?, path: self.path })
    }
}

impl PatchFileRequest {
    /// The file and the edit.
    pub(crate) fn into_request(self) -> Result<(FileRef, EditRequest), Error> {
        let scope = self.scope()?;
        let change = match (self.old_string, self.new_string, self.edits) {
            (Some(old_str), Some(new_str), None) => {
                let expected_matches = self.expected_matches.unwrap_or(1);
                TextChange::Replace(PassageChange { old_str, new_str, expected_matches })
            }
            (None, None, Some(edits)) => {
                if self.expected_matches.is_some() {
                    return Err(invalid_field(
                        "expected_matches",
                        "belongs to each of `edits` where there are several",
                    ));
                }
                let one = |Object(edit): Object<FilePassageEditRequest>| PassageChange {
                    old_str: edit.old_string,
                    new_str: edit.new_string,
                    expected_matches: edit.expected_matches.unwrap_or(1),
                };
                TextChange::Several(edits.into_iter().map(one).collect())
            }
            (_, _, Some(_)) => {
                return Err(invalid_field("edits", "cannot be given beside `old_string` and `new_string`"));
            }
            (None, _, None) => return Err(invalid_field("old_string", "is required")),
            (Some(_), None, None) => return Err(invalid_field("new_string", "is required")),
        };
        let mode = if self.dry_run { EditMode::DryRun } else { EditMode::Write };
        let request = EditRequest {
            expected: require_version(self.expected_version),
            mode,
            loosest: loosest_level(self.loosest.as_deref())?,
            merged: self.merged,
            ..EditRequest::new(change)
        };
        Ok((FileRef { scope, path: self.path }, request))
    }
}

impl ReplaceFileRequest {
    pub(crate) fn into_request(self) -> Result<ReplaceFile, Error> {
        let (scope, on_stale) = (self.scope()?, on_stale(self.on_stale.as_deref())?);
        let file = FileRef { scope, path: self.path };
        Ok(ReplaceFile { file, content: self.content, expected: require_version(self.expected_version), on_stale })
    }
}

impl DeleteFileRequest {
    pub(crate) fn into_request(self) -> Result<(FileRef, ExpectedVersion), Error> {
        let expected = require_version(self.expected_version);
        Ok((FileRef { scope: self.scope()?, path: self.path }, expected))
    }
}

impl ValidateWorkflowRequest {
    pub(crate) fn into_source(self) -> Result<(WorkflowSource, Option<OrganizationId>), Error> {
        let organization = self.organization_id.map(OrganizationId::from_uuid);
        match (self.content, self.path) {
            (Some(content), None) => Ok((WorkflowSource::Content(content), organization)),
            (None, Some(path)) => Ok((WorkflowSource::Path(path), organization)),
            (None, None) => Err(invalid_field("content", "one of `content` and `path` is required")),
            (Some(_), Some(_)) => Err(invalid_field("path", "cannot be given beside `content`")),
        }
    }
}

/// The kind and the owner of the code that a request is about.
pub(super) fn code_scope(
    entity_type: &str,
    app_id: Option<&str>,
    organization_id: Option<Uuid>,
) -> Result<CodeScope, Error> {
    let kind = CodeKind::from_name(entity_type)
        .ok_or_else(|| invalid_field("entity_type", "must be one of app_file, workflow, module"))?;
    Ok(CodeScope { kind, app: app_id.map(AppRef::parse), organization: organization_id.map(OrganizationId::from_uuid) })
}
