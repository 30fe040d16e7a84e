//! What an index knows of an item never says anything else than the item does.

use std::cell::Cell;
use std::collections::BTreeMap;

use interline_items::Case;
use interline_items::search::{
    IndexQuery, IndexTerm, Payload, PiecePattern, Proof, Search, SearchTerm, TermPresence, Verdict, index_terms,
};

use crate::generate::Chance;
use crate::oracle::{Query, Texts};
use crate::{for_every_seed, searched};

type Terms = BTreeMap<IndexTerm, Payload>;

/// What is known of a term by the terms of an item alone.
fn known(term: &SearchTerm, item: &Terms) -> TermPresence {
    let lookup = term.lookup();
    if let Some(&weight) = lookup.stem.and_then(|stem| item.get(&stem)) {
        return TermPresence::Present(weight.into());
    }
    match (has(&lookup.text, item), lookup.proof, &lookup.text) {
        (false, ..) => TermPresence::Absent,
        (true, Proof::Certain, IndexQuery::Gram(gram)) => SearchTerm::known_in(item[&IndexTerm::Gram(*gram)]),
        (true, Proof::Certain, IndexQuery::Piece(pattern)) => {
            SearchTerm::known_in(pieces(pattern, item).fold(0, |places, place| places | place))
        }
        (true, Proof::Certain, other) => panic!("{other:?} proves nothing"),
        (true, Proof::Candidate, _) => TermPresence::PerhapsAsText,
    }
}

fn has(query: &IndexQuery, item: &Terms) -> bool {
    match query {
        IndexQuery::Anything => true,
        IndexQuery::Gram(gram) => item.contains_key(&IndexTerm::Gram(*gram)),
        IndexQuery::Piece(pattern) => pieces(pattern, item).next().is_some(),
        IndexQuery::All(all) => all.iter().all(|one| has(one, item)),
        IndexQuery::Any(any) => any.iter().any(|one| has(one, item)),
    }
}

/// The places of the pieces that are like the pattern.
fn pieces(pattern: &PiecePattern, item: &Terms) -> impl Iterator<Item = Payload> {
    item.iter().filter_map(move |(term, places)| match term {
        IndexTerm::Piece(piece) if pattern.matches(piece) => Some(*places),
        _ => None,
    })
}

#[test]
fn what_an_index_knows_is_what_the_oracle_says() {
    for_every_seed(300, |seed| {
        let mut chance = Chance::new(seed);
        let texts: Vec<Texts> = (0..10).map(|_| chance.texts()).collect();
        let terms: Vec<Terms> = texts.iter().map(|item| index_terms(&searched(item)).into_iter().collect()).collect();
        for _ in 0..10 {
            let query = chance.query(&texts);
            let Ok(Some(search)) = Search::query(&query) else { continue };
            let oracle = Query::parse(&query).unwrap().unwrap();
            for index in 0..texts.len() {
                let known = |term: usize| known(&search.terms()[term], &terms[index]);
                let found = match search.judge(known) {
                    Verdict::No => None,
                    Verdict::Yes(score) => Some(score),
                    Verdict::Read => search.score(&searched(&texts[index]), known, &mut || true).unwrap(),
                };
                assert_eq!(found, oracle.score(&texts[index]), "seed {seed}, {query:?} in {:#?}", texts[index]);
            }
        }
    });
}

/// The terms of an item are in order, each once, and none weighs nothing.
#[test]
fn terms_are_in_order_and_weigh_something() {
    for seed in 0..200 {
        let item = Chance::new(seed).texts();
        let terms = index_terms(&searched(&item));
        assert!(terms.is_sorted_by(|(one, _), (next, _)| one < next), "seed {seed}");
        assert!(terms.iter().all(|(_, payload)| *payload > 0), "seed {seed}");
    }
}

const EXPRESSIONS: &[&str] = &[
    "run(s|ning)?",
    "^edit",
    "edit.*$",
    r"user_\w+",
    r"\bid\b",
    "(foo|bar)@",
    "[Cc]af(e|é)",
    "(?i)USESTATE",
    "Stra(ß|ss)e",
    "x{4,}",
    r"\d+%",
    "東京都?",
    "(a|b)_(a|b)",
    "한국?",
    "(?s)run.*edit",
    "(?-u:\\x41)|state",
    "no(de)*",
    r"(?i)ΟΔΟς",
    "fine|ﬁne",
    "soft.ware",
    r"c\+\+",
    "(?i)istanbul",
    "a.?-.?b",
    "[👍🚀]",
    r"\s\w{3}\s",
    "cafe\u{301}",
    "(?i)é",
    "\\\\n",
    "\r\n",
    "the (run|edit)",
    "the\nrun",
    r"run\s+edit",
];

/// An index never leaves out an item whose content matches an expression.
#[test]
fn an_index_leaves_out_nothing_that_an_expression_matches() {
    let matches = Cell::new(0);
    for_every_seed(40, |seed| {
        let mut chance = Chance::new(seed);
        for _ in 0..5 {
            let item = chance.texts();
            let terms: Terms = index_terms(&searched(&item)).into_iter().collect();
            for expression in EXPRESSIONS {
                let search = Search::expression(expression, Case::Sensitive).unwrap();
                if search.score(&searched(&item), |_| TermPresence::Unread, &mut || true).unwrap().is_some() {
                    let verdict = search.judge(|term| known(&search.terms()[term], &terms));
                    assert_eq!(verdict, Verdict::Read, "seed {seed}, {expression} in {:?}", item.content);
                    matches.set(matches.get() + 1);
                }
            }
        }
    });
    assert!(matches.get() > 300, "{} matches", matches.get());
}
