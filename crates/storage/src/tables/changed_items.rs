//! The table `changed_items`: which items a change set has changed, in which parts of their histories, and what was decided
//! about that.

use std::collections::BTreeSet;

use interline_items::{
    Author, ChangeSetFilter, ChangeSetId, ChangeSetQuery, ChangeSetRef, Decision, ItemId, ReviewState, SpaceId, Stamp,
    UserId, Visibility,
};
use jiff::Timestamp;
use uuid::Uuid;

use super::change_sets::{kinds_parameter, set_from_row, spaces_parameter};
use crate::sql::{Sql, Statement, column, query_first, query_only, statement, values};

/// How many versions a part of a history has. Statements name the number. A set's records of an item are looked for among
/// those of a part; the more there are, the fewer edits write a row, and the more records of others are read in vain.
const PART: u64 = 32;

/// The part of a history that the record of a stamp is in.
pub(crate) fn part(stamp: Stamp) -> u64 {
    stamp.version / PART
}

/// The set of a record, whose row in the table says when it was begun.
pub(crate) fn set_of_record(id: ChangeSetId, begun_at: Option<Timestamp>, at: Timestamp) -> ChangeSetRef {
    let without_row = || ChangeSetRef::from_generated(id).unwrap_or(ChangeSetRef { begun_at: at, id });
    begun_at.map_or_else(without_row, |begun_at| ChangeSetRef { begun_at, id })
}

/// The state of a record, given that of its row. A record of a person is reviewed, also where the row is not because an agent
/// has written to the same set.
pub(crate) fn review_of_record(author: Author, review: ReviewState) -> ReviewState {
    match (author, review) {
        (Author::Person, ReviewState::Unreviewed) => ReviewState::Kept,
        _ => review,
    }
}

/// Sets after one (?2, ?3) in the order of sets, newest first, which were begun from ?4 on.
macro_rules! sets {
    ($where:expr) => {
        concat!(
            "SELECT DISTINCT set_begun, change_set FROM changed_items WHERE ",
            $where,
            " AND (set_begun, change_set) < (?2, ?3) AND set_begun >= ?4
              ORDER BY set_begun DESC, change_set DESC LIMIT ?5"
        )
    };
}

/// Who has made a set: of the first records of its items.
macro_rules! made_by {
    () => {
        // The comparison first: PostgreSQL takes the type of a parameter from where it sees it first.
        " AND (\"user\" = ?6 OR ?6 IS NULL) AND (token = ?7 OR ?7 IS NULL) AND (client_name = ?8 OR ?8 IS NULL)
          AND (coalesce(author, 'person') = ?9 OR ?9 IS NULL)"
    };
}

/// By the index of sets alone.
const SETS: Statement = statement!(sets!("space = ?1"));
const SETS_MADE_BY: Statement = statement!(sets!(concat!("space = ?1", made_by!())));
const UNREVIEWED: Statement = statement!(sets!("space = ?1 AND review = 'unreviewed'"));
const UNREVIEWED_MADE_BY: Statement = statement!(sets!(concat!("space = ?1 AND review = 'unreviewed'", made_by!())));
/// Of an item (?10) in a space.
const OF_ITEM: Statement = statement!(
    sqlite: sets!(concat!(
        "item = (SELECT number FROM items WHERE id = ?10 AND space = ?1)",
        made_by!(),
        " AND (review = ?11 OR ?11 IS NULL)"
    )),
    postgres: sets!(concat!("item = ?10 AND space = ?1", made_by!(), " AND (review = ?11 OR ?11 IS NULL)")),
);

macro_rules! is_decided {
    ($spaces:literal) => {
        concat!(
            "SELECT count(*) FROM (SELECT 1 FROM changed_items WHERE space ",
            $spaces,
            " AND set_begun = ?2 AND change_set = ?3 AND review IN ('kept', 'undone', 'partly_undone') LIMIT 1) AS decided"
        )
    };
}

const IS_DECIDED: Statement = statement!(
    sqlite: is_decided!("IN (SELECT unhex(value) FROM json_each(?1))"),
    postgres: is_decided!("= ANY (string_to_array(?1, ',')::uuid[])"),
);

const COUNT_UNREVIEWED: Statement = statement!(
    "SELECT count(*) FROM (
         SELECT DISTINCT set_begun, change_set FROM changed_items WHERE space = ?1 AND review = 'unreviewed' LIMIT ?2
     ) AS sets"
);

macro_rules! user {
    ($items:literal, $spaces:literal) => {
        concat!(
            "SELECT \"user\" FROM changed_items JOIN items ON ",
            $items,
            " WHERE changed_items.space ",
            $spaces,
            " AND set_begun = ?2 AND change_set = ?3 AND ?4 LIKE '%,' || items.kind || ',%' LIMIT 1"
        )
    };
}

const USER: Statement = statement!(
    sqlite: user!("items.number = changed_items.item", "IN (SELECT unhex(value) FROM json_each(?1))"),
    postgres: user!("items.id = changed_items.item", "= ANY (string_to_array(?1, ',')::uuid[])"),
);

const DECIDE: Statement = statement!(
    sqlite: "UPDATE changed_items SET review = ?4
             WHERE space = (SELECT space FROM items WHERE id = ?1) AND set_begun = ?2 AND change_set = ?3
               AND item = (SELECT number FROM items WHERE id = ?1)",
    postgres: "UPDATE changed_items SET review = ?4
               WHERE space = (SELECT space FROM items WHERE id = ?1) AND set_begun = ?2 AND change_set = ?3 AND item = ?1",
);

/// Parts up to one (?2) in which a set has no record of an item any more.
macro_rules! forget {
    ($item:literal) => {
        concat!(
            "DELETE FROM changed_items WHERE item = ",
            $item,
            " AND part <= ?2 AND NOT EXISTS (
                 SELECT 1 FROM versions
                 WHERE versions.item = changed_items.item AND versions.change_set = changed_items.change_set
                   AND stamp_version BETWEEN changed_items.part * 32 AND changed_items.part * 32 + 31
             )"
        )
    };
}

const FORGET: Statement =
    statement!(sqlite: forget!("(SELECT number FROM items WHERE id = ?1)"), postgres: forget!("?1"));

/// Sets that have a record in the spaces of a query, newest first.
pub(crate) async fn sets<S: Sql>(sql: &S, query: &ChangeSetQuery) -> Result<Vec<ChangeSetRef>, S::Failure> {
    let ChangeSetFilter { item, user, token, client, author, state, since, before } = &query.filter;
    // The greatest of all sets that were begun before that time.
    let begun_before = before.map(|at| ChangeSetRef { begun_at: at, id: ChangeSetId::from_uuid(Uuid::nil()) });
    let first = [query.after, begun_before].into_iter().flatten().min();
    let (at, id) = first.map_or((i64::MAX, Uuid::max()), |set| (set.begun_at.as_microsecond(), set.id.uuid()));
    let since = since.map_or(i64::MIN, Timestamp::as_microsecond);
    let is_unreviewed = *state == Some(ReviewState::Unreviewed);
    let makers = user.is_some() || token.is_some() || client.is_some() || author.is_some();
    let author = author.map(Author::name);
    let mut found = BTreeSet::new();
    for space in &query.spaces {
        let (statement, values): (Statement, &[_]) = match (item, is_unreviewed, makers) {
            (Some(item), _, _) => {
                let review = is_unreviewed.then_some(ReviewState::Unreviewed.name());
                (OF_ITEM, values![*space, at, id, since, query.limit, *user, *token, client, author, *item, review])
            }
            (None, false, false) => (SETS, values![*space, at, id, since, query.limit]),
            (None, true, false) => (UNREVIEWED, values![*space, at, id, since, query.limit]),
            (None, false, true) => {
                (SETS_MADE_BY, values![*space, at, id, since, query.limit, *user, *token, client, author])
            }
            (None, true, true) => {
                (UNREVIEWED_MADE_BY, values![*space, at, id, since, query.limit, *user, *token, client, author])
            }
        };
        found.extend(sql.query(statement, values, set_from_row).await?);
    }
    Ok(found.into_iter().rev().take(query.limit).collect())
}

/// The user whose visible set it is.
pub(crate) async fn user<S: Sql>(
    sql: &S,
    set: ChangeSetRef,
    visible: &Visibility,
) -> Result<Option<UserId>, S::Failure> {
    let (spaces, kinds) = (spaces_parameter::<S>(visible.spaces()), kinds_parameter(visible));
    query_first(sql, USER, values![&spaces, set.begun_at, set.id, &kinds], column).await
}

/// Whether something of a set was decided.
pub(crate) async fn is_decided<S: Sql>(
    sql: &S,
    set: ChangeSetRef,
    spaces: &BTreeSet<SpaceId>,
) -> Result<bool, S::Failure> {
    let spaces = spaces_parameter::<S>(spaces);
    let decided: u64 = query_only(sql, IS_DECIDED, values![&spaces, set.begun_at, set.id], column).await?;
    Ok(decided > 0)
}

/// How many sets have a record that is not reviewed, of at most so many in each space.
pub(crate) async fn count_unreviewed<S: Sql>(sql: &S, spaces: &[SpaceId], most: usize) -> Result<u64, S::Failure> {
    let mut all = 0;
    for space in spaces {
        let found: u64 = query_only(sql, COUNT_UNREVIEWED, values![*space, most], column).await?;
        all += found;
    }
    Ok(all.min(most as u64))
}

/// Stores what was decided about changes.
pub(crate) async fn decide<S: Sql>(sql: &S, decisions: &[Decision]) -> Result<(), S::Failure> {
    for Decision { set, item, state } in decisions {
        sql.execute(DECIDE, values![*item, set.begun_at, set.id, state.name()]).await?;
    }
    Ok(())
}

/// Forgets which sets had records of an item before a stamp, where they have none any more.
pub(crate) async fn forget<S: Sql>(sql: &S, item: ItemId, before: Stamp) -> Result<(), S::Failure> {
    sql.execute(FORGET, values![item, part(before)]).await?;
    Ok(())
}
