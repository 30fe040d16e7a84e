//! The command `interline undo`: takes a change set back, or some of it.

use reqwest::Method;
use serde_json::{Value, json};

use super::{CHANGE_SETS, conflicts, line_counts};
use crate::api::{Api, ApiRequest};
use crate::args::UndoArgs;
use crate::command_error::CommandError;
use crate::commands::items::list::items;
use crate::commands::items::{named_item, text, title};
use crate::environment::Environment;
use crate::local::IfMissing;
use crate::output::{OutputFormat, print, print_json, print_to_stderr, printable};

pub(crate) async fn run(args: &UndoArgs, environment: &Environment) -> Result<(), CommandError> {
    let api = Api::open_to_write(&args.options, environment, IfMissing::Refuse).await?;
    let id = CHANGE_SETS.find(&api, &args.set).await?;
    let mut body = json!({"skip_conflicts": args.skip_conflicts});
    if !args.items.is_empty() {
        let mut ids = Vec::new();
        for name in &args.items {
            ids.push(named_item::find(&api, name, None).await?);
        }
        body["items"] = ids.into();
    }
    if !args.hunks.is_empty() {
        body["hunks"] = args.hunks.clone().into();
    }
    let answer = take_back(&api, &id, body).await?;
    match args.options.format() {
        OutputFormat::Json => print_json(&answer)?,
        OutputFormat::Text => {
            report_skipped(&api, &id, &answer).await?;
            print(&report(&answer))?;
        }
    }
    api.finish().await;
    Ok(())
}

/// Takes the changes back that `body` asks for. A refusal says where others are in the way.
pub(super) async fn take_back(api: &Api, id: &str, body: Value) -> Result<Value, CommandError> {
    let request = ApiRequest::new(Method::POST, &["changes", id, "undo"])?.body(body);
    match api.send(request).await {
        Ok(answer) => Ok(answer),
        Err(error) if error.response("conflict").is_some() => {
            let set = api.get(&["changes", id]).await?;
            Err(conflicts::explained(error, &set))
        }
        Err(error) => Err(error),
    }
}

/// Says which items were left as they are; an error if they were all.
async fn report_skipped(api: &Api, id: &str, answer: &Value) -> Result<(), CommandError> {
    let skipped = answer["skipped"].as_array().map_or(&[][..], Vec::as_slice);
    if skipped.is_empty() {
        return Ok(());
    }
    let lines = conflicts::lines(skipped, &api.get(&["changes", id]).await?);
    if answer["change_set"].is_null() {
        return Err(CommandError::refused("everything is in conflict, and nothing was taken back:").detail(lines));
    }
    print_to_stderr(&format!("note: left as they are, because others changed them since:\n{lines}"));
    Ok(())
}

/// What was taken back, and how that is taken back again.
pub(super) fn report(answer: &Value) -> String {
    let set = &answer["change_set"];
    if set.is_null() {
        return "Nothing was left to take back.".to_owned();
    }
    let line = |item: &Value| {
        let about = format!("{} {} {}", text(item, "type"), text(item, "id"), line_counts([item]));
        format!("  {} ({})", printable(title(item)), printable(about.trim_end()))
    };
    let mut lines = vec!["Took back the changes of:".to_owned()];
    lines.extend(items(set).iter().map(line));
    let hidden = set["items_total"].as_u64().unwrap_or(0).saturating_sub(items(set).len() as u64);
    if hidden > 0 {
        lines.push(format!("  and {hidden} more items"));
    }
    let id = text(set, "id");
    lines.push(format!("That is change set {id}; `interline undo {id}` brings them back."));
    lines.join("\n")
}
