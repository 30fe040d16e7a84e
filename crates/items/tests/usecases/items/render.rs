//! `render`.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use interline_items::fields::Argument;
use interline_items::{Error, ExpectedVersion, Item, ItemDraft, Kind};
use serde_json::{Value, json};

use crate::samples::{by_name, greeting, note_of, prompt};
use crate::world::{World, by_id, code};

fn values(of: &Value) -> BTreeMap<String, Value> {
    of.as_object().unwrap().clone().into_iter().collect()
}

async fn render(world: &World, item: &Item, of: Value) -> Result<String, Error> {
    world.interline.render(&world.owner, &by_id(item), values(&of)).await
}

#[tokio::test]
async fn a_prompt_is_filled_in_and_its_use_remembered() {
    let world = World::new().await;
    let item = world.create(Kind::Prompt, greeting()).await;
    for (value, rendered) in [(json!("Ada"), "Hello Ada"), (json!("<&>"), "Hello <&>"), (json!(3), "Hello 3")] {
        assert_eq!(render(&world, &item, json!({ "who": value })).await.unwrap(), rendered);
    }
    let used = world.item(&item).await;
    assert!(used.last_used_at.is_some());
    assert_eq!(Item { last_used_at: None, ..used }, item);
    let by_name = world.interline.render(&world.owner, &by_name("greet"), values(&json!({ "who": "you" }))).await;
    assert_eq!(by_name.unwrap(), "Hello you");
}

#[tokio::test]
async fn missing_and_unknown_arguments_are_told_together() {
    let world = World::new().await;
    let mut draft = prompt("p", "{{ a }}{{ b }}{{ c }}", &["a", "b"]);
    draft.arguments.as_mut().unwrap().push(Argument { name: "c".to_owned(), description: None, required: false });
    let item = world.create(Kind::Prompt, ItemDraft { ..draft }).await;
    let cases: [(Value, &[&str], &[&str]); 4] = [
        (json!({}), &["a", "b"], &[]),
        (json!({ "a": 1 }), &["b"], &[]),
        (json!({ "a": 1, "b": 2, "y": 0, "x": 0 }), &[], &["x", "y"]),
        (json!({ "b": 2, "x": 0 }), &["a"], &["x"]),
    ];
    for (given, expected_missing, expected_unknown) in cases {
        match render(&world, &item, given).await {
            Err(Error::InvalidArguments { missing, unknown }) => {
                assert_eq!(missing, expected_missing);
                assert_eq!(unknown, expected_unknown);
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(world.item(&item).await.last_used_at, None, "what failed was no use");
    assert_eq!(render(&world, &item, json!({ "a": 1, "b": 2 })).await.unwrap(), "12");
}

#[tokio::test]
async fn failing_and_unbounded_templates_are_refused_in_time() {
    let world = World::new().await;
    let endless = "\n{% for i in range(1000) %}{% for j in range(1000) %}{% for k in range(1000) %}.\
                   {% endfor %}{% endfor %}{% endfor %}";
    for (name, source, at) in [("zero", "a\n{{ 1 / 0 }}", Some(2)), ("endless", endless, None)] {
        let item = world.create(Kind::Prompt, prompt(name, source, &[])).await;
        let begin = Instant::now();
        match render(&world, &item, json!({})).await {
            Err(Error::RenderFailed { line, .. }) => assert!(at.is_none() || line == at, "{source}: {line:?}"),
            other => panic!("{source}: {other:?}"),
        }
        assert!(begin.elapsed() < Duration::from_secs(30), "{source}");
        assert_eq!(world.item(&item).await.last_used_at, None);
    }
}

#[tokio::test]
async fn only_prompts_that_are_not_deleted_are_rendered() {
    let world = World::new().await;
    let note = world.create(Kind::Note, note_of("x")).await;
    assert_eq!(code(render(&world, &note, json!({})).await), "not_found");
    let item = world.create(Kind::Prompt, greeting()).await;
    world.interline.archive(&world.owner, &by_id(&item), ExpectedVersion::Any).await.unwrap();
    assert_eq!(code(render(&world, &item, json!({ "who": "a" })).await), "ok");
    world.interline.delete(&world.owner, &by_id(&item), ExpectedVersion::Any).await.unwrap();
    assert_eq!(code(render(&world, &item, json!({ "who": "a" })).await), "not_found");
}

#[tokio::test]
async fn nobody_waits_for_the_rendering_of_others() {
    let world = World::new().await;
    let busy = "{% for i in range(1000) %}{% for j in range(1000) %}{% for k in range(1000) %}.\
                {% endfor %}{% endfor %}{% endfor %}";
    let item = world.create(Kind::Prompt, prompt("busy", busy, &[])).await;
    // On one thread, and the rendering begins first.
    tokio::select! {
        biased;
        rendered = render(&world, &item, json!({})) => panic!("{rendered:?}"),
        read = world.item(&item) => assert_eq!(read, item),
    }
}
