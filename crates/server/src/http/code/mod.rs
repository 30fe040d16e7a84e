//! `POST /code/…`: files of code by their paths, with the parameters of the tools for code.

mod delete;
mod get;
mod list;
mod patch;
mod read;
mod replace;
mod search;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::app::App;

/// The routes of files of code.
pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list::list))
        .routes(routes!(search::search))
        .routes(routes!(read::read))
        .routes(routes!(get::get))
        .routes(routes!(patch::patch))
        .routes(routes!(replace::replace))
        .routes(routes!(delete::delete))
}
