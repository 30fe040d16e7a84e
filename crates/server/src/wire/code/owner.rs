//! The owner of a file of code: an app or an organization.

use interline_items::{Caller, Item, Kind, SpaceId, SpaceOwner};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// The app of an app file, or the organization of other code.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = Place)]
pub(crate) struct CodeOwner {
    /// The app, of app files.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) app_id: Option<Uuid>,
    /// The organization, of workflows and modules; null is everybody's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) organization_id: Option<Option<Uuid>>,
}

impl CodeOwner {
    pub(crate) fn from_app(app: interline_items::AppId) -> CodeOwner {
        CodeOwner { app_id: Some(app.uuid()), organization_id: None }
    }

    /// The owner of an item of code, for a caller who sees it; none for other items.
    pub(crate) fn from_item(item: &Item, caller: &Caller) -> CodeOwner {
        match item.kind {
            Kind::Note | Kind::Bookmark | Kind::Prompt => CodeOwner { app_id: None, organization_id: None },
            Kind::AppFile | Kind::Workflow | Kind::Module => CodeOwner::from_space(item.space, caller),
        }
    }

    /// The owner of code in a space, for a caller who sees it.
    pub(crate) fn from_space(space: SpaceId, caller: &Caller) -> CodeOwner {
        let unowned = CodeOwner { app_id: None, organization_id: None };
        match caller.owner_of(space) {
            Some(SpaceOwner::App(app)) => CodeOwner::from_app(app),
            Some(SpaceOwner::Organization(id)) => CodeOwner { organization_id: Some(Some(id.uuid())), ..unowned },
            Some(SpaceOwner::Global) => CodeOwner { organization_id: Some(None), ..unowned },
            Some(SpaceOwner::User(_)) | None => unowned,
        }
    }
}
