//! Runs the scenarios of patching lines.

use interline_edit::{LineOperation, OperationProblem, PatchError, patch_lines};
use serde_json::{Value, json};

use crate::Failures;
use crate::folder::{Fields, Folder};

pub(crate) fn scenario(folder: &Folder) -> Failures {
    let Some(Value::Array(operations)) = folder.request.get("operations") else { panic!("no operations") };
    assert_eq!(folder.request.len(), 1, "fields that mean nothing");
    let operations: Vec<_> = operations
        .iter()
        .map(|operation| {
            let mut fields = Fields(operation.as_object().expect("an object").clone());
            let lines = (fields.number("start_line").unwrap(), fields.number("end_line").unwrap());
            let texts = (fields.string("content").expect("content"), fields.string("expect"));
            fields.end();
            (lines, texts)
        })
        .collect();
    let operations: Vec<LineOperation<'_>> = operations
        .iter()
        .map(|(lines, texts)| LineOperation {
            start_line: lines.0,
            end_line: lines.1,
            content: &texts.0,
            expect: texts.1.as_deref(),
        })
        .collect();
    match patch_lines(&folder.before, &operations) {
        Ok(edit) => folder.applied(&edit, &json!({})),
        Err(error) => folder.refused(&error, &patch_error(&error)),
    }
}

fn patch_error(error: &PatchError) -> Value {
    match error {
        PatchError::NoOperations => json!({"error": "no_operations"}),
        PatchError::Invalid(operations) => {
            let (mut problems, mut others, mut totals) = (Vec::new(), Vec::new(), Vec::new());
            for operation in operations {
                problems.push(match operation.problem {
                    OperationProblem::OutOfRange { total_lines } => {
                        totals.push(total_lines);
                        "out_of_range"
                    }
                    OperationProblem::StartAfterEnd => "start_after_end",
                    OperationProblem::EmptyInsertion => "empty_insertion",
                    OperationProblem::ExpectOnInsertion => "expect_on_insertion",
                    OperationProblem::Overlaps { other } => {
                        others.push(other);
                        "overlaps"
                    }
                });
            }
            let indexes: Vec<_> = operations.iter().map(|operation| operation.index).collect();
            json!({
                "error": "invalid_operations",
                "indexes": indexes,
                "problems": problems,
                "others": others,
                "total_lines": totals,
            })
        }
        PatchError::Stale(operations) => json!({
            "error": "stale",
            "indexes": operations.iter().map(|operation| operation.index).collect::<Vec<_>>(),
            "present": operations.iter().map(|operation| operation.present.as_deref()).collect::<Vec<_>>(),
        }),
    }
}
