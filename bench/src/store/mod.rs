//! Stores on disk: written by plain SQL as a reference ([`bare`]), or filled before a measurement ([`filled`]).

mod bare;
mod filled;

use std::path::{Path, PathBuf};

pub(crate) use bare::{Bare, BareItem, BareNote, used_bytes};
pub(crate) use filled::{Filling, cached, fill, ids};

/// The folder in which stores are made: on the disk of the user's cache, as `/tmp` may be memory.
#[derive(Clone, Debug)]
pub(crate) struct BenchFolder(PathBuf);

impl BenchFolder {
    /// `interline/bench` in the user's cache directory.
    #[expect(clippy::disallowed_methods, reason = "this is a command, started by a user whose cache it uses")]
    pub(crate) fn in_user_cache() -> std::io::Result<BenchFolder> {
        let given = std::env::var_os("XDG_CACHE_HOME").filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
        let cache = given.or(home).unwrap_or_else(std::env::temp_dir);
        let folder = cache.join("interline/bench");
        std::fs::create_dir_all(&folder)?;
        Ok(BenchFolder(folder))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// A folder that is gone when the value is.
    pub(crate) fn temporary(&self) -> std::io::Result<tempfile::TempDir> {
        tempfile::tempdir_in(&self.0)
    }
}

/// The file of a store in its folder, as the command names it.
pub(crate) fn file_in(folder: &Path) -> PathBuf {
    folder.join("interline.db")
}
