//! `/workflows`: listing, finding and validating workflows.

#![expect(unused_qualifications, reason = "in what the macro of the description writes")]

use axum::extract::State;
use axum::http::StatusCode;
use interline_items::fields::FieldError;
use interline_items::{Error, OrganizationId, WorkflowFilter, WorkflowRef};
use utoipa::IntoParams;
use utoipa_axum::routes;
use uuid::Uuid;

use super::rules::{RouteRules, Routes};
use crate::http::extract::body::JsonBody;
use crate::http::extract::caller::AuthenticatedCaller;
use crate::http::extract::query::QueryParams;
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::code::{ValidateWorkflowRequest, ValidationResponse, WorkflowList};

/// The routes of `/workflows`. Validating writes nothing: the text comes as a body because it is long.
pub(super) fn routes() -> Routes {
    Routes::new()
        .route(routes!(list), RouteRules::read())
        .route(routes!(find), RouteRules::read())
        .route(routes!(validate), RouteRules::read())
}

/// The query parameters of [`list`], for the description.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it says what the parameters are called, and of which types they are")]
struct ListParameters {
    /// What is in their name, description or path, in whatever case.
    query: Option<String>,
    /// Their category, in whatever case.
    category: Option<String>,
    /// Whose they are, beside the global ones; unless given, the caller's, and for admins none.
    organization_id: Option<Uuid>,
}

/// The query parameters of [`find`], for the description: `workflow_name`, or `path`.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it says what the parameters are called, and of which types they are")]
struct FindParameters {
    /// The name of its function, or the name that its decorator gives it.
    workflow_name: Option<String>,
    /// The path of its file.
    path: Option<String>,
    /// The function of the file; all of them unless given.
    function: Option<String>,
    /// Whose it is; unless given, the caller's, then a global one.
    organization_id: Option<Uuid>,
}

/// List workflows
///
/// One entry for each decorated function, of the organization and global ones.
#[utoipa::path(get, path = "/workflows", tag = "workflows", operation_id = "list_workflows", params(ListParameters),
    responses((status = 200, body = WorkflowList)))]
async fn list(State(state): State<AppState>, caller: AuthenticatedCaller, mut query: QueryParams) -> HandlerResult {
    let filter = WorkflowFilter {
        query: query.one("query", text),
        category: query.one("category", text),
        organization: query.one("organization_id", organization),
    };
    query.finish()?;
    let found = state.interline.workflows(&caller.0, &filter).await?;
    response::json(StatusCode::OK, &WorkflowList::new(&found, &caller.0))
}

/// Find a workflow
///
/// Its metadata and parameters, from what was stored with its file; the code is not read.
#[utoipa::path(get, path = "/workflows/find", tag = "workflows", operation_id = "get_workflow", params(FindParameters),
    responses((status = 200, body = WorkflowList),
        (status = 404, description = "There is no such thing for the caller")))]
async fn find(State(state): State<AppState>, caller: AuthenticatedCaller, mut query: QueryParams) -> HandlerResult {
    let (name, path) = (query.one("workflow_name", text), query.one("path", text));
    let function = query.one("function", text);
    let organization = query.one("organization_id", organization);
    query.finish()?;
    let which = match (name, path) {
        (Some(name), None) if function.is_none() => WorkflowRef::Name(name),
        (None, Some(path)) => WorkflowRef::Path { path, function },
        (None, None) => {
            let error = FieldError::new("workflow_name", "one of `workflow_name` and `path` is required");
            return Err(Error::ValidationFailed(vec![error]).into());
        }
        (Some(_), _) => {
            let message = "`workflow_name` cannot be given beside `path` or `function`; leave one of them out";
            return Err(Error::InvalidParameters(message).into());
        }
    };
    let found = state.interline.workflow(&caller.0, &which, organization).await?;
    response::json(StatusCode::OK, &WorkflowList::from_found(&found, &caller.0))
}

/// Validate a workflow
///
/// Whether a text, or what is stored at a path, could be stored as a workflow, and what its functions are. Nothing is
/// written.
#[utoipa::path(post, path = "/workflows/validate", tag = "workflows", operation_id = "validate_workflow",
    request_body = ValidateWorkflowRequest, responses((status = 200, body = ValidationResponse),
        (status = 404, description = "There is no such thing for the caller")))]
async fn validate(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    JsonBody(body): JsonBody<ValidateWorkflowRequest>,
) -> HandlerResult {
    let (source, organization) = body.into_source()?;
    let validation = state.interline.validate_workflow(&caller.0, source, organization).await?;
    response::json(StatusCode::OK, &ValidationResponse::from(&validation))
}

fn text(text: &str) -> Result<String, String> {
    if text.contains('\0') { Err("must not contain NUL".to_owned()) } else { Ok(text.to_owned()) }
}

fn organization(text: &str) -> Result<OrganizationId, String> {
    Uuid::try_parse(text).map(OrganizationId::from_uuid).map_err(|_| "must be a UUID".to_owned())
}
