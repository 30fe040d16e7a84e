//! Whose code is.

use interline_items::{Caller, Item, Kind, SpaceId, SpaceOwner};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// The app of an app file, or the organization of other code.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct Place {
    /// The app, of app files.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) app_id: Option<Uuid>,
    /// The organization, of workflows and modules; null is everybody's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) organization_id: Option<Option<Uuid>>,
}

impl Place {
    /// In an app.
    pub(crate) fn of_app(app: interline_items::AppId) -> Place {
        Place { app_id: Some(app.uuid()), organization_id: None }
    }

    /// Where an item of code is, for a caller who sees it; nothing of other items.
    pub(crate) fn of(item: &Item, caller: &Caller) -> Place {
        match item.kind {
            Kind::Note | Kind::Bookmark | Kind::Prompt => Place { app_id: None, organization_id: None },
            Kind::AppFile | Kind::Workflow | Kind::Module => Place::in_space(item.space, caller),
        }
    }

    /// Where code in a space is, for a caller who sees it.
    pub(crate) fn in_space(space: SpaceId, caller: &Caller) -> Place {
        let nowhere = Place { app_id: None, organization_id: None };
        match caller.owner_of(space) {
            Some(SpaceOwner::App(app)) => Place::of_app(app),
            Some(SpaceOwner::Organization(id)) => Place { organization_id: Some(Some(id.uuid())), ..nowhere },
            Some(SpaceOwner::Global) => Place { organization_id: Some(None), ..nowhere },
            Some(SpaceOwner::User(_)) | None => nowhere,
        }
    }
}
