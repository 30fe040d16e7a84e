//! `interline check`.

use interline_items::{CheckProblem, CheckReport};

use crate::args::CheckArgs;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::local;
use crate::output::{Form, say, say_json};
use crate::settings::StoreSettings;
use crate::shapes::CheckShape;

pub(super) async fn run(args: &CheckArgs, environment: &Environment) -> Result<(), Failure> {
    let settings = StoreSettings::of_check(args, environment)?;
    let report = local::open_existing(&settings).await?.check().await?;
    match args.form() {
        Form::Json => say_json(&CheckShape::from(&report))?,
        Form::Text => say(&told(&report))?,
    }
    verdict(&report)
}

fn verdict(report: &CheckReport) -> Result<(), Failure> {
    match report.total_problems {
        0 => Ok(()),
        problems => Err(Failure::failed(format!("the store is damaged; problems: {problems}"))
            .hint("copy the store as it is before anything else; items that are not named are whole")),
    }
}

/// What was looked at, and a line for each problem.
fn told(report: &CheckReport) -> String {
    let CheckReport { items, versions, stale, .. } = report;
    let mut lines = vec![format!("items: {items}, versions: {versions}, items not in the index yet: {stale}")];
    lines.extend(report.problems.iter().map(problem));
    match report.total_problems - report.problems.len() as u64 {
        _ if report.total_problems == 0 => lines.push("no problems".to_owned()),
        0 => {}
        more => lines.push(format!("more problems: {more}")),
    }
    lines.join("\n")
}

fn problem(problem: &CheckProblem) -> String {
    match problem {
        CheckProblem::Content(id) => format!("item {id}: the content is not what is known of it"),
        CheckProblem::Version { id, version } => format!("item {id}: version {version} cannot be rebuilt"),
        CheckProblem::Index(id) => format!("item {id}: the index of searches differs from it"),
        CheckProblem::Damage(place) => format!("the index of searches: {place}"),
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
        assert_eq!(told(&report), "items: 3, versions: 7, items not in the index yet: 1\nno problems");
        assert!(verdict(&report).is_ok());
    }

    #[test]
    fn every_problem_is_told() {
        let id = ItemId::generate();
        let report = report(vec![
            CheckProblem::Content(id),
            CheckProblem::Version { id, version: 4 },
            CheckProblem::Index(id),
            CheckProblem::Damage("segment 9 is cut short".to_owned()),
        ]);
        let expected = format!(
            "items: 3, versions: 7, items not in the index yet: 1\n\
             item {id}: the content is not what is known of it\n\
             item {id}: version 4 cannot be rebuilt\n\
             item {id}: the index of searches differs from it\n\
             the index of searches: segment 9 is cut short"
        );
        assert_eq!(told(&report), expected);
        let failure = verdict(&report).expect_err("a failure").to_string();
        assert!(failure.starts_with("error: the store is damaged; problems: 4\nhint: "), "{failure}");
    }

    #[test]
    fn more_problems_than_are_kept_are_counted() {
        let report = report(vec![CheckProblem::Damage("x".to_owned()); 123]);
        let told = told(&report);
        assert!(told.ends_with("\nmore problems: 23"), "{told}");
        let shape = serde_json::to_value(CheckShape::from(&report)).expect("JSON");
        assert_eq!((&shape["total_problems"], shape["problems"].as_array().map(Vec::len)), (&123.into(), Some(100)));
    }
}
