//! `prompts/list` and `prompts/get`: stored prompts as MCP prompts, listed with their arguments and rendered for a
//! conversation.

use interline_items::fields::{Argument, Description, Title};
use interline_items::{Error, Item, Kind, ReadContent, SortOrder};
use rmcp::model::{
    GetPromptRequestParams, GetPromptResult, ListPromptsResult, Prompt, PromptArgument, PromptMessage, Role,
};

use super::pages::ListedPage;
use super::tool::CallContext;
use crate::mcp::tools::prompts::prompt::{prompt_name, prompt_ref, stored_arguments};
use crate::wire::invalid_field;

/// A page of the prompts that are neither archived nor deleted; new ones come last.
pub(super) async fn list(call: &CallContext, cursor: Option<&str>) -> Result<ListPromptsResult, Error> {
    let page = ListedPage::read(call, [Kind::Prompt].into(), SortOrder::Ascending, cursor).await?;
    let mut listed = ListPromptsResult::with_all_items(page.items().map(listed_prompt).collect());
    listed.next_cursor = page.next_cursor;
    Ok(listed)
}

fn listed_prompt(item: &Item) -> Prompt {
    let description = item.fields.description.as_ref().map(Description::as_str);
    let arguments = stored_arguments(item).iter().map(listed_argument).collect();
    let mut prompt = Prompt::new(prompt_name(item), description, Some(arguments));
    prompt.title = item.fields.title.as_ref().map(Title::as_str).map(str::to_owned);
    prompt
}

fn listed_argument(argument: &Argument) -> PromptArgument {
    let mut listed = PromptArgument::new(argument.name.as_str()).with_required(argument.required);
    listed.description.clone_from(&argument.description);
    listed
}

/// A prompt, rendered with values for its arguments, as a message of the user.
pub(super) async fn get(call: &CallContext, request: GetPromptRequestParams) -> Result<GetPromptResult, Error> {
    let prompt = prompt_ref(call, &request.name)?;
    let values = request.arguments.unwrap_or_default().into_iter().collect();
    let rendered = call.interline.render(&call.caller.seeing_stored(), &prompt, values).await?;
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, rendered)]))
}

/// An error unless the prompt exists and has the argument.
pub(super) async fn require_argument(call: &CallContext, prompt: &str, argument: &str) -> Result<(), Error> {
    let read = call.interline.read(&call.caller.seeing_stored(), &prompt_ref(call, prompt)?, ReadContent::Omit).await?;
    match stored_arguments(&read.item).iter().any(|stored| stored.name == argument) {
        true => Ok(()),
        false => Err(invalid_field("argument", "the prompt has no such argument")),
    }
}
