//! What stdout is: a terminal with a width, colours and a pager, or a pipe that gets plain and stable text.

use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal as _, Write as _};
use std::process::{Command, Stdio};

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use unicode_width::UnicodeWidthChar as _;

use crate::command_error::CommandError;
use crate::environment::Environment;
use crate::output;

/// The width of a terminal that does not tell.
const DEFAULT_WIDTH: usize = 80;
const NARROWEST: usize = 20;
/// How `less` quits if all fits, shows colours and leaves the text there.
const DEFAULT_PAGER: &str = "less -FRX";

/// How stdout shows text.
pub(crate) struct Screen {
    /// In columns; `None` where stdout is no terminal.
    pub(crate) width: Option<usize>,
    /// In lines, if it is known.
    height: Option<usize>,
    colours: Colours,
    pager: Option<OsString>,
    now: Timestamp,
    zone: TimeZone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Colours {
    On,
    Off,
}

/// How a text is painted, by its escape code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Bold,
    Dim,
    Red,
    Green,
    Yellow,
    Cyan,
}

impl Style {
    fn code(self) -> &'static str {
        match self {
            Style::Bold => "1",
            Style::Dim => "2",
            Style::Red => "31",
            Style::Green => "32",
            Style::Yellow => "33",
            Style::Cyan => "36",
        }
    }
}

impl Screen {
    /// What stdout of this process is.
    pub(crate) fn of_stdout(environment: &Environment) -> Screen {
        let piped = Screen {
            width: None,
            height: None,
            colours: Colours::Off,
            pager: None,
            now: Timestamp::now(),
            zone: TimeZone::UTC,
        };
        if !io::stdout().is_terminal() {
            return piped;
        }
        let size = terminal_size::terminal_size();
        let asked = environment.get("COLUMNS").and_then(OsStr::to_str).and_then(|text| text.parse().ok());
        let width = asked.or(size.map(|(width, _)| usize::from(width.0))).unwrap_or(DEFAULT_WIDTH);
        let has_colours = environment.get("NO_COLOR").is_none() && environment.get("TERM") != Some(OsStr::new("dumb"));
        Screen {
            width: Some(width.max(NARROWEST)),
            height: size.map(|(_, height)| usize::from(height.0)),
            colours: if has_colours { Colours::On } else { Colours::Off },
            pager: Some(environment.get("PAGER").unwrap_or(OsStr::new(DEFAULT_PAGER)).to_owned()),
            zone: TimeZone::system(),
            ..piped
        }
    }

    pub(crate) fn is_terminal(&self) -> bool {
        self.width.is_some()
    }

    pub(crate) fn paint(&self, style: Style, text: &str) -> String {
        match self.colours {
            Colours::On if !text.is_empty() => format!("\u{1b}[{}m{text}\u{1b}[0m", style.code()),
            Colours::On | Colours::Off => text.to_owned(),
        }
    }

    /// Prints lines: with the pager where they are more than the terminal has.
    pub(crate) fn show(&self, text: &str) -> Result<(), CommandError> {
        let lines = text.bytes().filter(|byte| *byte == b'\n').count() + 1;
        match (&self.pager, self.height) {
            (Some(pager), Some(height)) if lines >= height => {
                if page(pager, text) {
                    Ok(())
                } else {
                    output::print(text)
                }
            }
            _ => output::print(text),
        }
    }

    /// A unified diff, coloured.
    pub(crate) fn diff(&self, diff: &str) -> String {
        let line = |line: &str| {
            let shown = printable_lines(line);
            match line.as_bytes().first() {
                _ if line.starts_with("+++") || line.starts_with("---") => self.paint(Style::Bold, &shown),
                Some(b'+') => self.paint(Style::Green, &shown),
                Some(b'-') => self.paint(Style::Red, &shown),
                Some(b'@') => self.paint(Style::Cyan, &shown),
                _ => shown,
            }
        };
        diff.trim_end_matches('\n').split('\n').map(line).collect::<Vec<_>>().join("\n")
    }

    /// A time of the API: how long ago on a terminal, to the minute in UTC elsewhere.
    pub(crate) fn time(&self, time: &str) -> String {
        match (self.is_terminal(), time.parse::<Timestamp>()) {
            (true, Ok(at)) => ago(self.now, at, &self.zone),
            _ => output::to_minute(time),
        }
    }
}

/// Runs a pager on a text; whether it ran. What it does not read is its user's choice.
fn page(pager: &OsStr, text: &str) -> bool {
    let mut command = Command::new("sh");
    let started = command.arg("-c").arg(pager).env("LESSCHARSET", "utf-8").stdin(Stdio::piped()).spawn();
    let Ok(mut child) = started else { return false };
    if let Some(mut stdin) = child.stdin.take() {
        let _ = writeln!(stdin, "{text}");
    }
    // 127: the shell has not found it.
    child.wait().is_ok_and(|status| status.code() != Some(127))
}

/// How long ago a time is, or its day where that is long ago.
fn ago(now: Timestamp, at: Timestamp, zone: &TimeZone) -> String {
    let since = now.duration_since(at);
    let (minutes, hours) = (since.as_mins(), since.as_hours());
    let counted = |count: i64, unit: &str| format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" });
    match hours {
        _ if since < SignedDuration::ZERO => to_day(at, zone),
        0 if minutes == 0 => "just now".to_owned(),
        0 => format!("{minutes} min ago"),
        1..24 => counted(hours, "hour"),
        24..720 => counted(hours / 24, "day"),
        _ => to_day(at, zone),
    }
}

fn to_day(at: Timestamp, zone: &TimeZone) -> String {
    at.to_zoned(zone.clone()).strftime("%Y-%m-%d").to_string()
}

/// Text that cannot steer a terminal; its lines and tabs stay.
pub(crate) fn printable_lines(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && !matches!(c, '\n' | '\t') { '\u{fffd}' } else { c }).collect()
}

/// The columns that a text takes.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// The beginning of a text that fits into so many columns, with `…` where something is missing.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let (mut cut, mut taken) = (String::new(), 0);
    for c in text.chars() {
        taken += c.width().unwrap_or(0);
        if taken + 1 > width {
            break;
        }
        cut.push(c);
    }
    cut + "…"
}

#[cfg(test)]
impl Screen {
    /// A terminal of so many columns, without colours.
    pub(crate) fn terminal(width: usize) -> Screen {
        let now = Timestamp::UNIX_EPOCH;
        Screen { width: Some(width), height: None, colours: Colours::Off, pager: None, now, zone: TimeZone::UTC }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_by_the_columns_that_it_takes() {
        assert_eq!(cut("plan", 4), "plan");
        assert_eq!(cut("plans", 4), "pla…");
        assert_eq!(cut("日本語", 6), "日本語");
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!(cut("日本語", 4), "日…", "a wide character takes two");
        assert_eq!(cut("x", 0), "…");
    }

    #[test]
    fn people_see_how_long_ago_it_was() {
        let now: Timestamp = "2026-03-31T12:00:00Z".parse().expect("a time");
        let check = |time: &str, expected: &str| {
            assert_eq!(ago(now, time.parse().expect("a time"), &TimeZone::UTC), expected, "{time}");
        };
        check("2026-03-31T11:59:30Z", "just now");
        check("2026-03-31T11:58:00Z", "2 min ago");
        check("2026-03-31T11:00:00Z", "1 hour ago");
        check("2026-03-30T11:00:00Z", "1 day ago");
        check("2026-03-02T12:00:00Z", "29 days ago");
        check("2026-03-01T12:00:00Z", "2026-03-01");
        check("2027-01-01T00:00:00Z", "2027-01-01");
    }

    #[test]
    fn a_diff_cannot_steer_the_terminal() {
        assert_eq!(Screen::terminal(80).diff("+\u{1b}[31mred\n-x\r\n"), "+\u{fffd}[31mred\n-x\u{fffd}");
        let colours = Screen { colours: Colours::On, ..Screen::terminal(80) };
        assert_eq!(colours.diff("-a\n+b\n"), "\u{1b}[31m-a\u{1b}[0m\n\u{1b}[32m+b\u{1b}[0m");
    }
}
