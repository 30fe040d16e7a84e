//! The routes: one file or folder for each URL. A route is declared with its [`rules`], beside its handlers.

mod apps;
mod changes;
mod code;
pub(super) mod docs;
mod events;
mod export;
pub(super) mod health;
mod import;
pub(super) mod items;
pub(super) mod mcp;
mod organizations;
mod proposals;
pub(super) mod root;
pub(super) mod rules;
mod spaces;
mod tags;
mod tokens;
mod users;
mod webhooks;
mod workflows;

use rules::Routes;

/// All routes that the OpenAPI description lists.
pub(super) fn all() -> Routes {
    Routes::new()
        .merge(items::routes())
        .merge(tags::routes())
        .merge(changes::routes())
        .merge(proposals::routes())
        .merge(tokens::routes())
        .merge(users::routes())
        .merge(spaces::routes())
        .merge(import::routes())
        .merge(export::routes())
        .merge(events::routes())
        .merge(webhooks::routes())
        .merge(organizations::routes())
        .merge(apps::routes())
        .merge(workflows::routes())
        .merge(code::routes())
        .merge(health::routes())
}
