//! The model of the store, and its use cases: items, kinds and their rules, users, tokens and spaces, histories, events,
//! webhooks and jobs.
//!
//! * [`Interline`] has the use cases that every door (REST, MCP, command line) calls: one method each, with the [`Caller`]
//!   as its first argument. [`Error`] is the error of all of them: a stable code, data, a message and a suggestion.
//! * An [`Item`] has [`Fields`], figures of its content ([`ContentInfo`]) and a [`Stamp`], which changes with every change. Its
//!   [`Kind`] is a row of [`Rules`] that say which fields it has and what its content must be.
//! * [`fields`] has the parsed types of fields: an invalid title, tag or url cannot exist.
//! * [`fair`] shares threads, reads and searches fairly between users.
//! * [`search`] has the requests and pages of searches over many items, and the steps of their index.
//! * The [`Store`] trait is what the use cases need of a storage; [`JobStore`] is its part for jobs and webhooks. Writes reach
//!   the storage as values: a [`Batch`] of [`ItemWrite`]s is one transaction.
//! * [`Outbound`] is what the use cases need of the outside: webhook endpoints and a model.
//!
//! This crate does no I/O of its own and knows no protocol: the storage, the server and the command line are given to it or
//! call it.

mod access;
mod app;
mod attribution;
mod changes;
mod check;
mod error;
mod event;
pub mod fair;
pub mod fields;
mod health;
mod history;
mod ids;
mod item;
mod jobs;
mod kind;
mod kind_mismatch;
mod list;
mod memory_budget;
mod organization;
mod proposals;
pub mod search;
mod store;
mod template;
mod threads;
mod usecases;
mod workers;
mod write;

pub use access::{
    Credentials, Membership, Rank, RemoveUser, Role, Scope, SecretHash, Space, SpaceOwner, Token, User, UserRemoval,
    Visibility,
};
pub use app::{App, AppVersion, PublishedFile};
pub use attribution::{Attribution, Author, ChangeSetRef, Client, Reason, ReviewState};
pub use changes::{
    ChangeSetFilter, ChangeSetQuery, ChangeSetSummary, ChangeStore, ChangedItem, NamedChangeSet, ReviewCounts,
};
pub use check::{CheckProblem, CheckReport};
pub use error::{
    ChangeSetError, ConflictPassage, ConflictPlace, Error, Expectation, FailedMerge, IdempotencyKeyProblem, NeedsText,
    OverloadCause, Overloaded, PassageField, PassageRole, ProposalError, Refusal, UnfitCause, quoted_names,
};
pub use event::{
    ChangeSetEvent, Event, EventAttribution, EventCursor, EventKind, EventRange, EventSubject, ItemEvent, ProposalEvent,
};
pub use health::{Outage, StoreHealth};
pub use history::{
    ContentBefore, ContentSize, ForgottenVersions, HistoryPage, HistoryQuery, HistoryRecord, ImportedFrom, MergedFrom,
    NamedId, Retention, SourceExtent, TextSource, UndoLimits, UndoPage, UndoRest, UndoStart, UndoStep, UndoStore,
    Version,
};
pub use ids::{AppId, ChangeSetId, ItemId, OrganizationId, ProposalId, SpaceId, TokenId, UserId, WebhookId};
// Types of the edit engine that requests, results and errors of edits contain.
pub use interline_edit::{
    Case, Edit, InvalidOperation, Level, LineEndings, MatchLocation, MultipleMatches, NoMatch, NoMatchCause,
    OperationProblem, SimilarPassage, StaleOperation, UnifiedDiff,
};
pub use item::{ContentInfo, Fields, Item, ItemState, PointRead, Snapshot, Stamp, content_hash};
pub use jobs::{
    Attempt, ClaimJobs, Delivery, DeliveryState, DueJobs, Enrichment, EnrichmentState, FindDueJobs, Job, JobEnd,
    JobKey, JobKind, JobMetrics, JobStore, Webhook, WebhookSecret, WebhookStop, WebhookTargets, WebhookUrl, is_public,
};
pub use kind::{CodeKind, ContentRule, Kind, Presence, Rules};
pub use kind_mismatch::KindMismatch;
pub use list::{
    Contents, Cursor, CursorKey, Filter, ListQuery, Page, PageStart, Sort, SortBy, SortOrder, TagMatch, View,
};
pub use memory_budget::{MeasureMemory, MemoryBudget, MemoryHolder, RequestMemory, WORK_FACTOR, spawn_in_request};
pub use organization::Organization;
pub use proposals::{
    ItemProposal, MAX_PENDING_PROPOSALS, OwnProposals, Proposal, ProposalDecision, ProposalFilter, ProposalNews,
    ProposalQuery, ProposalRef, ProposalRequest, ProposalState, ProposalStore, ProposalSummary, ProposalWrite,
    ProposedContent, ProposedStates, Proposer, RejectedProposal, Writes,
};
pub use store::{
    Corruption, DamageCount, FilePage, FileQuery, HashCheck, NewApp, NewToken, PlanOnNewest, Store, StoreError,
    UniqueField,
};
pub use usecases::{
    AcceptProposal, AcceptedPart, AppChanges, AppDetails, AppDraft, AppRef, ArchiveState, AttributionRequest, Blame,
    BlameRange, Caller, ChangeSetDetails, ChangeSetPage, ChangedPassage, Changes, CodeFiles, CodeScope, ContentPart,
    DELIVERY_TIME, DecidedProposal, DiffPart, EditMode, EditRequest, EditResult, EditUnit, EditWarning,
    ExpectedVersion, Export, ExportedItem, FieldChange, FieldMatch, FileRef, FindBy, FindChangeSets, FindItems,
    FindProposals, FoundByName, FoundInFiles, FoundInside, FoundWorkflow, HunkRef, IdempotentRequest, IdempotentStart,
    ImportMode, ImportReport, ImportRequest, Importer, InsertAt, Interline, ItemChange, ItemChanges, ItemDraft,
    ItemRef, JobPolicy, JobWorker, LISTENERS_PER_USER, LineMatch, LinePatch, LineRange, ListenFrom, ListenRequest,
    Listener, MatchType, MergeOffer, OnStale, OnUndoConflict, OrganizationDraft, Outbound, PassageChange,
    ProposalAcceptance, ProposalChoice, ProposalDetails, ProposalPage, PublishedVersion, QuerySyntax, ReadContent,
    ReadItem, ReceivedEvent, ReplaceFile, ReplacedFile, ReportedRecord, SHORTEST_ID_PREFIX, SUMMARY_TIME, SearchField,
    SearchFiles, SearchInside, Secret, SummaryError, SummaryRequest, SummaryResult, TagChanges, TagCountFilter,
    TextChange, TextFilter, TokenDraft, TrashState, UndoCause, UndoChangeSet, UndoConflict, UndoneChanges, Updated,
    Upkeep, UpkeepReport, UserDraft, Validation, VersionDiff, WebhookChanges, WebhookDraft, WebhookSwitch,
    WorkflowFilter, WorkflowRef, WorkflowSource, Workflows, WriteOutcome,
};
pub use workers::{count_worker_restart, supervise, worker_restarts};
pub use write::{
    AcceptedProposal, AcceptedText, Action, AnnouncedSubject, Announcement, Batch, ChangeSetNews, ContentWrite,
    Decision, IdempotencyRecord, ImportEvent, ImportOrigin, ImportedChange, ImportedSource, ItemWrite, LineCounts,
    MergedSource, Record, Source,
};
