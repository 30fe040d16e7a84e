//! What the store is: items, kinds and their rules, users and scopes, and the use cases that every door calls.
//!
//! * An [`Item`] is one stored thing: its [`Fields`], what is known of its content ([`ContentInfo`]) and its [`Stamp`].
//!   What it may be is a row of [`Rules`] of its [`Kind`].
//! * [`fields`] holds parsed types: an invalid title, tag or url cannot exist.
//! * [`search`] holds the pages of searches over many items, and the steps of their index.
//! * [`Interline`] holds the use cases that every door calls. An [`Error`] is why one did not do what it was asked to.
//! * The [`Store`] trait is what the use cases need of a storage. Changes reach it as values ([`ItemWrite`]).

mod access;
mod app;
mod check;
mod error;
mod event;
pub mod fields;
mod history;
mod ids;
mod item;
mod kind;
mod kind_mismatch;
mod list;
mod organization;
pub mod search;
mod store;
mod template;
mod threads;
mod usecases;
mod work;
mod write;

pub use access::{
    Credentials, Membership, Rank, RemoveUser, Role, Scope, SecretHash, Space, SpaceOwner, Token, User, UserRemoval,
};
pub use app::{App, AppVersion, PublishedFile};
pub use check::{CheckProblem, CheckReport};
pub use error::{Error, Expectation, NeedsText, PassageField, Refusal};
pub use event::{Event, EventCursor, EventKind, EventRange};
pub use history::{
    ContentSize, ForgottenVersions, HistoryPage, HistoryQuery, HistoryRecord, NamedId, Retention, Version,
};
pub use ids::{AppId, ItemId, OrganizationId, SpaceId, TokenId, UserId, WebhookId};
// What a request for an edit and its outcome say in the engine's words.
pub use interline_edit::{
    Case, Edit, InvalidOperation, Level, LineEndings, MatchLocation, MultipleMatches, NoMatch, NoMatchCause,
    OperationProblem, SimilarPassage, StaleOperation, UnifiedDiff,
};
pub use item::{ContentInfo, Fields, Item, ItemState, Snapshot, Stamp};
pub use kind::{CodeKind, ContentRule, Kind, Presence, Rules};
pub use kind_mismatch::KindMismatch;
pub use list::{
    Contents, Cursor, CursorKey, Filter, ListQuery, Page, PageStart, Sort, SortBy, SortOrder, TagMatch, View,
};
pub use organization::Organization;
pub use store::{FilePage, FileQuery, NewApp, NewToken, PlanOnNewest, Store, StoreError, UniqueField};
pub use usecases::{
    AppChanges, AppDetails, AppDraft, AppRef, ArchiveState, Caller, ChangedPassage, Changes, CodeFiles, CodeScope,
    ContentPart, DELIVERY_TIME, EditMode, EditRequest, EditResult, EditUnit, ExpectedVersion, FieldChange, FieldMatch,
    FileRef, FindBy, FindItems, FoundInFiles, FoundInside, FoundWorkflow, IdempotentRequest, IdempotentStart, InsertAt,
    Interline, ItemChanges, ItemDraft, ItemRef, JobPolicy, JobWorker, LineMatch, LinePatch, LineRange, ListenFrom,
    ListenRequest, Listener, OrganizationDraft, OutboundHttp, PassageChange, PublishedVersion, QuerySyntax,
    ReadContent, ReadItem, ReceivedEvent, ReplaceFile, Replaced, SUMMARY_TIME, SearchField, SearchFiles, SearchInside,
    Secret, SummaryError, SummaryRequest, SummaryResult, TagChanges, TextChange, TextFilter, TokenDraft, Upkeep,
    UpkeepReport, UserDraft, Validation, VersionDiff, WebhookChanges, WebhookDraft, WebhookSwitch, WorkflowFilter,
    WorkflowRef, WorkflowSource, Workflows, WriteOutcome,
};
pub use work::{
    Attempt, ClaimJobs, Delivery, DeliveryState, Enrichment, EnrichmentState, Job, JobEnd, JobKey, JobKind, JobMetrics,
    JobStore, Webhook, WebhookSecret, WebhookStop, WebhookTargets, WebhookUrl, is_public,
};
pub use write::{Action, Batch, ContentWrite, IdempotencyRecord, ItemWrite, Record, Source};
