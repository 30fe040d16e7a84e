//! What agents cannot do, whatever their token allows.

use interline_items::{
    Author, Caller, ExpectedVersion, Kind, OrganizationDraft, Rank, RemoveUser, Source, TokenDraft, UserDraft,
    WebhookDraft,
};

use super::{Agent, everything, new_set};
use crate::samples::{note_of, token};
use crate::world::{World, by_id, code};

#[tokio::test]
async fn agents_manage_nobody_and_decide_nothing() {
    let world = World::new().await;
    let agent = Agent::new(&world, "agent").await;
    let set = new_set();
    let item = world.interline.create(&agent.in_set(&world, set).await, Kind::Note, note_of("a\n")).await.unwrap().item;
    let other = world.user("other", Rank::Member).await.user();
    let own = world.interline.tokens(&world.owner).await.unwrap()[0].id;
    let over_mcp = world.interline.trusted(world.owner.user(), Source::McpCode).await.unwrap();
    let with_token = agent.caller(&world).await;
    for caller in [&with_token, &over_mcp] {
        for (what, outcome) in refused(&world, caller, set, own, other, &item).await {
            assert_eq!(outcome, "forbidden", "{what}");
        }
    }
    assert_eq!(world.interline.tokens(&world.owner).await.unwrap().len(), 2, "no token was made or removed");
    assert_eq!(world.interline.users(&world.owner).await.unwrap().len(), 2);
    assert!(world.item(&item).await.deleted_at.is_none());
    assert_eq!(code(world.interline.delete(&with_token, &by_id(&item), ExpectedVersion::Any).await), "ok");
}

async fn refused(
    world: &World,
    caller: &Caller,
    set: interline_items::ChangeSetId,
    own: interline_items::TokenId,
    other: interline_items::UserId,
    item: &interline_items::Item,
) -> Vec<(&'static str, &'static str)> {
    let interline = &world.interline;
    let user = UserDraft { name: "new".to_owned(), email: None, rank: Rank::Member, organization: None };
    let organization = OrganizationDraft { name: "o".to_owned(), domain: None };
    let webhook = WebhookDraft { url: "https://example.org/".to_owned(), kinds: None, space: None };
    vec![
        ("make a token", code(interline.create_token(caller, token()).await)),
        ("make an agent's token", {
            code(interline.create_token(caller, TokenDraft { author: Author::Agent, ..token() }).await)
        }),
        ("rename a token", code(interline.rename_token(caller, own, "mine").await)),
        ("remove a token", code(interline.delete_token(caller, own).await)),
        ("make a user", code(interline.create_user(caller, user).await)),
        ("remove a user", code(interline.remove_user(caller, other, RemoveUser::Purge).await)),
        ("make an organization", code(interline.create_organization(caller, organization).await)),
        ("make a webhook", code(interline.create_webhook(caller, webhook).await)),
        ("purge", code(interline.purge(caller, &by_id(item), ExpectedVersion::Any).await)),
        ("keep", code(interline.keep_changes(caller, set, None).await)),
        ("undo", code(interline.undo_changes(caller, set, everything()).await)),
    ]
}

#[tokio::test]
async fn a_token_for_agents_never_reviews() {
    let world = World::new().await;
    let scopes = Some([interline_items::Scope::Read, interline_items::Scope::Review].into());
    let draft = TokenDraft { author: Author::Agent, scopes, ..token() };
    assert_eq!(code(world.interline.create_token(&world.owner, draft).await), "validation_failed");
}
