//! Change sets: who did what and why, what people keep, and what they take back.

mod agents;
mod attribution;
mod keep;
mod names;
mod sets;
mod undo;
mod undo_bounds;
mod undo_model;

use interline_items::{
    Attribution, AttributionRequest, Author, Caller, ChangeSetDetails, ChangeSetFilter, ChangeSetId, ChangeSetSummary,
    Client, FindChangeSets, HistoryQuery, Item, OnUndoConflict, Reason, ReviewState, SecretHash, Source, TokenDraft,
    UndoChangeSet,
};
use uuid::Uuid;

use crate::samples::token;
use crate::world::{World, by_id};

/// An agent of the owner, with a token of its own.
pub(crate) struct Agent {
    secret: SecretHash,
}

impl Agent {
    pub(crate) async fn new(world: &World, name: &str) -> Agent {
        let draft = TokenDraft { name: name.to_owned(), author: Author::Agent, ..token() };
        let (_, secret) = world.interline.create_token(&world.owner, draft).await.unwrap();
        Agent { secret: SecretHash::from_secret(secret.as_str()) }
    }

    /// The agent as the caller of one request.
    pub(crate) async fn caller(&self, world: &World) -> Caller {
        world.interline.authenticate(self.secret, Source::Rest).await.unwrap()
    }

    /// The agent as the caller of requests whose writes belong to a change set that it names.
    pub(crate) async fn in_set(&self, world: &World, set: ChangeSetId) -> Caller {
        let caller = self.caller(world).await;
        let request = AttributionRequest { change_set: Some(set), ..AttributionRequest::default() };
        world.interline.attribute(&caller, request).await.unwrap();
        caller
    }
}

/// A name for a change set that nobody has used.
pub(crate) fn new_set() -> ChangeSetId {
    ChangeSetId::from_uuid(Uuid::from_u128(Uuid::now_v7().as_u128() ^ (0xf << 76)))
}

fn client(name: &str) -> Client {
    Client::parse(name, None).unwrap()
}

fn reason(text: &str) -> Option<Reason> {
    Reason::parse(text).unwrap()
}

/// The attribution of the newest change of an item.
async fn newest(world: &World, item: &Item) -> Attribution {
    let query = HistoryQuery { offset: 0, limit: 1 };
    let page = world.interline.history(&world.owner, &by_id(item), query).await.unwrap();
    page.records.into_iter().next().unwrap().attribution
}

async fn sets(world: &World, filter: ChangeSetFilter) -> Vec<ChangeSetSummary> {
    let find = FindChangeSets { filter, after: None, limit: 100 };
    world.interline.change_sets(&world.owner, find).await.unwrap().sets
}

async fn unreviewed(world: &World) -> Vec<ChangeSetSummary> {
    sets(world, ChangeSetFilter { state: Some(ReviewState::Unreviewed), ..ChangeSetFilter::default() }).await
}

pub(crate) async fn details(world: &World, set: ChangeSetId) -> ChangeSetDetails {
    world.interline.change_set(&world.owner, set, None).await.unwrap()
}

/// Everything that a set did, or nothing.
pub(crate) fn everything() -> UndoChangeSet {
    UndoChangeSet { items: None, hunks: None, on_conflict: OnUndoConflict::Refuse }
}
