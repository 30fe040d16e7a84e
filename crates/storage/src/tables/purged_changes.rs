//! The table `purged_changes`: which items that are gone a change set had changed.

use interline_items::{ChangeSetRef, ItemId, Visibility};
use jiff::Timestamp;

use super::change_sets::{kinds_parameter, spaces_parameter};
use crate::sql::{Sql, Statement, column, statement, values};

macro_rules! leave {
    ($join:literal) => {
        concat!(
            "INSERT INTO purged_changes (space, set_begun, change_set, item, kind, purged_at)
             SELECT DISTINCT changed_items.space, set_begun, change_set, items.id, items.kind, CAST(?2 AS bigint)
             FROM changed_items JOIN items ON ",
            $join,
            " WHERE items.id = ?1"
        )
    };
}

const LEAVE: Statement =
    statement!(sqlite: leave!("items.number = changed_items.item"), postgres: leave!("items.id = changed_items.item"));

macro_rules! of_set {
    ($spaces:literal) => {
        concat!(
            "SELECT item FROM purged_changes WHERE space ",
            $spaces,
            " AND set_begun = ?2 AND change_set = ?3 AND ?4 LIKE '%,' || kind || ',%' ORDER BY item"
        )
    };
}

const OF_SET: Statement = statement!(
    sqlite: of_set!("IN (SELECT unhex(value) FROM json_each(?1))"),
    postgres: of_set!("= ANY (string_to_array(?1, ',')::uuid[])"),
);

/// In steps, so that no transaction is long.
const FORGET: Statement = statement!(
    "DELETE FROM purged_changes WHERE (space, set_begun, change_set, item) IN (
         SELECT space, set_begun, change_set, item FROM purged_changes WHERE purged_at < ?1 LIMIT 1000
     )"
);

/// Remembers which change sets had changed an item that is about to be removed.
pub(crate) async fn leave<S: Sql>(sql: &S, item: ItemId, at: Timestamp) -> Result<(), S::Failure> {
    sql.execute(LEAVE, values![item, at]).await?;
    Ok(())
}

/// The items that a set had changed and that are gone, of those that were visible.
pub(crate) async fn of_set<S: Sql>(
    sql: &S,
    set: ChangeSetRef,
    visible: &Visibility,
) -> Result<Vec<ItemId>, S::Failure> {
    let (spaces, kinds) = (spaces_parameter::<S>(visible.spaces()), kinds_parameter(visible));
    sql.query(OF_SET, values![&spaces, set.begun_at, set.id, &kinds], column).await
}

/// Forgets some items that were removed before a time; how many, 0 if there are no more.
pub(crate) async fn forget<S: Sql>(sql: &S, before: Timestamp) -> Result<u64, S::Failure> {
    sql.execute(FORGET, values![before]).await
}
