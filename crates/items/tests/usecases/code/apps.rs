//! Apps: names, drafts and what is published.

use interline_items::{
    AppChanges, AppDraft, AppId, AppRef, Error, ExpectedVersion, FieldChange, Item, ItemId, OrganizationDraft,
};

use super::{Cast, app, app_file, replacing};
use crate::samples::{text, to};
use crate::world::{code, refused_fields};

fn by(slug: &str) -> AppRef {
    AppRef::parse(slug)
}

#[tokio::test]
async fn an_app_begins_with_a_scaffold() {
    let cast = Cast::new().await;
    let draft = AppDraft { description: text("Where we sell"), navigation: text("[]"), ..app("  Our Shop 2 ") };
    let made = cast.interline().create_app(&cast.caller("acme").await, draft).await.unwrap();
    assert_eq!((made.app.slug.as_str(), made.app.organization), ("our-shop-2", Some(cast.acme)));
    let read = cast.interline().app(&cast.caller("acme").await, &by("our-shop-2")).await.unwrap();
    assert_eq!(read.app, made.app);
    let paths = |files: &[Item]| {
        files.iter().map(|file| file.fields.path.as_ref().unwrap().as_str().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(paths(&read.draft.files), ["_layout.tsx", "pages/index.tsx"]);
    assert_eq!(paths(&made.draft.files), paths(&read.draft.files));
    assert_eq!((made.draft.total, read.draft.total), (2, 2));
}

#[tokio::test]
async fn bad_apps_are_refused_by_their_fields() {
    let cast = Cast::new().await;
    let acme = cast.caller("acme").await;
    let long = "x".repeat(4_001);
    for (draft, field) in [
        (app(" "), "name"),
        (app("日本"), "slug"),
        (AppDraft { slug: text("Not A Slug"), ..app("a") }, "slug"),
        (AppDraft { slug: text(&ItemId::generate().to_string()), ..app("a") }, "slug"),
        (AppDraft { description: text(&long), ..app("a") }, "description"),
        (AppDraft { description: text("a\0"), ..app("a") }, "description"),
        (AppDraft { navigation: text(&"1".repeat(70_000)), ..app("a") }, "navigation"),
    ] {
        assert_eq!(refused_fields(cast.interline().create_app(&acme, draft).await), [field]);
    }
}

#[tokio::test]
async fn a_slug_is_one_apps_in_an_organization() {
    let cast = Cast::new().await;
    match cast.interline().create_app(&cast.caller("acme").await, app("Shop")).await {
        Err(Error::SlugTaken(existing)) => assert_eq!(existing.slug.as_str(), "shop"),
        other => panic!("{other:?}"),
    }
    // Others have their own, and everybody finds the nearest.
    let theirs = cast.interline().create_app(&cast.caller("umbra").await, app("Shop")).await.unwrap().app.id;
    let found = async |who: &str, slug: &str| {
        cast.interline().app(&cast.caller(who).await, &by(slug)).await.map(|found| found.app.id)
    };
    let acmes = found("acme", "shop").await.unwrap();
    assert_ne!(acmes, theirs);
    assert_eq!(found("umbra", "shop").await.unwrap(), theirs);
    match found("admin", "shop").await {
        Err(Error::InvalidParameters(message)) => assert!(message.contains("by its id"), "{message}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(found("admin", &theirs.to_string()).await.unwrap(), theirs);
    let global = cast.interline().create_app(&cast.caller("admin").await, app("Shop")).await.unwrap().app.id;
    assert_eq!(found("admin", "shop").await.unwrap(), global);
    assert_eq!(found("acme", "shop").await.unwrap(), acmes);
    assert_eq!(found("loner", "shop").await.unwrap(), global);
    for nobody in ["no-such", "Not A Slug", "a\0b", &AppId::generate().to_string()] {
        assert_eq!(found("admin", nobody).await.unwrap_err().code(), "not_found", "{nobody:?}");
    }
    assert_eq!(found("umbra", &acmes.to_string()).await.unwrap_err().code(), "not_found");
}

#[tokio::test]
async fn an_app_is_changed_in_parts() {
    let cast = Cast::new().await;
    let acme = cast.caller("acme").await;
    let before = cast.interline().app(&acme, &by("shop")).await.unwrap().app;
    let change = async |changes| cast.interline().update_app(&acme, &AppRef::Id(before.id), changes).await;
    assert_eq!(change(AppChanges::default()).await.unwrap(), before);
    let described = AppChanges { description: to("Sells"), navigation: to("{}"), ..AppChanges::default() };
    let after = change(described).await.unwrap();
    assert_eq!((after.description.as_deref(), after.navigation.as_deref()), (Some("Sells"), Some("{}")));
    assert!(after.updated_at > before.updated_at);
    let renamed = AppChanges { name: text("The shop"), slug: text("the-shop"), ..AppChanges::default() };
    change(renamed).await.unwrap();
    let cleared =
        AppChanges { description: FieldChange::Clear, navigation: FieldChange::Clear, ..AppChanges::default() };
    let after = change(cleared).await.unwrap();
    assert_eq!((after.name.as_str(), after.slug.as_str()), ("The shop", "the-shop"));
    assert_eq!((after.description, after.navigation), (None, None));
    for (changes, field) in [
        (AppChanges { name: text(""), ..AppChanges::default() }, "name"),
        (AppChanges { slug: text("A"), ..AppChanges::default() }, "slug"),
    ] {
        assert_eq!(refused_fields(change(changes).await), [field]);
    }
    cast.interline().create_app(&acme, app("other")).await.unwrap();
    let taken = AppChanges { slug: text("other"), ..AppChanges::default() };
    assert_eq!(code(change(taken).await), "duplicate");
}

#[tokio::test]
async fn what_is_published_stays_as_it_was() {
    let cast = Cast::new().await;
    let acme = cast.caller("acme").await;
    let (interline, shop, index) = (cast.interline(), by("shop"), app_file("shop", "pages/index.tsx"));
    let (app, first) = interline.publish_app(&acme, &shop).await.unwrap();
    assert_eq!((app.published_version, first.version, first.files), (Some(1), 1, 2));
    let before = cast.text("acme", &index).await;
    interline.patch_file(&acme, &index, replacing("Hello", "Bye")).await.unwrap();
    interline.delete_file(&acme, &app_file("shop", "_layout.tsx"), ExpectedVersion::Any).await.unwrap();
    let (_, second) = interline.publish_app(&acme, &shop).await.unwrap();
    assert_eq!((second.version, second.files), (2, 1));
    let read =
        async |version, path| interline.published_file(&acme, &shop, version, path).await.map(|text| text.to_string());
    assert_eq!(read(1, "/pages/index.tsx").await.unwrap(), before);
    assert_eq!(read(2, "pages/index.tsx").await.unwrap(), before.replace("Hello", "Bye"));
    assert!(read(1, "_layout.tsx").await.is_ok());
    assert_eq!(read(2, "_layout.tsx").await.unwrap_err().code(), "not_found");
    assert_eq!(read(3, "pages/index.tsx").await.unwrap_err().code(), "not_found");
    assert_eq!(read(1, "../x").await.unwrap_err().code(), "validation_failed");
    assert_eq!(interline.app_versions(&acme, &shop).await.unwrap(), [second, first]);
    assert_eq!(interline.app_version(&acme, &shop, 1).await.unwrap().files.len(), 2);
    assert_eq!(code(interline.app_version(&acme, &shop, 3).await), "not_found");
}

#[tokio::test]
async fn an_empty_draft_is_not_published() {
    let cast = Cast::new().await;
    let acme = cast.caller("acme").await;
    for path in ["_layout.tsx", "pages/index.tsx"] {
        cast.interline().delete_file(&acme, &app_file("shop", path), ExpectedVersion::Any).await.unwrap();
    }
    assert_eq!(refused_fields(cast.interline().publish_app(&acme, &by("shop")).await), ["draft"]);
    assert!(cast.interline().app_versions(&acme, &by("shop")).await.unwrap().is_empty());
    assert_eq!(cast.interline().app(&acme, &by("shop")).await.unwrap().app.published_version, None);
}

#[tokio::test]
async fn an_organization_has_a_name() {
    let cast = Cast::new().await;
    let admin = cast.caller("admin").await;
    for (name, domain, field) in [("", None, "name"), ("a\0", None, "name"), ("a", text(" "), "domain")] {
        let draft = OrganizationDraft { name: name.to_owned(), domain };
        assert_eq!(refused_fields(cast.interline().create_organization(&admin, draft).await), [field]);
    }
}
