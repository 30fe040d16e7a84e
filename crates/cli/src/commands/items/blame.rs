//! The command `interline blame`: who wrote each line of an item.

use reqwest::Method;
use serde_json::Value;

use super::named_item::NamedItem;
use super::text;
use crate::api::Api;
use crate::args::BlameArgs;
use crate::command_error::CommandError;
use crate::environment::Environment;
use crate::local::IfMissing;
use crate::output::{OutputFormat, print_json, printable};
use crate::screen::{Screen, Style, columns, cut, printable_lines};

/// The widest that a terminal shows the author: names of clients can be long.
const WIDEST_AUTHOR: usize = 24;
const NARROWEST_AUTHOR: usize = 6;
const GAP: &str = "  ";

pub(crate) async fn run(args: &BlameArgs, environment: &Environment) -> Result<(), CommandError> {
    let api = Api::open(&args.options.address, environment, IfMissing::Refuse).await?;
    let named = NamedItem::find(&api, &args.item).await?;
    let blame = api.send(named.request(Method::GET, &["blame"])?).await?;
    if args.options.format() == OutputFormat::Json {
        return print_json(&blame);
    }
    // The content of the version that the ranges are about: the item may have changed since.
    let version = blame["version"].to_string();
    let item = api.send(named.request(Method::GET, &["history", &version])?).await?;
    let screen = Screen::of_stdout(environment);
    screen.show(&lines(&screen, &blame, text(&item, "content")))
}

/// Where a range of lines comes from, as it is shown.
struct Origin {
    version: String,
    author: String,
    when: String,
}

/// How wide each part of the margin is.
struct Margin {
    version: usize,
    author: usize,
    /// `None` where the terminal is too narrow for it.
    when: Option<usize>,
    number: usize,
}

fn lines(screen: &Screen, blame: &Value, content: &str) -> String {
    let ranges = blame["ranges"].as_array().map_or(&[][..], Vec::as_slice);
    let origins: Vec<Origin> = ranges.iter().map(|range| origin(screen, range)).collect();
    let content: Vec<&str> = content.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    // A final line break is followed by no line that anybody would miss.
    let shown = content.strip_suffix(&[""]).unwrap_or(&content);
    let margin = Margin::fitting(screen, &origins, shown.len());
    let mut lines = Vec::new();
    for (range, origin) in ranges.iter().zip(&origins) {
        let number = |key: &str| range[key].as_u64().and_then(|number| usize::try_from(number).ok()).unwrap_or(0);
        for number in number("start_line")..=number("end_line") {
            let Some(line) = number.checked_sub(1).and_then(|index| shown.get(index)) else { continue };
            // On a terminal a range is told once, where it begins; programs that read lines get it on each.
            let is_told = !screen.is_terminal() || lines.is_empty() || range["start_line"] == number;
            lines.push(margin.line(screen, is_told.then_some(origin), number, line));
        }
    }
    lines.join("\n")
}

fn origin(screen: &Screen, range: &Value) -> Origin {
    let (client, user) = (text(&range["client"], "name"), text(&range["user"], "name"));
    let author = if client.is_empty() { user.to_owned() } else { format!("{client} ({user})") };
    Origin {
        version: range["version"].to_string(),
        author: printable(&author),
        when: screen.time(text(range, "created_at")),
    }
}

impl Margin {
    /// On a terminal the margin takes at most half of the width: first the time goes, then authors are cut.
    fn fitting(screen: &Screen, origins: &[Origin], total_lines: usize) -> Margin {
        let widest = |part: fn(&Origin) -> &str| origins.iter().map(|origin| columns(part(origin))).max().unwrap_or(0);
        let (version, author, when) =
            (widest(|origin| &origin.version), widest(|origin| &origin.author), widest(|origin| &origin.when));
        let whole = Margin { version, author, when: Some(when), number: total_lines.to_string().len() };
        let Some(width) = screen.width else { return whole };
        let margin = Margin { author: author.min(WIDEST_AUTHOR), ..whole };
        if margin.width() <= width / 2 {
            return margin;
        }
        let margin = Margin { when: None, ..margin };
        let over = margin.width().saturating_sub(width / 2);
        Margin { author: margin.author.saturating_sub(over).max(NARROWEST_AUTHOR).min(margin.author), ..margin }
    }

    fn width(&self) -> usize {
        let when = self.when.map_or(0, |when| when + GAP.len());
        self.version + self.author + when + self.number + 3 * GAP.len()
    }

    /// A line with its margin; without an origin the margin is blank.
    fn line(&self, screen: &Screen, origin: Option<&Origin>, number: usize, line: &str) -> String {
        let part = |text: &str, width: usize| {
            let text = cut(text, width);
            let blanks = " ".repeat(width.saturating_sub(columns(&text)));
            format!("{text}{blanks}{GAP}")
        };
        let [version, author, when] = match origin {
            Some(origin) => [&*origin.version, &*origin.author, &*origin.when],
            None => [""; 3],
        };
        let blanks = " ".repeat(self.version.saturating_sub(version.len()));
        let when = self.when.map(|width| part(when, width)).unwrap_or_default();
        let (author, number_width) = (part(author, self.author), self.number);
        let margin = format!("{blanks}{version}{GAP}{author}{when}{number:>number_width$}{GAP}");
        let line = printable_lines(line);
        let line = match screen.width {
            Some(width) => cut(&line.replace('\t', "    "), width.saturating_sub(self.width())),
            None => line,
        };
        format!("{}{line}", screen.paint(Style::Dim, &margin)).trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn blame() -> Value {
        let range = |start: u64, end: u64, version: u64, client: &str| {
            json!({"start_line": start, "end_line": end, "version": version, "client": {"name": client},
                "user": {"name": "ada"}, "created_at": "1969-12-01T12:00:00Z"})
        };
        json!({"version": 12, "ranges": [range(1, 2, 1, "interline-cli"), range(3, 3, 12, "claude-code")]})
    }

    #[test]
    fn a_wide_terminal_shows_who_and_when_once_for_a_range() {
        let expected = " 1  interline-cli (ada)  1969-12-01  1  one\n                                     2  two\n\
                        12  claude-code (ada)    1969-12-01  3  three";
        assert_eq!(lines(&Screen::terminal(90), &blame(), "one\ntwo\r\nthree\n"), expected);
    }

    #[test]
    fn a_narrow_terminal_keeps_half_of_it_for_the_text() {
        let text = "x".repeat(80);
        for width in [30, 40, 60] {
            let shown = lines(&Screen::terminal(width), &blame(), &format!("{text}\n{text}\n{text}"));
            for line in shown.split('\n') {
                assert_eq!(columns(line), width, "{shown}");
                assert!(line.matches('x').count() >= width / 2 - 8, "{shown}");
            }
        }
    }

    #[test]
    fn a_line_cannot_steer_the_terminal() {
        assert!(!lines(&Screen::terminal(80), &blame(), "\u{1b}[2J\nb\nc").contains('\u{1b}'));
    }
}
