//! Items to write.

use std::sync::Arc;

use interline_items::fields::{Arguments, CodePath, Description, Limits, PromptName, Tags, Title, Url};
use interline_items::{CodeKind, ContentInfo, Fields, Item, ItemId, Kind, Snapshot, Space, Stamp};
use jiff::Timestamp;

/// So many seconds after a moment that does not fall on a whole millisecond.
pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_microsecond(1_767_225_600_123_457 + seconds * 1_000_000).unwrap()
}

/// A note with a title and nothing else.
pub(crate) fn note(space: &Space, title: &str) -> Snapshot {
    let fields = Fields { title: Some(self::title(title)), ..Fields::default() };
    new(space, Kind::Note, fields)
}

/// A bookmark with an address and nothing else.
pub(crate) fn bookmark(space: &Space, url: &str) -> Snapshot {
    let fields = Fields { url: Some(self::url(url)), ..Fields::default() };
    new(space, Kind::Bookmark, fields)
}

/// A prompt with a name, a template and no arguments.
pub(crate) fn prompt(space: &Space, name: &str) -> Snapshot {
    let arguments = Some(Arguments::from_stored(Vec::new()));
    let fields = Fields { name: Some(self::name(name)), arguments, ..Fields::default() };
    new(space, Kind::Prompt, fields).with_content("Say hello.")
}

/// A file of code, at version 1.
pub(crate) fn file(space: &Space, kind: CodeKind, path: &str, text: &str) -> Snapshot {
    let fields = Fields { path: Some(self::path(path)), ..Fields::default() };
    new(space, kind.kind(), fields).with_content(text)
}

fn new(space: &Space, kind: Kind, fields: Fields) -> Snapshot {
    let item = Item {
        id: ItemId::generate(),
        kind,
        space: space.id,
        fields,
        content: None,
        functions: None,
        stamp: Stamp { version: 1, revision: 0 },
        created_at: at(0),
        updated_at: at(0),
        last_used_at: None,
        archived_at: None,
        deleted_at: None,
    };
    Snapshot { item, content: None }
}

pub(crate) fn title(text: &str) -> Title {
    Title::from_stored(text.to_owned())
}

pub(crate) fn description(text: &str) -> Description {
    Description::from_stored(text.to_owned())
}

pub(crate) fn url(text: &str) -> Url {
    Url::from_stored(text.to_owned())
}

pub(crate) fn name(text: &str) -> PromptName {
    PromptName::from_stored(text.to_owned())
}

pub(crate) fn path(text: &str) -> CodePath {
    CodePath::from_stored(text.to_owned())
}

pub(crate) fn tags(words: &[&str]) -> Tags {
    Tags::parse(words, &Limits::default()).unwrap()
}

/// Ways to say more about a sample.
pub(crate) trait Sample {
    #[must_use]
    fn with_content(self, text: &str) -> Self;
    #[must_use]
    fn with_tags(self, words: &[&str]) -> Self;
    #[must_use]
    fn made_at(self, time: Timestamp) -> Self;
}

impl Sample for Snapshot {
    fn with_content(mut self, text: &str) -> Snapshot {
        self.content = Some(Arc::from(text));
        self.item.content = Some(ContentInfo::from_text(text));
        self
    }

    fn with_tags(mut self, words: &[&str]) -> Snapshot {
        self.item.fields.tags = tags(words);
        self
    }

    fn made_at(mut self, time: Timestamp) -> Snapshot {
        self.item.created_at = time;
        self.item.updated_at = time;
        self
    }
}
