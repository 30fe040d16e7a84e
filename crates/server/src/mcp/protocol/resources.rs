//! Items as MCP resources: each has an address (URI), which clients list, read and attach to a conversation.

use interline_items::fields::{CodePath, Description, Limits, PromptName, Title, Url};
use interline_items::{Error, Item, ItemId, ItemRef, Kind, LineRange, ReadContent, SortOrder};
use rmcp::model::{
    Annotations, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource, ResourceContents,
    ResourceTemplate,
};
use uuid::Uuid;

use super::McpServer;
use super::excerpt::ContentExcerpt;
use super::pages::ListedPage;
use super::tool::CallContext;
use crate::wire::{Time, invalid_field};

const SCHEME: &str = "interline://";

/// The name of the variable in the address template of a kind: prompts are addressed by name, as in the tools.
pub(super) const fn key_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Prompt => "name",
        Kind::Note | Kind::Bookmark | Kind::AppFile | Kind::Workflow | Kind::Module => "id",
    }
}

/// The template of the addresses of a kind.
pub(super) fn uri_template(kind: Kind) -> String {
    format!("{SCHEME}{kind}/{{{}}}", key_name(kind))
}

/// The key of an item in its address: the name of a prompt, the id of others.
pub(super) fn item_key(item: &Item) -> String {
    // Only prompts have a name.
    item.fields.name.as_ref().map_or_else(|| item.id.to_string(), |name| name.as_str().to_owned())
}

/// The address templates of a server, one for each kind.
pub(super) fn templates(server: McpServer) -> ListResourceTemplatesResult {
    let template = |kind: &Kind| {
        ResourceTemplate::new(uri_template(*kind), kind.name())
            .with_description(format!("The text of a {kind}; ?start_line=…&end_line=… reads some lines of it"))
            .with_mime_type(mime_type(*kind))
    };
    ListResourceTemplatesResult::with_all_items(server.kinds().iter().map(template).collect())
}

/// A page of the items that are neither archived nor deleted, the newest first.
pub(super) async fn list(
    call: &CallContext,
    server: McpServer,
    cursor: Option<&str>,
) -> Result<ListResourcesResult, Error> {
    let kinds = server.kinds().iter().copied().collect();
    let page = ListedPage::read(call, kinds, SortOrder::Descending, cursor).await?;
    let mut listed = ListResourcesResult::with_all_items(page.items().map(listed_resource).collect());
    listed.next_cursor = page.next_cursor;
    Ok(listed)
}

fn listed_resource(item: &Item) -> Resource {
    let fields = &item.fields;
    let title = fields.title.as_ref().map(Title::as_str);
    let own = fields.name.as_ref().map(PromptName::as_str).or(fields.path.as_ref().map(CodePath::as_str));
    let name = own.or(title).or(fields.url.as_ref().map(Url::as_str));
    let key = item_key(item);
    let mut resource = Resource::new(format!("{SCHEME}{}/{key}", item.kind), name.unwrap_or(&key));
    resource.title = title.map(str::to_owned);
    resource.description = fields.description.as_ref().map(Description::as_str).map(str::to_owned);
    resource.mime_type = Some(mime_type(item.kind).to_owned());
    resource.size = item.content.as_ref().map(|content| content.bytes);
    let mut annotations = Annotations::default();
    annotations.last_modified = Some(Time(item.updated_at).to_string());
    resource.with_annotations(annotations)
}

/// The text at an address. Where the text is longer than one answer holds, a second content says how to read on, under
/// the address of the rest.
pub(super) async fn read(call: &CallContext, server: McpServer, uri: &str) -> Result<ReadResourceResult, Error> {
    let address = Address::parse(server, uri, call.interline.limits())?;
    let request = match address.lines {
        LineRange { start: None, end: None } => ReadContent::Whole,
        lines => ReadContent::Lines(lines),
    };
    let read = call.interline.read(&call.caller.seeing_stored(), &address.item_ref, request).await?;
    let text = |text: &str| ResourceContents::text(text, uri).with_mime_type(mime_type(read.item.kind));
    let Some(excerpt) = ContentExcerpt::from_read(&read) else { return Ok(ReadResourceResult::new(vec![text("")])) };
    let mut contents = vec![text(excerpt.text)];
    contents.extend(excerpt.how_to_read_on("").map(|message| {
        match excerpt.next_line().and_then(|line| address.starting_at(line)) {
            Some(rest) => ResourceContents::text(format!("{message}: {rest}"), rest),
            None => ResourceContents::text(message, uri),
        }
    }));
    Ok(ReadResourceResult::new(contents))
}

/// The media type of the contents of a kind.
const fn mime_type(kind: Kind) -> &'static str {
    match kind {
        Kind::Note | Kind::Bookmark | Kind::Prompt => "text/markdown",
        Kind::Workflow | Kind::Module => "text/x-python",
        Kind::AppFile => "text/plain",
    }
}

/// A reference to the item of an address.
pub(super) fn parse_item_ref(server: McpServer, uri: &str, limits: &Limits) -> Result<ItemRef, Error> {
    Address::parse(server, uri, limits).map(|address| address.item_ref)
}

/// A parsed address.
struct Address<'u> {
    /// The address without its query.
    item_uri: &'u str,
    item_ref: ItemRef,
    lines: LineRange,
}

impl<'u> Address<'u> {
    fn parse(server: McpServer, uri: &'u str, limits: &Limits) -> Result<Address<'u>, Error> {
        let (item_uri, query) = uri.split_once('?').map_or((uri, None), |(item_uri, query)| (item_uri, Some(query)));
        let item_ref = item_ref(server, item_uri, limits).ok_or_else(|| {
            let requested = uri.chars().take(200).collect();
            Error::NotFound { kind: None, requested, actual: None }
        })?;
        Ok(Address { item_uri, item_ref, lines: query.map_or(Ok(LineRange { start: None, end: None }), parse_lines)? })
    }

    /// The address of the same lines without those before `line`, if it is one of them.
    fn starting_at(&self, line: u64) -> Option<String> {
        match self.lines.end {
            None => Some(format!("{}?start_line={line}", self.item_uri)),
            Some(end) => (line <= end).then(|| format!("{}?start_line={line}&end_line={end}", self.item_uri)),
        }
    }
}

fn item_ref(server: McpServer, item_uri: &str, limits: &Limits) -> Option<ItemRef> {
    let (kind, key) = item_uri.strip_prefix(SCHEME)?.split_once('/')?;
    match Kind::from_name(kind).filter(|kind| server.kinds().contains(kind))? {
        kind @ (Kind::Note | Kind::Bookmark | Kind::AppFile | Kind::Workflow | Kind::Module) => {
            let id = Uuid::try_parse(key).ok().filter(|_| key.len() == 36)?;
            Some(ItemRef::Id(ItemId::from_uuid(id), Some(kind)))
        }
        Kind::Prompt => PromptName::parse(key, limits).ok().map(ItemRef::PromptName),
    }
}

fn parse_lines(query: &str) -> Result<LineRange, Error> {
    let invalid = || invalid_field("uri", "only `start_line` and `end_line`, whole numbers from 1, can follow the `?`");
    let mut lines = LineRange { start: None, end: None };
    for (name, number) in query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, ""))) {
        let bound = match name {
            "start_line" => &mut lines.start,
            "end_line" => &mut lines.end,
            _ => return Err(invalid()),
        };
        let number = number.parse().ok().filter(|number| *number >= 1).ok_or_else(invalid)?;
        if bound.replace(number).is_some() {
            return Err(invalid());
        }
    }
    Ok(lines)
}
