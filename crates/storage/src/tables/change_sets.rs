//! Change sets, as the records in the table `versions` tell of them, and the table `change_set_names`.

use std::collections::BTreeSet;

use interline_items::{
    Author, ChangeSetFilter, ChangeSetId, ChangeSetQuery, ChangeSetRef, ChangeSetSummary, ChangedItem, Decision, Kind,
    LineCounts, NamedChangeSet, NamedId, Reason, ReviewCounts, ReviewState, SpaceId, StoreError, UserId, Visibility,
};
use jiff::Timestamp;
use uuid::Uuid;

use crate::codec::names;
use crate::sql::{Dialect, RowReader, Sql, Statement, column, query_first, query_only, statement, values};

/// How many reasons of a set are told.
const MAX_REASONS: usize = 3;

/// Sets after one (?2, ?3) in the order of sets, newest first, which were begun from ?4 on.
macro_rules! sets {
    ($where:expr) => {
        concat!(
            "SELECT DISTINCT set_begun, change_set FROM versions WHERE ",
            $where,
            " AND (set_begun, change_set) < (?2, ?3) AND set_begun >= ?4
              ORDER BY set_begun DESC, change_set DESC LIMIT ?5"
        )
    };
}

/// The columns of a set that are the same in all its records.
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

/// A statement about the visible records of a set (?2, ?3): in spaces (?1), of kinds (?4).
macro_rules! visible {
    ($head:literal, $tail:literal) => {
        statement!(
            sqlite: concat!(
                $head,
                " FROM versions JOIN items ON items.number = versions.item LEFT JOIN users ON users.id = versions.user
                  LEFT JOIN tokens ON tokens.id = versions.token
                  WHERE versions.space IN (SELECT unhex(value) FROM json_each(?1))
                  AND set_begun = ?2 AND change_set = ?3 AND ?4 LIKE '%,' || items.kind || ',%' ",
                $tail
            ),
            postgres: concat!(
                $head,
                " FROM versions JOIN items ON items.id = versions.item LEFT JOIN users ON users.id = versions.\"user\"
                  LEFT JOIN tokens ON tokens.id = versions.token
                  WHERE versions.space = ANY (string_to_array(?1, ',')::uuid[])
                  AND set_begun = ?2 AND change_set = ?3 AND ?4 LIKE '%,' || items.kind || ',%' ",
                $tail
            ),
        )
    };
}

/// What [`counts`] reads is at the end.
const TOTALS: Statement = visible!(
    "SELECT min(at), max(at), count(DISTINCT versions.item),
            count(*), count(CASE WHEN review = 'unreviewed' THEN 1 END), count(CASE WHEN review = 'undone' THEN 1 END),
            count(CASE WHEN review = 'partly_undone' THEN 1 END)",
    ""
);

const MADE_BY: Statement = visible!(
    "SELECT versions.\"user\", users.name, versions.token, tokens.name, client_name, client_version, versions.author, source",
    "ORDER BY at LIMIT 1"
);

const REASONS: Statement =
    visible!("SELECT reason", "AND reason IS NOT NULL GROUP BY reason ORDER BY min(at) LIMIT ?5");

const ITEMS: Statement = visible!(
    "SELECT items.id, items.kind, items.space, coalesce(items.title, items.name, items.path, items.url),
            min(stamp_version), max(stamp_version), min(versions.version),
            count(CASE WHEN action = 'create' THEN 1 END),
            CAST(sum(lines_added) AS bigint), CAST(sum(lines_removed) AS bigint),
            count(*), count(CASE WHEN review = 'unreviewed' THEN 1 END), count(CASE WHEN review = 'undone' THEN 1 END),
            count(CASE WHEN review = 'partly_undone' THEN 1 END)",
    "GROUP BY items.id, items.kind, items.space, items.title, items.name, items.path, items.url
     ORDER BY min(at), items.id LIMIT ?5"
);

macro_rules! is_decided {
    ($spaces:literal) => {
        concat!(
            "SELECT count(*) FROM (SELECT 1 FROM versions WHERE space ",
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
         SELECT DISTINCT set_begun, change_set FROM versions WHERE space = ?1 AND review = 'unreviewed' LIMIT ?2
     ) AS sets"
);

const DECIDE: Statement = statement!(
    sqlite: "UPDATE versions SET review = ?4
             WHERE item = (SELECT number FROM items WHERE id = ?1) AND set_begun = ?2 AND change_set = ?3
               AND space = (SELECT space FROM items WHERE id = ?1)",
    postgres: "UPDATE versions SET review = ?4
               WHERE item = ?1 AND set_begun = ?2 AND change_set = ?3 AND space = (SELECT space FROM items WHERE id = ?1)",
);

const NAME: Statement = statement!(
    "INSERT INTO change_set_names (id, \"user\", token, set_begun) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (id) DO NOTHING"
);

const NAMED: Statement = statement!("SELECT id, \"user\", token, set_begun FROM change_set_names WHERE id = ?1");

/// In steps, so that no transaction is long.
const FORGET_NAMES: Statement = statement!(
    "DELETE FROM change_set_names WHERE id IN (
         SELECT id FROM change_set_names WHERE set_begun < ?1 AND NOT EXISTS (
             SELECT 1 FROM versions WHERE versions.space IN (SELECT space FROM members WHERE members.\"user\" = change_set_names.\"user\")
               AND versions.set_begun = change_set_names.set_begun AND versions.change_set = change_set_names.id
         ) ORDER BY set_begun LIMIT 1000
     )"
);

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

/// A set, as far as it is visible.
pub(crate) async fn summary<S: Sql>(
    sql: &S,
    set: ChangeSetRef,
    visible: &Visibility,
    max_items: usize,
) -> Result<Option<ChangeSetSummary>, S::Failure> {
    let (spaces, kinds) = (spaces_parameter::<S>(visible.spaces()), kinds_parameter(visible));
    let of_set = values![&spaces, set.begun_at, set.id, &kinds];
    let totals = |row: &mut RowReader<'_>| {
        let (first, last) = (row.optional::<Timestamp>()?, row.optional::<Timestamp>()?);
        Ok((first.zip(last), row.get::<u64>()?, counts(row)?.state()))
    };
    let (times, items_total, state) = query_only(sql, TOTALS, of_set, totals).await?;
    let Some((first_at, last_at)) = times else { return Ok(None) };
    let mut made_by = query_only(sql, MADE_BY, of_set, |row| maker_from_row(row, set)).await?;
    let first = values![&spaces, set.begun_at, set.id, &kinds, MAX_REASONS];
    made_by.reasons = sql.query(REASONS, first, |row| row.get().map(Reason::from_stored)).await?;
    let some = values![&spaces, set.begun_at, set.id, &kinds, max_items];
    made_by.items = sql.query(ITEMS, some, item_from_row).await?;
    Ok(Some(ChangeSetSummary { first_at, last_at, state, items_total, ..made_by }))
}

/// The user whose visible set it is.
pub(crate) async fn user<S: Sql>(
    sql: &S,
    set: ChangeSetRef,
    visible: &Visibility,
) -> Result<Option<UserId>, S::Failure> {
    let (spaces, kinds) = (spaces_parameter::<S>(visible.spaces()), kinds_parameter(visible));
    query_first(sql, MADE_BY, values![&spaces, set.begun_at, set.id, &kinds], column).await
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

/// Names a set, unless the identifier is taken; the set that has the identifier.
pub(crate) async fn name<S: Sql>(sql: &S, new: &NamedChangeSet) -> Result<NamedChangeSet, S::Failure> {
    sql.execute(NAME, values![new.set.id, new.user, new.token, new.set.begun_at]).await?;
    let named = named(sql, new.set.id).await?;
    named.ok_or_else(|| StoreError::Failed("a change set lost its name at once".to_owned()).into())
}

/// The set that a client has named by an identifier.
pub(crate) async fn named<S: Sql>(sql: &S, id: ChangeSetId) -> Result<Option<NamedChangeSet>, S::Failure> {
    let read = |row: &mut RowReader<'_>| {
        let (id, user, token) = (row.get()?, row.get()?, row.optional()?);
        Ok(NamedChangeSet { set: ChangeSetRef { begun_at: row.get()?, id }, user, token })
    };
    query_first(sql, NAMED, values![id], read).await
}

/// Forgets some names from before a time that have no record; how many, 0 if there are no more.
pub(crate) async fn forget_names<S: Sql>(sql: &S, before: Timestamp) -> Result<u64, S::Failure> {
    sql.execute(FORGET_NAMES, values![before]).await
}

/// Spaces as one value: for SQLite a list of hexadecimal numbers as JSON, for PostgreSQL a list with commas.
pub(super) fn spaces_parameter<S: Sql>(spaces: &BTreeSet<SpaceId>) -> String {
    match S::DIALECT {
        Dialect::Sqlite => {
            let spaces: Vec<String> = spaces.iter().map(|space| format!("\"{}\"", space.uuid().simple())).collect();
            format!("[{}]", spaces.join(","))
        }
        Dialect::Postgres => spaces.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
    }
}

/// The names of the visible kinds between commas.
pub(super) fn kinds_parameter(visible: &Visibility) -> String {
    visible.kinds().iter().fold(",".to_owned(), |kinds, kind| kinds + kind.name() + ",")
}

fn set_from_row(row: &mut RowReader<'_>) -> Result<ChangeSetRef, StoreError> {
    Ok(ChangeSetRef { begun_at: row.get()?, id: row.get()? })
}

fn counts(row: &mut RowReader<'_>) -> Result<ReviewCounts, StoreError> {
    Ok(ReviewCounts { all: row.get()?, unreviewed: row.get()?, undone: row.get()?, partly_undone: row.get()? })
}

/// A summary of who made a set; the rest is still empty.
fn maker_from_row(row: &mut RowReader<'_>, set: ChangeSetRef) -> Result<ChangeSetSummary, StoreError> {
    let user = NamedId { id: row.get()?, name: row.optional()? };
    let token = match (row.optional()?, row.optional()?) {
        (Some(id), name) => Some(NamedId { id, name }),
        (None, _) => None,
    };
    Ok(ChangeSetSummary {
        set,
        user,
        token,
        client: interline_items::Client::from_stored(row.get()?, row.optional()?),
        author: names::parse_author(row.optional()?)?,
        source: names::parse_source(row.get()?)?,
        reasons: Vec::new(),
        first_at: set.begun_at,
        last_at: set.begun_at,
        state: ReviewState::Kept,
        items: Vec::new(),
        items_total: 0,
    })
}

fn item_from_row(row: &mut RowReader<'_>) -> Result<ChangedItem, StoreError> {
    let (id, kind, space, title) = (row.get()?, row.get::<&str>()?, row.get()?, row.optional()?);
    let (first_stamp, to_version, first_version): (u64, u64, Option<u64>) = (row.get()?, row.get()?, row.optional()?);
    let is_new = row.get::<u64>()? > 0;
    let lines = LineCounts { added: row.optional()?.unwrap_or_default(), removed: row.optional()?.unwrap_or_default() };
    // A set without a version, which only archived or deleted the item, begins with the version that the item had.
    let before = first_version.map_or(first_stamp, |version| version.saturating_sub(1));
    Ok(ChangedItem {
        id,
        kind: Kind::from_name(kind).ok_or_else(|| StoreError::Failed(format!("the kind {kind:?} is unknown")))?,
        space,
        title,
        from_version: Some(before).filter(|_| !is_new),
        to_version,
        lines,
        state: counts(row)?.state(),
    })
}
