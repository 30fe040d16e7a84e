//! The words of a tool's error that name tools and arguments: what an agent calls next. All other words are those of every
//! door.

use interline_items::{Error, NeedsText};

use super::McpServer;
use crate::wire::fields_message;

/// The message, where this door words it otherwise.
pub(super) fn message(error: &Error) -> Option<String> {
    match error {
        Error::ValidationFailed(errors) => {
            let fields: Vec<(&str, &str)> =
                errors.iter().map(|error| (error.field.as_str(), error.message.as_str())).collect();
            Some(fields_message("argument", &fields))
        }
        _ => None,
    }
}

/// The suggestion, where it names a tool.
pub(super) fn suggestion(server: McpServer, error: &Error) -> Option<String> {
    match (error, server) {
        (Error::ContentEmpty(NeedsText::Lines), McpServer::Content) => {
            Some("call get_item without start_line and end_line, or write a text first with rewrite_content".to_owned())
        }
        (Error::ContentEmpty(_), McpServer::Content) => {
            Some("there is no text to change yet: write it with rewrite_content".to_owned())
        }
        (Error::NotFound { actual: None, .. }, McpServer::Content) => {
            Some("check the id, or find the item with search_items; view \"deleted\" looks in the trash".to_owned())
        }
        (Error::NotFound { .. }, McpServer::Prompts) => Some(
            "check the name, or find the prompt with search_prompts; view \"deleted\" looks in the trash".to_owned(),
        ),
        (Error::VersionNotFound { current, .. }, server) => {
            let tool = match server {
                McpServer::Content => "item_history",
                McpServer::Prompts => "prompt_history",
                McpServer::Code => "content_history",
            };
            Some(format!("{tool} lists the versions that are kept; the newest is {current}"))
        }
        _ => None,
    }
}
