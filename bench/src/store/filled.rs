//! Stores filled with many items, cached between runs.

use std::error::Error;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use interline_items::content_hash;
use uuid::Uuid;

use super::{Bare, BareNote, BenchFolder, file_in};
use crate::texts::source;

/// Changes when [`fill`] writes something else, so that kept stores are made anew.
const FORMAT: u32 = 1;
/// Items in a transaction.
const GROUP: usize = 50_000;

/// How much to fill in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Filling {
    pub(crate) items: usize,
    /// Bytes of each content.
    pub(crate) bytes: usize,
}

/// Adds notes to the store in the file `path`, which is made if there is none. Nothing is synced before the end.
pub(crate) fn fill(path: &Path, filling: Filling) -> Result<(), Box<dyn Error>> {
    let mut bare = Bare::open(path)?;
    // Keys that are inserted in no order touch the whole of an index.
    bare.connection().execute_batch("PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000;")?;
    let texts = source(filling.bytes + 4_000_000, 7);
    for first in (0..filling.items).step_by(GROUP) {
        bare.connection().execute_batch("BEGIN IMMEDIATE")?;
        for number in first..filling.items.min(first + GROUP) {
            // Any number that has no divisor in common with the length goes all over it.
            let at = number * 7_919 % (texts.len() - filling.bytes);
            let text = &texts[at..at + filling.bytes];
            bare.insert(BareNote { title: &format!("note {number}"), tags: &[], text }, content_hash(text))?;
        }
        bare.connection().execute_batch("COMMIT")?;
    }
    // What was not synced is synced by the checkpoint.
    bare.connection().execute_batch("PRAGMA synchronous = FULL;")?;
    bare.connection().query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}

/// The folder of a filled store, made once and cached for later runs.
pub(crate) fn cached(bench_folder: &BenchFolder, filling: Filling) -> Result<PathBuf, Box<dyn Error>> {
    let scratch = bench_folder.temporary()?;
    let file = file_in(scratch.path());
    let schema = schema_hash(&file)?;
    let Filling { items, bytes } = filling;
    let folder = bench_folder.path().join(format!("{items}-items-of-{bytes}-{schema:016x}"));
    if !folder.exists() {
        fill(&file, filling)?;
        std::fs::rename(scratch.keep(), &folder)?;
    }
    Ok(folder)
}

/// A hash of the schema of a store, which is created.
fn schema_hash(path: &Path) -> Result<u64, Box<dyn Error>> {
    let bare = Bare::open(path)?;
    let mut statement = bare.connection().prepare("SELECT coalesce(sql, '') FROM sqlite_schema ORDER BY name")?;
    let mut hasher = DefaultHasher::new();
    FORMAT.hash(&mut hasher);
    for sql in statement.query_map([], |row| row.get::<_, String>(0))? {
        sql?.hash(&mut hasher);
    }
    Ok(hasher.finish())
}

/// The ids of items whose contents have about so many bytes, at most `most`, from all over the store.
pub(crate) fn ids(path: &Path, bytes: usize, most: usize) -> Result<Vec<String>, Box<dyn Error>> {
    let bare = Bare::open(path)?;
    let range = [bytes as i64 / 2, bytes as i64 * 2];
    let count = "SELECT count(*) FROM items WHERE content_bytes BETWEEN ?1 AND ?2";
    let count: u32 = bare.connection().query_row(count, range, |row| row.get(0))?;
    let step = (count as usize / most).max(1);
    let ids = "SELECT id FROM items WHERE content_bytes BETWEEN ?1 AND ?2 ORDER BY number";
    let mut statement = bare.connection().prepare(ids)?;
    let found = statement.query_map(range, |row| row.get::<_, [u8; 16]>(0))?.step_by(step).take(most);
    Ok(found.map(|id| id.map(|id| Uuid::from_bytes(id).to_string())).collect::<Result<_, _>>()?)
}
