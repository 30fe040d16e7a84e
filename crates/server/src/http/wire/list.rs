//! Lists as they are sent.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use interline_items::{Cursor, CursorKey, ItemId, Page, PageStart, Sort, SortBy, SortOrder};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::ItemBody;

/// A page of items.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::http) struct ItemList<'a> {
    /// The items of this page.
    items: Vec<ItemBody<'a>>,
    /// How many items there are in all.
    #[schema(value_type = i64, minimum = 0)]
    total: u64,
    /// How many items come before this page; null for a page that was asked for by cursor.
    #[schema(value_type = Option<i64>, minimum = 0)]
    offset: Option<u64>,
    /// How many items a page has at the most.
    #[schema(value_type = i64, minimum = 1)]
    limit: usize,
    /// Whether there is another page.
    has_more: bool,
    /// Where the next page starts: give it as `cursor`.
    next_cursor: Option<String>,
}

impl<'a> ItemList<'a> {
    /// A page that was asked for from `start`, in the order `sort`.
    pub(in crate::http) fn of(page: &'a Page, start: &PageStart, limit: usize, sort: Sort) -> ItemList<'a> {
        ItemList {
            items: page.items.iter().map(ItemBody::of_snapshot).collect(),
            total: page.total,
            offset: match start {
                PageStart::Offset(offset) => Some(*offset),
                PageStart::After(_) => None,
            },
            limit,
            has_more: page.next.is_some(),
            next_cursor: page.next.as_ref().and_then(|cursor| CursorText::write(cursor, sort)),
        }
    }
}

/// A cursor as text: opaque to clients, and good for one order only.
#[derive(Serialize, Deserialize)]
pub(in crate::http) struct CursorText {
    by: String,
    order: String,
    id: Uuid,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    micros: Option<i64>,
}

impl CursorText {
    fn write(cursor: &Cursor, sort: Sort) -> Option<String> {
        let (text, micros) = match &cursor.key {
            None => (None, None),
            Some(CursorKey::Text(text)) => (Some(text.clone()), None),
            Some(CursorKey::Micros(micros)) => (None, Some(*micros)),
        };
        let (by, order) = names(sort);
        let parts = CursorText { by: by.to_owned(), order: order.to_owned(), id: cursor.id.uuid(), text, micros };
        let json = serde_json::to_vec(&parts).ok()?;
        Some(URL_SAFE_NO_PAD.encode(json))
    }

    /// The cursor of a text; `None` if it is not one of this order.
    pub(in crate::http) fn read(text: &str, sort: Sort) -> Option<Cursor> {
        let parts: CursorText = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
        let key = match (parts.text, parts.micros) {
            (Some(text), None) => Some(CursorKey::Text(text)),
            (None, Some(micros)) => Some(CursorKey::Micros(micros)),
            (None, None) => None,
            (Some(_), Some(_)) => return None,
        };
        let of_this_order = (parts.by.as_str(), parts.order.as_str()) == names(sort);
        of_this_order.then_some(Cursor { key, id: ItemId::from_uuid(parts.id) })
    }
}

/// An order in the words of the API.
fn names(sort: Sort) -> (&'static str, &'static str) {
    let by = match sort.by {
        SortBy::CreatedAt => "created_at",
        SortBy::UpdatedAt => "updated_at",
        SortBy::LastUsedAt => "last_used_at",
        SortBy::Title => "title",
    };
    let order = match sort.order {
        SortOrder::Ascending => "asc",
        SortOrder::Descending => "desc",
    };
    (by, order)
}

/// All tags.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::http) struct TagList {
    /// Sorted by name.
    pub(in crate::http) tags: Vec<TagCount>,
}

/// A tag.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::http) struct TagCount {
    /// The tag.
    pub(in crate::http) name: String,
    /// How many items that are not deleted have it.
    #[schema(value_type = i64, minimum = 1)]
    pub(in crate::http) count: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back_and_is_good_for_its_order_only() {
        let title = Sort { by: SortBy::Title, order: SortOrder::Ascending };
        let update = Sort { by: SortBy::UpdatedAt, order: SortOrder::Descending };
        let id = ItemId::generate();
        for (cursor, sort, other) in [
            (Cursor { key: Some(CursorKey::Text("ärger \"x\"".to_owned())), id }, title, update),
            (Cursor { key: None, id }, title, update),
            (Cursor { key: Some(CursorKey::Micros(-5)), id }, update, title),
        ] {
            let text = CursorText::write(&cursor, sort).unwrap();
            assert_eq!(CursorText::read(&text, sort), Some(cursor));
            assert_eq!(CursorText::read(&text, other), None);
        }
    }

    #[test]
    fn what_is_no_cursor_is_refused() {
        let sort = Sort { by: SortBy::Title, order: SortOrder::Ascending };
        for text in ["", "x", "e30", "bnVsbA", "ää", "+1+1", "eyJieSI6"] {
            assert_eq!(CursorText::read(text, sort), None, "{text}");
        }
    }
}
