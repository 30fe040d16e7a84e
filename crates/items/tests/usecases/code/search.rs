//! Searching through files: which lines match, and in whose files.

use interline_items::{
    Case, CodeKind, CodeScope, Error, ExpectedVersion, FoundInFiles, QuerySyntax, SearchFiles, SpaceOwner,
};

use super::{Cast, FLOW, app_file, file, in_app, replacing, scope};
use crate::world::refused_fields;

fn looking_for(scope: CodeScope, pattern: &str) -> SearchFiles {
    SearchFiles {
        scope,
        pattern: pattern.to_owned(),
        syntax: QuerySyntax::Regex,
        case: Case::Sensitive,
        path: None,
        path_prefix: None,
        context_lines: 3,
        limit: 20,
    }
}

impl Cast {
    async fn search(&self, who: &str, request: SearchFiles) -> Result<FoundInFiles, Error> {
        self.interline().search_code(&self.caller(who).await, request).await
    }
}

/// Where the matches are, as `path:line`, and the true total.
fn places(found: &FoundInFiles) -> (Vec<String>, u64) {
    let place = |found: &interline_items::LineMatch| format!("{}:{}", found.path.as_str(), found.line);
    (found.matches.iter().map(place).collect(), found.total_matches)
}

#[tokio::test]
async fn lines_are_found_in_the_order_of_paths_with_those_around_them() {
    let cast = Cast::new().await;
    cast.replace("acme", &app_file("shop", "b.ts"), "one\r\ntwo x\r\nthree x x\r\n").await.unwrap();
    cast.replace("acme", &app_file("shop", "a.ts"), "x").await.unwrap();
    let request = SearchFiles { context_lines: 1, ..looking_for(in_app("shop"), r"\bx\b") };
    let found = cast.search("acme", request).await.unwrap();
    assert_eq!(places(&found), (vec!["a.ts:1".to_owned(), "b.ts:2".to_owned(), "b.ts:3".to_owned()], 3));
    // Those of the scaffold were looked through too.
    assert_eq!((found.files_searched, found.is_truncated()), (4, false));
    let second = &found.matches[1];
    assert_eq!(
        (second.text.as_str(), &second.before[..], &second.after[..]),
        ("two x", &["one".to_owned()][..], &["three x x".to_owned()][..])
    );
    let acme = cast.caller("acme").await;
    assert!(matches!(acme.owner_of(second.space), Some(SpaceOwner::App(_))));
}

#[tokio::test]
async fn the_first_matches_are_returned_and_all_counted() {
    let cast = Cast::new().await;
    cast.replace("acme", &app_file("shop", "many.txt"), &"line\n".repeat(5_000)).await.unwrap();
    let request = SearchFiles { limit: 3, path: Some("/many.txt".to_owned()), ..looking_for(in_app("shop"), "^line$") };
    let found = cast.search("acme", request).await.unwrap();
    assert_eq!((found.matches.len(), found.total_matches, found.files_searched), (3, 5_000, 1));
    assert!(found.is_truncated());
}

#[tokio::test]
async fn a_text_is_taken_as_it_stands_and_case_counts_unless_the_request_says_otherwise() {
    let cast = Cast::new().await;
    cast.replace("acme", &app_file("shop", "t.txt"), "a.b\naxb\nA.B\n").await.unwrap();
    let base = || SearchFiles { path_prefix: Some("/t.".to_owned()), ..looking_for(in_app("shop"), "a.b") };
    for (syntax, case, total) in [
        (QuerySyntax::Regex, Case::Sensitive, 2),
        (QuerySyntax::Regex, Case::Insensitive, 3),
        (QuerySyntax::Literal, Case::Sensitive, 1),
        (QuerySyntax::Literal, Case::Insensitive, 2),
    ] {
        let found = cast.search("acme", SearchFiles { syntax, case, ..base() }).await.unwrap();
        assert_eq!((found.total_matches, found.files_searched), (total, 1), "{syntax:?} {case:?}");
    }
}

#[tokio::test]
async fn everybody_finds_what_exists_for_them_and_nothing_else() {
    let cast = Cast::new().await;
    for (who, found_workflows) in [
        ("admin", vec!["shared.py:3"]),
        ("acme", vec!["acme.py:3", "shared.py:3"]),
        ("acme reads", vec!["acme.py:3", "shared.py:3"]),
        ("umbra", vec!["shared.py:3"]),
        ("loner", vec!["shared.py:3"]),
    ] {
        let found = cast.search(who, looking_for(scope(CodeKind::Workflow), "@workflow")).await.unwrap();
        assert_eq!(places(&found).0, found_workflows, "{who}");
        assert_eq!(found.files_searched, found_workflows.len() as u64);
        let modules = cast.search(who, looking_for(scope(CodeKind::Module), "value")).await.unwrap();
        assert_eq!(places(&modules).0, ["lib.py:1"], "{who}");
    }
    let of_acme = CodeScope { organization: Some(cast.acme), ..scope(CodeKind::Workflow) };
    let found = cast.search("admin", looking_for(of_acme.clone(), "@workflow")).await.unwrap();
    assert_eq!(places(&found).0, ["acme.py:3", "shared.py:3"]);
    let found = cast.search("umbra", looking_for(of_acme, "@workflow")).await.unwrap();
    assert_eq!((found.matches, found.total_matches, found.files_searched), (Vec::new(), 0, 0));
    assert!(matches!(cast.search("umbra", looking_for(in_app("shop"), ".")).await, Err(Error::Missing { .. })));
}

#[tokio::test]
async fn a_search_sees_each_change_at_once() {
    let cast = Cast::new().await;
    let acme = cast.caller("acme").await;
    let target = file(CodeKind::Workflow, "new.py");
    let total = async |pattern: &str| {
        cast.search("acme", looking_for(scope(CodeKind::Workflow), pattern)).await.unwrap().total_matches
    };
    assert_eq!(total("marker").await, 0);
    cast.replace("acme", &target, &format!("{FLOW}# marker\n")).await.unwrap();
    assert_eq!(total("marker").await, 1);
    cast.interline().patch_file(&acme, &target, replacing("# marker", "# other")).await.unwrap();
    assert_eq!((total("marker").await, total("# other").await), (0, 1));
    cast.interline().delete_file(&acme, &target, ExpectedVersion::Any).await.unwrap();
    assert_eq!(total("# other").await, 0);
}

#[tokio::test]
async fn what_cannot_be_looked_for_is_refused() {
    let cast = Cast::new().await;
    let base = || looking_for(in_app("shop"), "x");
    for (request, field) in [
        (SearchFiles { pattern: String::new(), ..base() }, "pattern"),
        (SearchFiles { pattern: "a\0".to_owned(), ..base() }, "pattern"),
        (SearchFiles { path_prefix: Some("\0".to_owned()), ..base() }, "path_prefix"),
        (SearchFiles { path: Some("../a".to_owned()), ..base() }, "path"),
        (SearchFiles { context_lines: 11, ..base() }, "context_lines"),
        (SearchFiles { limit: 0, ..base() }, "max_results"),
        (SearchFiles { limit: 1_001, ..base() }, "max_results"),
        (looking_for(scope(CodeKind::AppFile), "x"), "app_id"),
    ] {
        assert_eq!(refused_fields(cast.search("acme", request.clone()).await), [field], "{request:?}");
    }
    let broken = SearchFiles { pattern: "(".to_owned(), ..base() };
    assert!(matches!(cast.search("acme", broken).await, Err(Error::InvalidPattern { .. })));
    let both = SearchFiles { path: Some("a".to_owned()), path_prefix: Some("a".to_owned()), ..base() };
    assert!(matches!(cast.search("acme", both).await, Err(Error::InvalidParameters(_))));
}
