//! Publishing apps, and reading published versions and files.

use std::sync::Arc;

use crate::fields::CodePath;
use crate::{App, AppVersion, CodeKind, Error, PublishedFile, Scope};

use super::super::{Caller, Interline, now};
use super::apps::AppRef;

/// A published version with its files.
#[derive(Clone, Debug)]
pub struct PublishedVersion {
    /// The version.
    pub version: AppVersion,
    /// Its files, in the order of their paths.
    pub files: Vec<PublishedFile>,
}

impl Interline {
    /// Freezes the draft of an app as its next published version; later edits do not touch it.
    pub async fn publish_app(&self, caller: &Caller, app_ref: &AppRef) -> Result<(App, AppVersion), Error> {
        caller.require(Scope::Read)?;
        let app = self.writable_app(caller, app_ref).await?;
        let (id, user) = (app.id, caller.user());
        // How much is copied is known only there.
        let published = self.write_long(caller, move |store| async move { store.publish_app(id, user, now()).await });
        match published.await?? {
            Some(version) => Ok((App { published_version: Some(version.version), ..app }, version)),
            None => Err(Error::field("draft", "has no files: write at least one before publishing")),
        }
    }

    /// The published versions of an app, newest first.
    pub async fn app_versions(&self, caller: &Caller, app_ref: &AppRef) -> Result<Vec<AppVersion>, Error> {
        caller.require(Scope::Read)?;
        let app = self.visible_app(caller, app_ref).await?;
        Ok(self.store.app_versions(app.id).await?)
    }

    /// One published version of an app.
    pub async fn app_version(&self, caller: &Caller, app_ref: &AppRef, number: u64) -> Result<PublishedVersion, Error> {
        caller.require(Scope::Read)?;
        let app = self.visible_app(caller, app_ref).await?;
        let versions = self.store.app_versions(app.id).await?;
        let version = versions.into_iter().find(|version| version.version == number);
        let version = version.ok_or_else(|| no_version(number))?;
        let _permit = self.read_permit(caller).await?;
        Ok(PublishedVersion { version, files: self.store.published_files(app.id, number).await? })
    }

    /// The content of a file as it was published.
    pub async fn published_file(
        &self,
        caller: &Caller,
        app_ref: &AppRef,
        number: u64,
        path: &str,
    ) -> Result<Arc<str>, Error> {
        caller.require(Scope::Read)?;
        let app = self.visible_app(caller, app_ref).await?;
        let parsed = CodePath::parse_stored(CodeKind::AppFile, path, &self.limits);
        let parsed = parsed.map_err(|error| Error::ValidationFailed(vec![error]))?;
        let hint = "read the version to see which files it has";
        let missing = Error::Missing { what: "published file", requested: path.to_owned(), hint };
        let _permit = self.read_permit(caller).await?;
        self.store.published_content(app.id, number, &parsed).await?.ok_or(missing)
    }
}

fn no_version(number: u64) -> Error {
    let hint = "list the published versions of the app";
    Error::Missing { what: "published version", requested: number.to_string(), hint }
}
