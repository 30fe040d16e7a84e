//! The first start: an owner, and its token in a file that nobody else can read.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use interline_items::{Interline, Secret, User};
use tempfile::NamedTempFile;

use crate::failure::Failure;
use crate::settings::StoreSettings;

const PRIVATE_DIRECTORY: u32 = 0o700;
const PRIVATE_FILE: u32 = 0o600;

/// Who owns the store, and their secret if this was the first start.
pub(crate) struct Owner {
    pub(crate) user: User,
    pub(crate) new_secret: Option<Secret>,
}

/// Makes the directory of a store, if there is none.
pub(crate) fn make_private_directory(path: &Path) -> Result<(), Failure> {
    fs::DirBuilder::new().recursive(true).mode(PRIVATE_DIRECTORY).create(path).map_err(|error| {
        Failure::failed(format!("the data directory {} cannot be made: {error}", path.display()))
            .hint("choose another with --data-dir")
    })
}

/// Makes an empty file that nobody else can read, if there is none.
pub(crate) fn make_private_file(path: &Path) -> Result<(), Failure> {
    match OpenOptions::new().write(true).create_new(true).mode(PRIVATE_FILE).open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(Failure::failed(format!("{} cannot be made: {error}", path.display())))
        }
        _ => Ok(()),
    }
}

/// The owner; the first start makes it, whatever command it was. Of several processes one makes it.
pub(crate) async fn owner(interline: &Interline, settings: &StoreSettings) -> Result<Owner, Failure> {
    if let Ok(user) = interline.owner().await {
        return Ok(Owner { user, new_secret: None });
    }
    let path = settings.token_file();
    if fs::metadata(&path).is_ok_and(|kept| kept.len() > 0) {
        // Another process has been faster, or the file belongs to another store.
        let Ok(user) = interline.owner().await else {
            return Err(Failure::refused(format!("the store is new, and {} holds another's token", path.display()))
                .hint("move that file away, or choose another --data-dir"));
        };
        return Ok(Owner { user, new_secret: None });
    }
    // The file before the owner: a secret that cannot be kept would be lost.
    let cannot = |error: io::Error| Failure::failed(format!("{} cannot be written: {error}", path.display()));
    let file = tempfile::Builder::new().prefix(".token").tempfile_in(&settings.data_dir).map_err(cannot)?;
    match interline.first_start(&settings.owner_name).await? {
        Some((user, secret)) => {
            keep(&secret, file, &path).map_err(cannot)?;
            Ok(Owner { user, new_secret: Some(secret) })
        }
        None => Ok(Owner { user: interline.owner().await?, new_secret: None }),
    }
}

/// Writes a secret to a file that nobody else can read, and only then gives it its name.
fn keep(secret: &Secret, mut file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.as_file().set_permissions(Permissions::from_mode(PRIVATE_FILE))?;
    writeln!(file, "{}", secret.as_str())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    match path.parent() {
        Some(directory) => File::open(directory)?.sync_all(),
        None => Ok(()),
    }
}
