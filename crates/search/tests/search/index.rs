//! What an index knows of an item never says anything else than the item does.

use std::cell::Cell;

use interline_edit::Case;
use interline_search::{Search, TermPresence, Verdict, index_terms};

use crate::generate::Chance;
use crate::oracle::{Query, Texts};
use crate::presence::{IndexTerms, presence};
use crate::{for_every_seed, searched};

#[test]
fn what_an_index_knows_is_what_the_oracle_says() {
    for_every_seed(300, |seed| {
        let mut chance = Chance::new(seed);
        let texts: Vec<Texts> = (0..10).map(|_| chance.texts()).collect();
        let terms: Vec<IndexTerms> =
            texts.iter().map(|item| index_terms(&searched(item)).into_iter().collect()).collect();
        for _ in 0..10 {
            let query = chance.query(&texts);
            let Ok(Some(search)) = Search::parse(&query) else { continue };
            let oracle = Query::parse(&query).unwrap().unwrap();
            for index in 0..texts.len() {
                let presence = |term: usize| presence(&search.terms()[term], &terms[index]);
                let found = match search.evaluate(presence) {
                    Verdict::No => None,
                    Verdict::Yes(score) => Some(score),
                    Verdict::Read => search.score(&searched(&texts[index]), presence, &mut || true).unwrap(),
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
            let terms: IndexTerms = index_terms(&searched(&item)).into_iter().collect();
            for expression in EXPRESSIONS {
                let search = Search::regex(expression, Case::Sensitive).unwrap();
                if search.score(&searched(&item), |_| TermPresence::Unknown, &mut || true).unwrap().is_some() {
                    let verdict = search.evaluate(|term| presence(&search.terms()[term], &terms));
                    assert_eq!(verdict, Verdict::Read, "seed {seed}, {expression} in {:?}", item.content);
                    matches.set(matches.get() + 1);
                }
            }
        }
    });
    assert!(matches.get() > 300, "{} matches", matches.get());
}
