//! The command `interline get`: reads an item. Piped, it writes exactly the bytes of the content.

use reqwest::Method;
use serde_json::Value;

use super::named_item::NamedItem;
use super::{text, title};
use crate::api::Api;
use crate::args::GetArgs;
use crate::command_error::CommandError;
use crate::environment::Environment;
use crate::local::IfMissing;
use crate::output::{OutputFormat, print_exactly, print_json, printable};
use crate::screen::{Screen, Style, printable_lines};

pub(crate) async fn run(args: &GetArgs, environment: &Environment) -> Result<(), CommandError> {
    let lines = args.lines.as_deref().map(parse_lines).transpose()?;
    let api = Api::open(&args.options.address, environment, IfMissing::Refuse).await?;
    let named = NamedItem::find(&api, &args.item).await?;
    let mut request = match args.version {
        Some(version) => named.request(Method::GET, &["history", &version.to_string()])?,
        None => named.request(Method::GET, &[])?,
    };
    if let Some((start, end)) = lines {
        request =
            request.query("start_line", start.to_string()).maybe_query("end_line", end.map(|end| end.to_string()));
    }
    let item = api.send(request).await?;
    let screen = Screen::of_stdout(environment);
    match args.options.format() {
        OutputFormat::Json => print_json(&item),
        OutputFormat::Text if screen.is_terminal() => screen.show(&page(&screen, &item)),
        OutputFormat::Text => print_exactly(text(&item, "content").as_bytes()),
    }
}

/// The first line, and the last one if the text has an end.
fn parse_lines(text: &str) -> Result<(u64, Option<u64>), CommandError> {
    let (start, end) = match text.split_once('-') {
        Some((start, "")) => (start.parse(), None),
        Some((start, end)) => (start.parse(), Some(end.parse())),
        None => (text.parse(), Some(text.parse())),
    };
    match (start, end.transpose()) {
        (Ok(start), Ok(end)) => Ok((start, end)),
        _ => Err(CommandError::usage(format!("--lines: '{text}' is no range of lines")).hint("write 10-20, 10- or 10")),
    }
}

/// An item for people: what it is, and its text.
fn page(screen: &Screen, item: &Value) -> String {
    let mut lines = vec![screen.paint(Style::Bold, &printable(title(item)))];
    let about = format!(
        "{} {}, version {}, {}",
        text(item, "type"),
        text(item, "id"),
        item["version"],
        screen.time(text(item, "updated_at"))
    );
    lines.push(screen.paint(Style::Dim, &printable(&about)));
    let tags: Vec<&str> = item["tags"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let facts = [
        ("", text(item, "url")),
        ("", text(item, "description")),
        ("tags: ", &tags.join(", ")),
        ("path: ", text(item, "path")),
    ];
    for (label, fact) in facts {
        if !fact.is_empty() && fact != title(item) {
            lines.push(screen.paint(Style::Dim, &format!("{label}{}", printable(fact))));
        }
    }
    for (state, at) in [("archived", "archived_at"), ("in the trash", "deleted_at")] {
        if !item[at].is_null() {
            lines.push(screen.paint(Style::Yellow, &format!("{state} since {}", screen.time(text(item, at)))));
        }
    }
    lines.push(String::new());
    let content = text(item, "content");
    lines.push(printable_lines(&content.replace("\r\n", "\n")).trim_end_matches('\n').to_owned());
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_of_lines_has_a_beginning() {
        for (text, expected) in [("3-5", Some((3, Some(5)))), ("3-", Some((3, None))), ("3", Some((3, Some(3))))] {
            assert_eq!(parse_lines(text).ok(), expected, "{text}");
        }
        for text in ["", "-5", "x", "3-x", "3-5-7", "1.5"] {
            assert!(parse_lines(text).is_err(), "{text}");
        }
    }
}
