//! `search_inside`.

use std::collections::BTreeSet;

use interline_items::Case;
use interline_items::{
    Error, ExpectedVersion, FoundInside, ItemDraft, Kind, QuerySyntax, Rank, Scope, SearchField, SearchInside,
    TokenDraft,
};

use crate::samples::{note, note_of, text, token};
use crate::world::{World, by_id, code, refused_fields, set};

fn literal(query: &str) -> SearchInside {
    SearchInside {
        query: query.to_owned(),
        syntax: QuerySyntax::Literal,
        case: Case::Insensitive,
        fields: set([SearchField::Content]),
        context_lines: 0,
        limit: 100,
    }
}

fn regex(query: &str) -> SearchInside {
    SearchInside { syntax: QuerySyntax::Regex, ..literal(query) }
}

fn told(found: &FoundInside) -> Vec<(usize, usize, &str)> {
    let told = found.matches.iter().map(|one| {
        let (line, end_line) = one.lines.unwrap();
        (line, end_line, one.context.as_str())
    });
    told.collect()
}

#[tokio::test]
async fn occurrences_are_told_with_their_lines_and_context() {
    let world = World::new().await;
    let text = "Alpha\nbeta\r\ngamma alpha\ndelta\n";
    let case_sensitive = SearchInside { case: Case::Sensitive, ..literal("alpha") };
    let with_context = SearchInside { context_lines: 1, ..literal("alpha") };
    let item = world.create(Kind::Note, note_of(text)).await;
    for (asked, expected) in [
        (literal("alpha"), &[(1, 1, "Alpha"), (3, 3, "gamma alpha")][..]),
        (case_sensitive, &[(3, 3, "gamma alpha")]),
        (with_context, &[(1, 1, "Alpha\nbeta"), (3, 3, "beta\ngamma alpha\ndelta")]),
        (literal("alpha\ndelta"), &[(3, 4, "gamma alpha\ndelta")]),
        (literal("nothing"), &[]),
        (literal("a.p"), &[]),
        (regex("^[ab]\\w+$"), &[(1, 1, "Alpha"), (2, 2, "beta")]),
        (regex("a\\s+d"), &[(3, 4, "gamma alpha\ndelta")]),
        (regex("z+"), &[]),
    ] {
        let found = world.interline.search_inside(&world.owner, &by_id(&item), asked.clone()).await.unwrap();
        assert_eq!(told(&found), expected, "{asked:?}");
        assert_eq!(found.total_matches, expected.len());
    }
    let overlapping = world.create(Kind::Note, note_of("aaaa")).await;
    let found = world.interline.search_inside(&world.owner, &by_id(&overlapping), literal("aa")).await.unwrap();
    assert_eq!(found.total_matches, 3, "as many as an edit would see");
}

#[tokio::test]
async fn the_total_is_true_when_the_list_is_cut() {
    let world = World::new().await;
    let item = world.create(Kind::Note, note_of(&"hit\n".repeat(500))).await;
    for limit in [1, 20, 1_000] {
        let asked = SearchInside { limit, ..literal("hit") };
        let found = world.interline.search_inside(&world.owner, &by_id(&item), asked).await.unwrap();
        assert_eq!((found.matches.len(), found.total_matches), (limit.min(500), 500));
    }
    let long = world.create(Kind::Note, note_of(&format!("{}hit{}", "x".repeat(9_999), "y".repeat(9_999)))).await;
    let found = world.interline.search_inside(&world.owner, &by_id(&long), literal("hit")).await.unwrap();
    assert!(found.matches[0].context.contains("xhity") && found.matches[0].context.chars().count() <= 400);
    // Matches of many lines that overlap: their contexts together are bounded.
    let blank = world.create(Kind::Note, note_of(&"\n".repeat(300_000))).await;
    let asked = SearchInside { limit: 1_000, ..literal(&"\n".repeat(100_000)) };
    let found = world.interline.search_inside(&world.owner, &by_id(&blank), asked).await.unwrap();
    assert_eq!(found.total_matches, 200_001);
    let bytes: usize = found.matches.iter().map(|one| one.context.len()).sum();
    assert!(bytes < 9 * 1024 * 1024, "{bytes}");
}

#[tokio::test]
async fn other_fields_are_one_match_each() {
    let world = World::new().await;
    let draft = ItemDraft { title: text("A plan, a plan"), description: text("Plan\nB"), ..note_of("plan") };
    let item = world.create(Kind::Note, draft).await;
    let all: BTreeSet<SearchField> = SearchField::ALL.into();
    let found = async |fields: &BTreeSet<SearchField>, query: &str, limit| {
        let asked = SearchInside { fields: fields.clone(), limit, ..literal(query) };
        world.interline.search_inside(&world.owner, &by_id(&item), asked).await.unwrap()
    };
    let three = found(&all, "plan", 100).await;
    let told: Vec<_> = three.matches.iter().map(|one| (one.field.name(), one.lines, one.context.as_str())).collect();
    assert_eq!(
        told,
        [("content", Some((1, 1)), "plan"), ("title", None, "A plan, a plan"), ("description", None, "Plan\nB")]
    );
    let cut = found(&all, "plan", 2).await;
    assert_eq!((cut.matches.len(), cut.total_matches), (2, 3));
    assert_eq!(found(&set([SearchField::Title]), "b", 100).await.total_matches, 0);
    assert_eq!(found(&set([SearchField::Description]), "b", 100).await.total_matches, 1);
}

#[tokio::test]
async fn what_cannot_be_looked_for_is_refused() {
    let world = World::new().await;
    let item = world.create(Kind::Note, note_of("a")).await;
    for (asked, field) in [
        (literal(""), "q"),
        (regex(""), "q"),
        (literal("\0"), "q"),
        (SearchInside { limit: 0, ..literal("a") }, "limit"),
        (SearchInside { limit: 1_001, ..literal("a") }, "limit"),
        (SearchInside { context_lines: 11, ..literal("a") }, "context_lines"),
        (SearchInside { fields: BTreeSet::new(), ..literal("a") }, "fields"),
    ] {
        let refused = world.interline.search_inside(&world.owner, &by_id(&item), asked).await;
        assert_eq!(refused_fields(refused), [field]);
    }
    for expression in ["(", "(?=a)", "(a)\\1", "a{1000}{1000}{1000}"] {
        match world.interline.search_inside(&world.owner, &by_id(&item), regex(expression)).await {
            Err(error @ Error::InvalidPattern { .. }) => assert_eq!(error.code(), "invalid_pattern"),
            other => panic!("{expression}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn finding_nothing_in_no_content_is_a_success_in_every_state() {
    let world = World::new().await;
    let (interline, owner) = (&world.interline, &world.owner);
    let empty = world.create(Kind::Note, note("a")).await;
    assert_eq!(interline.search_inside(owner, &by_id(&empty), literal("a")).await.unwrap(), FoundInside::default());
    let item = world.create(Kind::Note, note_of("a")).await;
    interline.delete(owner, &by_id(&item), ExpectedVersion::Any).await.unwrap();
    assert_eq!(interline.search_inside(owner, &by_id(&item), literal("a")).await.unwrap().total_matches, 1);
    let stranger = world.user("other", Rank::Admin).await;
    assert_eq!(code(interline.search_inside(&stranger, &by_id(&item), literal("a")).await), "not_found");
    let writer = world.narrowed(TokenDraft { scopes: Some(set([Scope::Write])), ..token() }).await;
    assert_eq!(code(interline.search_inside(&writer, &by_id(&item), literal("a")).await), "forbidden");
}
