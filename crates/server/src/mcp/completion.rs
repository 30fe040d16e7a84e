//! What a value that is being typed may become: the keys of items, found by words. For the arguments of prompts nobody has
//! said which values they take, so none are offered.

use interline_items::{Contents, Error, FindItems, PageStart, TextFilter};
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference};

use super::arguments::{invalid, renamed};
use super::finding::active;
use super::tool::Call;
use super::{McpServer, prompts, resources};

/// How many values are offered.
const MAX_VALUES: usize = 20;

pub(super) async fn complete(
    call: &Call,
    server: McpServer,
    request: CompleteRequestParams,
) -> Result<CompleteResult, Error> {
    let CompleteRequestParams { r#ref: of, argument, .. } = request;
    match (of, server) {
        (Reference::Resource(of), _) => keys(call, server, &of.uri, &argument.name, &argument.value).await,
        (Reference::Prompt(of), McpServer::Prompts) => {
            prompts::offered::known_argument(call, &of.name, &argument.name).await?;
            Ok(CompleteResult::default())
        }
        (Reference::Prompt(_), McpServer::Content | McpServer::Code) => {
            Err(invalid("ref", "this server has no prompts"))
        }
        // A later protocol's.
        (_, McpServer::Content | McpServer::Prompts | McpServer::Code) => {
            Err(invalid("ref", "must be `ref/resource` or `ref/prompt`"))
        }
    }
}

/// The keys of the items that the typed words find, the best first; of those that changed last where nothing is typed yet.
async fn keys(
    call: &Call,
    server: McpServer,
    template: &str,
    argument: &str,
    typed: &str,
) -> Result<CompleteResult, Error> {
    let kind = server.kinds().iter().copied().find(|kind| resources::template_of(*kind) == template);
    let kind = kind.ok_or_else(|| invalid("ref", "there is no such template; resources/templates/list shows them"))?;
    if argument != resources::key_of(kind) {
        return Err(invalid("argument", "the template has no such argument"));
    }
    let wanted = TextFilter::parse(Some(typed), None).map_err(|error| renamed(error, "q", "argument"))?;
    let request = FindItems {
        order: wanted.order(None, None)?,
        text: wanted,
        filter: active([kind].into()),
        start: PageStart::Offset(0),
        limit: MAX_VALUES,
        contents: Contents::Omit,
    };
    let page = call.interline.find_items(&call.caller, request).await?;
    let values = page.items.iter().map(|found| resources::key(&found.snapshot.item)).collect();
    let total = u32::try_from(page.total).ok();
    let offered = CompletionInfo::with_pagination(values, total, page.next.is_some()).map_err(Error::Internal)?;
    Ok(CompleteResult::new(offered))
}
