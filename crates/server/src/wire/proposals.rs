//! Proposals in requests and responses: the list, one with its diff, decisions about them, and what the answer to a write tells
//! of the proposal that it was kept as.

use interline_items::{
    AcceptProposal, AcceptedPart, Author, DecidedProposal, ItemProposal, ProposalAcceptance, ProposalDecision,
    ProposalDetails, ProposalId, ProposalPage, ProposalRef, ProposalRequest, ProposalState, ProposalSummary, Reason,
    RejectedProposal,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema as _, ToSchema};
use uuid::Uuid;

use super::changes::HunkResponse;
use super::enumerations::{ChangeSource, HistoryAction, ItemField, ItemType, ProposalState as ProposalStateName};
use super::history::{ClientResponse, NamedIdResponse};
use super::{ErrorBody, ItemResponse, Time, invalid_field};

/// A page of proposals, newest first.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Proposals)]
pub(crate) struct ProposalList<'a> {
    /// The proposals.
    items: Vec<ProposalResponse<'a>>,
    /// How many are sent at the most.
    #[schema(value_type = i64, minimum = 1)]
    limit: usize,
    /// Whether there may be more.
    has_more: bool,
    /// Where the next page begins, as `cursor`; null on the last one.
    next_cursor: Option<String>,
}

impl<'a> ProposalList<'a> {
    pub(crate) fn new(page: &'a ProposalPage, limit: usize) -> ProposalList<'a> {
        ProposalList {
            items: page.proposals.iter().map(ProposalResponse::from).collect(),
            limit,
            has_more: page.next.is_some(),
            next_cursor: page.next.map(|id| id.to_string()),
        }
    }
}

/// A change of an item that waits for a person's decision, or that was decided.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Proposal)]
pub(crate) struct ProposalResponse<'a> {
    /// Its identifier.
    id: Uuid,
    /// 1 when it is made, and 1 more each time that its token changes the item again.
    #[schema(value_type = i64, minimum = 1)]
    revision: u64,
    /// What became of it.
    #[schema(value_type = ProposalStateName)]
    state: &'static str,
    /// The item that it changes, or makes.
    item: Uuid,
    /// What the item is.
    #[serde(rename = "type")]
    #[schema(value_type = ItemType)]
    kind: &'static str,
    /// The proposed title, or what else the item is known by.
    title: Option<&'a str>,
    /// The version of the item that it was made for; null if it makes the item.
    #[schema(value_type = Option<i64>, minimum = 1)]
    base_version: Option<u64>,
    /// Who made it.
    user: NamedIdResponse<'a>,
    /// The token that was used, if one was.
    token: Option<NamedIdResponse<'a>>,
    /// The program that made it, as it calls itself.
    client: ClientResponse<'a>,
    /// Whether an agent made it.
    agent: bool,
    /// The door that it came through.
    #[schema(value_type = ChangeSource)]
    source: &'static str,
    /// Why, in the words of who made it.
    reason: Option<&'a str>,
    /// When it was made.
    created_at: Time,
    /// When its last revision was made.
    updated_at: Time,
    /// When it was decided; null while it is pending.
    decided_at: Option<Time>,
    /// Who decided it; null while it is pending, and of one that was left undecided for too long.
    decided_by: Option<NamedIdResponse<'a>>,
    /// Why it was decided so, in the reviewer's words.
    decision_reason: Option<&'a str>,
}

impl<'a> From<&'a ProposalSummary> for ProposalResponse<'a> {
    fn from(proposal: &'a ProposalSummary) -> ProposalResponse<'a> {
        let ProposalSummary { user, token, decision, .. } = proposal;
        let by = decision.as_ref().and_then(|decision| decision.by.as_ref());
        let why = decision.as_ref().and_then(|ProposalDecision { reason, .. }| reason.as_ref());
        ProposalResponse {
            id: proposal.id.uuid(),
            revision: proposal.revision,
            state: proposal.state.name(),
            item: proposal.item.uuid(),
            kind: proposal.kind.name(),
            title: proposal.title.as_deref(),
            base_version: proposal.base.map(|base| base.version),
            user: NamedIdResponse::new(user, user.id.uuid()),
            token: token.as_ref().map(|token| NamedIdResponse::new(token, token.id.uuid())),
            client: ClientResponse::from(&proposal.client),
            agent: proposal.author == Author::Agent,
            source: proposal.source.name(),
            reason: proposal.reason.as_ref().map(Reason::as_str),
            created_at: Time(proposal.created_at),
            updated_at: Time(proposal.updated_at),
            decided_at: decision.as_ref().map(|decision| Time(decision.at)),
            decided_by: by.map(|by| NamedIdResponse::new(by, by.id.uuid())),
            decision_reason: why.map(Reason::as_str),
        }
    }
}

/// A proposal with what it changes.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ProposalWithDiff)]
pub(crate) struct ProposalDetailsResponse<'a> {
    #[serde(flatten)]
    about: ProposalResponse<'a>,
    /// The fields that it changes.
    #[schema(value_type = Vec<ItemField>)]
    changed_fields: &'a [&'static str],
    /// The proposed values of the fields that it changes, without the content.
    #[schema(value_type = Object)]
    fields: Map<String, Value>,
    /// What it does beside: `archive`, `delete`, …
    #[schema(value_type = Vec<HistoryAction>)]
    actions: Vec<&'static str>,
    /// The change of the content, as a unified diff; null if it leaves the content, or if history has lost the version.
    diff: Option<&'a str>,
    /// Whether the diff is too long to be whole.
    diff_truncated: bool,
    /// The hunks of the diff, all of them even where it is cut.
    hunks: Vec<HunkResponse<'a>>,
    /// The requests that made it, oldest first, at most 100.
    requests: Vec<ProposalRequestResponse<'a>>,
}

impl<'a> From<&'a ProposalDetails> for ProposalDetailsResponse<'a> {
    fn from(details: &'a ProposalDetails) -> ProposalDetailsResponse<'a> {
        let diff = details.diff.as_ref();
        ProposalDetailsResponse {
            about: ProposalResponse::from(&details.summary),
            changed_fields: &details.changed_fields,
            fields: changed_values(details),
            actions: details.actions.iter().map(|action| action.name()).collect(),
            diff: diff.map(|part| part.diff.text.as_str()),
            diff_truncated: diff.is_some_and(|part| part.diff.truncated),
            hunks: diff.map_or_else(Vec::new, |part| part.hunks.iter().map(HunkResponse::from).collect()),
            requests: details.requests.iter().map(ProposalRequestResponse::from).collect(),
        }
    }
}

/// The proposed values of the changed fields, as an item shows them.
fn changed_values(details: &ProposalDetails) -> Map<String, Value> {
    let item = serde_json::to_value(ItemResponse::without_text(&details.item)).unwrap_or_default();
    let value = |field: &str| item.get(field).map(|value| (field.to_owned(), value.clone()));
    details.changed_fields.iter().filter(|field| **field != "content").filter_map(|field| value(field)).collect()
}

/// A request that made a revision of a proposal.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ProposalRequest)]
struct ProposalRequestResponse<'a> {
    /// When.
    at: Time,
    /// What it does to the item.
    #[schema(value_type = HistoryAction)]
    action: &'static str,
    /// The fields that it changes.
    #[schema(value_type = Vec<ItemField>)]
    changed_fields: &'a [String],
    /// Why.
    reason: Option<&'a str>,
}

impl<'a> From<&'a ProposalRequest> for ProposalRequestResponse<'a> {
    fn from(request: &'a ProposalRequest) -> ProposalRequestResponse<'a> {
        ProposalRequestResponse {
            at: Time(request.at),
            action: request.action.name(),
            changed_fields: &request.changed_fields,
            reason: request.reason.as_ref().map(Reason::as_str),
        }
    }
}

/// How a proposal is accepted.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AcceptProposalRequest {
    /// The revision that the reviewer has seen.
    #[schema(value_type = i64, minimum = 1)]
    revision: u64,
    /// Only these hunks of its text, by their ids; the rest stays pending.
    #[serde(default)]
    #[schema(max_items = 10000)]
    hunks: Option<Vec<String>>,
    /// The reviewer's own text instead of the proposed one.
    #[serde(default)]
    content: Option<String>,
}

impl AcceptProposalRequest {
    pub(crate) fn into_accept(self) -> Result<AcceptProposal, interline_items::Error> {
        let AcceptProposalRequest { revision, hunks, content } = self;
        let part = match (hunks, content) {
            (None, None) => AcceptedPart::Whole,
            (Some(hunks), None) if hunks.is_empty() => return Err(invalid_field("hunks", "must have at least one")),
            (Some(hunks), None) => AcceptedPart::Hunks(hunks),
            (None, Some(text)) => AcceptedPart::Text(text),
            (Some(_), Some(_)) => return Err(invalid_field("hunks", "cannot be given beside `content`")),
        };
        Ok(AcceptProposal { revision, part })
    }
}

/// A proposal that was applied, and the item afterwards.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AcceptedProposal)]
pub(crate) struct ProposalAcceptanceResponse<'a> {
    /// The proposal: accepted, or pending with what is left of it.
    proposal: ProposalResponse<'a>,
    /// The item, without its content.
    item: ItemResponse<'a>,
}

impl<'a> From<&'a ProposalAcceptance> for ProposalAcceptanceResponse<'a> {
    fn from(accepted: &'a ProposalAcceptance) -> ProposalAcceptanceResponse<'a> {
        let ProposalAcceptance { proposal, item } = accepted;
        ProposalAcceptanceResponse {
            proposal: ProposalResponse::from(proposal),
            item: ItemResponse::without_content(item),
        }
    }
}

/// Which revision of a proposal is refused. The `reason` of the request is told to the agent.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RejectProposalRequest {
    /// Only this revision; whichever it is unless given.
    #[serde(default)]
    #[schema(value_type = Option<i64>, minimum = 1)]
    pub(crate) revision: Option<u64>,
}

/// Proposals to decide about, each by itself. The `reason` of a refusal is told to the agents.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DecideProposalsRequest {
    /// The proposals, at most 100, each at the revision that the reviewer has seen.
    #[schema(max_items = 100)]
    ids: Vec<SeenProposal>,
}

/// A revision of a proposal.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SeenProposal {
    /// The proposal.
    id: Uuid,
    /// The revision that the reviewer has seen.
    #[schema(value_type = i64, minimum = 1)]
    revision: u64,
}

impl DecideProposalsRequest {
    pub(crate) fn proposals(&self) -> Vec<ProposalRef> {
        let one = |seen: &SeenProposal| ProposalRef { id: ProposalId::from_uuid(seen.id), revision: seen.revision };
        self.ids.iter().map(one).collect()
    }
}

/// What became of several proposals, in the order of the request.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DecidedProposals)]
pub(crate) struct DecidedProposalList {
    /// Of each its `id`, and its `state` or the `error` for which it was not decided.
    #[schema(value_type = Vec<Object>)]
    items: Vec<Value>,
}

impl From<&[DecidedProposal]> for DecidedProposalList {
    fn from(decided: &[DecidedProposal]) -> DecidedProposalList {
        let one = |DecidedProposal { id, result }: &DecidedProposal| match result {
            Ok(proposal) => json!({"id": id.to_string(), "state": proposal.state.name()}),
            Err(error) => json!({"id": id.to_string(), "error": ErrorBody::from_error(error).bounded()}),
        };
        DecidedProposalList { items: decided.iter().map(one).collect() }
    }
}

/// A write that was kept as a proposal: a person has to accept it. Beside these members are those that the answer to a write that
/// is applied has.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ProposedChange)]
struct ProposedChange {
    /// Always false: nothing is stored but the proposal.
    applied: bool,
    /// The proposal.
    proposal: ProposalReference,
    /// The last proposal of the same token for the item, if it was refused; told once.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    rejected: Option<RejectedProposalResponse>,
}

/// A revision of a proposal, and its state.
#[derive(Debug, Serialize, ToSchema)]
struct ProposalReference {
    /// The proposal.
    id: Uuid,
    /// Its revision.
    #[schema(value_type = i64, minimum = 1)]
    revision: u64,
    /// What became of it.
    #[schema(value_type = ProposalStateName)]
    state: &'static str,
}

/// A proposal that was refused.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RejectedProposal)]
pub(crate) struct RejectedProposalResponse {
    /// The proposal.
    id: Uuid,
    /// Why, in the reviewer's words.
    reason: Option<String>,
    /// When.
    at: Time,
}

impl From<&RejectedProposal> for RejectedProposalResponse {
    fn from(rejected: &RejectedProposal) -> RejectedProposalResponse {
        let RejectedProposal { id, reason, at } = rejected;
        RejectedProposalResponse {
            id: id.uuid(),
            reason: reason.as_ref().map(|reason| reason.as_str().to_owned()),
            at: Time(*at),
        }
    }
}

/// The schema of an answer to a write that was kept as a proposal, with those that it refers to, by their names. Every write may
/// answer so, and none declares it.
pub(crate) fn proposed_change_schemas() -> Vec<(String, RefOr<Schema>)> {
    let mut schemas = vec![(ProposedChange::name().into_owned(), ProposedChange::schema())];
    ProposedChange::schemas(&mut schemas);
    schemas
}

/// The members that the answer to a write has because it was kept as a proposal; `None` of one that was not.
pub(crate) fn proposed_members(proposal: &ItemProposal) -> Option<Map<String, Value>> {
    let pending = proposal.pending?;
    let change = ProposedChange {
        applied: false,
        proposal: ProposalReference {
            id: pending.id.uuid(),
            revision: pending.revision,
            state: ProposalState::Pending.name(),
        },
        rejected: proposal.rejected.as_ref().map(RejectedProposalResponse::from),
    };
    match serde_json::to_value(change) {
        Ok(Value::Object(members)) => Some(members),
        Ok(_) | Err(_) => None,
    }
}
