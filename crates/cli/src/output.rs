//! What is printed: answers on stdout, everything else on stderr.

use std::io::{self, Write as _};

use serde::Serialize;

use crate::failure::Failure;

/// How an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// Whether somebody reads what is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reader {
    /// Somebody may.
    There,
    /// Nobody does any more.
    Gone,
}

/// Prints lines on stdout. That nobody reads them any more is not a failure.
pub(crate) fn say(text: &str) -> Result<(), Failure> {
    tell(text).map(|_| ())
}

/// The same, for whoever goes on only as long as somebody reads it.
pub(crate) fn tell(text: &str) -> Result<Reader, Failure> {
    let mut stdout = io::stdout().lock();
    match writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
        Ok(()) => Ok(Reader::There),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Reader::Gone),
        Err(error) => Err(Failure::failed(format!("stdout cannot be written: {error}"))),
    }
}

/// Prints lines on stderr, if anybody reads it.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Prints a value as indented JSON.
pub(crate) fn say_json(value: &impl Serialize) -> Result<(), Failure> {
    let json = serde_json::to_string_pretty(value).map_err(Failure::failed)?;
    say(&json)
}

/// Prints a table whose columns are as wide as they need to be.
pub(crate) fn say_table<const COLUMNS: usize>(
    header: [&str; COLUMNS],
    rows: Vec<[String; COLUMNS]>,
) -> Result<(), Failure> {
    let rows: Vec<[String; COLUMNS]> = std::iter::once(header.map(str::to_owned))
        .chain(rows.into_iter().map(|row| row.map(|cell| shown(&cell))))
        .collect();
    let mut widths = [0; COLUMNS];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let lines: Vec<String> = rows.iter().map(|row| line(row, &widths)).collect();
    say(&lines.join("\n"))
}

/// A time of the API, to the minute.
pub(crate) fn minute(time: &str) -> String {
    time.chars().take("2026-01-31T12:00".len()).map(|c| if c == 'T' { ' ' } else { c }).collect()
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let padded: Vec<String> = cells.iter().zip(widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
    padded.join("  ").trim_end().to_owned()
}

/// A cell as a terminal may get it: what comes from a server must not steer it.
pub(crate) fn shown(cell: &str) -> String {
    let cell: String = cell.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if cell.is_empty() { "-".to_owned() } else { cell }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_cannot_steer_the_terminal() {
        assert_eq!(shown("\u{1b}[31mred\n"), "\u{fffd}[31mred\u{fffd}");
        assert_eq!(shown(""), "-");
    }

    #[test]
    fn people_see_times_to_the_minute() {
        assert_eq!(minute("2026-01-31T12:34:56.789012Z"), "2026-01-31 12:34");
        assert_eq!(minute(""), "");
    }

    #[test]
    fn columns_line_up_and_lines_have_no_trailing_blanks() {
        let cells = |cells: [&str; 2]| cells.map(str::to_owned);
        assert_eq!(line(&cells(["a", "b"]), &[4, 3]), "a     b");
        assert_eq!(line(&cells(["äöü", "b"]), &[4, 3]), "äöü   b");
    }
}
