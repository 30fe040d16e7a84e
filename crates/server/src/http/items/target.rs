//! The one item that a request is about, and who asks.

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use interline_items::fields::FieldError;
use interline_items::{Error, ExpectedVersion, ItemRef, Kind};

use super::collection::{Collection, KINDS};
use crate::http::app::App;
use crate::http::body;
use crate::http::condition;
use crate::http::error::ApiError;
use crate::http::identify::Caller;
use crate::http::path::{self, Id, Named};
use crate::http::query::{Query, switch, word};
use crate::wire::ItemCondition;

/// What every request to `…/{id}` or `…/name/{name}` says.
pub(super) struct Target {
    pub(super) caller: Caller,
    pub(super) which: ItemRef,
    pub(super) query: Query,
    /// The headers that make the request conditional; most requests have none.
    pub(super) conditions: HeaderMap,
}

/// Whether an answer has the content in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Echo {
    /// The content.
    Content,
    /// Its preview.
    Preview,
}

impl Echo {
    /// What the query asks for; `default` unless it says.
    pub(super) fn asked(query: &mut Query, default: Echo) -> Echo {
        match query.one("include_content", switch) {
            Some(true) => Echo::Content,
            Some(false) => Echo::Preview,
            None => default,
        }
    }
}

impl FromRequestParts<App> for Target {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &App) -> Result<Target, ApiError> {
        let caller = Caller::from_request_parts(parts, state).await?;
        let Ok(mut query) = Query::from_request_parts(parts, state).await;
        let which = if path::has_name(parts) {
            ItemRef::PromptName(Named::from_request_parts(parts, state).await?.0)
        } else {
            let id = Id::from_request_parts(parts, state).await?.item();
            ItemRef::Id(id, Collection::from_request_parts(parts, state).await?.kind())
        };
        let named = query.one("type", word(KINDS));
        let conditions = condition::headers_of(&parts.headers);
        Ok(Target { caller, which: narrowed(which, named)?, query, conditions })
    }
}

impl Target {
    /// The same item, if it is of the kind that the body names.
    pub(super) fn narrow(&mut self, kind: Option<&str>) -> Result<(), Error> {
        let named = kind_of_body(kind)?;
        self.which = narrowed(self.which.clone(), named)?;
        Ok(())
    }

    /// Whether the answer has the content in it; nothing more is asked of the query.
    pub(super) fn echo(&mut self, default: Echo) -> Result<Echo, Error> {
        let echo = Echo::asked(&mut self.query, default);
        self.query.finish()?;
        Ok(echo)
    }

    /// The version that a write expects, by `If-Match` or by its body.
    pub(super) fn expected(&self, in_body: Option<u64>) -> Result<ExpectedVersion, Error> {
        condition::expected(&self.conditions, in_body)
    }
}

/// The item that a change of state is about, and the version that it expects: by `If-Match`, or by a body that may be
/// left out.
pub(super) struct Conditional {
    pub(super) target: Target,
    pub(super) expected: ExpectedVersion,
}

impl FromRequest<App> for Conditional {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<Conditional, ApiError> {
        let (mut parts, body) = request.into_parts();
        let mut target = Target::from_request_parts(&mut parts, app).await?;
        let condition: ItemCondition = body::optional(app, &parts.headers, body).await?;
        target.narrow(condition.kind.as_deref())?;
        let expected = target.expected(condition.expected_version)?;
        Ok(Conditional { target, expected })
    }
}

/// A kind that the body names.
pub(super) fn kind_of_body(name: Option<&str>) -> Result<Option<Kind>, Error> {
    let refused = |message| Error::ValidationFailed(vec![FieldError::new("type", message)]);
    name.map(|name| word(KINDS)(name).map_err(refused)).transpose()
}

/// The item, which must be of the kind that the request names, if it does.
fn narrowed(which: ItemRef, named: Option<Kind>) -> Result<ItemRef, Error> {
    let Some(named) = named else { return Ok(which) };
    match which {
        ItemRef::Id(id, None) => Ok(ItemRef::Id(id, Some(named))),
        ItemRef::Id(_, Some(own)) if own == named => Ok(which),
        ItemRef::PromptName(_) if named == Kind::Prompt => Ok(which),
        ItemRef::Id(id, Some(_)) => Err(Error::NotFound { kind: Some(named), requested: id.to_string(), actual: None }),
        ItemRef::PromptName(name) => {
            Err(Error::NotFound { kind: Some(named), requested: name.as_str().to_owned(), actual: None })
        }
    }
}
