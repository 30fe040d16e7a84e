//! What of an item is searched, and how much it weighs where something stands.

use std::cell::OnceCell;

use crate::Snapshot;
use crate::fields::{CodePath, Description, PromptName, Title, Url};

use super::fold::fold;
use super::index::Payload;

/// Where in an item a text stands. The title weighs more than all the rest together, the description more than what
/// comes after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Title or name.
    Head,
    /// Description.
    Description,
    /// Web address.
    Address,
    /// Path.
    Path,
    /// Content.
    Content,
}

impl Place {
    /// Its bit in a set of places; those that weigh the same have one.
    pub(super) const fn bit(self) -> Payload {
        match self {
            Place::Head => 4,
            Place::Description => 2,
            Place::Address | Place::Path | Place::Content => 1,
        }
    }

    /// What it weighs that a word stands there so many times.
    pub(super) fn weight_of_word(self, count: u32) -> Payload {
        match self {
            Place::Head => 64,
            Place::Description => 24,
            Place::Address | Place::Path => 4,
            Place::Content => match count {
                0..=1 => 4,
                2..=3 => 6,
                4..=7 => 8,
                8.. => 10,
            },
        }
    }
}

/// What it weighs that a text stands in these places, if it stands in any.
pub(super) fn weight_of_text(places: Payload) -> Option<u32> {
    let weights = [(Place::Head, 32), (Place::Description, 12), (Place::Content, 2)];
    let weight = weights.into_iter().filter(|(place, _)| places & place.bit() != 0).map(|(_, weight)| weight).sum();
    (weight > 0).then_some(weight)
}

/// The texts of an item that are searched.
#[derive(Clone, Copy, Debug, Default)]
pub struct SearchedFields<'a> {
    /// The title.
    pub title: Option<&'a str>,
    /// The name.
    pub name: Option<&'a str>,
    /// The description.
    pub description: Option<&'a str>,
    /// The web address.
    pub url: Option<&'a str>,
    /// The path.
    pub path: Option<&'a str>,
    /// The content.
    pub content: Option<&'a str>,
}

impl<'a> SearchedFields<'a> {
    /// Those of an item.
    pub fn of(snapshot: &'a Snapshot) -> SearchedFields<'a> {
        let fields = &snapshot.item.fields;
        SearchedFields {
            title: fields.title.as_ref().map(Title::as_str),
            name: fields.name.as_ref().map(PromptName::as_str),
            description: fields.description.as_ref().map(Description::as_str),
            url: fields.url.as_ref().map(Url::as_str),
            path: fields.path.as_ref().map(CodePath::as_str),
            content: snapshot.content.as_deref(),
        }
    }

    /// Each text, with where it stands; those that weigh the most first.
    pub(super) fn texts(&self) -> impl Iterator<Item = (Place, &'a str)> {
        [
            (Place::Head, self.title),
            (Place::Head, self.name),
            (Place::Description, self.description),
            (Place::Address, self.url),
            (Place::Path, self.path),
            (Place::Content, self.content),
        ]
        .into_iter()
        .filter_map(|(place, text)| text.map(|text| (place, text)))
    }
}

/// The same, folded.
pub(super) struct Folded<'a> {
    item: &'a SearchedFields<'a>,
    texts: OnceCell<Vec<(Place, String)>>,
}

impl<'a> Folded<'a> {
    pub(super) fn new(item: &'a SearchedFields<'a>) -> Folded<'a> {
        Folded { item, texts: OnceCell::new() }
    }

    /// Each text as it is compared, with where it stands.
    pub(super) fn texts(&self) -> impl Iterator<Item = (Place, &str)> {
        let texts = self.texts.get_or_init(|| self.item.texts().map(|(place, text)| (place, fold(text))).collect());
        texts.iter().map(|(place, text)| (*place, text.as_str()))
    }

    /// The content as it is.
    pub(super) fn content(&self) -> Option<&'a str> {
        self.item.content
    }
}
