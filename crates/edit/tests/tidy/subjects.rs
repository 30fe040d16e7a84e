//! Subjects that belong to one crate only: HTTP is not a matter of `items`, and the rules of a route stand at the route.

use std::fmt::Write as _;

use crate::code::{code_only, is_word};
use crate::files::{is_test_file, read, root, rust_files, shown};

/// A word of HTTP, and how it is compared.
enum HttpWord {
    /// In this case only: in another case it is a word of the product (`http` is a scheme of addresses, and so is the
    /// `HTTP` of `HTTP://`).
    Exactly(&'static str),
    AnyCase(&'static str),
}

const HTTP_WORDS: &[HttpWord] = &[
    HttpWord::Exactly("Authorization"),
    HttpWord::AnyCase("bearer"),
    HttpWord::AnyCase("idempotency-key"),
    HttpWord::Exactly("HTTP"),
    HttpWord::AnyCase("header"),
    HttpWord::AnyCase("headers"),
    HttpWord::AnyCase("status code"),
];

/// Comments, literals and tests count too: a message that names a header is the server's.
#[test]
fn items_has_no_word_of_http() {
    let mut problems = String::new();
    for file in rust_files(&root().join("crates/items/src")) {
        for (line, word) in http_words(&read(&file)) {
            let _ = writeln!(problems, "{}:{line}: `{word}`", shown(&file));
        }
    }
    assert!(problems.is_empty(), "the server words what a client of HTTP is told; items returns data:\n{problems}");
}

/// Lines and words of HTTP, each as a word of its own.
fn http_words(source: &str) -> Vec<(usize, &'static str)> {
    let stands_alone = |line: &str, word: &str| {
        line.match_indices(word).any(|(at, _)| {
            let after = &line[at + word.len()..];
            let ends = !after.starts_with(char::is_alphanumeric) && !after.starts_with("://");
            ends && !line[..at].ends_with(char::is_alphanumeric)
        })
    };
    let mut found = Vec::new();
    for (index, line) in source.split('\n').enumerate() {
        let lower = line.to_ascii_lowercase();
        found.extend(HTTP_WORDS.iter().filter_map(|word| match word {
            HttpWord::Exactly(word) => stands_alone(line, word).then_some((index + 1, *word)),
            HttpWord::AnyCase(word) => stands_alone(&lower, word).then_some((index + 1, *word)),
        }));
    }
    found
}

#[test]
fn the_server_has_no_table_of_paths() {
    let mut problems = String::new();
    for file in rust_files(&root().join("crates/server/src")).iter().filter(|file| !is_test_file(file)) {
        for (line, name) in path_tables(&read(file)) {
            let _ = writeln!(problems, "{}:{line}: {name}", shown(file));
        }
    }
    assert!(
        problems.is_empty(),
        "whether a route reads or writes, its scope and its limits are said where it is declared:\n{problems}"
    );
}

/// Lines and names of constants of an array type that hold a literal beginning with `/`.
fn path_tables(source: &str) -> Vec<(usize, String)> {
    let text: Vec<char> = source.chars().collect();
    // Every character of the code stands where it stands in the source.
    let code: Vec<char> = code_only(source).chars().collect();
    let mut found = Vec::new();
    for start in 0..code.len() {
        let is_start = start == 0 || !(is_word(code[start - 1]) || code[start - 1] == '\'');
        let keyword = ["const ", "static "].into_iter().find(|word| starts_with(&code[start..], word));
        let Some(keyword) = keyword.filter(|_| is_start) else { continue };
        let end = start + item_len(&code[start..]);
        let declared: String = code[start + keyword.len()..end].iter().take_while(|&&c| c != '=').collect();
        let Some((name, declared_type)) = declared.split_once(':') else { continue };
        let has_path = (start..end.saturating_sub(1)).any(|at| text[at] == '"' && text[at + 1] == '/');
        if name.chars().all(is_word) && declared_type.contains('[') && has_path {
            found.push((code[..start].iter().filter(|&&c| c == '\n').count() + 1, name.to_owned()));
        }
    }
    found
}

fn starts_with(text: &[char], word: &str) -> bool {
    word.chars().enumerate().all(|(at, c)| text.get(at) == Some(&c))
}

/// The length of a constant's item: up to the `;` that is not inside of brackets, as that of `[&str; 2]` is.
fn item_len(code: &[char]) -> usize {
    let mut depth = 0_usize;
    for (at, c) in code.iter().enumerate() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return at,
            ')' | ']' | '}' => depth -= 1,
            ';' if depth == 0 => return at,
            _ => {}
        }
    }
    code.len()
}

#[test]
fn words_of_http_are_found_wherever_they_stand() {
    let source = "//! Sent as `Authorization: Bearer …`.\nlet scheme = \"http\";\nf(\"Idempotency-Key\");\n\
                  // authorization of a caller\n// The HEADERS\nlet my_header = 1;\nfn headerless() {}\n// a Status code\nlet HTTPS = \"HTTP://A\";";
    let found = http_words(source);
    assert_eq!(
        found,
        [
            (1, "Authorization"),
            (1, "bearer"),
            (3, "idempotency-key"),
            (5, "headers"),
            (6, "header"),
            (8, "status code")
        ]
    );
}

#[test]
fn tables_of_paths_are_found_and_single_paths_are_not() {
    let source = r#"
        // const IN_PROSE: [&str; 1] = ["/notes"];
        const READING: [&str; 2] = ["/code/list", "/code/read"];
        const HEALTH: &str = "/health";
        pub(crate) static SCOPES: &[(&str, Scope)] = &[
            ("/notes", Scope::Write),
        ];
        const WORDS: [&str; 2] = ["a/b", "c"];
        const fn f(x: [u8; 2]) -> &'static str { "/x" }
        fn g() { const INNER: &[&str] = &["é", "/inner"]; }
    "#;
    let found = path_tables(source);
    let found: Vec<(usize, &str)> = found.iter().map(|(line, name)| (*line, name.as_str())).collect();
    assert_eq!(found, [(3, "READING"), (5, "SCOPES"), (10, "INNER")]);
}
