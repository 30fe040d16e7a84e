//! The code server: files of apps, workflows and modules by path, and what they are for.

mod apps;
mod content;
mod file;
mod list_organizations;
mod workflows;

use super::server::Offer;

const INSTRUCTIONS: &str = "\
Code: files by path. entity_type is app_file (give app_id), workflow (Python with @workflow, @tool or @data_provider) or \
module (other Python, shared by all). Without organization_id your own organization is meant, and for reading then what \
is global.
Order of work: 1. search_content finds the place (list_content the files). 2. read_content_lines reads around it; the numbers in \"12: \
text\" are for orientation, not part of the file. 3. patch_content changes just that passage. Use replace_content only for \
new files, after a patch that cannot work, or for tiny files, and get_content (a whole file) sparingly.
Python is checked before it is stored: a write that would break it is refused with line and column; validate_workflow \
checks without storing. App files are a draft until publish_app. Errors say what to do next.";

pub(super) fn offer() -> Offer {
    Offer {
        title: "Interline code",
        instructions: INSTRUCTIONS,
        tools: vec![
            content::list::tool(),
            content::search::tool(),
            content::read_lines::tool(),
            content::patch::tool(),
            content::get::tool(),
            content::replace::tool(),
            content::delete::tool(),
            workflows::list_tool(),
            workflows::get_tool(),
            workflows::validate_tool(),
            apps::list_tool(),
            apps::create_tool(),
            apps::get_tool(),
            apps::update_tool(),
            apps::publish_tool(),
            list_organizations::tool(),
        ],
    }
}
