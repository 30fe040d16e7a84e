//! Banned names of files, modules, types and functions, with the reasons and the folders where the bans hold.

use std::fmt::Write as _;
use std::path::Path;

use crate::code::{code_only, is_word};
use crate::files::{everything_under, is_rust, name_of, read, root, shown, stem_of};
use crate::manifests::crate_name;

/// Where the names of this file are banned: in every `.rs` file below.
const COVERED: &[&str] = &["crates", "bench", "soak", "fuzz"];

/// Names of files, modules and crates that say nothing about what is inside; also as the last word of a longer name.
const EMPTY_NAMES: &[&str] = &["core", "common", "util", "utils", "helper", "helpers", "misc"];

/// Names of files, folders and modules that a newcomer cannot guess, with the word to use instead.
const FILES: &[(&str, &str)] = &[
    ("crowd", "edit contention"),
    ("evidence", "candidates, tombstones or segments: say which"),
    ("finding", "a `…Result` or `…Response` is named after the operation"),
    ("follow", "the job queue, the outbox: say which"),
    ("guard", "host and origin check, or what else is guarded"),
    ("identify", "authentication"),
    ("kept", "the response cache, or what else is kept"),
    ("observe", "the request log, metrics: say which"),
    ("once", "idempotency"),
    ("outside", "outbound HTTP, the public-address client: say which"),
    ("pen", "the write connection"),
    ("submit", "the commit queue"),
    ("telling", "the event socket, the notifier: say which"),
    ("turnstile", "the process lock"),
    ("wanted", "say what is wanted: a query, a request, arguments"),
    ("words", "messages, similarity, stems: say which"),
    ("written", "a `…Result` or `…Response` is named after the operation"),
];

const SEVERAL_THINGS: &str = "it stood for several things: say of what";
const ANSWER: &str = "an answer is a `…Result` or `…Response`, named after the operation";

/// Names of types that are banned everywhere, with the reason or the word to use instead.
const TYPES: &[(&str, &str)] = &[
    ("Crowd", "edit contention"),
    ("Figures", "metrics"),
    ("Internet", "outbound HTTP, the public-address client: say which"),
    ("Kept", SEVERAL_THINGS),
    ("Known", SEVERAL_THINGS),
    ("Meant", "`ResolvedEdit`, or what else was resolved"),
    ("NotSaid", ANSWER),
    ("Once", "idempotency; `std::sync::Once` has the name already"),
    ("Outside", "outbound HTTP, the public-address client: say which"),
    ("Pen", "the write connection"),
    ("Place", SEVERAL_THINGS),
    ("Prepared", "an encoded write, a planned edit: say which"),
    ("Said", ANSWER),
    ("Shelf", "the state of an archive"),
    ("Target", SEVERAL_THINGS),
    ("Telling", "the event socket, the notifier: say which"),
    ("Told", ANSWER),
    ("Turnstile", "the process lock"),
    ("UnderWay", "in-flight idempotency keys"),
    ("Wanted", SEVERAL_THINGS),
];

/// Ends of names of types.
const TYPE_SUFFIXES: &[(&str, &str)] = &[("Told", ANSWER)];

/// Names of functions.
const FUNCTIONS: &[(&str, &str)] =
    &[("of", "say what it takes: `from_row`, `parse`, `new`, `for_user`; or implement `From`")];

#[test]
fn no_name_is_banned() {
    let mut problems = String::new();
    for folder in COVERED {
        for path in everything_under(&root().join(folder)) {
            if let Some(reason) = reason(FILES, &stem_of(&path)) {
                let _ = writeln!(problems, "{}: {reason}", shown(&path));
            }
            if is_rust(&path) {
                for (line, name, reason) in banned_definitions(&code_only(&read(&path))) {
                    let _ = writeln!(problems, "{}:{line}: `{name}`: {reason}", shown(&path));
                }
            }
        }
    }
    assert!(problems.is_empty(), "use the noun that the field uses, one name for one meaning:\n{problems}");
}

#[test]
fn names_say_what_is_inside() {
    let mut problems = String::new();
    for path in COVERED.iter().flat_map(|folder| everything_under(&root().join(folder))) {
        if is_empty_name(&stem_of(&path)) {
            let _ = writeln!(problems, "{}", shown(&path));
        }
        if name_of(&path) == "Cargo.toml" && is_empty_name(&crate_name(&read(&path))) {
            let _ = writeln!(problems, "{}: crate `{}`", shown(&path), crate_name(&read(&path)));
        }
        if is_rust(&path) {
            for (line, keyword, name) in definitions(&code_only(&read(&path))) {
                if keyword == "mod" && is_empty_name(name) {
                    let _ = writeln!(problems, "{}:{line}: mod {name}", shown(&path));
                }
            }
        }
    }
    assert!(problems.is_empty(), "call these by what they hold, or put the content where it is used:\n{problems}");
}

#[test]
fn every_covered_folder_exists() {
    for folder in COVERED {
        assert!(Path::new(&root().join(folder)).is_dir(), "{folder} in COVERED is no folder: rename or remove its row");
    }
}

/// `utils`, `string_utils` and `interline-utils` are; `common_prefix` is not.
fn is_empty_name(name: &str) -> bool {
    name.rsplit(['-', '_']).next().is_some_and(|last| EMPTY_NAMES.contains(&last))
}

fn reason(list: &[(&'static str, &'static str)], name: &str) -> Option<&'static str> {
    list.iter().find(|(banned, _)| *banned == name).map(|(_, reason)| *reason)
}

/// Banned names that are defined in the code: line, name, reason.
fn banned_definitions(code: &str) -> Vec<(usize, &str, &'static str)> {
    let banned = |keyword: &str, name: &str| match keyword {
        "mod" => reason(FILES, name),
        "fn" => reason(FUNCTIONS, name),
        _ => {
            let suffix = TYPE_SUFFIXES.iter().find(|(suffix, _)| name.ends_with(suffix)).map(|(_, reason)| *reason);
            reason(TYPES, name).or(suffix)
        }
    };
    let definitions = definitions(code).into_iter();
    definitions.filter_map(|(line, keyword, name)| Some((line, name, banned(keyword, name)?))).collect()
}

/// What the code defines: line, keyword, name. An associated type is not: its name is that of the trait.
fn definitions(code: &str) -> Vec<(usize, &str, &str)> {
    const KEYWORDS: [&str; 7] = ["enum", "fn", "mod", "struct", "trait", "type", "union"];
    let mut found = Vec::new();
    for (index, line) in code.split('\n').enumerate() {
        let words: Vec<&str> = line.split(|c| !is_word(c)).filter(|word| !word.is_empty()).collect();
        for pair in words.windows(2) {
            let associated = pair[0] == "type" && line.starts_with(' ');
            if KEYWORDS.contains(&pair[0]) && !associated {
                found.push((index + 1, pair[0], pair[1]));
            }
        }
    }
    found
}

#[test]
fn banned_names_are_found_where_they_are_defined() {
    let source = r#"
        // struct Place in prose
        const TEXT: &str = "struct Place";
        pub(crate) struct Place<'a>(&'a str);
        enum TokenTold { Known }
        impl Deref for Guarded {
            type Target = str;
            fn of(row: &Row) -> Self { Wanted::new(std::sync::Once::new()) }
            fn offset_of() {}
        }
        pub mod words;
        mod keywords { pub trait Said {} }
        struct Placement;
    "#;
    let code = code_only(source);
    let found: Vec<(usize, &str)> = banned_definitions(&code).into_iter().map(|(line, name, _)| (line, name)).collect();
    assert_eq!(found, [(4, "Place"), (5, "TokenTold"), (8, "of"), (11, "words"), (12, "Said")]);
    assert!(reason(FILES, "once").is_some() && reason(FILES, "sentence").is_none());
    assert!(is_empty_name("string_utils") && is_empty_name("core") && !is_empty_name("common_prefix"));
}
