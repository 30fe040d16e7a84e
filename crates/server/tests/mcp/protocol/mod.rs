//! The protocol beyond tools: connections, prompts, resources and subscriptions.

mod connections;
mod prompts;
mod refused_and_long;
mod resources;
mod subscriptions;
