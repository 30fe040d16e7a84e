//! The use cases: what every door calls. Each is one function that says who may, what is checked, and what is written.

mod caller;
mod code;
mod create;
mod credentials;
mod edit;
mod events;
mod examine;
mod expected;
mod find;
mod history;
mod housekeeping;
mod index;
mod input;
mod lifecycle;
mod once;
mod read;
mod render;
mod search_inside;
mod tags;
mod update;
mod users;
mod webhooks;
mod work;

use std::sync::Arc;

use interline_python::SdkName;
use jiff::Timestamp;

use crate::fields::Limits;
use crate::threads::Threads;
use crate::{Error, Store, StoreError, WebhookTargets};
use credentials::{CredentialsCache, UseMarks};
use edit::Crowd;
use events::Feed;
use once::InFlightKeys;

pub use caller::Caller;
pub use code::{
    AppChanges, AppDetails, AppDraft, AppRef, CodeFiles, CodeScope, FileRef, FoundInFiles, FoundWorkflow, LineMatch,
    OrganizationDraft, PublishedVersion, ReplaceFile, Replaced, SearchFiles, Validation, WorkflowFilter, WorkflowRef,
    WorkflowSource, Workflows,
};
pub use edit::{
    ChangedPassage, Changes, EditMode, EditRequest, EditResult, EditUnit, InsertAt, LinePatch, PassageChange,
    TextChange,
};
pub use events::{ListenFrom, ListenRequest, Listener, ReceivedEvent};
pub use expected::ExpectedVersion;
pub use find::{FindBy, FindItems, TextFilter};
pub use history::VersionDiff;
pub use housekeeping::{Upkeep, UpkeepReport};
pub use input::{ArchiveState, FieldChange, ItemChanges, ItemDraft, TagChanges};
pub use once::{IdempotentRequest, IdempotentStart, WriteOutcome};
pub use read::{ContentPart, ItemRef, LineRange, ReadContent, ReadItem};
pub use search_inside::{FieldMatch, FoundInside, QuerySyntax, SearchField, SearchInside};
pub use users::{Secret, TokenDraft, UserDraft};
pub use webhooks::{WebhookChanges, WebhookDraft, WebhookSwitch};
pub use work::{
    DELIVERY_TIME, JobPolicy, JobWorker, OutboundHttp, SUMMARY_TIME, SummaryError, SummaryRequest, SummaryResult,
};

/// How often a change is made anew when its item changed meanwhile. A round is lost only to a change that succeeded, so
/// this many changes of one item can be under way at once and none is refused.
const MAX_ROUNDS: usize = 1_000;

/// The store with its rules. Cheap to clone; every door holds one.
#[derive(Clone)]
pub struct Interline {
    store: Arc<dyn Store>,
    limits: Arc<Limits>,
    sdk: Arc<SdkName>,
    threads: Threads,
    credentials: Arc<CredentialsCache>,
    use_marks: Arc<UseMarks>,
    under_way: InFlightKeys,
    crowd: Crowd,
    feed: Arc<Feed>,
    targets: WebhookTargets,
}

impl Interline {
    /// The rules over a storage.
    pub fn new(store: Arc<dyn Store>, limits: Limits) -> Interline {
        Interline {
            store,
            limits: Arc::new(limits),
            sdk: Arc::default(),
            threads: Threads::one_per_core(),
            credentials: Arc::default(),
            use_marks: Arc::default(),
            under_way: InFlightKeys::default(),
            crowd: Crowd::default(),
            feed: Arc::default(),
            targets: WebhookTargets::default(),
        }
    }

    /// The same, with another name of the SDK that workflow decorators come from.
    #[must_use]
    pub fn with_sdk(self, sdk: SdkName) -> Interline {
        Interline { sdk: Arc::new(sdk), ..self }
    }

    /// The same, with other addresses that webhooks may have.
    #[must_use]
    pub fn with_webhook_targets(self, targets: WebhookTargets) -> Interline {
        Interline { targets, ..self }
    }

    /// How much fields may hold.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Whether the storage answers.
    pub async fn health(&self) -> Result<(), Error> {
        Ok(self.store.ping().await?)
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

/// What a commit gave; `None` if an item changed meanwhile, so that it takes another round.
fn unless_stale<T>(committed: Result<T, StoreError>) -> Result<Option<T>, Error> {
    match committed {
        Ok(done) => Ok(Some(done)),
        Err(StoreError::Stale(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The refusal after [`MAX_ROUNDS`].
fn lost_every_round() -> Error {
    Error::Unavailable("the item changed under every attempt".to_owned())
}
