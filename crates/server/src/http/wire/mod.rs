//! The JSON of the API. Nothing here knows a rule: these types say what stands where.

mod edited;
mod edits;
mod error;
mod history;
mod input;
mod item;
mod list;
mod object;
mod people;
mod time;

pub(super) use edited::EditedBody;
pub(super) use edits::{DeleteContent, EditBody, Edits, Insert, PatchContent, StrReplace, edit_request};
pub(super) use error::ErrorBody;
pub(super) use history::{HistoryList, VersionDiffBody};
pub(super) use input::{ArgumentBody, ItemCondition, ItemPatch, NewItem, NewToken, NewUser, RenderRequest, TagPatch};
pub(super) use item::{Extent, ItemBody, collection_of};
pub(super) use list::{CursorText, ItemList, TagCount, TagList};
pub(super) use object::Object;
pub(super) use people::{CreatedToken, CreatedUser, SpaceBody, SpaceList, TokenBody, TokenList, UserBody, UserList};
pub(super) use time::Time;
