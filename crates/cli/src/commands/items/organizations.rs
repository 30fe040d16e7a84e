//! The command `interline org`: adds and lists organizations.

use reqwest::Method;
use serde_json::{Value, json};

use super::text;
use crate::api::{Api, ApiRequest};
use crate::args::{OrgAddArgs, OrgCommand, OrgListArgs};
use crate::command_error::CommandError;
use crate::environment::Environment;
use crate::local::IfMissing;
use crate::output::{OutputFormat, print, print_json, printable};
use crate::screen::Screen;
use crate::table::{Column, table};

pub(crate) async fn run(command: &OrgCommand, environment: &Environment) -> Result<(), CommandError> {
    match command {
        OrgCommand::Add(args) => add(args, environment).await,
        OrgCommand::List(args) => list(args, environment).await,
    }
}

async fn add(args: &OrgAddArgs, environment: &Environment) -> Result<(), CommandError> {
    let api = Api::open(&args.options.address, environment, IfMissing::Make).await?;
    let mut body = json!({"name": args.name});
    if let Some(domain) = &args.domain {
        body["domain"] = domain.as_str().into();
    }
    let made = api.send(ApiRequest::new(Method::POST, &["organizations"])?.body(body)).await?;
    match args.options.format() {
        OutputFormat::Json => print_json(&made),
        OutputFormat::Text => {
            print(&format!("Added organization {} ({}).", printable(text(&made, "id")), printable(text(&made, "name"))))
        }
    }
}

async fn list(args: &OrgListArgs, environment: &Environment) -> Result<(), CommandError> {
    let api = Api::open(&args.options.address, environment, IfMissing::Refuse).await?;
    let answer = api.get(&["organizations"]).await?;
    let screen = Screen::of_stdout(environment);
    match args.options.format() {
        OutputFormat::Json => print_json(&answer),
        OutputFormat::Text => {
            let row = |one: &Value| {
                vec![text(one, "id").to_owned(), text(one, "name").to_owned(), text(one, "domain").to_owned()]
            };
            let rows: Vec<_> = answer["organizations"].as_array().into_iter().flatten().map(row).collect();
            let shape = [Column::whole("ID"), Column::cut("NAME"), Column::left_out("DOMAIN")];
            screen.show(&table(&screen, &shape, &rows))
        }
    }
}
