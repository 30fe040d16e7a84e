//! The rules of a route, declared beside its handlers: whether it needs a token, whether it reads or writes, and what it does
//! with an `Idempotency-Key`. A route cannot be declared without them.
//!
//! Two rules are not declared here, because each stands in one place already. Which scope and which rank an action needs is
//! checked by the use cases, against the [`Caller`]: the MCP tools and the command line obey the same check. How long a
//! body may be is one limit for all routes, [`Settings::max_body_bytes`], which [`body::read_bounded`] holds for every body.
//!
//! [`Caller`]: interline_items::Caller
//! [`Settings::max_body_bytes`]: crate::Settings::max_body_bytes
//! [`body::read_bounded`]: crate::http::extract::body::read_bounded

use std::collections::BTreeMap;

use axum::Router;
use axum::middleware::from_fn_with_state;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};

use crate::http::middleware::authentication::{AuthenticatedRoute, authenticate};
use crate::http::state::AppState;

/// What a route declares about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) struct RouteRules {
    pub(in crate::http) authentication: Authentication,
    pub(in crate::http) access: Access,
    pub(in crate::http) idempotency: Idempotency,
}

/// Whether a route needs a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Authentication {
    Token,
    None,
}

/// Which rate limit a request counts against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Access {
    Read,
    Write,
}

/// What a route does with an `Idempotency-Key`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Idempotency {
    /// The key is ignored: the route reads.
    Ignored,
    /// The response is stored under the key, and a request that is sent again gets it.
    Stored(StoredResponse),
    /// As [`Idempotency::Stored`], but not offered in the description: sent again, the request does the same again.
    NotOffered,
    /// A request with a key is refused: the response shows a secret or is not about an item, so it is not stored.
    Refused,
}

/// The shape of a stored response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum StoredResponse {
    /// That of the routes of items and tags.
    Item,
    /// That of the routes of code.
    Code,
    /// None: the status says all.
    Empty,
}

impl RouteRules {
    /// A route that reads and needs no token.
    pub(in crate::http) const fn public() -> RouteRules {
        RouteRules { authentication: Authentication::None, ..RouteRules::read() }
    }

    /// A route that reads.
    pub(in crate::http) const fn read() -> RouteRules {
        RouteRules { authentication: Authentication::Token, access: Access::Read, idempotency: Idempotency::Ignored }
    }

    /// A route that writes and takes a key.
    pub(in crate::http) const fn write() -> RouteRules {
        RouteRules {
            authentication: Authentication::Token,
            access: Access::Write,
            idempotency: Idempotency::Stored(StoredResponse::Item),
        }
    }

    /// The same route, whose responses have the shape of the routes of code.
    pub(in crate::http) const fn with_code_responses(self) -> RouteRules {
        RouteRules { idempotency: Idempotency::Stored(StoredResponse::Code), ..self }
    }

    /// The same route, whose responses have no body.
    pub(in crate::http) const fn with_empty_responses(self) -> RouteRules {
        RouteRules { idempotency: Idempotency::Stored(StoredResponse::Empty), ..self }
    }

    /// The same route, whose description offers no key.
    pub(in crate::http) const fn with_key_not_offered(self) -> RouteRules {
        RouteRules { idempotency: Idempotency::NotOffered, ..self }
    }

    /// The same route, which refuses a key.
    pub(in crate::http) const fn without_idempotency_key(self) -> RouteRules {
        RouteRules { idempotency: Idempotency::Refused, ..self }
    }
}

/// Handlers of one path, with the rules of each of them.
struct DeclaredRoute {
    handlers: UtoipaMethodRouter<AppState>,
    rules: RouteRules,
}

/// Declared routes: the router and the description of the API are made from them.
pub(in crate::http) struct Routes(Vec<DeclaredRoute>);

impl Routes {
    pub(in crate::http) const fn new() -> Routes {
        Routes(Vec::new())
    }

    /// Adds the handlers of `routes!(…)` under rules that hold for all of them.
    pub(in crate::http) fn route(mut self, handlers: UtoipaMethodRouter<AppState>, rules: RouteRules) -> Routes {
        self.0.push(DeclaredRoute { handlers, rules });
        self
    }

    pub(in crate::http) fn merge(mut self, other: Routes) -> Routes {
        self.0.extend(other.0);
        self
    }

    /// The same routes with their paths below a prefix. (A nested router would be one more layer that every request passes.)
    pub(in crate::http) fn below(self, prefix: &str) -> Routes {
        let whole = |path: String| if path == "/" { prefix.to_owned() } else { prefix.to_owned() + &path };
        let below = |mut route: DeclaredRoute| {
            let paths = std::mem::take(&mut route.handlers.1.paths);
            route.handlers.1.paths = paths.into_iter().map(|(path, item)| (whole(path), item)).collect();
            route
        };
        Routes(self.0.into_iter().map(below).collect())
    }

    /// A router that holds requests to the rules.
    ///
    /// The authentication layer of each route knows the rules of that route: a request passes no layer more than if one
    /// layer served all routes, and looks nothing up.
    pub(in crate::http) fn into_router(self, state: &AppState) -> Router<AppState> {
        let routes = self.0.into_iter().map(|DeclaredRoute { handlers: (schemas, paths, methods), rules }| {
            let methods = match rules.authentication {
                Authentication::None => methods,
                Authentication::Token => {
                    let route = AuthenticatedRoute { state: state.clone(), rules };
                    methods.layer(from_fn_with_state(route, authenticate))
                }
            };
            (schemas, paths, methods)
        });
        routes.fold(OpenApiRouter::new(), OpenApiRouter::routes).split_for_parts().0
    }

    /// The description of the routes.
    pub(in crate::http) fn into_openapi(self) -> OpenApi {
        let handlers = self.0.into_iter().map(|route| route.handlers);
        handlers.fold(OpenApiRouter::new(), OpenApiRouter::routes).split_for_parts().1
    }

    /// The rules of every operation.
    pub(in crate::http) fn rules_by_operation(&self) -> RulesByOperation {
        let mut by_operation = BTreeMap::new();
        for DeclaredRoute { handlers: (_, paths, _), rules } in &self.0 {
            for (path, item) in &paths.paths {
                let methods =
                    [("get", &item.get), ("post", &item.post), ("patch", &item.patch), ("delete", &item.delete)];
                let declared = methods.into_iter().filter(|(_, operation)| operation.is_some());
                by_operation.extend(declared.map(|(method, _)| ((path.clone(), method.to_owned()), *rules)));
            }
        }
        by_operation
    }
}

/// Rules by path and method; the method is in lower case, as in the description.
pub(in crate::http) type RulesByOperation = BTreeMap<(String, String), RouteRules>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::openapi::openapi;
    use crate::http::routes::all;

    #[test]
    fn every_described_operation_has_rules_and_every_rule_an_operation() {
        let mut declared = all().rules_by_operation();
        let document = openapi();
        for (path, operations) in document["paths"].as_object().unwrap() {
            for (method, operation) in operations.as_object().unwrap() {
                let rules = declared.remove(&(path.clone(), method.clone()));
                let rules = rules.unwrap_or_else(|| panic!("{method} {path} has no rules"));
                let is_public = operation.get("security").is_some();
                assert_eq!(is_public, rules.authentication == Authentication::None, "{method} {path}");
            }
        }
        assert!(declared.is_empty(), "{declared:?}");
    }

    #[test]
    fn every_write_takes_a_key_or_refuses_it_and_no_read_does() {
        for ((path, method), rules) in all().rules_by_operation() {
            let is_ignored = rules.idempotency == Idempotency::Ignored;
            assert_eq!(is_ignored, rules.access == Access::Read, "{method} {path}: {rules:?}");
            assert!(method != "get" || rules.access == Access::Read, "{method} {path}: {rules:?}");
        }
    }
}
