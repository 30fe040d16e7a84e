//! Apps in the trash: nothing of them exists for anyone until they are restored.

use std::collections::BTreeSet;

use interline_items::search::SearchOrder;
use interline_items::{
    App, AppRef, Contents, Error, Filter, FindItems, Kind, PageStart, Scope, Sort, SortBy, SortOrder, TagMatch,
    TextFilter, TokenDraft, Upkeep, UpkeepReport, View,
};
use jiff::SignedDuration;

use super::{CALLERS, Cast, app, app_file};
use crate::samples::token;
use crate::world::{code, set};

fn by(slug: &str) -> AppRef {
    AppRef::parse(slug)
}

impl Cast {
    async fn delete_app(&self, who: &str, app: &AppRef) -> Result<App, Error> {
        self.interline().delete_app(&self.caller(who).await, app).await
    }

    async fn restore_app(&self, who: &str, app: &AppRef) -> Result<App, Error> {
        self.interline().restore_app(&self.caller(who).await, app).await
    }

    /// How many files of apps a caller finds, in whatever state.
    async fn app_files(&self, who: &str) -> u64 {
        let filter = Filter {
            spaces: BTreeSet::new(),
            kinds: set([Kind::AppFile]),
            tags: Vec::new(),
            tag_match: TagMatch::All,
            views: set([View::Active, View::Archived, View::Deleted]),
        };
        let request = FindItems {
            text: TextFilter::parse(Some("export"), None).unwrap(),
            filter,
            order: SearchOrder::Sorted(Sort { by: SortBy::CreatedAt, order: SortOrder::Ascending }),
            start: PageStart::Offset(0),
            limit: 10,
            contents: Contents::Omit,
        };
        self.interline().find_items(&self.caller(who).await, request).await.unwrap().total
    }
}

#[tokio::test]
async fn a_deleted_app_is_gone_with_all_it_has_and_comes_back_with_it() {
    let cast = Cast::new().await;
    let (index, shop) = (app_file("shop", "pages/index.tsx"), by("shop"));
    let item = cast.item("acme", &index).await;
    cast.interline().publish_app(&cast.caller("acme").await, &shop).await.unwrap();
    let before = cast.interline().app(&cast.caller("acme").await, &shop).await.unwrap().app;
    assert_eq!(cast.app_files("acme").await, 4);
    let deleted = cast.delete_app("acme", &shop).await.unwrap();
    assert!(deleted.deleted_at.is_some());
    for who in ["admin", "acme"] {
        let caller = cast.caller(who).await;
        for named in [shop.clone(), AppRef::Id(deleted.id)] {
            assert_eq!(code(cast.interline().app(&caller, &named).await), "not_found", "{who} {named:?}");
            assert_eq!(code(cast.interline().app_versions(&caller, &named).await), "not_found", "{who}");
            assert_eq!(code(cast.delete_app(who, &named).await), "not_found", "{who}");
        }
        let by_id = interline_items::ItemRef::Id(item.id, None);
        let read = cast.interline().read(&caller, &by_id, interline_items::ReadContent::Whole).await;
        assert_eq!(code(read), "not_found", "{who}");
        assert_eq!(code(cast.replace(who, &index, "x").await), "not_found", "{who}");
        assert!(cast.interline().apps(&caller).await.unwrap().iter().all(|app| app.id != deleted.id), "{who}");
        assert_eq!(cast.app_files(who).await, 2, "{who}");
        assert_eq!(cast.interline().deleted_apps(&caller).await.unwrap(), std::slice::from_ref(&deleted), "{who}");
    }
    let restored = cast.restore_app("acme", &shop).await.unwrap();
    assert_eq!(App { updated_at: before.updated_at, ..restored.clone() }, before);
    assert_eq!(cast.item("acme", &index).await, item);
    assert_eq!(cast.app_files("acme").await, 4);
    let published = cast.interline().published_file(&cast.caller("acme").await, &shop, 1, "pages/index.tsx").await;
    assert!(published.unwrap().starts_with("export"));
    assert_eq!(cast.restore_app("acme", &shop).await.unwrap(), restored, "one that is not deleted stays");
}

#[tokio::test]
async fn the_slug_of_a_deleted_app_is_free() {
    let cast = Cast::new().await;
    let first = cast.delete_app("acme", &by("shop")).await.unwrap();
    let second = cast.interline().create_app(&cast.caller("acme").await, app("Shop")).await.unwrap().app;
    assert_eq!(cast.restore_app("acme", &by("shop")).await.unwrap(), second, "the one that has the slug stays");
    match cast.restore_app("acme", &AppRef::Id(first.id)).await {
        Err(Error::SlugTaken(holder)) => assert_eq!(holder.id, second.id),
        other => panic!("{other:?}"),
    }
    cast.delete_app("acme", &by("shop")).await.unwrap();
    assert_eq!(cast.restore_app("acme", &by("shop")).await.unwrap().id, second.id, "the last one is meant");
    cast.delete_app("acme", &AppRef::Id(second.id)).await.unwrap();
    assert_eq!(cast.restore_app("acme", &AppRef::Id(first.id)).await.unwrap().id, first.id);
}

#[tokio::test]
async fn a_slug_never_restores_the_app_of_another_owner() {
    let cast = Cast::new().await;
    let global = cast.delete_app("admin", &by("portal")).await.unwrap();
    let mut theirs = Vec::new();
    for who in ["acme", "umbra"] {
        cast.interline().create_app(&cast.caller(who).await, app("Portal")).await.unwrap();
        theirs.push(cast.delete_app(who, &by("portal")).await.unwrap());
    }
    assert_eq!(cast.restore_app("admin", &by("portal")).await.unwrap().id, global.id, "theirs were deleted later");
    assert_eq!(cast.restore_app("admin", &by("portal")).await.unwrap().id, global.id, "asked again, nothing changes");
    cast.delete_app("admin", &by("portal")).await.unwrap();
    assert_eq!(cast.restore_app("umbra", &by("portal")).await.unwrap().id, theirs[1].id);
    cast.delete_app("umbra", &by("portal")).await.unwrap();
    // Those of two organizations, none of which is the admin's.
    for (who, slug) in [("acme", "shop"), ("umbra", "shop")] {
        if who == "umbra" {
            cast.interline().create_app(&cast.caller(who).await, app("Shop")).await.unwrap();
        }
        cast.delete_app(who, &by(slug)).await.unwrap();
    }
    assert_eq!(code(cast.restore_app("admin", &by("shop")).await), "invalid_parameters");
}

#[tokio::test]
async fn an_app_is_deleted_and_restored_by_those_who_may_write_it() {
    let cast = Cast::new().await;
    for (slug, by_whom, deleting, restoring) in [
        (
            "shop",
            "acme",
            ["ok", "ok", "not_found", "not_found", "forbidden", "forbidden"],
            ["ok", "ok", "not_found", "not_found", "forbidden", "forbidden"],
        ),
        (
            "portal",
            "admin",
            ["ok", "forbidden", "forbidden", "forbidden", "forbidden", "forbidden"],
            ["ok", "not_found", "not_found", "not_found", "forbidden", "not_found"],
        ),
    ] {
        for ((who, may_delete), may_restore) in CALLERS.into_iter().zip(deleting).zip(restoring) {
            let id = cast.interline().app(&cast.caller("admin").await, &by(slug)).await.unwrap().app.id;
            assert_eq!(code(cast.delete_app(who, &AppRef::Id(id)).await), may_delete, "{who} deletes {slug}");
            if may_delete != "ok" {
                cast.delete_app(by_whom, &AppRef::Id(id)).await.unwrap();
            }
            let listed = cast.interline().deleted_apps(&cast.caller(who).await).await.unwrap().len();
            assert_eq!(listed, usize::from(may_restore != "not_found"), "{who} lists {slug}");
            assert_eq!(code(cast.restore_app(who, &AppRef::Id(id)).await), may_restore, "{who} restores {slug}");
            if may_restore != "ok" {
                cast.restore_app(by_whom, &AppRef::Id(id)).await.unwrap();
            }
        }
    }
}

#[tokio::test]
async fn a_narrowed_token_restores_no_app() {
    let cast = Cast::new().await;
    let acme = cast.caller("acme").await;
    let shop = cast.delete_app("acme", &by("shop")).await.unwrap();
    let spaces = cast.interline().spaces(&acme).unwrap();
    let all = Some(set([Scope::Read, Scope::Write]));
    let kinds = TokenDraft { scopes: all.clone(), kinds: Some(set([Kind::Workflow])), ..token() };
    let spaces = spaces.iter().map(|membership| membership.space.id).collect();
    let spaces = TokenDraft { scopes: all, spaces: Some(spaces), ..token() };
    for draft in [kinds, spaces] {
        let caller = cast.world.narrowed_by(&acme, draft).await;
        assert_eq!(cast.interline().deleted_apps(&caller).await.unwrap(), []);
        assert_eq!(code(cast.interline().restore_app(&caller, &AppRef::Id(shop.id)).await), "not_found");
    }
}

#[tokio::test]
async fn an_app_that_was_in_the_trash_too_long_is_removed() {
    let cast = Cast::new().await;
    let shop = cast.delete_app("acme", &by("shop")).await.unwrap();
    assert_eq!(cast.interline().run_upkeep(Upkeep::default()).await.unwrap(), UpkeepReport::default());
    let rules = Upkeep { trash: Some(SignedDuration::ZERO), history: None, events: None, history_records: None };
    let removed = cast.interline().run_upkeep(rules).await.unwrap();
    assert_eq!(removed, UpkeepReport { apps: 1, ..UpkeepReport::default() });
    assert_eq!(code(cast.restore_app("acme", &AppRef::Id(shop.id)).await), "not_found");
    assert_eq!(cast.app_files("admin").await, 2);
}
