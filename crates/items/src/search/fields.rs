//! The fields of an item that are searched.

use interline_search::SearchedFields;

use crate::Snapshot;
use crate::fields::{CodePath, Description, PromptName, Title, Url};

impl Snapshot {
    /// The texts that searches look at.
    pub fn searched_fields(&self) -> SearchedFields<'_> {
        let fields = &self.item.fields;
        SearchedFields {
            title: fields.title.as_ref().map(Title::as_str),
            name: fields.name.as_ref().map(PromptName::as_str),
            description: fields.description.as_ref().map(Description::as_str),
            url: fields.url.as_ref().map(Url::as_str),
            path: fields.path.as_ref().map(CodePath::as_str),
            content: self.content.as_deref(),
        }
    }
}
