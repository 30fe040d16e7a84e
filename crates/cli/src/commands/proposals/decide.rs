//! Decisions about proposals: accept, reject, withdraw. Each is about the revision that was read.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::{PROPOSALS, read};
use crate::api::{Api, ApiRequest};
use crate::args::{AcceptArgs, RejectArgs, StoreCommandArgs, WithdrawArgs};
use crate::command_error::CommandError;
use crate::commands::changes::conflicts;
use crate::commands::items::list::items;
use crate::commands::items::{text, title};
use crate::environment::Environment;
use crate::input;
use crate::local::IfMissing;
use crate::output::{OutputFormat, print, print_json, print_to_stderr, printable};

pub(super) async fn accept(args: &AcceptArgs, environment: &Environment) -> Result<(), CommandError> {
    let is_part = !args.hunks.is_empty() || args.content.is_some() || args.revision.is_some();
    if is_part && args.proposals.len() > 1 {
        return Err(CommandError::usage("--hunk, --content and --revision are about one proposal").hint("name one"));
    }
    let content = args.content.as_deref().map(input::file_or_stdin).transpose()?;
    let api = Api::open(&args.options.address, environment, IfMissing::Refuse).await?;
    let proposals = read_all(&api, &args.proposals).await?;
    let [proposal] = proposals.as_slice() else {
        return several(&api, &args.options, "accept", None, &proposals).await;
    };
    let mut body = json!({"revision": args.revision.map_or_else(|| proposal["revision"].clone(), Value::from)});
    if !args.hunks.is_empty() {
        body["hunks"] = args.hunks.clone().into();
    }
    if let Some(content) = content {
        body["content"] = content.into();
    }
    let answer = accept_one(&api, proposal, body).await?;
    match args.options.format() {
        OutputFormat::Json => print_json(&answer)?,
        OutputFormat::Text => print(&accepted(&answer))?,
    }
    api.finish().await;
    Ok(())
}

/// Accepts what `body` asks for of a proposal. A refusal says where others are in the way.
pub(super) async fn accept_one(api: &Api, proposal: &Value, body: Value) -> Result<Value, CommandError> {
    let id = text(proposal, "id");
    let request = ApiRequest::new(Method::POST, &["proposals", id, "accept"])?.body(body);
    let answer = api.send(request).await.map_err(|error| explained(error, id))?;
    api.last.set(text(&answer["item"], "id"));
    Ok(answer)
}

/// What was applied, and what is left.
pub(super) fn accepted(answer: &Value) -> String {
    let (proposal, item) = (&answer["proposal"], &answer["item"]);
    let about = format!("{} {}, version {}", text(item, "type"), text(item, "id"), item["version"]);
    let done = format!("Accepted: {} ({}).", printable(title(proposal)), printable(&about));
    if text(proposal, "state") == "pending" {
        let id = printable(text(proposal, "id"));
        return format!("{done}\nThe rest stays pending: proposal {id}, revision {}.", proposal["revision"]);
    }
    done
}

pub(super) async fn reject(args: &RejectArgs, environment: &Environment) -> Result<(), CommandError> {
    let api = Api::open(&args.options.address, environment, IfMissing::Refuse).await?;
    let proposals = read_all(&api, &args.proposals).await?;
    let [proposal] = proposals.as_slice() else {
        return several(&api, &args.options, "reject", args.reason.as_deref(), &proposals).await;
    };
    let answer = reject_one(&api, proposal, args.reason.as_deref()).await?;
    report(&args.options, "Rejected", &answer)
}

/// Refuses a proposal as it was read.
pub(super) async fn reject_one(api: &Api, proposal: &Value, reason: Option<&str>) -> Result<Value, CommandError> {
    let id = text(proposal, "id");
    let mut body = json!({"revision": proposal["revision"]});
    if let Some(reason) = reason {
        body["reason"] = reason.into();
    }
    let request = ApiRequest::new(Method::POST, &["proposals", id, "reject"])?.body(body);
    api.send(request).await.map_err(|error| explained(error, id))
}

pub(super) async fn withdraw(args: &WithdrawArgs, environment: &Environment) -> Result<(), CommandError> {
    let api = Api::open(&args.options.address, environment, IfMissing::Refuse).await?;
    let id = PROPOSALS.find(&api, &args.proposal).await?;
    let answer = api.send(ApiRequest::new(Method::DELETE, &["proposals", &id])?).await?;
    report(&args.options, "Withdrew", &answer)
}

fn report(options: &StoreCommandArgs, done: &str, proposal: &Value) -> Result<(), CommandError> {
    match options.format() {
        OutputFormat::Json => print_json(proposal),
        OutputFormat::Text => print(&decided(done, proposal)),
    }
}

fn decided(done: &str, proposal: &Value) -> String {
    format!("{done} proposal {} ({}).", printable(text(proposal, "id")), printable(title(proposal)))
}

async fn read_all(api: &Api, names: &[String]) -> Result<Vec<Value>, CommandError> {
    let mut proposals = Vec::new();
    for name in names {
        proposals.push(read(api, name).await?);
    }
    Ok(proposals)
}

/// Decides about several, each by itself. Those that cannot be decided are told; the others are.
async fn several(
    api: &Api,
    options: &StoreCommandArgs,
    decision: &str,
    reason: Option<&str>,
    proposals: &[Value],
) -> Result<(), CommandError> {
    let seen = |proposal: &Value| json!({"id": proposal["id"], "revision": proposal["revision"]});
    let mut body = json!({"ids": proposals.iter().map(seen).collect::<Vec<_>>()});
    if let Some(reason) = reason {
        body["reason"] = reason.into();
    }
    let answer = api.send(ApiRequest::new(Method::POST, &["proposals", decision])?.body(body)).await?;
    let done = if decision == "accept" { "Accepted" } else { "Rejected" };
    if options.format() == OutputFormat::Json {
        print_json(&answer)?;
    }
    let mut failed = 0;
    for (result, proposal) in items(&answer).iter().zip(proposals) {
        let id = text(proposal, "id");
        match refusal(result, id) {
            Some(error) => {
                failed += 1;
                print_to_stderr(&format!("{} ({}): {error}", printable(id), printable(title(proposal))));
            }
            None if options.format() == OutputFormat::Text => print(&decided(done, proposal))?,
            None => {}
        }
    }
    api.finish().await;
    if failed == 0 {
        return Ok(());
    }
    Err(CommandError::refused(format!("{failed} of {} proposals could not be decided", proposals.len()))
        .hint("the others are; `interline proposals ID` shows one as it is now"))
}

/// Why one of several was not decided.
fn refusal(result: &Value, id: &str) -> Option<CommandError> {
    let error = result.get("error").filter(|error| !error.is_null())?;
    let body = serde_json::to_vec(error).unwrap_or_default();
    let refused = CommandError::from_response(StatusCode::CONFLICT, &body)
        .unwrap_or_else(|| CommandError::refused("the answer does not say why"));
    Some(explained(refused, id))
}

/// A refusal in the words of the command line, with the places where others changed the same.
fn explained(error: CommandError, id: &str) -> CommandError {
    let Some(answer) = error.response("conflict") else { return error };
    let places = answer["conflicts"].as_array().map_or(&[][..], Vec::as_slice);
    let lines = conflicts::places(places, ("it proposes:", "ours"));
    let has_other_revision = answer["revision"].is_u64();
    let is_stale = answer["state"] == "stale" && answer["conflicts"].is_array();
    let error = if lines.is_empty() { error } else { error.detail(lines.join("\n")) };
    match (has_other_revision, is_stale) {
        (true, _) => error.hint(format!("`interline proposals {id}` shows it as it is now")),
        (_, true) => error.hint("nothing was applied, and the proposal is stale; it can be proposed again"),
        _ => {
            error.reworded(&[("send the text as it should be as `content`", "give your own text with --content FILE")])
        }
    }
}
