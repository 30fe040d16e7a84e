//! Change sets, as the records in the table `versions` tell of them, and the table `change_set_names`.

use std::collections::{BTreeMap, BTreeSet};

use interline_items::{
    ChangeSetId, ChangeSetRef, ChangeSetSummary, ChangedItem, Kind, LineCounts, NamedChangeSet, NamedId, Reason,
    ReviewCounts, ReviewState, SpaceId, StoreError, Visibility,
};
use jiff::Timestamp;

use crate::codec::names;
use crate::sql::{Dialect, RowReader, Sql, Statement, query_first, statement, values};

/// How many reasons of a set are told.
const MAX_REASONS: usize = 3;

/// The visible records of some sets (?1): in spaces (?2), of kinds (?3). A set is looked up in each space, and its records
/// of an item in the parts of the history that have some.
macro_rules! records {
    ($head:literal, $tail:literal) => {
        statement!(
            sqlite: concat!(
                $head,
                " FROM json_each(?1) AS chosen CROSS JOIN json_each(?2) AS visible
                  CROSS JOIN changed_items AS changed ON changed.space = unhex(visible.value)
                      AND changed.set_begun = chosen.value ->> 0 AND changed.change_set = unhex(chosen.value ->> 1)
                  CROSS JOIN items ON items.number = changed.item
                  CROSS JOIN versions ON versions.item = changed.item AND versions.change_set = changed.change_set
                      AND stamp_version BETWEEN changed.part * 32 AND changed.part * 32 + 31
                  WHERE ?3 LIKE '%,' || items.kind || ',%' ",
                $tail
            ),
            postgres: concat!(
                $head,
                " FROM unnest(string_to_array(?1, ',')) AS chosen
                  CROSS JOIN unnest(string_to_array(?2, ',')::uuid[]) AS visible
                  JOIN changed_items AS changed ON changed.space = visible
                      AND changed.set_begun = split_part(chosen, ':', 1)::bigint
                      AND changed.change_set = split_part(chosen, ':', 2)::uuid
                  JOIN items ON items.id = changed.item
                  JOIN versions ON versions.item = changed.item AND versions.change_set = changed.change_set
                      AND stamp_version BETWEEN changed.part * 32 AND changed.part * 32 + 31
                  WHERE ?3 LIKE '%,' || items.kind || ',%' ",
                $tail
            ),
        )
    };
}

/// The items of each set in the order of their first changes, the first ?4 of them, each with what holds for the whole set.
const ITEMS: Statement = records!(
    "SELECT begun, id, set_first, set_last, items_total, set_all, set_unreviewed, set_undone, set_partly_undone,
            item, kind, space, title, first_stamp, last_stamp, first_version, creations, added, removed,
            records, unreviewed, undone, partly_undone
     FROM (
         SELECT changes.*,
                min(first_at) OVER (PARTITION BY begun, id) AS set_first, max(last_at) OVER (PARTITION BY begun, id) AS set_last,
                count(*) OVER (PARTITION BY begun, id) AS items_total,
                CAST(sum(records) OVER (PARTITION BY begun, id) AS bigint) AS set_all,
                CAST(sum(unreviewed) OVER (PARTITION BY begun, id) AS bigint) AS set_unreviewed,
                CAST(sum(undone) OVER (PARTITION BY begun, id) AS bigint) AS set_undone,
                CAST(sum(partly_undone) OVER (PARTITION BY begun, id) AS bigint) AS set_partly_undone,
                row_number() OVER (PARTITION BY begun, id ORDER BY first_at, item) AS place
         FROM (
             SELECT changed.set_begun AS begun, changed.change_set AS id, items.id AS item, items.kind AS kind,
                    items.space AS space, coalesce(items.title, items.name, items.path, items.url) AS title,
                    min(at) AS first_at, max(at) AS last_at, min(stamp_version) AS first_stamp,
                    max(stamp_version) AS last_stamp, min(versions.version) AS first_version,
                    count(CASE WHEN action = 'create' THEN 1 END) AS creations,
                    CAST(sum(lines_added) AS bigint) AS added, CAST(sum(lines_removed) AS bigint) AS removed,
                    count(*) AS records, count(CASE WHEN review = 'unreviewed' THEN 1 END) AS unreviewed,
                    count(CASE WHEN review = 'undone' THEN 1 END) AS undone,
                    count(CASE WHEN review = 'partly_undone' THEN 1 END) AS partly_undone",
    "        GROUP BY changed.set_begun, changed.change_set, items.id, items.kind, items.space, items.title, items.name,
                      items.path, items.url
         ) AS changes
     ) AS numbered
     WHERE place <= ?4 ORDER BY begun, id, place"
);

/// Who made the first change of each set.
const MAKERS: Statement = records!(
    "SELECT first.begun, first.id, maker, users.name, first.token, tokens.name, client_name, client_version, first.author, source
     FROM (
         SELECT changed.set_begun AS begun, changed.change_set AS id, versions.\"user\" AS maker, versions.token AS token,
                versions.client_name AS client_name, client_version, versions.author AS author, source,
                row_number() OVER (PARTITION BY changed.set_begun, changed.change_set ORDER BY at) AS place",
    ") AS first LEFT JOIN users ON users.id = maker LEFT JOIN tokens ON tokens.id = first.token WHERE place = 1"
);

/// The first ?4 reasons of each set.
const REASONS: Statement = records!(
    "SELECT begun, id, reason
     FROM (
         SELECT changed.set_begun AS begun, changed.change_set AS id, reason,
                row_number() OVER (PARTITION BY changed.set_begun, changed.change_set ORDER BY min(at)) AS place",
    "    AND reason IS NOT NULL GROUP BY changed.set_begun, changed.change_set, reason
     ) AS given
     WHERE place <= ?4 ORDER BY begun, id, place"
);

const NAME: Statement = statement!(
    "INSERT INTO change_set_names (id, \"user\", token, set_begun) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (id) DO NOTHING"
);

const NAMED: Statement = statement!("SELECT id, \"user\", token, set_begun FROM change_set_names WHERE id = ?1");

/// In steps, so that no transaction is long.
const FORGET_NAMES: Statement = statement!(
    "DELETE FROM change_set_names WHERE id IN (
         SELECT id FROM change_set_names WHERE set_begun < ?1 AND NOT EXISTS (
             SELECT 1 FROM changed_items WHERE changed_items.change_set = change_set_names.id
         ) ORDER BY set_begun LIMIT 1000
     )"
);

/// Sets, as far as they are visible, in their order of time; those with nothing visible are left out.
pub(crate) async fn summaries<S: Sql>(
    sql: &S,
    sets: &[ChangeSetRef],
    visible: &Visibility,
    max_items: usize,
) -> Result<Vec<ChangeSetSummary>, S::Failure> {
    let (spaces, kinds) = (spaces_parameter::<S>(visible.spaces()), kinds_parameter(visible));
    let sets = sets_parameter::<S>(sets);
    let made = sql.query(MAKERS, values![&sets, &spaces, &kinds], maker_from_row).await?;
    let mut summaries: BTreeMap<ChangeSetRef, ChangeSetSummary> =
        made.into_iter().map(|summary| (summary.set, summary)).collect();
    for (set, reason) in sql.query(REASONS, values![&sets, &spaces, &kinds, MAX_REASONS], reason_from_row).await? {
        summaries.entry(set).and_modify(|summary| summary.reasons.push(reason));
    }
    // Every row tells of the whole set too.
    let items = sql.query(ITEMS, values![&sets, &spaces, &kinds, max_items.max(1)], item_of_set_from_row).await?;
    for ItemOfSet { set, totals, item } in items {
        summaries.entry(set).and_modify(|summary| totals.add_to(summary, item));
    }
    let mut summaries: Vec<ChangeSetSummary> = summaries.into_values().collect();
    summaries.iter_mut().for_each(|summary| summary.items.truncate(max_items));
    Ok(summaries)
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

/// Sets as one value: for SQLite a list of pairs as JSON, for PostgreSQL pairs with colons in a list with commas.
fn sets_parameter<S: Sql>(sets: &[ChangeSetRef]) -> String {
    let join = |pair: fn(&ChangeSetRef) -> String| sets.iter().map(pair).collect::<Vec<_>>().join(",");
    match S::DIALECT {
        Dialect::Sqlite => {
            let pairs = join(|set| format!("[{},\"{}\"]", set.begun_at.as_microsecond(), set.id.uuid().simple()));
            format!("[{pairs}]")
        }
        Dialect::Postgres => join(|set| format!("{}:{}", set.begun_at.as_microsecond(), set.id)),
    }
}

pub(super) fn set_from_row(row: &mut RowReader<'_>) -> Result<ChangeSetRef, StoreError> {
    Ok(ChangeSetRef { begun_at: row.get()?, id: row.get()? })
}

fn counts(row: &mut RowReader<'_>) -> Result<ReviewCounts, StoreError> {
    Ok(ReviewCounts { all: row.get()?, unreviewed: row.get()?, undone: row.get()?, partly_undone: row.get()? })
}

/// A summary of who made a set; the rest is still empty.
fn maker_from_row(row: &mut RowReader<'_>) -> Result<ChangeSetSummary, StoreError> {
    let set = set_from_row(row)?;
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

fn reason_from_row(row: &mut RowReader<'_>) -> Result<(ChangeSetRef, Reason), StoreError> {
    Ok((set_from_row(row)?, row.get().map(Reason::from_stored)?))
}

/// What holds for a whole set.
struct SetTotals {
    first_at: Timestamp,
    last_at: Timestamp,
    items_total: u64,
    state: ReviewState,
}

impl SetTotals {
    fn add_to(self, summary: &mut ChangeSetSummary, item: ChangedItem) {
        let SetTotals { first_at, last_at, items_total, state } = self;
        (summary.first_at, summary.last_at) = (first_at, last_at);
        (summary.items_total, summary.state) = (items_total, state);
        summary.items.push(item);
    }
}

/// An item of a set, and what holds for the set.
struct ItemOfSet {
    set: ChangeSetRef,
    totals: SetTotals,
    item: ChangedItem,
}

fn item_of_set_from_row(row: &mut RowReader<'_>) -> Result<ItemOfSet, StoreError> {
    let set = set_from_row(row)?;
    let (first_at, last_at, items_total) = (row.get()?, row.get()?, row.get()?);
    let totals = SetTotals { first_at, last_at, items_total, state: counts(row)?.state() };
    Ok(ItemOfSet { set, totals, item: item_from_row(row)? })
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
