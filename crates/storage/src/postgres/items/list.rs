//! Pages of a list of items: the SQL of a filter, an order and a cursor.

use std::sync::Arc;

use deadpool_postgres::Client;
use interline_items::{
    Contents, Cursor, CursorKey, Filter, ItemId, Kind, ListQuery, Page, PageStart, Snapshot, SortBy, SortOrder,
    StoreError, TagMatch,
};
use tokio_postgres::types::ToSql;
use tokio_postgres::{IsolationLevel, Row};
use uuid::Uuid;

use crate::integrity::Integrity;
use crate::paging::{SortColumn, entries_needed, unscored_key, view_number};
use crate::postgres::failure::Failure;
use crate::postgres::rows::{self, item_columns};
use crate::postgres::write::transaction_retry::run_blocking;

/// A page of items, and how many match in all, in one snapshot of the database.
pub(crate) async fn list(client: &mut Client, integrity: &Arc<Integrity>, query: &ListQuery) -> Result<Page, Failure> {
    let count = Select::counting(query);
    let page = Select::page(query)?;
    // Both statements see the snapshot of the first one.
    let transaction =
        client.build_transaction().isolation_level(IsolationLevel::RepeatableRead).read_only(true).start().await?;
    let (count_statement, page_statement) =
        tokio::try_join!(transaction.prepare_cached(&count.sql), transaction.prepare_cached(&page.sql))?;
    let (count_parameters, page_parameters) = (count.parameters(), page.parameters());
    let (counted, found) = tokio::try_join!(
        transaction.query_one(&count_statement, &count_parameters),
        transaction.query(&page_statement, &page_parameters),
    )?;
    transaction.commit().await?;

    let next = match found.get(..query.limit).and_then(<[Row]>::last) {
        Some(last) if found.len() > query.limit => Some(cursor(last, SortColumn::of_list(query.sort.by))?),
        _ => None,
    };
    let (limit, contents, integrity) = (query.limit, query.contents, Arc::clone(integrity));
    let decode = move || page_items(&found, limit, contents, &integrity);
    let items = match contents {
        Contents::Omit => decode()?,
        // Megabytes, perhaps.
        Contents::Read => run_blocking(decode).await??,
    };
    Ok(Page { items, total: rows::count(&counted, "total")?, next })
}

/// The items of a page's rows; one that is damaged is counted and left out.
fn page_items(
    found: &[Row],
    limit: usize,
    contents: Contents,
    integrity: &Integrity,
) -> Result<Vec<Snapshot>, Failure> {
    let read = |row: &Row| match contents {
        Contents::Omit => Ok::<_, Failure>(Snapshot { item: rows::item(row)?, content: None }),
        Contents::Read => Ok(integrity.without_damage(rows::snapshot(row)?)),
    };
    let mut items = Vec::new();
    for row in found.iter().take(limit) {
        items.extend(integrity.unless_damaged(read(row))?);
    }
    Ok(items)
}

/// The cursor of the page after the item of a row, whether the item can be read or not.
fn cursor(row: &Row, column: SortColumn) -> Result<Cursor, Failure> {
    Ok(Cursor { key: sort_key(row, column)?, id: ItemId::from_uuid(row.try_get("id")?) })
}

/// The sort key of a row that has it as `sort_key`.
pub(crate) fn sort_key(row: &Row, column: SortColumn) -> Result<Option<CursorKey>, Failure> {
    Ok(match column {
        SortColumn::Title => row.try_get::<_, Option<String>>("sort_key")?.map(CursorKey::Text),
        SortColumn::Time(_) | SortColumn::RareTime(_) => {
            row.try_get::<_, Option<i64>>("sort_key")?.map(CursorKey::Micros)
        }
        SortColumn::View => Some(unscored_key(row.try_get::<_, i32>("sort_key")?.into())?),
    })
}

/// A builder of queries on `items`. The same conditions always make the same text, so that it is prepared once.
pub(crate) struct Select {
    pub(crate) sql: String,
    parameters: Vec<Box<dyn ToSql + Sync + Send>>,
}

impl Select {
    /// A query to which conditions are added.
    pub(crate) fn new(sql: String) -> Select {
        Select { sql: sql + " WHERE true", parameters: Vec::new() }
    }

    /// How many items match.
    fn counting(query: &ListQuery) -> Select {
        let mut select = Select::new("SELECT count(*) AS total FROM items".to_owned());
        select.keep_matching(&query.filter);
        select
    }

    /// The items of the page, and one more if there is a next page.
    fn page(query: &ListQuery) -> Result<Select, Failure> {
        let (text, contents) = match query.contents {
            Contents::Omit => ("", ""),
            Contents::Read => (", contents.text", " LEFT JOIN contents ON contents.item = items.id"),
        };
        let key = SortColumn::of_list(query.sort.by).name();
        let whole = format!("SELECT {}, items.{key} AS sort_key{text} FROM", item_columns!());
        let mut select = match query.filter.spaces.len() {
            0 | 1 => Select::in_order(query, format!("{whole} items{contents}"))?,
            // An index has the order of one space: each space gives its first items, and the first of those are the page.
            _ => {
                let mut of_each = Select::in_order(query, "SELECT items.* FROM items".to_owned())?;
                of_each.limit(entries_needed(query));
                let spaces = of_each.parameter(uuids(&query.filter));
                of_each.sql = format!(
                    "{whole} unnest({spaces}::uuid[]) AS wanted (space) CROSS JOIN LATERAL ({}) AS items{contents}",
                    of_each.sql
                );
                of_each.sort(query);
                of_each
            }
        };
        select.limit(query.limit.saturating_add(1));
        if let PageStart::Offset(offset) = query.start {
            let offset = select.parameter(i64::try_from(offset).unwrap_or(i64::MAX));
            select.sql.push_str(&format!(" OFFSET {offset}"));
        }
        Ok(select)
    }

    /// The items that match and come after the start, in their order; of several spaces, those of `wanted.space`.
    fn in_order(query: &ListQuery, sql: String) -> Result<Select, Failure> {
        let mut select = Select::new(sql);
        match query.filter.spaces.len() {
            0 | 1 => select.keep_spaces(&query.filter),
            _ => select.sql.push_str(" AND items.space = wanted.space"),
        }
        select.keep_other(&query.filter);
        match &query.start {
            PageStart::Offset(_) => {}
            PageStart::After(cursor) => select.keep_after(cursor, query)?,
        }
        select.sort(query);
        Ok(select)
    }

    fn limit(&mut self, limit: usize) {
        let limit = self.parameter(i64::try_from(limit).unwrap_or(i64::MAX));
        self.sql.push_str(&format!(" LIMIT {limit}"));
    }

    /// Keeps the items that a filter asks for.
    pub(crate) fn keep_matching(&mut self, filter: &Filter) {
        self.keep_spaces(filter);
        self.keep_other(filter);
    }

    fn keep_spaces(&mut self, filter: &Filter) {
        // One value is compared, not looked for in an array: then the index gives the order.
        let spaces = uuids(filter);
        match spaces[..] {
            [only] => self.keep("space =", only),
            _ => self.keep_any("space", spaces),
        }
    }

    /// Keeps the items that a filter asks for, without regard to spaces.
    fn keep_other(&mut self, filter: &Filter) {
        let views: Vec<i32> = filter.views.iter().map(|view| view_number(*view)).collect();
        match views[..] {
            [only] => self.keep("view =", only),
            _ => self.keep_any("view", views),
        }
        if filter.kinds.len() < Kind::ALL.len() {
            self.keep_any("kind", filter.kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>());
        }
        let tags: Vec<String> = filter.tags.iter().map(|tag| tag.as_str().to_owned()).collect();
        match filter.tag_match {
            _ if tags.is_empty() => {}
            TagMatch::Any => {
                let any = self.parameter(tags);
                self.sql.push_str(&format!(" AND {HAS_TAG} = ANY({any}))"));
            }
            TagMatch::All => {
                for tag in tags {
                    let one = self.parameter(tag);
                    self.sql.push_str(&format!(" AND {HAS_TAG} = {one})"));
                }
            }
        }
    }

    fn keep(&mut self, condition: &str, value: impl ToSql + Sync + Send + 'static) {
        let value = self.parameter(value);
        self.sql.push_str(&format!(" AND items.{condition} {value}"));
    }

    /// Keeps the items whose column is one of some values.
    pub(crate) fn keep_any(&mut self, column: &str, values: impl ToSql + Sync + Send + 'static) {
        let values = self.parameter(values);
        self.sql.push_str(&format!(" AND items.{column} = ANY({values})"));
    }

    /// Keeps the items after a cursor. Items without a sort key come after all that have one.
    fn keep_after(&mut self, cursor: &Cursor, query: &ListQuery) -> Result<(), Failure> {
        let sort_column = SortColumn::of_list(query.sort.by);
        let column = sort_column.name();
        let beyond = match query.sort.order {
            SortOrder::Ascending => ">",
            SortOrder::Descending => "<",
        };
        let id = self.parameter(cursor.id.uuid());
        let Some(key) = &cursor.key else {
            self.sql.push_str(&format!(" AND items.{column} IS NULL AND items.id {beyond} {id}"));
            return Ok(());
        };
        let key = match (sort_column, key) {
            (SortColumn::Title, CursorKey::Text(text)) => self.parameter(text.clone()),
            (SortColumn::Time(_) | SortColumn::RareTime(_), CursorKey::Micros(time)) => self.parameter(*time),
            _ => return Err(StoreError::Failed("a cursor of another order".to_owned()).into()),
        };
        let or_without =
            if may_be_missing(query.sort.by) { format!(" OR items.{column} IS NULL") } else { String::new() };
        self.sql.push_str(&format!(" AND ((items.{column}, items.id) {beyond} ({key}, {id}){or_without})"));
        Ok(())
    }

    fn sort(&mut self, query: &ListQuery) {
        let column = SortColumn::of_list(query.sort.by).name();
        let direction = match query.sort.order {
            SortOrder::Ascending => "ASC",
            SortOrder::Descending => "DESC",
        };
        // Only where it matters: an index read backwards has its nulls first.
        let nulls = if may_be_missing(query.sort.by) { " NULLS LAST" } else { "" };
        self.sql.push_str(&format!(" ORDER BY items.{column} {direction}{nulls}, items.id {direction}"));
    }

    /// Adds a parameter, and returns its placeholder.
    fn parameter(&mut self, value: impl ToSql + Sync + Send + 'static) -> String {
        self.parameters.push(Box::new(value));
        format!("${}", self.parameters.len())
    }

    pub(crate) fn parameters(&self) -> Vec<&(dyn ToSql + Sync)> {
        self.parameters.iter().map(|parameter| &**parameter as &(dyn ToSql + Sync)).collect()
    }
}

fn uuids(filter: &Filter) -> Vec<Uuid> {
    filter.spaces.iter().map(|space| space.uuid()).collect()
}

/// To be closed after a condition on the tag.
const HAS_TAG: &str = "EXISTS (SELECT FROM item_tags WHERE item_tags.item = items.id AND item_tags.tag";

/// Whether an item may have no sort key.
fn may_be_missing(by: SortBy) -> bool {
    match by {
        SortBy::LastUsedAt | SortBy::Title | SortBy::ArchivedAt | SortBy::DeletedAt => true,
        SortBy::CreatedAt | SortBy::UpdatedAt => false,
    }
}
