//! `search_files`: every file that matches is read, unchanged and in order.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use interline_edit::{Case, Pattern};
use interline_items::fair::Checkpoint;
use interline_items::search::{FileSearch, FileText, Paths};
use interline_items::{CodeKind, Snapshot, Space, Store, StoreError};
use interline_search::Search;

use super::generate::Chance;
use super::{complete, step};
use crate::fixtures::authors::{Author, author};
use crate::fixtures::samples::{file, path};
use crate::fixtures::test_store::TestStore;

on_both!(
    files_that_may_match_come_in_order_and_all_are_counted,
    paths_narrow_what_is_looked_through,
    a_reader_that_breaks_off_gets_no_more,
    a_search_of_files_ends_in_time,
    a_search_of_files_that_nobody_waits_for_reads_no_more,
    a_search_of_files_after_each_write_sees_it,
);

const WORDS: [&str; 6] = ["alpha", "Beta", "gamma_ray", "def ", "x.y", "café"];

fn asking(spaces: &[&Space], pattern: Pattern) -> FileSearch {
    FileSearch {
        search: Arc::new(Search::from_pattern(pattern)),
        spaces: spaces.iter().map(|space| space.id).collect(),
        kind: CodeKind::AppFile,
        paths: Paths::BeginWith(String::new()),
        checkpoint: Checkpoint::until(Instant::now() + Duration::from_secs(60)),
    }
}

fn literal(text: &str) -> Pattern {
    Pattern::literal(text, Case::Sensitive).unwrap()
}

/// What is handed over, as paths and texts, and how many files there are; `most` are taken.
async fn handed(store: &dyn Store, query: &FileSearch, most: usize) -> (Vec<(String, String)>, u64) {
    let handed = Arc::new(Mutex::new(Vec::new()));
    let reader = Arc::clone(&handed);
    let total = store.search_files(
        query,
        Box::new(move |file| {
            let mut read = reader.lock().unwrap();
            read.push((file.path.to_owned(), file.text.to_owned()));
            if read.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        }),
    );
    let total = total.await.unwrap();
    let handed = handed.lock().unwrap().clone();
    (handed, total)
}

async fn matching(store: &dyn Store, query: &FileSearch, pattern: &Pattern) -> Vec<(String, String)> {
    let (handed, _) = handed(store, query, usize::MAX).await;
    handed.into_iter().filter(|(_, text)| pattern.is_match(text)).collect()
}

async fn a_search_of_files_that_nobody_waits_for_reads_no_more(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    put(&*test.store, &ada, &[("a.py", "alpha"), ("b.py", "alpha"), ("c.py", "alpha")]).await;
    let (checkpoint, guard) = Checkpoint::new(None, None);
    let query = FileSearch { checkpoint, ..asking(&[&ada.space], literal("alpha")) };
    let read = Arc::new(Mutex::new(Vec::new()));
    let (paths, mut guard) = (Arc::clone(&read), Some(guard));
    let reader = Box::new(move |file: FileText<'_>| {
        paths.lock().unwrap().push(file.path.to_owned());
        drop(guard.take());
        ControlFlow::Continue(())
    });
    let abandoned = test.store.search_files(&query, reader).await;
    assert!(matches!(abandoned, Err(StoreError::OutOfTime)), "{abandoned:?}");
    assert_eq!(*read.lock().unwrap(), ["a.py"]);
}

async fn put(store: &dyn Store, author: &Author, files: &[(&str, &str)]) -> Vec<Snapshot> {
    let mut put = Vec::new();
    for (name, text) in files {
        put.push(author.create(store, file(&author.space, CodeKind::AppFile, name, text)).await);
    }
    put
}

async fn files_that_may_match_come_in_order_and_all_are_counted(test: TestStore) {
    let store = &*test.store;
    let (ada, ben) = (author(store, "ada").await, author(store, "ben").await);
    let files =
        put(store, &ada, &[("b.ts", "needle"), ("a/z", "hay"), ("A", "needles"), ("é", "needle"), ("c", "")]).await;
    put(store, &ben, &[("b.ts", "a needle of ben"), ("aa", "hay")]).await;
    ada.create(store, file(&ada.space, CodeKind::Module, "m.py", "needle")).await;
    let gone = put(store, &ada, &[("gone", "needle")]).await.remove(0);
    ada.change(store, &gone, ada.deleting(&gone)).await.unwrap();
    ada.change(store, &files[0], ada.archiving(&files[0])).await.unwrap();

    let expected = [("A", "needles"), ("b.ts", "needle"), ("é", "needle")];
    let owned = |files: &[(&str, &str)]| -> Vec<(String, String)> {
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    };
    let query = asking(&[&ada.space], literal("needle"));
    // What no index knows may all be handed over.
    assert_eq!(matching(store, &query, &literal("needle")).await, owned(&expected));
    complete(store).await;
    assert_eq!(handed(store, &query, usize::MAX).await, (owned(&expected), 5));
    let (both, total) = handed(store, &asking(&[&ada.space, &ben.space], literal("needle")), usize::MAX).await;
    assert_eq!((both.len(), total), (4, 7));
    assert_eq!(both.iter().filter(|(path, _)| path == "b.ts").count(), 2);
    assert_eq!(handed(store, &asking(&[&ada.space], literal("absent")), usize::MAX).await, (Vec::new(), 5));
    assert_eq!(handed(store, &asking(&[], literal("needle")), usize::MAX).await, (Vec::new(), 0));
    let anything = asking(&[&ada.space], Pattern::regex(".", Case::Sensitive).unwrap());
    assert_eq!(handed(store, &anything, usize::MAX).await.0.len(), 5);
}

async fn paths_narrow_what_is_looked_through(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    put(store, &ada, &[("a/b", "x"), ("a/c", "x"), ("a", "x"), ("ab", "x"), ("a%", "x"), ("a_", "x"), ("é/x", "x")])
        .await;
    for (paths, found) in [
        (Paths::BeginWith("a/".to_owned()), vec!["a/b", "a/c"]),
        (Paths::BeginWith("a%".to_owned()), vec!["a%"]),
        (Paths::BeginWith("a_".to_owned()), vec!["a_"]),
        (Paths::BeginWith("é".to_owned()), vec!["é/x"]),
        (Paths::BeginWith("zz".to_owned()), vec![]),
        (Paths::Is(path("a")), vec!["a"]),
        (Paths::Is(path("a/c")), vec!["a/c"]),
        (Paths::Is(path("b")), vec![]),
    ] {
        let query = FileSearch { paths, ..asking(&[&ada.space], literal("x")) };
        let (handed, total) = handed(store, &query, usize::MAX).await;
        let handed: Vec<&str> = handed.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!((handed, total), (found.clone(), found.len() as u64), "{:?}", query.paths);
    }
}

async fn a_reader_that_breaks_off_gets_no_more(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    put(store, &ada, &[("a", "x"), ("b", "x"), ("c", "x")]).await;
    let (handed, total) = handed(store, &asking(&[&ada.space], literal("x")), 2).await;
    assert_eq!((handed.len(), total), (2, 3));
}

async fn a_search_of_files_ends_in_time(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let query = FileSearch { checkpoint: Checkpoint::until(Instant::now()), ..asking(&[&ada.space], literal("x")) };
    let ended = test.store.search_files(&query, Box::new(|_| ControlFlow::Continue(()))).await;
    assert!(matches!(ended, Err(StoreError::OutOfTime)), "{ended:?}");
}

/// Writes and searches in turn, while the index follows now and then.
async fn a_search_of_files_after_each_write_sees_it(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let mut chance = Chance::new(11);
    let mut files: Vec<Snapshot> = Vec::new();
    for number in 0..150 {
        write(store, &ada, &mut chance, &mut files, number).await;
        if chance.below(3) == 0 {
            step(store).await;
        }
        let pattern = pattern(&mut chance);
        let found = matching(store, &asking(&[&ada.space], pattern.clone()), &pattern).await;
        let found: BTreeSet<(String, String)> = found.into_iter().collect();
        let is_live = |file: &&Snapshot| file.item.deleted_at.is_none();
        let expected = files.iter().filter(is_live).map(|file| (path_of(file), text_of(file)));
        let expected: BTreeSet<(String, String)> = expected.filter(|(_, text)| pattern.is_match(text)).collect();
        assert_eq!(found, expected, "{pattern:?} after write {number}");
    }
}

async fn write(store: &dyn Store, ada: &Author, chance: &mut Chance, files: &mut Vec<Snapshot>, number: usize) {
    let text: String = (0..chance.below(5)).map(|_| WORDS[chance.below(WORDS.len())]).collect();
    let at = chance.below(files.len() + 1);
    let Some(before) = files.get(at) else {
        let name = format!("f{number}");
        return files.push(ada.create(store, file(&ada.space, CodeKind::AppFile, &name, &text)).await);
    };
    let write = match (before.item.deleted_at.is_some(), chance.below(4)) {
        (true, _) => ada.restoring(before),
        (false, 0) => ada.deleting(before),
        (false, _) => ada.rewriting(before, Some(&format!("{number}\n{text}"))),
    };
    files[at] = ada.change(store, before, write).await.unwrap();
}

fn pattern(chance: &mut Chance) -> Pattern {
    let word = WORDS[chance.below(WORDS.len())];
    let other = WORDS[chance.below(WORDS.len())];
    match chance.below(5) {
        0 => literal(word),
        1 => Pattern::literal(word, Case::Insensitive).unwrap(),
        2 => literal(&word[1..]),
        3 => Pattern::regex(&format!("{word}|{other}"), Case::Insensitive).unwrap(),
        _ => Pattern::regex(&format!("{word}.*{other}"), Case::Sensitive).unwrap(),
    }
}

fn path_of(file: &Snapshot) -> String {
    file.item.fields.path.as_ref().unwrap().as_str().to_owned()
}

fn text_of(file: &Snapshot) -> String {
    file.content.as_deref().unwrap_or_default().to_owned()
}
