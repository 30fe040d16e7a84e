//! Making and listing organizations.

use std::collections::BTreeSet;

use crate::{Error, Organization, OrganizationId, Rank, Scope, Space, SpaceId, SpaceOwner};

use super::users::{check_address, check_name};
use crate::usecases::{Caller, Interline, now};

/// The fields of a new organization, as the caller gives them.
#[derive(Clone, Debug)]
pub struct OrganizationDraft {
    /// Name.
    pub name: String,
    /// The domain of its e-mail addresses.
    pub domain: Option<String>,
}

impl Interline {
    /// Makes an organization with its space; for admins.
    pub async fn create_organization(&self, caller: &Caller, draft: OrganizationDraft) -> Result<Organization, Error> {
        caller.require_person()?;
        caller.require(Scope::Admin)?;
        caller.require_unnarrowed()?;
        check_name("name", &draft.name)?;
        if let Some(domain) = &draft.domain {
            check_address("domain", domain)?;
        }
        let OrganizationDraft { name, domain } = draft;
        let organization = Organization { id: OrganizationId::generate(), name, domain, created_at: now() };
        let owner = SpaceOwner::Organization(organization.id);
        let space = Space { id: SpaceId::generate(), owner, name: organization.name.clone() };
        self.store.create_organization(&organization, &space).await?;
        self.credentials.clear();
        Ok(organization)
    }

    /// The organizations whose space exists for the caller, oldest first: of admins all, of others their own.
    pub async fn organizations(&self, caller: &Caller) -> Result<Vec<Organization>, Error> {
        caller.require(Scope::Read)?;
        let visible = caller.memberships().iter().filter_map(|membership| match membership.space.owner {
            SpaceOwner::Organization(id) => Some(id),
            SpaceOwner::User(_) | SpaceOwner::App(_) | SpaceOwner::Global => None,
        });
        let visible: BTreeSet<OrganizationId> = visible.collect();
        match caller.rank() {
            Rank::Admin => {
                let all = self.store.organizations().await?;
                Ok(all.into_iter().filter(|organization| visible.contains(&organization.id)).collect())
            }
            Rank::Member => {
                let mut found = Vec::new();
                for id in visible {
                    found.extend(self.store.organization(id).await?);
                }
                Ok(found)
            }
        }
    }
}
