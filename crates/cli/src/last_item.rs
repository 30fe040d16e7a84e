//! `@last`: the item that this command line last made or changed, for each store.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use uuid::Uuid;

use crate::environment::Environment;
use crate::settings::{Database, StoreAddress};

/// How many stores are remembered. With more, the file begins anew.
const MAX_STORES: usize = 200;

/// The last item of a store, in a small file of the user. Where that cannot be read or written, there is none: it is a
/// convenience, and fails no command.
pub(crate) struct LastItem {
    file: Option<PathBuf>,
    store: String,
}

impl LastItem {
    pub(crate) fn of_store(address: &StoreAddress, environment: &Environment) -> LastItem {
        let store = match address {
            StoreAddress::Server { url, .. } => url.to_string(),
            StoreAddress::Local(settings) => match &settings.database {
                Database::Sqlite(path) => path.display().to_string(),
                // What is before the host may be a password.
                Database::Postgres(url) => {
                    format!("postgres://{}", url.rsplit_once('@').map_or(url.as_str(), |(_, rest)| rest))
                }
            },
        };
        let file = environment.state_home().map(|home| home.join("interline").join("last.json"));
        LastItem { file, store }
    }

    /// Its id.
    pub(crate) fn id(&self) -> Option<Uuid> {
        read(self.file.as_deref()?).get(&self.store).and_then(|id| Uuid::try_parse(id).ok())
    }

    /// Remembers an item.
    pub(crate) fn set(&self, id: &str) {
        let Some(file) = self.file.as_deref() else { return };
        let mut all = read(file);
        if all.get(&self.store).is_some_and(|known| known == id) {
            return;
        }
        if all.len() >= MAX_STORES {
            all.clear();
        }
        all.insert(self.store.clone(), id.to_owned());
        // Nothing is lost but a convenience.
        let _ = write(file, &all);
    }
}

fn read(file: &Path) -> BTreeMap<String, String> {
    fs::read(file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// Written under another name first: a command that runs at the same time reads a whole file.
fn write(file: &Path, all: &BTreeMap<String, String>) -> std::io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    temporary.write_all(&serde_json::to_vec_pretty(all)?)?;
    temporary.persist(file)?;
    Ok(())
}
