//! Users, tokens, organizations, and the removal of users.

pub(crate) mod organizations;
pub(crate) mod tokens;
pub(crate) mod user_removal;
pub(crate) mod users;
