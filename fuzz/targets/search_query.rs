//! Any text as a query over any texts: the naive oracle's scores, snippets that stand in the item, and an index that never
//! says anything else than the texts do.
#![no_main]

#[path = "../../crates/search/tests/search/oracle.rs"]
#[allow(dead_code, reason = "the tests use all of it")]
mod oracle;
#[path = "../../crates/search/tests/search/presence.rs"]
mod presence;
mod text_input;

use std::collections::BTreeMap;

use interline_edit::Case;
use interline_search::{Search, SearchedFields, Snippet, SnippetField, TermPresence, Verdict, index_terms};
use libfuzzer_sys::fuzz_target;

use oracle::{Query, Texts};
use presence::{IndexTerms, presence};

/// Words that are parts, forms or look-alikes of each other, what the query language knows, and blanks.
#[rustfmt::skip]
const TOKENS: &[&str] = &[
    "run", "runs", "running", "edit", "Edits", "edited", "state", "useState", "OR", "OR ", " OR ", "or", "-", "--", "\"",
    "\\\"", "\\", " ", " ", " ", "  ", "\t", "\n", "\r\n", "\u{a0}", "\u{3000}", "a", "b", "I", "1", "26", "%", "_", ".",
    ",", "'", "\u{2019}", "\u{201C}", "\u{2013}", "caf\u{E9}", "CAFE\u{301}", "\u{301}", "\u{DF}", "ss", "\u{1E9E}",
    "\u{3A3}", "\u{3C2}", "\u{130}", "\u{FB01}", "fi", "\u{2460}", "\u{BD}", "\u{6771}\u{4EAC}", "\u{4EAC}",
    "\u{D55C}\u{AD6D}", "\u{D55C}", "\u{304B}\u{3099}", "\u{304C}", "\u{1F44D}", "\u{2764}\u{FE0F}", "\u{AD}",
    "\u{200B}", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
];

/// A query and the texts of an item, parted by the byte 0xFF. A text of no bytes at all is none. None has a NUL:
/// the use cases refuse it.
fn parts(data: &[u8]) -> (String, Texts) {
    let mut parts = data.splitn(7, |&byte| byte == 0xFF);
    let mut next = || {
        let part = parts.next().filter(|part| !part.is_empty());
        part.map(|part| text_input::text(part, TOKENS).replace('\0', ""))
    };
    let query = next().unwrap_or_default();
    let (content, title, description) = (next(), next(), next());
    (query, Texts { title, name: next(), description, url: next(), path: next(), content })
}

fn searched(texts: &Texts) -> SearchedFields<'_> {
    SearchedFields {
        title: texts.title.as_deref(),
        name: texts.name.as_deref(),
        description: texts.description.as_deref(),
        url: texts.url.as_deref(),
        path: texts.path.as_deref(),
        content: texts.content.as_deref(),
    }
}

fn score(search: &Search, texts: &Texts) -> Option<u32> {
    search.score(&searched(texts), |_| TermPresence::Unknown, &mut || true).unwrap()
}

/// The index says what the texts say, as far as it says anything.
fn index_agrees(search: &Search, texts: &Texts, score: Option<u32>) {
    let terms = index_terms(&searched(texts));
    assert!(terms.is_sorted_by(|(one, _), (next, _)| one < next && one.key() < next.key()));
    assert!(terms.iter().all(|(_, payload)| *payload > 0));
    let terms: IndexTerms = terms.into_iter().collect::<BTreeMap<_, _>>();
    let presence = |term: usize| presence(&search.terms()[term], &terms);
    let found = match search.evaluate(presence) {
        Verdict::No => None,
        Verdict::Yes(score) => Some(score),
        Verdict::Read => search.score(&searched(texts), presence, &mut || true).unwrap(),
    };
    assert_eq!(found, score);
}

/// A snippet stands in the item, its marks stand in it, in order and apart. What matches has one.
fn snippet_agrees(search: &Search, texts: &Texts, score: Option<u32>) {
    let snippet = search.snippet(&searched(texts), &mut || true).unwrap();
    assert!(score.is_none() || snippet.is_some());
    let Some(snippet) = snippet else { return };
    assert!(stands_in(&snippet, texts), "{snippet:?}");
    let characters = snippet.text.chars().count();
    assert!(characters <= 200 && snippet.marks.len() <= 20, "{snippet:?}");
    assert!(snippet.marks.is_sorted_by(|one, next| one.end < next.start), "{snippet:?}");
    assert!(snippet.marks.iter().all(|mark| mark.start < mark.end && mark.end <= characters), "{snippet:?}");
}

fn stands_in(snippet: &Snippet, texts: &Texts) -> bool {
    let has = |text: &Option<String>| text.as_deref().is_some_and(|text| text.contains(&snippet.text));
    match snippet.field {
        SnippetField::Content(line) => {
            let mut lines = texts.content.as_deref().unwrap_or_default().split('\n');
            lines.nth(usize::try_from(line).unwrap() - 1).is_some_and(|line| line.contains(&snippet.text))
        }
        SnippetField::Title => has(&texts.title) || has(&texts.name),
        SnippetField::Description => has(&texts.description),
        SnippetField::Url => has(&texts.url),
        SnippetField::Path => has(&texts.path),
    }
}

/// Every part of a content, in quotes, finds the item.
fn parts_are_found(texts: &Texts, seed: usize) {
    let content: Vec<char> = texts.content.iter().flat_map(|content| content.chars()).collect();
    let start = seed % content.len().max(1);
    let part: String = content.iter().skip(start).take(1 + seed / 7 % 90).collect();
    // A backslash at the end would take the closing quote along.
    if part.ends_with('\\') {
        return;
    }
    let query = format!("\"{}\"", part.replace('"', "\\\""));
    if let Some(search) = Search::parse(&query).unwrap() {
        assert!(score(&search, texts).is_some(), "{query:?} in {texts:?}");
    }
}

fuzz_target!(|data: &[u8]| {
    let (query, texts) = parts(data);
    match (Search::parse(&query), Query::parse(&query)) {
        (Ok(Some(search)), Ok(Some(oracle))) => {
            assert!(search.terms().len() <= 50 + 1 + query.matches("OR").count());
            let score = score(&search, &texts);
            assert_eq!(score, oracle.score(&texts), "{query:?} in {texts:?}");
            index_agrees(&search, &texts, score);
            snippet_agrees(&search, &texts, score);
        }
        (Ok(None), Ok(None)) | (Err(_), Err(_)) => {}
        (search, oracle) => panic!("{query:?}: {search:?}, but expected {oracle:?}"),
    }
    parts_are_found(&texts, data.len() + data.iter().map(|byte| usize::from(*byte)).sum::<usize>());
    // An expression finds by the index what it finds without.
    if let Ok(search) = Search::regex(&query, Case::Sensitive) {
        let mut patience = 1_000;
        let mut keep_going = || {
            patience -= 1;
            patience > 0
        };
        let Ok(found) = search.score(&searched(&texts), |_| TermPresence::Unknown, &mut keep_going) else { return };
        let terms: IndexTerms = index_terms(&searched(&texts)).into_iter().collect();
        let verdict = search.evaluate(|term| presence(&search.terms()[term], &terms));
        assert!(found.is_none() || verdict == Verdict::Read, "{query:?} in {texts:?}");
    }
});
