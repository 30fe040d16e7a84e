//! The files of a folder, one after the other, however many there are.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use interline_interchange::is_hidden_path;

/// What is found below a folder.
pub(super) enum Found {
    /// A file, by its path below the folder, with `/` between its parts.
    File { path: PathBuf, relative: String },
    /// What cannot be read, and why.
    Unreadable { name: String, reason: String },
}

/// The files below a folder, in the order of their names. Links to folders are not followed, so no loop of them is; settings
/// of tools, in hidden folders, are left out. One folder's names are in memory at a time, and the names of folders to come.
pub(super) struct Walk {
    /// Folders to come, and the path of each below the first.
    folders: Vec<(PathBuf, String)>,
    /// What is left of the folder that is being read, the last first.
    names: Vec<Found>,
}

impl Walk {
    pub(super) fn new(folder: &Path) -> Walk {
        Walk { folders: vec![(folder.to_owned(), String::new())], names: Vec::new() }
    }

    fn read_folder(&mut self, folder: &Path, relative: &str) {
        let unreadable = |error: &std::io::Error| Found::Unreadable {
            name: if relative.is_empty() { folder.display().to_string() } else { relative.to_owned() },
            reason: error.to_string(),
        };
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return self.names.push(unreadable(&error)),
        };
        let mut paths = BTreeSet::new();
        for entry in entries {
            match entry {
                Ok(entry) => {
                    paths.insert(entry.path());
                }
                Err(error) => self.names.push(unreadable(&error)),
            }
        }
        let (mut files, mut folders) = (Vec::new(), Vec::new());
        for path in paths {
            match entry(path, relative) {
                Entry::Folder(path, relative) => folders.push((path, relative)),
                Entry::Found(found) => files.push(found),
                Entry::Hidden => {}
            }
        }
        self.folders.extend(folders.into_iter().rev());
        self.names.extend(files.into_iter().rev());
    }
}

enum Entry {
    Folder(PathBuf, String),
    Found(Found),
    Hidden,
}

fn entry(path: PathBuf, below: &str) -> Entry {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        let name = path.display().to_string();
        return Entry::Found(Found::Unreadable { name, reason: "its name is not UTF-8: rename it".to_owned() });
    };
    let relative = if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") };
    if is_hidden_path(&relative) {
        return Entry::Hidden;
    }
    let unreadable =
        |reason: &str| Entry::Found(Found::Unreadable { name: relative.clone(), reason: reason.to_owned() });
    let is_link = fs::symlink_metadata(&path).is_ok_and(|about| about.is_symlink());
    match fs::metadata(&path) {
        Ok(about) if about.is_dir() && is_link => unreadable("a link to a folder is not followed"),
        Ok(about) if about.is_dir() => Entry::Folder(path, relative),
        Ok(about) if about.is_file() => Entry::Found(Found::File { path, relative }),
        Ok(_) => unreadable("it is neither a file nor a folder"),
        Err(error) => unreadable(&error.to_string()),
    }
}

impl Iterator for Walk {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        loop {
            if let Some(found) = self.names.pop() {
                return Some(found);
            }
            let (folder, relative) = self.folders.pop()?;
            self.read_folder(&folder, &relative);
        }
    }
}
