//! Extractors: what handlers read from a request, parsed and checked.

pub(super) mod body;
pub(super) mod caller;
pub(super) mod collection;
pub(super) mod conditions;
pub(super) mod item_target;
pub(super) mod json_values;
pub(super) mod path;
pub(super) mod query;
