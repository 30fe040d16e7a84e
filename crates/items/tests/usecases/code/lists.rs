//! What lists of code show to whom.

use std::collections::BTreeSet;

use interline_items::{
    CodeFiles, CodeKind, CodeScope, Contents, FindItems, Kind, PageStart, Sort, SortBy, SortOrder, SpaceOwner,
    TextFilter, WorkflowFilter,
};

use super::{Cast, FLOW, app_file, file, in_app, scope};
use interline_items::search::SearchOrder;

use crate::items::find_items::everything;

fn all(scope: CodeScope) -> CodeFiles {
    CodeFiles { scope, path_prefix: None }
}

async fn paths(cast: &Cast, who: &str, wanted: &CodeFiles) -> Vec<String> {
    let caller = cast.caller(who).await;
    let page = cast.interline().list_files(&caller, wanted).await.unwrap();
    assert_eq!(page.total, page.files.len() as u64);
    let told = page.files.iter().map(|item| {
        let owner = match caller.owner_of(item.space).unwrap() {
            SpaceOwner::Global => "global",
            SpaceOwner::Organization(id) if id == cast.acme => "acme",
            SpaceOwner::Organization(_) => "umbra",
            SpaceOwner::App(_) => "app",
            SpaceOwner::User(_) => "user",
        };
        format!("{}@{owner}", item.fields.path.as_ref().unwrap().as_str())
    });
    told.collect()
}

#[tokio::test]
async fn a_list_has_what_exists_for_its_caller() {
    let cast = Cast::new().await;
    cast.replace("acme", &file(CodeKind::Workflow, "shared.py"), FLOW).await.unwrap();
    let of_acme = CodeScope { organization: Some(cast.acme), ..scope(CodeKind::Workflow) };
    let global: &[&str] = &["shared.py@global"];
    let acmes: &[&str] = &["acme.py@acme", "shared.py@acme", "shared.py@global"];
    for (wanted, expected) in [
        (scope(CodeKind::Workflow), [("admin", global), ("acme", acmes), ("umbra", global), ("loner", global)]),
        (of_acme, [("admin", acmes), ("acme", acmes), ("umbra", &[]), ("loner", &[])]),
        (
            scope(CodeKind::Module),
            [
                ("admin", &["lib.py@global"][..]),
                ("acme", &["lib.py@global"]),
                ("umbra", &["lib.py@global"]),
                ("loner", &["lib.py@global"]),
            ],
        ),
        (
            in_app("portal"),
            ["admin", "acme", "umbra", "loner"].map(|who| (who, &["_layout.tsx@app", "pages/index.tsx@app"][..])),
        ),
    ] {
        for (who, expected) in expected {
            let mut seen = paths(&cast, who, &all(wanted.clone())).await;
            seen.sort();
            assert_eq!(seen, expected, "{who} {wanted:?}");
        }
    }
}

#[tokio::test]
async fn a_list_begins_with_a_prefix_and_has_nothing_deleted() {
    let cast = Cast::new().await;
    for path in ["pages/about.tsx", "pagesx", "components/a.tsx"] {
        cast.replace("acme", &app_file("shop", path), "x").await.unwrap();
    }
    let acme = cast.caller("acme").await;
    let gone = app_file("shop", "pages/index.tsx");
    cast.interline().delete_file(&acme, &gone, interline_items::ExpectedVersion::Any).await.unwrap();
    for (prefix, expected) in [
        ("pages/", &["pages/about.tsx"][..]),
        ("/pages/", &["pages/about.tsx"]),
        ("pages", &["pages/about.tsx", "pagesx"]),
        ("none", &[]),
    ] {
        let wanted = CodeFiles { path_prefix: Some(prefix.to_owned()), ..all(in_app("shop")) };
        let seen = paths(&cast, "acme", &wanted).await;
        assert_eq!(seen.iter().map(|path| path.trim_end_matches("@app")).collect::<Vec<_>>(), expected, "{prefix}");
    }
}

#[tokio::test]
async fn lists_and_searches_over_all_kinds_have_code_too() {
    let cast = Cast::new().await;
    let found = async |who: &str, wanted: TextFilter| {
        let request = FindItems {
            text: wanted,
            filter: everything().filter,
            order: SearchOrder::Sorted(Sort { by: SortBy::CreatedAt, order: SortOrder::Ascending }),
            start: PageStart::Offset(0),
            limit: 100,
            contents: Contents::Omit,
        };
        let page = cast.interline().find_items(&cast.caller(who).await, request).await.unwrap();
        page.items.iter().map(|found| found.snapshot.item.kind).collect::<BTreeSet<Kind>>()
    };
    let code = BTreeSet::from([Kind::AppFile, Kind::Workflow, Kind::Module]);
    for who in ["admin", "acme", "loner"] {
        assert_eq!(found(who, TextFilter::Everything).await, code, "{who}");
    }
    let by_path = |text: &str| TextFilter::parse(Some(text), None).unwrap();
    assert_eq!(found("acme", by_path("acme.py")).await, BTreeSet::from([Kind::Workflow]));
    assert_eq!(found("umbra", by_path("acme.py")).await, BTreeSet::new());
    assert_eq!(found("loner", by_path("Layout")).await, BTreeSet::from([Kind::AppFile]));
}

#[tokio::test]
async fn workflows_are_listed_by_their_functions() {
    let cast = Cast::new().await;
    let two = "from bifrost import tool, workflow\n\n@workflow(name=\"Zwei\", description=\"Counts\")\ndef two(): ...\n\n@tool\ndef helper(): ...\n";
    cast.replace("acme", &file(CodeKind::Workflow, "two.py"), two).await.unwrap();
    let names = async |who: &str, filter: WorkflowFilter| {
        let found = cast.interline().workflows(&cast.caller(who).await, &filter).await.unwrap();
        assert_eq!(found.total, found.workflows.len());
        found.workflows.into_iter().map(|one| one.function.name).collect::<Vec<_>>()
    };
    let query = |text: &str| WorkflowFilter { query: Some(text.to_owned()), ..WorkflowFilter::default() };
    let category = |text: &str| WorkflowFilter { category: Some(text.to_owned()), ..WorkflowFilter::default() };
    assert_eq!(names("acme", WorkflowFilter::default()).await, ["flow", "flow", "two", "helper"]);
    assert_eq!(names("umbra", WorkflowFilter::default()).await, ["flow"]);
    let of_acme = WorkflowFilter { organization: Some(cast.acme), ..WorkflowFilter::default() };
    assert_eq!(names("admin", of_acme.clone()).await, ["flow", "flow", "two", "helper"]);
    assert_eq!(names("umbra", of_acme).await, [""; 0]);
    for (filter, expected) in [
        (query("ZWEI"), &["two"][..]),
        (query("counts"), &["two"]),
        (query("two.py"), &["two", "helper"]),
        (query("helper"), &["helper"]),
        (query("nothing"), &[]),
        (category("ops"), &["flow", "flow"]),
        (category("op"), &[]),
    ] {
        assert_eq!(names("acme", filter.clone()).await, expected, "{filter:?}");
    }
}

#[tokio::test]
async fn organizations_and_apps_are_listed_for_who_sees_them() {
    let cast = Cast::new().await;
    for (who, organizations, apps) in [
        ("admin", &["acme", "umbra"][..], &["portal", "shop"][..]),
        ("acme", &["acme"], &["portal", "shop"]),
        ("umbra", &["umbra"], &["portal"]),
        ("loner", &[], &["portal"]),
    ] {
        let caller = cast.caller(who).await;
        let seen = cast.interline().organizations(&caller).await.unwrap();
        assert_eq!(seen.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), organizations, "{who}");
        let seen = cast.interline().apps(&caller).await.unwrap();
        assert_eq!(seen.iter().map(|one| one.slug.as_str()).collect::<Vec<_>>(), apps, "{who}");
    }
}
