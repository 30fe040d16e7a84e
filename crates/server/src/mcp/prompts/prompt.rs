//! Which prompt a tool is about, and what it tells of one.

use interline_items::fields::{Argument, Arguments, Description, PromptName, Tag, Title};
use interline_items::{Error, Item, ItemRef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::tool::Call;
use crate::mcp::written::length;
use crate::wire::{Object, Time};

/// The prompt of a name.
pub(super) fn which(call: &Call, name: &str) -> Result<ItemRef, Error> {
    let name = PromptName::parse(name, call.interline.limits());
    name.map(ItemRef::PromptName).map_err(|error| Error::ValidationFailed(vec![error]))
}

// An argument as it is given. (A doc comment would be told to models, with every tool.)
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GivenArgument {
    name: String,
    description: Option<String>,
    required: Option<bool>,
}

/// Arguments as use cases take them.
pub(super) fn arguments(given: Vec<Object<GivenArgument>>) -> Vec<Argument> {
    let argument = |Object(GivenArgument { name, description, required })| Argument {
        name,
        description,
        required: required.unwrap_or(false),
    };
    given.into_iter().map(argument).collect()
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ArgumentTold {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    required: bool,
}

impl ArgumentTold {
    /// The arguments of a prompt.
    pub(super) fn all(item: &Item) -> Vec<ArgumentTold> {
        stored_arguments(item).iter().map(ArgumentTold::of).collect()
    }

    /// The same without what they are for.
    fn brief(item: &Item) -> Vec<ArgumentTold> {
        let brief = |argument| ArgumentTold { description: None, ..ArgumentTold::of(argument) };
        stored_arguments(item).iter().map(brief).collect()
    }

    fn of(argument: &Argument) -> ArgumentTold {
        let Argument { name, description, required } = argument.clone();
        ArgumentTold { name, description, required }
    }
}

/// The arguments that a prompt is stored with.
pub(super) fn stored_arguments(item: &Item) -> &[Argument] {
    item.fields.arguments.as_ref().map_or(&[], Arguments::as_slice)
}

/// The name of a prompt.
pub(super) fn name_of(item: &Item) -> String {
    // Every prompt has one.
    item.fields.name.as_ref().map(PromptName::as_str).unwrap_or_default().to_owned()
}

/// A prompt without its template.
#[derive(Serialize, JsonSchema)]
pub(super) struct PromptTold {
    id: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    arguments: Vec<ArgumentTold>,
    tags: Vec<String>,
    version: u64,
    #[schemars(with = "String")]
    created_at: Time,
    #[schemars(with = "String")]
    updated_at: Time,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    last_used_at: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    archived_at: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_length: Option<u64>,
}

impl PromptTold {
    /// One of many, without what its arguments are for.
    pub(super) fn brief(item: &Item) -> PromptTold {
        PromptTold { arguments: ArgumentTold::brief(item), ..PromptTold::of(item) }
    }

    pub(super) fn of(item: &Item) -> PromptTold {
        let fields = &item.fields;
        PromptTold {
            id: item.id.to_string(),
            name: name_of(item),
            title: fields.title.as_ref().map(Title::as_str).map(str::to_owned),
            description: fields.description.as_ref().map(Description::as_str).map(str::to_owned),
            arguments: ArgumentTold::all(item),
            tags: fields.tags.as_slice().iter().map(Tag::as_str).map(str::to_owned).collect(),
            version: item.stamp.version,
            created_at: Time(item.created_at),
            updated_at: Time(item.updated_at),
            last_used_at: item.last_used_at.map(Time),
            archived_at: item.archived_at.map(Time),
            prompt_length: length(item),
        }
    }
}
