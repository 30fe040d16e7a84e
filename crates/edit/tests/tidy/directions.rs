//! The direction of dependencies between the crates, by their manifests.

use std::fmt::Write as _;

use crate::files::{crate_folders, name_of, read};
use crate::manifests::{crate_name, is_normal_dependencies, section_keys};

/// The floors of the house, lowest first: a crate depends only on crates of lower floors. Crates of one floor do not know
/// each other; so `server` and `storage` do not. Tests may depend on more.
const FLOORS: &[&[&str]] =
    &[&["edit"], &["template", "python", "search", "interchange"], &["items"], &["storage", "server"], &["cli"]];

#[test]
fn crates_depend_downwards_only() {
    let manifests: Vec<(String, String)> =
        crate_folders().iter().map(|folder| (name_of(folder), read(&folder.join("Cargo.toml")))).collect();
    let problems = direction_problems(&manifests);
    assert!(problems.is_empty(), "a dependency against the direction (FLOORS in directions.rs):\n{problems}");
}

fn floor(folder: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| floor.contains(&folder))
}

/// For folders and their manifests.
fn direction_problems(manifests: &[(String, String)]) -> String {
    let mut problems = String::new();
    for (folder, manifest) in manifests {
        let Some(own) = floor(folder) else {
            let _ = writeln!(problems, "{folder}: give it a floor");
            continue;
        };
        let dependencies = section_keys(manifest, is_normal_dependencies);
        let inside = manifests.iter().filter(|(_, other)| dependencies.contains(&crate_name(other)));
        for (other, _) in inside.filter(|(other, _)| floor(other).is_none_or(|floor| floor >= own)) {
            let _ = writeln!(problems, "{folder} depends on {other}");
        }
    }
    problems
}

#[test]
fn a_dependency_against_the_direction_is_found() {
    let manifest = |folder: &str, dependencies: &str| {
        (folder.to_owned(), format!("[package]\nname = \"interline-{folder}\"\n[dependencies]\n{dependencies}\n"))
    };
    let problems = direction_problems(&[
        manifest("edit", "memchr = \"2\""),
        manifest("items", "interline-edit.workspace = true"),
        manifest("storage", "interline-items = { path = \"../items\" }\ninterline-server.workspace = true"),
        manifest("server", "interline-items.workspace = true\n[dev-dependencies]\ninterline-storage.workspace = true"),
        manifest("search", "interline-items.workspace = true"),
        manifest("cellar", ""),
    ]);
    let expected = "storage depends on server\nsearch depends on items\ncellar: give it a floor\n";
    assert_eq!(problems, expected);
}
