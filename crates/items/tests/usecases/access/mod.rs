//! Users, tokens, and what each caller may see and do.

mod permissions;
mod users;
