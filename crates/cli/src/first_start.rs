//! The first start of a store: makes the data directory, the owner, and the file with the owner's token, which only the
//! system's user can read.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use interline_items::{Interline, Secret, User};
use tempfile::NamedTempFile;

use crate::command_error::CommandError;
use crate::settings::StoreSettings;

const PRIVATE_DIRECTORY: u32 = 0o700;
const PRIVATE_FILE: u32 = 0o600;

/// The owner of the store, and the secret of the owner's token if this was the first start.
pub(crate) struct Owner {
    pub(crate) user: User,
    pub(crate) new_secret: Option<Secret>,
}

/// Makes the directory of a store, if there is none.
pub(crate) fn make_private_directory(path: &Path) -> Result<(), CommandError> {
    fs::DirBuilder::new().recursive(true).mode(PRIVATE_DIRECTORY).create(path).map_err(|error| {
        CommandError::failed(format!("the data directory {} cannot be made: {error}", path.display()))
            .hint("choose another with --data-dir")
    })
}

/// Makes an empty file that only its owner can read, if there is none.
pub(crate) fn make_private_file(path: &Path) -> Result<(), CommandError> {
    match OpenOptions::new().write(true).create_new(true).mode(PRIVATE_FILE).open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(CommandError::failed(format!("{} cannot be made: {error}", path.display())))
        }
        _ => Ok(()),
    }
}

/// The owner of the store. The first start makes the owner, whatever command it was; of several processes that start
/// together one makes the owner.
pub(crate) async fn owner(interline: &Interline, settings: &StoreSettings) -> Result<Owner, CommandError> {
    if let Ok(user) = interline.owner().await {
        return Ok(Owner { user, new_secret: None });
    }
    let path = settings.token_file();
    if fs::metadata(&path).is_ok_and(|file| file.len() > 0) {
        // Another process has been faster, or the file belongs to another store.
        let Ok(user) = interline.owner().await else {
            return Err(CommandError::refused(format!(
                "the store is new, and {} holds the token of another store",
                path.display()
            ))
            .hint("move that file away, or choose another --data-dir"));
        };
        return Ok(Owner { user, new_secret: None });
    }
    // The file before the owner: a secret that cannot be written would be lost.
    make_private_directory(&settings.data_dir)?;
    let cannot_write =
        |error: io::Error| CommandError::failed(format!("{} cannot be written: {error}", path.display()));
    let file = tempfile::Builder::new().prefix(".token").tempfile_in(&settings.data_dir).map_err(cannot_write)?;
    match interline.first_start(&settings.owner_name).await? {
        Some((user, secret)) => {
            write_secret(&secret, file, &path).map_err(cannot_write)?;
            Ok(Owner { user, new_secret: Some(secret) })
        }
        None => Ok(Owner { user: interline.owner().await?, new_secret: None }),
    }
}

/// Writes a secret to a file that only its owner can read, and only then gives the file its name.
fn write_secret(secret: &Secret, mut file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.as_file().set_permissions(Permissions::from_mode(PRIVATE_FILE))?;
    writeln!(file, "{}", secret.as_str())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    match path.parent() {
        Some(directory) => File::open(directory)?.sync_all(),
        None => Ok(()),
    }
}
