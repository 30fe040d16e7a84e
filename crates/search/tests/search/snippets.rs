//! What is shown of an item that is found.

use std::ops::Range;

use interline_edit::Case;
use interline_search::{Search, Snippet, SnippetField, TermPresence};

use crate::generate::Chance;
use crate::oracle::{Query, Texts};
use crate::{for_every_seed, searched};

fn snippet(query: &str, texts: &Texts) -> Option<Snippet> {
    Search::parse(query).unwrap().unwrap().snippet(&searched(texts), &mut || true).unwrap()
}

fn saying(content: &str) -> Texts {
    Texts { content: Some(content.to_owned()), ..Texts::default() }
}

fn part(text: &str, mark: &Range<usize>) -> String {
    text.chars().skip(mark.start).take(mark.len()).collect()
}

fn marked(snippet: &Snippet) -> Vec<String> {
    snippet.marks.iter().map(|mark| part(&snippet.text, mark)).collect()
}

#[test]
fn the_line_that_shows_the_most_is_shown_with_what_matches() {
    let rows: &[(&str, &str, u64, &str, &[&str])] = &[
        ("run", "a\nI was running, then ran; run!\n", 2, "I was running, then ran; run!", &["running", "run"]),
        ("RUN", "run", 1, "run", &["run"]),
        ("third", "first\r\nsecond\r\nthird line\r\n", 3, "third line", &["third"]),
        ("second", "first\n\r\nsecond\r\n", 3, "second", &["second"]),
        ("last", "one\ntwo\nlast", 3, "last", &["last"]),
        ("alpha beta", "alpha\nbeta\nalpha and beta\n", 3, "alpha and beta", &["alpha", "beta"]),
        ("alpha beta", "beta\nalpha\n", 1, "beta", &["beta"]),
        ("alpha OR beta", "x\nbeta\n", 2, "beta", &["beta"]),
        ("alpha -beta", "x\nalpha\n", 2, "alpha", &["alpha"]),
        ("tat", "useState and state", 1, "useState and state", &["tat", "tat"]),
        ("useState state", "useState", 1, "useState", &["useState"]),
        ("cafe", "Un Cafe\u{301}!", 1, "Un Cafe\u{301}!", &["Cafe\u{301}"]),
        ("cafe", "Un CAFÉ!", 1, "Un CAFÉ!", &["CAFÉ"]),
        ("strasse", "Die Straße.", 1, "Die Straße.", &["Straße"]),
        ("s", "aß", 1, "aß", &["ß"]),
        ("fin", "ﬁnal", 1, "ﬁnal", &["ﬁn"]),
        ("%", "100% of 5 %", 1, "100% of 5 %", &["%", "%"]),
        ("京都", "ここは\n東京都", 2, "東京都", &["京都"]),
        ("❤", "x ❤\u{fe0f} y", 1, "x ❤\u{fe0f} y", &["❤\u{fe0f}"]),
        ("🚀", "👩\u{200d}🚀", 1, "👩\u{200d}🚀", &["🚀"]),
        ("\"a b\"", "x a \t b y", 1, "x a \t b y", &["a \t b"]),
        ("x", "\t\tif x {\n\t\t}\n", 1, "\t\tif x {", &["x"]),
        ("\"don't\"", "He said “don’t”.", 1, "He said “don’t”.", &["don’t"]),
        ("softhyphen", "a soft\u{ad}hyphen", 1, "a soft\u{ad}hyphen", &["soft\u{ad}hyphen"]),
        ("aa", "aaaa", 1, "aaaa", &["aaaa"]),
    ];
    for (query, content, line, text, marks) in rows {
        let shown = snippet(query, &saying(content)).unwrap_or_else(|| panic!("{query:?} shows nothing"));
        assert_eq!((shown.field, shown.text.as_str()), (SnippetField::Content(*line), *text), "{query:?}");
        assert_eq!(marked(&shown), *marks, "{query:?}");
    }
}

#[test]
fn a_field_is_shown_where_the_content_shows_nothing() {
    let item = Texts {
        title: Some("Alpha title".to_owned()),
        name: Some("name-gamma".to_owned()),
        description: Some("about\nalpha and delta".to_owned()),
        url: Some("https://example.org/zeta".to_owned()),
        path: Some("jobs/theta.py".to_owned()),
        content: Some("only omega".to_owned()),
    };
    for (query, field, text, marks) in [
        ("omega", SnippetField::Content(1), "only omega", ["omega"]),
        ("alpha omega", SnippetField::Content(1), "only omega", ["omega"]),
        ("alpha", SnippetField::Title, "Alpha title", ["Alpha"]),
        ("gamma", SnippetField::Title, "name-gamma", ["gamma"]),
        ("delta", SnippetField::Description, "alpha and delta", ["delta"]),
        ("zeta", SnippetField::Url, "https://example.org/zeta", ["zeta"]),
        ("theta", SnippetField::Path, "jobs/theta.py", ["theta"]),
    ] {
        let shown = snippet(query, &item).unwrap_or_else(|| panic!("{query:?} shows nothing"));
        assert_eq!((shown.field, shown.text.as_str()), (field, text), "{query:?}");
        assert_eq!(marked(&shown), marks, "{query:?}");
    }
}

#[test]
fn an_expression_shows_the_line_where_it_first_matches() {
    for (expression, content, line, text, marks) in [
        ("b+c", "a\nxbbc\r\nd", 2, "xbbc", &["bbc"][..]),
        ("(?s)b.*d", "a\nxbbc\r\nd", 2, "xbbc", &["bbc"]),
        ("^d$", "a\n\nd\n", 3, "d", &["d"]),
        ("é+", "x\réé\n", 1, "x\réé", &["éé"]),
        ("^", "abc", 1, "abc", &[]),
        ("c\n", "abc\nd", 1, "abc", &["c"]),
    ] {
        let search = Search::regex(expression, Case::Sensitive).unwrap();
        let shown = search.snippet(&searched(&saying(content)), &mut || true).unwrap().unwrap();
        assert_eq!((shown.field, shown.text.as_str()), (SnippetField::Content(line), text), "{expression}");
        assert_eq!(marked(&shown), *marks, "{expression}");
    }
}

#[test]
fn a_long_line_is_cut_around_the_first_mark() {
    let line = format!("{}needle{}", "äb ".repeat(1_000), " cd".repeat(1_000));
    for content in [line.clone(), format!("x\n{line}\r\ny\n")] {
        let shown = snippet("needle", &saying(&content)).unwrap();
        assert_eq!(shown.text.chars().count(), 200);
        assert!(content.contains(&shown.text));
        assert_eq!(shown.marks, [Range { start: 40, end: 46 }]);
    }
    let at_the_end = snippet("needle", &saying(&format!("{}needle", "äb ".repeat(1_000)))).unwrap();
    assert!(at_the_end.text.ends_with("needle") && at_the_end.text.chars().count() == 46);
    let at_the_start = snippet("needle", &saying(&format!("needle{}", " cd".repeat(1_000)))).unwrap();
    assert_eq!((at_the_start.text.chars().count(), at_the_start.marks), (200, vec![Range { start: 0, end: 6 }]));
    let longer_than_shown = snippet(&"y".repeat(300), &saying(&"y".repeat(500))).unwrap();
    assert_eq!(
        (longer_than_shown.text.as_str(), longer_than_shown.marks),
        (&*"y".repeat(200), vec![Range { start: 0, end: 200 }])
    );
    assert_eq!(snippet("x", &saying(&"x ".repeat(5_000))).unwrap().marks.len(), 20);
}

/// Millions of lines and many terms take long: it ends when there is no more time.
#[test]
fn what_takes_long_ends_when_it_is_told_to() {
    let texts = Texts { title: Some("one two three".to_owned()), ..saying("line\nline\nline\n") };
    let search = Search::parse("one two three").unwrap().unwrap();
    let mut answers = [true, true].into_iter();
    assert!(search.snippet(&searched(&texts), &mut || answers.next().is_some()).is_err());
    let mut answers = [true, true].into_iter();
    assert!(search.score(&searched(&texts), |_| TermPresence::Unknown, &mut || answers.next().is_some()).is_err());
}

/// Whatever is found: what is shown stands there, and the marks are in it.
#[test]
fn what_is_shown_stands_in_the_item() {
    for_every_seed(400, |seed| {
        let mut chance = Chance::new(seed);
        let texts = chance.texts();
        for _ in 0..20 {
            let query = chance.query(std::slice::from_ref(&texts));
            let Ok(Some(search)) = Search::parse(&query) else { continue };
            let score = search.score(&searched(&texts), |_| TermPresence::Unknown, &mut || true).unwrap();
            let shown = search.snippet(&searched(&texts), &mut || true).unwrap();
            if score.is_some() {
                assert!(shown.is_some(), "seed {seed}: {query:?} in {texts:?}");
            }
            let Some(shown) = shown else { continue };
            assert!(stands_in(&shown, &texts), "seed {seed}: {query:?} shows {shown:?} of {texts:?}");
            let characters = shown.text.chars().count();
            assert!(characters <= 200 && (1..=20).contains(&shown.marks.len()), "seed {seed}: {query:?}: {shown:?}");
            assert!(shown.marks.is_sorted_by(|one, next| one.end < next.start), "seed {seed}: {query:?}: {shown:?}");
            for mark in &shown.marks {
                assert!(mark.start < mark.end && mark.end <= characters, "seed {seed}: {query:?}: {shown:?}");
                // What is marked would be found by itself, as a whole or as a part of what it is made of, unless it goes on
                // in the next line.
                let found = Texts { content: Some(part(&shown.text, mark)), ..Texts::default() };
                let each = Query::parse(&query).unwrap().unwrap();
                let goes_on = mark.end == characters;
                assert!(goes_on || each.shows_any(&found), "seed {seed}: {query:?} marks {:?}", found.content);
            }
        }
    });
}

fn stands_in(shown: &Snippet, texts: &Texts) -> bool {
    let has = |text: &Option<String>| text.as_deref().is_some_and(|text| text.contains(&shown.text));
    match shown.field {
        SnippetField::Content(line) => {
            let mut lines = texts.content.as_deref().unwrap_or_default().split('\n');
            let line = lines.nth(usize::try_from(line).unwrap() - 1);
            line.is_some_and(|line| line.contains(&shown.text)) && !shown.text.ends_with('\r')
        }
        SnippetField::Title => has(&texts.title) || has(&texts.name),
        SnippetField::Description => has(&texts.description),
        SnippetField::Url => has(&texts.url),
        SnippetField::Path => has(&texts.path),
    }
}
