//! The table `import_sources`: the records that were imported, and the items that they became.

use interline_items::fields::Url;
use interline_items::{ImportOrigin, ImportedSource, ItemId, MergedSource, SpaceId, StoreError};

use crate::codec::json;
use crate::sql::{RowReader, Sql, Statement, column, query_first, statement, values};

const PUT: Statement = statement!(
    "INSERT INTO import_sources (space, source, key, item, hash, version, origin, fields, content)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
     ON CONFLICT (space, source, key) DO UPDATE
     SET item = excluded.item, hash = excluded.hash, version = excluded.version, origin = excluded.origin,
         fields = excluded.fields, content = excluded.content"
);

const GET: Statement = statement!(
    "SELECT item, hash, version, origin, fields, content FROM import_sources WHERE space = ?1 AND source = ?2 AND key = ?3"
);

const NEWEST_KEY_OF_ITEM: Statement = statement!(
    "SELECT key FROM import_sources WHERE space = ?1 AND source = ?2 AND item = ?3 ORDER BY version DESC, key LIMIT 1"
);

const BY_URL: Statement =
    statement!("SELECT id FROM items WHERE space = ?1 AND kind = 'bookmark' AND url = ?2 AND deleted_at IS NULL");

/// The kinds that an export has.
const EXPORTED: Statement = statement!(
    "SELECT id FROM items WHERE space = ?1 AND id > ?2 AND kind IN ('note', 'bookmark', 'prompt') ORDER BY id LIMIT ?3"
);

/// Remembers records, those before under the same keys forgotten. It is part of the transaction that makes the items.
pub(crate) async fn put<S: Sql>(sql: &S, imports: &[ImportedSource]) -> Result<(), S::Failure> {
    for import in imports {
        let ImportedSource { space, source, key, item, hash, version, origin, merged } = import;
        let fields = merged.as_ref().map(|merged| json::encode_fields(&merged.fields));
        let content = merged.as_ref().and_then(|merged| merged.content.as_deref());
        sql.execute(PUT, values![*space, source, key, *item, hash, *version, origin.name(), fields, content]).await?;
    }
    Ok(())
}

/// Those of the records that were imported, in the order of their keys.
pub(crate) async fn get<S: Sql>(
    sql: &S,
    space: SpaceId,
    source: &str,
    keys: &[String],
) -> Result<Vec<Option<ImportedSource>>, S::Failure> {
    let mut found = Vec::with_capacity(keys.len());
    for key in keys {
        let read = |row: &mut RowReader<'_>| imported_source(row, space, source, key);
        found.push(query_first(sql, GET, values![space, source, key], read).await?);
    }
    Ok(found)
}

/// The newest of the records of a source that became an item.
pub(crate) async fn newest_of_item<S: Sql>(
    sql: &S,
    space: SpaceId,
    source: &str,
    item: ItemId,
) -> Result<Option<ImportedSource>, S::Failure> {
    let key: Option<String> = query_first(sql, NEWEST_KEY_OF_ITEM, values![space, source, item], column).await?;
    let found = get(sql, space, source, key.as_slice()).await?;
    Ok(found.into_iter().next().flatten())
}

fn imported_source(
    row: &mut RowReader<'_>,
    space: SpaceId,
    source: &str,
    key: &str,
) -> Result<ImportedSource, StoreError> {
    let (item, hash, version) = (row.get()?, row.get()?, row.get()?);
    let origin = ImportOrigin::from_name(row.get()?).ok_or_else(|| {
        StoreError::Failed("an imported record has an origin that this program never writes".to_owned())
    })?;
    let fields: Option<&str> = row.optional()?;
    let content = row.optional()?;
    let fields = fields.map(json::decode_fields).transpose()?;
    let merged = fields.map(|fields| MergedSource { fields, content });
    Ok(ImportedSource { space, source: source.to_owned(), key: key.to_owned(), item, hash, version, origin, merged })
}

/// The bookmark of a space that has a url and is not deleted.
pub(crate) async fn find_by_url<S: Sql>(sql: &S, space: SpaceId, url: &Url) -> Result<Option<ItemId>, S::Failure> {
    query_first(sql, BY_URL, values![space, url.as_str()], column).await
}

/// Ids of the notes, bookmarks and prompts of a space, in whatever view, in their order.
pub(crate) async fn items_of_space<S: Sql>(
    sql: &S,
    space: SpaceId,
    after: Option<ItemId>,
    limit: usize,
) -> Result<Vec<ItemId>, S::Failure> {
    let after = after.unwrap_or_else(|| ItemId::from_uuid(uuid::Uuid::nil()));
    sql.query(EXPORTED, values![space, after, limit], column).await
}
