//! Kinds of items and their rules. A kind is a row of rules: no other code knows how notes and prompts differ.

use std::fmt;

use crate::SpaceOwner;

/// The kind of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Text with a title.
    Note,
    /// A web address, with text about it or from it.
    Bookmark,
    /// A Jinja2 template with declared arguments.
    Prompt,
    /// A file of an app.
    AppFile,
    /// Python with functions that are workflows, tools or data providers.
    Workflow,
    /// Other Python.
    Module,
}

/// A kind that is code: a file with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CodeKind {
    /// A file of an app: any text.
    AppFile,
    /// Python with at least one workflow decorator.
    Workflow,
    /// Python without any.
    Module,
}

impl CodeKind {
    /// Every one.
    pub const ALL: [CodeKind; 3] = [CodeKind::AppFile, CodeKind::Workflow, CodeKind::Module];

    /// The kind of item that it is.
    pub const fn kind(self) -> Kind {
        match self {
            CodeKind::AppFile => Kind::AppFile,
            CodeKind::Workflow => Kind::Workflow,
            CodeKind::Module => Kind::Module,
        }
    }

    /// The stable name: `app_file`, `workflow`, `module`.
    pub const fn name(self) -> &'static str {
        self.kind().name()
    }

    /// The kind of code with that stable name.
    pub fn from_name(name: &str) -> Option<CodeKind> {
        CodeKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
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
    /// Code of this kind.
    Code(CodeKind),
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
    /// The path; unique in a space among items that are not deleted.
    pub path: Presence,
    /// The front matter.
    pub front_matter: Presence,
    /// What the content must be.
    pub content: ContentRule,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 6] = [Kind::Note, Kind::Bookmark, Kind::Prompt, Kind::AppFile, Kind::Workflow, Kind::Module];

    /// Its rules.
    pub const fn rules(self) -> Rules {
        use Presence::{Absent, Optional, Required};
        const PLAIN: Rules = Rules {
            title: Optional,
            url: Absent,
            name: Absent,
            arguments: Absent,
            path: Absent,
            front_matter: Optional,
            content: ContentRule::Text,
        };
        const CODE: Rules = Rules { path: Required, front_matter: Absent, ..PLAIN };
        match self {
            Kind::Note => Rules { title: Required, ..PLAIN },
            Kind::Bookmark => Rules { url: Required, ..PLAIN },
            Kind::Prompt => Rules { name: Required, arguments: Required, content: ContentRule::Template, ..PLAIN },
            Kind::AppFile => Rules { content: ContentRule::Code(CodeKind::AppFile), ..CODE },
            Kind::Workflow => Rules { content: ContentRule::Code(CodeKind::Workflow), ..CODE },
            Kind::Module => Rules { content: ContentRule::Code(CodeKind::Module), ..CODE },
        }
    }

    /// Whether items of this kind live in a space of that owner.
    pub(crate) const fn lives_in(self, owner: SpaceOwner) -> bool {
        match owner {
            SpaceOwner::User(_) => matches!(self, Kind::Note | Kind::Bookmark | Kind::Prompt),
            SpaceOwner::Organization(_) => matches!(self, Kind::Workflow),
            SpaceOwner::App(_) => matches!(self, Kind::AppFile),
            SpaceOwner::Global => matches!(self, Kind::Workflow | Kind::Module),
        }
    }

    /// The stable name: `note`, `bookmark`, `prompt`, `app_file`, `workflow`, `module`.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Note => "note",
            Kind::Bookmark => "bookmark",
            Kind::Prompt => "prompt",
            Kind::AppFile => "app_file",
            Kind::Workflow => "workflow",
            Kind::Module => "module",
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
