//! Deleting and restoring apps.
//!
//! A deleted app keeps its files and published versions as they are, and its space is nobody's: so none of them exists for
//! anyone until it is restored. The upkeep removes all of it when it was in the trash long enough.

use crate::{App, Error, Rank, Role, Scope, SpaceOwner};

use super::super::commit::{MAX_ROUNDS, lost_every_round};
use super::super::{Caller, Interline};
use super::apps::{AppRef, SEVERAL_OWNERS, sees_apps, time_of_change};

impl Interline {
    /// The deleted apps that the caller may restore, the one that was deleted last first.
    pub async fn deleted_apps(&self, caller: &Caller) -> Result<Vec<App>, Error> {
        caller.require(Scope::Read)?;
        let deleted = self.store.deleted_apps().await?;
        Ok(deleted.into_iter().filter(|app| restores(caller, app)).collect())
    }

    /// Puts an app into the trash, with its files and published versions; its slug is free then.
    pub async fn delete_app(&self, caller: &Caller, app_ref: &AppRef) -> Result<App, Error> {
        caller.require(Scope::Read)?;
        for _ in 0..MAX_ROUNDS {
            let before = self.writable_app(caller, app_ref).await?;
            let at = time_of_change(&before);
            let after = App { deleted_at: Some(at), updated_at: at, ..before.clone() };
            if self.save_app(&before, &after).await? {
                return Ok(after);
            }
        }
        Err(lost_every_round())
    }

    /// Takes an app from the trash, with its files and published versions. One that is not deleted stays as it is. A slug means
    /// the app that has it, or else the one that was deleted last: of the caller's organization, or the global one.
    pub async fn restore_app(&self, caller: &Caller, app_ref: &AppRef) -> Result<App, Error> {
        caller.require(Scope::Read)?;
        for _ in 0..MAX_ROUNDS {
            let missing = match self.writable_app(caller, app_ref).await {
                Err(missing @ Error::Missing { .. }) => missing,
                found => return found,
            };
            let before = self.app_to_restore(caller, app_ref).await?.ok_or(missing)?;
            caller.require_change()?;
            let after = App { deleted_at: None, updated_at: time_of_change(&before), ..before.clone() };
            if self.save_app(&before, &after).await? {
                return Ok(after);
            }
        }
        Err(lost_every_round())
    }

    /// The deleted app that a request means.
    async fn app_to_restore(&self, caller: &Caller, app_ref: &AppRef) -> Result<Option<App>, Error> {
        let named = self.apps_named(app_ref).await?.into_iter();
        let mut deleted: Vec<App> = named.filter(|app| app.deleted_at.is_some() && restores(caller, app)).collect();
        for preferred in [caller.home(), None] {
            if deleted.iter().any(|app| app.organization == preferred) {
                deleted.retain(|app| app.organization == preferred);
            }
        }
        if deleted.windows(2).any(|pair| pair[0].organization != pair[1].organization) {
            return Err(SEVERAL_OWNERS);
        }
        Ok(deleted.into_iter().max_by_key(|app| app.deleted_at))
    }

    /// Stores an app that is now deleted or restored, if it is as it was known; whether it was.
    async fn save_app(&self, before: &App, after: &App) -> Result<bool, Error> {
        let is_saved = self.store.update_app(after, before.updated_at).await?;
        // Which spaces exist for whom is cached with credentials.
        self.credentials.clear();
        Ok(is_saved)
    }
}

/// Whether a deleted app exists for a caller, who then may restore it: someone who could make one for its owner. A token
/// that is narrowed to spaces could not see the app's.
fn restores(caller: &Caller, app: &App) -> bool {
    let owns = match app.organization {
        None => caller.rank() == Rank::Admin,
        Some(organization) => caller
            .membership_of(SpaceOwner::Organization(organization))
            .is_some_and(|membership| membership.role >= Role::Writer),
    };
    owns && sees_apps(caller) && caller.require_all_spaces().is_ok()
}
