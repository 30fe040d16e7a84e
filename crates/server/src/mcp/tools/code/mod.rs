//! The tools of the code server: files of apps, workflows and modules by path, and the apps and workflows themselves.

mod apps;
mod content_history;
mod delete_content;
mod file;
mod get_content;
mod get_workflow;
mod list_content;
mod list_organizations;
mod list_workflows;
mod patch_content;
mod read_content_lines;
mod replace_content;
mod restore_content;
mod search_content;
mod validate_workflow;
mod workflow;

use crate::mcp::protocol::Toolset;
use crate::mcp::protocol::tool::Tool;

const INSTRUCTIONS: &str = "\
Code: files by path. entity_type is app_file (give app_id), workflow (Python with @workflow, @tool or @data_provider) or \
module (other Python, shared by all). Without organization_id your own organization is meant, and for reading then what \
is global.
Order of work: 1. search_content finds the place (list_content the files). 2. read_content_lines reads around it; the numbers in \"12: \
text\" are for orientation, not part of the file. 3. patch_content changes just that passage. Use replace_content only for \
new files, after a patch that cannot work, or for tiny files, and get_content (a whole file) sparingly.
Python is checked before it is stored: a write that would break it is refused with line and column; validate_workflow \
checks without storing. App files are a draft until publish_app. Every version is kept: content_history shows changes, restore_content undoes \
and undeletes. Errors say what to do next.
Say in `reason`, in a few words, why you write: people read it when they review what agents did.";

pub(in crate::mcp) fn toolset() -> Toolset {
    Toolset {
        title: "Interline code",
        instructions: INSTRUCTIONS,
        tools: files_and_workflows().into_iter().chain(apps::tools()).chain([list_organizations::tool()]).collect(),
    }
}

fn files_and_workflows() -> [Tool; 12] {
    [
        list_content::tool(),
        search_content::tool(),
        read_content_lines::tool(),
        patch_content::tool(),
        get_content::tool(),
        replace_content::tool(),
        delete_content::tool(),
        content_history::tool(),
        restore_content::tool(),
        list_workflows::tool(),
        get_workflow::tool(),
        validate_workflow::tool(),
    ]
}
