//! Items: `/notes`, `/bookmarks`, `/prompts`, and `/content` for all of them. The routes are written once; the collection
//! that a request came to says which kind is meant.

mod collection;
mod create;
mod delete;
mod edit;
mod history;
mod lifecycle;
mod list;
mod read;
mod render;
mod search;
mod target;
mod update;

use axum::Extension;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::app::App;
pub(super) use collection::Collection;

/// The routes of a collection, below its path.
pub(super) fn routes(collection: Collection) -> OpenApiRouter<App> {
    let by_id = OpenApiRouter::new()
        .routes(routes!(list::list))
        .routes(routes!(read::read, update::update, delete::delete))
        .routes(routes!(lifecycle::restore))
        .routes(routes!(lifecycle::archive))
        .routes(routes!(lifecycle::unarchive))
        .routes(routes!(lifecycle::track_usage))
        .routes(routes!(search::search))
        .routes(routes!(edit::str_replace))
        .routes(routes!(edit::patch_content))
        .routes(routes!(edit::insert))
        .routes(routes!(edit::delete_content))
        .routes(routes!(edit::edits))
        .routes(routes!(history::list))
        .routes(routes!(history::read))
        .routes(routes!(history::compare))
        .routes(routes!(history::restore));
    let routes = match collection.kind() {
        None => by_id.routes(routes!(render::render)),
        Some(kind) => {
            let created = by_id.routes(routes!(create::create));
            if kind.rules().name == interline_items::Presence::Absent {
                created
            } else {
                created
                    .routes(routes!(read::read_by_name, update::update_by_name))
                    .routes(routes!(edit::str_replace_by_name))
                    .routes(routes!(render::render))
            }
        }
    };
    routes.layer(Extension(collection))
}
