//! The command `interline render`: a prompt with values for its arguments.

use interline_items::Kind;
use reqwest::Method;
use serde_json::{Map, json};

use super::{named_item, text};
use crate::api::{Api, ApiRequest};
use crate::args::RenderArgs;
use crate::command_error::CommandError;
use crate::environment::Environment;
use crate::local::IfMissing;
use crate::output::{OutputFormat, print_exactly, print_json};
use crate::screen::{Screen, printable_lines};

pub(crate) async fn run(args: &RenderArgs, environment: &Environment) -> Result<(), CommandError> {
    let mut values = Map::new();
    for typed in &args.values {
        let (key, value) = typed.split_once('=').ok_or_else(|| {
            CommandError::usage(format!("'{typed}' is no value of an argument")).hint("write key=value")
        })?;
        if values.insert(key.to_owned(), value.into()).is_some() {
            return Err(CommandError::usage(format!("'{key}' has two values")).hint("give each argument once"));
        }
    }
    let api = Api::open(&args.options.address, environment, IfMissing::Refuse).await?;
    let id = named_item::find(&api, &args.name, Some(Kind::Prompt)).await?;
    let request = ApiRequest::new(Method::POST, &["prompts", &id, "render"])?.body(json!({"arguments": values}));
    let answer = api.send(request).await?;
    let screen = Screen::of_stdout(environment);
    match args.options.format() {
        OutputFormat::Json => print_json(&answer),
        OutputFormat::Text if screen.is_terminal() => screen.show(&printable_lines(text(&answer, "rendered"))),
        OutputFormat::Text => print_exactly(text(&answer, "rendered").as_bytes()),
    }
}
