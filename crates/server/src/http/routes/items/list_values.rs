//! The closed sets of values of the parameters of lists, as named schemas: the names that the parameters are parsed by.

use super::super::apps::APP_VIEWS;
use super::list::{ORDERS, SORTS, TAG_MATCHES, VIEWS};
use crate::wire::enumerations;

enumerations! {
    /// Whether an item is active, archived or in the trash.
    ItemView = names(VIEWS);
    /// Whether an app is active or in the trash.
    AppView = names(APP_VIEWS);
    /// Whether an item has all of the tags or at least one.
    TagMatch = names(TAG_MATCHES);
    /// What items are sorted by.
    SortBy = names(SORTS);
    /// Which comes first: the least, or the greatest.
    SortOrder = names(ORDERS);
}

fn names<T>(table: &[(&'static str, T)]) -> impl Iterator<Item = &'static str> {
    table.iter().map(|(name, _)| *name)
}
