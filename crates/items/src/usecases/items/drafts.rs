//! Drafts of new items and changes of items as callers give them, and how they are parsed by the rules of a kind.

use std::collections::HashSet;
use std::sync::Arc;

use crate::fields::{
    Argument, Arguments, CodePath, Content, ContentError, Description, FieldError, FrontMatter, Limits, PromptName,
    Tag, Tags, Title, Url,
};
use crate::{Action, CodeKind, ContentRule, Error, Fields, Kind, Presence};

/// The fields and the content of a new item, as the caller gives them.
#[derive(Clone, Debug, Default)]
pub struct ItemDraft {
    /// Title.
    pub title: Option<String>,
    /// Description.
    pub description: Option<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// Web address.
    pub url: Option<String>,
    /// Name.
    pub name: Option<String>,
    /// Arguments.
    pub arguments: Option<Vec<Argument>>,
    /// Path.
    pub path: Option<String>,
    /// Front matter; empty is none.
    pub front_matter: Option<String>,
    /// Content.
    pub content: Option<String>,
}

/// The change of a field.
#[derive(Clone, Debug, Default)]
pub enum FieldChange<T> {
    /// It stays.
    #[default]
    Keep,
    /// It is emptied.
    Clear,
    /// It becomes this.
    Set(T),
}

/// The change of an item's tags.
#[derive(Clone, Debug, Default)]
pub enum TagChanges {
    /// They stay.
    #[default]
    Keep,
    /// They become these.
    Replace(Vec<String>),
    /// Some are added and some removed; a tag that is in both lists is removed.
    Adjust {
        /// Tags to add.
        add: Vec<String>,
        /// Tags to remove.
        remove: Vec<String>,
    },
}

/// Whether an item that is not deleted is archived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArchiveState {
    /// It is not.
    Active,
    /// It is.
    Archived,
}

/// Whether an item is in the trash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrashState {
    /// It is.
    Deleted,
    /// It is not.
    Restored,
}

/// Where an item is from now on; `None` leaves it there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::usecases) struct StateChanges {
    pub(in crate::usecases) archive: Option<ArchiveState>,
    pub(in crate::usecases) trash: Option<TrashState>,
}

impl StateChanges {
    /// The actions that lead there, in an order in which each is possible: an item in the trash cannot be archived.
    pub(in crate::usecases) fn actions(self) -> impl Iterator<Item = Action> {
        let archive = self.archive.map(|state| match state {
            ArchiveState::Active => Action::Unarchive,
            ArchiveState::Archived => Action::Archive,
        });
        let (restore, delete) = match self.trash {
            None => (None, None),
            Some(TrashState::Restored) => (Some(Action::Restore), None),
            Some(TrashState::Deleted) => (None, Some(Action::Delete)),
        };
        [restore, archive, delete].into_iter().flatten()
    }
}

/// Changes of an item's fields, whole content, archive and trash state, as the caller gives them.
#[derive(Clone, Debug, Default)]
pub struct ItemChanges {
    /// Title.
    pub title: FieldChange<String>,
    /// Description.
    pub description: FieldChange<String>,
    /// Tags.
    pub tags: TagChanges,
    /// Web address.
    pub url: FieldChange<String>,
    /// Name.
    pub name: FieldChange<String>,
    /// Arguments.
    pub arguments: FieldChange<Vec<Argument>>,
    /// Path.
    pub path: FieldChange<String>,
    /// Front matter; empty is none.
    pub front_matter: FieldChange<String>,
    /// Content.
    pub content: FieldChange<String>,
    /// Whether it is archived from now on; `None` leaves it.
    pub archive_state: Option<ArchiveState>,
    /// Whether it is in the trash from now on; `None` leaves it. One that is restored is changed too, one that is there
    /// already does not exist for other changes.
    pub trash_state: Option<TrashState>,
}

impl ItemChanges {
    pub(in crate::usecases) fn states(&self) -> StateChanges {
        StateChanges { archive: self.archive_state, trash: self.trash_state }
    }

    /// The action that these changes are, if they are one and change no field and no content.
    pub(in crate::usecases) fn only_action(&self) -> Option<Action> {
        let ItemChanges { title, description, tags, url, name, arguments, path, front_matter, content, .. } = self;
        let keeps_texts =
            [title, description, url, name, path, front_matter, content].into_iter().all(FieldChange::keeps);
        let keeps_all = keeps_texts && arguments.keeps() && matches!(tags, TagChanges::Keep);
        let mut actions = self.states().actions();
        let first = actions.next().filter(|_| keeps_all);
        first.filter(|_| actions.next().is_none())
    }
}

impl<T> FieldChange<T> {
    fn keeps(&self) -> bool {
        matches!(self, FieldChange::Keep)
    }
}

/// Collects the errors of several fields, so that a refusal names all of them.
#[derive(Default)]
struct FieldErrors(Vec<FieldError>);

impl FieldErrors {
    fn collect<T>(&mut self, parsed: Result<T, FieldError>) -> Option<T> {
        parsed.map_err(|error| self.0.push(error)).ok()
    }

    fn finish<T>(self, value: T) -> Result<T, Error> {
        if self.0.is_empty() { Ok(value) } else { Err(Error::ValidationFailed(self.0)) }
    }

    /// Adds an error for a missing content, unless the kind can do without: a template or code cannot.
    fn require_content(&mut self, rule: ContentRule, message: &str) {
        match rule {
            ContentRule::Text => {}
            ContentRule::Template | ContentRule::Code(_) => self.0.push(FieldError::new("content", message)),
        }
    }

    /// Parses a field that a kind must have, may have or never has. To give a field that the kind never has is an error.
    fn field<T, G>(
        &mut self,
        name: &'static str,
        presence: Presence,
        value: Option<G>,
        parse: impl FnOnce(G) -> Result<T, FieldError>,
    ) -> Option<T> {
        match (presence, value) {
            (Presence::Required, None) => {
                self.0.push(FieldError::new(name, "is required"));
                None
            }
            (Presence::Absent, Some(_)) => {
                self.0.push(FieldError::new(name, "is not a field of this kind of item"));
                None
            }
            (_, None) => None,
            (Presence::Required | Presence::Optional, Some(value)) => self.collect(parse(value)),
        }
    }
}

/// Parses the fields and the content of a new item; whether they fit together is not checked here.
pub(in crate::usecases) fn parse_draft(
    kind: Kind,
    draft: ItemDraft,
    limits: &Limits,
) -> Result<(Fields, Option<Arc<str>>), Error> {
    let rules = kind.rules();
    let mut errors = FieldErrors::default();
    let fields = Fields {
        title: errors.field("title", rules.title, draft.title, |title| parse_title(rules.title, &title, limits)),
        description: errors.field("description", Presence::Optional, draft.description, |description| {
            Description::parse(&description, limits)
        }),
        tags: errors.collect(Tags::parse(draft.tags, limits)).unwrap_or_default(),
        url: errors.field("url", rules.url, draft.url, |url| Url::parse(&url, limits)),
        name: errors.field("name", rules.name, draft.name, |name| PromptName::parse(&name, limits)),
        arguments: errors.field(
            "arguments",
            rules.arguments,
            arguments_or_empty(rules.arguments, draft.arguments),
            |arguments| Arguments::parse(arguments, limits),
        ),
        path: errors.field("path", rules.path, draft.path, |path| parse_path(rules.content, &path, limits)),
        front_matter: errors
            .field("front_matter", rules.front_matter, draft.front_matter, |yaml| FrontMatter::parse(&yaml, limits))
            .flatten(),
    };
    let content = match draft.content {
        Some(content) => parse_content(content, limits, &mut errors)?,
        None => {
            errors.require_content(rules.content, "is required");
            None
        }
    };
    errors.finish((fields, content))
}

/// No arguments are an empty list where the kind has arguments.
fn arguments_or_empty(presence: Presence, arguments: Option<Vec<Argument>>) -> Option<Vec<Argument>> {
    match presence {
        Presence::Required => Some(arguments.unwrap_or_default()),
        Presence::Optional | Presence::Absent => arguments,
    }
}

fn parse_title(presence: Presence, title: &str, limits: &Limits) -> Result<Title, FieldError> {
    match presence {
        Presence::Required => Title::parse_required(title, limits),
        Presence::Optional | Presence::Absent => Title::parse(title, limits),
    }
}

/// Parses the path of a kind that has one.
fn parse_path(rule: ContentRule, path: &str, limits: &Limits) -> Result<CodePath, FieldError> {
    let kind = match rule {
        ContentRule::Code(kind) => kind,
        ContentRule::Text | ContentRule::Template => CodeKind::AppFile,
    };
    CodePath::parse(kind, path, limits)
}

fn parse_content(content: String, limits: &Limits, errors: &mut FieldErrors) -> Result<Option<Arc<str>>, Error> {
    match Content::parse(content, limits) {
        Ok(content) => Ok(Some(content.into_string().into())),
        Err(ContentError::TooLarge { limit, actual }) => {
            Err(Error::TooLarge { limit: limit as u64, actual: actual as u64 })
        }
        Err(ContentError::Invalid(error)) => {
            errors.0.push(error);
            Ok(None)
        }
    }
}

/// Parses changes: the fields of the item after them, and the change of its content. Whether they fit together is not
/// checked here.
pub(in crate::usecases) fn parse_changes(
    kind: Kind,
    before: &Fields,
    changes: ItemChanges,
    limits: &Limits,
) -> Result<(Fields, FieldChange<Arc<str>>), Error> {
    let rules = kind.rules();
    let mut errors = FieldErrors::default();
    let fields = Fields {
        title: changed(&mut errors, "title", rules.title, &before.title, changes.title, |title| match &before.title {
            // What is stored stays valid, though it would not be accepted now.
            Some(same) if same.as_str() == title => Ok(same.clone()),
            Some(_) | None => parse_title(rules.title, &title, limits),
        }),
        description: changed(
            &mut errors,
            "description",
            Presence::Optional,
            &before.description,
            changes.description,
            |description| Description::parse(&description, limits),
        ),
        tags: changed_tags(&mut errors, &before.tags, changes.tags, limits),
        url: changed(&mut errors, "url", rules.url, &before.url, changes.url, |url| Url::parse(&url, limits)),
        name: changed(&mut errors, "name", rules.name, &before.name, changes.name, |name| {
            PromptName::parse(&name, limits)
        }),
        arguments: changed(
            &mut errors,
            "arguments",
            rules.arguments,
            &before.arguments,
            changes.arguments,
            |arguments| Arguments::parse(arguments, limits),
        ),
        path: changed(&mut errors, "path", rules.path, &before.path, changes.path, |path| match &before.path {
            Some(same) if same.as_str() == path => Ok(same.clone()),
            Some(_) | None => parse_path(rules.content, &path, limits),
        }),
        front_matter: changed_front_matter(&mut errors, rules.front_matter, before, changes.front_matter, limits),
    };
    let content = match changes.content {
        FieldChange::Keep => FieldChange::Keep,
        FieldChange::Clear => {
            errors.require_content(rules.content, "cannot be null");
            FieldChange::Clear
        }
        FieldChange::Set(content) => {
            parse_content(content, limits, &mut errors)?.map_or(FieldChange::Keep, FieldChange::Set)
        }
    };
    errors.finish((fields, content))
}

/// A field after its change. To clear a field that the kind must have is an error, and so is to give one that it never
/// has.
fn changed<T: Clone, G>(
    errors: &mut FieldErrors,
    name: &'static str,
    presence: Presence,
    before: &Option<T>,
    change: FieldChange<G>,
    parse: impl FnOnce(G) -> Result<T, FieldError>,
) -> Option<T> {
    match (change, presence) {
        (FieldChange::Keep, _) => before.clone(),
        (FieldChange::Clear, Presence::Required) => {
            errors.0.push(FieldError::new(name, "cannot be null"));
            None
        }
        (FieldChange::Clear, Presence::Optional) => None,
        (FieldChange::Clear | FieldChange::Set(_), Presence::Absent) => {
            errors.0.push(FieldError::new(name, "is not a field of this kind of item"));
            None
        }
        (FieldChange::Set(value), Presence::Required | Presence::Optional) => errors.collect(parse(value)),
    }
}

/// Front matter after its change: an empty text is none, as null is.
fn changed_front_matter(
    errors: &mut FieldErrors,
    presence: Presence,
    before: &Fields,
    change: FieldChange<String>,
    limits: &Limits,
) -> Option<FrontMatter> {
    let change = match change {
        FieldChange::Set(yaml) if yaml.is_empty() => FieldChange::Clear,
        other => other,
    };
    let before = before.front_matter.as_ref().map(|yaml| Some(yaml.clone()));
    changed(errors, "front_matter", presence, &before, change, |yaml| FrontMatter::parse(&yaml, limits)).flatten()
}

fn changed_tags(errors: &mut FieldErrors, before: &Tags, changes: TagChanges, limits: &Limits) -> Tags {
    match changes {
        TagChanges::Keep => before.clone(),
        TagChanges::Replace(tags) => errors.collect(Tags::parse(tags, limits)).unwrap_or_default(),
        TagChanges::Adjust { add, remove } => {
            let add = errors.collect(parse_tags("add_tags", &add, Tag::parse, limits)).unwrap_or_default();
            let remove = parse_tags("remove_tags", &remove, Tag::parse_stored, limits);
            let remove = errors.collect(remove).unwrap_or_default();
            let remove: HashSet<&str> = remove.iter().map(Tag::as_str).collect();
            let mut seen = HashSet::new();
            let tags = before.as_slice().iter().chain(&add).map(Tag::as_str);
            let tags = tags.filter(|tag| !remove.contains(tag) && seen.insert(*tag)).map(str::to_owned);
            let tags: Vec<String> = tags.collect();
            // Limits may have changed since the item got its tags: it can always lose some.
            let (limit, actual) = (limits.tags, tags.len());
            if actual > limit.max(before.as_slice().len()) {
                let message = format!("makes {actual} tags; the limit is {limit}");
                errors.0.push(FieldError::new("add_tags", message));
            }
            Tags::from_stored(tags)
        }
    }
}

/// Parses the tags of a list; an error names the tag by its index.
fn parse_tags(
    list: &str,
    tags: &[String],
    parse: fn(&str, &Limits) -> Result<Tag, FieldError>,
    limits: &Limits,
) -> Result<Vec<Tag>, FieldError> {
    let named = |index, error: FieldError| FieldError::new(format!("{list}[{index}]"), error.message);
    let parsed = tags.iter().enumerate();
    parsed.map(|(index, tag)| parse(tag, limits).map_err(|error| named(index, error))).collect()
}
