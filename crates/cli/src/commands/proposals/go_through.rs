//! The pending proposals, one after the other, each with a question.

use reqwest::Method;
use serde_json::{Value, json};

use super::{decide, list, shown};
use crate::api::{Api, ApiRequest};
use crate::args::ProposalsArgs;
use crate::command_error::CommandError;
use crate::commands::items::list::items;
use crate::commands::items::text;
use crate::commands::question::{Answer, Question, ask_line};
use crate::output::{print, print_to_stderr};
use crate::screen::{Screen, Style};

const QUESTION: Question = Question { text: "Accept it?", yes: "accept", no: "reject" };
const WHY: &str = "Why? The agent is told; empty is no reason: ";

/// How many proposals were decided about, and how.
#[derive(Default)]
struct Tally {
    accepted: usize,
    rejected: usize,
}

/// Asks about each, newest first. What agents propose meanwhile is left for the next time.
pub(super) async fn run(api: &Api, screen: &Screen, args: &ProposalsArgs) -> Result<(), CommandError> {
    let pending = pending(api, list::item(api, args).await?.as_deref()).await?;
    if pending.is_empty() {
        return print(&list::none(Some("pending")));
    }
    let mut tally = Tally::default();
    for (index, proposal) in pending.iter().enumerate() {
        let proposal = api.get(&["proposals", text(proposal, "id")]).await?;
        let number = screen.paint(Style::Dim, &format!("{} of {}", index + 1, pending.len()));
        screen.show(&format!("{number}\n{}\n", shown::proposal(screen, &proposal)))?;
        let decided = match QUESTION.ask(screen)? {
            Answer::Yes => accept(api, &proposal, &mut tally).await,
            Answer::No => {
                let why = ask_line(screen, WHY)?.unwrap_or_default();
                reject(api, &proposal, Some(why.as_str()).filter(|why| !why.is_empty()), &mut tally).await
            }
            Answer::Skip => print(""),
            Answer::Quit => break,
        };
        match decided {
            // It is left as it is, and the next one is asked about.
            Err(error) if error.is_refusal() => print_to_stderr(&format!("{error}\n")),
            decided => decided?,
        }
    }
    let left = pending.len() - tally.accepted - tally.rejected;
    print(&format!("{} accepted, {} rejected, {left} left.", tally.accepted, tally.rejected))?;
    api.finish().await;
    Ok(())
}

/// All that wait for a decision, of one item or of all.
async fn pending(api: &Api, item: Option<&str>) -> Result<Vec<Value>, CommandError> {
    let (mut proposals, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let request = ApiRequest::new(Method::GET, &["proposals"])?.query("state", "pending").query("limit", "100");
        let page = api.send(request.maybe_query("item", item).maybe_query("cursor", cursor)).await?;
        proposals.extend_from_slice(items(&page));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => return Ok(proposals),
        }
    }
}

async fn accept(api: &Api, proposal: &Value, tally: &mut Tally) -> Result<(), CommandError> {
    let answer = decide::accept_one(api, proposal, json!({"revision": proposal["revision"]})).await?;
    tally.accepted += 1;
    print(&format!("{}\n", decide::accepted(&answer)))
}

async fn reject(api: &Api, proposal: &Value, why: Option<&str>, tally: &mut Tally) -> Result<(), CommandError> {
    decide::reject_one(api, proposal, why).await?;
    tally.rejected += 1;
    print("Rejected.\n")
}
