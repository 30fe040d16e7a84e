//! Proposals as a table.

use reqwest::Method;
use serde_json::Value;

use crate::api::{Api, ApiRequest};
use crate::args::{ProposalStateArg, ProposalsArgs};
use crate::command_error::CommandError;
use crate::commands::changes;
use crate::commands::items::list::{items, short_ids};
use crate::commands::items::{named_item, text, title};
use crate::output::{OutputFormat, print, print_json, print_to_stderr};
use crate::screen::Screen;
use crate::table::{Column, table};

const DEFAULT_LIMIT: u64 = 50;
const HINT: &str = "hint: `interline proposals ID` shows one, `interline proposals accept ID` applies it,\n      \
                    `interline proposals reject ID` refuses it; on a terminal `interline proposals` asks about each";

pub(super) async fn run(api: &Api, screen: &Screen, args: &ProposalsArgs) -> Result<(), CommandError> {
    let state = args.state.unwrap_or(ProposalStateArg::Pending).name();
    let request = ApiRequest::new(Method::GET, &["proposals"])?
        .query("limit", args.limit.unwrap_or(DEFAULT_LIMIT).to_string())
        .maybe_query("state", state)
        .maybe_query("item", item(api, args).await?);
    let page = api.send(request).await?;
    match args.options.format() {
        OutputFormat::Json => print_json(&page),
        OutputFormat::Text if items(&page).is_empty() => print(&none(state)),
        OutputFormat::Text => {
            screen.show(&(lines(screen, items(&page)) + &changes::list::footer(screen, &page)))?;
            if args.state.is_none() {
                print_to_stderr(HINT);
            }
            Ok(())
        }
    }
}

/// The id of the item that the arguments name, if they name one.
pub(super) async fn item(api: &Api, args: &ProposalsArgs) -> Result<Option<String>, CommandError> {
    match &args.item {
        Some(name) => named_item::find(api, name, None).await.map(Some),
        None => Ok(None),
    }
}

/// That there are none in that state.
pub(super) fn none(state: Option<&str>) -> String {
    match state {
        Some(state) => format!("No {state} proposals."),
        None => "No proposals.".to_owned(),
    }
}

fn lines(screen: &Screen, proposals: &[Value]) -> String {
    const SHAPE: [Column; 6] = [
        Column::whole("ID"),
        Column::whole("WHEN"),
        Column::cut("WHO"),
        Column::whole("STATE"),
        Column::cut("ITEM"),
        Column::cut("REASON"),
    ];
    let row = |(proposal, id): (&Value, String)| {
        let who = format!("{} ({})", text(&proposal["client"], "name"), text(&proposal["user"], "name"));
        let cells = [text(proposal, "state"), title(proposal), text(proposal, "reason")].map(str::to_owned);
        [vec![id, screen.time(text(proposal, "updated_at")), who], cells.to_vec()].concat()
    };
    let ids = short_ids(screen, proposals);
    table(screen, &SHAPE, &proposals.iter().zip(ids).map(row).collect::<Vec<_>>())
}
