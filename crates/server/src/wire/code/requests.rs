//! Bodies of `POST /code/…`: the parameters of the tools for code.

use interline_items::fields::FieldError;
use interline_items::{
    AppRef, CodeFiles, CodeKind, CodeScope, EditMode, EditRequest, Error, Expectation, ExpectedVersion, FileRef,
    LineRange, OrganizationId, PassageChange, ReadContent, ReplaceFile, TextChange, WorkflowSource,
};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::wire::Object;
use crate::wire::input::given;

/// A body with its own fields, and with those that say which code is meant. (Serde can share fields between types, but
/// then neither refuses unknown ones nor says which is wrong.)
macro_rules! code_body {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Deserialize, ToSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $name {
            /// What it is: `app_file`, `workflow` or `module`.
            #[schema(pattern = "^(app_file|workflow|module)$")]
            entity_type: String,
            $($(#[$field_doc])* $field: $type,)*
            /// The app by its id or slug: of app files, and only of them.
            #[serde(default)]
            app_id: Option<String>,
            /// The organization, of workflows; unless given, the caller's, and for admins none.
            #[serde(default)]
            organization_id: Option<Uuid>,
        }

        impl $name {
            fn scope(&self) -> Result<CodeScope, Error> {
                let kind = CodeKind::from_name(&self.entity_type)
                    .ok_or_else(|| refused("entity_type", "must be one of app_file, workflow, module"))?;
                Ok(CodeScope {
                    kind,
                    app: self.app_id.as_deref().map(AppRef::parse),
                    organization: self.organization_id.map(OrganizationId::from_uuid),
                })
            }
        }
    };
}

code_body! {
    /// Which files are listed.
    ListFiles {
        /// What their paths begin with.
        #[serde(default)]
        path_prefix: Option<String>,
    }
}

code_body! {
    /// Which lines of a file are read.
    ReadFileLines {
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

code_body! {
    /// Which file is read.
    GetFile {
        /// The path of the file.
        path: String,
    }
}

code_body! {
    /// A passage of a file and what it becomes, or several.
    PatchFile {
        /// The path of the file.
        path: String,
        /// The passage as you remember it; it must be unique unless `expected_matches` says how often it is there.
        #[serde(default, deserialize_with = "given")]
        #[schema(nullable = false, min_length = 1)]
        old_string: Option<String>,
        /// What it becomes; empty to delete it.
        #[serde(default, deserialize_with = "given")]
        #[schema(nullable = false)]
        new_string: Option<String>,
        /// In how many places it is; all of them are changed. 1 unless given.
        #[serde(default, deserialize_with = "given")]
        #[schema(value_type = Option<i64>, minimum = 1, nullable = false)]
        expected_matches: Option<usize>,
        /// From 1 to 100 edits instead, each on the result of the one before, saved together.
        #[serde(default, deserialize_with = "given")]
        #[schema(value_type = Option<Vec<OnePatch>>, nullable = false, min_items = 1, max_items = 100)]
        edits: Option<Vec<Object<OnePatch>>>,
        /// Only if the file is at this version; otherwise `conflict`.
        #[serde(default, deserialize_with = "given")]
        #[schema(value_type = Option<i64>, minimum = 1, nullable = false)]
        expected_version: Option<u64>,
        /// Nothing is written; the answer tells what would be.
        #[serde(default)]
        dry_run: bool,
    }
}

code_body! {
    /// A whole file.
    ReplaceFileBody {
        /// The path of the file.
        path: String,
        /// Its content.
        content: String,
        /// Only if the file is there at this version; otherwise `conflict`.
        #[serde(default, deserialize_with = "given")]
        #[schema(value_type = Option<i64>, minimum = 1, nullable = false)]
        expected_version: Option<u64>,
    }
}

code_body! {
    /// Which file is deleted.
    DeleteFile {
        /// The path of the file.
        path: String,
        /// Only if the file is at this version; otherwise `conflict`.
        #[serde(default, deserialize_with = "given")]
        #[schema(value_type = Option<i64>, minimum = 1, nullable = false)]
        expected_version: Option<u64>,
    }
}

/// One of several edits.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OnePatch {
    /// The passage as you remember it.
    #[schema(min_length = 1)]
    old_string: String,
    /// What it becomes.
    new_string: String,
    /// In how many places it is; 1 unless given.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<i64>, minimum = 1, nullable = false)]
    expected_matches: Option<usize>,
}

/// What is validated: exactly one of `content` and `path`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ValidateWorkflow {
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

impl ListFiles {
    pub(crate) fn into_query(self) -> Result<CodeFiles, Error> {
        Ok(CodeFiles { scope: self.scope()?, path_prefix: self.path_prefix })
    }
}

impl ReadFileLines {
    pub(crate) fn into_query(self) -> Result<(FileRef, ReadContent), Error> {
        for (field, line) in [("start_line", self.start_line), ("end_line", self.end_line)] {
            if line == Some(0) {
                return Err(refused(field, "must be a whole number of at least 1"));
            }
        }
        let range = LineRange::for_code(self.start_line, self.end_line);
        Ok((FileRef { scope: self.scope()?, path: self.path }, ReadContent::Lines(range)))
    }
}

impl GetFile {
    pub(crate) fn into_file(self) -> Result<FileRef, Error> {
        Ok(FileRef { scope: self.scope()?, path: self.path })
    }
}

impl PatchFile {
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
                    return Err(refused("expected_matches", "belongs to each of `edits` where there are several"));
                }
                let one = |Object(edit): Object<OnePatch>| PassageChange {
                    old_str: edit.old_string,
                    new_str: edit.new_string,
                    expected_matches: edit.expected_matches.unwrap_or(1),
                };
                TextChange::Several(edits.into_iter().map(one).collect())
            }
            (_, _, Some(_)) => return Err(refused("edits", "cannot be given beside `old_string` and `new_string`")),
            (None, _, None) => return Err(refused("old_string", "is required")),
            (Some(_), None, None) => return Err(refused("new_string", "is required")),
        };
        let mode = if self.dry_run { EditMode::DryRun } else { EditMode::Write };
        let request = EditRequest { expected: expected(self.expected_version), mode, ..EditRequest::new(change) };
        Ok((FileRef { scope, path: self.path }, request))
    }
}

impl ReplaceFileBody {
    pub(crate) fn into_request(self) -> Result<ReplaceFile, Error> {
        let file = FileRef { scope: self.scope()?, path: self.path };
        Ok(ReplaceFile { file, content: self.content, expected: expected(self.expected_version) })
    }
}

impl DeleteFile {
    pub(crate) fn into_request(self) -> Result<(FileRef, ExpectedVersion), Error> {
        let expected = expected(self.expected_version);
        Ok((FileRef { scope: self.scope()?, path: self.path }, expected))
    }
}

impl ValidateWorkflow {
    pub(crate) fn into_source(self) -> Result<(WorkflowSource, Option<OrganizationId>), Error> {
        let organization = self.organization_id.map(OrganizationId::from_uuid);
        match (self.content, self.path) {
            (Some(content), None) => Ok((WorkflowSource::Content(content), organization)),
            (None, Some(path)) => Ok((WorkflowSource::Path(path), organization)),
            (None, None) => Err(refused("content", "one of `content` and `path` is required")),
            (Some(_), Some(_)) => Err(refused("path", "cannot be given beside `content`")),
        }
    }
}

fn expected(version: Option<u64>) -> ExpectedVersion {
    version.map_or(ExpectedVersion::Any, |version| ExpectedVersion::Exactly(version, Expectation::ExpectedVersion))
}

fn refused(field: &str, message: &str) -> Error {
    Error::ValidationFailed(vec![FieldError::new(field, message)])
}
