//! Whether and how well items match, against the oracle.

use interline_search::{Search, TermPresence};

use crate::generate::Chance;
use crate::oracle::{Query, Texts, fold};
use crate::{for_every_seed, searched};

const ITEMS: usize = 10;
const QUERIES: usize = 20;

fn score(search: &Search, texts: &Texts) -> Option<u32> {
    search.score(&searched(texts), |_| TermPresence::Unknown, &mut || true).unwrap()
}

#[test]
fn every_score_is_that_of_the_oracle() {
    for_every_seed(500, |seed| {
        let mut chance = Chance::new(seed);
        let texts: Vec<Texts> = (0..ITEMS).map(|_| chance.texts()).collect();
        for _ in 0..QUERIES {
            let query = chance.query(&texts);
            match (Search::parse(&query), Query::parse(&query)) {
                (Ok(Some(search)), Ok(Some(oracle))) => {
                    for texts in &texts {
                        let expected = oracle.score(texts);
                        assert_eq!(score(&search, texts), expected, "seed {seed}, {query:?} in {texts:#?}");
                    }
                }
                (Ok(None), Ok(None)) | (Err(_), Err(_)) => {}
                (search, oracle) => panic!("seed {seed}, {query:?}: {search:?}, but expected {oracle:?}"),
            }
        }
    });
}

/// Most queries find something, and most not everything: otherwise the comparison says little.
#[test]
fn what_is_compared_matches_now_and_then() {
    let (mut pairs, mut matches) = (0_usize, 0);
    for seed in 0..50 {
        let mut chance = Chance::new(seed);
        let texts: Vec<Texts> = (0..ITEMS).map(|_| chance.texts()).collect();
        for _ in 0..QUERIES {
            let Ok(Some(query)) = Query::parse(&chance.query(&texts)) else { continue };
            pairs += ITEMS;
            matches += texts.iter().filter(|texts| query.score(texts).is_some()).count();
        }
    }
    assert!((10..50).contains(&(matches * 100 / pairs)), "{matches} of {pairs}");
}

/// Every character, ideographs aside, finds itself, and what the oracle folds it to.
#[test]
fn every_character_is_folded_as_by_the_oracle() {
    let of = |text: String| Texts { content: Some(text), ..Texts::default() };
    let is_one_of_many = |char: &char| matches!(char, '\u{3400}'..='\u{9fff}' | '\u{e000}'..='\u{f8ff}');
    for char in ('\u{1}'..='\u{1ffff}').filter(|char| !is_one_of_many(char)) {
        let query = format!("\"{}x\"", if char == '"' { "\\\"".to_owned() } else { char.to_string() });
        let search = Search::parse(&query).unwrap().unwrap();
        for text in [format!("y{char}x"), format!("y{}x", fold(&char.to_string()))] {
            assert_eq!(score(&search, &of(text.clone())), Some(2), "{char:?} in {text:?}");
        }
    }
}
