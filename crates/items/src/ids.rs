//! Identifiers: UUIDs whose order is the order of creation.

use std::fmt;

use uuid::Uuid;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl $name {
            /// A new one, greater than those made before it on this machine.
            pub fn generate() -> $name {
                $name(Uuid::now_v7())
            }

            /// The identifier with that UUID.
            pub fn from_uuid(uuid: Uuid) -> $name {
                $name(uuid)
            }

            /// Its UUID.
            pub fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id! {
    /// Names an item.
    ItemId
}
id! {
    /// Names a user.
    UserId
}
id! {
    /// Names a token; it is not the secret.
    TokenId
}
id! {
    /// Names a space.
    SpaceId
}
id! {
    /// Names an organization.
    OrganizationId
}
id! {
    /// Names a proposal.
    ProposalId
}
id! {
    /// Names an app.
    AppId
}
id! {
    /// Names a webhook.
    WebhookId
}
id! {
    /// Names a change set.
    ChangeSetId
}
