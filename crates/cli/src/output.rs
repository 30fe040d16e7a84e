//! Printing: results on stdout, everything else on stderr.

use std::io::{self, Write as _};

use serde::Serialize;

use crate::command_error::CommandError;

/// How a result is printed, or the log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// Whether the program at the other end of stdout still reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reader {
    /// It may still read.
    There,
    /// It has closed the pipe.
    Gone,
}

/// Prints lines on stdout. A reader that has closed the pipe is not an error.
pub(crate) fn print(text: &str) -> Result<(), CommandError> {
    print_if_read(text).map(|_| ())
}

/// Prints lines on stdout, for a command that goes on only as long as its reader is there.
pub(crate) fn print_if_read(text: &str) -> Result<Reader, CommandError> {
    let mut stdout = io::stdout().lock();
    match writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
        Ok(()) => Ok(Reader::There),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Reader::Gone),
        Err(error) => Err(CommandError::failed(format!("stdout cannot be written: {error}"))),
    }
}

/// Prints bytes on stdout, and nothing else.
pub(crate) fn print_exactly(bytes: &[u8]) -> Result<(), CommandError> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(CommandError::failed(format!("stdout cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints lines on stderr; an error of stderr is ignored.
pub(crate) fn print_to_stderr(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Prints a value as indented JSON.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), CommandError> {
    let json = serde_json::to_string_pretty(value).map_err(CommandError::failed)?;
    print(&json)
}

/// Prints a table whose columns are as wide as they need to be.
pub(crate) fn print_table<const COLUMNS: usize>(
    header: [&str; COLUMNS],
    rows: Vec<[String; COLUMNS]>,
) -> Result<(), CommandError> {
    let rows: Vec<[String; COLUMNS]> = std::iter::once(header.map(str::to_owned))
        .chain(rows.into_iter().map(|row| row.map(|cell| printable(&cell))))
        .collect();
    let mut widths = [0; COLUMNS];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let lines: Vec<String> = rows.iter().map(|row| line(row, &widths)).collect();
    print(&lines.join("\n"))
}

/// A time of the API, to the minute.
pub(crate) fn to_minute(time: &str) -> String {
    time.chars().take("2026-01-31T12:00".len()).map(|c| if c == 'T' { ' ' } else { c }).collect()
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let padded: Vec<String> = cells.iter().zip(widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
    padded.join("  ").trim_end().to_owned()
}

/// A cell that is safe to print: text from a server must not steer the terminal.
pub(crate) fn printable(cell: &str) -> String {
    let cell: String = cell.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if cell.is_empty() { "-".to_owned() } else { cell }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_cannot_steer_the_terminal() {
        assert_eq!(printable("\u{1b}[31mred\n"), "\u{fffd}[31mred\u{fffd}");
        assert_eq!(printable(""), "-");
    }

    #[test]
    fn people_see_times_to_the_minute() {
        assert_eq!(to_minute("2026-01-31T12:34:56.789012Z"), "2026-01-31 12:34");
        assert_eq!(to_minute(""), "");
    }

    #[test]
    fn columns_line_up_and_lines_have_no_trailing_blanks() {
        let cells = |cells: [&str; 2]| cells.map(str::to_owned);
        assert_eq!(line(&cells(["a", "b"]), &[4, 3]), "a     b");
        assert_eq!(line(&cells(["äöü", "b"]), &[4, 3]), "äöü   b");
    }
}
