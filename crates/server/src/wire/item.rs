//! Items in responses.

use interline_items::fields::{Argument, Arguments, CodePath, Description, FrontMatter, PromptName, Tag, Title, Url};
use interline_items::{Caller, ContentPart, Item, Kind, MergedFrom, Presence, ReadItem, Snapshot};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use utoipa::ToSchema;
use uuid::Uuid;

use super::Time;
use super::code::CodeOwner;
use super::enumerations::ItemType;
use super::history::MergedFromResponse;

/// A note, bookmark, prompt or file of code.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Item)]
pub(crate) struct ItemResponse<'a> {
    /// What it is.
    #[serde(rename = "type")]
    #[schema(value_type = ItemType)]
    pub(crate) kind: &'static str,
    /// Its identifier, a UUIDv7.
    pub(crate) id: Uuid,
    /// Required for notes.
    pub(crate) title: Option<&'a str>,
    /// What it is about.
    pub(crate) description: Option<&'a str>,
    /// Normalised: lower-case, each once.
    #[schema(value_type = Vec<String>)]
    #[serde(serialize_with = "tags")]
    pub(crate) tags: &'a [Tag],
    /// The address of a bookmark.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) url: Option<Option<&'a str>>,
    /// The name of a prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) name: Option<Option<&'a str>>,
    /// The arguments of a prompt.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "arguments")]
    #[schema(value_type = Vec<ArgumentResponse>, nullable = false)]
    pub(crate) arguments: Option<&'a [Argument]>,
    /// The path of a file of code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) path: Option<Option<&'a str>>,
    /// YAML that is kept beside the item, as its source had it; null of code.
    pub(crate) front_matter: Option<&'a str>,
    /// The app of an app file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    app_id: Option<Uuid>,
    /// The organization of a workflow or module; null is everybody's.
    #[serde(skip_serializing_if = "Option::is_none")]
    organization_id: Option<Option<Uuid>>,
    /// 1 at creation, and 1 more for each change of content or fields.
    #[schema(value_type = i64, minimum = 1)]
    pub(crate) version: u64,
    /// There where a change was merged with what was stored since the version that it was made for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    merged_from: Option<MergedFromResponse>,
    /// There, and true, where the item is shown as the token has proposed it; `version` is that of the stored item.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pending: Option<bool>,
    /// When it was made.
    pub(crate) created_at: Time,
    /// When its content or fields were last changed.
    pub(crate) updated_at: Time,
    /// When it was last rendered or marked as used.
    pub(crate) last_used_at: Option<Time>,
    /// Since when it is archived.
    pub(crate) archived_at: Option<Time>,
    /// Since when it is in the trash.
    pub(crate) deleted_at: Option<Time>,
    /// The length of the whole content in characters; null without content.
    #[schema(value_type = Option<i64>, minimum = 0)]
    pub(crate) content_length: Option<u64>,
    /// The first 500 characters, where the content is not included.
    pub(crate) content_preview: Option<&'a str>,
    /// The content, or the lines of it that were asked for.
    pub(crate) content: Option<&'a str>,
    /// Where `content` stands in the whole.
    pub(crate) content_metadata: Option<ContentMetadata>,
}

/// An argument of a prompt.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Argument)]
struct ArgumentResponse<'a> {
    /// The variable in the template.
    name: &'a str,
    /// What it is for.
    description: Option<&'a str>,
    /// Whether rendering needs a value for it.
    required: bool,
}

impl<'a> From<&'a Argument> for ArgumentResponse<'a> {
    fn from(argument: &'a Argument) -> ArgumentResponse<'a> {
        let Argument { name, description, required } = argument;
        ArgumentResponse { name, description: description.as_deref(), required: *required }
    }
}

/// Where the sent part of a content stands in the whole.
#[derive(Clone, Copy, Debug, Serialize, ToSchema, JsonSchema)]
pub(crate) struct ContentMetadata {
    /// Lines of the whole content.
    #[schema(value_type = i64, minimum = 1)]
    pub(crate) total_lines: u64,
    /// The first line that is sent; 1-based.
    #[schema(value_type = i64, minimum = 1)]
    pub(crate) start_line: u64,
    /// The last line that is sent.
    #[schema(value_type = i64, minimum = 1)]
    pub(crate) end_line: u64,
    /// Whether a range of lines was asked for.
    pub(crate) is_partial: bool,
}

/// Whether a range of lines was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    Whole,
    Partial,
}

impl<'a> ItemResponse<'a> {
    /// The item with its preview instead of its content.
    pub(crate) fn without_content(item: &'a Item) -> ItemResponse<'a> {
        let preview = item.content.as_ref().map(|content| content.preview.as_str());
        ItemResponse { content_preview: preview, ..ItemResponse::bare(item) }
    }

    /// The item with neither content nor preview.
    pub(crate) fn without_text(item: &'a Item) -> ItemResponse<'a> {
        ItemResponse::bare(item)
    }

    /// The item with its whole content.
    pub(crate) fn with_content(item: &'a Item, content: Option<&'a str>) -> ItemResponse<'a> {
        let lines = total_lines(item);
        let metadata = |_| ContentMetadata { total_lines: lines, start_line: 1, end_line: lines, is_partial: false };
        ItemResponse { content, content_metadata: content.map(metadata), ..ItemResponse::bare(item) }
    }

    /// An entry of a list.
    pub(crate) fn from_snapshot(snapshot: &'a Snapshot) -> ItemResponse<'a> {
        match &snapshot.content {
            Some(content) => ItemResponse::with_content(&snapshot.item, Some(content)),
            None => ItemResponse::without_content(&snapshot.item),
        }
    }

    /// The item with the part of its content that was read.
    pub(crate) fn from_read(read: &'a ReadItem, extent: Extent) -> ItemResponse<'a> {
        let total_lines = total_lines(&read.item);
        let metadata = |part: &ContentPart| ContentMetadata {
            total_lines,
            start_line: part.start_line,
            end_line: part.end_line,
            is_partial: extent == Extent::Partial,
        };
        ItemResponse {
            content: read.part.as_ref().map(|part| &*part.text),
            content_metadata: read.part.as_ref().map(metadata),
            ..ItemResponse::bare(&read.item)
        }
    }

    /// The item with the app or organization that it belongs to, where it is code.
    pub(crate) fn with_owner(self, item: &Item, caller: &Caller) -> ItemResponse<'a> {
        let CodeOwner { app_id, organization_id } = CodeOwner::from_item(item, caller);
        ItemResponse { app_id, organization_id, ..self }
    }

    /// The item with the versions that were merged, if some were.
    pub(crate) fn with_merge(self, merged_from: Option<MergedFrom>) -> ItemResponse<'a> {
        ItemResponse { merged_from: merged_from.map(MergedFromResponse::from), ..self }
    }

    fn bare(item: &'a Item) -> ItemResponse<'a> {
        let (fields, rules) = (&item.fields, item.kind.rules());
        ItemResponse {
            kind: item.kind.name(),
            id: item.id.uuid(),
            title: fields.title.as_ref().map(Title::as_str),
            description: fields.description.as_ref().map(Description::as_str),
            tags: fields.tags.as_slice(),
            url: present(rules.url, || fields.url.as_ref().map(Url::as_str)),
            name: present(rules.name, || fields.name.as_ref().map(PromptName::as_str)),
            arguments: fields.arguments.as_ref().map(Arguments::as_slice),
            path: present(rules.path, || fields.path.as_ref().map(CodePath::as_str)),
            front_matter: fields.front_matter.as_ref().map(FrontMatter::as_str),
            app_id: None,
            organization_id: None,
            version: item.stamp.version,
            merged_from: None,
            pending: item.pending_proposal().map(|_| true),
            created_at: Time(item.created_at),
            updated_at: Time(item.updated_at),
            last_used_at: item.last_used_at.map(Time),
            archived_at: item.archived_at.map(Time),
            deleted_at: item.deleted_at.map(Time),
            content_length: content_length(item),
            content_preview: None,
            content: None,
            content_metadata: None,
        }
    }
}

/// A field that only some kinds have: left out for the other kinds, null for an item that has no value in it.
fn present<T>(presence: Presence, value: impl FnOnce() -> Option<T>) -> Option<Option<T>> {
    match presence {
        Presence::Required | Presence::Optional => Some(value()),
        Presence::Absent => None,
    }
}

fn tags<S: Serializer>(tags: &&[Tag], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(tags.iter().map(Tag::as_str))
}

fn arguments<S: Serializer>(arguments: &Option<&[Argument]>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(arguments.unwrap_or_default().iter().map(ArgumentResponse::from))
}

/// The length of an item's content in characters, if it has one.
pub(crate) fn content_length(item: &Item) -> Option<u64> {
    item.content.as_ref().map(|content| content.characters)
}

/// The number of lines of an item's content; a text without line breaks, and no text at all, count as one line.
pub(crate) fn total_lines(item: &Item) -> u64 {
    item.content.as_ref().map_or(1, |content| content.lines)
}

/// The path that a kind's items live under; code has none of its own.
pub(crate) const fn collection_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Note => "notes",
        Kind::Bookmark => "bookmarks",
        Kind::Prompt => "prompts",
        Kind::AppFile | Kind::Workflow | Kind::Module => "content",
    }
}
