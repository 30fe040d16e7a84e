//! The filter of a search: which candidates are in the spaces, kinds, views and tags of the query, with their sort keys.

use std::collections::BTreeSet;

use interline_items::Filter;
use interline_items::fields::Tag;
use interline_items::search::SearchQuery;
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};

use crate::codec::json;
use crate::paging::{PageEntry, SortColumn};
use crate::sqlite::failure::Failure;
use crate::sqlite::items::index_scan::tags_needed;
use crate::sqlite::items::list::{ListPartition, entry_from_row, non_empty, partitions};

/// How many steps of an index scan take as long as the look-up of an item by its number.
const STEPS_OF_A_LOOKUP: u64 = 4;

const TAG_FILTER: &str = "
    AND ?2 <= (SELECT count(*) FROM item_tags WHERE item = number AND tag IN (SELECT value FROM json_each(?1)))";

/// Filters the candidates of a search.
pub(super) struct CandidateFilter<'a> {
    connection: &'a Connection,
    filter: &'a Filter,
    partitions: Vec<ListPartition>,
    /// What the sort keys of the entries are made of.
    column: SortColumn,
    /// How many items the partitions have, without regard to tags.
    all: u64,
}

impl<'a> CandidateFilter<'a> {
    pub(super) fn new(connection: &'a Connection, query: &'a SearchQuery) -> Result<CandidateFilter<'a>, Failure> {
        let (partitions, all) = non_empty(connection, partitions(&query.filter))?;
        Ok(CandidateFilter {
            connection,
            filter: &query.filter,
            partitions,
            column: SortColumn::of_search(query.order),
            all,
        })
    }

    /// The entries of the candidates that pass the filter; `None` means that every item is a candidate. Candidates ascend.
    pub(super) fn entries(&self, items: Option<Vec<i64>>) -> Result<Vec<PageEntry>, Failure> {
        match items {
            None => self.scan(|_| true),
            Some(items) if (items.len() as u64).saturating_mul(STEPS_OF_A_LOOKUP) > self.all => {
                self.scan(|item| items.binary_search(&item).is_ok())
            }
            Some(items) => self.look_up(&items),
        }
    }

    fn scan(&self, is_one: impl Fn(i64) -> bool) -> Result<Vec<PageEntry>, Failure> {
        let sql = self.sql("space = ?3 AND kind = ?4 AND view = ?5");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut entries = Vec::new();
        for partition in &self.partitions {
            let keys = [
                Value::from(partition.space.uuid().into_bytes().to_vec()),
                partition.kind.name().to_owned().into(),
                partition.view_number().into(),
            ];
            let mut found = statement.query(params_from_iter(self.tag_values().into_iter().chain(keys)))?;
            while let Some(row) = found.next()? {
                if is_one(row.get(2)?) {
                    entries.push(entry_from_row(row, self.column)?);
                }
            }
        }
        Ok(entries)
    }

    fn look_up(&self, items: &[i64]) -> Result<Vec<PageEntry>, Failure> {
        let mut statement = self.connection.prepare_cached(&self.sql("number = ?3"))?;
        let tags = self.tag_values();
        let mut entries = Vec::new();
        for item in items {
            let mut found = statement.query(params_from_iter(tags.iter().cloned().chain([Value::from(*item)])))?;
            if let Some(row) = found.next()?
                && self.is_in_partitions(row)?
            {
                entries.push(entry_from_row(row, self.column)?);
            }
        }
        Ok(entries)
    }

    fn is_in_partitions(&self, row: &Row<'_>) -> Result<bool, Failure> {
        let space: [u8; 16] = row.get(3)?;
        let (kind, view) = (row.get_ref(4)?.as_str().map_err(rusqlite::Error::from)?, row.get::<_, i64>(5)?);
        let is_of = |partition: &ListPartition| {
            partition.space.uuid().as_bytes() == &space
                && partition.kind.name() == kind
                && partition.view_number() == view
        };
        Ok(self.partitions.iter().any(is_of))
    }

    fn sql(&self, condition: &str) -> String {
        let tag_filter = if self.filter.tags.is_empty() { "AND ?1 IS NULL AND ?2 IS NULL" } else { TAG_FILTER };
        let key = self.column.name();
        format!("SELECT {key}, id, number, space, kind, view FROM items WHERE {condition} {tag_filter}")
    }

    /// The parameters of the tag filter.
    fn tag_values(&self) -> Vec<Value> {
        let tags: BTreeSet<&str> = self.filter.tags.iter().map(Tag::as_str).collect();
        if tags.is_empty() {
            return vec![Value::Null, Value::Null];
        }
        let needed = tags_needed(tags.len(), self.filter.tag_match);
        vec![json::encode_strings(tags.iter().copied()).into(), needed.into()]
    }
}
