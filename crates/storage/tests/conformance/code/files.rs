//! Code files: unique paths, the functions that are stored of them, and `files`.

use interline_items::{CodeKind, FileQuery, Kind, Space, StoreError, UniqueField};
use interline_python::{DecoratorKind, Function, Literal, Parameter, ParameterKind};

use crate::fixtures::authors::{Author, author};
use crate::fixtures::samples::{at, file, path};
use crate::fixtures::test_store::TestStore;

on_both!(
    a_file_comes_back_as_it_was_written,
    a_path_is_taken_until_its_file_is_deleted,
    a_file_is_found_by_its_path_in_the_first_space_that_has_it,
    files_are_in_the_order_of_their_paths,
    a_prefix_is_compared_as_it_stands,
    so_many_files_are_listed_and_all_counted,
    a_path_is_part_of_a_version,
);

fn function(name: &str) -> Function {
    let parameter = Parameter {
        name: "who".to_owned(),
        kind: ParameterKind::KeywordOnly,
        annotation: Some("str".to_owned()),
        default: Some("'you'".to_owned()),
    };
    Function {
        name: name.to_owned(),
        decorator: DecoratorKind::Workflow,
        line: 2,
        title: Some("Greets".to_owned()),
        description: None,
        category: Some("talk".to_owned()),
        arguments: vec![("retries".to_owned(), Literal::Integer(3))],
        parameters: vec![parameter],
        doc: Some("Says hello.".to_owned()),
    }
}

async fn a_file_comes_back_as_it_was_written(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let mut workflow = file(&ada.space, CodeKind::Workflow, "talk/greet.py", "@workflow\ndef greet(): ...\n");
    workflow.item.functions = Some(vec![function("greet")]);
    let workflow = ada.create(&*test.store, workflow).await;
    assert_eq!(test.store.snapshot(workflow.item.id).await.unwrap(), Some(workflow.clone()));

    let mut write = ada.rewriting(&workflow, Some("@workflow\ndef other(): ...\n"));
    write.after.functions = Some(vec![function("other"), function("another")]);
    let changed = ada.change(&*test.store, &workflow, write).await.unwrap();
    assert_eq!(test.store.snapshot(workflow.item.id).await.unwrap(), Some(changed));

    let module = ada.create(&*test.store, file(&ada.space, CodeKind::Module, "Ünï/__init__.py", "")).await;
    assert_eq!(test.store.snapshot(module.item.id).await.unwrap(), Some(module));
}

async fn a_path_is_taken_until_its_file_is_deleted(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let first = ada.create(&*test.store, file(&ada.space, CodeKind::AppFile, "a.py", "1")).await;
    // Another kind, another case, another space: another file.
    ada.create(&*test.store, file(&ada.space, CodeKind::Module, "a.py", "1")).await;
    ada.create(&*test.store, file(&ada.space, CodeKind::AppFile, "A.py", "1")).await;
    let ben = author(&*test.store, "ben").await;
    ben.create(&*test.store, file(&ben.space, CodeKind::AppFile, "a.py", "1")).await;

    let second = file(&ada.space, CodeKind::AppFile, "a.py", "2");
    match test.store.commit(ada.creation(&second).into()).await {
        Err(StoreError::Duplicate { field, existing }) => {
            assert_eq!(field, UniqueField::Path(path("a.py")));
            assert_eq!(*existing, first.item);
        }
        other => panic!("{other:?}"),
    }
    let deleted = ada.change(&*test.store, &first, ada.deleting(&first)).await.unwrap();
    let second = ada.create(&*test.store, second).await;
    match ada.change(&*test.store, &deleted, ada.restoring(&deleted)).await {
        Err(StoreError::Duplicate { existing, .. }) => assert_eq!(*existing, second.item),
        other => panic!("{other:?}"),
    }
    let mut moving = ada.retitling(&second, "x");
    moving.after.fields.path = Some(path("A.py"));
    assert!(matches!(ada.change(&*test.store, &second, moving).await, Err(StoreError::Duplicate { .. })));
    let mut moving = ada.retitling(&second, "x");
    moving.after.fields.path = Some(path("b.py"));
    let moved = ada.change(&*test.store, &second, moving).await.unwrap();
    assert_eq!(test.store.item(moved.item.id).await.unwrap(), Some(moved.item));
}

async fn a_file_is_found_by_its_path_in_the_first_space_that_has_it(test: TestStore) {
    let (ada, ben) = (author(&*test.store, "ada").await, author(&*test.store, "ben").await);
    let mine = ada.create(&*test.store, file(&ada.space, CodeKind::Workflow, "a.py", "1")).await;
    let theirs = ben.create(&*test.store, file(&ben.space, CodeKind::Workflow, "a.py", "1")).await;
    let only_theirs = ben.create(&*test.store, file(&ben.space, CodeKind::Workflow, "b.py", "1")).await;
    let find = async |spaces: &[&Space], kind, name: &str| {
        let spaces: Vec<_> = spaces.iter().map(|space| space.id).collect();
        test.store.find_by_path(&spaces, kind, &path(name)).await.unwrap()
    };
    let (ours, others) = (&ada.space, &ben.space);
    assert_eq!(find(&[ours, others], Kind::Workflow, "a.py").await, Some(mine.item.id));
    assert_eq!(find(&[others, ours], Kind::Workflow, "a.py").await, Some(theirs.item.id));
    assert_eq!(find(&[ours, others], Kind::Workflow, "b.py").await, Some(only_theirs.item.id));
    assert_eq!(find(&[ours], Kind::Workflow, "b.py").await, None);
    assert_eq!(find(&[], Kind::Workflow, "a.py").await, None);
    assert_eq!(find(&[ours], Kind::Module, "a.py").await, None);
    let deleted = ada.change(&*test.store, &mine, ada.deleting(&mine)).await.unwrap();
    assert_eq!(find(&[ours, others], Kind::Workflow, "a.py").await, Some(theirs.item.id));
    ada.change(&*test.store, &deleted, ada.restoring(&deleted)).await.unwrap();
    assert_eq!(find(&[ours, others], Kind::Workflow, "a.py").await, Some(mine.item.id));
}

async fn put(test: &TestStore, author: &Author, paths: &[&str]) {
    for name in paths {
        author.create(&*test.store, file(&author.space, CodeKind::AppFile, name, "x")).await;
    }
}

/// The paths of a list, and how many there are in all.
async fn listed(test: &TestStore, spaces: &[&Space], prefix: &str, limit: usize) -> (Vec<String>, u64) {
    let query = FileQuery {
        spaces: spaces.iter().map(|space| space.id).collect(),
        kind: CodeKind::AppFile,
        path_prefix: prefix.to_owned(),
        limit,
    };
    let page = test.store.files(&query).await.unwrap();
    let path_of = |item: &interline_items::Item| item.fields.path.as_ref().unwrap().as_str().to_owned();
    (page.files.iter().map(path_of).collect(), page.total)
}

async fn files_are_in_the_order_of_their_paths(test: TestStore) {
    let (ada, ben) = (author(&*test.store, "ada").await, author(&*test.store, "ben").await);
    put(&test, &ada, &["b.txt", "a/z.txt", "A.txt", "É.txt", "a.txt", "_x"]).await;
    put(&test, &ben, &["aa.txt"]).await;
    ada.create(&*test.store, file(&ada.space, CodeKind::Module, "m.py", "x")).await;
    let gone = ada.create(&*test.store, file(&ada.space, CodeKind::AppFile, "gone", "x")).await;
    ada.change(&*test.store, &gone, ada.deleting(&gone)).await.unwrap();
    let shelved = ada.create(&*test.store, file(&ada.space, CodeKind::AppFile, "shelved", "x")).await;
    ada.change(&*test.store, &shelved, ada.archiving(&shelved)).await.unwrap();

    let all = ["_x", "A.txt", "a.txt", "a/z.txt", "b.txt", "shelved", "É.txt"].map(str::to_owned);
    assert_eq!(listed(&test, &[&ada.space], "", 100).await, (all.to_vec(), 7));
    let (both, total) = listed(&test, &[&ada.space, &ben.space], "", 100).await;
    assert_eq!((both[4].as_str(), total), ("aa.txt", 8));
    assert_eq!(listed(&test, &[], "", 100).await, (Vec::new(), 0));
}

async fn a_prefix_is_compared_as_it_stands(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    put(&test, &ada, &["a/b.txt", "a/c.txt", "A/d.txt", "a%b", "a_b", "aé/x", "ab"]).await;
    for (prefix, found) in [
        ("a/", vec!["a/b.txt", "a/c.txt"]),
        ("a%", vec!["a%b"]),
        ("a_", vec!["a_b"]),
        ("aé", vec!["aé/x"]),
        ("A", vec!["A/d.txt"]),
        ("a/b.txt", vec!["a/b.txt"]),
        ("a/b.txt/", vec![]),
        ("..", vec![]),
    ] {
        let (paths, total) = listed(&test, &[&ada.space], prefix, 100).await;
        assert_eq!((paths, total), (found.iter().map(|path| (*path).to_owned()).collect(), found.len() as u64));
    }
}

async fn so_many_files_are_listed_and_all_counted(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    put(&test, &ada, &["a", "b", "c"]).await;
    assert_eq!(listed(&test, &[&ada.space], "", 2).await, (vec!["a".to_owned(), "b".to_owned()], 3));
}

async fn a_path_is_part_of_a_version(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let old = ada.create(&*test.store, file(&ada.space, CodeKind::AppFile, "old.txt", "x")).await;
    let mut moving = ada.retitling(&old, "x");
    moving.after.fields.path = Some(path("new.txt"));
    moving.record.at = at(9);
    ada.change(&*test.store, &old, moving).await.unwrap();
    for (number, name) in [(1, "old.txt"), (2, "new.txt")] {
        let version = test.store.version(old.item.id, number).await.unwrap().unwrap();
        assert_eq!(version.fields.path, Some(path(name)));
    }
}
