//! The JSON types: what `--json` prints. Users, tokens and events are as in the REST API, so a remote server's responses
//! are read with the same types.

use interline_items::{
    Author, CheckProblem, CheckReport, EventSubject, Kind, OrganizationId, Rank, ReceivedEvent, Scope, Secret, Token,
    User, Writes,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A user.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct UserResponse {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) email: Option<String>,
    pub(crate) admin: bool,
    pub(crate) organization_id: Option<String>,
    pub(crate) created_at: String,
}

/// A user that was just made, with the secret of its first token.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct NewUserResponse {
    #[serde(flatten)]
    pub(crate) user: UserResponse,
    pub(crate) token: String,
}

/// All users, oldest first.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct UserListResponse {
    pub(crate) users: Vec<UserResponse>,
}

/// A token without its secret.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TokenResponse {
    pub(crate) id: String,
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) agent: bool,
    /// What becomes of its writes; servers that do not say so apply them.
    #[serde(default = "applied")]
    pub(crate) writes: String,
    pub(crate) scopes: Vec<String>,
    pub(crate) kinds: Option<Vec<String>>,
    pub(crate) spaces: Option<Vec<String>>,
    pub(crate) prefix: String,
    pub(crate) created_at: String,
    pub(crate) expires_at: Option<String>,
    pub(crate) last_used_at: Option<String>,
}

fn applied() -> String {
    Writes::Apply.name().to_owned()
}

/// A token that was just made, with its secret.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct NewTokenResponse {
    #[serde(flatten)]
    pub(crate) about: TokenResponse,
    pub(crate) token: String,
}

/// The tokens of a user, oldest first.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TokenListResponse {
    pub(crate) tokens: Vec<TokenResponse>,
}

impl From<&User> for UserResponse {
    fn from(user: &User) -> UserResponse {
        UserResponse {
            id: user.id.to_string(),
            name: user.name.clone(),
            email: user.email.clone(),
            admin: user.rank == Rank::Admin,
            organization_id: user.organization.as_ref().map(OrganizationId::to_string),
            created_at: rfc3339(user.created_at),
        }
    }
}

impl NewUserResponse {
    pub(crate) fn new(user: &User, secret: &Secret) -> NewUserResponse {
        NewUserResponse { user: user.into(), token: secret.as_str().to_owned() }
    }
}

impl From<&Token> for TokenResponse {
    fn from(token: &Token) -> TokenResponse {
        TokenResponse {
            id: token.id.to_string(),
            name: token.name.clone(),
            agent: token.author == Author::Agent,
            writes: token.writes.name().to_owned(),
            scopes: token.scopes.iter().copied().map(Scope::name).map(str::to_owned).collect(),
            kinds: token.kinds.as_ref().map(|kinds| kinds.iter().map(Kind::to_string).collect()),
            spaces: token.spaces.as_ref().map(|spaces| spaces.iter().map(ToString::to_string).collect()),
            prefix: token.prefix.clone(),
            created_at: rfc3339(token.created_at),
            expires_at: token.expires_at.map(rfc3339),
            last_used_at: token.last_used_at.map(rfc3339),
        }
    }
}

impl NewTokenResponse {
    pub(crate) fn new(token: &Token, secret: &Secret) -> NewTokenResponse {
        NewTokenResponse { about: token.into(), token: secret.as_str().to_owned() }
    }
}

/// The result of a check of the store.
#[derive(Debug, Serialize)]
pub(crate) struct CheckResponse {
    items: u64,
    versions: u64,
    stale: u64,
    /// The first problems; `total_problems` counts all.
    problems: Vec<CheckProblemResponse>,
    total_problems: u64,
}

/// A problem that a check found.
#[derive(Debug, Serialize)]
#[serde(tag = "problem", rename_all = "snake_case")]
enum CheckProblemResponse {
    Item { id: String },
    Content { id: String },
    Version { id: String, version: u64 },
    Index { id: String },
    Table { detail: String },
    Damage { detail: String },
}

impl From<&CheckReport> for CheckResponse {
    fn from(report: &CheckReport) -> CheckResponse {
        let CheckReport { items, versions, stale, problems, total_problems } = report;
        CheckResponse {
            items: *items,
            versions: *versions,
            stale: *stale,
            problems: problems.iter().map(CheckProblemResponse::from).collect(),
            total_problems: *total_problems,
        }
    }
}

impl From<&CheckProblem> for CheckProblemResponse {
    fn from(problem: &CheckProblem) -> CheckProblemResponse {
        match problem {
            CheckProblem::Item(id) => CheckProblemResponse::Item { id: id.to_string() },
            CheckProblem::Table(detail) => CheckProblemResponse::Table { detail: detail.clone() },
            CheckProblem::Content(id) => CheckProblemResponse::Content { id: id.to_string() },
            CheckProblem::Version { id, version } => {
                CheckProblemResponse::Version { id: id.to_string(), version: *version }
            }
            CheckProblem::Index(id) => CheckProblemResponse::Index { id: id.to_string() },
            CheckProblem::Damage(detail) => CheckProblemResponse::Damage { detail: detail.clone() },
        }
    }
}

/// An event, as the event socket sends it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct EventMessage {
    pub(crate) cursor: String,
    pub(crate) event: String,
    #[serde(flatten)]
    pub(crate) subject: EventSubjectMessage,
    pub(crate) source: String,
    pub(crate) at: String,
}

/// What an event is about: an item, a proposal, or else a change set.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum EventSubjectMessage {
    Item {
        #[serde(rename = "type")]
        kind: String,
        id: String,
        version: u64,
        changed_fields: Vec<String>,
    },
    Proposal {
        #[serde(rename = "type")]
        kind: String,
        id: String,
        proposal: String,
        revision: u64,
    },
    ChangeSet {
        change_set: String,
    },
}

impl From<&EventSubject> for EventSubjectMessage {
    fn from(subject: &EventSubject) -> EventSubjectMessage {
        match subject {
            EventSubject::Item(item) => EventSubjectMessage::Item {
                kind: item.kind.name().to_owned(),
                id: item.item.to_string(),
                version: item.version,
                changed_fields: item.changed_fields.clone(),
            },
            EventSubject::ChangeSet(event) => EventSubjectMessage::ChangeSet { change_set: event.set.to_string() },
            EventSubject::Proposal(event) => EventSubjectMessage::Proposal {
                kind: event.kind.name().to_owned(),
                id: event.item.to_string(),
                proposal: event.proposal.id.to_string(),
                revision: event.proposal.revision,
            },
        }
    }
}

impl EventMessage {
    pub(crate) fn from_event(received: &ReceivedEvent) -> EventMessage {
        let event = &*received.event;
        EventMessage {
            cursor: received.cursor.to_string(),
            event: match &event.subject {
                EventSubject::Item(item) => format!("item.{}", item.event_kind),
                EventSubject::ChangeSet(event) => format!("change.{}", event.news),
                EventSubject::Proposal(event) => format!("proposal.{}", event.news),
            },
            subject: EventSubjectMessage::from(&event.subject),
            source: event.source.name().to_owned(),
            at: rfc3339(event.at),
        }
    }
}

/// A time as RFC 3339, in UTC, to the microsecond.
pub(crate) fn rfc3339(time: Timestamp) -> String {
    format!("{time:.6}")
}
