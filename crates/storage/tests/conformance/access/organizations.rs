//! `create_organization`, `organizations`, and the memberships that users have by organizations and apps.

use interline_items::fields::AppSlug;
use interline_items::{
    App, AppId, Batch, Membership, NewApp, Organization, OrganizationId, Rank, Role, Space, SpaceId, SpaceOwner, Store,
    UserId,
};

use crate::fixtures::authors::{Author, stranger};
use crate::fixtures::samples::at;
use crate::fixtures::test_store::TestStore;

on_both!(
    organizations_come_back_oldest_first,
    an_organization_without_a_free_space_is_not_made,
    what_a_user_is_a_member_of_follows_from_who_it_is,
    the_greater_of_two_roles_counts,
);

pub(crate) fn organization(name: &str) -> (Organization, Space) {
    let id = OrganizationId::generate();
    let organization = Organization { id, name: name.to_owned(), domain: None, created_at: at(0) };
    let space = Space { id: SpaceId::generate(), owner: SpaceOwner::Organization(id), name: name.to_owned() };
    (organization, space)
}

pub(crate) fn app(slug: &str, organization: Option<OrganizationId>) -> NewApp {
    let app = App {
        id: AppId::generate(),
        slug: AppSlug::from_stored(slug.to_owned()),
        name: format!("App {slug}"),
        description: None,
        organization,
        navigation: None,
        published_version: None,
        created_at: at(0),
        deleted_at: None,
        updated_at: at(0),
    };
    let space = Space { id: SpaceId::generate(), owner: SpaceOwner::App(app.id), name: app.name.clone() };
    NewApp { app, space, files: Batch::default() }
}

/// A user of an organization, or of none.
async fn member(store: &dyn Store, name: &str, rank: Rank, organization: Option<OrganizationId>) -> Author {
    let mut author = stranger(name);
    author.user.rank = rank;
    author.user.organization = organization;
    store.create_user(&author.user, &author.space, &author.token).await.unwrap();
    author
}

async fn organizations_come_back_oldest_first(test: TestStore) {
    assert_eq!(test.store.organizations().await.unwrap(), []);
    let (mut young, young_space) = organization("young");
    young.domain = Some("example.org".to_owned());
    let (mut old, old_space) = organization("old \"quoted\"");
    old.created_at = at(-5);
    test.store.create_organization(&young, &young_space).await.unwrap();
    test.store.create_organization(&old, &old_space).await.unwrap();
    assert_eq!(test.store.organizations().await.unwrap(), [old.clone(), young.clone()]);
    assert_eq!(test.store.organization(young.id).await.unwrap(), Some(young));
    assert_eq!(test.store.organization(OrganizationId::generate()).await.unwrap(), None);
}

async fn an_organization_without_a_free_space_is_not_made(test: TestStore) {
    let (one, space) = organization("one");
    test.store.create_organization(&one, &space).await.unwrap();
    let (two, _) = organization("two");
    assert!(test.store.create_organization(&two, &space).await.is_err());
    assert_eq!(test.store.organizations().await.unwrap(), [one]);
}

async fn what_a_user_is_a_member_of_follows_from_who_it_is(test: TestStore) {
    let store = &*test.store;
    let ((acme, acme_space), (umbra, umbra_space)) = (organization("acme"), organization("umbra"));
    store.create_organization(&acme, &acme_space).await.unwrap();
    store.create_organization(&umbra, &umbra_space).await.unwrap();
    let (theirs, others, global) = (app("theirs", Some(acme.id)), app("others", Some(umbra.id)), app("global", None));
    for new in [&theirs, &others, &global] {
        store.create_app(new.clone()).await.unwrap();
    }
    let everybodys = "global".to_owned();
    use Role::{Owner, Reader, Writer};
    let expected = |roles: &[(&NewApp, Role)], spaces: &[(&Space, Role)], all: Role| {
        let apps = roles.iter().map(|(new, role)| (new.space.name.clone(), *role));
        let spaces = spaces.iter().map(|(space, role)| (space.name.clone(), *role));
        let mut expected: Vec<(String, Role)> = apps.chain(spaces).chain([(everybodys.clone(), all)]).collect();
        expected.sort();
        expected
    };
    let of_acme = expected(&[(&theirs, Writer), (&global, Reader)], &[(&acme_space, Writer)], Reader);
    let of_umbra = expected(&[(&others, Writer), (&global, Reader)], &[(&umbra_space, Writer)], Reader);
    let of_nobody = expected(&[(&global, Reader)], &[], Reader);
    let apps = [(&theirs, Owner), (&others, Owner), (&global, Owner)];
    let of_admin = expected(&apps, &[(&acme_space, Owner), (&umbra_space, Owner)], Owner);
    for (name, rank, organization, expected) in [
        ("ada", Rank::Member, Some(acme.id), of_acme),
        ("ben", Rank::Member, Some(umbra.id), of_umbra),
        ("cyd", Rank::Member, None, of_nobody),
        ("dan", Rank::Admin, None, of_admin.clone()),
        ("eve", Rank::Admin, Some(acme.id), of_admin),
    ] {
        let user = member(store, name, rank, organization).await;
        let memberships = store.memberships(user.user.id).await.unwrap();
        let own = Membership { space: user.space.clone(), role: Owner };
        assert_eq!(memberships.first(), Some(&own), "{name}");
        assert!(memberships[1..].is_sorted_by_key(|membership| membership.space.id), "{name}");
        let mut others: Vec<(String, Role)> =
            memberships[1..].iter().map(|membership| (membership.space.name.clone(), membership.role)).collect();
        others.sort();
        assert_eq!(others, expected, "{name}");
        assert_eq!(store.credentials(user.token.secret).await.unwrap().unwrap().memberships, memberships, "{name}");
    }
    assert_eq!(store.memberships(UserId::generate()).await.unwrap(), []);
}

async fn the_greater_of_two_roles_counts(test: TestStore) {
    let (acme, space) = organization("acme");
    test.store.create_organization(&acme, &space).await.unwrap();
    for (name, role, expected) in [("ada", "reader", Role::Writer), ("ben", "owner", Role::Owner)] {
        let user = member(&*test.store, name, Rank::Member, Some(acme.id)).await;
        let (key, whose) = (test.literal(space.id.uuid()), test.literal(user.user.id.uuid()));
        test.execute(&format!("INSERT INTO members (\"user\", space, role) VALUES ({whose}, {key}, '{role}')")).await;
        let memberships = test.store.memberships(user.user.id).await.unwrap();
        let roles: Vec<Role> = memberships.iter().filter(|one| one.space.id == space.id).map(|one| one.role).collect();
        assert_eq!(roles, [expected], "{name}");
    }
}
