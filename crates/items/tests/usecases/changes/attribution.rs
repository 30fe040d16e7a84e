//! The client, the reason and the change set of writes.

use interline_items::{
    AttributionRequest, Author, ChangeSetId, ChangeSetRef, ExpectedVersion, Kind, Rank, ReviewState, Scope, SecretHash,
    Source, TokenDraft,
};

use super::{Agent, client, details, new_set, newest, reason, sets, unreviewed};
use crate::samples::{content, greeting, note_of, title, token};
use crate::world::{World, by_id, code, refused_fields, set};

#[tokio::test]
async fn what_one_client_does_in_one_go_is_one_set() {
    let world = World::new().await;
    let agent = Agent::new(&world, "Claude").await;
    let mut items = Vec::new();
    for (index, why) in ["first", "second", "third", "fourth"].into_iter().enumerate() {
        let caller = agent.caller(&world).await;
        let request = AttributionRequest {
            client: Some(client("claude-code")),
            reason: reason(why),
            ..AttributionRequest::default()
        };
        world.interline.attribute(&caller, request).await.unwrap();
        items.push(world.interline.create(&caller, Kind::Note, note_of("a\n")).await.unwrap().item);
        let made = newest(&world, &items[index]).await;
        assert_eq!((made.client.name(), made.author), ("claude-code", Author::Agent));
        assert_eq!(made.reason, reason(why));
    }
    let inbox = unreviewed(&world).await;
    assert_eq!(inbox.len(), 1, "{inbox:?}");
    let set = &inbox[0];
    assert_eq!(
        set.items.iter().map(|item| item.id).collect::<Vec<_>>(),
        items.iter().map(|item| item.id).collect::<Vec<_>>()
    );
    assert_eq!(
        (set.items_total, set.state, set.token.as_ref().unwrap().name.as_deref()),
        (4, ReviewState::Unreviewed, Some("Claude"))
    );
    assert_eq!((set.items[0].lines.added, set.items[0].lines.removed), (1, 0), "a new item adds its lines");
    let reasons: Vec<&str> = set.reasons.iter().map(interline_items::Reason::as_str).collect();
    assert_eq!(reasons, ["first", "second", "third"], "the first three");
    assert_eq!(world.interline.unreviewed_change_sets(&world.owner).await.unwrap(), 1);
}

#[tokio::test]
async fn another_client_another_token_and_a_person_have_sets_of_their_own() {
    let world = World::new().await;
    let item = world.create(Kind::Note, note_of("a\n")).await;
    let (one, other) = (Agent::new(&world, "one").await, Agent::new(&world, "other").await);
    let mut seen: Vec<ChangeSetRef> = vec![newest(&world, &item).await.change_set];
    for (agent, name) in [(&one, "a"), (&one, "b"), (&other, "a")] {
        let caller = agent.caller(&world).await;
        let request = AttributionRequest { client: Some(client(name)), ..AttributionRequest::default() };
        world.interline.attribute(&caller, request).await.unwrap();
        let text = content(&format!("{}\n", seen.len()));
        world.interline.update(&caller, &by_id(&item), ExpectedVersion::Any, text).await.unwrap();
        let made = newest(&world, &item).await;
        assert!(!seen.contains(&made.change_set), "{name}");
        seen.push(made.change_set);
    }
    assert_eq!(sets(&world, interline_items::ChangeSetFilter::default()).await.len(), 4);
}

#[tokio::test]
async fn what_comes_through_an_mcp_server_is_the_work_of_an_agent() {
    let world = World::new().await;
    let caller = world.interline.trusted(world.owner.user(), Source::McpContent).await.unwrap();
    let item = world.interline.create(&caller, Kind::Note, note_of("a\n")).await.unwrap().item;
    let made = newest(&world, &item).await;
    assert_eq!((made.author, made.client.name()), (Author::Agent, "local agent"));
    let by_person = world.create(Kind::Note, note_of("a\n")).await;
    let made = newest(&world, &by_person).await;
    assert_eq!((made.author, made.client.name()), (Author::Person, "first"), "the name of the token, without more");
}

#[tokio::test]
async fn a_client_is_known_by_how_it_introduced_itself_with_the_token() {
    let world = World::new().await;
    let agent = Agent::new(&world, "t").await;
    world.interline.introduce_client(&agent.caller(&world).await, client("introduced"));
    for (said, fallback, expected) in
        [(None, Some("curl"), "introduced"), (Some("said"), Some("curl"), "said"), (None, None, "introduced")]
    {
        let caller = agent.caller(&world).await;
        let request = AttributionRequest {
            client: said.map(client),
            fallback_client: fallback.map(client),
            ..AttributionRequest::default()
        };
        world.interline.attribute(&caller, request).await.unwrap();
        let item = world.interline.create(&caller, Kind::Note, note_of("a")).await.unwrap().item;
        assert_eq!(newest(&world, &item).await.client.name(), expected);
    }
    let other = Agent::new(&world, "u").await.caller(&world).await;
    let request = AttributionRequest { fallback_client: Some(client("curl")), ..AttributionRequest::default() };
    world.interline.attribute(&other, request).await.unwrap();
    let item = world.interline.create(&other, Kind::Note, note_of("a")).await.unwrap().item;
    assert_eq!(newest(&world, &item).await.client.name(), "curl", "another token has not introduced anything");
}

#[tokio::test]
async fn a_named_set_is_joined_by_its_token_until_somebody_has_decided_about_it() {
    let world = World::new().await;
    let (agent, other) = (Agent::new(&world, "one").await, Agent::new(&world, "other").await);
    let set = new_set();
    let item = world.interline.create(&agent.in_set(&world, set).await, Kind::Note, note_of("a\n")).await.unwrap().item;
    let unnamed = world.interline.create(&agent.caller(&world).await, Kind::Note, note_of("a\n")).await.unwrap().item;
    let again = agent.in_set(&world, set).await;
    world.interline.update(&again, &by_id(&item), ExpectedVersion::Any, title("B")).await.unwrap();
    assert_eq!(newest(&world, &item).await.change_set.id, set);
    assert_ne!(newest(&world, &unnamed).await.change_set.id, set, "an unnamed write goes on in its own set");

    let request = |set| AttributionRequest { change_set: Some(set), ..AttributionRequest::default() };
    let caller = other.caller(&world).await;
    assert_eq!(code(world.interline.attribute(&caller, request(set)).await), "conflict", "of another token");
    let stranger = world.user("stranger", Rank::Member).await;
    assert_eq!(code(world.interline.attribute(&stranger, request(set)).await), "not_found", "of another user");
    let made_by_store = newest(&world, &unnamed).await.change_set.id;
    let caller = agent.caller(&world).await;
    assert_eq!(code(world.interline.attribute(&caller, request(made_by_store)).await), "conflict", "it has no name");

    world.interline.keep_changes(&world.owner, set, None).await.unwrap();
    let caller = agent.caller(&world).await;
    assert_eq!(code(world.interline.attribute(&caller, request(set)).await), "conflict", "it is closed");
    let caller = agent.caller(&world).await;
    world.interline.attribute(&caller, request(new_set())).await.unwrap();
    assert_eq!(refused_fields(world.interline.attribute(&caller, request(new_set())).await), ["change_set"]);
}

/// A request that names a set.
fn naming(set: ChangeSetId) -> AttributionRequest {
    AttributionRequest { change_set: Some(set), ..AttributionRequest::default() }
}

#[tokio::test]
async fn what_a_request_said_of_its_client_is_not_forgotten_by_its_other_parts() {
    let world = World::new().await;
    let agent = Agent::new(&world, "t").await;
    world.interline.introduce_client(&agent.caller(&world).await, client("introduced"));
    let caller = agent.caller(&world).await;
    let headers = AttributionRequest { client: Some(client("said")), ..AttributionRequest::default() };
    world.interline.attribute(&caller, headers).await.unwrap();
    let body = AttributionRequest { reason: reason("why"), ..AttributionRequest::default() };
    world.interline.attribute(&caller, body).await.unwrap();
    let item = world.interline.create(&caller, Kind::Note, note_of("a")).await.unwrap().item;
    let made = newest(&world, &item).await;
    assert_eq!((made.client.name(), made.reason), ("said", reason("why")));
}

#[tokio::test]
async fn a_person_and_an_agent_with_one_token_have_sets_of_their_own() {
    let world = World::new().await;
    let (_, secret) = world.interline.create_token(&world.owner, token()).await.unwrap();
    let secret = SecretHash::from_secret(secret.as_str());
    let mut made = Vec::new();
    for source in [Source::McpContent, Source::Rest, Source::McpContent] {
        let caller = world.interline.authenticate(secret, source).await.unwrap();
        let request = AttributionRequest { client: Some(client("both")), ..AttributionRequest::default() };
        world.interline.attribute(&caller, request).await.unwrap();
        let item = world.interline.create(&caller, Kind::Note, note_of("a")).await.unwrap().item;
        made.push(newest(&world, &item).await);
    }
    assert_eq!([made[0].author, made[1].author], [Author::Agent, Author::Person]);
    assert_ne!(made[0].change_set, made[1].change_set, "a person does not review their own work");
    assert_eq!(made[0].change_set, made[2].change_set);
    assert_eq!(unreviewed(&world).await[0].items_total, 2);
}

#[tokio::test]
async fn nobody_hides_a_set_by_naming_their_own_like_it() {
    let world = World::new().await;
    let agent = Agent::new(&world, "agent").await;
    let prompt = world.interline.create(&agent.caller(&world).await, Kind::Prompt, greeting()).await.unwrap().item;
    let hidden = newest(&world, &prompt).await.change_set.id;
    // A token of the same user that does not see the prompt.
    let notes = TokenDraft { kinds: Some(set([Kind::Note])), author: Author::Agent, ..token() };
    let narrowed = world.narrowed(notes).await;
    assert_eq!(code(world.interline.attribute(&narrowed, naming(hidden)).await), "conflict");
    // Another user, for whom it does not exist, has a set of that name, and each finds their own.
    let stranger = world.user("stranger", Rank::Member).await;
    world.interline.attribute(&stranger, naming(hidden)).await.unwrap();
    let theirs = world.interline.create(&stranger, Kind::Note, note_of("a")).await.unwrap().item;
    let read = world.interline.change_set(&stranger, hidden, None).await.unwrap();
    assert_eq!(read.changes.iter().map(|change| change.item.id).collect::<Vec<_>>(), [theirs.id]);
    let read = details(&world, hidden).await;
    assert_eq!(read.changes.iter().map(|change| change.item.id).collect::<Vec<_>>(), [prompt.id]);
    let kept = world.interline.keep_changes(&world.owner, hidden, None).await.unwrap();
    assert_eq!((kept.state, kept.items_total), (ReviewState::Kept, 1));
}

#[tokio::test]
async fn who_may_not_write_names_no_set() {
    let world = World::new().await;
    let reader = world.narrowed(TokenDraft { scopes: Some(set([Scope::Read])), ..token() }).await;
    let name = new_set();
    assert_eq!(code(world.interline.attribute(&reader, naming(name)).await), "forbidden");
    let agent = Agent::new(&world, "agent").await.caller(&world).await;
    assert_eq!(code(world.interline.attribute(&agent, naming(name)).await), "ok", "nobody has named it");
}
