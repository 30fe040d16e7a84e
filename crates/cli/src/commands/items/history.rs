//! The command `interline history`: the changes of an item, newest first.

use reqwest::Method;
use serde_json::Value;

use super::list::{footer, items};
use super::named_item::NamedItem;
use super::text;
use crate::api::Api;
use crate::args::HistoryArgs;
use crate::command_error::CommandError;
use crate::environment::Environment;
use crate::local::IfMissing;
use crate::output::{OutputFormat, print_json};
use crate::screen::Screen;
use crate::table::{Column, table};

const SHAPE: [Column; 6] = [
    Column::whole("VERSION"),
    Column::whole("CHANGE"),
    Column::cut("FIELDS"),
    Column::whole("WHEN"),
    Column::whole("DOOR"),
    Column::left_out("WHO"),
];

pub(crate) async fn run(args: &HistoryArgs, environment: &Environment) -> Result<(), CommandError> {
    let api = Api::open(&args.options.address, environment, IfMissing::Refuse).await?;
    let named = NamedItem::find(&api, &args.item).await?;
    let request = named
        .request(Method::GET, &["history"])?
        .query("limit", args.limit.to_string())
        .query("offset", args.offset.to_string());
    let page = api.send(request).await?;
    let screen = Screen::of_stdout(environment);
    match args.options.format() {
        OutputFormat::Json => print_json(&page),
        OutputFormat::Text => {
            let rows: Vec<_> = items(&page).iter().map(|record| row(&screen, record)).collect();
            screen.show(&(table(&screen, &SHAPE, &rows) + &footer(&screen, &page)))
        }
    }
}

fn row(screen: &Screen, record: &Value) -> Vec<String> {
    let fields: Vec<&str> =
        record["changed_fields"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let who = [text(&record["user"], "name"), text(&record["token"], "name")];
    let who: Vec<&str> = who.into_iter().filter(|name| !name.is_empty()).collect();
    vec![
        record["version"].as_u64().map(|version| version.to_string()).unwrap_or_default(),
        text(record, "action").to_owned(),
        fields.join(","),
        screen.time(text(record, "created_at")),
        text(record, "source").to_owned(),
        who.join(" / "),
    ]
}
