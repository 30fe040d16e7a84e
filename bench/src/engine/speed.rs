//! Speed of the text engine on 4 MB of source: each operation beside the raw work that no implementation can avoid.

use std::error::Error;
use std::time::Duration;

use interline_edit::{
    Case, LineOperation, Pattern, Replace, SearchOptions, patch_lines, read_lines, replace, search, total_lines,
};
use memchr::memmem::Finder;

use super::summary;
use crate::measure::{Effort, side_by_side};
use crate::table::{Table, millis, times, verdict};
use crate::texts::{RARE_NAME, passage, source};

const BYTES: usize = 4_000_000;
const EFFORT: Effort = Effort { least: 31, most: 101, budget: Duration::from_secs(1) };
const COLUMNS: &[&str] = &["operation, 4 MB text", "median", "raw limit", "ratio", "bar", ""];

/// What an operation may take.
#[derive(Clone, Copy, Debug)]
enum Bar {
    /// So many times the raw operation.
    Times(f64),
    /// So much.
    Within(Duration),
}

struct Group<'a> {
    text: &'a str,
    table: Table<'a>,
}

pub(super) fn run(filter: &str) -> Result<(), Box<dyn Error>> {
    let text = source(BYTES, 1);
    let mut group = Group { text: &text, table: Table::new(filter, "## The engine beside the raw limits", COLUMNS) };
    group.replaces()?;
    group.search()?;
    group.lines()
}

impl Group<'_> {
    fn row<A, B>(
        &mut self,
        name: &str,
        bar: Bar,
        operation: impl FnMut() -> A,
        raw: impl FnMut() -> B,
    ) -> Result<(), Box<dyn Error>> {
        if !self.table.wants(name) {
            return Ok(());
        }
        let medians = side_by_side(EFFORT, operation, raw);
        let (shown, passes) = match bar {
            Bar::Times(most) => (times(most), medians.ratio() <= most),
            Bar::Within(most) => (millis(most), medians.subject <= most),
        };
        let figures = [millis(medians.subject), millis(medians.reference), times(medians.ratio())];
        self.table.row(name, &figures.into_iter().chain([shown, verdict(passes)]).collect::<Vec<_>>())?;
        Ok(())
    }

    fn replaces(&mut self) -> Result<(), Box<dyn Error>> {
        let text = self.text;
        for (place, offset) in [("in the middle", BYTES / 2), ("near the end", BYTES - BYTES / 50)] {
            let old = passage(text, offset);
            let changed = |line: &str| line.replace("self.", "this.");
            let new = changed(old);
            let name = format!("exact replace, unique, {place} / memmem + copy");
            self.replace(&name, "exact", Bar::Times(2.5), old, &new)?;

            let windows = |line: &str| line.replace('\n', " \r\n");
            let name = format!("whitespace_normalized hit, {place} / memmem + copy");
            self.replace(&name, "whitespace_normalized", Bar::Times(6.0), &windows(old), &windows(&new))?;

            let dedented = |passage: &str| passage.replace("\n    ", "\n").trim_start().to_owned();
            let name = format!("indentation_relative hit, {place} / memmem + copy");
            self.replace(&name, "indentation_relative", Bar::Times(6.0), &dedented(old), &dedented(&new))?;

            // Two lines are not as they are in the text.
            let last = old.rfind('\n').unwrap_or(0);
            let absent = old[..last].replacen(" = ", " = not_there or ", 1) + "\n    return not_there";
            let name = format!("refused after the whole ladder, nearest {place} / memmem + copy");
            let bar = Bar::Within(Duration::from_millis(30));
            self.replace(&name, "no_match: None", bar, &absent, &changed(&absent))?;
        }
        Ok(())
    }

    /// A replacement with the copy that applying it makes, beside a scan for `old_str` and a copy of the text.
    fn replace(&mut self, name: &str, outcome: &str, bar: Bar, old: &str, new: &str) -> Result<(), Box<dyn Error>> {
        let text = self.text;
        let request = Replace::new(old, new);
        let found = summary(&replace(text, &request));
        if !found.starts_with(outcome) || found.ends_with(" 0 near") {
            return Err(format!("{name}: expected {outcome}, got {found}").into());
        }
        let finder = Finder::new(old);
        let operation = || replace(text, &request).map(|done| done.edit.apply(text));
        self.row(name, bar, operation, || (finder.find_iter(text.as_bytes()).count(), copy(text)))
    }

    fn search(&mut self) -> Result<(), Box<dyn Error>> {
        let text = self.text;
        let finder = Finder::new(RARE_NAME);
        let raw = || finder.find_iter(text.as_bytes()).count();
        let pattern = Pattern::literal(RARE_NAME, Case::Sensitive).map_err(|error| error.to_string())?;
        let options = SearchOptions { context_lines: 2, limit: usize::MAX };
        let operation = || search(text, &pattern, &options, &mut || true);
        let total = operation()?.total;
        if total != raw() {
            return Err("the search and memmem find different numbers of matches".into());
        }
        let name = format!("literal search, {total} matches with context / memmem");
        self.row(&name, Bar::Times(2.0), operation, raw)
    }

    fn lines(&mut self) -> Result<(), Box<dyn Error>> {
        let text = self.text;
        let middle = total_lines(text) / 2;
        let operation = || read_lines(text, middle, middle + 99);
        let name = "read 100 lines in the middle / newline count";
        let newlines = || memchr::memchr_iter(b'\n', text.as_bytes()).count();
        self.row(name, Bar::Within(Duration::from_millis(1)), operation, newlines)?;

        let operations = operations(text, 50)?;
        patch_lines(text, &operations).map_err(|error| format!("{error:?}"))?;
        let operation = || patch_lines(text, &operations).map(|edit| edit.apply(text));
        self.row("50 line operations / copy", Bar::Times(4.0), operation, || copy(text))
    }
}

/// The text in a new allocation, as applying an edit makes it.
fn copy(text: &str) -> String {
    let mut copy = String::with_capacity(text.len());
    copy.push_str(text);
    copy
}

/// Line operations of every kind, all over the text.
pub(super) fn operations(text: &str, count: usize) -> Result<Vec<LineOperation<'_>>, Box<dyn Error>> {
    let distance = total_lines(text) / (count + 1);
    let mut operations = Vec::with_capacity(count);
    // From one to the next, so that making them is linear too.
    let mut rest = text;
    for index in 0..count {
        let skipped = read_lines(rest, 1, distance)?;
        rest = &rest[skipped.len() + 1..];
        let start_line = (index + 1) * distance + 1;
        operations.push(match index % 4 {
            0 => LineOperation { start_line, end_line: start_line + 2, content: "one\ntwo\n", expect: None },
            1 => LineOperation { start_line, end_line: start_line - 1, content: "inserted\n", expect: None },
            2 => LineOperation { start_line, end_line: start_line, content: "", expect: None },
            _ => {
                let expect = Some(read_lines(rest, 1, 3)?);
                LineOperation { start_line, end_line: start_line + 2, content: "checked\n", expect }
            }
        });
    }
    Ok(operations)
}
