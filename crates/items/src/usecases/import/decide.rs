//! What becomes of a record: an item is made, an item gets a new version, or it is left alone and reported.

use interline_interchange::SourceRecord;
use jiff::Timestamp;

use crate::fields::{PromptName, Url};
use crate::usecases::commit::new_version;
use crate::usecases::{ItemRef, now, time_after};
use crate::{
    Action, Batch, ContentWrite, Error, HashCheck, HistoryQuery, ImportEvent, ImportOrigin, ImportedChange,
    ImportedSource, Item, ItemId, MergedSource, Snapshot, Stamp, Version, View,
};

use super::merge::{fill_empty, merge_states};
use super::record::{ParsedRecord, State, kind_of, record_hash};
use super::replay::replay;
use super::report::Outcome;
use super::{ImportMode, Importer, PendingItem};

/// How many records of a history are searched for the version that a file was exported from.
const SEARCHED_RECORDS: u64 = 1_000;

impl Importer {
    pub(super) async fn import_record(
        &mut self,
        record: SourceRecord,
        known: Option<ImportedSource>,
    ) -> Result<(), Error> {
        let key = record.source_key.clone();
        let hash = record_hash(&record);
        if known.as_ref().is_some_and(|known| known.hash == hash && known.origin != ImportOrigin::Begun) {
            self.report.done(Outcome::Unchanged, &key, record.notices);
            return Ok(());
        }
        match self.decide(record, hash, known).await {
            Ok(()) => Ok(()),
            Err(error) => self.report_or_fail(key, error),
        }
    }

    async fn decide(
        &mut self,
        record: SourceRecord,
        hash: [u8; 32],
        known: Option<ImportedSource>,
    ) -> Result<(), Error> {
        let kind = kind_of(&record);
        self.caller.require_kind(kind)?;
        if record.source_key.is_empty() || record.source_key.len() > 4_096 || record.source_key.contains('\0') {
            return Err(Error::field("source", "must have from 1 to 4096 bytes, and no NUL"));
        }
        let parsed = ParsedRecord::parse(&self.interline, record, hash, now())?;
        let State { fields, content } = &parsed.state;
        self.interline.check_content(&self.caller, kind, fields, content.clone()).await?;
        let mut known = known;
        if self.is_taken(&parsed) {
            if self.mode == ImportMode::DryRun {
                self.foretell_repeated(parsed);
                return Ok(());
            }
            self.flush().await?;
            let keys = [parsed.key.clone()];
            let found = self.interline.store.imported_sources(self.space, &self.source, &keys).await?;
            known = found.into_iter().next().flatten();
        }
        if let Some(known) = known
            && let Some(snapshot) = self.item(known.item).await?
        {
            return self.reimport(parsed, snapshot, &known).await;
        }
        self.import_new(parsed).await
    }

    /// A record that was imported before, and has changed since.
    async fn reimport(
        &mut self,
        parsed: ParsedRecord,
        snapshot: Snapshot,
        known: &ImportedSource,
    ) -> Result<(), Error> {
        if known.origin == ImportOrigin::Found {
            return self.fill(parsed, snapshot).await;
        }
        if known.origin == ImportOrigin::Begun || View::from_item(&snapshot.item) != View::Deleted {
            if self.go_on(&parsed, &snapshot).await? {
                return Ok(());
            }
            let base = self.imported_state(known).await?;
            return self.merge(parsed, snapshot, base).await;
        }
        self.report_trash(parsed)
    }

    /// A record that was not imported before.
    async fn import_new(&mut self, parsed: ParsedRecord) -> Result<(), Error> {
        let mut id = ItemId::generate();
        if let Some(requested) = parsed.id.filter(|id| !id.is_nil()) {
            match self.interline.store.state(ItemId::from_uuid(requested)).await? {
                None => id = ItemId::from_uuid(requested),
                Some(state) if state.space == self.space && state.kind == parsed.kind => {
                    if let Some(snapshot) = self.item(ItemId::from_uuid(requested)).await? {
                        return self.import_into(parsed, snapshot).await;
                    }
                }
                // It is not said whose it is.
                Some(_) => {}
            }
        }
        if parsed.deleted_at.is_none() {
            if let Some(existing) = self.find_by_url(parsed.state.fields.url.as_ref()).await?
                && let Some(snapshot) = self.item(existing).await?
            {
                return self.fill(parsed, snapshot).await;
            }
            if let Some(name) = &parsed.state.fields.name
                && self.name_is_taken(name, &parsed).await?
            {
                let reason = format!("another prompt has the name `{}`; rename one of them", name.as_str());
                self.report.problem(Outcome::Skipped, parsed.key, reason);
                return Ok(());
            }
        }
        self.create(parsed, id).await
    }

    /// A record with the id of an item of the caller.
    async fn import_into(&mut self, parsed: ParsedRecord, snapshot: Snapshot) -> Result<(), Error> {
        if state_of(&snapshot) == parsed.state {
            let import = self.imported(&parsed, snapshot.item.id, snapshot.item.stamp.version, ImportOrigin::Made);
            self.push(Vec::new(), import, Outcome::Unchanged, parsed);
            return Ok(());
        }
        if View::from_item(&snapshot.item) == View::Deleted {
            return self.report_trash(parsed);
        }
        if self.go_on(&parsed, &snapshot).await? {
            return Ok(());
        }
        // A file that was renamed since it was imported is the same source under another key.
        let imported = self.interline.store.newest_import_of(self.space, &self.source, snapshot.item.id).await?;
        let base = match imported.filter(|known| known.origin == ImportOrigin::Made) {
            Some(known) => self.imported_state(&known).await?,
            None => self.exported_state(&parsed, &snapshot).await?,
        };
        self.merge(parsed, snapshot, base).await
    }

    /// What a record said when it was imported last, if that is kept.
    async fn imported_state(&self, known: &ImportedSource) -> Result<Option<State>, Error> {
        match &known.merged {
            Some(MergedSource { fields, content }) => {
                Ok(Some(State { fields: fields.clone(), content: content.clone() }))
            }
            None => self.stored_state(known.item, known.version).await,
        }
    }

    /// The version of an item that a record was exported from: the one that was made when the record says it was changed.
    async fn exported_state(&self, parsed: &ParsedRecord, snapshot: &Snapshot) -> Result<Option<State>, Error> {
        let Some(at) = parsed.source_updated_at else { return Ok(None) };
        if snapshot.item.updated_at == at {
            return Ok(Some(state_of(snapshot)));
        }
        let mut offset = 0;
        while offset < SEARCHED_RECORDS {
            let query = HistoryQuery { offset, limit: 100 };
            let page = self.interline.store.versions(snapshot.item.id, query).await?;
            let found = page.records.iter().find(|record| record.at == at && record.version.is_some());
            if let Some(version) = found.and_then(|record| record.version) {
                return self.stored_state(snapshot.item.id, version).await;
            }
            if page.records.is_empty() {
                break;
            }
            offset += page.records.len() as u64;
        }
        Ok(None)
    }

    /// The state of an item in a version, if that is kept.
    async fn stored_state(&self, item: ItemId, version: u64) -> Result<Option<State>, Error> {
        let version = self.interline.store.version(item, version).await?;
        Ok(version.map(|Version { fields, content, .. }| State { fields, content }))
    }

    /// Makes the versions of a history that the item does not have yet, if the item is at one of them; whether it is.
    async fn go_on(&mut self, parsed: &ParsedRecord, snapshot: &Snapshot) -> Result<bool, Error> {
        let state = state_of(snapshot);
        let is_here = |version: &(u64, State)| version.0 == snapshot.item.stamp.version && version.1 == state;
        let here = parsed.changes.iter().position(|change| change.version.as_ref().is_some_and(is_here));
        let Some(here) = here else { return Ok(false) };
        let rest = &parsed.changes[here + 1..];
        // Only changes of the lifecycle follow: they may have been made here, too.
        if rest.iter().all(|change| change.version.is_none()) && snapshot.item.deleted_at == parsed.deleted_at {
            let import = self.imported(parsed, snapshot.item.id, snapshot.item.stamp.version, ImportOrigin::Made);
            let notices = parsed.notices.clone();
            self.pending.push(PendingItem { writes: Vec::new(), import, outcome: Outcome::Unchanged, notices });
            return Ok(true);
        }
        let blank = snapshot.item.clone();
        let steps = replay(&self.caller, Some(snapshot.clone()), blank, parsed, rest, now());
        self.commit_steps(steps, parsed, snapshot.item.id, Outcome::Updated).await?;
        Ok(true)
    }

    async fn create(&mut self, parsed: ParsedRecord, id: ItemId) -> Result<(), Error> {
        let blank = Item {
            id,
            kind: parsed.kind,
            space: self.space,
            fields: parsed.state.fields.clone(),
            content: None,
            functions: None,
            stamp: Stamp { version: 0, revision: 0 },
            created_at: parsed.created_at,
            updated_at: parsed.created_at,
            last_used_at: parsed.last_used_at,
            archived_at: None,
            deleted_at: None,
            proposal: None,
        };
        let steps = replay(&self.caller, None, blank, &parsed, &parsed.changes, now());
        self.commit_steps(steps, &parsed, id, Outcome::Created).await
    }

    /// Commits all steps but the last, which waits for others to be committed with it.
    async fn commit_steps(
        &mut self,
        mut steps: Vec<Vec<crate::ItemWrite>>,
        parsed: &ParsedRecord,
        id: ItemId,
        outcome: Outcome,
    ) -> Result<(), Error> {
        let last = steps.pop().unwrap_or_default();
        let version = |writes: &[crate::ItemWrite]| writes.last().map_or(0, |write| write.after.stamp.version);
        for writes in steps {
            let import = self.imported(parsed, id, version(&writes), ImportOrigin::Begun);
            if self.mode == ImportMode::Write {
                let batch = Batch { writes, imports: vec![import], ..Batch::default() };
                let committed = self.interline.commit(&self.caller, batch).await?;
                committed
                    .ok_or_else(|| Error::field("id", "the item was changed while it was imported; import it again"))?;
            }
        }
        let import = self.imported(parsed, id, version(&last), ImportOrigin::Made);
        self.take_unique(parsed, &import);
        self.pending.push(PendingItem { writes: last, import, outcome, notices: parsed.notices.clone() });
        Ok(())
    }

    /// A changed record, and an item that may have changed too; `base` is the state that both come from, if it is known.
    async fn merge(&mut self, parsed: ParsedRecord, snapshot: Snapshot, base: Option<State>) -> Result<(), Error> {
        let theirs = state_of(&snapshot);
        let Some(base) = base else {
            let reason =
                "the item was changed, and the version that this was made from is not known; it was left alone";
            self.report.problem(Outcome::Conflict, parsed.key, reason.to_owned());
            return Ok(());
        };
        let outcome = if theirs == base { Outcome::Updated } else { Outcome::Merged };
        match merge_states(&base, &parsed.state, &theirs) {
            Ok(merged) => self.change(parsed, snapshot, merged, outcome, ImportOrigin::Made).await,
            Err(fields) => {
                let fields = fields.join(", ");
                let reason = format!("the source and the item were both changed in {fields}; the item was left alone");
                self.report.problem(Outcome::Conflict, parsed.key, reason);
                Ok(())
            }
        }
    }

    /// A bookmark that was there: what its owner wrote stays.
    async fn fill(&mut self, parsed: ParsedRecord, snapshot: Snapshot) -> Result<(), Error> {
        if View::from_item(&snapshot.item) == View::Deleted {
            return self.report_trash(parsed);
        }
        let filled = fill_empty(&parsed.state, &state_of(&snapshot));
        self.change(parsed, snapshot, filled, Outcome::Updated, ImportOrigin::Found).await
    }

    /// Gives an item a new state.
    async fn change(
        &mut self,
        parsed: ParsedRecord,
        snapshot: Snapshot,
        state: State,
        outcome: Outcome,
        origin: ImportOrigin,
    ) -> Result<(), Error> {
        let mut after = snapshot.item.clone();
        // The next merge begins with what the source says now, and not with what was made of it.
        let State { fields, content } = parsed.state.clone();
        let merged =
            (origin == ImportOrigin::Made && state != parsed.state).then_some(MergedSource { fields, content });
        let State { fields, content } = state;
        let checked = self.interline.check_content(&self.caller, after.kind, &fields, content.clone()).await?;
        checked.apply_to(&mut after);
        after.fields = fields;
        let content = ContentWrite::between(&snapshot.content, &content);
        let Some(mut write) = new_version(&self.caller, Action::Update, &snapshot.item, &after, content) else {
            let import = self.imported(&parsed, after.id, after.stamp.version, origin);
            let import = ImportedSource { merged, ..import };
            self.push(Vec::new(), import, Outcome::Unchanged, parsed);
            return Ok(());
        };
        let at = changed_at(&snapshot.item, &parsed);
        write.after.updated_at = at;
        write.record.at = at;
        write.record.import = Some(ImportedChange { at: now(), from: None, event: ImportEvent::OfAction });
        let import = self.imported(&parsed, after.id, write.after.stamp.version, origin);
        let import = ImportedSource { merged, ..import };
        self.push(vec![write], import, outcome, parsed);
        Ok(())
    }

    fn push(&mut self, writes: Vec<crate::ItemWrite>, import: ImportedSource, outcome: Outcome, parsed: ParsedRecord) {
        self.take_unique(&parsed, &import);
        self.pending.push(PendingItem { writes, import, outcome, notices: parsed.notices });
    }

    fn imported(&self, parsed: &ParsedRecord, item: ItemId, version: u64, origin: ImportOrigin) -> ImportedSource {
        let (source, key) = (self.source.clone(), parsed.key.clone());
        ImportedSource { space: self.space, source, key, item, hash: parsed.hash, version, origin, merged: None }
    }

    fn report_trash(&mut self, parsed: ParsedRecord) -> Result<(), Error> {
        let reason = "the item is in the trash; restore it or remove it for good, then import again".to_owned();
        self.report.problem(Outcome::Skipped, parsed.key, reason);
        Ok(())
    }

    /// An item of the caller with its content.
    async fn item(&self, id: ItemId) -> Result<Option<Snapshot>, Error> {
        let item_ref = ItemRef::Id(id, None);
        match self.interline.visible_snapshot(&self.caller, &item_ref, HashCheck::Always).await {
            Ok(snapshot) => Ok(Some(snapshot)),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn find_by_url(&self, url: Option<&Url>) -> Result<Option<ItemId>, Error> {
        match url {
            Some(url) => Ok(self.interline.store.find_by_url(self.space, url).await?),
            None => Ok(None),
        }
    }

    async fn name_is_taken(&self, name: &PromptName, parsed: &ParsedRecord) -> Result<bool, Error> {
        Ok(self.interline.store.find_by_name(&[self.space], parsed.kind, name).await?.is_some())
    }

    /// Whether an item that is not committed yet may be the one that a record is about.
    fn is_taken(&self, parsed: &ParsedRecord) -> bool {
        unique_hashes(parsed, None).iter().any(|hash| self.taken.contains(hash))
    }

    fn take_unique(&mut self, parsed: &ParsedRecord, import: &ImportedSource) {
        self.taken.extend(unique_hashes(parsed, Some(import.item)));
        if self.mode == ImportMode::DryRun && import.origin == ImportOrigin::Made {
            self.foretold.remember(parsed);
        }
    }
}

/// Hashes of what no two items of an import share.
fn unique_hashes(parsed: &ParsedRecord, id: Option<ItemId>) -> Vec<[u8; 32]> {
    let fields = &parsed.state.fields;
    let hash = |what: &str, value: &str| *blake3::hash(format!("{what}\0{value}").as_bytes()).as_bytes();
    let mut hashes = vec![hash("key", &parsed.key)];
    hashes.extend(fields.url.as_ref().map(|url| hash("url", url.as_str())));
    hashes.extend(fields.name.as_ref().map(|name| hash("name", name.as_str())));
    let ids = [parsed.id, id.map(ItemId::uuid)].into_iter().flatten();
    hashes.extend(ids.map(|id| hash("id", &id.to_string())));
    hashes
}

fn state_of(snapshot: &Snapshot) -> State {
    State { fields: snapshot.item.fields.clone(), content: snapshot.content.clone() }
}

/// When the source changed: as it says, if that is after the item's last change and not in the future.
fn changed_at(item: &Item, parsed: &ParsedRecord) -> Timestamp {
    let last = [Some(item.updated_at), item.archived_at, item.deleted_at].into_iter().flatten().max();
    let is_after = last.is_none_or(|last| parsed.updated_at > last);
    if parsed.source_updated_at.is_some() && is_after { parsed.updated_at } else { time_after(item) }
}
