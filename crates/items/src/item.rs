//! Items: their fields, their stamp, and what is stored about their content.

use std::sync::Arc;

use interline_python::Function;
use jiff::Timestamp;

use crate::fields::{Arguments, CodePath, Description, FrontMatter, PromptName, Tag, Tags, Title, Url, sort_key};
use crate::{ItemId, ItemProposal, Kind, ProposalRef, SpaceId, UniqueField};

/// How many characters of the content are kept beside the metadata.
const PREVIEW_CHARS: usize = 500;

/// An item without its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its identifier.
    pub id: ItemId,
    /// Its kind.
    pub kind: Kind,
    /// The space that it lives in.
    pub space: SpaceId,
    /// The fields that its author gave it.
    pub fields: Fields,
    /// The figures of its content; `None` is no content, which differs from an empty one.
    pub content: Option<ContentInfo>,
    /// The decorated functions of a workflow, derived from its content; `None` of any other kind.
    pub functions: Option<Vec<Function>>,
    /// Its stamp, which changes with every change of the item.
    pub stamp: Stamp,
    /// When it was made.
    pub created_at: Timestamp,
    /// When its content or fields were last changed.
    pub updated_at: Timestamp,
    /// When it was last used.
    pub last_used_at: Option<Timestamp>,
    /// Since when it is archived.
    pub archived_at: Option<Timestamp>,
    /// Since when it is in the trash.
    pub deleted_at: Option<Timestamp>,
    /// For a caller who proposes: which proposal the item is shown with. `None` of every item as it is stored.
    pub proposal: Option<Box<ItemProposal>>,
}

impl Item {
    /// The proposal whose state the item has; `None` if it is as it is stored.
    pub fn pending_proposal(&self) -> Option<ProposalRef> {
        self.proposal.as_ref()?.pending
    }

    /// The value of the field that no other item of its kind and space has, of those that its kind has.
    pub fn unique_field(&self) -> Option<UniqueField> {
        let Fields { url, name, path, .. } = &self.fields;
        let path = path.clone().map(UniqueField::Path);
        name.clone().map(UniqueField::Name).or_else(|| url.clone().map(UniqueField::Url)).or(path)
    }
}

/// The fields that an author gives. Which of them an item has is a rule of its kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    /// Title.
    pub title: Option<Title>,
    /// Description.
    pub description: Option<Description>,
    /// Tags.
    pub tags: Tags,
    /// Web address.
    pub url: Option<Url>,
    /// Name.
    pub name: Option<PromptName>,
    /// Arguments of a template.
    pub arguments: Option<Arguments>,
    /// Path of a file of code.
    pub path: Option<CodePath>,
    /// YAML that its source had and that no other field holds.
    pub front_matter: Option<FrontMatter>,
}

impl Fields {
    /// The sort key of what an item is called: of its title, or else of its name, its address or its path.
    pub fn title_key(&self) -> Option<String> {
        self.shown_title().map(sort_key)
    }

    /// What an item is called: its title, or else its name, its address or its path.
    pub fn shown_title(&self) -> Option<&str> {
        let name = || self.name.as_ref().map(PromptName::as_str);
        let url = || self.url.as_ref().map(Url::as_str);
        let path = || self.path.as_ref().map(CodePath::as_str);
        self.title.as_ref().map(Title::as_str).or_else(name).or_else(url).or_else(path)
    }

    /// How many bytes they take, about.
    pub(crate) fn bytes(&self) -> usize {
        let arguments = self.arguments.iter().flat_map(Arguments::as_slice);
        let arguments =
            arguments.map(|argument| argument.name.len() + argument.description.as_ref().map_or(0, String::len));
        let texts = [
            self.title.as_ref().map(Title::as_str),
            self.description.as_ref().map(Description::as_str),
            self.url.as_ref().map(Url::as_str),
            self.name.as_ref().map(PromptName::as_str),
            self.path.as_ref().map(CodePath::as_str),
            self.front_matter.as_ref().map(FrontMatter::as_str),
        ];
        let tags = self.tags.as_slice().iter().map(Tag::as_str);
        texts.into_iter().flatten().chain(tags).map(str::len).chain(arguments).sum()
    }
}

/// The stamp of an item: two reads with equal stamps saw the same item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// 1 at creation, and 1 more for each change of content or fields.
    pub version: u64,
    /// 1 more for each change that makes no version: archiving, deleting, enrichment.
    pub revision: u64,
}

/// The least that tells whether a copy of an item is current, and whether the item exists for a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItemState {
    /// Its kind.
    pub kind: Kind,
    /// The space that it lives in.
    pub space: SpaceId,
    /// Its stamp, which changes with every change of the item.
    pub stamp: Stamp,
    /// When it was last used, which is no change of it.
    pub last_used_at: Option<Timestamp>,
    /// For a caller who proposes: the proposal whose state the item has.
    pub proposal: Option<ProposalRef>,
}

/// The figures of a content, which are read without the content itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentInfo {
    /// Its length in characters.
    pub characters: u64,
    /// Its length in bytes.
    pub bytes: u64,
    /// How many lines it has.
    pub lines: u64,
    /// Its first 500 characters.
    pub preview: String,
    /// Its BLAKE3 hash.
    pub hash: [u8; 32],
}

impl ContentInfo {
    /// Counts and hashes a text.
    pub fn from_text(text: &str) -> ContentInfo {
        let preview_end = text.char_indices().nth(PREVIEW_CHARS).map_or(text.len(), |(end, _)| end);
        ContentInfo {
            characters: text.chars().count() as u64,
            bytes: text.len() as u64,
            lines: interline_edit::total_lines(text) as u64,
            preview: text[..preview_end].to_owned(),
            hash: content_hash(text),
        }
    }

    /// Whether a text is the one that was counted and hashed. The figures that cost a pass of their own are not counted again.
    pub fn is_of(&self, text: &str) -> bool {
        self.bytes == text.len() as u64 && text.starts_with(&self.preview) && self.hash == content_hash(text)
    }
}

/// The hash of a content, as [`ContentInfo`] and the history keep it.
pub fn content_hash(text: &str) -> [u8; 32] {
    *blake3::hash(text.as_bytes()).as_bytes()
}

/// What a point read returns of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PointRead {
    /// The item with its content.
    Whole(Snapshot),
    /// The item alone, because its content has more than [`PointRead::MAX_BYTES`]: that takes a long read.
    WithoutContent(Item),
}

impl PointRead {
    /// The longest content that a point read returns. A longer one would hold up the point reads behind it.
    pub const MAX_BYTES: u64 = 64 * 1024;

    /// The item.
    pub fn item(&self) -> &Item {
        match self {
            PointRead::Whole(snapshot) => &snapshot.item,
            PointRead::WithoutContent(item) => item,
        }
    }
}

/// An item and its content, read at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The item.
    pub item: Item,
    /// Its content.
    pub content: Option<Arc<str>>,
}
