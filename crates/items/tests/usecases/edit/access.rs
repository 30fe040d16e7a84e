//! Which scopes and roles an edit takes.

use interline_items::{EditMode, EditRequest, Error, Kind, Rank, Refusal, Scope, TokenDraft};

use super::{of_every_kind, replace};
use crate::samples::token;
use crate::world::{World, by_id, code, set};

#[tokio::test]
async fn what_is_not_seen_is_not_found_and_what_is_only_read_is_forbidden() {
    let world = World::new().await;
    let stranger = world.user("other", Rank::Admin).await;
    let reader = world.narrowed(TokenDraft { scopes: Some(set([Scope::Read])), ..token() }).await;
    let writer = world.narrowed(TokenDraft { scopes: Some(set([Scope::Write])), ..token() }).await;
    let nothing = world.narrowed(TokenDraft { kinds: Some(set::<Kind, 0>([])), ..token() }).await;
    for item in of_every_kind(&world, "secret").await {
        for mode in [EditMode::Write, EditMode::DryRun] {
            // One that is there and one that is not: no refusal tells which.
            for change in [replace("secret", "x"), replace("guess", "x")] {
                let edit_request = EditRequest { mode, ..EditRequest::new(change) };
                let tried = async |caller| world.interline.edit(caller, &by_id(&item), edit_request.clone()).await;
                assert_eq!(code(tried(&stranger).await), "not_found");
                assert_eq!(code(tried(&nothing).await), "not_found");
                for (caller, scope) in [(&reader, Scope::Write), (&writer, Scope::Read)] {
                    match tried(caller).await {
                        Err(Error::Forbidden(Refusal::Scope(reported))) => assert_eq!(reported, scope),
                        other => panic!("{other:?}"),
                    }
                }
            }
        }
        assert_eq!(world.item(&item).await, item);
    }
}
