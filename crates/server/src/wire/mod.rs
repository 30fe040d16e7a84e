//! The types of the JSON that both doors read and write. They hold no business rule: they say which member is where, and
//! convert to and from the types of `interline-items`.

mod changes;
pub(crate) mod code;
mod conflict;
mod cursor;
mod edit_requests;
mod edit_response;
mod enrichment;
mod enumerations;
mod error;
mod event;
mod field_error;
mod history;
mod import;
mod item;
mod list;
mod object;
mod parser_words;
mod proposals;
mod requests;
mod time;
mod truncation;
mod users;
mod webhooks;

pub(crate) use changes::{
    Attributed, ChangeSetDetailsResponse, ChangeSetList, ChangeSetResponse, KeepChangeSetsRequest, KeepChangesRequest,
    KeptChangeSets, REASON, UndoChangesRequest, UndoneChangesResponse, item_ids, parse_change_set, parse_reason,
    read_change_set_cursor,
};
pub(crate) use cursor::CursorText;
pub(crate) use edit_requests::{
    DeleteContentRequest, EditRequestBody, EditsRequest, InsertRequest, PatchContentRequest, StrReplaceRequest,
    edit_request, loosest_level, require_version,
};
pub(crate) use edit_response::{EditResponse, EditWarningResponse, dry_run_flag, edit_counts};
pub(crate) use enrichment::EnrichmentResponse;
pub(crate) use enumerations::{
    ExportFormatName, HealthStatus, ImportFormat, ItemType, ProposalState as ProposalStateName,
    ReviewState as ReviewStateName, SearchField, enumeration_schema, enumeration_schemas, enumerations,
};
pub(crate) use error::{ErrorBody, fields_message};
pub(crate) use event::EventMessage;
pub(crate) use field_error::{invalid_field, json_field_error};
pub(crate) use history::{BlameResponse, HistoryList, MergedFromResponse, VersionDiffResponse};
pub(crate) use import::ImportResponse;
pub(crate) use item::{ContentMetadata, Extent, ItemResponse, collection_of, content_length, total_lines};
pub(crate) use list::{ItemList, LookedUpItems, TagCount, TagList};
pub(crate) use object::Object;
pub use parser_words::plain_parser_message;
pub(crate) use proposals::{
    AcceptProposalRequest, DecideProposalsRequest, DecidedProposalList, ProposalAcceptanceResponse,
    ProposalDetailsResponse, ProposalList, ProposalResponse, RejectProposalRequest, RejectedProposalResponse,
    proposed_change_schemas, proposed_members,
};
pub(crate) use requests::{
    CreateItemRequest, CreateTokenRequest, CreateUserRequest, ItemConditionRequest, RenameTagRequest,
    RenameTokenRequest, RenderRequest, UpdateItemRequest, on_stale, tag_changes,
};
pub(crate) use time::Time;
pub(crate) use truncation::{MAX_CHARS, Truncation};
pub(crate) use users::{
    CreatedToken, CreatedUser, Me, SpaceList, SpaceResponse, TokenList, TokenResponse, UserList, UserResponse,
};
pub(crate) use webhooks::{
    CreateWebhookRequest, CreatedWebhook, DeliveredEvent, DeliveryList, DeliveryResponse, UpdateWebhookRequest,
    WebhookList, WebhookResponse,
};
