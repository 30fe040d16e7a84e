//! `/prompts`: what only prompts have.

mod create;
mod name;
mod render;
mod update;
