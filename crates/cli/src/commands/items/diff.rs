//! The command `interline diff`: what changed between two versions of an item.

use reqwest::Method;

use super::named_item::NamedItem;
use super::text;
use crate::api::Api;
use crate::args::DiffArgs;
use crate::command_error::CommandError;
use crate::environment::Environment;
use crate::local::IfMissing;
use crate::output::{OutputFormat, print_exactly, print_json, print_to_stderr};
use crate::screen::Screen;

pub(crate) async fn run(args: &DiffArgs, environment: &Environment) -> Result<(), CommandError> {
    let api = Api::open(&args.options.address, environment, IfMissing::Refuse).await?;
    let named = NamedItem::find(&api, &args.item).await?;
    let version = match args.version {
        Some(version) => version,
        None => {
            let item = api.send(named.request(Method::GET, &[])?.query("include_content", "false")).await?;
            item["version"].as_u64().unwrap_or(1)
        }
    };
    let request = named.request(Method::GET, &["history", &version.to_string(), "diff"])?;
    let answer = api.send(request.maybe_query("against", args.against.map(|version| version.to_string()))).await?;
    if args.options.format() == OutputFormat::Json {
        return print_json(&answer);
    }
    let (diff, screen) = (text(&answer, "diff"), Screen::of_stdout(environment));
    if answer["diff_truncated"] == true {
        print_to_stderr("note: the diff is longer than what is shown");
    }
    if diff.is_empty() {
        let fields = answer["changed_fields"].as_array().into_iter().flatten().filter_map(|field| field.as_str());
        let fields: Vec<&str> = fields.collect();
        let what = if fields.is_empty() { "nothing".to_owned() } else { fields.join(", ") };
        print_to_stderr(&format!("the contents are equal; changed: {what}"));
        return Ok(());
    }
    if screen.is_terminal() { screen.show(&screen.diff(diff)) } else { print_exactly(diff.as_bytes()) }
}
