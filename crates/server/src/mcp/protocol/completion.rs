//! Completion of a value that a user is typing: the keys of items, found by words. Which values the argument of a prompt
//! takes is not stored, so no values are offered for those.

use interline_items::{Contents, Error, FindItems, PageStart, TextFilter};
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference};

use super::arguments::rename_field;
use super::pages::active_items;
use super::tool::CallContext;
use super::{McpServer, prompts, resources};
use crate::wire::invalid_field;

/// How many values are offered.
const MAX_VALUES: usize = 20;

pub(super) async fn complete(
    call: &CallContext,
    server: McpServer,
    request: CompleteRequestParams,
) -> Result<CompleteResult, Error> {
    let CompleteRequestParams { r#ref: reference, argument, .. } = request;
    match (reference, server) {
        (Reference::Resource(resource), _) => {
            complete_key(call, server, &resource.uri, &argument.name, &argument.value).await
        }
        (Reference::Prompt(prompt), McpServer::Prompts) => {
            prompts::require_argument(call, &prompt.name, &argument.name).await?;
            Ok(CompleteResult::default())
        }
        (Reference::Prompt(_), McpServer::Content | McpServer::Code) => {
            Err(invalid_field("ref", "this server has no prompts"))
        }
        // A reference of a later protocol version.
        (_, McpServer::Content | McpServer::Prompts | McpServer::Code) => {
            Err(invalid_field("ref", "must be `ref/resource` or `ref/prompt`"))
        }
    }
}

/// The keys of the items that match the typed words, the best match first; where nothing is typed yet, of the items that
/// changed last.
async fn complete_key(
    call: &CallContext,
    server: McpServer,
    template: &str,
    argument: &str,
    typed: &str,
) -> Result<CompleteResult, Error> {
    let kind = server.kinds().iter().copied().find(|kind| resources::uri_template(*kind) == template);
    let kind =
        kind.ok_or_else(|| invalid_field("ref", "there is no such template; resources/templates/list shows them"))?;
    if argument != resources::key_name(kind) {
        return Err(invalid_field("argument", "the template has no such argument"));
    }
    let text_filter = TextFilter::parse(Some(typed), None).map_err(|error| rename_field(error, "q", "argument"))?;
    let request = FindItems {
        order: text_filter.order(None, None)?,
        text: text_filter,
        filter: active_items([kind].into()),
        start: PageStart::Offset(0),
        limit: MAX_VALUES,
        contents: Contents::Omit,
    };
    let page = call.interline.find_items(&call.caller, request).await?;
    let values = page.items.iter().map(|hit| resources::item_key(&hit.snapshot.item)).collect();
    let total = u32::try_from(page.total).ok();
    let completion = CompletionInfo::with_pagination(values, total, page.next.is_some()).map_err(Error::Internal)?;
    Ok(CompleteResult::new(completion))
}
