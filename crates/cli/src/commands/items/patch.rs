//! The command `interline patch`: replaces lines by their numbers.

use std::ffi::OsStr;

use reqwest::Method;
use serde_json::{Value, json};

use super::edit::show_edit;
use super::named_item::NamedItem;
use super::refusal::explained;
use crate::api::Api;
use crate::args::PatchArgs;
use crate::command_error::CommandError;
use crate::environment::Environment;
use crate::input;
use crate::local::IfMissing;

pub(crate) async fn run(args: &PatchArgs, environment: &Environment) -> Result<(), CommandError> {
    let mut body = json!({"operations": operations(args)?, "dry_run": args.dry_run});
    if let Some(version) = args.expected_version {
        body["expected_version"] = version.into();
    }
    let api = Api::open_to_write(&args.options, environment, IfMissing::Refuse).await?;
    let named = NamedItem::find(&api, &args.item).await?;
    let request = named.request(Method::PATCH, &["content"])?.query("include_content", "false").body(body);
    let answer = api.send(request).await.map_err(|error| with_operations(explained(error, environment)))?;
    show_edit(&api, args.options.format(), &answer, environment)?;
    api.finish().await;
    Ok(())
}

fn operations(args: &PatchArgs) -> Result<Vec<Value>, CommandError> {
    match (args.start_line, args.end_line, &args.content) {
        (Some(start), Some(end), Some(content)) => {
            Ok(vec![json!({"start_line": start, "end_line": end, "content": input::typed_or_stdin(content)?})])
        }
        (Some(_), _, _) => Err(CommandError::usage("what the lines become is missing").hint("give it with --content")),
        (None, _, _) if args.operations.is_empty() => Err(CommandError::usage("which lines are replaced is missing")
            .hint("write `interline patch ITEM START END --content TEXT`, or --op START,END,FILE")),
        (None, _, _) => args.operations.iter().map(|text| operation(text)).collect(),
    }
}

/// `START,END,FILE`.
fn operation(text: &str) -> Result<Value, CommandError> {
    let wrong = || CommandError::usage(format!("--op: '{text}' is not START,END,FILE"));
    let mut parts = text.splitn(3, ',');
    let mut number = || parts.next().and_then(|part| part.trim().parse::<u64>().ok()).ok_or_else(wrong);
    let (start, end) = (number()?, number()?);
    let file = parts.next().filter(|file| !file.is_empty()).ok_or_else(wrong)?;
    Ok(json!({"start_line": start, "end_line": end, "content": input::file_or_stdin(OsStr::new(file))?}))
}

/// The error with what is wrong with each operation.
fn with_operations(error: CommandError) -> CommandError {
    let Some(response) = error.response("invalid_operations").cloned() else { return error };
    let operations = response["operations"].as_array().into_iter().flatten();
    let line = |operation: &Value| {
        let number = operation["index"].as_u64().unwrap_or(0) + 1;
        format!("  operation {number}: {}", super::text(operation, "message"))
    };
    error.detail(operations.map(line).collect::<Vec<_>>().join("\n"))
}
