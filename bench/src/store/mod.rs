//! Stores on disk: written by hand beside Interline's own writes, or filled before a measurement.

mod bare;
mod filled;

use std::path::{Path, PathBuf};

pub(crate) use bare::{Bare, BareItem, BareNote, used_bytes};
pub(crate) use filled::{Filling, fill, ids, kept};

/// Where stores are made: on the disk of the user's cache, as `/tmp` may be memory.
#[derive(Clone, Debug)]
pub(crate) struct Place(PathBuf);

impl Place {
    /// `interline/bench` in the user's cache directory.
    #[expect(clippy::disallowed_methods, reason = "this is a command, started by a user whose cache it uses")]
    pub(crate) fn of_user() -> std::io::Result<Place> {
        let given = std::env::var_os("XDG_CACHE_HOME").filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
        let cache = given.or(home).unwrap_or_else(std::env::temp_dir);
        let folder = cache.join("interline/bench");
        std::fs::create_dir_all(&folder)?;
        Ok(Place(folder))
    }

    pub(crate) fn folder(&self) -> &Path {
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
