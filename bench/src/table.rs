//! Markdown tables, printed row by row as the figures are measured.

use std::io::{self, Write as _};
use std::time::Duration;

use crate::measure::PairedFigures;

/// A table that shows the rows whose names contain the filter.
#[derive(Debug)]
pub(crate) struct Table<'a> {
    filter: &'a str,
    title: &'static str,
    /// Heads of the columns; the first one is that of the names.
    columns: &'static [&'static str],
    begun: bool,
}

const NAME_WIDTH: usize = 69;
const WIDTH: usize = 12;

impl<'a> Table<'a> {
    pub(crate) fn new(filter: &'a str, title: &'static str, columns: &'static [&'static str]) -> Table<'a> {
        Table { filter, title, columns, begun: false }
    }

    /// Whether the row is asked for; one that is not need not be measured.
    pub(crate) fn wants(&self, name: &str) -> bool {
        name.contains(self.filter)
    }

    /// Prints a row, and before the first one the title and the heads.
    pub(crate) fn row(&mut self, name: &str, cells: &[String]) -> io::Result<()> {
        if !self.begun {
            self.begun = true;
            println!("\n{}\n", self.title);
            let mut heads = self.columns.iter().copied();
            println!("{}", line(heads.next().unwrap_or(""), heads));
            println!("|{}|{}", "-".repeat(NAME_WIDTH + 2), "---:|".repeat(self.columns.len() - 1));
        }
        println!("{}", line(name, cells.iter().map(String::as_str)));
        io::stdout().flush()
    }
}

/// The columns of a table whose rows are [`JudgedRow`].
pub(crate) const JUDGED: &[&str] = &["what / beside what", "figure", "beside", "ratio", "bar", ""];

/// A figure, what it was measured beside, and what it should be.
#[derive(Debug)]
pub(crate) struct JudgedRow {
    pub(crate) figure: String,
    /// Empty where a figure stands alone, like the ratio.
    pub(crate) beside: String,
    pub(crate) ratio: String,
    pub(crate) bar: String,
    pub(crate) passes: bool,
}

impl Table<'_> {
    /// Prints a row of a table with the columns [`JUDGED`].
    pub(crate) fn judged(&mut self, name: &str, row: JudgedRow) -> io::Result<()> {
        let JudgedRow { figure, beside, ratio, bar, passes } = row;
        self.row(name, &[figure, beside, ratio, bar, verdict(passes)])
    }

    /// The same of times in seconds.
    pub(crate) fn judged_times(&mut self, name: &str, seconds: PairedFigures, longest: Longest) -> io::Result<()> {
        let [subject, reference] = [seconds.subject, seconds.reference].map(Duration::from_secs_f64);
        let (bar, passes) = match longest {
            Longest::Times(bar) => (times(bar), seconds.ratio() <= bar),
            Longest::Time(bar) => (millis(bar), subject <= bar),
        };
        let ratio = times(seconds.ratio());
        let row =
            JudgedRow { figure: millis(subject), beside: millis(reference), ratio, bar: format!("≤ {bar}"), passes };
        self.judged(name, row)
    }

    /// The same of rates: the subject's should be at least this share of the reference's.
    pub(crate) fn judged_rates(&mut self, name: &str, rates: PairedFigures, least: f64) -> io::Result<()> {
        let row = JudgedRow {
            figure: per_second(rates.subject),
            beside: per_second(rates.reference),
            ratio: percent(rates.ratio()),
            bar: format!("≥ {}", percent(least)),
            passes: rates.ratio() >= least,
        };
        self.judged(name, row)
    }
}

/// How long something should take at most.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Longest {
    /// So many times as long as what it is measured beside.
    Times(f64),
    Time(Duration),
}

fn line<'c>(name: &str, cells: impl Iterator<Item = &'c str>) -> String {
    cells.fold(format!("| {name:NAME_WIDTH$} |"), |line, cell| line + &format!(" {cell:>WIDTH$} |"))
}

/// Milliseconds with about three digits that tell something.
pub(crate) fn millis(time: Duration) -> String {
    let millis = time.as_secs_f64() * 1e3;
    let digits = match millis {
        ..1.0 => 4,
        ..10.0 => 2,
        ..100.0 => 1,
        _ => 0,
    };
    format!("{millis:.digits$} ms")
}

/// A ratio, as in `2.31 ×`.
pub(crate) fn times(ratio: f64) -> String {
    format!("{ratio:.2} ×")
}

/// A share, as in `63 %`.
fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// How often a second.
pub(crate) fn per_second(rate: f64) -> String {
    format!("{rate:.0} /s")
}

/// Millions of bytes.
pub(crate) fn megabytes(bytes: f64) -> String {
    format!("{:.1} MB", bytes / 1e6)
}

/// The last word of a row.
pub(crate) fn verdict(passes: bool) -> String {
    if passes { "PASS".to_owned() } else { "over".to_owned() }
}
