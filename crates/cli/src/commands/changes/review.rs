//! The command `interline review`: the inbox of what agents did, one change set after the other.

use reqwest::Method;
use serde_json::{Value, json};

use super::{CHANGE_SETS, item_names, list, shown, undo};
use crate::api::{Api, ApiRequest};
use crate::args::ReviewArgs;
use crate::command_error::CommandError;
use crate::commands::items::list::items;
use crate::commands::items::text;
use crate::commands::question::{Answer, Question, can_ask};
use crate::environment::Environment;
use crate::local::IfMissing;
use crate::output::{OutputFormat, print, print_json, print_to_stderr, printable};
use crate::screen::{Screen, Style};

pub(crate) async fn run(args: &ReviewArgs, environment: &Environment) -> Result<(), CommandError> {
    let api = Api::open_to_write(&args.options, environment, IfMissing::Refuse).await?;
    let screen = Screen::of_stdout(environment);
    if !args.yes.is_empty() {
        return keep_named(&api, args).await;
    }
    if can_ask() && args.options.format() == OutputFormat::Text {
        return go_through(&api, &screen).await;
    }
    let page = unreviewed(&api, None).await?;
    match args.options.format() {
        OutputFormat::Json => print_json(&page),
        OutputFormat::Text if items(&page).is_empty() => print(NOTHING),
        OutputFormat::Text => {
            screen.show(&list::lines(&screen, items(&page)))?;
            print_to_stderr(HINT);
            Ok(())
        }
    }
}

const NOTHING: &str = "Nothing to review.";
const QUESTION: Question = Question { text: "Keep it?", yes: "keep", no: "undo" };
const HINT: &str = "hint: `interline changes SET` shows one, `interline undo SET` takes it back,\n      \
                    `interline review --yes SET…` keeps it; on a terminal `interline review` asks about each";

/// A page of the inbox.
async fn unreviewed(api: &Api, cursor: Option<&str>) -> Result<Value, CommandError> {
    let request = ApiRequest::new(Method::GET, &["changes"])?.query("state", "unreviewed").query("limit", "100");
    api.send(request.maybe_query("cursor", cursor)).await
}

async fn keep_named(api: &Api, args: &ReviewArgs) -> Result<(), CommandError> {
    let mut ids = Vec::new();
    for name in &args.yes {
        ids.push(CHANGE_SETS.find(api, name).await?);
    }
    let kept = api.send(ApiRequest::new(Method::POST, &["changes", "keep"])?.body(json!({"ids": ids}))).await?;
    match args.options.format() {
        OutputFormat::Json => print_json(&kept),
        OutputFormat::Text => {
            let line = |set: &Value| format!("Kept {} ({}).", text(set, "id"), printable(&item_names(set)));
            print(&items(&kept).iter().map(line).collect::<Vec<_>>().join("\n"))
        }
    }
}

/// How many sets were decided about, and how.
#[derive(Default)]
struct Tally {
    kept: usize,
    undone: usize,
}

/// Asks about each set, newest first. What agents do meanwhile is left for the next time.
async fn go_through(api: &Api, screen: &Screen) -> Result<(), CommandError> {
    let sets = inbox(api).await?;
    if sets.is_empty() {
        return print(NOTHING);
    }
    let mut tally = Tally::default();
    for (index, set) in sets.iter().enumerate() {
        let set = api.get(&["changes", text(set, "id")]).await?;
        let number = screen.paint(Style::Dim, &format!("{} of {}", index + 1, sets.len()));
        screen.show(&format!("{number}\n{}\n", shown::change_set(screen, &set)))?;
        match QUESTION.ask(screen)? {
            Answer::Yes => {
                api.send(ApiRequest::new(Method::POST, &["changes", text(&set, "id"), "keep"])?).await?;
                tally.kept += 1;
                print("Kept.\n")?;
            }
            Answer::No => undo_one(api, &set, &mut tally).await?,
            Answer::Skip => print("")?,
            Answer::Quit => break,
        }
    }
    let left = sets.len() - tally.kept - tally.undone;
    print(&format!("{} kept, {} taken back, {left} left.", tally.kept, tally.undone))?;
    api.finish().await;
    Ok(())
}

/// Everything that nobody has reviewed.
async fn inbox(api: &Api) -> Result<Vec<Value>, CommandError> {
    let (mut sets, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let page = unreviewed(api, cursor.as_deref()).await?;
        sets.extend_from_slice(items(&page));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => return Ok(sets),
        }
    }
}

/// Takes a set back. One that is in conflict is left as it is, and the next one is asked about.
async fn undo_one(api: &Api, set: &Value, tally: &mut Tally) -> Result<(), CommandError> {
    match undo::take_back(api, text(set, "id"), json!({})).await {
        Ok(answer) => {
            tally.undone += 1;
            print(&format!("{}\n", undo::report(&answer)))
        }
        Err(error) if error.is_refusal() => {
            print_to_stderr(&format!("{error}\n"));
            Ok(())
        }
        Err(error) => Err(error),
    }
}
