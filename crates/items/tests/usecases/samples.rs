//! Small items and changes.

use interline_items::fields::{Argument, Limits, PromptName, Tag};
use interline_items::{FieldChange, ItemChanges, ItemDraft, ItemRef, TagChanges, TokenDraft};

pub(crate) fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

pub(crate) fn list(values: &[&str]) -> Vec<String> {
    values.iter().map(|value| (*value).to_owned()).collect()
}

pub(crate) fn note(title: &str) -> ItemDraft {
    ItemDraft { title: text(title), ..ItemDraft::default() }
}

pub(crate) fn note_of(content: &str) -> ItemDraft {
    ItemDraft { content: text(content), ..note("Plan") }
}

pub(crate) fn bookmark(url: &str) -> ItemDraft {
    ItemDraft { url: text(url), ..ItemDraft::default() }
}

/// A prompt whose arguments are all required.
pub(crate) fn prompt(name: &str, content: &str, arguments: &[&str]) -> ItemDraft {
    ItemDraft {
        name: text(name),
        content: text(content),
        arguments: Some(self::arguments(arguments)),
        ..ItemDraft::default()
    }
}

pub(crate) fn greeting() -> ItemDraft {
    prompt("greet", "Hello {{ who }}", &["who"])
}

pub(crate) fn tagged(draft: ItemDraft, tags: &[&str]) -> ItemDraft {
    ItemDraft { tags: list(tags), ..draft }
}

pub(crate) fn arguments(names: &[&str]) -> Vec<Argument> {
    let argument = |name: &&str| Argument { name: (*name).to_owned(), description: None, required: true };
    names.iter().map(argument).collect()
}

pub(crate) fn to(value: &str) -> FieldChange<String> {
    FieldChange::Set(value.to_owned())
}

pub(crate) fn title(title: &str) -> ItemChanges {
    ItemChanges { title: to(title), ..ItemChanges::default() }
}

pub(crate) fn content(content: &str) -> ItemChanges {
    ItemChanges { content: to(content), ..ItemChanges::default() }
}

pub(crate) fn retag(add: &[&str], remove: &[&str]) -> ItemChanges {
    ItemChanges { tags: TagChanges::Adjust { add: list(add), remove: list(remove) }, ..ItemChanges::default() }
}

pub(crate) fn replace_tags(tags: &[&str]) -> ItemChanges {
    ItemChanges { tags: TagChanges::Replace(list(tags)), ..ItemChanges::default() }
}

pub(crate) fn tag(tag: &str) -> Tag {
    Tag::parse(tag, &Limits::default()).unwrap()
}

pub(crate) fn by_name(name: &str) -> ItemRef {
    ItemRef::PromptName(PromptName::parse(name, &Limits::default()).unwrap())
}

/// A token that is not narrowed.
pub(crate) fn token() -> TokenDraft {
    TokenDraft {
        name: "test".to_owned(),
        scopes: None,
        kinds: None,
        spaces: None,
        expires_at: None,
        user: None,
        author: interline_items::Author::Person,
        writes: interline_items::Writes::Apply,
    }
}
