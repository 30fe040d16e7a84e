//! The command `interline list`: a table of items.

use reqwest::Method;
use serde_json::Value;

use super::{text, title};
use crate::api::{Api, ApiRequest};
use crate::args::{FilterArgs, ListArgs, OrderArg, SortArg};
use crate::command_error::CommandError;
use crate::environment::Environment;
use crate::local::IfMissing;
use crate::output::{OutputFormat, print_json};
use crate::screen::{Screen, Style};
use crate::table::{Column, table};

/// The digits of an id that tell its time: fewer tell few items apart.
const SHORT_ID: usize = "01234567-89ab".len();

pub(crate) async fn run(args: &ListArgs, environment: &Environment) -> Result<(), CommandError> {
    let api = Api::open(&args.filter.options.address, environment, IfMissing::Refuse).await?;
    let page = find(&api, &args.filter, None).await?;
    let screen = Screen::of_stdout(environment);
    match args.filter.options.format() {
        OutputFormat::Json => print_json(&page),
        OutputFormat::Text => screen.show(&(lines(&screen, items(&page)) + &footer(&screen, &page))),
    }
}

/// A page of items; those that match `(parameter, value)` where one is given.
pub(super) async fn find(api: &Api, args: &FilterArgs, matching: Option<(&str, &str)>) -> Result<Value, CommandError> {
    let mut request = ApiRequest::new(Method::GET, &["content"])?
        .query("limit", args.limit.to_string())
        .query("offset", args.offset.to_string())
        .maybe_query("sort_by", args.sort.map(SortArg::field))
        .maybe_query("sort_order", args.order.map(OrderArg::name))
        .maybe_query("tag_match", args.any_tag.then_some("any"));
    if let Some((name, value)) = matching {
        request = request.query(name, value);
    }
    for kind in &args.kinds {
        request = request.query("type", kind.0.name());
    }
    for tag in &args.tags {
        request = request.query("tags", tag);
    }
    for view in &args.view {
        request = request.query("view", view.name());
    }
    api.send(request).await
}

pub(in crate::commands) fn items(page: &Value) -> &[Value] {
    page["items"].as_array().map_or(&[], Vec::as_slice)
}

fn lines(screen: &Screen, items: &[Value]) -> String {
    const SHAPE: [Column; 5] = [
        Column::whole("ID"),
        Column::whole("TYPE"),
        Column::cut("TITLE"),
        Column::left_out("TAGS"),
        Column::whole("CHANGED"),
    ];
    let ids = short_ids(screen, items);
    let row = |(item, id): (&Value, String)| {
        let tags: Vec<&str> = item["tags"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let cells = [
            id,
            text(item, "type").to_owned(),
            title(item).to_owned(),
            tags.join(","),
            screen.time(text(item, "updated_at")),
        ];
        cells.to_vec()
    };
    table(screen, &SHAPE, &items.iter().zip(ids).map(row).collect::<Vec<_>>())
}

/// The ids: on a terminal the beginnings that tell those items apart.
pub(in crate::commands) fn short_ids(screen: &Screen, items: &[Value]) -> Vec<String> {
    let ids: Vec<&str> = items.iter().map(|item| text(item, "id")).collect();
    let longest = ids.iter().map(|id| id.len()).max().unwrap_or(0);
    let tells_apart = |length: &usize| {
        let mut beginnings: Vec<&str> = ids.iter().map(|id| id.get(..*length).unwrap_or(id)).collect();
        beginnings.sort_unstable();
        beginnings.windows(2).all(|pair| pair[0] != pair[1])
    };
    let length = if screen.is_terminal() { (SHORT_ID..longest).find(tells_apart).unwrap_or(longest) } else { longest };
    ids.iter().map(|id| id.get(..length).unwrap_or(id).to_owned()).collect()
}

/// How many more there are, for people.
pub(super) fn footer(screen: &Screen, page: &Value) -> String {
    let (offset, shown) = (page["offset"].as_u64().unwrap_or(0), items(page).len() as u64);
    let total = page["total"].as_u64().unwrap_or(0);
    if !screen.is_terminal() || page["has_more"] != true {
        return String::new();
    }
    let next = offset + shown;
    format!(
        "\n{}",
        screen.paint(Style::Dim, &format!("{} to {next} of {total}; go on with --offset {next}", offset + 1))
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn short_ids_tell_the_items_apart() {
        let ids = ["01990000-0000-7000-8000-000000000001", "01990000-0000-7000-9000-000000000001"];
        let items = ids.map(|id| json!({"id": id}));
        assert_eq!(short_ids(&Screen::terminal(80), &items), ["01990000-0000-7000-8", "01990000-0000-7000-9"]);
        assert_eq!(short_ids(&Screen::terminal(80), &items[..1]), ["01990000-0000"]);
    }

    #[test]
    fn people_learn_how_to_go_on() {
        let page = json!({"items": [{}, {}], "offset": 4, "total": 9, "has_more": true});
        assert_eq!(footer(&Screen::terminal(80), &page), "\n5 to 6 of 9; go on with --offset 6");
        assert_eq!(footer(&Screen::terminal(80), &json!({"items": [], "has_more": false})), "");
    }
}
