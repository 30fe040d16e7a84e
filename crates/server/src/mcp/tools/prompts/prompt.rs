//! The prompt that a tool works on, and the results that show one.

use interline_items::fields::{Argument, Arguments, Description, PromptName, Tag, Title};
use interline_items::{Error, Item, ItemRef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::protocol::arguments::Flag;
use crate::mcp::protocol::tool::CallContext;
use crate::wire::{Object, Time, content_length};

/// A reference to the prompt of this name; an error if that is no valid name.
pub(in crate::mcp) fn prompt_ref(call: &CallContext, name: &str) -> Result<ItemRef, Error> {
    parse_name(call, name).map(ItemRef::PromptName)
}

/// The name of a prompt; an error if it is none.
pub(super) fn parse_name(call: &CallContext, name: &str) -> Result<PromptName, Error> {
    PromptName::parse(name, call.interline.limits()).map_err(|error| Error::ValidationFailed(vec![error]))
}

// An argument of a prompt, in a call that creates or edits the prompt. (A doc comment would be sent to models, with every
// tool.)
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PromptArgumentArgs {
    name: String,
    description: Option<String>,
    required: Option<Flag>,
}

/// The arguments of a prompt as use cases take them.
pub(super) fn into_arguments(args: Vec<Object<PromptArgumentArgs>>) -> Vec<Argument> {
    let argument = |Object(PromptArgumentArgs { name, description, required })| Argument {
        name,
        description,
        required: required == Some(Flag(true)),
    };
    args.into_iter().map(argument).collect()
}

#[derive(Serialize, JsonSchema)]
pub(super) struct PromptArgumentResult {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    required: bool,
}

impl PromptArgumentResult {
    /// The arguments of a prompt.
    pub(super) fn all(item: &Item) -> Vec<PromptArgumentResult> {
        stored_arguments(item).iter().map(PromptArgumentResult::from).collect()
    }

    /// The arguments of a prompt without their descriptions.
    fn brief(item: &Item) -> Vec<PromptArgumentResult> {
        let brief = |argument| PromptArgumentResult { description: None, ..PromptArgumentResult::from(argument) };
        stored_arguments(item).iter().map(brief).collect()
    }
}

impl From<&Argument> for PromptArgumentResult {
    fn from(argument: &Argument) -> PromptArgumentResult {
        let Argument { name, description, required } = argument.clone();
        PromptArgumentResult { name, description, required }
    }
}

/// The arguments that a prompt is stored with.
pub(in crate::mcp) fn stored_arguments(item: &Item) -> &[Argument] {
    item.fields.arguments.as_ref().map_or(&[], Arguments::as_slice)
}

/// The name of a prompt.
pub(in crate::mcp) fn prompt_name(item: &Item) -> String {
    // Every prompt has one.
    item.fields.name.as_ref().map(PromptName::as_str).unwrap_or_default().to_owned()
}

/// A prompt without its template. A search leaves `created_at` out, and `arguments` and `tags` where there are none.
#[derive(Serialize, JsonSchema)]
pub(super) struct PromptResult {
    id: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<Vec<PromptArgumentResult>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tags: Option<Vec<String>>,
    version: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<Time>,
    updated_at: Time,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used_at: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    archived_at: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_at: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_length: Option<u64>,
}

impl PromptResult {
    /// A prompt of a search, without the descriptions of its arguments.
    pub(super) fn brief(item: &Item) -> PromptResult {
        let whole = PromptResult::from_item(item);
        let arguments = Some(PromptArgumentResult::brief(item)).filter(|arguments| !arguments.is_empty());
        PromptResult { arguments, tags: whole.tags.filter(|tags| !tags.is_empty()), created_at: None, ..whole }
    }

    pub(super) fn from_item(item: &Item) -> PromptResult {
        let fields = &item.fields;
        PromptResult {
            id: item.id.to_string(),
            name: prompt_name(item),
            title: fields.title.as_ref().map(Title::as_str).map(str::to_owned),
            description: fields.description.as_ref().map(Description::as_str).map(str::to_owned),
            arguments: Some(PromptArgumentResult::all(item)),
            tags: Some(fields.tags.as_slice().iter().map(Tag::as_str).map(str::to_owned).collect()),
            version: item.stamp.version,
            created_at: Some(Time(item.created_at)),
            updated_at: Time(item.updated_at),
            last_used_at: item.last_used_at.map(Time),
            archived_at: item.archived_at.map(Time),
            deleted_at: item.deleted_at.map(Time),
            prompt_length: content_length(item),
        }
    }
}
