//! The item that a request to `…/{id}` or `…/name/{name}` is about, its caller and its conditions.

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use interline_items::fields::FieldError;
use interline_items::{Error, ExpectedVersion, ItemRef, Kind, Snapshot};

use super::collection::{Collection, KINDS};
use crate::http::error::ApiError;
use crate::http::extract::caller::AuthenticatedCaller;
use crate::http::extract::path::{self, IdPath, PromptNamePath};
use crate::http::extract::query::{QueryParams, boolean, one_of};
use crate::http::extract::{body, conditions};
use crate::http::state::AppState;
use crate::wire::{ItemConditionRequest, ItemResponse};

/// What every request about one item has.
pub(in crate::http) struct ItemTarget {
    pub(in crate::http) caller: AuthenticatedCaller,
    pub(in crate::http) item: ItemRef,
    pub(in crate::http) query: QueryParams,
    /// `If-Match` and `If-None-Match`; most requests have neither.
    pub(in crate::http) conditions: HeaderMap,
}

/// Whether a response has the content of the item in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Echo {
    /// The content.
    Content,
    /// Its preview.
    Preview,
}

impl Echo {
    /// `include_content` of the query; `default` where it is not given.
    pub(in crate::http) fn from_query(query: &mut QueryParams, default: Echo) -> Echo {
        match query.one("include_content", boolean) {
            Some(true) => Echo::Content,
            Some(false) => Echo::Preview,
            None => default,
        }
    }

    /// The body for an item that was written.
    pub(in crate::http) fn item_body(self, written: &Snapshot) -> ItemResponse<'_> {
        match self {
            Echo::Content => ItemResponse::with_content(&written.item, written.content.as_deref()),
            Echo::Preview => ItemResponse::without_content(&written.item),
        }
    }
}

impl FromRequestParts<AppState> for ItemTarget {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<ItemTarget, ApiError> {
        let caller = AuthenticatedCaller::from_request_parts(parts, state).await?;
        let Ok(mut query) = QueryParams::from_request_parts(parts, state).await;
        let item = if path::has_name(parts) {
            ItemRef::PromptName(PromptNamePath::from_request_parts(parts, state).await?.0)
        } else {
            let id = IdPath::from_request_parts(parts, state).await?.item_id();
            ItemRef::Id(id, Collection::from_request_parts(parts, state).await?.kind())
        };
        let kind = query.one("type", one_of(KINDS));
        let conditions = conditions::conditional_headers(&parts.headers);
        Ok(ItemTarget { caller, item: with_kind(item, kind)?, query, conditions })
    }
}

impl ItemTarget {
    /// Requires the item to be of the kind that the body names, if it names one.
    pub(in crate::http) fn require_kind(&mut self, name: Option<&str>) -> Result<(), Error> {
        self.item = with_kind(self.item.clone(), parse_kind(name)?)?;
        Ok(())
    }

    /// Whether the response has the content in it. No other parameter is read after it: a query with problems is refused.
    pub(in crate::http) fn finish_with_echo(&mut self, default: Echo) -> Result<Echo, Error> {
        let echo = Echo::from_query(&mut self.query, default);
        self.query.finish()?;
        Ok(echo)
    }

    /// The version that a write expects, by `If-Match` or by its body.
    pub(in crate::http) fn expected_version(&self, in_body: Option<u64>) -> Result<ExpectedVersion, Error> {
        conditions::expected_version(&self.conditions, in_body)
    }
}

/// The item whose state a request changes, and the version that the client expects: by `If-Match`, or by a body that may
/// be left out.
pub(in crate::http) struct ConditionalTarget {
    pub(in crate::http) target: ItemTarget,
    pub(in crate::http) expected: ExpectedVersion,
}

impl FromRequest<AppState> for ConditionalTarget {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> Result<ConditionalTarget, ApiError> {
        let (mut parts, body) = request.into_parts();
        let mut target = ItemTarget::from_request_parts(&mut parts, state).await?;
        let condition: ItemConditionRequest = body::parse_optional(state, &parts, body).await?;
        target.require_kind(condition.kind.as_deref())?;
        let expected = target.expected_version(condition.expected_version)?;
        Ok(ConditionalTarget { target, expected })
    }
}

/// The kind that a body names.
pub(in crate::http) fn parse_kind(name: Option<&str>) -> Result<Option<Kind>, Error> {
    let refused = |message| Error::ValidationFailed(vec![FieldError::new("type", message)]);
    name.map(|name| one_of(KINDS)(name).map_err(refused)).transpose()
}

/// The item, which must be of the kind that the request names, if it names one.
fn with_kind(item: ItemRef, kind: Option<Kind>) -> Result<ItemRef, Error> {
    let Some(kind) = kind else { return Ok(item) };
    match item {
        ItemRef::Id(id, None) => Ok(ItemRef::Id(id, Some(kind))),
        ItemRef::Id(_, Some(own)) if own == kind => Ok(item),
        ItemRef::PromptName(_) if kind == Kind::Prompt => Ok(item),
        ItemRef::Id(id, Some(_)) => Err(Error::NotFound { kind: Some(kind), requested: id.to_string(), actual: None }),
        ItemRef::PromptName(name) => {
            Err(Error::NotFound { kind: Some(kind), requested: name.as_str().to_owned(), actual: None })
        }
    }
}
