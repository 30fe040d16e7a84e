//! A new store with one user, and short ways to use it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use interline_items::fields::Limits;
use interline_items::{
    Caller, Error, ExpectedVersion, Interline, Item, ItemChanges, ItemDraft, ItemRef, Kind, Rank, ReadContent,
    ReadItem, SecretHash, Snapshot, Source, TokenDraft, UserDraft,
};
use interline_storage::SqliteStore;
use rusqlite::Connection;
use tempfile::TempDir;

/// A store, the rules over it, and its first user at the REST door.
pub(crate) struct World {
    pub(crate) interline: Interline,
    pub(crate) owner: Caller,
    file: PathBuf,
    // The last one, so that the files go after the store.
    _directory: TempDir,
}

/// What history tells about one change.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) action: String,
    pub(crate) changed_fields: String,
    pub(crate) version: Option<u64>,
    pub(crate) source: String,
}

impl World {
    pub(crate) async fn new() -> World {
        World::with_limits(Limits::default()).await
    }

    pub(crate) async fn with_limits(limits: Limits) -> World {
        let (interline, file, directory) = empty(limits);
        let (_, secret) = interline.first_start("owner").await.unwrap().unwrap();
        let owner = interline.authenticate(SecretHash::from_secret(secret.as_str()), Source::Rest).await.unwrap();
        World { interline, owner, file, _directory: directory }
    }

    /// Where the store is.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// The same store under other limits, as after a change of the configuration.
    pub(crate) fn limited(&self, limits: Limits) -> Interline {
        Interline::new(Arc::new(SqliteStore::open(&self.file).unwrap()), limits)
    }

    pub(crate) async fn create(&self, kind: Kind, draft: ItemDraft) -> Item {
        self.interline.create(&self.owner, kind, draft).await.unwrap().item
    }

    pub(crate) async fn update(&self, item: &Item, changes: ItemChanges) -> Result<Snapshot, Error> {
        self.interline.update(&self.owner, &by_id(item), ExpectedVersion::Any, changes).await
    }

    /// The item as it is now.
    pub(crate) async fn item(&self, item: &Item) -> Item {
        self.read(item, ReadContent::Omit).await.unwrap().item
    }

    pub(crate) async fn text(&self, item: &Item) -> Option<String> {
        self.read(item, ReadContent::Whole).await.unwrap().part.map(|part| part.text.to_string())
    }

    pub(crate) async fn read(&self, item: &Item, content: ReadContent) -> Result<ReadItem, Error> {
        self.interline.read(&self.owner, &by_id(item), content).await
    }

    /// Another user, with its first token.
    pub(crate) async fn user(&self, name: &str, rank: Rank) -> Caller {
        let draft = UserDraft { name: name.to_owned(), email: None, rank, organization: None };
        let (_, _, secret) = self.interline.create_user(&self.owner, draft).await.unwrap();
        self.interline.authenticate(SecretHash::from_secret(secret.as_str()), Source::Rest).await.unwrap()
    }

    /// The owner with another token.
    pub(crate) async fn narrowed(&self, draft: TokenDraft) -> Caller {
        self.narrowed_by(&self.owner, draft).await
    }

    /// Whoever a token that `caller` makes stands for.
    pub(crate) async fn narrowed_by(&self, caller: &Caller, draft: TokenDraft) -> Caller {
        let (_, secret) = self.interline.create_token(caller, draft).await.unwrap();
        self.interline.authenticate(SecretHash::from_secret(secret.as_str()), Source::Rest).await.unwrap()
    }

    /// The history of an item, oldest first; empty for one that is gone.
    pub(crate) fn history(&self, item: &Item) -> Vec<Told> {
        let connection = Connection::open(&self.file).unwrap();
        let sql = "SELECT action, changed_fields, versions.version, source FROM versions
                   JOIN items ON items.number = versions.item WHERE items.id = ?1
                   ORDER BY stamp_version, stamp_revision";
        let mut statement = connection.prepare(sql).unwrap();
        let told = statement.query_map([item.id.uuid().as_bytes().as_slice()], |row| {
            Ok(Told {
                action: row.get(0)?,
                changed_fields: row.get(1)?,
                version: row.get::<_, Option<i64>>(2)?.map(i64::cast_unsigned),
                source: row.get(3)?,
            })
        });
        told.unwrap().map(Result::unwrap).collect()
    }
}

/// A store in which nobody is.
pub(crate) fn empty(limits: Limits) -> (Interline, PathBuf, TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("interline.db");
    let interline = Interline::new(Arc::new(SqliteStore::open(&file).unwrap()), limits);
    (interline, file, directory)
}

pub(crate) fn by_id(item: &Item) -> ItemRef {
    ItemRef::Id(item.id, None)
}

/// The code of a refusal, or `ok`.
pub(crate) fn code<T>(outcome: Result<T, Error>) -> &'static str {
    outcome.map_or_else(|error| error.code(), |_| "ok")
}

/// The fields that were refused, in the order in which they are told.
pub(crate) fn refused_fields<T>(outcome: Result<T, Error>) -> Vec<String> {
    match outcome.map(|_| ()) {
        Err(Error::ValidationFailed(errors)) => errors.into_iter().map(|error| error.field).collect(),
        other => panic!("{other:?} is no refusal of fields"),
    }
}

pub(crate) fn tags_of(item: &Item) -> Vec<&str> {
    item.fields.tags.as_slice().iter().map(interline_items::fields::Tag::as_str).collect()
}

pub(crate) fn set<T: Ord, const N: usize>(values: [T; N]) -> BTreeSet<T> {
    values.into()
}
