//! `update_item_metadata`

use interline_items::{Changed, Error, ExpectedVersion, ItemChanges, Kind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::item::{ItemTold, which};
use crate::mcp::arguments::{ContentKind, Id, invalid};
use crate::mcp::tool::{About, Call, Effect, Tool};
use crate::wire::tag_changes;

pub(super) fn tool() -> Tool {
    let about = About {
        name: "update_item_metadata",
        title: "Update metadata",
        description: "Change title, description, tags, url (bookmarks) or archived; what is left out stays. To add or \
            remove single tags use add_tags/remove_tags: tags replaces the whole list. The content is not touched: \
            edit_content.",
        effect: Effect::Settles,
    };
    Tool::new(about, update_item_metadata)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    id: Id,
    #[serde(rename = "type")]
    kind: Option<ContentKind>,
    title: Option<String>,
    description: Option<String>,
    tags: Option<Vec<String>>,
    add_tags: Option<Vec<String>>,
    remove_tags: Option<Vec<String>>,
    url: Option<String>,
    archived: Option<bool>,
    /// Fields to empty
    clear: Option<Vec<Clearable>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Clearable {
    Title,
    Description,
    Tags,
}

#[derive(Serialize, JsonSchema)]
struct UpdateTold {
    #[serde(flatten)]
    item: ItemTold,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<&'static str>,
}

async fn update_item_metadata(call: Call, mut arguments: Arguments) -> Result<UpdateTold, Error> {
    if arguments.is_empty() {
        let message = "at least one of title, description, tags, add_tags, remove_tags, url, archived and clear is \
                       required";
        return Err(invalid("title", message));
    }
    let (which, kind) = which(&call, arguments.id, arguments.kind).await?;
    let mut warnings = Vec::new();
    if kind != Kind::Bookmark && arguments.url.take().is_some() {
        warnings.push("url was ignored: only bookmarks have one");
    }
    let archived = arguments.archived;
    let after = call.interline.update(&call.caller, &which, ExpectedVersion::Any, arguments.changes()?).await?;
    let item = match archived {
        None => after.item,
        Some(true) => call.interline.archive(&call.caller, &which, ExpectedVersion::Any).await?,
        Some(false) => call.interline.unarchive(&call.caller, &which, ExpectedVersion::Any).await?,
    };
    Ok(UpdateTold { item: ItemTold::of(&item), warnings })
}

impl Arguments {
    fn is_empty(&self) -> bool {
        let Arguments { id: _, kind: _, title, description, tags, add_tags, remove_tags, url, archived, clear } = self;
        let texts = [title, description, url];
        let lists = [tags, add_tags, remove_tags];
        texts.iter().all(|text| text.is_none())
            && lists.iter().all(|list| list.is_none())
            && archived.is_none()
            && clear.as_ref().is_none_or(Vec::is_empty)
    }

    fn changes(self) -> Result<ItemChanges, Error> {
        let clear = self.clear.unwrap_or_default();
        let tags = match clear.contains(&Clearable::Tags) {
            true if self.tags.is_some() => return Err(both("tags")),
            true => Some(Vec::new()),
            false => self.tags,
        };
        Ok(ItemChanges {
            title: changed("title", self.title, clear.contains(&Clearable::Title))?,
            description: changed("description", self.description, clear.contains(&Clearable::Description))?,
            tags: tag_changes(tags, self.add_tags, self.remove_tags)?,
            url: self.url.map_or(Changed::Keep, Changed::Set),
            ..ItemChanges::default()
        })
    }
}

fn changed(field: &str, given: Option<String>, is_cleared: bool) -> Result<Changed<String>, Error> {
    match (given, is_cleared) {
        (None, false) => Ok(Changed::Keep),
        (None, true) => Ok(Changed::Clear),
        (Some(value), false) => Ok(Changed::Set(value)),
        (Some(_), true) => Err(both(field)),
    }
}

fn both(field: &str) -> Error {
    invalid(field, "cannot be given and cleared at once")
}
