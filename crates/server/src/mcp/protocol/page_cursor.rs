//! The cursor of a page of `prompts/list` or `resources/list` as text.

use interline_items::{Cursor, CursorKey, ItemId};
use uuid::Uuid;

/// A cursor as text, if it has a time: the creation time of the last item of a page, and its id.
pub(super) fn cursor_text(cursor: &Cursor) -> Option<String> {
    match &cursor.key {
        Some(CursorKey::Micros(micros)) => Some(format!("{micros}.{}", cursor.id.uuid())),
        Some(CursorKey::Text(_) | CursorKey::Score { .. }) | None => None,
    }
}

/// The cursor of a text; `None` if it is not one.
pub(super) fn parse_cursor(text: &str) -> Option<Cursor> {
    let (micros, id) = text.split_once('.')?;
    let key = CursorKey::Micros(micros.parse().ok()?);
    Some(Cursor { key: Some(key), id: ItemId::from_uuid(Uuid::try_parse(id).ok()?) })
}
