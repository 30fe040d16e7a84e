//! Making, listing, reading and changing apps; deleting and restoring them is in [`app_trash`](super::app_trash).

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::fields::{AppSlug, Description};
use crate::{
    App, AppId, Batch, CodeKind, Error, FilePage, FileQuery, Kind, NewApp, OrganizationId, Rank, Refusal, Scope, Space,
    SpaceId, SpaceOwner,
};

use super::super::access::check_name;
use super::super::commit::{MAX_ROUNDS, lost_every_round};
use super::super::{Caller, FieldChange, Interline, ItemDraft, now};
use super::replace::require_code_write;

/// How many files of an app are listed with it.
const MAX_FILES: usize = 1_000;
/// The longest navigation, in bytes of JSON.
const MAX_NAVIGATION_BYTES: usize = 64 * 1024;

/// The first files of a new app.
const SCAFFOLD: [(&str, &str); 2] = [
    ("_layout.tsx", "export default function Layout({ children }) {\n  return <main>{children}</main>;\n}\n"),
    ("pages/index.tsx", "export default function Index() {\n  return <h1>Hello</h1>;\n}\n"),
];

/// How a request names an app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AppRef {
    /// By its id.
    Id(AppId),
    /// By its slug: the one of the caller's organization, then a global one, then, for admins, the only one elsewhere.
    Slug(String),
}

impl AppRef {
    /// An id or a slug: no slug looks like an id.
    pub fn parse(text: &str) -> AppRef {
        Uuid::try_parse(text).map_or_else(|_| AppRef::Slug(text.to_owned()), |id| AppRef::Id(AppId::from_uuid(id)))
    }

    pub(super) fn not_found(&self) -> Error {
        let requested = match self {
            AppRef::Id(id) => id.to_string(),
            AppRef::Slug(slug) => slug.clone(),
        };
        Error::Missing { what: "app", requested, hint: "list the apps to find its id or slug" }
    }
}

/// The fields of a new app, as the caller gives them.
#[derive(Clone, Debug)]
pub struct AppDraft {
    /// Name.
    pub name: String,
    /// Slug; made from the name unless given.
    pub slug: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// The organization that owns it; unless given, the caller's, and for admins none: a global app.
    pub organization: Option<OrganizationId>,
    /// Its navigation, as JSON.
    pub navigation: Option<String>,
}

/// Changes of an app, as the caller gives them.
#[derive(Clone, Debug, Default)]
pub struct AppChanges {
    /// Name.
    pub name: Option<String>,
    /// Slug.
    pub slug: Option<String>,
    /// What it is for.
    pub description: FieldChange<String>,
    /// Its navigation, as JSON.
    pub navigation: FieldChange<String>,
}

/// An app with the files of its draft.
#[derive(Clone, Debug)]
pub struct AppDetails {
    /// The app.
    pub app: App,
    /// The first 1,000 files in the order of their paths, and how many there are.
    pub draft: FilePage,
}

/// A slug does not say which app is meant.
pub(super) const SEVERAL_OWNERS: Error = Error::InvalidParameters(
    "several organizations have an app with this slug; name it by its id, from the list of apps",
);

impl Interline {
    /// The apps that exist for the caller, oldest first.
    pub async fn apps(&self, caller: &Caller) -> Result<Vec<App>, Error> {
        caller.require(Scope::Read)?;
        let visible = caller.memberships().iter().filter_map(|membership| match membership.space.owner {
            SpaceOwner::App(id) if sees_apps(caller) => Some(id),
            SpaceOwner::App(_) | SpaceOwner::User(_) | SpaceOwner::Organization(_) | SpaceOwner::Global => None,
        });
        let apps = self.store.apps(&visible.collect()).await?;
        Ok(apps.into_iter().filter(|app| app.deleted_at.is_none()).collect())
    }

    /// An app with the files of its draft.
    pub async fn app(&self, caller: &Caller, app_ref: &AppRef) -> Result<AppDetails, Error> {
        caller.require(Scope::Read)?;
        let app = self.visible_app(caller, app_ref).await?;
        let space = space_of(caller, &app).ok_or_else(|| app_ref.not_found())?;
        let query =
            FileQuery { spaces: [space].into(), kind: CodeKind::AppFile, path_prefix: String::new(), limit: MAX_FILES };
        Ok(AppDetails { draft: self.store.files(&query).await?, app })
    }

    /// Makes an app with a small scaffold of files.
    pub async fn create_app(&self, caller: &Caller, draft: AppDraft) -> Result<AppDetails, Error> {
        caller.require_apply()?;
        caller.require_change()?;
        caller.require_kind(Kind::AppFile)?;
        // A token that is narrowed to spaces could not see the new app's space.
        caller.require_all_spaces()?;
        let organization = self.owner_of_app(caller, draft.organization)?;
        check_name("name", &draft.name)?;
        let slug = match &draft.slug {
            Some(slug) => AppSlug::parse(slug, &self.limits),
            None => AppSlug::from_app_name(&draft.name, &self.limits),
        };
        let at = now();
        let app = App {
            id: AppId::generate(),
            slug: slug.map_err(|error| Error::ValidationFailed(vec![error]))?,
            name: draft.name,
            description: draft.description.map(|text| self.checked_description(text)).transpose()?,
            organization,
            navigation: draft.navigation.map(checked_navigation).transpose()?,
            published_version: None,
            created_at: at,
            updated_at: at,
            deleted_at: None,
        };
        let space = Space { id: SpaceId::generate(), owner: SpaceOwner::App(app.id), name: app.name.clone() };
        let (mut files, mut made) = (Batch::default(), FilePage::default());
        for (path, content) in SCAFFOLD {
            let (path, content) = (Some(path.to_owned()), Some(content.to_owned()));
            let draft = ItemDraft { path, content, ..ItemDraft::default() };
            let (write, file) = self.plan_create(caller, space.id, Kind::AppFile, draft).await?;
            files.writes.push(write);
            made.files.push(file.item);
            made.total += 1;
        }
        self.store.create_app(NewApp { app: app.clone(), space, files }).await?;
        self.credentials.clear();
        Ok(AppDetails { app, draft: made })
    }

    /// Changes what an app is called, its slug, description and navigation; what is not given stays.
    pub async fn update_app(&self, caller: &Caller, app_ref: &AppRef, changes: AppChanges) -> Result<App, Error> {
        caller.require(Scope::Read)?;
        for _ in 0..MAX_ROUNDS {
            let before = self.writable_app(caller, app_ref).await?;
            let mut after = self.changed_app(&before, changes.clone())?;
            if after == before {
                return Ok(before);
            }
            after.updated_at = time_of_change(&before);
            if self.store.update_app(&after, before.updated_at).await? {
                // The app's space has its name, and is cached with the credentials of its members.
                self.credentials.clear();
                return Ok(after);
            }
        }
        Err(lost_every_round())
    }

    /// The app, if it exists for the caller.
    pub(super) async fn visible_app(&self, caller: &Caller, app_ref: &AppRef) -> Result<App, Error> {
        let found = self.apps_named(app_ref).await?.into_iter();
        let mut visible: Vec<App> = found.filter(|app| space_of(caller, app).is_some()).collect();
        // At most one of each: a slug is unique in an organization, and among the global ones.
        for preferred in [caller.home(), None] {
            if let Some(index) = visible.iter().position(|app| app.organization == preferred) {
                return Ok(visible.swap_remove(index));
            }
        }
        match visible.len() {
            0 | 1 => visible.pop().ok_or_else(|| app_ref.not_found()),
            _ => Err(SEVERAL_OWNERS),
        }
    }

    /// The apps that a request may mean, deleted or not, of every organization.
    pub(super) async fn apps_named(&self, app_ref: &AppRef) -> Result<Vec<App>, Error> {
        Ok(match app_ref {
            AppRef::Id(id) => self.store.apps(&[*id].into()).await?,
            AppRef::Slug(slug) => match AppSlug::parse(slug, &self.limits) {
                Ok(slug) => self.store.apps_by_slug(&slug).await?,
                // No app has such a slug.
                Err(_) => Vec::new(),
            },
        })
    }

    /// The app, if the caller may change it.
    pub(super) async fn writable_app(&self, caller: &Caller, app_ref: &AppRef) -> Result<App, Error> {
        caller.require_apply()?;
        let app = self.visible_app(caller, app_ref).await?;
        require_code_write(caller, space_of(caller, &app).ok_or_else(|| app_ref.not_found())?)?;
        Ok(app)
    }

    /// The organization that owns a new app; `None` for a global app.
    fn owner_of_app(
        &self,
        caller: &Caller,
        requested: Option<OrganizationId>,
    ) -> Result<Option<OrganizationId>, Error> {
        match (requested.or_else(|| caller.home()), caller.rank()) {
            (None, Rank::Admin) => Ok(None),
            (None, Rank::Member) => Err(Error::Forbidden(Refusal::NotAdmin)),
            (Some(organization), _) => {
                let hint = "list the organizations to find its id";
                let membership = caller.membership_of(SpaceOwner::Organization(organization));
                let requested = organization.to_string();
                let membership = membership.ok_or(Error::Missing { what: "organization", requested, hint })?;
                require_code_write(caller, membership.space.id)?;
                Ok(Some(organization))
            }
        }
    }

    fn changed_app(&self, before: &App, changes: AppChanges) -> Result<App, Error> {
        let mut after = before.clone();
        if let Some(name) = changes.name {
            check_name("name", &name)?;
            after.name = name;
        }
        if let Some(slug) = changes.slug {
            after.slug = AppSlug::parse(&slug, &self.limits).map_err(|error| Error::ValidationFailed(vec![error]))?;
        }
        match changes.description {
            FieldChange::Keep => {}
            FieldChange::Clear => after.description = None,
            FieldChange::Set(text) => after.description = Some(self.checked_description(text)?),
        }
        match changes.navigation {
            FieldChange::Keep => {}
            FieldChange::Clear => after.navigation = None,
            FieldChange::Set(navigation) => after.navigation = Some(checked_navigation(navigation)?),
        }
        Ok(after)
    }

    fn checked_description(&self, text: String) -> Result<String, Error> {
        match Description::parse(&text, &self.limits) {
            Ok(_) => Ok(text),
            Err(error) => Err(Error::ValidationFailed(vec![error])),
        }
    }
}

/// The time of a change of an app: later than that of the one before by any clock, since it tells two states of the app
/// apart.
pub(super) fn time_of_change(before: &App) -> Timestamp {
    now().max(before.updated_at + SignedDuration::from_micros(1))
}

/// Whether any app exists for a caller: an app is its files.
pub(super) fn sees_apps(caller: &Caller) -> bool {
    caller.kinds().contains(&Kind::AppFile)
}

/// The space of an app that exists for the caller.
fn space_of(caller: &Caller, app: &App) -> Option<SpaceId> {
    // Cached memberships may be a second older than the deletion.
    let exists = sees_apps(caller) && app.deleted_at.is_none();
    let membership = caller.membership_of(SpaceOwner::App(app.id)).filter(|_| exists);
    membership.map(|membership| membership.space.id)
}

fn checked_navigation(navigation: String) -> Result<String, Error> {
    match navigation.len() {
        actual if actual > MAX_NAVIGATION_BYTES => {
            let message = format!("has {actual} bytes of JSON; the limit is {MAX_NAVIGATION_BYTES}");
            Err(Error::field("navigation", message))
        }
        _ => Ok(navigation),
    }
}
