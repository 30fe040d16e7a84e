//! `POST /code/…`: files of code by their paths, with the parameters of the tools for code.

mod delete;
mod get;
mod list;
mod patch;
mod read;
mod replace;
mod search;

use utoipa_axum::routes;

use super::rules::{RouteRules, Routes};

/// The routes of files of code. Those that read are asked by a body too, as the tools for code are.
pub(super) fn routes() -> Routes {
    let write = RouteRules::write().with_code_responses();
    Routes::new()
        .route(routes!(list::list), RouteRules::read())
        .route(routes!(search::search), RouteRules::read())
        .route(routes!(read::read), RouteRules::read())
        .route(routes!(get::get), RouteRules::read())
        .route(routes!(patch::patch), write)
        .route(routes!(replace::replace), write)
        .route(routes!(delete::delete), write)
}
