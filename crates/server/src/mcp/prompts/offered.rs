//! Prompts as the protocol knows them: listed with their arguments, and rendered for a conversation.

use interline_items::fields::{Argument, Description, Title};
use interline_items::{Error, Item, Kind, ReadContent, SortOrder};
use rmcp::model::{
    GetPromptRequestParams, GetPromptResult, ListPromptsResult, Prompt, PromptArgument, PromptMessage, Role,
};

use super::prompt::{name_of, stored_arguments, which};
use crate::mcp::arguments::invalid;
use crate::mcp::pages::ListedPage;
use crate::mcp::tool::Call;

/// A page of the prompts that are neither archived nor deleted; new ones come last.
pub(in crate::mcp) async fn list(call: &Call, cursor: Option<&str>) -> Result<ListPromptsResult, Error> {
    let page = ListedPage::read(call, [Kind::Prompt].into(), SortOrder::Ascending, cursor).await?;
    let mut listed = ListPromptsResult::with_all_items(page.items().map(described).collect());
    listed.next_cursor = page.next_cursor;
    Ok(listed)
}

fn described(item: &Item) -> Prompt {
    let description = item.fields.description.as_ref().map(Description::as_str);
    let arguments = stored_arguments(item).iter().map(described_argument).collect();
    let mut prompt = Prompt::new(name_of(item), description, Some(arguments));
    prompt.title = item.fields.title.as_ref().map(Title::as_str).map(str::to_owned);
    prompt
}

fn described_argument(argument: &Argument) -> PromptArgument {
    let mut described = PromptArgument::new(argument.name.as_str()).with_required(argument.required);
    described.description.clone_from(&argument.description);
    described
}

/// A prompt with values for its arguments, as what a user says.
pub(in crate::mcp) async fn get(call: &Call, request: GetPromptRequestParams) -> Result<GetPromptResult, Error> {
    let which = which(call, &request.name)?;
    let values = request.arguments.unwrap_or_default().into_iter().collect();
    let rendered = call.interline.render(&call.caller, &which, values).await?;
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, rendered)]))
}

/// Refused unless there is such a prompt with such an argument.
pub(in crate::mcp) async fn known_argument(call: &Call, prompt: &str, argument: &str) -> Result<(), Error> {
    let read = call.interline.read(&call.caller, &which(call, prompt)?, ReadContent::Omit).await?;
    match stored_arguments(&read.item).iter().any(|known| known.name == argument) {
        true => Ok(()),
        false => Err(invalid("argument", "the prompt has no such argument")),
    }
}
