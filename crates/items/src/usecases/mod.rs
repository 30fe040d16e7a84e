//! The use cases: what every door (REST, MCP, command line) calls.
//!
//! A use case is one method of [`Interline`]. It takes the [`Caller`], and says which scope and role the caller needs,
//! what is checked, and what is written.
//!
//! * `items`: make, read, list, search, change, archive, delete and render items; histories and tags.
//! * `edit`: edit contents, which has one path for all edits.
//! * `code`: files of code by their paths, workflows, apps.
//! * `access`: callers, tokens, users, organizations.
//! * `events`: listening to what happens.
//! * `webhooks` and `jobs`: registering webhooks, and the job queue that delivers events to them and has items summarized.
//! * `commit` and `idempotency`: how every write commits, and how a repeated request is answered.
//! * `upkeep` and `search_index`: what a server does in the background.

mod access;
mod code;
mod commit;
mod edit;
mod events;
mod health;
mod idempotency;
mod items;
mod jobs;
mod search_index;
mod upkeep;
mod webhooks;

use std::sync::Arc;

use interline_python::SdkName;
use jiff::Timestamp;

use crate::fields::Limits;
use crate::threads::Threads;
use crate::{Store, WebhookTargets};
use access::{CredentialsCache, KnownSecrets, ListenerTokens, TokenUses};
use edit::EditContention;
use events::EventFeed;
use health::HealthProbe;
use idempotency::InFlightKeys;

pub use access::{Caller, OrganizationDraft, Secret, TokenDraft, UserDraft};
pub use code::{
    AppChanges, AppDetails, AppDraft, AppRef, CodeFiles, CodeScope, FileRef, FoundInFiles, FoundWorkflow, LineMatch,
    PublishedVersion, ReplaceFile, ReplacedFile, SearchFiles, Validation, WorkflowFilter, WorkflowRef, WorkflowSource,
    Workflows,
};
pub use commit::WriteOutcome;
pub use edit::{
    ChangedPassage, Changes, EditMode, EditRequest, EditResult, EditUnit, InsertAt, LinePatch, PassageChange,
    TextChange,
};
pub use events::{ListenFrom, ListenRequest, Listener, ReceivedEvent};
pub use idempotency::{IdempotentRequest, IdempotentStart};
pub use items::{
    ArchiveState, ContentPart, ExpectedVersion, FieldChange, FieldMatch, FindBy, FindItems, FoundInside, ItemChanges,
    ItemDraft, ItemRef, LineRange, QuerySyntax, ReadContent, ReadItem, SearchField, SearchInside, TagChanges,
    TextFilter, VersionDiff,
};
pub use jobs::{
    DELIVERY_TIME, JobPolicy, JobWorker, Outbound, SUMMARY_TIME, SummaryError, SummaryRequest, SummaryResult,
};
pub use upkeep::{Upkeep, UpkeepReport};
pub use webhooks::{WebhookChanges, WebhookDraft, WebhookSwitch};

/// The use cases over a storage. Cheap to clone; every door holds one.
#[derive(Clone)]
pub struct Interline {
    store: Arc<dyn Store>,
    limits: Arc<Limits>,
    sdk: Arc<SdkName>,
    threads: Threads,
    credentials: Arc<CredentialsCache>,
    token_uses: Arc<TokenUses>,
    listener_tokens: Arc<ListenerTokens>,
    known_secrets: Arc<KnownSecrets>,
    in_flight_keys: InFlightKeys,
    contention: EditContention,
    feed: Arc<EventFeed>,
    health: Arc<HealthProbe>,
    webhook_targets: WebhookTargets,
}

impl Interline {
    /// The use cases over a storage, with the default SDK name and webhooks to public addresses only.
    pub fn new(store: Arc<dyn Store>, limits: Limits) -> Interline {
        Interline {
            store,
            limits: Arc::new(limits),
            sdk: Arc::default(),
            threads: Threads::one_per_core(),
            credentials: Arc::default(),
            token_uses: Arc::default(),
            listener_tokens: Arc::default(),
            known_secrets: Arc::default(),
            in_flight_keys: InFlightKeys::default(),
            contention: EditContention::default(),
            feed: Arc::default(),
            health: Arc::default(),
            webhook_targets: WebhookTargets::default(),
        }
    }

    /// The same, with another name of the SDK that workflow decorators come from.
    #[must_use]
    pub fn with_sdk(self, sdk: SdkName) -> Interline {
        Interline { sdk: Arc::new(sdk), ..self }
    }

    /// The same, with another rule about the addresses that webhooks may have.
    #[must_use]
    pub fn with_webhook_targets(self, webhook_targets: WebhookTargets) -> Interline {
        Interline { webhook_targets, ..self }
    }

    /// The largest values of fields.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }
}

/// The time of a change: to the microsecond, as it is stored and shown.
fn now() -> Timestamp {
    to_microseconds(Timestamp::now())
}

/// A time to the microsecond.
fn to_microseconds(time: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(time.as_microsecond()).unwrap_or(time)
}
