//! The JSON of the API. Nothing here knows a rule: these types say what stands where.

pub(crate) mod code;
mod cut;
mod edited;
mod edits;
mod enrichment;
mod error;
mod event;
mod history;
mod input;
mod item;
mod list;
mod object;
mod people;
mod problem;
mod time;
mod webhooks;

pub(crate) use cut::{Cut, MAX_CHARS};
pub(crate) use edited::EditedBody;
pub(crate) use edits::{DeleteContent, EditBody, Edits, Insert, PatchContent, StrReplace, edit_request};
pub(crate) use enrichment::EnrichmentBody;
pub(crate) use error::ErrorBody;
pub(crate) use event::EventBody;
pub(crate) use history::{HistoryList, VersionDiffBody};
pub(crate) use input::{
    ArgumentBody, ItemCondition, ItemPatch, NewItem, NewToken, NewUser, RenderRequest, TagPatch, tag_changes,
};
pub(crate) use item::{Extent, ItemBody, collection_of};
pub(crate) use list::{CursorText, ItemList, TagCount, TagList};
pub(crate) use object::Object;
pub(crate) use people::{CreatedToken, CreatedUser, SpaceBody, SpaceList, TokenBody, TokenList, UserBody, UserList};
pub(crate) use problem::problem;
pub(crate) use time::Time;
pub(crate) use webhooks::{
    CreatedWebhook, DeliveredEvent, DeliveryBody, DeliveryList, NewWebhook, WebhookBody, WebhookList, WebhookPatch,
};
