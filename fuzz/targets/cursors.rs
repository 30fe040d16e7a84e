//! Cursors of lists and of events as texts: any text is an error or a cursor, and a cursor comes back as it was.
#![no_main]

#[path = "../../crates/server/src/wire/cursor.rs"]
mod list_cursor;
#[path = "../../crates/server/src/mcp/protocol/page_cursor.rs"]
mod page_cursor;

use arbitrary::Arbitrary;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use interline_items::search::SearchOrder;
use interline_items::{Cursor, CursorKey, EventCursor, ItemId, Sort, SortBy, SortOrder, View};
use libfuzzer_sys::fuzz_target;
use uuid::Uuid;

use list_cursor::CursorText;
use page_cursor::{cursor_text, parse_cursor};

#[derive(Arbitrary, Debug)]
enum Input {
    /// A text from a client.
    Text(String),
    /// Bytes, as base64.
    Encoded(Vec<u8>),
    /// The members of a cursor of a list, as JSON in base64: some of them, of any type.
    Members { order: u8, id: u128, members: [Option<Member>; 4] },
    /// A cursor of a list.
    List { key: Option<Key>, id: u128 },
    /// The spaces and numbers of a cursor of events.
    Events(Vec<(u8, u64)>),
}

#[derive(Arbitrary, Debug)]
enum Member {
    Text(String),
    Number(i64),
    Null,
}

#[derive(Arbitrary, Debug)]
enum Key {
    Text(String),
    Micros(i64),
    Score(u32, u8),
}

fn orders() -> impl Iterator<Item = SearchOrder> {
    [SortOrder::Ascending, SortOrder::Descending].into_iter().flat_map(|order| {
        let sorted = [
            SortBy::CreatedAt,
            SortBy::UpdatedAt,
            SortBy::LastUsedAt,
            SortBy::Title,
            SortBy::ArchivedAt,
            SortBy::DeletedAt,
        ];
        sorted.map(|by| SearchOrder::Sorted(Sort { by, order })).into_iter().chain([SearchOrder::Relevance(order)])
    })
}

/// A text is a cursor of one order at the most, and what is read is written so that it is read as the same.
fn read(text: &str) {
    let cursors: Vec<_> = orders().filter_map(|order| Some((order, CursorText::read(text, order)?))).collect();
    assert!(cursors.len() <= 1, "{cursors:?}");
    for (order, cursor) in cursors {
        written_and_read(&cursor, order);
    }
    if let Some(cursor) = parse_cursor(text) {
        assert_eq!(cursor_text(&cursor).as_deref().and_then(parse_cursor), Some(cursor));
    }
    if let Some(cursor) = EventCursor::parse(text) {
        let again = cursor.to_string();
        // The same entries, in the order of their spaces.
        assert_eq!(again.len(), text.len());
        assert_eq!(EventCursor::parse(&again), Some(cursor));
    }
}

fn written_and_read(cursor: &Cursor, order: SearchOrder) {
    let text = CursorText::write(cursor, order).unwrap();
    for other in orders() {
        assert_eq!(CursorText::read(&text, other), (other == order).then(|| cursor.clone()));
    }
}

fn json(order: u8, id: u128, members: &[Option<Member>; 4]) -> String {
    let (by, order) = [("title", "asc"), ("relevance", "desc"), ("created_at", "asc")][usize::from(order) % 3];
    let mut object = serde_json::json!({"by": by, "order": order, "id": Uuid::from_u128(id).to_string()});
    for (name, member) in ["text", "micros", "score", "view"].into_iter().zip(members) {
        match member {
            None => {}
            Some(Member::Text(text)) => object[name] = text.as_str().into(),
            Some(Member::Number(number)) => object[name] = (*number).into(),
            Some(Member::Null) => object[name] = serde_json::Value::Null,
        }
    }
    object.to_string()
}

fuzz_target!(|input: Input| {
    match input {
        Input::Text(text) => read(&text),
        Input::Encoded(bytes) => read(&URL_SAFE_NO_PAD.encode(bytes)),
        Input::Members { order, id, members } => read(&URL_SAFE_NO_PAD.encode(json(order, id, &members))),
        Input::List { key, id } => {
            let key = key.map(|key| match key {
                Key::Text(text) => CursorKey::Text(text),
                Key::Micros(micros) => CursorKey::Micros(micros),
                Key::Score(score, view) => {
                    let view = [View::Active, View::Archived, View::Deleted][usize::from(view) % 3];
                    CursorKey::Score { score, view }
                }
            });
            let cursor = Cursor { key, id: ItemId::from_uuid(Uuid::from_u128(id)) };
            orders().for_each(|order| written_and_read(&cursor, order));
            let is_time = matches!(cursor.key, Some(CursorKey::Micros(_)));
            assert_eq!(cursor_text(&cursor).as_deref().and_then(parse_cursor), is_time.then_some(cursor));
        }
        Input::Events(entries) => {
            let mut bytes = Vec::new();
            for (space, number) in &entries {
                bytes.extend_from_slice(&[*space; 16]);
                bytes.extend_from_slice(&number.to_be_bytes());
            }
            let spaces: std::collections::BTreeSet<u8> = entries.iter().map(|(space, _)| *space).collect();
            let text = URL_SAFE_NO_PAD.encode(bytes);
            // A space has one number.
            assert_eq!(EventCursor::parse(&text).is_some(), spaces.len() == entries.len());
            read(&text);
        }
    }
});
