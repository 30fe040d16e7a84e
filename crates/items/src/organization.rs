//! Organizations, which users belong to.

use jiff::Timestamp;

use crate::OrganizationId;

/// A company, a school, a team. Its workflows are in its space, and its users write there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Organization {
    /// Its identifier.
    pub id: OrganizationId,
    /// Its name.
    pub name: String,
    /// The domain of its e-mail addresses.
    pub domain: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
}
