//! The expected state of an item in each version, kept outside of the store, and compared with it.

use anyhow::{Context as _, ensure};
use interline_items::fields::{Description, Tag, Title};
use interline_items::{Action, Fields, HistoryQuery, ItemId, Store};

/// An item in one version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct VersionState {
    pub(super) title: String,
    pub(super) description: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) content: Option<String>,
}

/// An item and all that happened to it.
pub(super) struct ExpectedItem {
    pub(super) id: ItemId,
    /// The first is version 1.
    pub(super) versions: Vec<VersionState>,
    /// What was done, oldest first.
    pub(super) actions: Vec<Action>,
    pub(super) life: Lifecycle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lifecycle {
    Active,
    Archived,
    Deleted { archived: bool },
}

impl ExpectedItem {
    pub(super) fn newest(&self) -> VersionState {
        self.versions.last().cloned().unwrap_or_default()
    }

    /// A change makes a version; one that changes nothing makes none.
    pub(super) fn becomes(&mut self, state: VersionState) {
        if self.versions.last() != Some(&state) {
            self.versions.push(state);
            self.actions.push(Action::Update);
        }
    }

    /// Whether the record of the newest change leads back to what was before. How many versions were rebuilt.
    pub(super) async fn newest_is_undone(&self, store: &dyn Store) -> anyhow::Result<usize> {
        let newest = self.versions.len();
        for number in newest.saturating_sub(1).max(1)..=newest {
            self.check_version(store, number).await?;
        }
        Ok(newest.min(2))
    }

    /// Whether the storage remembers the same. How many versions were rebuilt.
    pub(super) async fn check(&self, store: &dyn Store) -> anyhow::Result<usize> {
        let newest = self.versions.len();
        for number in 1..=newest {
            self.check_version(store, number).await?;
        }
        let beyond = store.version(self.id, newest as u64 + 1).await?;
        ensure!(beyond.is_none(), "there is a version after the newest");
        let snapshot = store.snapshot(self.id).await?.context("the item is gone")?;
        ensure!(snapshot.item.stamp.version == newest as u64, "it is at another version");
        ensure!(
            state(&snapshot.item.fields, snapshot.content.as_deref()) == self.newest(),
            "it is not as it should be"
        );
        let page = store.versions(self.id, HistoryQuery { offset: 0, limit: self.actions.len() + 1 }).await?;
        let mut actions: Vec<Action> = page.records.iter().map(|record| record.action).collect();
        actions.reverse();
        ensure!(actions == self.actions, "its history tells {actions:?}, not {:?}", self.actions);
        Ok(newest)
    }

    async fn check_version(&self, store: &dyn Store, number: usize) -> anyhow::Result<()> {
        let version = store.version(self.id, number as u64).await?;
        let version = version.with_context(|| format!("version {number} is not there"))?;
        let rebuilt = state(&version.fields, version.content.as_deref());
        ensure!(rebuilt == self.versions[number - 1], "version {number} of {} is not what it was", self.versions.len());
        Ok(())
    }
}

fn state(fields: &Fields, content: Option<&str>) -> VersionState {
    VersionState {
        title: fields.title.as_ref().map_or("", Title::as_str).to_owned(),
        description: fields.description.as_ref().map(Description::as_str).map(str::to_owned),
        tags: fields.tags.as_slice().iter().map(Tag::as_str).map(str::to_owned).collect(),
        content: content.map(str::to_owned),
    }
}
