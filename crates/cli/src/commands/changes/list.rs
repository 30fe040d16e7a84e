//! The command `interline changes`: a table of change sets, or one of them with its diffs.

use reqwest::Method;
use serde_json::Value;

use super::{CHANGE_SETS, item_names, line_counts, shown, state, when};
use crate::api::{Api, ApiRequest};
use crate::args::{ChangesArgs, ReviewStateArg};
use crate::command_error::CommandError;
use crate::commands::items::list::{items, short_ids};
use crate::commands::items::{named_item, text};
use crate::environment::Environment;
use crate::local::IfMissing;
use crate::output::{OutputFormat, print_json};
use crate::screen::{Screen, Style};
use crate::table::{Column, table};

pub(crate) async fn run(args: &ChangesArgs, environment: &Environment) -> Result<(), CommandError> {
    let api = Api::open(&args.options.address, environment, IfMissing::Refuse).await?;
    let screen = Screen::of_stdout(environment);
    if let Some(name) = &args.set {
        let id = CHANGE_SETS.find(&api, name).await?;
        let set = api.get(&["changes", &id]).await?;
        return match args.options.format() {
            OutputFormat::Json => print_json(&set),
            OutputFormat::Text => screen.show(&shown::change_set(&screen, &set)),
        };
    }
    let item = match &args.item {
        Some(name) => Some(named_item::find(&api, name, None).await?),
        None => None,
    };
    let request = ApiRequest::new(Method::GET, &["changes"])?
        .query("limit", args.limit.to_string())
        .maybe_query("state", args.state.map(ReviewStateArg::name))
        .maybe_query("item", item)
        .maybe_query("client", args.client.as_ref())
        .maybe_query("agent", args.agent.then_some("true"));
    let page = api.send(request).await?;
    match args.options.format() {
        OutputFormat::Json => print_json(&page),
        OutputFormat::Text => screen.show(&(lines(&screen, items(&page)) + &footer(&screen, &page))),
    }
}

/// A table of change sets.
pub(super) fn lines(screen: &Screen, sets: &[Value]) -> String {
    let ids = short_ids(screen, sets);
    let rows = sets.iter().zip(ids);
    if screen.width.is_some_and(|width| width < WIDE) {
        return table(screen, &NARROW_SHAPE, &rows.map(|(set, id)| narrow_row(screen, set, id)).collect::<Vec<_>>());
    }
    table(screen, &SHAPE, &rows.map(|(set, id)| row(screen, set, id)).collect::<Vec<_>>())
}

/// From so many columns on, a terminal has room for both the items and the reason.
const WIDE: usize = 100;

const SHAPE: [Column; 7] = [
    Column::whole("ID"),
    Column::whole("WHEN"),
    Column::cut("WHO"),
    Column::whole("STATE"),
    Column::cut("ITEMS"),
    Column::whole("LINES"),
    Column::cut("REASON"),
];

const NARROW_SHAPE: [Column; 5] =
    [Column::whole("ID"), Column::whole("WHEN"), Column::cut("CLIENT"), Column::left_out("STATE"), Column::cut("WHAT")];

fn row(screen: &Screen, set: &Value, id: String) -> Vec<String> {
    // The client comes first: it is what tells the agents of one user apart, and stays where the cell is cut.
    let who = format!("{} ({})", text(&set["client"], "name"), text(&set["user"], "name"));
    let reason = first_reason(set).unwrap_or_default().to_owned();
    vec![id, when(screen, set), who, state(set), item_names(set), line_counts(items(set)), reason]
}

/// What was done is told by the reason, and by the items where there is none.
fn narrow_row(screen: &Screen, set: &Value, id: String) -> Vec<String> {
    let what = first_reason(set).map_or_else(|| item_names(set), str::to_owned);
    vec![id, when(screen, set), text(&set["client"], "name").to_owned(), state(set), what]
}

fn first_reason(set: &Value) -> Option<&str> {
    set["reasons"].get(0).and_then(Value::as_str)
}

/// That there are more, for people.
pub(in crate::commands) fn footer(screen: &Screen, page: &Value) -> String {
    if !screen.is_terminal() || page["has_more"] != true {
        return String::new();
    }
    let shown = items(page).len();
    format!(
        "\n{}",
        screen.paint(Style::Dim, &format!("the newest {shown}; --limit shows more, --state and --item fewer"))
    )
}
