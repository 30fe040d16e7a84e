//! Organizations in requests and responses.

use interline_items::{Organization, OrganizationDraft};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::wire::Time;

/// An organization.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Organization)]
pub(crate) struct OrganizationResponse {
    /// Its identifier.
    id: Uuid,
    /// What it is called.
    name: String,
    /// The domain of its addresses.
    domain: Option<String>,
    /// When it was made.
    created_at: Time,
}

/// The organizations that exist for the caller.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OrganizationList {
    /// Oldest first.
    pub(crate) organizations: Vec<OrganizationResponse>,
}

/// A new organization.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewOrganization)]
pub(crate) struct CreateOrganizationRequest {
    /// What it is called.
    #[schema(min_length = 1, max_length = 200)]
    name: String,
    /// The domain of its addresses.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 200)]
    domain: Option<String>,
}

impl CreateOrganizationRequest {
    pub(crate) fn into_draft(self) -> OrganizationDraft {
        OrganizationDraft { name: self.name, domain: self.domain }
    }
}

impl From<&Organization> for OrganizationResponse {
    fn from(organization: &Organization) -> OrganizationResponse {
        OrganizationResponse {
            id: organization.id.uuid(),
            name: organization.name.clone(),
            domain: organization.domain.clone(),
            created_at: Time(organization.created_at),
        }
    }
}
