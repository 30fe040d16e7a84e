//! Requests that take a server as much as possible and a client next to nothing.

use super::super::material::{LISTED_TAG, Material, similar_lines};
use super::Attack;
use super::connection::request;

/// `[a-z]{0,999}[a-z]{0,999}$`, with what a URL cannot have encoded.
const EXPRESSION: &str = "%5Ba-z%5D%7B0,999%7D%5Ba-z%5D%7B0,999%7D$";
const TAGS: usize = 1_000_000;
const PYTHON_BYTES: usize = 4_000_000;
/// The lines that almost match: about a megabyte in the middle.
const ALMOST: std::ops::Range<usize> = 80_000..100_000;
const NOBODY: &str = "il_0000000000000000000000000000000000000000000";

/// What an attack sends, in turn; nothing for those that do not send one request after the other.
pub(super) fn requests(attack: Attack, material: &Material) -> Vec<Vec<u8>> {
    let send = |method: &str, path: &str, body: &str| request(material.server, &material.token, method, path, body);
    let get = |path: String| vec![send("GET", &path, "")];
    match attack {
        Attack::Renders => {
            let render = |prompt: &String| send("POST", &format!("/prompts/{prompt}/render"), r#"{"arguments":{}}"#);
            material.prompts.iter().map(render).collect()
        }
        Attack::Expressions => get(format!("/notes/{}/search?regex=true&q={EXPRESSION}", material.repetitive_note)),
        Attack::ContentExpressions => get(format!("/content?regex={EXPRESSION}")),
        Attack::Misses => {
            let passage = similar_lines(ALMOST).replace("two);", "three);");
            let body = serde_json::json!({"old_str": passage, "new_str": "x"}).to_string();
            vec![send("PATCH", &format!("/notes/{}/str-replace", material.similar_lines_note), &body)]
        }
        Attack::Tags => {
            let tags: Vec<String> = (0..TAGS).map(|number| format!("Tag-{number}")).collect();
            vec![send("POST", "/notes", &serde_json::json!({"title": "tags", "tags": tags}).to_string())]
        }
        Attack::CodeSearches => {
            let search = serde_json::json!({"pattern": "[a-z]{0,999}[a-z]{0,999}$", "entity_type": "app_file",
                "app_id": material.app});
            vec![send("POST", "/code/search", &search.to_string())]
        }
        Attack::Diffs => get(format!("/notes/{}/history/2/diff?against=1", material.rewritten_note)),
        Attack::PythonChecks => {
            let function =
                "async def f(a, *b, c=[d for d in e if d], **g):\n    return {**g, 'h': lambda i: (yield i)}\n";
            let module = function.repeat(PYTHON_BYTES / function.len());
            vec![send("POST", "/workflows/validate", &serde_json::json!({"content": module}).to_string())]
        }
        Attack::BigLists => get(format!("/notes?tags={LISTED_TAG}&limit=100&include_content=true")),
        Attack::Creates => {
            vec![send("POST", "/notes", r#"{"title": "one of many", "content": "made as fast as can be"}"#)]
        }
        Attack::FailedAuthentications => vec![request(material.server, NOBODY, "GET", "/notes", "")],
        Attack::UnreadAnswers
        | Attack::UnfinishedBodies
        | Attack::IdleConnections
        | Attack::Listeners
        | Attack::HangingWebhooks
        | Attack::BusyThreads => Vec::new(),
    }
}
