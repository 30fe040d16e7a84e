//! What a caller gives, and what the rules of a kind make of it.

use std::collections::HashSet;
use std::sync::Arc;

use crate::fields::{
    Argument, Arguments, CodePath, Content, ContentError, Description, FieldError, Limits, PromptName, Tag, Tags,
    Title, Url,
};
use crate::{CodeKind, ContentRule, Error, Fields, Kind, Presence};

/// A new item as it is given.
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
    /// Content.
    pub content: Option<String>,
}

/// What becomes of a field.
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

/// What becomes of the tags.
#[derive(Clone, Debug, Default)]
pub enum TagChanges {
    /// They stay.
    #[default]
    Keep,
    /// They become these.
    Replace(Vec<String>),
    /// Some come and some go; those that are in both go.
    Adjust {
        /// Tags that come.
        add: Vec<String>,
        /// Tags that go.
        remove: Vec<String>,
    },
}

/// Where an item is kept that is not deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArchiveState {
    /// With those in use.
    Active,
    /// In the archive.
    Archived,
}

/// Changes of an item's fields, whole content and place, as they are given.
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
    /// Content.
    pub content: FieldChange<String>,
    /// Where it is kept from now on; `None` leaves it.
    pub shelf: Option<ArchiveState>,
}

/// Collects what is wrong with several fields.
#[derive(Default)]
struct Problems(Vec<FieldError>);

impl Problems {
    fn note<T>(&mut self, parsed: Result<T, FieldError>) -> Option<T> {
        parsed.map_err(|error| self.0.push(error)).ok()
    }

    fn finish<T>(self, value: T) -> Result<T, Error> {
        if self.0.is_empty() { Ok(value) } else { Err(Error::ValidationFailed(self.0)) }
    }

    /// A content that is not there, which neither a template nor code can be.
    fn lacks_content(&mut self, rule: ContentRule, message: &str) {
        match rule {
            ContentRule::Text => {}
            ContentRule::Template | ContentRule::Code(_) => self.0.push(FieldError::new("content", message)),
        }
    }

    /// A field that a kind must have, may have or never has. An absent one that is given is an error.
    fn field<T, G>(
        &mut self,
        name: &'static str,
        presence: Presence,
        given: Option<G>,
        parse: impl FnOnce(G) -> Result<T, FieldError>,
    ) -> Option<T> {
        match (presence, given) {
            (Presence::Required, None) => {
                self.0.push(FieldError::new(name, "is required"));
                None
            }
            (Presence::Absent, Some(_)) => {
                self.0.push(FieldError::new(name, "is not a field of this kind of item"));
                None
            }
            (_, None) => None,
            (Presence::Required | Presence::Optional, Some(given)) => self.note(parse(given)),
        }
    }
}

/// The fields and the content of a new item; whether they fit together is not checked here.
pub(super) fn parse_draft(kind: Kind, draft: ItemDraft, limits: &Limits) -> Result<(Fields, Option<Arc<str>>), Error> {
    let rules = kind.rules();
    let mut problems = Problems::default();
    let fields = Fields {
        title: problems.field("title", rules.title, draft.title, |title| parse_title(rules.title, &title, limits)),
        description: problems.field("description", Presence::Optional, draft.description, |description| {
            Description::parse(&description, limits)
        }),
        tags: problems.note(Tags::parse(draft.tags, limits)).unwrap_or_default(),
        url: problems.field("url", rules.url, draft.url, |url| Url::parse(&url, limits)),
        name: problems.field("name", rules.name, draft.name, |name| PromptName::parse(&name, limits)),
        arguments: problems.field(
            "arguments",
            rules.arguments,
            given_arguments(rules.arguments, draft.arguments),
            |given| Arguments::parse(given, limits),
        ),
        path: problems.field("path", rules.path, draft.path, |path| parse_path(rules.content, &path, limits)),
    };
    let content = match draft.content {
        Some(content) => parse_content(content, limits, &mut problems)?,
        None => {
            problems.lacks_content(rules.content, "is required");
            None
        }
    };
    problems.finish((fields, content))
}

/// No arguments are an empty list where the kind has arguments.
fn given_arguments(presence: Presence, given: Option<Vec<Argument>>) -> Option<Vec<Argument>> {
    match presence {
        Presence::Required => Some(given.unwrap_or_default()),
        Presence::Optional | Presence::Absent => given,
    }
}

fn parse_title(presence: Presence, title: &str, limits: &Limits) -> Result<Title, FieldError> {
    match presence {
        Presence::Required => Title::parse_required(title, limits),
        Presence::Optional | Presence::Absent => Title::parse(title, limits),
    }
}

/// The path of a kind that has one.
fn parse_path(rule: ContentRule, path: &str, limits: &Limits) -> Result<CodePath, FieldError> {
    let kind = match rule {
        ContentRule::Code(kind) => kind,
        ContentRule::Text | ContentRule::Template => CodeKind::AppFile,
    };
    CodePath::parse(kind, path, limits)
}

fn parse_content(content: String, limits: &Limits, problems: &mut Problems) -> Result<Option<Arc<str>>, Error> {
    match Content::parse(content, limits) {
        Ok(content) => Ok(Some(content.into_string().into())),
        Err(ContentError::TooLarge { limit, actual }) => {
            Err(Error::TooLarge { limit: limit as u64, actual: actual as u64 })
        }
        Err(ContentError::Invalid(error)) => {
            problems.0.push(error);
            Ok(None)
        }
    }
}

/// The fields of an item after changes, and what becomes of its content; whether they fit together is not checked here.
pub(super) fn parse_changes(
    kind: Kind,
    before: &Fields,
    changes: ItemChanges,
    limits: &Limits,
) -> Result<(Fields, FieldChange<Arc<str>>), Error> {
    let rules = kind.rules();
    let mut problems = Problems::default();
    let fields = Fields {
        title: changed(&mut problems, "title", rules.title, &before.title, changes.title, |title| {
            parse_title(rules.title, &title, limits)
        }),
        description: changed(
            &mut problems,
            "description",
            Presence::Optional,
            &before.description,
            changes.description,
            |description| Description::parse(&description, limits),
        ),
        tags: changed_tags(&mut problems, &before.tags, changes.tags, limits),
        url: changed(&mut problems, "url", rules.url, &before.url, changes.url, |url| Url::parse(&url, limits)),
        name: changed(&mut problems, "name", rules.name, &before.name, changes.name, |name| {
            PromptName::parse(&name, limits)
        }),
        arguments: changed(
            &mut problems,
            "arguments",
            rules.arguments,
            &before.arguments,
            changes.arguments,
            |given| Arguments::parse(given, limits),
        ),
        path: changed(&mut problems, "path", rules.path, &before.path, changes.path, |path| {
            parse_path(rules.content, &path, limits)
        }),
    };
    let content = match changes.content {
        FieldChange::Keep => FieldChange::Keep,
        FieldChange::Clear => {
            problems.lacks_content(rules.content, "cannot be null");
            FieldChange::Clear
        }
        FieldChange::Set(content) => {
            parse_content(content, limits, &mut problems)?.map_or(FieldChange::Keep, FieldChange::Set)
        }
    };
    problems.finish((fields, content))
}

/// A field after a change. Clearing one that a kind must have is an error, and so is giving one that it never has.
fn changed<T: Clone, G>(
    problems: &mut Problems,
    name: &'static str,
    presence: Presence,
    before: &Option<T>,
    change: FieldChange<G>,
    parse: impl FnOnce(G) -> Result<T, FieldError>,
) -> Option<T> {
    match (change, presence) {
        (FieldChange::Keep, _) => before.clone(),
        (FieldChange::Clear, Presence::Required) => {
            problems.0.push(FieldError::new(name, "cannot be null"));
            None
        }
        (FieldChange::Clear, Presence::Optional) => None,
        (FieldChange::Clear | FieldChange::Set(_), Presence::Absent) => {
            problems.0.push(FieldError::new(name, "is not a field of this kind of item"));
            None
        }
        (FieldChange::Set(given), Presence::Required | Presence::Optional) => problems.note(parse(given)),
    }
}

fn changed_tags(problems: &mut Problems, before: &Tags, changes: TagChanges, limits: &Limits) -> Tags {
    match changes {
        TagChanges::Keep => before.clone(),
        TagChanges::Replace(tags) => problems.note(Tags::parse(tags, limits)).unwrap_or_default(),
        TagChanges::Adjust { add, remove } => {
            let add = problems.note(parse_tags("add_tags", &add, limits)).unwrap_or_default();
            let remove = problems.note(parse_tags("remove_tags", &remove, limits)).unwrap_or_default();
            let remove: HashSet<&str> = remove.iter().map(Tag::as_str).collect();
            let mut known = HashSet::new();
            let tags = before.as_slice().iter().chain(&add).map(Tag::as_str);
            let tags = tags.filter(|tag| !remove.contains(tag) && known.insert(*tag)).map(str::to_owned);
            let tags: Vec<String> = tags.collect();
            // Limits may have changed since the item got its tags: it can always lose some.
            let (limit, actual) = (limits.tags, tags.len());
            if actual > limit.max(before.as_slice().len()) {
                let message = format!("add_tags makes {actual} tags; the limit is {limit}");
                problems.0.push(FieldError::new("add_tags", message));
            }
            Tags::from_stored(tags)
        }
    }
}

/// The tags of a list; an error names the tag by its place.
fn parse_tags(list: &str, tags: &[String], limits: &Limits) -> Result<Vec<Tag>, FieldError> {
    let named = |index, error: FieldError| FieldError::new(format!("{list}[{index}]"), error.message);
    let parsed = tags.iter().enumerate();
    parsed.map(|(index, tag)| Tag::parse(tag, limits).map_err(|error| named(index, error))).collect()
}
