//! Kinds of items. A kind is a row of rules: nothing else in the store knows how notes and prompts differ.

use std::fmt;

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Text with a title.
    Note,
    /// A web address, with text about it or from it.
    Bookmark,
    /// A Jinja2 template with declared arguments.
    Prompt,
}

/// Whether an item of a kind has a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Always.
    Required,
    /// As its author likes.
    Optional,
    /// Never.
    Absent,
}

/// What the content of a kind must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentRule {
    /// Any text, or none.
    Text,
    /// A template whose variables are the item's arguments.
    Template,
}

/// The rules of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The title.
    pub title: Presence,
    /// The web address; unique in a space among items that are not deleted.
    pub url: Presence,
    /// The name; unique in a space among items that are not deleted.
    pub name: Presence,
    /// The arguments of a template.
    pub arguments: Presence,
    /// What the content must be.
    pub content: ContentRule,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 3] = [Kind::Note, Kind::Bookmark, Kind::Prompt];

    /// Its rules.
    pub const fn rules(self) -> Rules {
        use Presence::{Absent, Optional, Required};
        match self {
            Kind::Note => {
                Rules { title: Required, url: Absent, name: Absent, arguments: Absent, content: ContentRule::Text }
            }
            Kind::Bookmark => {
                Rules { title: Optional, url: Required, name: Absent, arguments: Absent, content: ContentRule::Text }
            }
            Kind::Prompt => Rules {
                title: Optional,
                url: Absent,
                name: Required,
                arguments: Required,
                content: ContentRule::Template,
            },
        }
    }

    /// The stable name: `note`, `bookmark`, `prompt`.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Note => "note",
            Kind::Bookmark => "bookmark",
            Kind::Prompt => "prompt",
        }
    }

    /// The kind of that stable name.
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
