//! The tools for apps.

mod app;
mod create_app;
mod delete_app;
mod get_app;
mod list_apps;
mod publish_app;
mod restore_app;
mod update_app;

use crate::mcp::protocol::tool::Tool;

pub(super) fn tools() -> [Tool; 7] {
    [
        list_apps::tool(),
        create_app::tool(),
        get_app::tool(),
        update_app::tool(),
        publish_app::tool(),
        delete_app::tool(),
        restore_app::tool(),
    ]
}
