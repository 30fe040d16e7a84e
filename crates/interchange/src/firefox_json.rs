//! The backup that Firefox makes of its bookmarks: a tree of folders as JSON.

use std::ops::ControlFlow;

use serde_json::Value;

use crate::bookmarks::{BookmarkCollector, SourceBookmark};
use crate::times::from_number;
use crate::{Format, ReadError, Sink};

/// Reads a backup. Folders are tags, those that Firefox makes itself none; keywords and icons are left out.
pub(crate) fn read_firefox_json(bytes: &[u8], sink: &mut Sink<'_>) -> Result<ControlFlow<()>, ReadError> {
    let root: Value =
        serde_json::from_slice(bytes).map_err(|error| ReadError::not(Format::FirefoxJson, error.to_string()))?;
    if root.get("children").is_none() {
        let reason = "it has no `children`: take a backup of the bookmarks in Firefox's library";
        return Err(ReadError::not(Format::FirefoxJson, reason));
    }
    let mut tree = Tree::default();
    tree.folder(&root);
    for (url, tag) in tree.tagged {
        tree.bookmarks.add_tag(&url, &tag);
    }
    Ok(tree.bookmarks.finish(sink))
}

#[derive(Default)]
struct Tree {
    /// Names of the folders that are open, those of Firefox itself aside.
    folders: Vec<String>,
    bookmarks: BookmarkCollector,
    /// Tags as older versions of Firefox keep them: a folder for each, with addresses.
    tagged: Vec<(String, String)>,
}

impl Tree {
    // The depth of JSON that serde_json reads bounds this recursion.
    fn folder(&mut self, folder: &Value) {
        for child in children(folder) {
            let is_root = child.get("root").is_some() || is_root_guid(text(child, "guid"));
            if text(child, "root") == Some("tagsFolder") || text(child, "guid") == Some("tags________") {
                self.tags(child);
            } else if child.get("children").is_some() || text(child, "type") == Some("text/x-moz-place-container") {
                let name = text(child, "title").map(str::trim).filter(|name| !name.is_empty() && !is_root);
                self.folders.extend(name.map(str::to_owned));
                self.folder(child);
                if name.is_some() {
                    self.folders.pop();
                }
            } else if text(child, "type") != Some("text/x-moz-place-separator") {
                self.bookmark(child);
            }
        }
    }

    fn tags(&mut self, root: &Value) {
        for folder in children(root) {
            let Some(tag) = text(folder, "title") else { continue };
            for place in children(folder) {
                if let Some(url) = text(place, "uri") {
                    self.tagged.push((url.to_owned(), tag.to_owned()));
                }
            }
        }
    }

    fn bookmark(&mut self, place: &Value) {
        let mut bookmark = SourceBookmark {
            url: text(place, "uri").unwrap_or_default().to_owned(),
            title: text(place, "title").map(str::to_owned),
            created_at: time(place, "dateAdded"),
            updated_at: time(place, "lastModified"),
            description: annotation(place, "bookmarkProperties/description"),
            ..SourceBookmark::default()
        };
        self.folders.iter().for_each(|folder| bookmark.tags.add(folder));
        text(place, "tags").unwrap_or_default().split(',').for_each(|tag| bookmark.tags.add(tag));
        self.bookmarks.add(bookmark);
    }
}

fn children(folder: &Value) -> impl Iterator<Item = &Value> {
    folder.get("children").and_then(Value::as_array).into_iter().flatten()
}

fn text<'a>(node: &'a Value, key: &str) -> Option<&'a str> {
    node.get(key)?.as_str()
}

fn time(node: &Value, key: &str) -> Option<jiff::Timestamp> {
    from_number(node.get(key)?.as_i64()?)
}

fn annotation(place: &Value, name: &str) -> Option<String> {
    let annotations = place.get("annos")?.as_array()?;
    let found = annotations.iter().find(|annotation| text(annotation, "name") == Some(name))?;
    text(found, "value").map(str::to_owned)
}

fn is_root_guid(guid: Option<&str>) -> bool {
    matches!(guid, Some("menu________" | "toolbar_____" | "unfiled_____" | "mobile______" | "root________"))
}
