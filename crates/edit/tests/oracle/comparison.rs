//! Converts the engine's results and errors into the oracle's outcome types, so that both can be compared.

use interline_edit::{Insert, InsertError, Level, PatchError, ReplaceError, ReplaceWarning, Replacement, patch_lines};

use super::generate::Case;
use super::generate_patch::PatchCase;
use super::warnings::{Warning, warnings};
use super::{InsertOutcome, PatchOutcome, ReplaceOutcome};

/// What the engine makes of the case.
pub(crate) fn engine_outcome(case: &Case) -> ReplaceOutcome {
    match interline_edit::replace(&case.content, &case.request()) {
        Ok(done) => {
            let after = done.edit.apply(&case.content).unwrap();
            ReplaceOutcome::Applied { after, level: done.level, line: done.line, ranges: done.ranges }
        }
        Err(ReplaceError::NoMatch(_)) => ReplaceOutcome::NoMatch,
        Err(ReplaceError::MultipleMatches(several)) => {
            assert_eq!(several.expected, case.expected_matches);
            let lines = several.locations.iter().map(|location| location.line).collect();
            ReplaceOutcome::MultipleMatches { total: several.total, level: several.level, lines }
        }
        Err(ReplaceError::EmptyOldStr | ReplaceError::ZeroExpectedMatches) => ReplaceOutcome::Invalid,
        Err(other) => panic!("{other:?}"),
    }
}

/// What the oracle makes of the case.
pub(crate) fn oracle_outcome(case: &Case) -> ReplaceOutcome {
    super::replace(&case.content, &case.request())
}

/// What the oracle warns of.
pub(crate) fn oracle_warnings(case: &Case) -> Vec<Warning> {
    match oracle_outcome(case) {
        ReplaceOutcome::Applied { level: Level::Exact, .. } => warnings(&case.content, &case.request()),
        _ => Vec::new(),
    }
}

/// What the engine warns of.
pub(crate) fn engine_warnings(done: &Replacement) -> Vec<Warning> {
    let warnings = done.warnings.iter().map(|warning| match warning {
        ReplaceWarning::LostIndentation { line, lines } => {
            Warning::LostIndentation { line: *line, lines: lines.clone() }
        }
        ReplaceWarning::JoinedLines { line } => Warning::JoinedLines { line: *line },
    });
    warnings.collect()
}

/// What the engine makes of the patch.
pub(crate) fn engine_patch(case: &PatchCase) -> Result<String, PatchOutcome> {
    match patch_lines(&case.content, &case.operations()) {
        Ok(edit) => Ok(edit.apply(&case.content).unwrap()),
        Err(PatchError::NoOperations) => Err(PatchOutcome::NoOperations),
        Err(PatchError::Invalid(bad)) => Err(PatchOutcome::Invalid(bad.iter().map(|bad| bad.index).collect())),
        Err(PatchError::Stale(stale)) => Err(PatchOutcome::Stale(stale.iter().map(|stale| stale.index).collect())),
    }
}

/// What the oracle makes of the patch.
pub(crate) fn oracle_patch(case: &PatchCase) -> Result<String, PatchOutcome> {
    super::patch(&case.content, &case.operations())
}

/// What the engine makes of the insertion.
pub(crate) fn engine_insertion(content: &str, request: &Insert<'_>) -> InsertOutcome {
    match interline_edit::insert(content, request) {
        Ok(done) => {
            let after = done.edit.apply(content).unwrap();
            InsertOutcome::Applied { after, level: done.level, line: done.line }
        }
        Err(InsertError::NoMatch(_)) => InsertOutcome::NoMatch,
        Err(InsertError::MultipleMatches(several)) => {
            assert_eq!(several.expected, 1);
            let lines = several.locations.iter().map(|location| location.line).collect();
            InsertOutcome::MultipleMatches { total: several.total, level: several.level, lines }
        }
        Err(InsertError::EmptyAnchor | InsertError::EmptyNewStr) => InsertOutcome::Invalid,
        Err(other @ InsertError::ResultTooLarge { .. }) => panic!("{other:?}"),
    }
}
