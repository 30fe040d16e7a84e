//! Prompts as the protocol knows them: listed with their arguments, and rendered for a conversation.

use std::collections::BTreeSet;

use interline_items::fields::{Argument, Description, Title};
use interline_items::search::FoundOrder;
use interline_items::{
    Contents, Cursor, CursorKey, Error, Filter, FindItems, Item, ItemId, Kind, PageStart, Sort, SortBy, SortOrder,
    TagMatch, View, Wanted,
};
use rmcp::model::{
    GetPromptRequestParams, GetPromptResult, ListPromptsResult, Prompt, PromptArgument, PromptMessage, Role,
};
use uuid::Uuid;

use super::prompt::{name_of, stored_arguments, which};
use crate::mcp::arguments::invalid;
use crate::mcp::tool::Call;

/// How many prompts a page has.
const PAGE: usize = 100;
/// New ones come last, and no change of a prompt moves it: whoever follows the pages meets each once.
const ORDER: FoundOrder = FoundOrder::Sorted(Sort { by: SortBy::CreatedAt, order: SortOrder::Ascending });

/// A page of the prompts that are neither archived nor deleted.
pub(in crate::mcp) async fn list(call: &Call, cursor: Option<&str>) -> Result<ListPromptsResult, Error> {
    let start = match cursor {
        None => PageStart::Offset(0),
        Some(text) => {
            let cursor = cursor_of(text).ok_or_else(|| invalid("cursor", "is not the nextCursor of a page"))?;
            PageStart::After(cursor)
        }
    };
    let filter = Filter {
        // The caller's.
        spaces: BTreeSet::new(),
        kinds: [Kind::Prompt].into(),
        tags: Vec::new(),
        tag_match: TagMatch::default(),
        views: [View::Active].into(),
    };
    let request =
        FindItems { wanted: Wanted::Everything, filter, order: ORDER, start, limit: PAGE, contents: Contents::Omit };
    let page = call.interline.find_items(&call.caller, request).await?;
    let prompts = page.items.iter().map(|found| described(&found.snapshot.item)).collect();
    let mut listed = ListPromptsResult::with_all_items(prompts);
    listed.next_cursor = page.next.as_ref().and_then(text_of);
    Ok(listed)
}

/// A cursor of [`ORDER`] as text: when the last prompt of a page was made, and its id.
fn text_of(cursor: &Cursor) -> Option<String> {
    match &cursor.key {
        Some(CursorKey::Micros(micros)) => Some(format!("{micros}.{}", cursor.id.uuid())),
        Some(CursorKey::Text(_) | CursorKey::Score(_)) | None => None,
    }
}

fn cursor_of(text: &str) -> Option<Cursor> {
    let (micros, id) = text.split_once('.')?;
    let key = CursorKey::Micros(micros.parse().ok()?);
    Some(Cursor { key: Some(key), id: ItemId::from_uuid(Uuid::try_parse(id).ok()?) })
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
