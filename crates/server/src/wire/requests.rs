//! Request bodies about items, tags, users and tokens. A field that a type here does not have is refused.

use std::collections::BTreeMap;

use interline_items::fields::Argument;
use interline_items::{Error, FieldChange, ItemChanges, ItemDraft, TagChanges};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::enumerations::{ItemType, OnStale, TokenScope, TokenWrites};
use super::{Object, invalid_field};

/// A new item.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewItem)]
pub(crate) struct CreateItemRequest {
    /// The kind; where it is given, it must be that of the address.
    #[serde(rename = "type", default, deserialize_with = "deserialize_some")]
    #[schema(value_type = Option<ItemType>, nullable = false)]
    pub(crate) kind: Option<String>,
    /// Required for notes, and then not blank.
    #[serde(default)]
    #[schema(max_length = 500)]
    title: Option<String>,
    /// What it is about.
    #[serde(default)]
    #[schema(max_length = 4000)]
    description: Option<String>,
    /// Letters and digits, joined by single `-`, `_` or `/`; lower-cased, each kept once.
    #[serde(default)]
    #[schema(max_items = 100)]
    tags: Vec<String>,
    /// An http or https address; no other bookmark that is not deleted may have it.
    #[serde(default)]
    #[schema(pattern = "^https?://", max_length = 2048)]
    url: Option<String>,
    /// Lower-case words joined by `-`; no other prompt that is not deleted may have it.
    #[serde(default)]
    #[schema(pattern = "^[a-z0-9]+(-[a-z0-9]+)*$", max_length = 100)]
    name: Option<String>,
    /// What the template's variables are: all of them, and no others.
    #[serde(default, deserialize_with = "deserialize_some")]
    #[schema(value_type = Option<Vec<TemplateArgument>>, nullable = false)]
    arguments: Option<Vec<Object<TemplateArgument>>>,
    /// YAML, a mapping, of at most 16 KiB, which is kept beside the item as it is; an empty text is none.
    #[serde(default)]
    front_matter: Option<String>,
    /// The text, stored byte for byte; of a prompt a Jinja2 template, which is required.
    #[serde(default)]
    content: Option<String>,
}

impl CreateItemRequest {
    pub(crate) fn into_draft(self) -> ItemDraft {
        ItemDraft {
            title: self.title,
            description: self.description,
            tags: self.tags,
            url: self.url,
            name: self.name,
            arguments: self.arguments.map(into_arguments),
            path: None,
            front_matter: self.front_matter,
            content: self.content,
        }
    }
}

/// What a change of an item's state may be bound to.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ItemCondition)]
pub(crate) struct ItemConditionRequest {
    /// The kind, to be sure that no item of another is changed.
    #[serde(rename = "type", default, deserialize_with = "deserialize_some")]
    #[schema(value_type = Option<ItemType>, nullable = false)]
    pub(crate) kind: Option<String>,
    /// Only if the item is at this version; otherwise `conflict`.
    #[serde(default, deserialize_with = "deserialize_some")]
    #[schema(value_type = Option<i64>, minimum = 1, nullable = false)]
    pub(crate) expected_version: Option<u64>,
}

/// Changes of an item: what is left out stays, `null` clears.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ItemPatch)]
pub(crate) struct UpdateItemRequest {
    /// The kind, to be sure that no item of another is changed.
    #[serde(rename = "type", default, deserialize_with = "deserialize_some")]
    #[schema(value_type = Option<ItemType>, nullable = false)]
    pub(crate) kind: Option<String>,
    /// Only if the item is at this version; otherwise `conflict`.
    #[serde(default, deserialize_with = "deserialize_some")]
    #[schema(value_type = Option<i64>, minimum = 1, nullable = false)]
    pub(crate) expected_version: Option<u64>,
    #[serde(default, deserialize_with = "deserialize_some")]
    #[schema(value_type = Option<String>, max_length = 500)]
    title: Option<Option<String>>,
    #[serde(default, deserialize_with = "deserialize_some")]
    #[schema(value_type = Option<String>, max_length = 4000)]
    description: Option<Option<String>>,
    /// All tags; `[]` clears. Not together with `add_tags` or `remove_tags`.
    #[serde(default, deserialize_with = "deserialize_some")]
    #[schema(nullable = false)]
    tags: Option<Vec<String>>,
    /// Tags to add; the others stay.
    #[serde(default, deserialize_with = "deserialize_some")]
    #[schema(nullable = false)]
    add_tags: Option<Vec<String>>,
    /// Tags to remove; the others stay.
    #[serde(default, deserialize_with = "deserialize_some")]
    #[schema(nullable = false)]
    remove_tags: Option<Vec<String>>,
    #[serde(default, deserialize_with = "deserialize_some")]
    #[schema(value_type = Option<String>, pattern = "^https?://", max_length = 2048)]
    url: Option<Option<String>>,
    #[serde(default, deserialize_with = "deserialize_some")]
    #[schema(value_type = Option<String>, pattern = "^[a-z0-9]+(-[a-z0-9]+)*$", max_length = 100)]
    name: Option<Option<String>>,
    #[serde(default, deserialize_with = "deserialize_some")]
    #[schema(value_type = Option<Vec<TemplateArgument>>)]
    arguments: Option<Option<Vec<Object<TemplateArgument>>>>,
    /// Where a file of code is to stand.
    #[serde(default, deserialize_with = "deserialize_some")]
    #[schema(value_type = Option<String>, max_length = 500)]
    path: Option<Option<String>>,
    /// YAML, a mapping, of at most 16 KiB; an empty text or `null` clears it.
    #[serde(default, deserialize_with = "deserialize_some")]
    #[schema(value_type = Option<String>)]
    front_matter: Option<Option<String>>,
    /// The whole content anew.
    #[serde(default, deserialize_with = "deserialize_some")]
    #[schema(value_type = Option<String>)]
    content: Option<Option<String>>,
    /// With `content` and `expected_version` or `If-Match`: what becomes of it where the item is at another version. `refuse`
    /// unless given; with `merge`, what was changed since is kept, or `conflicts` says where both changed the same.
    #[serde(default, deserialize_with = "deserialize_some")]
    #[schema(value_type = Option<OnStale>, nullable = false)]
    pub(crate) on_stale: Option<String>,
}

/// What becomes of a content that was written for an older version, from the field `on_stale`.
pub(crate) fn on_stale(name: Option<&str>) -> Result<Option<interline_items::OnStale>, Error> {
    let parse = |name| {
        let refused = || invalid_field("on_stale", "must be one of refuse, merge");
        interline_items::OnStale::from_name(name).ok_or_else(refused)
    };
    name.map(parse).transpose()
}

impl UpdateItemRequest {
    pub(crate) fn into_changes(self) -> Result<ItemChanges, Error> {
        Ok(ItemChanges {
            title: field_change(self.title),
            description: field_change(self.description),
            tags: tag_changes(self.tags, self.add_tags, self.remove_tags)?,
            url: field_change(self.url),
            name: field_change(self.name),
            arguments: field_change(self.arguments.map(|list| list.map(into_arguments))),
            path: field_change(self.path),
            front_matter: field_change(self.front_matter),
            content: field_change(self.content),
            archive_state: None,
            trash_state: None,
        })
    }
}

/// The change of the tags: all of them anew, or some added and removed.
pub(crate) fn tag_changes(
    tags: Option<Vec<String>>,
    add: Option<Vec<String>>,
    remove: Option<Vec<String>>,
) -> Result<TagChanges, Error> {
    match (tags, add, remove) {
        (None, None, None) => Ok(TagChanges::Keep),
        (Some(tags), None, None) => Ok(TagChanges::Replace(tags)),
        (None, add, remove) => {
            Ok(TagChanges::Adjust { add: add.unwrap_or_default(), remove: remove.unwrap_or_default() })
        }
        (Some(_), _, _) => {
            let message =
                "replaces all tags and cannot be combined with add_tags or remove_tags; leave one of them out";
            Err(invalid_field("tags", message))
        }
    }
}

/// The change of a field of a request: left out it stays, `null` clears it.
pub(super) fn field_change<T>(field: Option<Option<T>>) -> FieldChange<T> {
    match field {
        None => FieldChange::Keep,
        Some(None) => FieldChange::Clear,
        Some(Some(value)) => FieldChange::Set(value),
    }
}

/// An argument of a prompt.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewArgument)]
pub(crate) struct TemplateArgument {
    /// The variable in the template: lower-case letters, digits and `_`, a letter first.
    #[schema(pattern = "^[a-z][a-z0-9_]*$", max_length = 100)]
    name: String,
    /// What it is for.
    #[serde(default)]
    description: Option<String>,
    /// Whether rendering needs a value for it.
    #[serde(default)]
    required: bool,
}

pub(super) fn into_arguments(arguments: Vec<Object<TemplateArgument>>) -> Vec<Argument> {
    let argument = |Object(TemplateArgument { name, description, required })| Argument { name, description, required };
    arguments.into_iter().map(argument).collect()
}

/// Values for the arguments of a prompt.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RenderRequest {
    /// A value for each argument, by its name.
    #[serde(default)]
    pub(crate) arguments: BTreeMap<String, Value>,
}

/// A new name for a tag.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TagPatch)]
pub(crate) struct RenameTagRequest {
    /// Items that have it already keep it once.
    pub(crate) new_name: String,
}

/// Another name for a token.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TokenPatch)]
pub(crate) struct RenameTokenRequest {
    /// What its user calls it; blanks around it are dropped.
    #[schema(min_length = 1, max_length = 200)]
    pub(crate) name: String,
}

/// A new user.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewUser)]
pub(crate) struct CreateUserRequest {
    /// What it is called in histories.
    #[schema(min_length = 1, max_length = 200)]
    pub(crate) name: String,
    /// Where to reach it.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 200)]
    pub(crate) email: Option<String>,
    /// Whether it may manage users.
    #[serde(default)]
    pub(crate) admin: bool,
    /// The organization that it belongs to.
    #[serde(default)]
    pub(crate) organization_id: Option<Uuid>,
}

/// A new token.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewToken)]
pub(crate) struct CreateTokenRequest {
    /// What its user calls it; blanks around it are dropped.
    #[schema(min_length = 1, max_length = 200)]
    pub(crate) name: String,
    /// What it allows; unless given, what the token of the request allows.
    #[serde(default)]
    #[schema(value_type = Option<Vec<TokenScope>>)]
    pub(crate) scopes: Option<Vec<String>>,
    /// The kinds that exist for it; unless given, all that exist for the token of the request.
    #[serde(default)]
    #[schema(value_type = Option<Vec<ItemType>>)]
    pub(crate) kinds: Option<Vec<String>>,
    /// The spaces that exist for it; unless given, all that exist for the token of the request.
    #[serde(default)]
    pub(crate) spaces: Option<Vec<Uuid>>,
    /// From when on it is refused, as RFC 3339.
    #[serde(default)]
    #[schema(format = DateTime)]
    pub(crate) expires_at: Option<String>,
    /// Whose it is, for admins; unless given, the caller's.
    #[serde(default)]
    pub(crate) user_id: Option<Uuid>,
    /// Whether agents use it: people review what is written with it, and there are things that it cannot do.
    #[serde(default)]
    pub(crate) agent: bool,
    /// What becomes of its writes; unless given, they are applied.
    #[serde(default, deserialize_with = "deserialize_some")]
    #[schema(value_type = Option<TokenWrites>, nullable = false)]
    pub(crate) writes: Option<String>,
}

/// Deserializes a field that is there: `null` counts as a value, which most types refuse.
pub(super) fn deserialize_some<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
