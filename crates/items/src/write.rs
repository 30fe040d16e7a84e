//! Writes of items as values: planned by the use cases, committed by the storage.

use std::sync::Arc;

use interline_edit::Edit;
use jiff::Timestamp;

use crate::{Item, Kind, Stamp, TokenId, UserId};

/// What the rows of a change take beside its fields and content, about: the item, its version, its event, and their entries in
/// indexes.
const ROW_BYTES: usize = 1_024;

/// What one transaction commits.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Changes of items, one after the other.
    pub writes: Vec<ItemWrite>,
    /// The idempotency record of the request, if it has a key.
    pub idempotency: Option<IdempotencyRecord>,
}

impl Batch {
    /// How many bytes it writes, about.
    pub fn bytes(&self) -> usize {
        self.writes.iter().map(ItemWrite::bytes).sum()
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
    /// The version for which the change was made, where it was merged with what came after that one.
    pub merged_base: Option<u64>,
}

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
