//! What `--json` prints. Users and tokens are as the REST API shows them, which is what a server answers.

use interline_items::{
    CheckProblem, CheckReport, Kind, OrganizationId, Rank, ReceivedEvent, Scope, Secret, Token, User,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A user.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct UserShape {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) email: Option<String>,
    pub(crate) admin: bool,
    pub(crate) organization_id: Option<String>,
    pub(crate) created_at: String,
}

/// A user that was just made.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct NewUserShape {
    #[serde(flatten)]
    pub(crate) user: UserShape,
    pub(crate) token: String,
}

/// All users, oldest first.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct UserList {
    pub(crate) users: Vec<UserShape>,
}

/// A token without its secret.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TokenShape {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) scopes: Vec<String>,
    pub(crate) kinds: Option<Vec<String>>,
    pub(crate) spaces: Option<Vec<String>>,
    pub(crate) prefix: String,
    pub(crate) created_at: String,
    pub(crate) expires_at: Option<String>,
    pub(crate) last_used_at: Option<String>,
}

/// A token that was just made, with its secret.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct NewTokenShape {
    #[serde(flatten)]
    pub(crate) about: TokenShape,
    pub(crate) token: String,
}

/// The tokens of a user, oldest first.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TokenList {
    pub(crate) tokens: Vec<TokenShape>,
}

impl From<&User> for UserShape {
    fn from(user: &User) -> UserShape {
        UserShape {
            id: user.id.to_string(),
            name: user.name.clone(),
            email: user.email.clone(),
            admin: user.rank == Rank::Admin,
            organization_id: user.organization.as_ref().map(OrganizationId::to_string),
            created_at: time(user.created_at),
        }
    }
}

impl NewUserShape {
    pub(crate) fn of(user: &User, secret: &Secret) -> NewUserShape {
        NewUserShape { user: user.into(), token: secret.as_str().to_owned() }
    }
}

impl From<&Token> for TokenShape {
    fn from(token: &Token) -> TokenShape {
        TokenShape {
            id: token.id.to_string(),
            name: token.name.clone(),
            scopes: token.scopes.iter().copied().map(Scope::name).map(str::to_owned).collect(),
            kinds: token.kinds.as_ref().map(|kinds| kinds.iter().map(Kind::to_string).collect()),
            spaces: token.spaces.as_ref().map(|spaces| spaces.iter().map(ToString::to_string).collect()),
            prefix: token.prefix.clone(),
            created_at: time(token.created_at),
            expires_at: token.expires_at.map(time),
            last_used_at: token.last_used_at.map(time),
        }
    }
}

impl NewTokenShape {
    pub(crate) fn of(token: &Token, secret: &Secret) -> NewTokenShape {
        NewTokenShape { about: token.into(), token: secret.as_str().to_owned() }
    }
}

/// What a check of the store came to.
#[derive(Debug, Serialize)]
pub(crate) struct CheckShape {
    items: u64,
    versions: u64,
    stale: u64,
    /// The first of them.
    problems: Vec<ProblemShape>,
    total_problems: u64,
}

/// Something that does not fit together.
#[derive(Debug, Serialize)]
#[serde(tag = "problem", rename_all = "snake_case")]
enum ProblemShape {
    Content { id: String },
    Version { id: String, version: u64 },
    Index { id: String },
    Damage { detail: String },
}

impl From<&CheckReport> for CheckShape {
    fn from(report: &CheckReport) -> CheckShape {
        let CheckReport { items, versions, stale, problems, total_problems } = report;
        CheckShape {
            items: *items,
            versions: *versions,
            stale: *stale,
            problems: problems.iter().map(ProblemShape::from).collect(),
            total_problems: *total_problems,
        }
    }
}

impl From<&CheckProblem> for ProblemShape {
    fn from(problem: &CheckProblem) -> ProblemShape {
        match problem {
            CheckProblem::Content(id) => ProblemShape::Content { id: id.to_string() },
            CheckProblem::Version { id, version } => ProblemShape::Version { id: id.to_string(), version: *version },
            CheckProblem::Index(id) => ProblemShape::Index { id: id.to_string() },
            CheckProblem::Damage(detail) => ProblemShape::Damage { detail: detail.clone() },
        }
    }
}

/// Something that happened.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct EventShape {
    pub(crate) cursor: String,
    pub(crate) event: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) id: String,
    pub(crate) version: u64,
    pub(crate) changed_fields: Vec<String>,
    pub(crate) source: String,
    pub(crate) at: String,
}

impl EventShape {
    pub(crate) fn of(heard: &ReceivedEvent) -> EventShape {
        let event = &*heard.event;
        EventShape {
            cursor: heard.cursor.to_string(),
            event: format!("item.{}", event.event_kind),
            kind: event.kind.name().to_owned(),
            id: event.item.to_string(),
            version: event.version,
            changed_fields: event.changed_fields.clone(),
            source: event.source.name().to_owned(),
            at: time(event.at),
        }
    }
}

/// A time as RFC 3339, in UTC, to the microsecond.
pub(crate) fn time(time: Timestamp) -> String {
    format!("{time:.6}")
}
