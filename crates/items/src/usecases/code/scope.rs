//! How a request names a file of code, and in which spaces the file is looked up.

use crate::fields::CodePath;
use crate::{CodeKind, Error, ItemId, ItemRef, OrganizationId, SpaceId, SpaceOwner, UniqueField};

use super::super::{Caller, Interline};
use super::apps::AppRef;

/// Code of one kind, of one app or organization.
#[derive(Clone, Debug)]
pub struct CodeScope {
    /// The kind.
    pub kind: CodeKind,
    /// The app, of app files; other code has none.
    pub app: Option<AppRef>,
    /// The organization, of workflows. Unless it is given, that of the caller, and of admins none.
    pub organization: Option<OrganizationId>,
}

/// How a request names a file.
#[derive(Clone, Debug)]
pub struct FileRef {
    /// Its kind, and the app or organization that it belongs to.
    pub scope: CodeScope,
    /// Its path, as the caller gives it.
    pub path: String,
}

impl CodeScope {
    /// Refuses an app or organization that code of this kind does not have, and a missing app.
    fn check(&self) -> Result<(), Error> {
        match (self.kind, &self.app, self.organization) {
            (CodeKind::AppFile, None, _) => Err(Error::field("app_id", "is required for app files")),
            (CodeKind::AppFile, Some(_), Some(_)) => {
                Err(Error::field("organization_id", "is not for app files: their app says whose they are"))
            }
            (CodeKind::Workflow, Some(_), _) => Err(Error::field("app_id", "is for app files, not for workflows")),
            (CodeKind::Module, Some(_), _) => Err(Error::field("app_id", "is for app files, not for modules")),
            (CodeKind::Module, None, Some(_)) => {
                Err(Error::field("organization_id", "is not for modules: all of them are global"))
            }
            (CodeKind::AppFile, Some(_), None) | (CodeKind::Workflow, None, _) | (CodeKind::Module, None, None) => {
                Ok(())
            }
        }
    }
}

impl FileRef {
    /// The error that there is no such file.
    pub(super) fn not_found(&self) -> Error {
        self.missing("list the files of this kind to find its path; admins name an organization's by organization_id")
    }

    pub(super) fn missing(&self, hint: &'static str) -> Error {
        Error::Missing { what: self.scope.kind.name(), requested: self.path.clone(), hint }
    }
}

impl Interline {
    /// The spaces in which code of a scope is looked up for a caller, the preferred one first; none where no such code exists
    /// for them. Not found if the app does not exist.
    pub(in super::super) async fn readable_spaces(
        &self,
        caller: &Caller,
        scope: &CodeScope,
    ) -> Result<Vec<SpaceId>, Error> {
        scope.check()?;
        if !caller.kinds().contains(&scope.kind.kind()) {
            return Ok(Vec::new());
        }
        let space_of = |owner| caller.membership_of(owner).map(|membership| membership.space.id);
        let global = space_of(SpaceOwner::Global);
        let first = match (scope.kind, &scope.app, scope.organization) {
            (CodeKind::AppFile, Some(app), _) => {
                let app = self.visible_app(caller, app).await?;
                return Ok(space_of(SpaceOwner::App(app.id)).into_iter().collect());
            }
            (CodeKind::AppFile, None, _) | (CodeKind::Module, ..) => None,
            (CodeKind::Workflow, _, Some(requested)) => match space_of(SpaceOwner::Organization(requested)) {
                None => return Ok(Vec::new()),
                visible => visible,
            },
            (CodeKind::Workflow, _, None) => caller.home().map(SpaceOwner::Organization).and_then(space_of),
        };
        Ok(first.into_iter().chain(global).collect())
    }

    /// The space that a write of a scope goes to, whether the caller may write there or not.
    pub(super) async fn write_space(&self, caller: &Caller, scope: &CodeScope) -> Result<SpaceId, Error> {
        scope.check()?;
        let (owner, missing) = match (scope.kind, &scope.app) {
            (CodeKind::AppFile, Some(app)) => {
                let app = self.visible_app(caller, app).await?;
                (SpaceOwner::App(app.id), app.id.to_string())
            }
            (CodeKind::AppFile, None) | (CodeKind::Module, _) => (SpaceOwner::Global, "global".to_owned()),
            (CodeKind::Workflow, _) => match scope.organization.or_else(|| caller.home()) {
                Some(organization) => (SpaceOwner::Organization(organization), organization.to_string()),
                None => (SpaceOwner::Global, "global".to_owned()),
            },
        };
        let what = if matches!(owner, SpaceOwner::Organization(_)) { "organization" } else { "space" };
        let hint = "list the organizations and spaces that exist for this token";
        let membership = caller.membership_of(owner);
        membership.map(|membership| membership.space.id).ok_or(Error::Missing { what, requested: missing, hint })
    }

    /// The parsed path of a file.
    pub(super) fn parse_path(&self, file: &FileRef) -> Result<CodePath, Error> {
        let path = CodePath::parse_stored(file.scope.kind, &file.path, &self.limits);
        path.map_err(|error| Error::ValidationFailed(vec![error]))
    }

    /// The file to read: the caller's or the given organization's, then the global one.
    pub(super) async fn file_to_read(&self, caller: &Caller, file: &FileRef) -> Result<ItemRef, Error> {
        let path = UniqueField::Path(self.parse_path(file)?);
        let spaces = self.readable_spaces(caller, &file.scope).await?;
        let found = self.find_unique(caller, &spaces, file.scope.kind.kind(), &path).await?;
        found.map(|id| by_id(file, id)).ok_or_else(|| file.not_found())
    }

    /// The file to change: the one in the space that writes go to, and no other.
    pub(super) async fn file_to_change(&self, caller: &Caller, file: &FileRef) -> Result<ItemRef, Error> {
        let path = UniqueField::Path(self.parse_path(file)?);
        let space = self.write_space(caller, &file.scope).await?;
        let kind = file.scope.kind.kind();
        if caller.kinds().contains(&kind)
            && let Some(id) = self.find_unique(caller, &[space], kind, &path).await?
        {
            return Ok(by_id(file, id));
        }
        let elsewhere: Vec<SpaceId> =
            self.readable_spaces(caller, &file.scope).await?.into_iter().filter(|other| *other != space).collect();
        match self.find_unique(caller, &elsewhere, kind, &path).await? {
            Some(_) => Err(file.missing(
                "it exists globally, where only admins write: make your organization's own by replacing its content, \
                 or ask an admin to change the global one",
            )),
            None => Err(file.not_found()),
        }
    }
}

/// A file by its id.
pub(super) fn by_id(file: &FileRef, id: ItemId) -> ItemRef {
    ItemRef::Id(id, Some(file.scope.kind.kind()))
}
