//! The cursor of a page of items as text.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use interline_items::search::SearchOrder;
use interline_items::{Cursor, CursorKey, ItemId, Sort, SortBy, SortOrder, View};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A cursor as text: opaque to clients, and good for one order only.
#[derive(Serialize, Deserialize)]
pub(crate) struct CursorText {
    by: String,
    order: String,
    id: Uuid,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    micros: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    score: Option<u32>,
    /// The number of the view beside a score; active unless it is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    view: Option<u8>,
}

impl CursorText {
    /// The text of a cursor.
    pub(crate) fn write(cursor: &Cursor, order: SearchOrder) -> Option<String> {
        let (by, direction) = order_names(order);
        let (by, order, id) = (by.to_owned(), direction.to_owned(), cursor.id.uuid());
        let mut parts = CursorText { by, order, id, text: None, micros: None, score: None, view: None };
        match &cursor.key {
            None => {}
            Some(CursorKey::Text(text)) => parts.text = Some(text.clone()),
            Some(CursorKey::Micros(micros)) => parts.micros = Some(*micros),
            Some(CursorKey::Score { score, view }) => {
                (parts.score, parts.view) = (Some(*score), view_number(*view));
            }
        }
        let json = serde_json::to_vec(&parts).ok()?;
        Some(URL_SAFE_NO_PAD.encode(json))
    }

    /// The cursor of a text; `None` if it is not one of this order.
    pub(crate) fn read(text: &str, order: SearchOrder) -> Option<Cursor> {
        let parts: CursorText = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
        let key = match (parts.text, parts.micros, parts.score, parts.view) {
            (Some(text), None, None, None) => Some(CursorKey::Text(text)),
            (None, Some(micros), None, None) => Some(CursorKey::Micros(micros)),
            (None, None, Some(score), number) => {
                let view = VIEWS.into_iter().find(|view| view_number(*view) == number)?;
                Some(CursorKey::Score { score, view })
            }
            (None, None, None, None) => None,
            _ => return None,
        };
        let of_this_order = (parts.by.as_str(), parts.order.as_str()) == order_names(order);
        of_this_order.then_some(Cursor { key, id: ItemId::from_uuid(parts.id) })
    }
}

const VIEWS: [View; 3] = [View::Active, View::Archived, View::Deleted];

/// The number of a view in cursors; those of older servers have none.
fn view_number(view: View) -> Option<u8> {
    match view {
        View::Active => None,
        View::Archived => Some(1),
        View::Deleted => Some(2),
    }
}

/// An order in the words of the API.
fn order_names(order: SearchOrder) -> (&'static str, &'static str) {
    let (by, direction) = match order {
        SearchOrder::Relevance(direction) => ("relevance", direction),
        SearchOrder::Sorted(Sort { by: SortBy::CreatedAt, order }) => ("created_at", order),
        SearchOrder::Sorted(Sort { by: SortBy::UpdatedAt, order }) => ("updated_at", order),
        SearchOrder::Sorted(Sort { by: SortBy::LastUsedAt, order }) => ("last_used_at", order),
        SearchOrder::Sorted(Sort { by: SortBy::Title, order }) => ("title", order),
        SearchOrder::Sorted(Sort { by: SortBy::ArchivedAt, order }) => ("archived_at", order),
        SearchOrder::Sorted(Sort { by: SortBy::DeletedAt, order }) => ("deleted_at", order),
    };
    match direction {
        SortOrder::Ascending => (by, "asc"),
        SortOrder::Descending => (by, "desc"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(by: SortBy, order: SortOrder) -> SearchOrder {
        SearchOrder::Sorted(Sort { by, order })
    }

    #[test]
    fn a_cursor_comes_back_and_is_good_for_its_order_only() {
        let title = sorted(SortBy::Title, SortOrder::Ascending);
        let update = sorted(SortBy::UpdatedAt, SortOrder::Descending);
        let relevance = SearchOrder::Relevance(SortOrder::Descending);
        let ascending = SearchOrder::Relevance(SortOrder::Ascending);
        let score = |view| Some(CursorKey::Score { score: 136, view });
        let id = ItemId::generate();
        for (cursor, order, others) in [
            (Cursor { key: Some(CursorKey::Text("ärger \"x\"".to_owned())), id }, title, [update, relevance]),
            (Cursor { key: None, id }, title, [update, relevance]),
            (Cursor { key: Some(CursorKey::Micros(-5)), id }, update, [title, relevance]),
            (Cursor { key: score(View::Active), id }, relevance, [update, ascending]),
            (Cursor { key: score(View::Archived), id }, relevance, [update, ascending]),
            (Cursor { key: score(View::Deleted), id }, ascending, [update, relevance]),
            (Cursor { key: None, id }, sorted(SortBy::ArchivedAt, SortOrder::Descending), [update, relevance]),
        ] {
            let text = CursorText::write(&cursor, order).unwrap();
            assert_eq!(CursorText::read(&text, order), Some(cursor));
            for other in others {
                assert_eq!(CursorText::read(&text, other), None);
            }
        }
    }

    #[test]
    fn a_cursor_of_an_older_server_is_that_of_an_active_item() {
        let id = ItemId::generate();
        let text = format!(r#"{{"by":"relevance","order":"desc","id":"{id}","score":7}}"#);
        let read = CursorText::read(&URL_SAFE_NO_PAD.encode(text), SearchOrder::Relevance(SortOrder::Descending));
        assert_eq!(read, Some(Cursor { key: Some(CursorKey::Score { score: 7, view: View::Active }), id }));
        for view in ["0", "3", "-1", "\"x\""] {
            let text = format!(r#"{{"by":"relevance","order":"desc","id":"{id}","score":7,"view":{view}}}"#);
            let read = CursorText::read(&URL_SAFE_NO_PAD.encode(text), SearchOrder::Relevance(SortOrder::Descending));
            assert_eq!(read, None, "{view}");
        }
    }

    #[test]
    fn what_is_no_cursor_is_refused() {
        let order = sorted(SortBy::Title, SortOrder::Ascending);
        for text in ["", "x", "e30", "bnVsbA", "ää", "+1+1", "eyJieSI6"] {
            assert_eq!(CursorText::read(text, order), None, "{text}");
        }
    }
}
