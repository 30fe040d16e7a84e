//! Searching: which matches are found, their lines and context, and the cost on hostile texts.

#![expect(clippy::unwrap_used, reason = "a failed test is a panic")]

use interline_edit::{
    Case, Pattern, PatternError, SearchInterrupted, SearchOptions, SearchResult, read_lines, search, search_lines,
};

const ALL: SearchOptions = SearchOptions { context_lines: 0, limit: usize::MAX };

fn literal(text: &str) -> Pattern {
    Pattern::literal(text, Case::Sensitive).unwrap()
}

fn folded(text: &str) -> Pattern {
    Pattern::literal(text, Case::Insensitive).unwrap()
}

fn regex(expression: &str) -> Pattern {
    Pattern::regex(expression, Case::Sensitive).unwrap()
}

fn find<'t>(text: &'t str, pattern: &Pattern, options: &SearchOptions) -> SearchResult<'t> {
    search(text, pattern, options, &mut || true).unwrap()
}

/// The matches, as `start..end`.
fn check(text: &str, pattern: &Pattern, expected: &[(usize, usize)]) {
    let found = find(text, pattern, &ALL);
    let spans: Vec<(usize, usize)> = found.hits.iter().map(|hit| (hit.range.start, hit.range.end)).collect();
    assert_eq!(spans, expected, "{pattern:?} in {text:?}");
    assert_eq!(found.total, expected.len());
    assert_eq!(pattern.is_match(text), !expected.is_empty());
}

/// The matched texts.
fn check_texts(text: &str, pattern: &Pattern, expected: &[&str]) {
    let texts: Vec<&str> = find(text, pattern, &ALL).hits.iter().map(|hit| &text[hit.range.clone()]).collect();
    assert_eq!(texts, expected, "{pattern:?} in {text:?}");
}

/// Each hit as `(first_line, last_line, context_first_line, context)`.
fn check_lines(text: &str, pattern: &Pattern, context_lines: usize, expected: &[(usize, usize, usize, &str)]) {
    let found = find(text, pattern, &SearchOptions { context_lines, limit: usize::MAX });
    let lines: Vec<_> =
        found.hits.iter().map(|hit| (hit.first_line, hit.last_line, hit.context_first_line, hit.context)).collect();
    assert_eq!(lines, expected, "{pattern:?} in {text:?}");
}

#[test]
fn literal_occurrences_may_overlap() {
    check("aaa", &literal("aa"), &[(0, 2), (1, 3)]);
    check("abcabcab", &literal("abcab"), &[(0, 5), (3, 8)]);
    check("aAaA", &folded("Aaa"), &[(0, 3), (1, 4)]);
    check("nothing", &literal("N"), &[]);
}

#[test]
fn a_literal_is_taken_literally_and_may_span_lines() {
    check("a.c abc", &literal("a.c"), &[(0, 3)]);
    check("A.C abc", &folded("a.c"), &[(0, 3)]);
    check("a\r\nb\na", &literal("\nb\n"), &[(2, 5)]);
    check("A\r\nB\na", &folded("a\r\nb"), &[(0, 4)]);
}

#[test]
fn folding_keeps_positions() {
    // The capital I with a dot grows when it is made small; the Kelvin sign shrinks from three bytes to one.
    check("İİ x X", &folded("x"), &[(5, 6), (7, 8)]);
    check("k\u{212a}K", &folded("kk"), &[(0, 4), (1, 5)]);
    check("\u{212a}\u{212a}", &folded("k"), &[(0, 3), (3, 6)]);
    check("STRASSE straße", &folded("straße"), &[(8, 15)]);
    check("ΣΊΣΥΦΟΣ σίσυφος", &folded("σίσυφοσ"), &[(0, 14), (15, 29)]);
    check("ÉcoleéCOLE", &folded("école"), &[(0, 6), (6, 12)]);
    check("漢字 漢字", &folded("漢字"), &[(0, 6), (7, 13)]);
    check("ǅ ǆ Ǆ", &folded("ǆ"), &[(0, 2), (3, 5), (6, 8)]);
}

/// A character without regard to case is what `(?i)` finds.
#[test]
fn folding_agrees_with_expressions() {
    let text: String = ('\0'..='\u{2fff}').collect();
    let cased = ('\0'..='\u{587}').filter(|c| c.is_alphabetic()).chain(['\u{212a}', '\u{1e9e}', '\u{2126}']);
    for c in cased {
        let expression = Pattern::regex(&c.to_string(), Case::Insensitive).unwrap();
        assert_eq!(find(&text, &folded(&c.to_string()), &ALL), find(&text, &expression, &ALL), "{c:?}");
    }
}

/// All words of a few letters in both cases: every shape of the fallback table.
#[test]
fn folding_agrees_with_trying_every_offset() {
    let word = |mut number: usize, length: usize| -> String {
        let letter = |_| {
            let letter = ['a', 'A', 'ſ', 's'][number % 4];
            number /= 4;
            letter
        };
        (0..length).map(letter).collect()
    };
    let fold = |c: &char| if *c == 'ſ' { 's' } else { c.to_ascii_lowercase() };
    for (haystack, needle) in (0..4096).map(|n| (word(n * 65_537 + n, 10), word(n, 1 + n % 4))) {
        let chars: Vec<(usize, char)> = haystack.char_indices().collect();
        let wanted: Vec<char> = needle.chars().map(|c| fold(&c)).collect();
        let expected: Vec<(usize, usize)> = chars
            .windows(wanted.len())
            .filter(|window| window.iter().map(|(_, c)| fold(c)).eq(wanted.iter().copied()))
            .map(|window| (window[0].0, window[window.len() - 1].0 + window[window.len() - 1].1.len_utf8()))
            .collect();
        check(&haystack, &folded(&needle), &expected);
    }
}

#[test]
fn long_folded_literals_match_to_their_end() {
    let needle = "The quick brown fox jumps over the lazy dog";
    let text = format!("{} {}!", "the QUICK brown fox jumps over the lazy cat", needle.to_ascii_uppercase());
    check(&text, &folded(needle), &[(44, 87)]);
}

#[test]
fn expressions_match_leftmost_without_overlap() {
    check("aaaa", &regex("aa"), &[(0, 2), (2, 4)]);
    check("Foo foo", &regex("foo"), &[(4, 7)]);
    check("Foo foo", &Pattern::regex("foo", Case::Insensitive).unwrap(), &[(0, 3), (4, 7)]);
    check("k \u{212a}", &regex("(?i)K"), &[(0, 1), (2, 5)]);
}

#[test]
fn anchors_match_at_lines_and_dots_stay_in_them() {
    check_texts("ab\nab\n", &regex("^a.*"), &["ab", "ab"]);
    check_texts("ab\ncb", &regex("b$"), &["b", "b"]);
    check("a\nb", &regex("a.b"), &[]);
    check("a\nb", &regex("(?s)a.b"), &[(0, 3)]);
    check("a  \n\n b", &regex(r"a\s+b"), &[(0, 7)]);
    check("a\nb\n", &regex(r"\Aa|\z"), &[(0, 1), (4, 4)]);
}

#[test]
fn windows_line_endings_are_line_endings() {
    check("foo\r\nfoo\n", &regex("foo$"), &[(0, 3), (5, 8)]);
    check_texts("ab\r\ncd\r\n", &regex("^.+$"), &["ab", "cd"]);
    check_texts("ab\r\n\r\ncd", &regex("^$"), &[""]);
    check("a\r\nb", &regex(r"a\r\nb"), &[(0, 4)]);
}

#[test]
fn empty_matches_are_finite_and_have_a_line() {
    check("axb", &regex("x*"), &[(0, 0), (1, 2), (3, 3)]);
    check("é", &regex("x*"), &[(0, 0), (2, 2)]);
    check_lines("a\n\nb\n", &regex("^$"), 0, &[(2, 2, 2, ""), (4, 4, 4, "")]);
    check_lines("", &regex("^"), 3, &[(1, 1, 1, "")]);
}

#[test]
fn lines_are_those_of_the_first_and_the_last_byte() {
    let text = "one\ntwo\r\nthree\n";
    check_lines(text, &literal("o"), 0, &[(1, 1, 1, "one"), (2, 2, 2, "two\r")]);
    check_lines(text, &literal("one\n"), 0, &[(1, 1, 1, "one")]);
    check_lines(text, &literal("\n"), 0, &[(1, 1, 1, "one"), (2, 2, 2, "two\r"), (3, 3, 3, "three")]);
    check_lines(text, &literal("\ntwo"), 0, &[(1, 2, 1, "one\ntwo\r")]);
    check_lines(text, &regex(r"(?s)e.*r"), 0, &[(1, 3, 1, "one\ntwo\r\nthree")]);
    check_lines("\n\n\n", &literal("\n\n"), 0, &[(1, 2, 1, "\n"), (2, 3, 2, "\n")]);
}

#[test]
fn context_is_the_lines_around() {
    let text = "1\n2\n3x\n4x\n5\n6\n";
    check_lines(text, &literal("x"), 0, &[(3, 3, 3, "3x"), (4, 4, 4, "4x")]);
    check_lines(text, &literal("x"), 1, &[(3, 3, 2, "2\n3x\n4x"), (4, 4, 3, "3x\n4x\n5")]);
    check_lines(text, &literal("x\n4"), 2, &[(3, 4, 1, "1\n2\n3x\n4x\n5\n6")]);
    check_lines(text, &literal("x"), 9, &[(3, 3, 1, text), (4, 4, 1, text)]);
    check_lines(text, &literal("6"), 1, &[(6, 6, 5, "5\n6\n")]);
    check_lines("xx\nx", &literal("x"), 1, &[(1, 1, 1, "xx\nx"), (1, 1, 1, "xx\nx"), (2, 2, 1, "xx\nx")]);
    check_lines("é\nxé", &literal("x"), 1, &[(2, 2, 1, "é\nxé")]);
}

#[test]
fn the_total_is_true_whatever_the_limit() {
    for pattern in [literal("a"), folded("A"), regex("a")] {
        for (limit, kept) in [(0, 0), (2, 2), (9, 5)] {
            let found = find("aaaaa", &pattern, &SearchOptions { context_lines: 1, limit });
            assert_eq!((found.hits.len(), found.total), (kept, 5));
        }
    }
}

#[test]
fn a_search_ends_when_its_caller_says_so() {
    for pattern in [literal("a"), folded("A"), regex("a"), regex("x*")] {
        let mut left = 3;
        let mut keep_going = || {
            left -= 1;
            left > 0
        };
        assert_eq!(search("aaaaaaaa", &pattern, &ALL, &mut keep_going), Err(SearchInterrupted));
        assert_eq!(left, 0);
    }
    let long = "words without it\n".repeat(100_000);
    assert_eq!(search(&long, &regex("nowhere"), &ALL, &mut || false), Err(SearchInterrupted));
}

#[test]
fn a_bad_pattern_is_refused() {
    let refused = |expression: &str| Pattern::regex(expression, Case::Sensitive).unwrap_err();
    assert_eq!(refused(""), PatternError::Empty);
    assert_eq!(Pattern::literal("", Case::Insensitive).unwrap_err(), PatternError::Empty);
    let positions =
        [("é(", Some(2)), ("a[b", Some(1)), ("ab**)", Some(4)), (r"x\p{Nothing}", Some(1)), (r"(a)\1", Some(3))];
    for (expression, expected) in positions {
        match refused(expression) {
            PatternError::Invalid { detail, position } => {
                assert_eq!(position, expected, "{expression}");
                assert!(!detail.is_empty() && !detail.contains('\n'), "{detail}");
            }
            other => panic!("{expression}: {other}"),
        }
    }
}

#[test]
fn large_expressions_are_refused() {
    let refused = |expression: &str| Pattern::regex(expression, Case::Sensitive).unwrap_err();
    for expression in [r"\w{1000}", "((a{100}){100}){100}", &"a".repeat(100_000), &r"\w".repeat(4000)] {
        assert_eq!(refused(expression), PatternError::TooLarge);
    }
    assert!(matches!(refused(&"(".repeat(1000)), PatternError::Invalid { .. }));
    let deep = format!("{}a{}", "(".repeat(1000), ")".repeat(1000));
    assert!(matches!(refused(&deep), PatternError::Invalid { position: Some(_), .. }));
    for expression in [r"\w{1,64}", r"(?i)[\p{L}\d_.+-]+@[\w-]+\.\w{2,20}", "a{1,1000}"] {
        assert!(Pattern::regex(expression, Case::Sensitive).is_ok(), "{expression}");
    }
}

/// Each of these takes hours, not a second, when it is quadratic.
#[test]
fn repetitive_texts_are_linear() {
    let few = SearchOptions { context_lines: 2, limit: 100_000 };
    let text = "a".repeat(4 << 20);
    assert_eq!(find(&text, &literal(&text[..1000]), &few).total, text.len() - 999);
    assert_eq!(find(&text, &folded(&text[..1000]), &few).total, text.len() - 999);
    assert_eq!(find(&text, &folded(&format!("{}b", &text[..1000])), &few).total, 0);
    let newlines = "\n".repeat(1 << 20);
    assert_eq!(find(&newlines, &literal(&newlines[..1000]), &few).total, newlines.len() - 999);
    // One long line before the line of the hits: the context is not looked for anew for each of them.
    let text = format!("{}\n{}\n{}", "b".repeat(4 << 20), "a".repeat(100_000), "b".repeat(4 << 20));
    assert_eq!(find(&text, &literal("a"), &few).hits.len(), 100_000);
}

/// A line-bound expression reads a line again for each of its matches, but no more than the line.
#[test]
fn expressions_that_look_far_ahead_look_to_the_end_of_the_line() {
    let text = "ABCDEFGH\n".repeat(200_000);
    assert_eq!(
        find(&text, &regex(r".*[^A-Z\n]|[A-Z]"), &SearchOptions { context_lines: 1, limit: 10 }).total,
        1_600_000
    );
}

#[test]
fn much_context_around_many_matches_is_passed_once() {
    let text = "a\n".repeat(100_000);
    for context_lines in [usize::MAX, 50_000, 3, 0] {
        let options = SearchOptions { context_lines, limit: usize::MAX };
        let found = search(&text, &literal("a"), &options, &mut || true).unwrap();
        for line in [1, 2, 60_000, 99_999, 100_000] {
            let hit = &found.hits[line - 1];
            let (first, last) = (line.saturating_sub(context_lines).max(1), line.saturating_add(context_lines));
            assert_eq!((hit.first_line, hit.context_first_line), (line, first));
            assert!(
                hit.context == read_lines(&text, first, last).unwrap(),
                "line {line}, {context_lines} lines of context"
            );
        }
    }
}

#[test]
fn a_line_is_found_once_however_often_it_matches() {
    let lines = |text: &str, pattern: &Pattern| -> Vec<(usize, usize)> {
        let found = search_lines(text, pattern, &ALL, &mut || true).unwrap();
        assert_eq!(found.total, found.hits.len());
        found.hits.iter().map(|hit| (hit.first_line, hit.range.start)).collect()
    };
    assert_eq!(lines("aa a\nb\r\na\n", &literal("a")), [(1, 0), (3, 8)]);
    assert_eq!(lines("x\ny\nx\ny\nx", &literal("x\ny")), [(1, 0), (3, 4)]);
    assert_eq!(lines("a\n\na\n", &regex("^")), [(1, 0), (2, 2), (3, 3), (4, 5)]);
    assert_eq!(lines("a1 a2\na3", &regex(r"a\d")), [(1, 0), (2, 6)]);
    assert_eq!(lines("a b\nc d\ne", &regex(r"(?s)b.c|d.e")), [(1, 2), (2, 6)]);
    assert_eq!(lines("Aa\nAA", &folded("aa")), [(1, 0), (2, 3)]);
    assert_eq!(lines("", &regex("x*")), [(1, 0)]);
    assert_eq!(lines("nothing", &literal("x")), []);
}

#[test]
fn lines_are_counted_past_the_limit() {
    let options = SearchOptions { context_lines: 1, limit: 2 };
    let found = search_lines(&"x x\n".repeat(1_000), &literal("x"), &options, &mut || true).unwrap().total;
    assert_eq!(found, 1_000);
    let text = "x\ny\nx\nx\n";
    let found = search_lines(text, &literal("x"), &options, &mut || true).unwrap();
    let contexts: Vec<_> = found.hits.iter().map(|hit| (hit.context_first_line, hit.context)).collect();
    assert_eq!((found.total, contexts), (3, vec![(1, "x\ny"), (2, "y\nx\nx")]));
    assert_eq!(search_lines(text, &literal("x"), &options, &mut || false), Err(SearchInterrupted));
}
