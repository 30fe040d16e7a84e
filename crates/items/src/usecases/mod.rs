//! The use cases: what every door (REST, MCP, command line) calls.
//!
//! A use case is one method of [`Interline`]. It takes the [`Caller`], and says which scope and role the caller needs,
//! what is checked, and what is written.
//!
//! * `items`: make, read, list, search, change, archive, delete and render items; histories and tags; merging stale contents.
//! * `edit`: edit contents, which has one path for all edits.
//! * `code`: files of code by their paths, workflows, apps.
//! * `access`: callers, tokens, users, organizations.
//! * `changes`: who did what and why, in change sets; what people decided about it, and taking it back.
//! * `proposals`: writes that wait until a person accepts them.
//! * `events`: listening to what happens.
//! * `webhooks` and `jobs`: registering webhooks, and the job queue that delivers events to them and has items summarized.
//! * `import` and `export`: what comes from other programs, and all of a space for them.
//! * `commit` and `idempotency`: how every write commits, and how a repeated request is answered.
//! * `upkeep` and `search_index`: what a server does in the background.

mod access;
mod admission;
mod changes;
mod code;
mod commit;
mod edit;
mod events;
mod export;
mod health;
mod idempotency;
mod import;
mod items;
mod jobs;
mod proposals;
mod search_index;
mod upkeep;
mod webhooks;

use std::sync::Arc;
use std::time::Duration;

use interline_python::SdkName;
use jiff::{SignedDuration, Timestamp};

use crate::fair::{FairSemaphore, WorkFor, pool_places};
use crate::fields::Limits;
use crate::threads::Threads;
use crate::{Item, Store, WebhookTargets, Writes};
use access::{CredentialsCache, KnownSecrets, ListenerTokens, TokenUses};
use changes::{IntroducedClients, OpenSets};
use edit::EditContention;
use events::{EventFeed, ListenerPlaces};
use health::HealthProbe;
use idempotency::InFlightKeys;
use items::BlameCache;

pub use access::{Caller, OrganizationDraft, Secret, TokenDraft, UserDraft};
pub use changes::{
    AttributionRequest, ChangeSetDetails, ChangeSetPage, DiffPart, FindChangeSets, HunkRef, ItemChange, OnUndoConflict,
    UndoCause, UndoChangeSet, UndoConflict, UndoneChanges,
};
pub use code::{
    AppChanges, AppDetails, AppDraft, AppRef, CodeFiles, CodeScope, FileRef, FoundInFiles, FoundWorkflow, LineMatch,
    PublishedVersion, ReplaceFile, ReplacedFile, SearchFiles, Validation, WorkflowFilter, WorkflowRef, WorkflowSource,
    Workflows,
};
pub use commit::WriteOutcome;
pub use edit::{
    ChangedPassage, Changes, EditMode, EditRequest, EditResult, EditUnit, EditWarning, InsertAt, LinePatch, MatchType,
    MergeOffer, PassageChange, TextChange,
};
pub use events::{LISTENERS_PER_USER, ListenFrom, ListenRequest, Listener, ReceivedEvent};
pub use export::{Export, ExportedItem};
pub use idempotency::{IdempotentRequest, IdempotentStart};
pub use import::{ImportMode, ImportReport, ImportRequest, Importer, ReportedRecord};
pub use items::{
    ArchiveState, Blame, BlameRange, ContentPart, ExpectedVersion, FieldChange, FieldMatch, FindBy, FindItems,
    FoundByName, FoundInside, ItemChanges, ItemDraft, ItemRef, LineRange, OnStale, QuerySyntax, ReadContent, ReadItem,
    SHORTEST_ID_PREFIX, SearchField, SearchInside, TagChanges, TagCountFilter, TextFilter, TrashState, Updated,
    VersionDiff,
};
pub use jobs::{
    DELIVERY_TIME, JobPolicy, JobWorker, Outbound, SUMMARY_TIME, SummaryError, SummaryRequest, SummaryResult,
};
pub use proposals::{
    AcceptProposal, AcceptedPart, DecidedProposal, FindProposals, ProposalAcceptance, ProposalChoice, ProposalDetails,
    ProposalPage,
};
pub use upkeep::{Upkeep, UpkeepReport};
pub use webhooks::{WebhookChanges, WebhookDraft, WebhookSwitch};

/// How many long writes may be in the queue of the storage's writer.
const LONG_WRITES: usize = 2;

/// The use cases over a storage. Cheap to clone; every door holds one.
#[derive(Clone)]
pub struct Interline {
    store: Arc<dyn Store>,
    limits: Arc<Limits>,
    sdk: Arc<SdkName>,
    threads: Threads,
    /// Reads of many rows or of a long text. Searches have places of their own: no list waits for a search.
    reads: FairSemaphore<WorkFor>,
    searches: FairSemaphore<WorkFor>,
    /// Writes of long contents. The storage's writer takes one after the other: who queues many delays everybody's.
    long_writes: FairSemaphore<WorkFor>,
    credentials: Arc<CredentialsCache>,
    token_uses: Arc<TokenUses>,
    listener_tokens: Arc<ListenerTokens>,
    known_secrets: Arc<KnownSecrets>,
    in_flight_keys: InFlightKeys,
    open_sets: Arc<OpenSets>,
    introduced_clients: Arc<IntroducedClients>,
    blames: Arc<BlameCache>,
    contention: EditContention,
    feed: Arc<EventFeed>,
    health: Arc<HealthProbe>,
    webhook_targets: WebhookTargets,
    /// What becomes of the writes of agents that show no token.
    local_agent_writes: Writes,
    /// The listeners of each user. All of them together are bounded by the connections that they listen on.
    listeners: ListenerPlaces,
}

impl Interline {
    /// The use cases over a storage, with the default SDK name and webhooks to public addresses only.
    pub fn new(store: Arc<dyn Store>, limits: Limits) -> Interline {
        let places = pool_places().min(store.long_read_places());
        Interline {
            store,
            limits: Arc::new(limits),
            sdk: Arc::default(),
            threads: Threads::new(),
            reads: FairSemaphore::halved(places),
            searches: FairSemaphore::halved(places),
            long_writes: FairSemaphore::halved(LONG_WRITES),
            credentials: Arc::default(),
            token_uses: Arc::default(),
            listener_tokens: Arc::default(),
            known_secrets: Arc::default(),
            in_flight_keys: InFlightKeys::default(),
            open_sets: Arc::default(),
            introduced_clients: Arc::default(),
            blames: Arc::default(),
            contention: EditContention::default(),
            feed: Arc::default(),
            health: Arc::default(),
            webhook_targets: WebhookTargets::default(),
            local_agent_writes: Writes::Apply,
            listeners: ListenerPlaces::default(),
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

    /// The same, where the writes of agents that show no token are applied, or kept as proposals.
    #[must_use]
    pub fn with_local_agent_writes(self, local_agent_writes: Writes) -> Interline {
        Interline { local_agent_writes, ..self }
    }

    /// The same, with another number of listeners that one user may have at a time.
    #[must_use]
    pub fn with_listeners_per_user(self, listeners: usize) -> Interline {
        Interline { listeners: ListenerPlaces::new(listeners), ..self }
    }

    /// The same, where a change set of a client ends with a pause of another length.
    #[must_use]
    pub fn with_change_set_pause(self, pause: Duration) -> Interline {
        Interline { open_sets: Arc::new(OpenSets::new(pause)), ..self }
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

/// The time of the next change of an item: now, or where the clock was turned back, right after the item's last change, so that
/// its times have the order of its changes.
fn time_after(before: &Item) -> Timestamp {
    let last = [Some(before.updated_at), before.archived_at, before.deleted_at].into_iter().flatten().max();
    let next = last.and_then(|last| last.checked_add(SignedDuration::from_micros(1)).ok());
    next.map_or_else(now, |next| now().max(next))
}

/// A time to the microsecond.
fn to_microseconds(time: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(time.as_microsecond()).unwrap_or(time)
}
