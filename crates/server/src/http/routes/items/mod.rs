//! Items: `/notes`, `/bookmarks`, `/prompts`, and `/content` for all of them. The routes are written once and mounted for
//! every collection; the collection of the matched route says which kind of items a request is about.

mod blame;
mod create;
mod delete;
mod edit;
mod enrichment;
mod history;
mod lifecycle;
mod list;
pub(in crate::http) mod list_values;
mod look_up;
mod read;
mod render;
mod search;
mod update;

use interline_items::Presence;
use utoipa_axum::routes;

use super::rules::{RouteRules, Routes};
use crate::http::extract::collection::Collection;

pub(super) use list::VIEWS;

/// The routes of every collection.
pub(super) fn routes() -> Routes {
    let collections = Collection::ALL.into_iter();
    collections.map(collection_routes).fold(Routes::new(), Routes::merge)
}

/// The routes of a collection.
fn collection_routes(collection: Collection) -> Routes {
    let (read, write) = (RouteRules::read(), RouteRules::write());
    let routes = Routes::new()
        .route(routes!(list::list), read)
        .route(routes!(read::read), read)
        .route(routes!(update::update, delete::delete), write)
        .route(routes!(lifecycle::restore), write)
        .route(routes!(lifecycle::archive), write)
        .route(routes!(lifecycle::unarchive), write)
        .route(routes!(lifecycle::track_usage), write.with_key_not_offered())
        .route(routes!(search::search), read)
        .route(routes!(edit::str_replace), write)
        .route(routes!(edit::patch_content), write)
        .route(routes!(edit::insert), write)
        .route(routes!(edit::delete_content), write)
        .route(routes!(edit::edits), write)
        .route(routes!(history::list), read)
        .route(routes!(history::read), read)
        .route(routes!(history::compare), read)
        .route(routes!(history::restore), write)
        .route(routes!(blame::blame), read);
    let routes = match collection.kind() {
        None => {
            let routes = routes.merge(render_routes()).route(routes!(look_up::look_up), read);
            routes.route(routes!(enrichment::read), read)
        }
        Some(kind) => {
            let routes = routes.route(routes!(create::create), write);
            if kind.rules().name == Presence::Absent {
                routes.route(routes!(enrichment::read), read)
            } else {
                routes
                    .route(routes!(read::read_by_name), read)
                    .route(routes!(update::update_by_name), write)
                    .route(routes!(edit::str_replace_by_name), write)
                    .merge(render_routes())
            }
        }
    };
    routes.below(&format!("/{}", collection.name()))
}

/// Rendering stores nothing, but it is work for the server: it counts as a write.
fn render_routes() -> Routes {
    Routes::new().route(routes!(render::render), RouteRules::write().with_key_not_offered())
}
