//! Reads `Cargo.toml` and `Cargo.lock`, as far as the rules need them.

use std::collections::{BTreeMap, BTreeSet};

/// The keys of the sections that `is_included` says yes to; `[dependencies.memchr]` is the key `memchr` of `dependencies`.
pub(crate) fn section_keys(manifest: &str, is_included: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    let mut inside = false;
    for line in manifest.split('\n').map(str::trim) {
        if let Some(header) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            inside = is_included(header);
            if let Some((_, key)) = header.rsplit_once('.').filter(|(section, _)| is_included(section)) {
                keys.insert(key.trim_matches('"').to_owned());
            }
        } else if inside && !line.starts_with('#') {
            let key = line.split(['=', '.', ' ']).next().unwrap_or_default().trim_matches('"');
            if !key.is_empty() && line.contains('=') {
                keys.insert(key.to_owned());
            }
        }
    }
    keys
}

/// What ends up in the crate: not what its tests use.
pub(crate) fn is_normal_dependencies(section: &str) -> bool {
    let last = section.rsplit('.').next().unwrap_or_default();
    last == "dependencies" || last == "build-dependencies"
}

pub(crate) fn crate_name(manifest: &str) -> String {
    let line = manifest.split('\n').find_map(|line| line.strip_prefix("name = \"")).expect("the crate's name");
    line.trim_end().trim_end_matches('"').to_owned()
}

/// `Cargo.lock`: each package (`name version`) with the packages that it depends on.
pub(crate) struct Lock {
    packages: BTreeMap<String, Vec<String>>,
}

impl Lock {
    pub(crate) fn parse(text: &str) -> Lock {
        let mut packages = BTreeMap::new();
        for block in text.split("[[package]]").skip(1) {
            let field = |key: &str| {
                let value = block.split('\n').find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""));
                value.map(|value| value.trim_end_matches('"').to_owned()).expect("a package's name and version")
            };
            let list = block.split_once("dependencies = [").and_then(|(_, rest)| rest.split_once(']'));
            let list = list.map_or("", |(list, _)| list);
            let dependencies = list.split('"').skip(1).step_by(2).map(str::to_owned).collect();
            packages.insert(format!("{} {}", field("name"), field("version")), dependencies);
        }
        Lock { packages }
    }

    /// The names of `direct` and of all that they bring, with every feature that the workspace asks for.
    pub(crate) fn tree(&self, direct: &BTreeSet<String>) -> BTreeSet<String> {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&str> = direct.iter().map(String::as_str).collect();
        while let Some(package) = open.pop() {
            if seen.insert(package) {
                // A name without its version may mean any of them.
                let is_meant = |locked: &str| locked == package || name_in_lock(locked) == package;
                let brought = self.packages.iter().filter(|(locked, _)| is_meant(locked));
                open.extend(brought.flat_map(|(_, dependencies)| dependencies.iter().map(String::as_str)));
            }
        }
        seen.into_iter().map(|package| name_in_lock(package).to_owned()).collect()
    }
}

fn name_in_lock(package: &str) -> &str {
    package.split(' ').next().unwrap_or_default()
}
