//! Items: `/notes`, `/bookmarks`, `/prompts`, and `/content` for all of them. The routes are written once; the collection
//! that a request came to says which kind is meant.

mod collection;
mod create;
mod delete;
mod edit;
mod enrichment;
mod history;
mod lifecycle;
mod list;
mod read;
mod render;
mod search;
mod target;
mod update;

use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};
use utoipa_axum::routes;

use super::app::App;
pub(super) use collection::Collection;

/// The routes of a collection.
pub(super) fn routes(collection: Collection) -> OpenApiRouter<App> {
    let prefix = format!("/{}", collection.name());
    let at = |routes| below(&prefix, routes);
    let by_id = OpenApiRouter::new()
        .routes(at(routes!(list::list)))
        .routes(at(routes!(read::read, update::update, delete::delete)))
        .routes(at(routes!(lifecycle::restore)))
        .routes(at(routes!(lifecycle::archive)))
        .routes(at(routes!(lifecycle::unarchive)))
        .routes(at(routes!(lifecycle::track_usage)))
        .routes(at(routes!(search::search)))
        .routes(at(routes!(edit::str_replace)))
        .routes(at(routes!(edit::patch_content)))
        .routes(at(routes!(edit::insert)))
        .routes(at(routes!(edit::delete_content)))
        .routes(at(routes!(edit::edits)))
        .routes(at(routes!(history::list)))
        .routes(at(routes!(history::read)))
        .routes(at(routes!(history::compare)))
        .routes(at(routes!(history::restore)));
    match collection.kind() {
        None => by_id.routes(at(routes!(render::render))).routes(at(routes!(enrichment::read))),
        Some(kind) => {
            let created = by_id.routes(at(routes!(create::create)));
            if kind.rules().name == interline_items::Presence::Absent {
                created.routes(at(routes!(enrichment::read)))
            } else {
                created
                    .routes(at(routes!(read::read_by_name, update::update_by_name)))
                    .routes(at(routes!(edit::str_replace_by_name)))
                    .routes(at(routes!(render::render)))
            }
        }
    }
}

/// Routes with their whole paths. (A nested router would be one more layer that every request goes through.)
fn below(prefix: &str, (schemas, mut paths, methods): UtoipaMethodRouter<App>) -> UtoipaMethodRouter<App> {
    let whole = |path: String| if path == "/" { prefix.to_owned() } else { prefix.to_owned() + &path };
    paths.paths = paths.paths.into_iter().map(|(path, item)| (whole(path), item)).collect();
    (schemas, paths, methods)
}
