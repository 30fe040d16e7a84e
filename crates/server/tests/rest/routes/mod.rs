//! The routes: a file or folder for each URL.

mod apps;
mod changes;
mod changes_refused;
pub(crate) mod code;
mod docs;
mod events;
mod export;
mod health;
mod hidden_characters;
mod import;
pub(crate) mod items;
mod metrics;
mod openapi;
mod organizations;
mod proposals;
mod root;
mod spaces;
mod tags;
mod tokens;
mod unknown_routes;
mod users;
pub(crate) mod webhooks;
mod workflows;
