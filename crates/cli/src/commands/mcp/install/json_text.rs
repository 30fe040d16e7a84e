//! Sets members of a JSON object in the text of a client's configuration. The text may be JSONC: comments and trailing
//! commas are read and stay.
//!
//! The syntax tree says where members stand, and only they are written: every other byte of the file is the user's and
//! stays. The editing of `jsonc_parser::cst` is not used, because it breaks objects of one line into several and removes
//! blank lines.

use std::borrow::Cow;

use jsonc_parser::ast::{Object, ObjectProp, Value as Node};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, ParseResult, parse_to_ast};
use serde::Serialize as _;
use serde_json::ser::PrettyFormatter;
use serde_json::{Serializer, Value, json};

use super::client::Transport;
use super::entry::ServerEntry;
use super::{ConfigEdit, EditError, Splice, newline_of, spliced};

const DEFAULT_INDENT: &str = "  ";
const JSON_BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

/// JSON with comments and trailing commas, as VS Code reads it, and no other liberties.
const JSONC: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Sets the entry in the object at `servers`. Of an entry that is there, what it starts is set and the rest, such as its
/// environment, stays.
pub(super) fn set_entry(
    text: &str,
    servers: &str,
    transport: Transport,
    entry: &ServerEntry,
) -> Result<ConfigEdit, EditError> {
    let text = &*with_object(text)?;
    let is_new = is_new(text, servers, entry)?;
    let stdio = match transport {
        Transport::Explicit => Some(("type", json!("stdio"))),
        Transport::Implied => None,
    };
    let members = stdio.into_iter().chain([("command", json!(entry.command)), ("args", json!(entry.args))]);
    let mut after = text.to_owned();
    for (key, value) in members {
        after = Document::parse(&after)?.set(&[servers, entry.name, key], &value)?;
    }
    Ok(match is_new {
        true => ConfigEdit::Added(after),
        false if after == text => ConfigEdit::Unchanged,
        false => ConfigEdit::Changed(after),
    })
}

/// The text, with an empty object if it has no value yet.
fn with_object(text: &str) -> Result<Cow<'_, str>, EditError> {
    if text.trim().is_empty() {
        return Ok("{}\n".into());
    }
    if parse(text)?.value.is_some() {
        return Ok(text.into());
    }
    // Comments alone.
    let newline = newline_of(text);
    let gap = if text.ends_with('\n') { "" } else { newline };
    Ok(format!("{text}{gap}{{}}{newline}").into())
}

/// Whether the text has no entry of that name yet; an error if the name stands for something that is not started by a
/// command.
fn is_new(text: &str, servers: &str, entry: &ServerEntry) -> Result<bool, EditError> {
    let document = Document::parse(text)?;
    let Some(servers) = member(&document.root, servers).and_then(|servers| servers.value.as_object()) else {
        return Ok(true);
    };
    let Some(existing) = member(servers, entry.name) else { return Ok(true) };
    let command = existing.value.as_object().and_then(|existing| member(existing, "command"));
    match command.and_then(|command| command.value.as_string_lit()) {
        Some(_) => Ok(false),
        None => Err(EditError::NameTaken(entry.name.to_owned())),
    }
}

/// A configuration: an object, and the tokens of its text with the comments among them.
struct Document<'a> {
    text: &'a str,
    root: Object<'a>,
    tokens: Vec<TokenAndRange<'a>>,
}

/// How the lines of an object begin.
#[derive(Clone, Copy)]
struct Layout<'a> {
    /// The indentation of the line on which the object begins.
    outer: &'a str,
    /// The indentation of its members; `None` if they stand on the line of the brace.
    members: Option<&'a str>,
    /// By how much a level is indented.
    unit: &'a str,
}

impl<'a> Document<'a> {
    fn parse(text: &'a str) -> Result<Document<'a>, EditError> {
        let parsed = parse(text)?;
        match parsed.value {
            Some(Node::Object(root)) => Ok(Document { text, root, tokens: parsed.tokens.unwrap_or_default() }),
            _ => Err(EditError::Unreadable("it is no object".to_owned())),
        }
    }

    /// The text with that value for the member at the path. Objects on the way that are missing are made.
    fn set(&self, path: &[&str], value: &Value) -> Result<String, EditError> {
        let mut object = &self.root;
        let mut layout = self.layout(object, "", DEFAULT_INDENT);
        let mut path = path.iter();
        while let Some(key) = path.next() {
            let Some(existing) = member(object, key) else {
                let value = path.rev().fold(value.clone(), |value, key| json!({ *key: value }));
                return Ok(self.insert(object, layout, key, &value));
            };
            if path.as_slice().is_empty() {
                return Ok(self.replace(&existing.value, layout, value));
            }
            object = existing.value.as_object().ok_or_else(|| EditError::NameTaken((*key).to_owned()))?;
            layout = self.layout(object, layout.members.unwrap_or(layout.outer), layout.unit);
        }
        Ok(self.text.to_owned())
    }

    fn layout(&self, object: &Object<'_>, outer: &'a str, unit: &'a str) -> Layout<'a> {
        let members = object.properties.iter().rev().find_map(|member| self.indentation(member.range.start));
        let own_unit = members.and_then(|members| members.strip_prefix(outer)).filter(|unit| !unit.is_empty());
        Layout { outer, members, unit: own_unit.unwrap_or(unit) }
    }

    /// The blanks between the beginning of a line and this place; `None` if something else stands there too.
    fn indentation(&self, at: usize) -> Option<&'a str> {
        let (_, before) = self.text[..at].rsplit_once('\n')?;
        before.chars().all(char::is_whitespace).then_some(before)
    }

    fn replace(&self, existing: &Node<'_>, layout: Layout<'_>, value: &Value) -> String {
        if is_equal(existing, value) {
            return self.text.to_owned();
        }
        let range = existing.range();
        let value = self.written(value, layout.unit, layout.members);
        spliced(self.text, &[Splice { range: range.start..range.end, new: value }])
    }

    /// The text with a new member at the end of the object, behind the comments on the line of the last one.
    fn insert(&self, object: &Object<'_>, layout: Layout<'_>, key: &str, value: &Value) -> String {
        let Some(last) = object.properties.last() else { return self.insert_first(object, layout, key, value) };
        let newline = newline_of(self.text);
        let comma = self.tokens_from(last.range.end).find(|token| !is_comment(token)).filter(|token| is_comma(token));
        let (at, line_comment) = self.behind_comments(comma.map_or(last.range.end, |comma| comma.range.end));
        let gap = match layout.members {
            Some(indent) => format!("{newline}{indent}"),
            None if line_comment => format!("{newline}{}{}", layout.outer, layout.unit),
            None => " ".to_owned(),
        };
        let member = format!("{}: {}", json!(key), self.written(value, layout.unit, layout.members));
        // A list that ends with a comma goes on doing so.
        let splices = match comma {
            Some(_) => vec![Splice { range: at..at, new: format!("{gap}{member},") }],
            None => vec![
                Splice { range: last.range.end..last.range.end, new: ",".to_owned() },
                Splice { range: at..at, new: format!("{gap}{member}") },
            ],
        };
        spliced(self.text, &splices)
    }

    /// The text with the first member of an object, behind the comments in it.
    fn insert_first(&self, object: &Object<'_>, layout: Layout<'_>, key: &str, value: &Value) -> String {
        let newline = newline_of(self.text);
        let (inside, end) = (object.range.start + 1, object.range.end - 1);
        let comments = || self.tokens_from(inside).take_while(|token| is_comment(token));
        let indent = comments().find_map(|comment| self.indentation(comment.range.start));
        let indent = indent.map_or_else(|| format!("{}{}", layout.outer, layout.unit), str::to_owned);
        let member = format!("{}: {}", json!(key), self.written(value, layout.unit, Some(&indent)));
        let (start, newline_follows) = match comments().last() {
            Some(comment) => (comment.range.end, self.text[comment.range.end..end].contains('\n')),
            None => (inside, false),
        };
        let splice = match newline_follows {
            true => Splice { range: start..start, new: format!("{newline}{indent}{member}") },
            false => Splice { range: start..end, new: format!("{newline}{indent}{member}{newline}{}", layout.outer) },
        };
        spliced(self.text, &[splice])
    }

    /// The tokens that begin at this place or behind it.
    fn tokens_from(&self, at: usize) -> impl Iterator<Item = &TokenAndRange<'a>> {
        self.tokens[self.tokens.partition_point(|token| token.range.start < at)..].iter()
    }

    /// Where the comments end that follow on the same line, and whether the last of them takes the rest of the line.
    fn behind_comments(&self, mut at: usize) -> (usize, bool) {
        let mut line_comment = false;
        for comment in self.tokens_from(at).take_while(|token| is_comment(token)) {
            if self.text[at..comment.range.start].contains('\n') {
                break;
            }
            at = comment.range.end;
            line_comment = matches!(comment.token, Token::CommentLine(_));
        }
        (at, line_comment)
    }

    /// A value as it stands on a line with that indentation, or within one line.
    fn written(&self, value: &Value, unit: &str, indent: Option<&str>) -> String {
        let Some(indent) = indent else { return value.to_string() };
        let mut bytes = Vec::new();
        let mut serializer = Serializer::with_formatter(&mut bytes, PrettyFormatter::with_indent(unit.as_bytes()));
        match value.serialize(&mut serializer) {
            Ok(()) => String::from_utf8_lossy(&bytes).replace('\n', &format!("{}{indent}", newline_of(self.text))),
            Err(_) => value.to_string(),
        }
    }
}

/// Parses JSONC. The parser itself limits nesting, far below what the stack holds.
fn parse(text: &str) -> Result<ParseResult<'_>, EditError> {
    let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
    let parsed = parse_to_ast(text, &collect, &JSONC).map_err(|error| EditError::Unreadable(error.to_string()))?;
    match unexpected_character(text, parsed.tokens.as_deref().unwrap_or_default()) {
        None => Ok(parsed),
        Some(at) => {
            let line = text[..at].matches('\n').count() + 1;
            Err(EditError::Unreadable(format!("Unexpected character on line {line}")))
        }
    }
}

/// Where a character stands that the parser lets pass and clients do not: a control character in a string, as that of a
/// line that was not closed, or a blank that is not one of JSON's four.
fn unexpected_character(text: &str, tokens: &[TokenAndRange<'_>]) -> Option<usize> {
    let mut gap_start = 0;
    for token in tokens {
        let (start, end) = (token.range.start, token.range.end);
        let is_string = matches!(token.token, Token::String(_));
        let in_gap = text[gap_start..start].find(|c| !JSON_BLANKS.contains(&c)).map(|at| gap_start + at);
        let in_string = || text[start..end].find(|c| is_string && c < ' ').map(|at| start + at);
        if let Some(at) = in_gap.or_else(in_string) {
            return Some(at);
        }
        gap_start = end;
    }
    text[gap_start..].find(|c| !JSON_BLANKS.contains(&c)).map(|at| gap_start + at)
}

/// The member of that name. Of several the last counts, as for everything that reads JSON.
fn member<'o, 'a>(object: &'o Object<'a>, key: &str) -> Option<&'o ObjectProp<'a>> {
    object.properties.iter().rfind(|member| member.name.as_str() == key)
}

/// Whether a value of the text is this one, which consists of strings and lists.
fn is_equal(existing: &Node<'_>, value: &Value) -> bool {
    match (existing, value) {
        (Node::StringLit(existing), Value::String(value)) => existing.value == *value,
        (Node::Array(existing), Value::Array(values)) => {
            existing.elements.len() == values.len()
                && existing.elements.iter().zip(values).all(|(existing, value)| is_equal(existing, value))
        }
        _ => false,
    }
}

fn is_comment(token: &TokenAndRange<'_>) -> bool {
    matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_))
}

fn is_comma(token: &TokenAndRange<'_>) -> bool {
    matches!(token.token, Token::Comma)
}
