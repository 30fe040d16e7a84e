//! Pages of code files in the order of their paths.

use deadpool_postgres::Client;
use interline_items::{FilePage, FileQuery};
use uuid::Uuid;

use crate::integrity::Integrity;
use crate::postgres::failure::Failure;
use crate::postgres::rows::{self, item_columns};

/// The total stands in each row, so that both are of one snapshot; a row of nulls where there is no file.
const PAGE: &str = concat!(
    "WITH wanted AS (
         SELECT * FROM items
         WHERE space = ANY($1) AND kind = $2 AND starts_with(path, $3) AND path IS NOT NULL AND deleted_at IS NULL
     )
     SELECT (SELECT count(*) FROM wanted) AS files, ",
    item_columns!(),
    " FROM (SELECT) AS one LEFT JOIN (SELECT * FROM wanted ORDER BY path_key, path, id LIMIT $4) AS items ON true
      ORDER BY items.path_key, items.path, items.id"
);

/// The first files whose path has the prefix, and how many there are in all.
pub(crate) async fn files(client: &Client, integrity: &Integrity, query: &FileQuery) -> Result<FilePage, Failure> {
    let spaces: Vec<Uuid> = query.spaces.iter().map(|space| space.uuid()).collect();
    let limit = i64::try_from(query.limit).unwrap_or(i64::MAX);
    let statement = client.prepare_cached(PAGE).await?;
    let found = client.query(&statement, &[&spaces, &query.kind.name(), &query.path_prefix, &limit]).await?;
    let mut page = FilePage::default();
    for row in &found {
        page.total = rows::count(row, "files")?;
        if row.try_get::<_, Option<Uuid>>("id")?.is_some() {
            page.files.extend(integrity.unless_damaged(rows::item(row))?);
        }
    }
    Ok(page)
}
