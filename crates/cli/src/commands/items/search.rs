//! The command `interline search`: items that match, each with the line that shows it.

use serde_json::Value;

use super::list::{find, footer, items, short_ids};
use super::{text, title};
use crate::api::Api;
use crate::args::SearchArgs;
use crate::command_error::CommandError;
use crate::environment::Environment;
use crate::local::IfMissing;
use crate::output::{OutputFormat, print_json, print_to_stderr, printable};
use crate::screen::{Screen, Style, cut};

pub(crate) async fn run(args: &SearchArgs, environment: &Environment) -> Result<(), CommandError> {
    let parameter = if args.regex { "regex" } else { "q" };
    let api = Api::open(&args.filter.options.address, environment, IfMissing::Refuse).await?;
    let page = find(&api, &args.filter, Some((parameter, &args.query))).await?;
    let screen = Screen::of_stdout(environment);
    match args.filter.options.format() {
        OutputFormat::Json => print_json(&page)?,
        OutputFormat::Text if items(&page).is_empty() => print_to_stderr("nothing found"),
        OutputFormat::Text => {
            let ids = short_ids(&screen, items(&page));
            let found: Vec<String> = items(&page).iter().zip(ids).map(|(item, id)| lines(&screen, item, &id)).collect();
            screen.show(&(found.join("\n") + &footer(&screen, &page)))?;
        }
    }
    // The next search need not read what this one had to.
    api.finish().await;
    Ok(())
}

/// An item in a line, and where it matches in another.
fn lines(screen: &Screen, item: &Value, id: &str) -> String {
    let (kind, width) = (printable(text(item, "type")), screen.width.unwrap_or(usize::MAX));
    let left = width.saturating_sub(id.len() + kind.len().max(8) + 4);
    let title = cut(&printable(title(item)), left);
    let head = format!("{}  {kind:<8}  {}", screen.paint(Style::Dim, id), screen.paint(Style::Bold, &title));
    let snippet = &item["snippet"];
    if snippet.is_null() || snippet["field"] == "title" {
        return head;
    }
    let place = snippet["line"].as_u64().map_or_else(|| text(snippet, "field").to_owned(), |line| line.to_string());
    let prefix = format!("    {place}: ");
    let left = width.saturating_sub(prefix.len());
    format!("{head}\n{}{}", screen.paint(Style::Cyan, &prefix), marked(screen, snippet, left))
}

/// The line of a snippet, cut to a width, with what matches marked.
fn marked(screen: &Screen, snippet: &Value, width: usize) -> String {
    let line = text(snippet, "text");
    let skipped = line.chars().take_while(|c| c.is_whitespace()).count();
    let shown: Vec<char> = cut(&printable(line.trim_start()), width).chars().collect();
    let marks = snippet["marks"].as_array().into_iter().flatten();
    let is_marked = |at: usize| {
        let at = (at + skipped) as u64;
        marks.clone().any(|mark| mark[0].as_u64() <= Some(at) && Some(at) < mark[1].as_u64())
    };
    let (mut text, mut at) = (String::new(), 0);
    while at < shown.len() {
        let first = at;
        let is_match = is_marked(first);
        while at < shown.len() && is_marked(at) == is_match {
            at += 1;
        }
        let part: String = shown[first..at].iter().collect();
        text += &if is_match { screen.paint(Style::Yellow, &part) } else { part };
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_match_fits_the_terminal() {
        let snippet =
            json!({"field": "content", "line": 12, "text": "   the quick brown fox jumps", "marks": [[7, 12]]});
        let item = json!({"type": "note", "title": "A very long title of a note", "snippet": snippet});
        let text = lines(&Screen::terminal(30), &item, "0199");
        assert_eq!(text, "0199  note      A very long t…\n    12: the quick brown fox j…");
    }

    #[test]
    fn a_title_that_matches_is_not_said_twice() {
        let item =
            json!({"type": "note", "title": "Plan", "snippet": {"field": "title", "line": null, "text": "Plan"}});
        assert_eq!(lines(&Screen::terminal(80), &item, "0199"), "0199  note      Plan");
    }
}
