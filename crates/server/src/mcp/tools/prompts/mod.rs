//! The tools of the prompt server: templates with arguments, by name. Clients that know MCP prompts get them without
//! tools too, by `protocol::prompts`.

mod create_prompt;
mod edit_prompt_template;
mod get_prompt_metadata;
mod get_prompt_template;
mod list_tags;
pub(in crate::mcp) mod prompt;
mod prompt_history;
mod render_prompt;
mod restore_prompt;
mod search_prompts;
mod update_prompt_metadata;

use crate::mcp::protocol::Toolset;

const INSTRUCTIONS: &str = "\
Prompts: Jinja2 templates with arguments, known by name (lower-case words joined by hyphens, e.g. code-review). Tools \
named *_template work on the template text and its arguments, *_metadata on name, title, description and tags.
Find → read → edit: search_prompts finds prompts and shows size (prompt_length), arguments and a preview, never the \
whole template. get_prompt_template reads it raw, of a long one only start_line..end_line. Then change just the \
passage with edit_prompt_template: old_str copied from what you read, unique in the template.
Every variable of a template needs an argument and every argument must be used; so change text and arguments together, \
in one edit_prompt_template call. render_prompt fills a template in.
Writes answer with the new version and the changed lines: no need to read again. Errors say what to do next. Every \
version is kept: prompt_history shows changes, restore_prompt undoes.
Say in `reason`, in a few words, why you write: people read it when they review what agents did.";

pub(in crate::mcp) fn toolset() -> Toolset {
    Toolset {
        title: "Interline prompts",
        instructions: INSTRUCTIONS,
        tools: vec![
            search_prompts::tool(),
            get_prompt_template::tool(),
            get_prompt_metadata::tool(),
            edit_prompt_template::tool(),
            update_prompt_metadata::tool(),
            list_tags::tool(),
            create_prompt::tool(),
            render_prompt::tool(),
            prompt_history::tool(),
            restore_prompt::tool(),
        ],
    }
}
