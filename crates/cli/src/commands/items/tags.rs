//! The command `interline tags`: lists, renames and removes tags.

use reqwest::Method;
use serde_json::{Value, json};

use super::text;
use crate::api::{Api, ApiRequest};
use crate::args::{TagRemoveArgs, TagRenameArgs, TagsArgs, TagsCommand};
use crate::command_error::CommandError;
use crate::environment::Environment;
use crate::local::IfMissing;
use crate::output::{OutputFormat, print, print_json, printable};
use crate::screen::Screen;
use crate::table::{Column, table};

pub(crate) async fn run(args: &TagsArgs, environment: &Environment) -> Result<(), CommandError> {
    match &args.command {
        None => list(args, environment).await,
        Some(TagsCommand::Rename(args)) => rename(args, environment).await,
        Some(TagsCommand::Rm(args)) => remove(args, environment).await,
    }
}

async fn list(args: &TagsArgs, environment: &Environment) -> Result<(), CommandError> {
    let api = Api::open(&args.options.address, environment, IfMissing::Refuse).await?;
    let mut request = ApiRequest::new(Method::GET, &["tags"])?;
    for kind in &args.kinds {
        request = request.query("type", kind.0.name());
    }
    let answer = api.send(request).await?;
    let screen = Screen::of_stdout(environment);
    match args.options.format() {
        OutputFormat::Json => print_json(&answer),
        OutputFormat::Text => {
            let row = |tag: &Value| vec![text(tag, "name").to_owned(), tag["count"].to_string()];
            let rows: Vec<_> = answer["tags"].as_array().into_iter().flatten().map(row).collect();
            screen.show(&table(&screen, &[Column::cut("TAG"), Column::whole("ITEMS")], &rows))
        }
    }
}

async fn rename(args: &TagRenameArgs, environment: &Environment) -> Result<(), CommandError> {
    let api = Api::open_to_write(&args.options, environment, IfMissing::Refuse).await?;
    let request = ApiRequest::new(Method::PATCH, &["tags", &args.tag])?.body(json!({"new_name": args.new_name}));
    let answer = api.send(request).await?;
    match args.options.format() {
        OutputFormat::Json => print_json(&answer)?,
        OutputFormat::Text => {
            let (from, to) = (printable(&args.tag), printable(&args.new_name));
            print(&format!("Renamed tag {from} to {to} on {} items.", answer["changed"]))?;
        }
    }
    api.finish().await;
    Ok(())
}

async fn remove(args: &TagRemoveArgs, environment: &Environment) -> Result<(), CommandError> {
    let api = Api::open_to_write(&args.options, environment, IfMissing::Refuse).await?;
    api.send(ApiRequest::new(Method::DELETE, &["tags", &args.tag])?).await?;
    match args.options.format() {
        OutputFormat::Json => {}
        OutputFormat::Text => print(&format!("Removed tag {}.", printable(&args.tag)))?,
    }
    api.finish().await;
    Ok(())
}
