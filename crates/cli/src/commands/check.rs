//! The command `interline check`: checks that the local store is whole.

use interline_items::{CheckProblem, CheckReport};

use crate::args::CheckArgs;
use crate::command_error::CommandError;
use crate::environment::Environment;
use crate::local;
use crate::output::{OutputFormat, print, print_json};
use crate::settings::StoreSettings;
use crate::wire::CheckResponse;

pub(super) async fn run(args: &CheckArgs, environment: &Environment) -> Result<(), CommandError> {
    let settings = StoreSettings::for_check(args, environment)?;
    let report = local::check(&settings).await?;
    match args.format() {
        OutputFormat::Json => print_json(&CheckResponse::from(&report))?,
        OutputFormat::Text => print(&summary(&report))?,
    }
    verdict(&report)
}

fn verdict(report: &CheckReport) -> Result<(), CommandError> {
    match report.total_problems {
        0 => Ok(()),
        problems => Err(CommandError::failed(format!("the store is damaged: {} found", counted(problems, "problem")))
            .hint("copy the store as it is before anything else; items that are not listed are intact")),
    }
}

/// The report for people: the counts, what the index will do by itself, and a line for each problem.
fn summary(report: &CheckReport) -> String {
    let CheckReport { items, versions, stale, .. } = report;
    let mut lines = vec![format!("{} and {} checked", counted(*items, "item"), counted(*versions, "version"))];
    if *stale > 0 {
        lines.push(format!("{} waiting to be indexed (normal)", counted(*stale, "item")));
    }
    lines.extend(report.problems.iter().map(problem));
    match report.total_problems - report.problems.len() as u64 {
        _ if report.total_problems == 0 => lines.push("no problems".to_owned()),
        0 => {}
        more => lines.push(format!("and {more} more")),
    }
    lines.join("\n")
}

fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn problem(problem: &CheckProblem) -> String {
    match problem {
        CheckProblem::Item(id) => format!("item {id}: its entry cannot be read"),
        CheckProblem::Table(detail) => format!("the database: {detail}"),
        CheckProblem::Content(id) => format!("item {id}: the content is not what was written"),
        CheckProblem::Version { id, version } => format!("item {id}: version {version} cannot be rebuilt"),
        CheckProblem::Index(id) => format!("item {id}: the search index differs from it"),
        CheckProblem::Damage(detail) => format!("the search index: {detail}"),
    }
}

#[cfg(test)]
mod tests {
    use interline_items::ItemId;

    use super::*;

    fn report(problems: Vec<CheckProblem>) -> CheckReport {
        let mut report = CheckReport { items: 3, versions: 7, stale: 1, ..CheckReport::default() };
        problems.into_iter().for_each(|problem| report.add(problem));
        report
    }

    #[test]
    fn a_store_without_problems_is_fine() {
        let report = report(Vec::new());
        assert_eq!(
            summary(&report),
            "3 items and 7 versions checked\n1 item waiting to be indexed (normal)\nno problems"
        );
        assert!(verdict(&report).is_ok());
        let waiting = CheckReport { items: 1, versions: 1, stale: 2, ..CheckReport::default() };
        let expected = "1 item and 1 version checked\n2 items waiting to be indexed (normal)\nno problems";
        assert_eq!(summary(&waiting), expected);
        assert_eq!(summary(&CheckReport::default()), "0 items and 0 versions checked\nno problems");
    }

    #[test]
    fn every_problem_is_listed() {
        let id = ItemId::generate();
        let report = report(vec![
            CheckProblem::Item(id),
            CheckProblem::Table("table contents: page 7 is used twice".to_owned()),
            CheckProblem::Content(id),
            CheckProblem::Version { id, version: 4 },
            CheckProblem::Index(id),
            CheckProblem::Damage("segment 9 is cut short".to_owned()),
        ]);
        let expected = format!(
            "3 items and 7 versions checked\n\
             1 item waiting to be indexed (normal)\n\
             item {id}: its entry cannot be read\n\
             the database: table contents: page 7 is used twice\n\
             item {id}: the content is not what was written\n\
             item {id}: version 4 cannot be rebuilt\n\
             item {id}: the search index differs from it\n\
             the search index: segment 9 is cut short"
        );
        assert_eq!(summary(&report), expected);
        let error = verdict(&report).expect_err("a failure").to_string();
        assert!(error.starts_with("error: the store is damaged: 6 problems found\nhint: "), "{error}");
    }

    #[test]
    fn more_problems_than_are_kept_are_counted() {
        let report = report(vec![CheckProblem::Damage("x".to_owned()); 123]);
        let summary = summary(&report);
        assert!(summary.ends_with("\nand 23 more"), "{summary}");
        let shape = serde_json::to_value(CheckResponse::from(&report)).expect("JSON");
        assert_eq!((&shape["total_problems"], shape["problems"].as_array().map(Vec::len)), (&123.into(), Some(100)));
    }
}
