//! Refusals of hostile texts: what they show is short, and nothing is offered.
#![allow(clippy::panic, clippy::unwrap_used, reason = "tests speak by panics")]

use interline_edit::{MAX_EXCERPT_CHARS, NoMatch, Replace, ReplaceError, ReplaceWarning, replace};

fn refusal(content: &str, old_str: &str, new_str: &str) -> NoMatch {
    match replace(content, &Replace::new(old_str, new_str)) {
        Err(ReplaceError::NoMatch(none)) => *none,
        other => panic!("{:.200}", format!("{other:?}")),
    }
}

fn check_short(none: &NoMatch) {
    assert!(none.nearest.len() <= 3);
    for near in &none.nearest {
        assert!(near.text.split('\n').all(|line| line.chars().count() <= MAX_EXCERPT_CHARS));
        assert!(near.text.len() + near.diff.len() <= 32 * 1024, "{} {}", near.text.len(), near.diff.len());
        assert!(near.similarity < 1.0);
    }
    assert_eq!(none.merged, None);
}

#[test]
fn a_passage_of_a_line_of_eight_megabytes_is_shown_in_part() {
    let mut line = "lorem ipsum dolor sit amet ".repeat((8 << 20) / 27);
    line.insert_str(4 << 20, " the needle that was meant is here ");
    let none = refusal(&line, "the needle that was named is here", "x");
    check_short(&none);
    assert!(none.nearest[0].text.contains("the needle that was meant is here"), "{}", none.nearest[0].text);
    assert_eq!((none.nearest[0].first_line, none.nearest[0].last_line), (1, 1));
}

#[test]
fn an_old_str_of_a_megabyte_is_compared_in_part() {
    let lines: Vec<String> = (0..40_000).map(|number| format!("line {number} of the content\n")).collect();
    let content = lines.concat();
    let old_str = content.replacen("line 20000 of", "line 20000 in", 1);
    check_short(&refusal(&content, &old_str, "x"));
    let old_str = content.replacen("of the content\n", "of the content ", 39_999);
    check_short(&refusal(&content, &old_str, "x"));
}

#[test]
fn lines_that_repeat_offer_nothing() {
    let content = "a = 1;\nb = 2;\n".repeat(50_000);
    check_short(&refusal(&content, "a = 1;\nb = 3;\na = 1;", "a = 1;\nb = 3;\na = 2;"));
    check_short(&refusal(&"\n".repeat(1 << 20), "x\n\n\n\ny", "x\n\ny"));
    let old_str = format!("{}b = 3;\n", "a = 1;\nb = 2;\n".repeat(2_000));
    let new_str = format!("{}b = 3;\n", "a = 1;\nb = 4;\n".repeat(2_000));
    check_short(&refusal(&content, &old_str, &new_str));
}

#[test]
fn a_deep_indentation_before_many_lines_is_not_repeated_in_a_warning() {
    let content = " ".repeat(1 << 20) + "a()\n";
    let new_str = format!("a()\n{}", "b\n".repeat(100_000));
    let done = replace(&content, &Replace::new("a()", &new_str)).unwrap();
    assert!(matches!(done.warnings[0], ReplaceWarning::LostIndentation { line: 1, lines: None }));
}

#[test]
fn many_indented_places_far_from_others_are_replaced_in_linear_time() {
    let places = 50_000;
    let content = "    x = 1\r\n".repeat(places);
    let request = Replace { expected_matches: places, ..Replace::new("x = 1\n", "x = 1\nz = 2\n") };
    let done = replace(&content, &request).unwrap();
    assert_eq!(done.ranges.len(), places);
}
