//! Items as resources: an address for each, which clients list, read and attach to a conversation.

use interline_items::fields::{CodePath, Description, Limits, PromptName, Title, Url};
use interline_items::{Error, Item, ItemId, ItemRef, Kind, LineRange, ReadContent, SortOrder};
use rmcp::model::{
    Annotations, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource, ResourceContents,
    ResourceTemplate,
};
use uuid::Uuid;

use super::McpServer;
use super::arguments::invalid;
use super::pages::ListedPage;
use super::reading::Shown;
use super::tool::Call;
use crate::wire::Time;

const SCHEME: &str = "interline://";

/// What stands for an item in the addresses of its kind: prompts go by name here, as for the tools.
pub(super) const fn key_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Prompt => "name",
        Kind::Note | Kind::Bookmark | Kind::AppFile | Kind::Workflow | Kind::Module => "id",
    }
}

/// The form of the addresses of a kind.
pub(super) fn template_of(kind: Kind) -> String {
    format!("{SCHEME}{kind}/{{{}}}", key_of(kind))
}

/// What the address of an item has for its key.
pub(super) fn key(item: &Item) -> String {
    // Prompts alone have one.
    item.fields.name.as_ref().map_or_else(|| item.id.to_string(), |name| name.as_str().to_owned())
}

/// The forms of all addresses.
pub(super) fn templates(server: McpServer) -> ListResourceTemplatesResult {
    let described = |kind: &Kind| {
        ResourceTemplate::new(template_of(*kind), kind.name())
            .with_description(format!("The text of a {kind}; ?start_line=…&end_line=… reads some lines of it"))
            .with_mime_type(mime_type(*kind))
    };
    ListResourceTemplatesResult::with_all_items(server.kinds().iter().map(described).collect())
}

/// A page of the items that are neither archived nor deleted, the newest first.
pub(super) async fn list(call: &Call, server: McpServer, cursor: Option<&str>) -> Result<ListResourcesResult, Error> {
    let kinds = server.kinds().iter().copied().collect();
    let page = ListedPage::read(call, kinds, SortOrder::Descending, cursor).await?;
    let mut listed = ListResourcesResult::with_all_items(page.items().map(described).collect());
    listed.next_cursor = page.next_cursor;
    Ok(listed)
}

fn described(item: &Item) -> Resource {
    let fields = &item.fields;
    let title = fields.title.as_ref().map(Title::as_str);
    let own = fields.name.as_ref().map(PromptName::as_str).or(fields.path.as_ref().map(CodePath::as_str));
    let name = own.or(title).or(fields.url.as_ref().map(Url::as_str));
    let key = key(item);
    let mut resource = Resource::new(format!("{SCHEME}{}/{key}", item.kind), name.unwrap_or(&key));
    resource.title = title.map(str::to_owned);
    resource.description = fields.description.as_ref().map(Description::as_str).map(str::to_owned);
    resource.mime_type = Some(mime_type(item.kind).to_owned());
    resource.size = item.content.as_ref().map(|content| content.bytes);
    let mut annotations = Annotations::default();
    annotations.last_modified = Some(Time(item.updated_at).to_string());
    resource.with_annotations(annotations)
}

/// The text at an address. Where that is more than one answer holds, a second content says how to go on, under the address
/// of the rest.
pub(super) async fn read(call: &Call, server: McpServer, uri: &str) -> Result<ReadResourceResult, Error> {
    let address = Address::parse(server, uri, call.interline.limits())?;
    let wanted = match address.lines {
        LineRange { start: None, end: None } => ReadContent::Whole,
        lines => ReadContent::Lines(lines),
    };
    let read = call.interline.read(&call.caller, &address.which, wanted).await?;
    let text = |text: &str| ResourceContents::text(text, uri).with_mime_type(mime_type(read.item.kind));
    let Some(shown) = Shown::of(&read) else { return Ok(ReadResourceResult::new(vec![text("")])) };
    let mut contents = vec![text(shown.text)];
    contents.extend(shown.next("").map(|message| match shown.next_line().and_then(|line| address.from(line)) {
        Some(rest) => ResourceContents::text(format!("{message}: {rest}"), rest),
        None => ResourceContents::text(message, uri),
    }));
    Ok(ReadResourceResult::new(contents))
}

/// What the texts of a kind are.
const fn mime_type(kind: Kind) -> &'static str {
    match kind {
        Kind::Note | Kind::Bookmark | Kind::Prompt => "text/markdown",
        Kind::Workflow | Kind::Module => "text/x-python",
        Kind::AppFile => "text/plain",
    }
}

/// The item that an address is of.
pub(super) fn item_at(server: McpServer, uri: &str, limits: &Limits) -> Result<ItemRef, Error> {
    Address::parse(server, uri, limits).map(|address| address.which)
}

/// What an address leads to.
struct Address<'u> {
    /// Without lines.
    item: &'u str,
    which: ItemRef,
    lines: LineRange,
}

impl<'u> Address<'u> {
    fn parse(server: McpServer, uri: &'u str, limits: &Limits) -> Result<Address<'u>, Error> {
        let (item, query) = uri.split_once('?').map_or((uri, None), |(item, query)| (item, Some(query)));
        let which = which(server, item, limits).ok_or_else(|| {
            let wanted = uri.chars().take(200).collect();
            Error::NotFound { kind: None, requested: wanted, actual: None }
        })?;
        Ok(Address { item, which, lines: query.map_or(Ok(LineRange { start: None, end: None }), lines)? })
    }

    /// The address of the same lines from this one on, if it is one of them.
    fn from(&self, line: u64) -> Option<String> {
        match self.lines.end {
            None => Some(format!("{}?start_line={line}", self.item)),
            Some(end) => (line <= end).then(|| format!("{}?start_line={line}&end_line={end}", self.item)),
        }
    }
}

fn which(server: McpServer, item: &str, limits: &Limits) -> Option<ItemRef> {
    let (kind, key) = item.strip_prefix(SCHEME)?.split_once('/')?;
    match Kind::from_name(kind).filter(|kind| server.kinds().contains(kind))? {
        kind @ (Kind::Note | Kind::Bookmark | Kind::AppFile | Kind::Workflow | Kind::Module) => {
            let id = Uuid::try_parse(key).ok().filter(|_| key.len() == 36)?;
            Some(ItemRef::Id(ItemId::from_uuid(id), Some(kind)))
        }
        Kind::Prompt => PromptName::parse(key, limits).ok().map(ItemRef::PromptName),
    }
}

fn lines(query: &str) -> Result<LineRange, Error> {
    let wrong = || invalid("uri", "only `start_line` and `end_line`, whole numbers from 1, can follow the `?`");
    let mut lines = LineRange { start: None, end: None };
    for (name, number) in query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, ""))) {
        let bound = match name {
            "start_line" => &mut lines.start,
            "end_line" => &mut lines.end,
            _ => return Err(wrong()),
        };
        let number = number.parse().ok().filter(|number| *number >= 1).ok_or_else(wrong)?;
        if bound.replace(number).is_some() {
            return Err(wrong());
        }
    }
    Ok(lines)
}
