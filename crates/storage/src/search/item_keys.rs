//! The keys of an item in the index: those of its terms, and the member key by which its segments are found.

use interline_search::{Payload, SearchedFields, index_terms};

/// The key of the term that only this item has: by it the segments that have the item are found. `identity` is the id by
/// which the storage knows the item, also after a purge. The key lies between those of grams and of stems.
pub(crate) fn member_key(identity: &[u8]) -> Vec<u8> {
    [b"i", identity].concat()
}

/// The keys of an item, ascending, each with its payload.
pub(crate) type ItemKeys = Vec<(Vec<u8>, Payload)>;

/// The keys of an item.
pub(crate) fn item_keys(item: &SearchedFields<'_>, identity: &[u8]) -> ItemKeys {
    let mut keys: ItemKeys = index_terms(item).into_iter().map(|(term, payload)| (term.key(), payload)).collect();
    let member = member_key(identity);
    let place = keys.partition_point(|(key, _)| *key < member);
    keys.insert(place, (member, 1));
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_an_item_ascend() {
        let item = SearchedFields {
            title: Some("Ünïcode 東京 zzz aaa"),
            content: Some("i go s u g"),
            ..SearchedFields::default()
        };
        let keys = item_keys(&item, &7_i64.to_be_bytes());
        assert!(keys.is_sorted_by(|(a, _), (b, _)| a < b));
        assert!(keys.contains(&(member_key(&7_i64.to_be_bytes()), 1)));
    }
}
