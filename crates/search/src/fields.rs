//! The fields of an item that are searched, and the weights of a match in each of them.

use std::cell::OnceCell;

use interline_edit::SearchInterrupted;

use crate::fold::fold_while;
use crate::index_terms::Payload;

/// The field of an item that a text is in. A match in the title weighs more than in all others together, one in the
/// description more than in those after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldKind {
    /// Title or name.
    Title,
    /// Description.
    Description,
    /// Web address.
    Url,
    /// Path.
    Path,
    /// Content.
    Content,
}

impl FieldKind {
    /// Its bit in a set of fields; fields that weigh the same share one.
    pub(crate) const fn bit(self) -> Payload {
        match self {
            FieldKind::Title => 4,
            FieldKind::Description => 2,
            FieldKind::Url | FieldKind::Path | FieldKind::Content => 1,
        }
    }

    /// The weight of a word that stands so many times in the field.
    pub(crate) fn weight_of_word(self, count: u32) -> Payload {
        match self {
            FieldKind::Title => 64,
            FieldKind::Description => 24,
            FieldKind::Url | FieldKind::Path => 4,
            FieldKind::Content => match count {
                0..=1 => 4,
                2..=3 => 6,
                4..=7 => 8,
                8.. => 10,
            },
        }
    }
}

/// The weight of a text that stands in this set of fields; `None` for the empty set.
pub(crate) fn weight_of_text(fields: Payload) -> Option<u32> {
    let weights = [(FieldKind::Title, 32), (FieldKind::Description, 12), (FieldKind::Content, 2)];
    let weight = weights.into_iter().filter(|(field, _)| fields & field.bit() != 0).map(|(_, weight)| weight).sum();
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
    /// Each text with its field; those that weigh the most first.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (FieldKind, &'a str)> {
        [
            (FieldKind::Title, self.title),
            (FieldKind::Title, self.name),
            (FieldKind::Description, self.description),
            (FieldKind::Url, self.url),
            (FieldKind::Path, self.path),
            (FieldKind::Content, self.content),
        ]
        .into_iter()
        .filter_map(|(field, text)| text.map(|text| (field, text)))
    }
}

/// The searched fields of an item with folded texts; they are folded when they are first asked for.
pub(crate) struct FoldedFields<'a> {
    item: &'a SearchedFields<'a>,
    texts: OnceCell<Vec<(FieldKind, String)>>,
}

impl<'a> FoldedFields<'a> {
    pub(crate) fn new(item: &'a SearchedFields<'a>) -> FoldedFields<'a> {
        FoldedFields { item, texts: OnceCell::new() }
    }

    /// Each folded text with its field; `keep_going` is asked now and then while they are folded.
    pub(crate) fn texts(
        &self,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<&[(FieldKind, String)], SearchInterrupted> {
        if let Some(texts) = self.texts.get() {
            return Ok(texts);
        }
        let texts = self.item.texts().map(|(field, text)| Ok((field, fold_while(text, keep_going)?)));
        let texts = texts.collect::<Result<Vec<_>, SearchInterrupted>>()?;
        Ok(self.texts.get_or_init(|| texts))
    }

    /// The content, not folded.
    pub(crate) fn content(&self) -> Option<&'a str> {
        self.item.content
    }
}
