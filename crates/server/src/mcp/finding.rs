//! What tools that find items are told and tell alike.

use interline_items::fields::Tag;
use interline_items::search::{Snippet, SnippetField};
use interline_items::{Error, TagMatch};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::arguments::invalid;
use super::tool::Call;

/// How many items are told unless more are asked for: each takes about 200 tokens.
pub(super) const LIMIT: u64 = 20;

// Which of several tags an item must have. (A doc comment would be told to models, with every tool.)
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum TagMatchWord {
    All,
    Any,
}

/// Where an item matches.
#[derive(Serialize, JsonSchema)]
pub(super) struct SnippetTold {
    field: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    text: String,
}

/// The tags that are asked for.
pub(super) fn tags(call: &Call, tags: Vec<String>) -> Result<Vec<Tag>, Error> {
    let parse = |tag: String| Tag::parse(&tag, call.interline.limits());
    tags.into_iter().map(parse).collect::<Result<_, _>>().map_err(|error| invalid("tags", &error.message))
}

impl SnippetTold {
    pub(super) fn of(snippet: &Snippet) -> SnippetTold {
        let (field, line) = match snippet.field {
            SnippetField::Content(line) => ("content", Some(line)),
            SnippetField::Description => ("description", None),
            SnippetField::Title => ("title", None),
            SnippetField::Url => ("url", None),
            SnippetField::Path => ("path", None),
        };
        SnippetTold { field, line, text: snippet.text.clone() }
    }
}

impl From<TagMatchWord> for TagMatch {
    fn from(word: TagMatchWord) -> TagMatch {
        match word {
            TagMatchWord::All => TagMatch::All,
            TagMatchWord::Any => TagMatch::Any,
        }
    }
}
