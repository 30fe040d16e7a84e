//! `/content`: items of any kind, by id alone.

mod by_id;
