//! The columns of the table `items` that both storages read an item from.

/// The columns in the order in which `sqlite::rows::item` reads them; PostgreSQL reads them by name. A content, if it is
/// read too, comes after them.
macro_rules! item_columns {
    () => {
        "items.id, items.kind, items.space, items.title, items.description, items.tags, items.url, items.name,
         items.arguments, items.path, items.front_matter, items.functions, items.content_characters, items.content_bytes, items.content_lines, items.content_preview,
         items.content_hash, items.version, items.revision, items.created_at, items.updated_at, items.last_used_at,
         items.archived_at, items.deleted_at"
    };
}
pub(crate) use item_columns;
