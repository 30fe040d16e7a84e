//! Going back through histories: undo records in pages, and where lines were brought back from, in the table `versions`.

use interline_items::{Action, ItemId, StoreError, TextSource, UndoLimits};

use crate::codec::text_sources::{BroughtBack, SetVersion, SourceSearch};
use crate::codec::undo::UndoRecord;
use crate::codec::undo_steps::StoredStep;
use crate::sql::{RowReader, Sql, Statement, statement, values};

/// How many versions are looked at in one statement.
const VERSIONS_AT_ONCE: usize = 5_000;

/// A statement about the records of an item, whose id is ?1. SQLite keeps the records under the item's number.
macro_rules! of_item {
    ($text:ident) => {
        statement!(sqlite: $text!("(SELECT number FROM items WHERE id = ?1)"), postgres: $text!("?1"))
    };
}

/// A record that is decoded to a whole text counts as that. The second row is always among them, so that there is a step; so is
/// the one after the last step.
macro_rules! steps {
    ($item:literal) => {
        concat!(
            "WITH page AS (
                 SELECT stamp_version AS number, CASE
                     WHEN undo_kind IN (4, 5) THEN coalesce(content_bytes, 0)
                     ELSE octet_length(undo)
                 END AS bytes
                 FROM versions WHERE item = ",
            $item,
            "    AND stamp_version <= ?2 AND version IS NOT NULL
                 ORDER BY stamp_version DESC LIMIT ?3
             ), counted AS (
                 SELECT number, CAST(coalesce(sum(bytes) OVER (
                     ORDER BY number DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING
                 ), 0) AS bigint) AS newer FROM page
             )
             SELECT stamp_version, undo_kind, undo, content_hash FROM versions WHERE item = ",
            $item,
            " AND stamp_version BETWEEN (SELECT min(number) FROM counted WHERE newer <= ?4) AND ?2
             AND version IS NOT NULL ORDER BY stamp_version DESC"
        )
    };
}

const STEPS: Statement = of_item!(steps);

macro_rules! brought_back {
    ($item:literal) => {
        concat!(
            "SELECT stamp_version, content_hash, undoes FROM versions WHERE item = ",
            $item,
            " AND stamp_version <= ?2 AND version IS NOT NULL AND undo_kind <> 0 AND (action = ?3 OR undoes IS NOT NULL)"
        )
    };
}

const BROUGHT_BACK: Statement = of_item!(brought_back);

macro_rules! set_versions {
    ($item:literal) => {
        concat!(
            "SELECT stamp_version, content_hash, change_set FROM versions WHERE item = ",
            $item,
            " AND stamp_version < ?2 AND version IS NOT NULL ORDER BY stamp_version DESC LIMIT ?3"
        )
    };
}

const SET_VERSIONS: Statement = of_item!(set_versions);

/// The records of a version and of older ones, newest first: those of a page of steps, and one more.
pub(crate) async fn stored_steps<S: Sql>(
    sql: &S,
    item: ItemId,
    first: u64,
    limits: UndoLimits,
) -> Result<Vec<StoredStep>, S::Failure> {
    let UndoLimits { versions, bytes } = limits;
    let read = |row: &mut RowReader<'_>| {
        let version = row.get()?;
        let undo = UndoRecord::from_stored(row.get()?, row.get::<&[u8]>()?.to_vec())?;
        Ok(StoredStep { version, undo, hash: row.optional()? })
    };
    sql.query(STEPS, values![item, first, versions.saturating_add(1).max(2), bytes], read).await
}

/// Which versions have brought older lines back, and from where.
pub(crate) async fn text_sources<S: Sql>(sql: &S, item: ItemId, newest: u64) -> Result<Vec<TextSource>, S::Failure> {
    let read = |row: &mut RowReader<'_>| {
        Ok(BroughtBack { version: row.get()?, hash: row.optional()?, undoes: row.optional()? })
    };
    let brought_back = sql.query(BROUGHT_BACK, values![item, newest, Action::Restore.name()], read).await?;
    if brought_back.is_empty() {
        return Ok(Vec::new());
    }
    let mut search = SourceSearch::new(brought_back);
    let mut before = newest.saturating_add(1);
    loop {
        let versions = sql.query(SET_VERSIONS, values![item, before, VERSIONS_AT_ONCE], set_version_from_row).await?;
        versions.iter().for_each(|version| search.look_at(version));
        match versions.last() {
            Some(oldest) => before = oldest.version,
            None => return Ok(search.finish()),
        }
    }
}

fn set_version_from_row(row: &mut RowReader<'_>) -> Result<SetVersion, StoreError> {
    Ok(SetVersion { version: row.get()?, hash: row.optional()?, change_set: row.get()? })
}
