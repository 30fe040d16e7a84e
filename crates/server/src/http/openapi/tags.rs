//! The groups of operations, in the order in which the page shows them: items first.

use serde_json::{Value, json};

const TAGS: [(&str, &str); 17] = [
    ("notes", "Text with a title: plans, minutes, documentation. Read by lines, changed by passages."),
    ("bookmarks", "Web addresses, each with text about it or from it. An address is there once."),
    ("prompts", "Jinja2 templates with declared arguments, known by a name, rendered with values."),
    ("content", "All items, whatever their kind: search over everything, and every operation by the id alone."),
    ("tags", "The tags of items: counted, renamed and removed everywhere at once."),
    ("changes", "What each client did in one go, and why: seen with its diff, kept, or taken back."),
    (
        "proposals",
        "Writes of tokens that may only propose: seen with their diffs, accepted whole or in part, or rejected.",
    ),
    (
        "code",
        "Files of code by their paths: found, read by lines, changed by passages. Python is checked before it is stored.",
    ),
    ("workflows", "Decorated Python functions in workflow files: listed, found and validated."),
    ("apps", "Files that are published together: the draft is edited, each published version stays as it was."),
    ("import and export", "Files of other programs as items, and everything as a file."),
    ("events", "Every change as it happens, over a WebSocket."),
    ("webhooks", "Addresses that are told every change, signed and tried again until they accept it."),
    ("tokens", "The credentials of programs: what each allows, and until when."),
    ("users", "Who tokens belong to, and the spaces that each may use."),
    ("organizations", "Users who share workflows and apps."),
    ("operations", "Health and figures, for those who run the server. They need no token."),
];

pub(super) fn described() -> Value {
    TAGS.iter().map(|(name, description)| json!({"name": name, "description": description})).collect()
}
