//! What each caller may do with code: every use case, called by every kind of caller.

use interline_items::{
    AppChanges, AppDraft, AppRef, CodeKind, Error, ExpectedVersion, FileRef, ItemRef, Kind, OrganizationDraft,
    ReadContent, Refusal, TokenDraft, WorkflowRef, WorkflowSource,
};

use super::{CALLERS, Cast, FLOW, MODULE, app, app_file, file, replacing, workflow_of};
use crate::samples::{title, token};
use crate::world::{code, set};

/// A use case with its arguments.
enum UseCase {
    Read(FileRef),
    Patch(FileRef),
    /// Of a file that is there if the caller can make it.
    Delete(FileRef),
    Replace(FileRef),
    Workflow(&'static str),
    Validate,
    App(&'static str),
    Versions(&'static str),
    PublishedFile(&'static str),
    CreateApp,
    CreateAppOf,
    UpdateApp(&'static str),
    Publish(&'static str),
    CreateOrganization,
    Organizations,
    Apps,
}

impl Cast {
    /// The code of the answer to a caller.
    async fn outcome_of(&self, who: &str, use_case: &UseCase) -> &'static str {
        let (interline, caller) = (self.interline(), &self.caller(who).await);
        let unique = AppDraft { slug: Some(interline_items::ItemId::generate().simple_slug()), ..app("New") };
        match use_case {
            UseCase::Read(file) => code(interline.read_file(caller, file, ReadContent::Whole).await),
            UseCase::Patch(file) => {
                let request = match file.scope.kind {
                    CodeKind::AppFile => replacing("export", "// more\nexport"),
                    CodeKind::Workflow => replacing("    return x", "    x += 1\n    return x"),
                    CodeKind::Module => replacing("value = 1", "x = 1\nvalue = 1"),
                };
                code(interline.patch_file(caller, file, request).await)
            }
            UseCase::Delete(file) => {
                let _ = self.replace(who, file, content(file.scope.kind)).await;
                let deleted = code(interline.delete_file(caller, file, ExpectedVersion::Any).await);
                let _ = self.replace(who, file, content(file.scope.kind)).await;
                deleted
            }
            UseCase::Replace(file) => code(self.replace(who, file, content(file.scope.kind)).await),
            UseCase::Workflow(path) => {
                let which = WorkflowRef::Path { path: (*path).to_owned(), function: Some("flow".to_owned()) };
                code(interline.workflow(caller, &which, None).await)
            }
            UseCase::Validate => {
                code(interline.validate_workflow(caller, WorkflowSource::Content(FLOW.to_owned()), None).await)
            }
            UseCase::App(slug) => code(interline.app(caller, &AppRef::parse(slug)).await),
            UseCase::Versions(slug) => code(interline.app_versions(caller, &AppRef::parse(slug)).await),
            UseCase::PublishedFile(slug) => {
                code(interline.published_file(caller, &AppRef::parse(slug), 1, "pages/index.tsx").await)
            }
            UseCase::CreateApp => code(interline.create_app(caller, unique).await),
            UseCase::CreateAppOf => {
                code(interline.create_app(caller, AppDraft { organization: Some(self.acme), ..unique }).await)
            }
            UseCase::UpdateApp(slug) => {
                let changes = AppChanges { name: Some(format!("By {who}")), ..AppChanges::default() };
                code(interline.update_app(caller, &AppRef::parse(slug), changes).await)
            }
            UseCase::Publish(slug) => code(interline.publish_app(caller, &AppRef::parse(slug)).await),
            UseCase::CreateOrganization => {
                let draft = OrganizationDraft { name: "new".to_owned(), domain: None };
                code(interline.create_organization(caller, draft).await)
            }
            UseCase::Organizations => code(interline.organizations(caller).await),
            UseCase::Apps => code(interline.apps(caller).await),
        }
    }
}

fn content(kind: CodeKind) -> &'static str {
    match kind {
        CodeKind::AppFile => "export {}\n",
        CodeKind::Workflow => FLOW,
        CodeKind::Module => MODULE,
    }
}

trait SimpleSlug {
    fn simple_slug(&self) -> String;
}

impl SimpleSlug for interline_items::ItemId {
    /// A slug that no other app has.
    fn simple_slug(&self) -> String {
        format!("app-{}", self.uuid().simple())
    }
}

const OK: &str = "ok";
const NO: &str = "forbidden";
const NONE: &str = "not_found";

#[tokio::test]
async fn every_use_case_answers_everybody_as_agreed() {
    let cast = Cast::new().await;
    for slug in ["shop", "portal"] {
        assert_eq!(cast.outcome_of("admin", &UseCase::Publish(slug)).await, OK);
    }
    let workflow = |path| file(CodeKind::Workflow, path);
    let module = |path| file(CodeKind::Module, path);
    let of_acme = |path| workflow_of(cast.acme, path);
    let index = |slug| app_file(slug, "pages/index.tsx");
    // In the order of CALLERS: admin, acme, umbra, loner, and admin and acme with a token that only reads.
    let table: [(&str, UseCase, [&str; 6]); 45] = [
        ("read own", UseCase::Read(workflow("acme.py")), [NONE, OK, NONE, NONE, NONE, OK]),
        ("read acme's", UseCase::Read(of_acme("acme.py")), [OK, OK, NONE, NONE, OK, OK]),
        ("read global", UseCase::Read(workflow("shared.py")), [OK, OK, OK, OK, OK, OK]),
        ("read global by acme", UseCase::Read(of_acme("shared.py")), [OK, OK, NONE, NONE, OK, OK]),
        ("read module", UseCase::Read(module("lib.py")), [OK, OK, OK, OK, OK, OK]),
        ("read in shop", UseCase::Read(index("shop")), [OK, OK, NONE, NONE, OK, OK]),
        ("read in portal", UseCase::Read(index("portal")), [OK, OK, OK, OK, OK, OK]),
        ("read what is not there", UseCase::Read(workflow("no.py")), [NONE; 6]),
        ("workflow of acme", UseCase::Workflow("acme.py"), [NONE, OK, NONE, NONE, NONE, OK]),
        ("global workflow", UseCase::Workflow("shared.py"), [OK, OK, OK, OK, OK, OK]),
        ("validate", UseCase::Validate, [OK, OK, OK, OK, OK, OK]),
        ("app shop", UseCase::App("shop"), [OK, OK, NONE, NONE, OK, OK]),
        ("app portal", UseCase::App("portal"), [OK, OK, OK, OK, OK, OK]),
        ("versions of shop", UseCase::Versions("shop"), [OK, OK, NONE, NONE, OK, OK]),
        ("versions of portal", UseCase::Versions("portal"), [OK, OK, OK, OK, OK, OK]),
        ("published file of shop", UseCase::PublishedFile("shop"), [OK, OK, NONE, NONE, OK, OK]),
        ("published file of portal", UseCase::PublishedFile("portal"), [OK, OK, OK, OK, OK, OK]),
        ("organizations", UseCase::Organizations, [OK, OK, OK, OK, OK, OK]),
        ("apps", UseCase::Apps, [OK, OK, OK, OK, OK, OK]),
        ("patch own", UseCase::Patch(workflow("acme.py")), [NONE, OK, NONE, NONE, NONE, NO]),
        ("patch acme's", UseCase::Patch(of_acme("acme.py")), [OK, OK, NONE, NONE, NO, NO]),
        ("patch global", UseCase::Patch(workflow("shared.py")), [OK, NONE, NONE, NO, NO, NONE]),
        ("patch global by acme", UseCase::Patch(of_acme("shared.py")), [NONE, NONE, NONE, NONE, NONE, NONE]),
        ("patch module", UseCase::Patch(module("lib.py")), [OK, NO, NO, NO, NO, NO]),
        ("patch in shop", UseCase::Patch(index("shop")), [OK, OK, NONE, NONE, NO, NO]),
        ("patch in portal", UseCase::Patch(index("portal")), [OK, NO, NO, NO, NO, NO]),
        ("patch what is not there", UseCase::Patch(module("no.py")), [NONE; 6]),
        ("replace own", UseCase::Replace(workflow("new.py")), [OK, OK, OK, NO, NO, NO]),
        ("replace acme's", UseCase::Replace(of_acme("new.py")), [OK, OK, NONE, NONE, NO, NO]),
        ("replace module", UseCase::Replace(module("new.py")), [OK, NO, NO, NO, NO, NO]),
        ("replace in shop", UseCase::Replace(app_file("shop", "new")), [OK, OK, NONE, NONE, NO, NO]),
        ("replace in portal", UseCase::Replace(app_file("portal", "new")), [OK, NO, NO, NO, NO, NO]),
        ("delete own", UseCase::Delete(workflow("acme.py")), [OK, OK, OK, NO, NO, NO]),
        ("delete acme's", UseCase::Delete(of_acme("acme.py")), [OK, OK, NONE, NONE, NO, NO]),
        ("delete global", UseCase::Delete(workflow("shared.py")), [OK, OK, OK, NO, NO, NO]),
        ("delete module", UseCase::Delete(module("lib.py")), [OK, NO, NO, NO, NO, NO]),
        ("delete in shop", UseCase::Delete(index("shop")), [OK, OK, NONE, NONE, NO, NO]),
        ("delete in portal", UseCase::Delete(index("portal")), [OK, NO, NO, NO, NO, NO]),
        ("create app", UseCase::CreateApp, [OK, OK, OK, NO, NO, NO]),
        ("create app of acme", UseCase::CreateAppOf, [OK, OK, NONE, NONE, NO, NO]),
        ("update shop", UseCase::UpdateApp("shop"), [OK, OK, NONE, NONE, NO, NO]),
        ("update portal", UseCase::UpdateApp("portal"), [OK, NO, NO, NO, NO, NO]),
        ("publish shop", UseCase::Publish("shop"), [OK, OK, NONE, NONE, NO, NO]),
        ("publish portal", UseCase::Publish("portal"), [OK, NO, NO, NO, NO, NO]),
        ("create organization", UseCase::CreateOrganization, [OK, NO, NO, NO, NO, NO]),
    ];
    let mut wrong = Vec::new();
    for (what, use_case, expected) in &table {
        for (who, expected) in CALLERS.iter().zip(expected) {
            let answer = cast.outcome_of(who, use_case).await;
            if answer != *expected {
                wrong.push(format!("{what} by {who}: {answer}, not {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn an_item_of_code_is_reached_by_its_id_as_by_its_path() {
    let cast = Cast::new().await;
    for (who, target, read, written) in [
        ("admin", file(CodeKind::Workflow, "shared.py"), [OK; 6], [OK, NO, NO, NO, NO, NO]),
        ("admin", file(CodeKind::Module, "lib.py"), [OK; 6], [OK, NO, NO, NO, NO, NO]),
        ("acme", file(CodeKind::Workflow, "acme.py"), [OK, OK, NONE, NONE, OK, OK], [OK, OK, NONE, NONE, NO, NO]),
        ("acme", app_file("shop", "_layout.tsx"), [OK, OK, NONE, NONE, OK, OK], [OK, OK, NONE, NONE, NO, NO]),
    ] {
        let which = ItemRef::Id(cast.item(who, &target).await.id, None);
        for (index, caller) in CALLERS.iter().enumerate() {
            let caller = &cast.caller(caller).await;
            let interline = cast.interline();
            assert_eq!(code(interline.read(caller, &which, ReadContent::Omit).await), read[index], "{target:?}");
            let changes = title(&format!("by {index}"));
            let changed = interline.update(caller, &which, ExpectedVersion::Any, changes).await;
            assert_eq!(code(changed), written[index], "{target:?} {index}");
        }
    }
}

#[tokio::test]
async fn a_refused_write_to_a_global_path_says_where_the_file_is() {
    let cast = Cast::new().await;
    let shared = file(CodeKind::Workflow, "shared.py");
    let refused = cast.interline().patch_file(&cast.caller("acme").await, &shared, replacing("x", "y")).await;
    let suggestion = refused.unwrap_err().suggestion();
    assert!(suggestion.contains("it exists globally"), "{suggestion}");
    // Their own comes before it from then on, for them alone.
    cast.replace("acme", &shared, &FLOW.replace("x", "z")).await.unwrap();
    assert!(cast.text("acme", &shared).await.contains("return z"));
    for who in ["admin", "umbra", "loner"] {
        assert_eq!(cast.text(who, &shared).await, FLOW, "{who}");
    }
}

#[tokio::test]
async fn what_everybody_may_read_is_written_by_admins() {
    let cast = Cast::new().await;
    for who in ["acme", "loner"] {
        match cast.replace(who, &file(CodeKind::Module, "new.py"), MODULE).await {
            Err(Error::Forbidden(refusal)) => assert_eq!(refusal, Refusal::NotAdmin, "{who}"),
            other => panic!("{who}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_token_is_narrowed_to_kinds_and_spaces_of_code_too() {
    let cast = Cast::new().await;
    let acme = cast.caller("acme").await;
    let notes = TokenDraft { kinds: Some(set([Kind::Note])), ..token() };
    let notes = cast.world.narrowed_by(&acme, notes).await;
    let own = cast.interline().spaces(&acme).unwrap()[0].space.id;
    let private = TokenDraft { spaces: Some(set([own])), ..token() };
    let private = cast.world.narrowed_by(&acme, private).await;
    for (caller, made) in [(&notes, NO), (&private, NONE)] {
        let interline = cast.interline();
        for target in [file(CodeKind::Workflow, "acme.py"), app_file("shop", "_layout.tsx")] {
            assert_eq!(code(interline.read_file(caller, &target, ReadContent::Whole).await), NONE, "{target:?}");
            assert_eq!(code(interline.patch_file(caller, &target, replacing("a", "b")).await), NONE, "{target:?}");
        }
        assert!(interline.apps(caller).await.unwrap().is_empty());
        let requested = interline_items::ReplaceFile {
            file: file(CodeKind::Workflow, "new.py"),
            content: FLOW.to_owned(),
            expected: ExpectedVersion::Any,
            on_stale: None,
        };
        assert_eq!(code(interline.replace_file(caller, requested).await), made);
        assert_eq!(code(interline.create_app(caller, app("New")).await), NO);
    }
}
