//! Code: files by path, workflows, apps, organizations, and what each caller may do with them.

mod access;
mod app_trash;
mod apps;
mod files;
mod history;
mod lists;
mod merge;
mod python;
mod search;
mod workflows;

use interline_items::{
    AppDraft, AppRef, Caller, CodeKind, CodeScope, EditRequest, Error, ExpectedVersion, FileRef, Interline, Item,
    OrganizationDraft, OrganizationId, PassageChange, Rank, ReadContent, ReplaceFile, ReplacedFile, Scope, Secret,
    SecretHash, Source, TextChange, TokenDraft, UserDraft,
};

use crate::samples::token;
use crate::world::{World, set};

pub(crate) const FLOW: &str = "from bifrost import workflow\n\n@workflow(category=\"Ops\")\ndef flow(x: int = 1):\n    \"\"\"Runs.\"\"\"\n    return x\n";
pub(crate) const MODULE: &str = "value = 1\n";

/// A store with two organizations, users of each and of none, and code of all of them: `shared.py` and `lib.py` and the
/// app `portal` are everybody's; `acme.py` and the app `shop` are acme's.
pub(crate) struct Cast {
    pub(crate) world: World,
    pub(crate) acme: OrganizationId,
    secrets: Vec<(&'static str, Secret)>,
}

/// Everybody who calls, those with the name of a token that only reads last.
pub(crate) const CALLERS: [&str; 6] = ["admin", "acme", "umbra", "loner", "admin reads", "acme reads"];

impl Cast {
    pub(crate) async fn new() -> Cast {
        let world = World::new().await;
        let organization = async |name: &str| {
            let draft = OrganizationDraft { name: name.to_owned(), domain: None };
            world.interline.create_organization(&world.owner, draft).await.unwrap().id
        };
        let (acme, umbra) = (organization("acme").await, organization("umbra").await);
        let mut secrets = Vec::new();
        for (name, rank, organization) in [
            ("admin", Rank::Admin, None),
            ("acme", Rank::Member, Some(acme)),
            ("umbra", Rank::Member, Some(umbra)),
            ("loner", Rank::Member, None),
        ] {
            let draft = UserDraft { name: name.to_owned(), email: None, rank, organization };
            secrets.push((name, world.interline.create_user(&world.owner, draft).await.unwrap().2));
        }
        let mut cast = Cast { world, acme, secrets };
        for (name, reader) in [("admin", "admin reads"), ("acme", "acme reads")] {
            let draft = TokenDraft { scopes: Some(set([Scope::Read])), ..token() };
            let (_, secret) = cast.interline().create_token(&cast.caller(name).await, draft).await.unwrap();
            cast.secrets.push((reader, secret));
        }
        for (who, slug) in [("admin", "portal"), ("acme", "shop")] {
            cast.interline().create_app(&cast.caller(who).await, app(slug)).await.unwrap();
        }
        for (who, kind, path, text) in [
            ("admin", CodeKind::Workflow, "shared.py", FLOW),
            ("admin", CodeKind::Module, "lib.py", MODULE),
            ("acme", CodeKind::Workflow, "acme.py", FLOW),
        ] {
            cast.replace(who, &file(kind, path), text).await.unwrap();
        }
        cast
    }

    pub(crate) fn interline(&self) -> &Interline {
        &self.world.interline
    }

    /// One of them, as they are now: what they are a member of changes with every app.
    pub(crate) async fn caller(&self, name: &str) -> Caller {
        let (_, secret) = self.secrets.iter().find(|(known, _)| *known == name).unwrap();
        self.interline().authenticate(SecretHash::from_secret(secret.as_str()), Source::Rest).await.unwrap()
    }

    pub(crate) async fn replace(&self, who: &str, file: &FileRef, content: &str) -> Result<ReplacedFile, Error> {
        let requested = ReplaceFile {
            file: file.clone(),
            content: content.to_owned(),
            expected: ExpectedVersion::Any,
            on_stale: None,
        };
        self.interline().replace_file(&self.caller(who).await, requested).await
    }

    /// The item of a file that `who` reads.
    pub(crate) async fn item(&self, who: &str, file: &FileRef) -> Item {
        self.interline().read_file(&self.caller(who).await, file, ReadContent::Omit).await.unwrap().item
    }

    pub(crate) async fn text(&self, who: &str, file: &FileRef) -> String {
        let read = self.interline().read_file(&self.caller(who).await, file, ReadContent::Whole).await.unwrap();
        read.part.unwrap().text.to_string()
    }
}

pub(crate) fn app(name: &str) -> AppDraft {
    AppDraft { name: name.to_owned(), slug: None, description: None, organization: None, navigation: None }
}

/// A file without an organization.
pub(crate) fn file(kind: CodeKind, path: &str) -> FileRef {
    FileRef { scope: scope(kind), path: path.to_owned() }
}

pub(crate) fn workflow_of(organization: OrganizationId, path: &str) -> FileRef {
    let scope = CodeScope { organization: Some(organization), ..scope(CodeKind::Workflow) };
    FileRef { scope, path: path.to_owned() }
}

pub(crate) fn app_file(slug: &str, path: &str) -> FileRef {
    FileRef { scope: in_app(slug), path: path.to_owned() }
}

pub(crate) fn scope(kind: CodeKind) -> CodeScope {
    CodeScope { kind, app: None, organization: None }
}

pub(crate) fn in_app(slug: &str) -> CodeScope {
    CodeScope { app: Some(AppRef::parse(slug)), ..scope(CodeKind::AppFile) }
}

/// Puts one text in the place of another.
pub(crate) fn replacing(old: &str, new: &str) -> EditRequest {
    EditRequest::new(TextChange::Replace(PassageChange {
        old_str: old.to_owned(),
        new_str: new.to_owned(),
        expected_matches: 1,
    }))
}
