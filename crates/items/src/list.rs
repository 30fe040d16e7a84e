//! Listing items: filters, orders, pages and cursors.

use std::collections::BTreeSet;

use crate::fields::Tag;
use crate::{Item, Kind, Snapshot, SpaceId};

/// A filter of items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// The spaces to look in.
    pub spaces: BTreeSet<SpaceId>,
    /// The kinds.
    pub kinds: BTreeSet<Kind>,
    /// Tags that the items have.
    pub tags: Vec<Tag>,
    /// Whether they have all of them or any.
    pub tag_match: TagMatch,
    /// The views; an item is in exactly one.
    pub views: BTreeSet<View>,
}

/// Which items to list, in which order, and how many of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListQuery {
    /// The items to list.
    pub filter: Filter,
    /// The order.
    pub sort: Sort,
    /// Where the page starts.
    pub start: PageStart,
    /// How many items at the most; at least 1.
    pub limit: usize,
    /// Whether contents are read too.
    pub contents: Contents,
}

/// How several tags combine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TagMatch {
    /// An item has all of them.
    #[default]
    All,
    /// An item has at least one.
    Any,
}

/// Whether an item is active, archived or deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum View {
    /// Neither archived nor deleted.
    Active,
    /// Archived and not deleted.
    Archived,
    /// In the trash, archived or not.
    Deleted,
}

impl View {
    /// The view that an item is in.
    pub fn from_item(item: &Item) -> View {
        match (item.deleted_at, item.archived_at) {
            (Some(_), _) => View::Deleted,
            (None, Some(_)) => View::Archived,
            (None, None) => View::Active,
        }
    }
}

/// An order of items; ties are broken by id, in the same direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sort {
    /// What is compared.
    pub by: SortBy,
    /// Which comes first.
    pub order: SortOrder,
}

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortBy {
    /// When it was made.
    CreatedAt,
    /// When it was last changed.
    UpdatedAt,
    /// When it was last used; items never used come last in both orders.
    LastUsedAt,
    /// What it is called, by its sort key ([`Fields::title_key`](crate::Fields::title_key)).
    Title,
    /// When it was archived; items that are not archived come last in both orders.
    ArchivedAt,
    /// When it went into the trash; items that are not there come last in both orders.
    DeletedAt,
}

/// Which comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortOrder {
    /// The least.
    Ascending,
    /// The greatest.
    Descending,
}

/// Where a page starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageStart {
    /// After so many items.
    Offset(u64),
    /// After the last item of another page, whatever has come before it since.
    After(Cursor),
}

/// A position in an order: the sort key and the id of the last item of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// The value that is compared; `None` where the item has none.
    pub key: Option<CursorKey>,
    /// The item.
    pub id: crate::ItemId,
}

/// The value that an order compares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CursorKey {
    /// A sort key.
    Text(String),
    /// Microseconds since 1970.
    Micros(i64),
    /// How well an item matches the search. Among equal scores the views are in their order, whatever the order of the scores:
    /// an archived item never comes before an active one that matches as well.
    Score {
        /// The score.
        score: u32,
        /// The view of the item.
        view: View,
    },
}

/// Whether a list reads contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// It does not touch them.
    Omit,
    /// It reads them.
    Read,
}

/// A page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The items, with contents if they were asked for.
    pub items: Vec<Snapshot>,
    /// How many items there are in all.
    pub total: u64,
    /// Where the next page starts; `None` after the last.
    pub next: Option<Cursor>,
}
