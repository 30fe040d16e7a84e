//! The report of an import: what all its requests have done together.

use interline_items::ImportMode;
use serde_json::{Value, json};

use crate::command_error::CommandError;
use crate::output::{OutputFormat, print_json, print_to_stderr, printable};
use crate::screen::Screen;
use crate::table::{Column, table};

const COUNTS: [&str; 7] = ["created", "updated", "merged", "unchanged", "skipped", "conflicts", "attachments"];
/// How many problems and notices are kept, as in the answer of one request; how many are shown to people.
const KEPT: usize = 1_000;
const SHOWN: usize = 20;

/// What was done so far.
pub(super) struct Report {
    mode: ImportMode,
    counts: [u64; COUNTS.len()],
    problems: Vec<Value>,
    problems_total: u64,
    notices: Vec<Value>,
    notices_total: u64,
}

impl Report {
    pub(super) fn new(mode: ImportMode) -> Report {
        let counts = [0; COUNTS.len()];
        Report { mode, counts, problems: Vec::new(), problems_total: 0, notices: Vec::new(), notices_total: 0 }
    }

    /// Adds what one request has done.
    pub(super) fn add(&mut self, answer: &Value) {
        for (count, name) in self.counts.iter_mut().zip(COUNTS) {
            *count += answer[name].as_u64().unwrap_or(0);
        }
        let list = |name: &str| answer[name].as_array().into_iter().flatten().cloned();
        self.problems.extend(list("problems").take(KEPT.saturating_sub(self.problems.len())));
        self.notices.extend(list("notices").take(KEPT.saturating_sub(self.notices.len())));
        self.problems_total += answer["problems_total"].as_u64().unwrap_or(0);
        self.notices_total += answer["notices_total"].as_u64().unwrap_or(0);
    }

    /// Counts something that cannot be read.
    pub(super) fn skip(&mut self, source: &str, reason: &str) {
        self.add(&json!({"skipped": 1, "problems": [{"source": source, "reason": reason}], "problems_total": 1}));
    }

    /// Counts a file that is no item.
    pub(super) fn attachment(&mut self) {
        self.add(&json!({"attachments": 1}));
    }

    /// Whether anything was left out.
    pub(super) fn has_problems(&self) -> bool {
        self.problems_total > 0
    }

    fn json(&self) -> Value {
        let mut report = json!({"problems": self.problems, "problems_total": self.problems_total,
            "notices": self.notices, "notices_total": self.notices_total, "dry_run": self.mode == ImportMode::DryRun});
        for (count, name) in self.counts.iter().zip(COUNTS) {
            report[name] = (*count).into();
        }
        report
    }

    /// Prints the report, as the API has it or as a table.
    pub(super) fn print(&self, format: OutputFormat, screen: &Screen) -> Result<(), CommandError> {
        if format == OutputFormat::Json {
            return print_json(&self.json());
        }
        let lists = [("skipped", &self.problems, self.problems_total), ("note", &self.notices, self.notices_total)];
        for (label, list, total) in lists {
            for entry in list.iter().take(SHOWN) {
                let text = |key: &str| printable(entry[key].as_str().unwrap_or_default());
                print_to_stderr(&format!("{label}: {}: {}", text("source"), text("reason")));
            }
            let more = total.saturating_sub(list.len().min(SHOWN) as u64);
            if more > 0 {
                print_to_stderr(&format!("{label}: and {more} more, which --json lists"));
            }
        }
        // What did not happen is left out; that nothing was made is told.
        let counted = COUNTS.iter().zip(self.counts).filter(|(name, count)| *count > 0 || **name == COUNTS[0]);
        let rows: Vec<Vec<String>> = counted.map(|(name, count)| vec![(*name).to_owned(), count.to_string()]).collect();
        let header = match self.mode {
            ImportMode::DryRun => "WOULD BE",
            ImportMode::Write => "ITEMS",
        };
        screen.show(&table(screen, &[Column::whole(header), Column::whole("COUNT")], &rows))
    }
}
