//! Listing, finding and validating the functions of workflows.

use std::collections::HashMap;
use std::sync::Arc;

use interline_python::{CodeError, Function};

use crate::fields::{Content, sort_key};
use crate::{CodeKind, Error, FileQuery, Item, OrganizationId, Scope, SpaceId};

use super::super::items::{check_code, take_for_code};
use super::super::{Caller, Interline, ReadContent};
use super::scope::{CodeScope, FileRef};

/// How many workflow files are read at the most.
const MAX_FILES: usize = 10_000;
/// How many functions one list has.
const MAX_FUNCTIONS: usize = 1_000;

/// How many warnings a validation has.
const MAX_WARNINGS: usize = 100;

/// Which workflow functions are listed.
#[derive(Clone, Debug, Default)]
pub struct WorkflowFilter {
    /// A text in their name, title, description or path, in whatever case.
    pub query: Option<String>,
    /// Their category, in whatever case.
    pub category: Option<String>,
    /// Their organization; the global ones are listed too. Unless given, the caller's.
    pub organization: Option<OrganizationId>,
}

/// One function of a workflow file.
#[derive(Clone, Debug)]
pub struct FoundWorkflow {
    /// The file.
    pub file: Arc<Item>,
    /// The function.
    pub function: Function,
}

/// A list of workflow functions.
#[derive(Clone, Debug, Default)]
pub struct Workflows {
    /// The first 1,000, in the order of their files.
    pub workflows: Vec<FoundWorkflow>,
    /// How many there are.
    pub total: usize,
}

/// How a request names a workflow.
#[derive(Clone, Debug)]
pub enum WorkflowRef {
    /// By the name of its function, or the name that its decorator gives it.
    Name(String),
    /// By its file.
    Path {
        /// The path.
        path: String,
        /// The function; all of the file unless given.
        function: Option<String>,
    },
}

/// The source to validate.
#[derive(Clone, Debug)]
pub enum WorkflowSource {
    /// This text.
    Content(String),
    /// The file that is stored at this path.
    Path(String),
}

/// The verdict whether a text could be stored as a workflow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validation {
    /// Why not.
    pub errors: Vec<CodeError>,
    /// What could be better.
    pub warnings: Vec<String>,
    /// Its functions, if it could.
    pub functions: Vec<Function>,
}

impl Interline {
    /// The functions of the workflows that exist for the caller, in the order of their files.
    pub async fn workflows(&self, caller: &Caller, filter: &WorkflowFilter) -> Result<Workflows, Error> {
        caller.require(Scope::Read)?;
        let query = filter.query.as_deref().map(sort_key).unwrap_or_default();
        let category = filter.category.as_deref().map(sort_key);
        let spaces = self.workflow_spaces(caller, filter.organization).await?;
        let mut all = self.functions_in(caller, &spaces).await?;
        all.retain(|found| found.contains(&query) && category.as_ref().is_none_or(|category| found.is_in(category)));
        let total = all.len();
        all.truncate(MAX_FUNCTIONS);
        Ok(Workflows { workflows: all, total })
    }

    /// The functions that a request names: those of the caller's or the given organization, or else global ones. A name
    /// stands for one function, or is refused with an error that says to name the file.
    pub async fn workflow(
        &self,
        caller: &Caller,
        workflow_ref: &WorkflowRef,
        organization: Option<OrganizationId>,
    ) -> Result<Vec<FoundWorkflow>, Error> {
        caller.require(Scope::Read)?;
        match workflow_ref {
            WorkflowRef::Path { path, function } => {
                let scope = CodeScope { kind: CodeKind::Workflow, app: None, organization };
                let file = FileRef { scope, path: path.clone() };
                let mut found = functions_of(self.read_file(caller, &file, ReadContent::Omit).await?.item);
                found.retain(|one| function.as_ref().is_none_or(|name| *name == one.function.name));
                match function {
                    Some(function) if found.is_empty() => Err(no_function(function)),
                    _ => Ok(found),
                }
            }
            WorkflowRef::Name(name) => {
                for space in self.workflow_spaces(caller, organization).await? {
                    let mut found = self.functions_in(caller, &[space]).await?;
                    found.retain(|one| one.function.name == *name || one.function.title.as_ref() == Some(name));
                    match found.len() {
                        0 => {}
                        1 => return Ok(found),
                        _ => {
                            return Err(Error::InvalidParameters(
                                "several workflows have this `workflow_name`; give `path`, and `function` if needed",
                            ));
                        }
                    }
                }
                Err(no_function(name))
            }
        }
    }

    /// Whether a text, or a stored file, could be stored as a workflow. Nothing is written.
    pub async fn validate_workflow(
        &self,
        caller: &Caller,
        source: WorkflowSource,
        organization: Option<OrganizationId>,
    ) -> Result<Validation, Error> {
        caller.require(Scope::Read)?;
        let text: Arc<str> = match source {
            WorkflowSource::Content(text) => Content::parse(text, &self.limits)?.into_string().into(),
            WorkflowSource::Path(path) => {
                let scope = CodeScope { kind: CodeKind::Workflow, app: None, organization };
                let read = self.read_file(caller, &FileRef { scope, path }, ReadContent::Whole).await?;
                read.part.map(|part| part.text).unwrap_or_default()
            }
        };
        take_for_code(text.len())?;
        let sdk = Arc::clone(&self.sdk);
        let check = move |stack: &_| check_code(CodeKind::Workflow, &text, &sdk, stack);
        match self.threads.run(caller.work_for(), check).await? {
            Ok(functions) => Ok(Validation::from_functions(functions.unwrap_or_default())),
            Err(Error::InvalidCode(error)) => Ok(Validation { errors: vec![error], ..Validation::default() }),
            Err(Error::EntityTypeMismatch(mismatch)) => {
                let error = CodeError { line: 1, column: 1, message: mismatch.to_string() };
                Ok(Validation { errors: vec![error], ..Validation::default() })
            }
            Err(error) => Err(error),
        }
    }

    async fn workflow_spaces(
        &self,
        caller: &Caller,
        organization: Option<OrganizationId>,
    ) -> Result<Vec<SpaceId>, Error> {
        let scope = CodeScope { kind: CodeKind::Workflow, app: None, organization };
        self.readable_spaces(caller, &scope).await
    }

    async fn functions_in(&self, caller: &Caller, spaces: &[SpaceId]) -> Result<Vec<FoundWorkflow>, Error> {
        let query = FileQuery {
            spaces: spaces.iter().copied().collect(),
            kind: CodeKind::Workflow,
            path_prefix: String::new(),
            limit: MAX_FILES,
        };
        let _permit = self.read_permit(caller).await?;
        let page = self.store.files(&query).await?;
        Ok(page.files.into_iter().flat_map(functions_of).collect())
    }
}

impl FoundWorkflow {
    /// Whether its name, title, description or path contains a folded text.
    fn contains(&self, folded: &str) -> bool {
        let Function { name, title, description, .. } = &self.function;
        let path = self.file.fields.path.as_ref().map(crate::fields::CodePath::as_str);
        let texts = [Some(name.as_str()), title.as_deref(), description.as_deref(), path];
        texts.into_iter().flatten().any(|text| sort_key(text).contains(folded))
    }

    fn is_in(&self, folded: &str) -> bool {
        self.function.category.as_deref().is_some_and(|category| sort_key(category) == folded)
    }
}

impl Validation {
    /// The verdict on valid code with these functions.
    fn from_functions(functions: Vec<Function>) -> Validation {
        let mut warnings = Vec::new();
        let mut lines: HashMap<&str, usize> = HashMap::new();
        for function in &functions {
            let Function { name, line, description, doc, .. } = function;
            if description.is_none() && doc.is_none() {
                warnings.push(format!("`{name}` on line {line} has neither a description nor a doc string"));
            }
            if let Some(first) = lines.insert(name, *line) {
                warnings.push(format!("`{name}` on line {line} has the name of the one on line {first}"));
            }
        }
        warnings.truncate(MAX_WARNINGS);
        Validation { errors: Vec::new(), warnings, functions }
    }
}

fn functions_of(mut item: Item) -> Vec<FoundWorkflow> {
    let functions = item.functions.take().unwrap_or_default();
    let file = Arc::new(item);
    functions.into_iter().map(|function| FoundWorkflow { file: Arc::clone(&file), function }).collect()
}

fn no_function(name: &str) -> Error {
    Error::Missing {
        what: "workflow",
        requested: name.to_owned(),
        hint: "list the workflows to find its name and path",
    }
}
