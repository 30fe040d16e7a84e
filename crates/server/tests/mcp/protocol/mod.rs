//! The protocol beyond tools: connections, prompts, resources and subscriptions.

mod connections;
mod prompts;
mod resources;
mod subscriptions;
