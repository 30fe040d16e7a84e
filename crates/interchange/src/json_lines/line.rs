//! The lines of JSON Lines as serde reads and writes them. Unknown keys are refused.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{SourceArgument, SourceFields};

/// The version of the format that is written, and the only one that is read.
pub(super) const VERSION: u64 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HeaderLine<'a> {
    pub(super) interline: Cow<'a, str>,
    pub(super) version: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Line<'a> {
    Record(Box<RecordLine<'a>>),
    Item(Box<ItemLine<'a>>),
    End(EndLine),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EndLine {
    pub(super) items: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordLine<'a> {
    pub(super) id: Cow<'a, str>,
    pub(super) version: Option<u64>,
    pub(super) action: Cow<'a, str>,
    #[serde(default)]
    pub(super) changed_fields: Vec<Cow<'a, str>>,
    pub(super) at: Option<Cow<'a, str>>,
    pub(super) source: Option<Cow<'a, str>>,
    pub(super) user: Option<Cow<'a, str>>,
    pub(super) token: Option<Cow<'a, str>>,
    pub(super) fields: Option<FieldsValue<'a>>,
    pub(super) content: Option<Cow<'a, str>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ItemLine<'a> {
    pub(super) id: Cow<'a, str>,
    pub(super) kind: Cow<'a, str>,
    pub(super) version: Option<u64>,
    pub(super) fields: FieldsValue<'a>,
    pub(super) content: Option<Cow<'a, str>>,
    pub(super) created_at: Option<Cow<'a, str>>,
    pub(super) updated_at: Option<Cow<'a, str>>,
    pub(super) last_used_at: Option<Cow<'a, str>>,
    pub(super) archived_at: Option<Cow<'a, str>>,
    pub(super) deleted_at: Option<Cow<'a, str>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FieldsValue<'a> {
    title: Option<Cow<'a, str>>,
    description: Option<Cow<'a, str>>,
    #[serde(default)]
    tags: Vec<Cow<'a, str>>,
    url: Option<Cow<'a, str>>,
    name: Option<Cow<'a, str>>,
    arguments: Option<Vec<ArgumentValue<'a>>>,
    front_matter: Option<Cow<'a, str>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ArgumentValue<'a> {
    name: Cow<'a, str>,
    description: Option<Cow<'a, str>>,
    #[serde(default)]
    required: bool,
}

/// The canonical spelling of an id.
pub(super) fn id_text(id: Uuid) -> Cow<'static, str> {
    Cow::Owned(id.hyphenated().to_string())
}

impl<'a> FieldsValue<'a> {
    pub(super) fn from_fields(fields: &'a SourceFields) -> FieldsValue<'a> {
        let borrowed = |text: &'a Option<String>| text.as_deref().map(Cow::Borrowed);
        let arguments = fields.arguments.as_ref().map(|arguments| {
            let value = |argument: &'a SourceArgument| ArgumentValue {
                name: Cow::Borrowed(&argument.name),
                description: borrowed(&argument.description),
                required: argument.required,
            };
            arguments.iter().map(value).collect()
        });
        FieldsValue {
            title: borrowed(&fields.title),
            description: borrowed(&fields.description),
            tags: fields.tags.iter().map(|tag| Cow::Borrowed(tag.as_str())).collect(),
            url: borrowed(&fields.url),
            name: borrowed(&fields.name),
            arguments,
            front_matter: borrowed(&fields.front_matter),
        }
    }

    pub(super) fn into_fields(self) -> SourceFields {
        let owned = |text: Option<Cow<'a, str>>| text.map(Cow::into_owned);
        let arguments = self.arguments.map(|arguments| {
            let argument = |value: ArgumentValue<'a>| SourceArgument {
                name: value.name.into_owned(),
                description: owned(value.description),
                required: value.required,
            };
            arguments.into_iter().map(argument).collect()
        });
        SourceFields {
            title: owned(self.title),
            description: owned(self.description),
            tags: self.tags.into_iter().map(Cow::into_owned).collect(),
            url: owned(self.url),
            name: owned(self.name),
            arguments,
            front_matter: owned(self.front_matter),
        }
    }
}
