//! Line patches: lines replaced by their numbers.

use interline_items::OperationProblem;
use interline_items::{EditRequest, EditUnit, Error, LinePatch, TextChange};

use super::{assert_edits, assert_refuses, expecting, lines};
use crate::world::{World, refused_fields};

#[tokio::test]
async fn lines_are_replaced_inserted_and_removed() {
    let world = World::new().await;
    let cases: [(&str, Vec<LinePatch>, &str, usize); 14] = [
        ("a\nb\nc", vec![lines(2, 2, "B")], "a\nB\nc", 2),
        ("a\nb\nc", vec![lines(3, 3, "C"), lines(1, 1, "A\n")], "A\nb\nC", 1),
        ("a\nb\nc", vec![lines(1, 2, "")], "c", 1),
        ("a\nb\nc", vec![lines(2, 3, "")], "a", 2),
        ("a\nb\nc", vec![lines(1, 0, "0")], "0\na\nb\nc", 1),
        ("a\nb\n", vec![lines(4, 3, "x")], "a\nb\nx\n", 4),
        ("a\nb\n", vec![lines(3, 2, "x")], "a\nb\nx\n", 3),
        ("a\nb\n", vec![lines(3, 3, "x")], "a\nb\nx", 3),
        ("a\nb\n", vec![lines(3, 3, "")], "a\nb", 3),
        ("a\r\nb", vec![lines(2, 2, "")], "a", 2),
        ("a\r\nb\r\n", vec![lines(2, 1, "x\ny")], "a\r\nx\r\ny\r\nb\r\n", 2),
        ("", vec![lines(1, 1, "x")], "x", 1),
        ("", vec![lines(1, 0, "x")], "x", 1),
        ("a\nb", vec![expecting("b", lines(2, 2, "b"))], "a\nb", 2),
    ];
    for (before, operations, after, line) in cases {
        let count = operations.len();
        let edited = assert_edits(&world, before, &TextChange::Patch(operations), after).await;
        assert_eq!((edited.match_type, edited.line), (None, Some(line)), "{before:?}");
        assert_eq!((edited.count, edited.unit), (count, EditUnit::Operations), "{before:?}");
    }
}

#[tokio::test]
async fn operations_that_cannot_be_applied_are_all_named_and_none_is_applied() {
    use OperationProblem::{EmptyInsertion, ExpectOnInsertion, OutOfRange, Overlaps, StartAfterEnd};
    let world = World::new().await;
    let out_of_range = OutOfRange { total_lines: 3 };
    for (operations, expected) in [
        (vec![], &[][..]),
        (vec![lines(4, 4, "x"), lines(1, 1, "ok")], &[(0, out_of_range)]),
        (vec![lines(0, 1, "x"), lines(5, 4, "x")], &[(0, out_of_range), (1, out_of_range)]),
        (vec![lines(3, 1, "x")], &[(0, StartAfterEnd)]),
        (vec![lines(1, 0, "")], &[(0, EmptyInsertion)]),
        (vec![expecting("a", lines(1, 0, "x"))], &[(0, ExpectOnInsertion)]),
        (vec![lines(1, 2, "x"), lines(2, 3, "y")], &[(0, Overlaps { other: 1 }), (1, Overlaps { other: 0 })]),
    ] {
        let edit_request = EditRequest::new(TextChange::Patch(operations));
        match assert_refuses(&world, "a\nb\nc", &edit_request, "invalid_operations").await {
            Error::InvalidOperations { operations: reported, total } => {
                assert_eq!(total, expected.len());
                let reported: Vec<_> = reported.iter().map(|operation| (operation.index, operation.problem)).collect();
                assert_eq!(reported, expected);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn lines_that_are_not_what_was_expected_are_a_conflict_with_what_they_are() {
    let world = World::new().await;
    let operations = vec![lines(1, 1, "A"), expecting("x", lines(2, 2, "B")), expecting("c\n", lines(3, 3, "C"))];
    let edit_request = EditRequest::new(TextChange::Patch(operations));
    match assert_refuses(&world, "a\nb\nc", &edit_request, "conflict").await {
        Error::StaleLines { operations, total, current } => {
            assert_eq!((operations.len(), total), (1, 1));
            assert_eq!((operations[0].index, operations[0].present.as_deref()), (1, Some("b")));
            assert_eq!(current.stamp.version, 1);
        }
        other => panic!("{other:?}"),
    }
    // What no text could take is reported first.
    let operations = vec![expecting("x", lines(1, 1, "A")), lines(9, 9, "x")];
    assert_refuses(&world, "a", &EditRequest::new(TextChange::Patch(operations)), "invalid_operations").await;
}

#[tokio::test]
async fn texts_that_cannot_be_stored_are_refused_by_their_place() {
    let world = World::new().await;
    let operations = vec![lines(1, 1, "a"), expecting("\0", lines(2, 2, "\0"))];
    let edit_request = EditRequest::new(TextChange::Patch(operations));
    let error = assert_refuses(&world, "a\nb", &edit_request, "validation_failed").await;
    assert_eq!(refused_fields::<()>(Err(error)), ["operations[1].content", "operations[1].expect"]);
}

#[tokio::test]
async fn a_refusal_of_very_many_operations_stays_short_and_has_their_number() {
    let world = World::new().await;
    let edit_request = |operation: &LinePatch| EditRequest::new(TextChange::Patch(vec![operation.clone(); 5_000]));
    match assert_refuses(&world, "a", &edit_request(&lines(7, 7, "x")), "invalid_operations").await {
        Error::InvalidOperations { operations, total } => assert_eq!((operations.len(), total), (200, 5_000)),
        other => panic!("{other:?}"),
    }
}
