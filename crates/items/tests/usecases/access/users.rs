//! Users and their tokens.

use std::time::{Duration, Instant};

use interline_items::fields::Limits;
use interline_items::{
    Author, Caller, Error, Kind, Rank, ReadContent, RemoveUser, Role, Scope, SecretHash, Source, SpaceId, SpaceOwner,
    TokenDraft, TokenId, UserDraft, UserId,
};
use jiff::{SignedDuration, Timestamp};

use crate::samples::{bookmark, note, token};
use crate::world::{World, by_id, code, empty, refused_fields, set};

fn user(name: &str) -> UserDraft {
    UserDraft { name: name.to_owned(), email: None, rank: Rank::Member, organization: None }
}

fn scopes<const N: usize>(scopes: [Scope; N]) -> TokenDraft {
    TokenDraft { scopes: Some(set(scopes)), ..token() }
}

#[tokio::test]
async fn the_first_start_makes_an_owner_and_later_ones_do_not() {
    let (interline, _, _directory) = empty(Limits::default());
    let healthy = interline_items::StoreHealth { reads: Ok(()), writes: Ok(()) };
    assert_eq!(interline.health().await, healthy);
    assert_eq!(code(interline.owner().await), "internal");
    let (owner, secret) = interline.first_start("me").await.unwrap().unwrap();
    assert_eq!((owner.name.as_str(), owner.rank), ("me", Rank::Admin));
    for _ in 0..2 {
        assert!(interline.first_start("another").await.unwrap().is_none());
    }
    let caller = interline.authenticate(SecretHash::from_secret(secret.as_str()), Source::Rest).await.unwrap();
    assert_eq!(interline.users(&caller).await.unwrap(), std::slice::from_ref(&owner));
    assert_eq!(interline.owner().await.unwrap(), owner);
    assert_eq!(interline.me(&caller).await.unwrap(), owner);
    let spaces = interline.spaces(&caller).unwrap();
    // Theirs, and everybody's.
    assert_eq!(spaces.len(), 2);
    assert_eq!((spaces[1].space.owner, spaces[1].role), (SpaceOwner::Global, Role::Owner));
    assert_eq!((spaces[0].space.owner, spaces[0].role), (SpaceOwner::User(owner.id), Role::Owner));
}

#[tokio::test]
async fn a_secret_is_long_random_and_known_by_its_first_characters() {
    let world = World::new().await;
    let (first, secret) = world.interline.create_token(&world.owner, token()).await.unwrap();
    let (_, other) = world.interline.create_token(&world.owner, token()).await.unwrap();
    assert!(secret.as_str().starts_with("il_") && secret.as_str().len() == 3 + 43);
    assert_ne!(secret.as_str(), other.as_str());
    assert_eq!(first.prefix, secret.as_str()[..11]);
    let mut wrong = secret.as_str().to_owned();
    wrong.pop();
    for guess in ["", "il_", &first.prefix, &wrong] {
        let outcome = world.interline.authenticate(SecretHash::from_secret(guess), Source::Rest).await;
        assert_eq!(code(outcome), "unauthorized", "{guess}");
    }
}

#[tokio::test]
async fn a_token_is_refused_from_its_expiry_on() {
    let world = World::new().await;
    for (seconds, outcome) in [(-1, "unauthorized"), (0, "unauthorized"), (3_600, "ok")] {
        let expires_at = Some(Timestamp::now() + SignedDuration::from_secs(seconds));
        let draft = TokenDraft { expires_at, ..token() };
        let (_, secret) = world.interline.create_token(&world.owner, draft).await.unwrap();
        let authenticated = world.interline.authenticate(SecretHash::from_secret(secret.as_str()), Source::Rest).await;
        assert_eq!(code(authenticated), outcome, "{seconds}");
    }
}

#[tokio::test]
async fn a_deleted_token_is_refused_and_only_its_user_deletes_it() {
    let world = World::new().await;
    let interline = &world.interline;
    let other = world.user("other", Rank::Admin).await;
    let (token, secret) = interline.create_token(&world.owner, token()).await.unwrap();
    let hash = SecretHash::from_secret(secret.as_str());
    assert_eq!(code(interline.delete_token(&other, token.id).await), "not_found");
    assert_eq!(code(interline.delete_token(&world.owner, TokenId::generate()).await), "not_found");
    assert_eq!(code(interline.authenticate(hash, Source::Rest).await), "ok");
    assert_eq!(code(interline.delete_token(&world.owner, token.id).await), "ok");
    assert_eq!(code(interline.authenticate(hash, Source::Rest).await), "unauthorized");
    assert_eq!(code(interline.delete_token(&world.owner, token.id).await), "not_found");
}

#[tokio::test]
async fn tokens_are_listed_for_their_user_with_their_last_use() {
    let world = World::new().await;
    let other = world.user("other", Rank::Member).await;
    let (made, secret) = world.interline.create_token(&other, token()).await.unwrap();
    let listed = async || world.interline.tokens(&other).await.unwrap();
    let names: Vec<_> = listed().await.into_iter().map(|token| token.name).collect();
    assert_eq!(names, ["first", "test"]);
    assert_eq!(listed().await[1], made);
    let before = listed().await[1].last_used_at;
    assert_eq!(before, None);
    world.interline.authenticate(SecretHash::from_secret(secret.as_str()), Source::Rest).await.unwrap();
    // It is written beside the request.
    while listed().await[1].last_used_at.is_none() {
        tokio::task::yield_now().await;
    }
    assert_eq!(world.interline.tokens(&world.owner).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_token_cannot_grant_scopes_that_it_does_not_have() {
    use Scope::{Admin, Read, Write};
    let world = World::new().await;
    let member = world.user("member", Rank::Member).await;
    let reader = world.narrowed(scopes([Read])).await;
    let writer = world.narrowed(scopes([Read, Write])).await;
    let cases: [(&str, &Caller, &[Scope], &str); 9] = [
        ("owner", &world.owner, &[Read, Write, Admin], "ok"),
        ("owner", &world.owner, &[Read], "ok"),
        ("member", &member, &[Read, Write], "ok"),
        ("member", &member, &[Admin], "forbidden"),
        ("member", &member, &[Read, Write, Admin], "forbidden"),
        ("reader", &reader, &[Read, Write], "forbidden"),
        ("reader", &reader, &[Admin], "forbidden"),
        ("writer", &writer, &[Read, Write], "ok"),
        ("writer", &writer, &[Read, Admin], "forbidden"),
    ];
    for (name, caller, requested, outcome) in cases {
        let draft = TokenDraft { scopes: Some(requested.iter().copied().collect()), ..token() };
        assert_eq!(code(world.interline.create_token(caller, draft).await), outcome, "{name} {requested:?}");
    }
}

#[tokio::test]
async fn a_token_without_scopes_of_its_own_gets_all_that_its_maker_has() {
    use Scope::{Admin, Read, Review, Write};
    let world = World::new().await;
    let member = world.user("member", Rank::Member).await;
    let writer = world.narrowed(scopes([Read, Write])).await;
    for (caller, expected, of_agent) in [
        (&world.owner, set([Read, Write, Admin, Review]), set([Read, Write, Admin])),
        (&member, set([Read, Write, Review]), set([Read, Write])),
        (&writer, set([Read, Write]), set([Read, Write])),
    ] {
        let (made, _) = world.interline.create_token(caller, token()).await.unwrap();
        assert_eq!(made.scopes, expected);
        let for_agent = TokenDraft { author: Author::Agent, ..token() };
        let (made, _) = world.interline.create_token(caller, for_agent).await.unwrap();
        assert_eq!(made.scopes, of_agent, "agents do not review");
    }
}

#[tokio::test]
async fn a_token_cannot_grant_kinds_and_spaces_that_it_does_not_have() {
    let world = World::new().await;
    let own = world.interline.spaces(&world.owner).unwrap()[0].space.id;
    let kinds = Some(set([Kind::Note, Kind::Prompt]));
    let narrow = world.narrowed(TokenDraft { kinds: kinds.clone(), spaces: Some(set([own])), ..token() }).await;
    let make = async |draft: TokenDraft| world.interline.create_token(&narrow, draft).await;
    for (requested, given) in [(None, kinds), (Some(set([Kind::Note])), Some(set([Kind::Note])))] {
        let (made, _) = make(TokenDraft { kinds: requested, ..token() }).await.unwrap();
        assert_eq!((made.kinds, made.spaces), (given, Some(set([own]))));
    }
    for wider in [set(Kind::ALL), set([Kind::Bookmark])] {
        assert_eq!(code(make(TokenDraft { kinds: Some(wider), ..token() }).await), "forbidden");
    }
    let foreign = TokenDraft { spaces: Some(set([own, SpaceId::generate()])), ..token() };
    assert_eq!(refused_fields(make(foreign).await), ["spaces"]);
    let (made, _) = world.interline.create_token(&world.owner, token()).await.unwrap();
    assert_eq!((made.kinds, made.spaces), (None, None));
}

#[tokio::test]
async fn only_admins_make_and_see_users_and_tokens_for_them() {
    let world = World::new().await;
    let member = world.user("member", Rank::Member).await;
    let writer = world.narrowed(scopes([Scope::Read, Scope::Write])).await;
    let of = |user: UserId| TokenDraft { user: Some(user), ..scopes([Scope::Read]) };
    for caller in [&member, &writer] {
        assert_eq!(code(world.interline.create_user(caller, user("x")).await), "forbidden");
        assert_eq!(code(world.interline.users(caller).await), "forbidden");
        assert_eq!(code(world.interline.create_token(caller, of(UserId::generate())).await), "forbidden");
    }
    assert_eq!(code(world.interline.create_token(&member, of(world.owner.user())).await), "forbidden");
    assert_eq!(code(world.interline.create_token(&member, of(member.user())).await), "ok");
    assert_eq!(code(world.interline.create_token(&world.owner, of(UserId::generate())).await), "not_found");
    assert_eq!(world.interline.users(&world.owner).await.unwrap().len(), 2);
    let for_member = world.narrowed_by(&world.owner, of(member.user())).await;
    assert_eq!(for_member.user(), member.user());
}

#[tokio::test]
async fn names_and_addresses_are_checked() {
    let world = World::new().await;
    let long = "x".repeat(201);
    for name in ["", " \t", "a\0", "a\nb", &long] {
        let made = world.interline.create_user(&world.owner, user(name)).await.map(|_| ());
        assert_eq!(refused_fields(made), ["name"], "{name:?}");
        let made = world.interline.create_token(&world.owner, TokenDraft { name: name.to_owned(), ..token() }).await;
        assert_eq!(refused_fields(made), ["name"], "{name:?}");
        let draft = UserDraft { email: Some(name.to_owned()), ..user("ok") };
        assert_eq!(refused_fields(world.interline.create_user(&world.owner, draft).await), ["email"], "{name:?}");
    }
    assert_eq!(world.interline.users(&world.owner).await.unwrap().len(), 1);
    let draft = UserDraft { email: Some("a@b.example".to_owned()), ..user(&"ä".repeat(200)) };
    assert_eq!(code(world.interline.create_user(&world.owner, draft).await), "ok");
}

#[tokio::test]
async fn a_trusted_door_needs_no_token_but_a_user() {
    let world = World::new().await;
    let caller = world.interline.trusted(world.owner.user(), Source::Cli).await.unwrap();
    let made = world.interline.create(&caller, Kind::Note, note("a")).await.unwrap().item;
    assert_eq!(world.item(&made).await, made);
    assert_eq!(world.history(&made)[0].source, "cli");
    assert_eq!(code(world.interline.users(&caller).await), "ok");
    match world.interline.trusted(UserId::generate(), Source::Cli).await {
        Err(Error::Unauthorized) => {}
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn at_a_trusted_door_a_token_is_named_by_its_id() {
    let world = World::new().await;
    let interline = &world.interline;
    let draft = TokenDraft {
        name: "Claude Code on desk".to_owned(),
        author: Author::Agent,
        kinds: Some([Kind::Note].into()),
        scopes: Some([Scope::Read, Scope::Write].into()),
        ..token()
    };
    let (made, _) = interline.create_token(&world.owner, draft).await.unwrap();
    let caller = interline.trusted_token(made.id, Source::McpContent).await.unwrap();
    assert_eq!((caller.user(), caller.token_name()), (world.owner.user(), Some("Claude Code on desk")));
    interline.create(&caller, Kind::Note, note("a")).await.unwrap();
    assert_eq!(code(interline.create(&caller, Kind::Bookmark, bookmark("https://example.org")).await), "forbidden");
    assert_eq!(code(interline.users(&caller).await), "forbidden", "it has its own scopes, not those of its user");

    interline.delete_token(&world.owner, made.id).await.unwrap();
    assert_eq!(code(interline.trusted_token(made.id, Source::McpContent).await), "unauthorized");
    assert_eq!(code(interline.trusted_token(TokenId::generate(), Source::Cli).await), "unauthorized");
}

#[tokio::test]
async fn a_token_cannot_outlive_the_one_that_made_it() {
    let world = World::new().await;
    let expires_at = Timestamp::now() + SignedDuration::from_secs(3_600);
    let maker = world.narrowed(TokenDraft { expires_at: Some(expires_at), ..token() }).await;
    let later = expires_at + SignedDuration::from_secs(60);
    let sooner = expires_at - SignedDuration::from_secs(60);
    for (requested, given) in [(None, expires_at), (Some(later), expires_at), (Some(sooner), sooner)] {
        let (made, _) =
            world.interline.create_token(&maker, TokenDraft { expires_at: requested, ..token() }).await.unwrap();
        assert_eq!(made.expires_at.map(Timestamp::as_microsecond), Some(given.as_microsecond()), "{requested:?}");
    }
}

#[tokio::test]
async fn admins_remove_users_and_their_items_only_when_asked_to() {
    let world = World::new().await;
    let interline = &world.interline;
    let (member, admin) = (world.user("member", Rank::Member).await, world.user("admin", Rank::Admin).await);
    let made = interline.create(&member, Kind::Note, note("a")).await.unwrap().item;

    let outcome = interline.remove_user(&admin, member.user(), RemoveUser::IfEmpty).await;
    let message = outcome.unwrap_err().to_string();
    assert!(message.contains("still has 1 items"), "{message}");
    assert_eq!(interline.remove_user(&admin, member.user(), RemoveUser::Purge).await.unwrap(), 1);
    assert_eq!(code(interline.read(&member, &by_id(&made), ReadContent::Omit).await), "not_found");
    assert_eq!(code(interline.trusted(member.user(), Source::Cli).await), "unauthorized");
    assert_eq!(code(interline.remove_user(&admin, member.user(), RemoveUser::Purge).await), "not_found");
    assert_eq!(interline.users(&admin).await.unwrap().len(), 2);
}

#[tokio::test]
async fn nobody_removes_themselves_or_without_being_an_admin() {
    let world = World::new().await;
    let interline = &world.interline;
    let member = world.user("member", Rank::Member).await;
    let narrow = world.narrowed(TokenDraft { kinds: Some(set([Kind::Note])), ..token() }).await;
    let remove = async |caller: &Caller, user| interline.remove_user(caller, user, RemoveUser::Purge).await;
    assert_eq!(code(remove(&member, world.owner.user()).await), "forbidden");
    assert_eq!(code(remove(&narrow, member.user()).await), "forbidden");
    assert_eq!(refused_fields(remove(&world.owner, world.owner.user()).await), ["user"]);
    assert_eq!(interline.users(&world.owner).await.unwrap().len(), 2);
}

#[tokio::test]
async fn what_another_process_deletes_is_refused_a_second_later_at_the_most() {
    let world = World::new().await;
    let (other_process, hash, token) = {
        let (token, secret) = world.interline.create_token(&world.owner, token()).await.unwrap();
        (world.limited(Limits::default()), SecretHash::from_secret(secret.as_str()), token)
    };
    assert_eq!(code(world.interline.authenticate(hash, Source::Rest).await), "ok");
    other_process.delete_token(&world.owner, token.id).await.unwrap();
    assert_eq!(code(other_process.authenticate(hash, Source::Rest).await), "unauthorized");
    let deleted = Instant::now();
    while world.interline.authenticate(hash, Source::Rest).await.is_ok() {
        assert!(deleted.elapsed() < Duration::from_secs(30));
    }
    // Whoever was refused is not remembered.
    let (_, secret) = other_process.create_token(&world.owner, self::token()).await.unwrap();
    let hash = SecretHash::from_secret(secret.as_str());
    assert_eq!(code(world.interline.authenticate(hash, Source::Rest).await), "ok");
}

#[tokio::test]
async fn a_cached_token_still_expires() {
    let world = World::new().await;
    let expires_at = Timestamp::now() + SignedDuration::from_millis(300);
    let draft = TokenDraft { expires_at: Some(expires_at), ..token() };
    let (_, secret) = world.interline.create_token(&world.owner, draft).await.unwrap();
    loop {
        let before = Timestamp::now();
        let outcome = code(world.interline.authenticate(SecretHash::from_secret(secret.as_str()), Source::Rest).await);
        let after = Timestamp::now();
        assert!(if outcome == "ok" { before < expires_at } else { after >= expires_at }, "{outcome} at {before}");
        if outcome != "ok" {
            break;
        }
    }
}

#[tokio::test]
async fn a_token_without_any_use_is_refused() {
    let world = World::new().await;
    let make = async |draft: TokenDraft| world.interline.create_token(&world.owner, draft).await;
    assert_eq!(refused_fields(make(TokenDraft { scopes: Some(set([])), ..token() }).await), ["scopes"]);
}

#[tokio::test]
async fn a_token_that_is_less_than_its_user_makes_no_users() {
    let world = World::new().await;
    let tomorrow = Timestamp::now() + SignedDuration::from_hours(24);
    let make = async |caller: &Caller, rank| {
        let draft = UserDraft { name: "new".to_owned(), email: None, rank, organization: None };
        code(world.interline.create_user(caller, draft).await)
    };
    let notes = world.narrowed(TokenDraft { kinds: Some(set([Kind::Note])), ..token() }).await;
    let expiring = world.narrowed(TokenDraft { expires_at: Some(tomorrow), ..token() }).await;
    let admin_only = world.narrowed(TokenDraft { scopes: Some(set([Scope::Admin])), ..token() }).await;
    for rank in [Rank::Member, Rank::Admin] {
        assert_eq!(make(&notes, rank).await, "forbidden");
        assert_eq!(make(&expiring, rank).await, "forbidden");
        assert_eq!(make(&world.owner, rank).await, "ok");
    }
    assert_eq!(make(&admin_only, Rank::Admin).await, "forbidden");
    assert_eq!(make(&admin_only, Rank::Member).await, "ok");
}

#[tokio::test]
async fn a_token_removes_itself_and_a_narrowed_one_no_other() {
    let world = World::new().await;
    let (other, _) = world.interline.create_token(&world.owner, token()).await.unwrap();
    for draft in [
        TokenDraft { scopes: Some(set([Scope::Read])), ..token() },
        TokenDraft { kinds: Some(set([Kind::Note])), ..token() },
    ] {
        let (made, secret) = world.interline.create_token(&world.owner, draft).await.unwrap();
        let hash = SecretHash::from_secret(secret.as_str());
        let narrow = world.interline.authenticate(hash, Source::Rest).await.unwrap();
        assert_eq!(code(world.interline.delete_token(&narrow, other.id).await), "forbidden");
        assert_eq!(code(world.interline.delete_token(&narrow, made.id).await), "ok");
        assert_eq!(code(world.interline.authenticate(hash, Source::Rest).await), "unauthorized");
    }
    assert_eq!(code(world.interline.delete_token(&world.owner, other.id).await), "ok");
}
