//! YAML of front matter: a mapping whose keys keep their positions. Aliases are never expanded, so no document is larger than
//! its text.

mod scalar;

use std::collections::HashMap;

use granit_parser::{Event, Parser, ScalarStyle, Span, StructureStyle};
use serde_json::{Number, Value};

pub(crate) use scalar::{flow_list, quoted, scalar};

/// The longest YAML that is parsed, in bytes.
pub(crate) const MAX_BYTES: usize = 64 * 1024;

/// How deep collections may be nested.
const MAX_DEPTH: usize = 64;

/// How many nodes a value may have when its aliases are replaced by what they name.
const MAX_EXPANDED_NODES: usize = 10_000;

/// A mapping.
pub(crate) struct Mapping {
    nodes: Vec<Node>,
    anchors: HashMap<usize, usize>,
    /// The entries, in the order of the text.
    pub(crate) entries: Vec<MappingEntry>,
    /// Whether every key begins its line, so that entries are whole lines.
    pub(crate) is_block: bool,
}

/// A key and where it stands, in bytes of the text.
pub(crate) struct MappingEntry {
    pub(crate) key: String,
    /// Where the key begins.
    pub(crate) start: usize,
    /// Where the value ends.
    pub(crate) end: usize,
    value: usize,
}

enum Node {
    Scalar { text: String, style: ScalarStyle },
    Sequence(Vec<usize>),
    Mapping(Vec<(usize, usize)>),
    Alias(usize),
}

/// A collection that is not closed yet.
struct Frame {
    node: usize,
    key: Option<usize>,
    is_flow: bool,
}

impl Mapping {
    /// Parses a text. The error says what is wrong, for a sentence after "its front matter".
    pub(crate) fn parse(text: &str) -> Result<Mapping, String> {
        if text.len() > MAX_BYTES {
            return Err(format!("has more than {MAX_BYTES} bytes"));
        }
        let mut builder = Builder { text, ..Builder::default() };
        for event in Parser::new_from_str(text) {
            let (event, span) = event.map_err(|error| format!("is no valid YAML ({error})"))?;
            builder.event(event, span)?;
        }
        builder.finish()
    }

    /// The value of an entry, as JSON has it. A scalar is a string as it is spelt, whatever YAML would make of it; null is null.
    /// A block (`|`, `>`) has no line breaks at its end: they end the block, and nobody means them as a part of a title.
    /// `None` if its aliases make it too large.
    pub(crate) fn text_value(&self, entry: &MappingEntry) -> Option<Value> {
        self.expand(entry.value, &mut Expansion::new(Spelling::Text))
    }

    /// The entry as one line of YAML; `None` if its aliases make it too large.
    pub(crate) fn entry_line(&self, entry: &MappingEntry) -> Option<String> {
        let value = self.expand(entry.value, &mut Expansion::new(Spelling::Typed))?;
        Some(format!("{}: {}\n", scalar(&entry.key), escaped(&value.to_string())))
    }

    fn expand(&self, node: usize, expansion: &mut Expansion) -> Option<Value> {
        expansion.nodes = expansion.nodes.checked_sub(1)?;
        expansion.depth = expansion.depth.checked_sub(1)?;
        let value = match self.nodes.get(node)? {
            Node::Scalar { text, style } => {
                expansion.bytes = expansion.bytes.checked_sub(text.len())?;
                match (expansion.spelling, style) {
                    (_, ScalarStyle::Plain) if is_null(text) => Value::Null,
                    (Spelling::Typed, ScalarStyle::Plain) => typed(text),
                    (Spelling::Text, ScalarStyle::Literal | ScalarStyle::Folded) => {
                        Value::String(text.trim_end_matches(['\r', '\n']).to_owned())
                    }
                    _ => Value::String(text.clone()),
                }
            }
            Node::Sequence(items) => {
                let items: Option<Vec<Value>> = items.iter().map(|item| self.expand(*item, expansion)).collect();
                Value::Array(items?)
            }
            Node::Mapping(pairs) => {
                let mut object = serde_json::Map::new();
                for (key, value) in pairs {
                    let Some(Node::Scalar { text, .. }) = self.nodes.get(*key) else { return None };
                    object.insert(text.clone(), self.expand(*value, expansion)?);
                }
                Value::Object(object)
            }
            Node::Alias(anchor) => self.expand(*self.anchors.get(anchor)?, expansion)?,
        };
        expansion.depth += 1;
        Some(value)
    }
}

/// What is left of the budget of one value.
struct Expansion {
    spelling: Spelling,
    nodes: usize,
    bytes: usize,
    depth: usize,
}

impl Expansion {
    fn new(spelling: Spelling) -> Expansion {
        Expansion { spelling, nodes: MAX_EXPANDED_NODES, bytes: 4 * MAX_BYTES, depth: 2 * MAX_DEPTH }
    }
}

/// JSON, with the characters escaped that YAML does not take as they are.
fn escaped(json: &str) -> String {
    let is_odd =
        |c: char| matches!(c, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}');
    json.chars().fold(String::with_capacity(json.len()), |mut out, c| {
        if is_odd(c) {
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            out.push(c);
        }
        out
    })
}

/// Whether scalars are numbers and booleans where YAML says so.
#[derive(Clone, Copy)]
enum Spelling {
    Text,
    Typed,
}

fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

fn typed(text: &str) -> Value {
    match text {
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => match text.parse::<i64>() {
            Ok(number) if number.to_string() == text => Value::Number(Number::from(number)),
            _ => Value::String(text.to_owned()),
        },
    }
}

#[derive(Default)]
struct Builder<'a> {
    text: &'a str,
    nodes: Vec<Node>,
    anchors: HashMap<usize, usize>,
    entries: Vec<MappingEntry>,
    stack: Vec<Frame>,
    documents: usize,
    is_flow_root: bool,
}

impl Builder<'_> {
    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), String> {
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err("has several documents of YAML".to_owned());
                }
            }
            Event::Scalar(text, style, anchor, _) => {
                let is_plain = matches!(style, ScalarStyle::Plain);
                if self.stack.is_empty() && !(is_plain && is_null(&text)) {
                    return Err(NO_MAPPING.to_owned());
                }
                let node = self.add(Node::Scalar { text: text.into_owned(), style }, anchor);
                self.attach(node, span)?;
                self.extend_entry(span);
            }
            Event::Alias(anchor) => {
                let node = self.add(Node::Alias(anchor), 0);
                self.attach(node, span)?;
                self.extend_entry(span);
            }
            Event::SequenceStart(style, anchor, _) => self.open(Node::Sequence(Vec::new()), style, anchor, span)?,
            Event::MappingStart(style, anchor, _) => self.open(Node::Mapping(Vec::new()), style, anchor, span)?,
            Event::SequenceEnd | Event::MappingEnd => {
                let is_flow = self.stack.pop().is_some_and(|frame| frame.is_flow);
                // A block ends where the next token begins, which is no part of it.
                let end = if is_flow { span } else { Span::empty(granit_parser::Marker::default()) };
                self.extend_entry(end);
            }
            _ => {}
        }
        Ok(())
    }

    fn add(&mut self, node: Node, anchor: usize) -> usize {
        self.nodes.push(node);
        let index = self.nodes.len() - 1;
        if anchor != 0 {
            self.anchors.insert(anchor, index);
        }
        index
    }

    fn open(&mut self, node: Node, style: StructureStyle, anchor: usize, span: Span) -> Result<(), String> {
        let is_flow = matches!(style, StructureStyle::Flow);
        if self.stack.is_empty() {
            if !matches!(node, Node::Mapping(_)) {
                return Err(NO_MAPPING.to_owned());
            }
            self.is_flow_root = is_flow;
        }
        if self.stack.len() >= MAX_DEPTH {
            return Err(format!("is nested deeper than {MAX_DEPTH} levels"));
        }
        let node = self.add(node, anchor);
        self.attach(node, span)?;
        self.stack.push(Frame { node, key: None, is_flow });
        Ok(())
    }

    /// Hangs a node below the collection that is open.
    fn attach(&mut self, node: usize, span: Span) -> Result<(), String> {
        let depth = self.stack.len();
        let Some(frame) = self.stack.last_mut() else { return Ok(()) };
        let key = match self.nodes.get(frame.node) {
            Some(Node::Mapping(_)) => match frame.key.take() {
                Some(key) => Some(key),
                None => {
                    frame.key = Some(node);
                    return if depth == 1 { self.begin_entry(node, span) } else { Ok(()) };
                }
            },
            _ => None,
        };
        let parent = frame.node;
        if depth == 1
            && let Some(entry) = self.entries.last_mut()
        {
            entry.value = node;
        }
        match (self.nodes.get_mut(parent), key) {
            (Some(Node::Mapping(pairs)), Some(key)) => pairs.push((key, node)),
            (Some(Node::Sequence(items)), _) => items.push(node),
            _ => {}
        }
        Ok(())
    }

    fn begin_entry(&mut self, key: usize, span: Span) -> Result<(), String> {
        let Some(Node::Scalar { text, .. }) = self.nodes.get(key) else {
            return Err("has a key that is no text".to_owned());
        };
        let (start, end) = (self.offset(span.start), self.offset(span.end));
        self.entries.push(MappingEntry { key: text.clone(), start, end, value: key });
        Ok(())
    }

    fn extend_entry(&mut self, span: Span) {
        let end = self.offset(span.end);
        if let Some(entry) = self.entries.last_mut() {
            entry.end = entry.end.max(end);
        }
    }

    fn offset(&self, marker: granit_parser::Marker) -> usize {
        marker.byte_offset().unwrap_or(0).min(self.text.len())
    }

    fn finish(self) -> Result<Mapping, String> {
        let begins_line = |start: usize| start == 0 || self.text.as_bytes().get(start - 1) == Some(&b'\n');
        let is_block = !self.is_flow_root && self.entries.iter().all(|entry| begins_line(entry.start));
        Ok(Mapping { nodes: self.nodes, anchors: self.anchors, entries: self.entries, is_block })
    }
}

const NO_MAPPING: &str = "is no mapping of keys to values";

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<(String, Value)> {
        let mapping = Mapping::parse(text).unwrap();
        mapping.entries.iter().map(|entry| (entry.key.clone(), mapping.text_value(entry).unwrap())).collect()
    }

    #[test]
    fn scalars_are_texts_as_they_are_spelt() {
        let text = "a: 1.10\nb: 'x: y'\nc:\nd: ~\ne: [yes, 007]\nf:\n  - - z\n  - k: v\ng: &n N\nh: *n\n";
        let expected: Vec<(String, Value)> = [
            ("a", serde_json::json!("1.10")),
            ("b", serde_json::json!("x: y")),
            ("c", Value::Null),
            ("d", Value::Null),
            ("e", serde_json::json!(["yes", "007"])),
            ("f", serde_json::json!([["z"], {"k": "v"}])),
            ("g", serde_json::json!("N")),
            ("h", serde_json::json!("N")),
        ]
        .map(|(key, value)| (key.to_owned(), value))
        .into();
        assert_eq!(keys(text), expected);
    }

    #[test]
    fn line_breaks_that_end_a_block_are_no_part_of_it() {
        let text = "a: >\n  one\n  two\n\nb: |+\n  one\n  two\n\nc: >-\n  one\nd: \"one\\n\"\n";
        let values: Vec<Value> = keys(text).into_iter().map(|(_, value)| value).collect();
        assert_eq!(values, ["one two", "one\ntwo", "one", "one\n"].map(Value::from));
        let mapping = Mapping::parse(text).unwrap();
        assert_eq!(mapping.entry_line(&mapping.entries[0]).unwrap(), "a: \"one two\\n\"\n", "what is kept stays exact");
    }

    #[test]
    fn what_is_no_mapping_is_refused() {
        for (text, reason) in [
            ("- a\n", "no mapping"),
            ("prose\n", "no mapping"),
            ("a: [\n", "valid YAML"),
            ("a: *x\n", "valid YAML"),
            ("a: b\n---\nc: d\n", "several documents"),
            ("? [x]\n: y\n", "no text"),
            ("\"\u{1}", "valid YAML"),
        ] {
            let error = Mapping::parse(text).err().unwrap();
            assert!(error.contains(reason), "{text:?}: {error}");
        }
        for text in ["", "# only a comment\n", "\n\n"] {
            assert!(Mapping::parse(text).unwrap().entries.is_empty(), "{text:?}");
        }
    }

    #[test]
    fn an_alias_bomb_stays_small_and_a_loop_ends() {
        let mut bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for (one, other) in ('a'..'i').zip('b'..='i') {
            bomb += &format!(
                "{other}: &{other} [*{one}, *{one}, *{one}, *{one}, *{one}, *{one}, *{one}, *{one}, *{one}]\n"
            );
        }
        let mapping = Mapping::parse(&bomb).unwrap();
        let last = mapping.entries.last().unwrap();
        assert_eq!(mapping.text_value(last), None);
        assert!(mapping.text_value(&mapping.entries[1]).is_some());
        if let Ok(mapping) = Mapping::parse("a: &a [*a]\n") {
            assert_eq!(mapping.text_value(&mapping.entries[0]), None);
        }
    }

    #[test]
    fn nesting_and_size_are_bounded() {
        assert!(Mapping::parse(&format!("a: {}", "[".repeat(60_000))).is_err());
        assert!(Mapping::parse(&format!("a: {}{}", "[".repeat(70), "]".repeat(70))).is_err());
        assert!(Mapping::parse(&format!("a: {}", "x".repeat(MAX_BYTES))).is_err());
        for hostile in ["- ", "? ", ": ", "a: ", "{", "[", "&a ", "!t ", "* ", "\"", "|\n", "%\n", "\t"] {
            let _ = Mapping::parse(&hostile.repeat(MAX_BYTES / hostile.len()));
        }
    }
}
