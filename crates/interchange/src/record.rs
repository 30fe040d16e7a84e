//! Records: one item as a source tells it, its history, and what else a source has.

use jiff::Timestamp;
use uuid::Uuid;

/// The kind of item that a record becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceKind {
    /// Text with a title.
    Note,
    /// A web address, with text about it or from it.
    Bookmark,
    /// A Jinja2 template with declared arguments.
    Prompt,
}

impl SourceKind {
    /// Every one.
    pub const ALL: [SourceKind; 3] = [SourceKind::Note, SourceKind::Bookmark, SourceKind::Prompt];

    /// The name, as it is written: `note`, `bookmark`, `prompt`.
    pub fn name(self) -> &'static str {
        match self {
            SourceKind::Note => "note",
            SourceKind::Bookmark => "bookmark",
            SourceKind::Prompt => "prompt",
        }
    }

    /// The kind with that name.
    pub fn parse(name: &str) -> Option<SourceKind> {
        SourceKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// One item as a source tells it. The store parses every field again: this is what was read, not what is valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRecord {
    /// What names it inside the source, the same at every reading: a relative path, an address, an id. Never empty.
    pub source_key: String,
    /// What it becomes.
    pub kind: SourceKind,
    /// Its id, if the source gives it a UUID of ours.
    pub id: Option<Uuid>,
    /// Its fields.
    pub fields: SourceFields,
    /// Its text; `None` is no content, which differs from an empty one.
    pub content: Option<String>,
    /// When it was made.
    pub created_at: Option<Timestamp>,
    /// When its content or fields were last changed.
    pub updated_at: Option<Timestamp>,
    /// When it was last used; Interline's own format alone knows.
    pub last_used_at: Option<Timestamp>,
    /// Since when it is archived; `None` if it is not.
    pub archived: Option<Since>,
    /// Since when it is in the trash; `None` if it is not.
    pub deleted: Option<Since>,
    /// The number of its present version; Interline's own format alone knows.
    pub version: Option<u64>,
    /// What happened to it before, oldest first. From JSON Lines every record, that of the present version too; from Langfuse
    /// the older versions.
    pub history: Vec<SourceChange>,
    /// What was changed or left out on the way, for the report: sentences.
    pub notices: Vec<String>,
}

impl SourceRecord {
    /// A record that has nothing but its key and kind.
    pub fn new(source_key: impl Into<String>, kind: SourceKind) -> SourceRecord {
        SourceRecord {
            source_key: source_key.into(),
            kind,
            id: None,
            fields: SourceFields::default(),
            content: None,
            created_at: None,
            updated_at: None,
            last_used_at: None,
            archived: None,
            deleted: None,
            version: None,
            history: Vec::new(),
            notices: Vec::new(),
        }
    }
}

/// The fields that an author gives. Which of them an item has is a rule of its kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceFields {
    /// Title.
    pub title: Option<String>,
    /// Description.
    pub description: Option<String>,
    /// Tags: lower-case words joined by `-`, `_` or `/`, no two alike.
    pub tags: Vec<String>,
    /// Web address of a bookmark.
    pub url: Option<String>,
    /// Name of a prompt.
    pub name: Option<String>,
    /// Arguments of a prompt; `None` of any other kind.
    pub arguments: Option<Vec<SourceArgument>>,
    /// YAML of the keys that have no field, as their lines stand in the source; at most [`MAX_FRONT_MATTER_BYTES`]. It is
    /// empty or ends with a line break, and never has the `---` of front matter.
    pub front_matter: Option<String>,
}

/// The longest front matter that an item keeps, in bytes.
pub const MAX_FRONT_MATTER_BYTES: usize = 16 * 1024;

/// One argument of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceArgument {
    /// The name of the variable in the template.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// Whether rendering needs a value for it.
    pub required: bool,
}

/// Since when something is so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// The source does not say.
    Unknown,
    /// Since then.
    At(Timestamp),
}

impl Since {
    /// The time, if it is known.
    pub fn timestamp(self) -> Option<Timestamp> {
        match self {
            Since::Unknown => None,
            Since::At(time) => Some(time),
        }
    }
}

/// One change in the history of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceChange {
    /// The version that it made; `None` for archiving, unarchiving, deleting and the way back from the trash.
    pub version: Option<u64>,
    /// The action, by the name that the store writes.
    pub action: String,
    /// Names of the fields that changed.
    pub changed_fields: Vec<String>,
    /// When.
    pub at: Option<Timestamp>,
    /// The door that it came through, by the name that the store writes.
    pub source: Option<String>,
    /// The name of the user who made it.
    pub user: Option<String>,
    /// The name of the token that was used.
    pub token: Option<String>,
    /// The item as it was after it; `None` for a change that made no version.
    pub state: Option<SourceVersion>,
}

/// Fields and content of an item as they were.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceVersion {
    /// The fields.
    pub fields: SourceFields,
    /// The content.
    pub content: Option<String>,
}

/// What a reader hands over, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// An item.
    Record(Box<SourceRecord>),
    /// Something that is not imported.
    Skipped {
        /// Where it stands: a path, an address, a line.
        source: String,
        /// Why, and what would help.
        reason: String,
    },
    /// A file that is no text of its own, such as an image; it is reported, not imported.
    Attachment {
        /// Its path.
        source: String,
    },
}

impl Entry {
    pub(crate) fn skipped(source: impl Into<String>, reason: impl Into<String>) -> Entry {
        Entry::Skipped { source: source.into(), reason: reason.into() }
    }
}
