//! Changes of items, as the use cases make them.

use std::ops::Range;
use std::sync::Arc;

use interline_edit::{Edit, Splice};
use interline_items::{
    Action, ContentInfo, ContentWrite, Item, ItemWrite, Record, Snapshot, Source, Store, StoreError,
};
use jiff::{SignedDuration, Timestamp};

use crate::authors::Author;
use crate::samples::title;

impl Author {
    /// Makes an item in the store.
    pub(crate) async fn create(&self, store: &dyn Store, sample: Snapshot) -> Snapshot {
        store.commit(self.creation(&sample).into()).await.unwrap();
        sample
    }

    /// Changes an item in the store, and says what it is now.
    pub(crate) async fn change(
        &self,
        store: &dyn Store,
        old: &Snapshot,
        write: ItemWrite,
    ) -> Result<Snapshot, StoreError> {
        let new = outcome(old, &write);
        store.commit(write.into()).await.map(|()| new)
    }

    pub(crate) fn creation(&self, sample: &Snapshot) -> ItemWrite {
        ItemWrite {
            before: None,
            after: sample.item.clone(),
            content: ContentWrite::Set { old: None, new: sample.content.clone() },
            record: self.record(Action::Create, sample.item.created_at),
        }
    }

    /// Gives an item another title; the content stays.
    pub(crate) fn retitling(&self, old: &Snapshot, text: &str) -> ItemWrite {
        let mut write = self.next(old, Action::Update);
        write.after.fields.title = Some(title(text));
        write.record.changed_fields = vec!["title"];
        write
    }

    /// Gives an item another content as a whole.
    pub(crate) fn rewriting(&self, old: &Snapshot, text: Option<&str>) -> ItemWrite {
        let new: Option<Arc<str>> = text.map(Arc::from);
        let mut write = self.next(old, Action::Update);
        write.after.content = text.map(ContentInfo::from_text);
        write.content = ContentWrite::Set { old: old.content.clone(), new };
        write.record.changed_fields = vec!["content"];
        write
    }

    /// Replaces a range of bytes of an item's content.
    pub(crate) fn editing(&self, old: &Snapshot, range: Range<usize>, text: &str) -> ItemWrite {
        let before = old.content.as_deref().expect("a content to edit");
        let edit = Edit::new(vec![Splice { range, text: text.to_owned() }]).unwrap();
        let new = edit.apply(before).unwrap();
        let mut write = self.next(old, Action::Update);
        write.after.content = Some(ContentInfo::from_text(&new));
        write.content = ContentWrite::Edit { new: Arc::from(new), undo: edit.invert(before).unwrap() };
        write.record.changed_fields = vec!["content"];
        write
    }

    pub(crate) fn archiving(&self, old: &Snapshot) -> ItemWrite {
        self.lifecycle(old, Action::Archive, |item, now| item.archived_at = Some(now))
    }

    pub(crate) fn unarchiving(&self, old: &Snapshot) -> ItemWrite {
        self.lifecycle(old, Action::Unarchive, |item, _| item.archived_at = None)
    }

    pub(crate) fn deleting(&self, old: &Snapshot) -> ItemWrite {
        self.lifecycle(old, Action::Delete, |item, now| item.deleted_at = Some(now))
    }

    pub(crate) fn restoring(&self, old: &Snapshot) -> ItemWrite {
        self.lifecycle(old, Action::Restore, |item, _| item.deleted_at = None)
    }

    fn lifecycle(&self, old: &Snapshot, action: Action, change: fn(&mut Item, Timestamp)) -> ItemWrite {
        let mut write = self.next(old, action);
        change(&mut write.after, write.record.at);
        write
    }

    /// The change that follows a state of an item, a second later, with nothing changed yet.
    fn next(&self, old: &Snapshot, action: Action) -> ItemWrite {
        let mut after = old.item.clone();
        let now = old.item.updated_at + SignedDuration::from_secs(1);
        if action.makes_version() {
            after.stamp.version += 1;
            after.updated_at = now;
        } else {
            after.stamp.revision += 1;
        }
        ItemWrite { before: Some(old.item.stamp), after, content: ContentWrite::Keep, record: self.record(action, now) }
    }

    pub(crate) fn record(&self, action: Action, at: Timestamp) -> Record {
        Record {
            action,
            changed_fields: Vec::new(),
            at,
            source: Source::Rest,
            user: self.user.id,
            token: Some(self.token.token.id),
        }
    }
}

/// What a change makes of an item.
pub(crate) fn outcome(old: &Snapshot, write: &ItemWrite) -> Snapshot {
    let content = match &write.content {
        ContentWrite::Keep => old.content.clone(),
        ContentWrite::Edit { new, .. } => Some(new.clone()),
        ContentWrite::Set { new, .. } => new.clone(),
    };
    Snapshot { item: write.after.clone(), content }
}
