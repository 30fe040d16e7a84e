//! Examples of merges: three texts, and the merged text or the conflicts.

use interline_edit::{ConflictLines, merge};

use crate::laws;

/// A text of one line for each letter.
fn text(letters: &str) -> String {
    letters.chars().map(|letter| format!("{letter}\n")).collect()
}

#[track_caller]
fn check_text(base: &str, ours: &str, theirs: &str, merged: &str) {
    assert_eq!(laws::merging(base, ours, theirs).as_deref(), Some(merged));
}

#[track_caller]
fn check(base: &str, ours: &str, theirs: &str, merged: &str) {
    check_text(&text(base), &text(ours), &text(theirs), &text(merged));
}

/// The conflicts, each as its lines in the three texts.
#[track_caller]
fn check_conflicts(base: &str, ours: &str, theirs: &str, conflicts: &[[&str; 3]]) {
    let [base, ours, theirs] = [base, ours, theirs].map(text);
    assert_eq!(laws::merging(&base, &ours, &theirs), None);
    let found = merge(&base, &ours, &theirs).unwrap_err();
    let texts = |lines: ConflictLines<'_>| lines.text.replace('\n', "");
    let found: Vec<[String; 3]> =
        found.iter().map(|conflict| [conflict.base, conflict.ours, conflict.theirs].map(texts)).collect();
    assert_eq!(found, conflicts);
}

#[test]
fn changes_of_both_sides_are_put_together() {
    check("abcde", "aBcde", "abcDe", "aBcDe");
    check("abc", "xabc", "abcy", "xabcy");
    check("abc", "bc", "ab", "b");
    check("abcdef", "abef", "abcdefg", "abefg");
    check("abcde", "abcde", "aBcde", "aBcde");
    check("", "", "a", "a");
    check("a", "", "a", "");
    check("a", "ab", "a", "ab");
}

#[test]
fn the_same_change_on_both_sides_is_no_conflict() {
    check("abc", "aXc", "aXc", "aXc");
    check("abcdef", "abXYef", "abXYefg", "abXYefg");
    check("abcdef", "abef", "abefg", "abefg");
    check("abcdefgh", "aXcdeYgh", "aXcdefgH", "aXcdeYgH");
    // Whichever of the two blank lines it is that stays.
    check("1a b234", "1A c B234x", "01A c B234", "01A c B234x");
}

#[test]
fn changes_that_overlap_or_touch_conflict() {
    check_conflicts("abc", "aXc", "aYc", &[["b", "X", "Y"]]);
    check_conflicts("abcd", "aXcd", "abYd", &[["bc", "Xc", "bY"]]);
    check_conflicts("abc", "aXbc", "aYbc", &[["", "X", "Y"]]);
    check_conflicts("abc", "ac", "aXc", &[["b", "", "X"]]);
    check_conflicts("abc", "aXbc", "aYc", &[["b", "Xb", "Y"]]);
    check_conflicts("", "a", "b", &[["", "a", "b"]]);
    check_conflicts("abcdefgh", "Abcdefgh", "Xbcdefgh", &[["a", "A", "X"]]);
    check_conflicts("abcdefgh", "AbcdefgH", "XbcdefgY", &[["a", "A", "X"], ["h", "H", "Y"]]);
}

#[test]
fn where_lines_repeat_nothing_is_guessed() {
    // The new `a` may stand at three places, and `x` before or after it.
    check_conflicts("1aa2", "1aaa2", "1axa2", &[["", "a", "x"]]);
    // Away from the other side's change the place of a repeated line makes no difference.
    check("1aa234", "1aaa234", "1aa23x", "1aaa23x");
    check("}a}b}c", "}a}b}}c", "}A}b}c", "}A}b}}c");
}

#[test]
fn a_blank_line_that_stays_by_chance_is_a_part_of_the_change() {
    check_conflicts("1 ab 2", "1pqrst C 2", "1 C 2", &[[" ab", "pqrst C", " C"]]);
    check("1 a 234", "1 b 234", "1 a 23x", "1 b 23x");
}

#[test]
fn lines_that_moved_are_neither_doubled_nor_brought_back() {
    check("abcdefgh", "bcdaefgh", "abcdefgH", "bcdaefgH");
    check_conflicts("abcdefgh", "bcdaefgh", "bcdefagh", &[["", "a", ""], ["", "", "a"]]);
    check_conflicts("abcdefgh", "bcdaefgh", "bcdefgh", &[["", "a", ""]]);
    check_conflicts("abcdefgh", "abXcdefgh", "abcdefXgh", &[["", "X", ""], ["", "", "X"]]);
    check("axbcdxe", "aNbcdxe", "axbcdNe", "aNbcdNe");
    // It cannot be known which half moved.
    check_conflicts("123456", "456123", "1x3456", &[["123456", "456123", "1x3456"]]);
}

#[test]
fn line_endings_and_the_final_newline_are_data() {
    check_text("a\nb\nc\n", "a\r\nb\nc\n", "a\nb\nC\n", "a\r\nb\nC\n");
    check_text("a\nb\nc\n", "a\nb\nc", "A\nb\nc\n", "A\nb\nc");
    check_text("a\nb\nc", "a\nb\nc\n", "A\nb\nc", "A\nb\nc\n");
    check_text("a\rb\nc\nd", "A\rb\nc\nd", "a\rb\nc\nD", "A\rb\nc\nD");
    for (base, ours, theirs) in [
        ("a\nb\n", "a\nb", "a\nb\nc\n"),
        ("a\nb\n", "a\nb\r\n", "a\nB\n"),
        ("a\nb", "a\nb\n", "a\nb\nc"),
        ("a", "a\n", "b"),
    ] {
        assert_eq!(laws::merging(base, ours, theirs), None, "{base:?} {ours:?} {theirs:?}");
    }
}

#[test]
fn a_conflict_names_its_lines() {
    let conflicts = merge("a\nb\nc\nd\n", "a\nc\nd\n", "0\na\nx\nc\nd\n").unwrap_err();
    let [conflict] = conflicts.as_slice() else { panic!("{conflicts:?}") };
    assert_eq!(conflict.base, ConflictLines { start_line: 2, end_line: 2, text: "b\n" });
    assert_eq!(conflict.ours, ConflictLines { start_line: 2, end_line: 1, text: "" });
    assert_eq!(conflict.theirs, ConflictLines { start_line: 3, end_line: 3, text: "x\n" });
}
