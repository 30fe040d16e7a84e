//! The owner of a space, as three columns of which at most one has a value.

use interline_items::{AppId, OrganizationId, SpaceOwner, UserId};
use uuid::Uuid;

/// The columns of the owner of a space; a global space has none.
#[derive(Clone, Copy, Default)]
pub(crate) struct OwnerColumns {
    pub(crate) user: Option<Uuid>,
    pub(crate) organization: Option<Uuid>,
    pub(crate) app: Option<Uuid>,
}

impl From<SpaceOwner> for OwnerColumns {
    fn from(owner: SpaceOwner) -> OwnerColumns {
        let none = OwnerColumns::default();
        match owner {
            SpaceOwner::User(user) => OwnerColumns { user: Some(user.uuid()), ..none },
            SpaceOwner::Organization(organization) => OwnerColumns { organization: Some(organization.uuid()), ..none },
            SpaceOwner::App(app) => OwnerColumns { app: Some(app.uuid()), ..none },
            SpaceOwner::Global => none,
        }
    }
}

impl From<OwnerColumns> for SpaceOwner {
    fn from(columns: OwnerColumns) -> SpaceOwner {
        let user = columns.user.map(|user| SpaceOwner::User(UserId::from_uuid(user)));
        let organization = columns.organization.map(|id| SpaceOwner::Organization(OrganizationId::from_uuid(id)));
        let app = columns.app.map(|app| SpaceOwner::App(AppId::from_uuid(app)));
        user.or(organization).or(app).unwrap_or(SpaceOwner::Global)
    }
}
