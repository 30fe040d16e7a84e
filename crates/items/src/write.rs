//! Writes of items as values: planned by the use cases, committed by the storage.

use std::sync::Arc;

use interline_edit::Edit;
use jiff::Timestamp;

use crate::event::{ChangeSetEvent, ProposalEvent};
use crate::history::ImportedFrom;
use crate::{
    Attribution, ChangeSetId, ChangeSetRef, Fields, Item, ItemId, Kind, NamedId, ProposalId, ProposalWrite,
    ReviewState, SpaceId, Stamp, TokenId, UserId,
};

/// What the rows of a change take beside its fields and content, about: the item, its version, its event, and their entries in
/// indexes.
pub(crate) const ROW_BYTES: usize = 1_024;

macro_rules! names {
    ($(#[$doc:meta])* $type:ident { $($(#[$variant_doc:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $type {
            $($(#[$variant_doc])* $variant,)*
        }

        impl $type {
            /// Every one.
            pub const ALL: &[$type] = &[$($type::$variant,)*];

            /// The stable name.
            pub const fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $name,)*
                }
            }

            /// The value with that stable name.
            pub fn from_name(name: &str) -> Option<$type> {
                $type::ALL.iter().copied().find(|one| one.name() == name)
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

pub(crate) use names;

/// What one transaction commits.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Changes of items, one after the other.
    pub writes: Vec<ItemWrite>,
    /// The idempotency record of the request, if it has a key.
    pub idempotency: Option<IdempotencyRecord>,
    /// What is remembered of the imported records that the changes come from. Each item exists, or is made by a change.
    pub imports: Vec<ImportedSource>,
    /// What a person has decided about changes; decided after the changes of this batch.
    pub decisions: Vec<Decision>,
    /// Changes of proposals; made after the changes of items.
    pub proposals: Vec<ProposalWrite>,
    /// What is told about change sets and proposals, after the events of the changes.
    pub announcements: Vec<Announcement>,
}

/// What a person has decided about the changes of one item in a change set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The change set.
    pub set: ChangeSetRef,
    /// The item.
    pub item: ItemId,
    /// What was decided.
    pub state: ReviewState,
}

/// What listeners in a space are told about a change set or a proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announcement {
    /// The space.
    pub space: SpaceId,
    /// What happened, and to what.
    pub subject: AnnouncedSubject,
    /// Who did it, and when.
    pub record: Record,
}

/// What happened to a change set or to a proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnnouncedSubject {
    /// A person has decided about a change set.
    ChangeSet(ChangeSetEvent),
    /// A proposal was made or decided.
    Proposal(ProposalEvent),
}

names! {
    /// What happened to a change set.
    ChangeSetNews {
        /// A person has reviewed it, or a part of it, and kept that.
        Kept = "kept",
        /// It was taken back, or a part of it.
        Undone = "undone",
    }
}

impl Batch {
    /// Whether there is nothing to commit.
    pub fn is_empty(&self) -> bool {
        let Batch { writes, idempotency, imports, decisions, proposals, announcements } = self;
        writes.is_empty()
            && idempotency.is_none()
            && imports.is_empty()
            && decisions.is_empty()
            && proposals.is_empty()
            && announcements.is_empty()
    }

    /// How many bytes it writes, about.
    pub fn bytes(&self) -> usize {
        self.writes.iter().map(ItemWrite::bytes).sum::<usize>()
            + self.imports.iter().map(ImportedSource::bytes).sum::<usize>()
            + self.proposals.iter().map(ProposalWrite::bytes).sum::<usize>()
    }
}

impl From<ItemWrite> for Batch {
    fn from(write: ItemWrite) -> Batch {
        Batch { writes: vec![write], ..Batch::default() }
    }
}

impl FromIterator<ItemWrite> for Batch {
    fn from_iter<I: IntoIterator<Item = ItemWrite>>(writes: I) -> Batch {
        Batch { writes: writes.into_iter().collect(), ..Batch::default() }
    }
}

/// The stored answer to a request with an idempotency key, which the client may send again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyRecord {
    /// The user whose request it is.
    pub user: UserId,
    /// The key; unique among the user's.
    pub key: String,
    /// A hash of the request: the same key with another request is a mistake.
    pub request: [u8; 32],
    /// The answer, without contents.
    pub answer: String,
    /// When it was given.
    pub at: Timestamp,
}

/// One change of one item.
#[derive(Clone, Debug)]
pub struct ItemWrite {
    /// The stamp of the state that it was planned for; `None` makes the item.
    pub before: Option<Stamp>,
    /// The item afterwards.
    pub after: Item,
    /// The content afterwards.
    pub content: ContentWrite,
    /// Its record in the history.
    pub record: Record,
}

impl ItemWrite {
    /// How many bytes it writes, about: rows, fields, and the contents before and after it.
    pub fn bytes(&self) -> usize {
        ROW_BYTES + self.after.fields.bytes() + self.content.bytes()
    }

    /// Whether it makes a version; otherwise its record stands between versions.
    pub fn makes_version(&self) -> bool {
        self.before.is_none_or(|before| before.version != self.after.stamp.version)
    }

    /// Whether the item is to be summarized, or summarized again, after this change.
    pub fn asks_for_enrichment(&self) -> bool {
        let is_read = |field: &&str| matches!(*field, "title" | "description" | "url" | "content");
        match self.after.kind {
            Kind::Note | Kind::Bookmark => {
                let comes_back = self.record.action == Action::Restore && !self.makes_version();
                comes_back || self.record.action == Action::Create || self.record.changed_fields.iter().any(is_read)
            }
            Kind::Prompt | Kind::AppFile | Kind::Workflow | Kind::Module => false,
        }
    }
}

/// The change of a content.
#[derive(Clone, Debug)]
pub enum ContentWrite {
    /// It stays.
    Keep,
    /// It is edited: `undo` leads from the new text back to the old one.
    Edit {
        /// The new text.
        new: Arc<str>,
        /// The edit that undoes it.
        undo: Edit,
    },
    /// It is replaced by another, or by none.
    Set {
        /// The old text; `None` for no content and at creation.
        old: Option<Arc<str>>,
        /// The new text.
        new: Option<Arc<str>>,
    },
    /// It is damaged, and replaced by another. The history keeps of the old text what can be read, so that older versions that
    /// are rebuilt from it stay; it is no longer returned as a version.
    Repair {
        /// The new text.
        new: Option<Arc<str>>,
    },
}

impl ContentWrite {
    fn bytes(&self) -> usize {
        match self {
            ContentWrite::Keep => 0,
            ContentWrite::Edit { undo, new } => {
                new.len() + undo.splices().iter().map(|splice| splice.text.len()).sum::<usize>()
            }
            ContentWrite::Set { old, new } => [old, new].into_iter().flatten().map(|text| text.len()).sum(),
            ContentWrite::Repair { new } => new.as_ref().map_or(0, |text| text.len()),
        }
    }

    /// The change from one content to another.
    pub(crate) fn between(old: &Option<Arc<str>>, new: &Option<Arc<str>>) -> ContentWrite {
        if old == new { ContentWrite::Keep } else { ContentWrite::Set { old: old.clone(), new: new.clone() } }
    }
}

/// The record of a change in the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The action.
    pub action: Action,
    /// Names of the fields that changed, in the order of the wire.
    pub changed_fields: Vec<&'static str>,
    /// When.
    pub at: Timestamp,
    /// The door that it came through.
    pub source: Source,
    /// The user who made it.
    pub user: UserId,
    /// The token that was used, if one was.
    pub token: Option<TokenId>,
    /// The client that made it, why, and the change set that it belongs to.
    pub attribution: Attribution,
    /// The change set that it takes back, if it does.
    pub undoes: Option<ChangeSetId>,
    /// How many lines of the content it adds and removes, where that is known.
    pub lines: Option<LineCounts>,
    /// Of a change that is older than its commit, because it is imported: when it is committed, and what is known of it.
    pub import: Option<ImportedChange>,
    /// The version for which the change was made, where it was merged with what came after that one.
    pub merged_base: Option<u64>,
    /// The proposal that it applies, and who accepted that.
    pub accepted: Option<AcceptedProposal>,
}

/// A proposal that was applied, as the history tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedProposal {
    /// The proposal.
    pub proposal: ProposalId,
    /// Who accepted it.
    pub by: NamedId<UserId>,
    /// Whose text the content is.
    pub text: AcceptedText,
}

names! {
    /// Whose text an accepted proposal left.
    AcceptedText {
        /// That of the proposal, whole or by hunks.
        Proposed = "proposed",
        /// The reviewer's own.
        Reviewer = "reviewer",
    }
}

impl Record {
    /// What was decided about the change when it is made: what agents do waits for a review, unless a person has just accepted it.
    pub fn initial_review(&self) -> ReviewState {
        match self.accepted {
            Some(_) => ReviewState::Kept,
            None => ReviewState::initial(self.attribution.author),
        }
    }

    /// The time of the event: that of the commit.
    pub fn event_time(&self) -> Timestamp {
        self.import.as_ref().map_or(self.at, |import| import.at)
    }

    /// Whether the change is an event. Of the imported versions of an item only the last one is.
    pub fn is_event(&self) -> bool {
        self.import.as_ref().is_none_or(|import| import.event != ImportEvent::Silent)
    }
}

/// How many lines a change adds and removes; a line that it changes counts as both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCounts {
    /// Lines that it adds.
    pub added: u64,
    /// Lines that it removes.
    pub removed: u64,
}

/// What is known of a change that is imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedChange {
    /// When it is imported.
    pub at: Timestamp,
    /// Who made it, if it comes with a history.
    pub from: Option<ImportedFrom>,
    /// The event that tells of it.
    pub event: ImportEvent,
}

/// The event of a change that is imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportEvent {
    /// None: a later change of the same item has one.
    Silent,
    /// The one that its action has.
    OfAction,
    /// That the item was made: it was not there before this import.
    Created,
}

/// What is remembered of a record that was imported, so that the next import of the same source finds its item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedSource {
    /// The space that it was imported into.
    pub space: SpaceId,
    /// The name of the source.
    pub source: String,
    /// What names the record inside the source.
    pub key: String,
    /// The item that it became.
    pub item: ItemId,
    /// What the record was, as a hash.
    pub hash: [u8; 32],
    /// The version of the item that the import wrote or found.
    pub version: u64,
    /// What the import did with the item.
    pub origin: ImportOrigin,
    /// What the record said, where that version says something else because it was merged with what was changed here.
    pub merged: Option<MergedSource>,
}

impl ImportedSource {
    fn bytes(&self) -> usize {
        let merged = self.merged.as_ref();
        let merged =
            merged.map_or(0, |merged| merged.fields.bytes() + merged.content.as_ref().map_or(0, |text| text.len()));
        ROW_BYTES + self.key.len() + merged
    }
}

/// The fields and the content of a record that was merged with its item: the base of the next merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedSource {
    /// The fields.
    pub fields: Fields,
    /// The content.
    pub content: Option<Arc<str>>,
}

names! {
    /// What an import has done with the item of a record.
    ImportOrigin {
        /// It has made the item, or brought it to the state of the record.
        Made = "made",
        /// It has found the item, and has filled what was empty.
        Found = "found",
        /// It has made some of the item's versions, and was interrupted.
        Begun = "begun",
    }
}

names! {
    /// What was done to an item.
    Action {
        /// It was made.
        Create = "create",
        /// Its content or fields were changed.
        Update = "update",
        /// It was archived.
        Archive = "archive",
        /// It was taken from the archive.
        Unarchive = "unarchive",
        /// It went into the trash.
        Delete = "delete",
        /// It came back from the trash; or, where that made a version, it became as it was in an older one.
        Restore = "restore",
        /// The changes of a change set were taken back from it.
        Undo = "undo",
    }
}

names! {
    /// The door that a change came through.
    Source {
        /// The REST API.
        Rest = "rest",
        /// The MCP server for notes and bookmarks.
        McpContent = "mcp-content",
        /// The MCP server for prompts.
        McpPrompts = "mcp-prompts",
        /// The MCP server for code.
        McpCode = "mcp-code",
        /// The command line.
        Cli = "cli",
        /// The web page.
        Web = "web",
    }
}
