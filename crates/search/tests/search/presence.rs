//! What an index knows of an item, by its terms alone. The fuzz targets use it too.

use std::collections::BTreeMap;

use interline_search::{IndexQuery, IndexTerm, Payload, Proof, SearchTerm, TermPresence, TokenPattern};

/// The terms of an item, with their payloads.
pub(crate) type IndexTerms = BTreeMap<IndexTerm, Payload>;

/// The presence of a search term in an item, by the index terms of the item alone.
pub(crate) fn presence(term: &SearchTerm, item: &IndexTerms) -> TermPresence {
    let lookup = term.lookup();
    if let Some(&weight) = lookup.stem.and_then(|stem| item.get(&stem)) {
        return TermPresence::Present(weight.into());
    }
    match (has(&lookup.text, item), lookup.proof, &lookup.text) {
        (false, ..) => TermPresence::Absent,
        (true, Proof::Certain, IndexQuery::NGram(gram)) => SearchTerm::presence_in(item[&IndexTerm::NGram(*gram)]),
        (true, Proof::Certain, IndexQuery::Token(pattern)) => {
            SearchTerm::presence_in(tokens_like(pattern, item).fold(0, |places, place| places | place))
        }
        (true, Proof::Certain, other) => panic!("{other:?} proves nothing"),
        (true, Proof::Candidate, _) => TermPresence::PerhapsAsText,
    }
}

fn has(query: &IndexQuery, item: &IndexTerms) -> bool {
    match query {
        IndexQuery::Anything => true,
        IndexQuery::NGram(gram) => item.contains_key(&IndexTerm::NGram(*gram)),
        IndexQuery::Token(pattern) => tokens_like(pattern, item).next().is_some(),
        IndexQuery::All(all) => all.iter().all(|one| has(one, item)),
        IndexQuery::Any(any) => any.iter().any(|one| has(one, item)),
    }
}

/// The fields of the tokens that are like the pattern.
fn tokens_like(pattern: &TokenPattern, item: &IndexTerms) -> impl Iterator<Item = Payload> {
    item.iter().filter_map(move |(term, places)| match term {
        IndexTerm::Token(token) if pattern.matches(token) => Some(*places),
        _ => None,
    })
}
