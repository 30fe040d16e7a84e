//! The filter `pprint`: Python's `pprint.pformat`, in lines of 80 characters where that is possible.

use std::fmt;

use minijinja::value::ValueKind;
use minijinja::{Error, State, Value};

use super::text::with_sorted_keys;
use crate::meter::{BYTES_PER_VALUE, Meter};
use crate::metered_text::repr_of;
use crate::python::{check_defined, ends_line, is_plain_map, is_tuple, lines_with_ends, write_quoted};

const WIDTH: usize = 80;

pub(crate) fn pprint(state: &mut State<'_, '_>, value: &Value) -> Result<String, Error> {
    check_defined(state, value)?;
    let meter = Meter::from_state(state);
    // Each container is copied, with its keys in order.
    let weight = meter.weigh(value)?;
    meter.spend_made(weight.values.saturating_mul(2 * BYTES_PER_VALUE))?;
    let mut printer = Printer { meter, out: String::new() };
    printer.value(&with_sorted_keys(value), Room { indent: 0, after: 0, level: 0 })?;
    Ok(printer.out)
}

struct Printer<'m> {
    meter: &'m mut Meter,
    out: String,
}

/// Where a value is printed.
#[derive(Clone, Copy)]
struct Room {
    /// Characters before it.
    indent: usize,
    /// Characters that have to follow it in its last line.
    after: usize,
    /// Containers that it is in.
    level: usize,
}

impl Printer<'_> {
    fn value(&mut self, value: &Value, room: Room) -> Result<(), Error> {
        let repr = repr_of(self.meter, value)?;
        // Each container that it is in has printed it before, to see whether it fits.
        self.meter.spend_steps(repr.len() as u64 / 4)?;
        if repr.chars().count() + room.indent + room.after <= WIDTH {
            self.out.push_str(&repr);
            return Ok(());
        }
        let inside =
            |closing: usize| Room { indent: room.indent + 1, after: room.after + closing, level: room.level + 1 };
        match value.as_object() {
            Some(object) if is_plain_map(object) => {
                self.out.push('{');
                self.pairs(object.try_iter_pairs().into_iter().flatten().collect(), inside(1))?;
                self.out.push('}');
            }
            Some(object) if matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable) => {
                let items: Vec<Value> = object.try_iter().into_iter().flatten().collect();
                let (open, close) = match (is_tuple(value), items.len()) {
                    (true, 1) => ("(", ",)"),
                    (true, _) => ("(", ")"),
                    (false, _) => ("[", "]"),
                };
                self.out.push_str(open);
                self.items(&items, inside(close.len()))?;
                self.out.push_str(close);
            }
            _ => match value.as_str() {
                Some(text) if !text.is_empty() => self.text(text, room)?,
                _ => self.out.push_str(&repr),
            },
        }
        Ok(())
    }

    fn pairs(&mut self, pairs: Vec<(Value, Value)>, room: Room) -> Result<(), Error> {
        let last = pairs.len().saturating_sub(1);
        for (index, (key, value)) in pairs.into_iter().enumerate() {
            let key = repr_of(self.meter, &key)?;
            self.out.push_str(&key);
            self.out.push_str(": ");
            let indent = room.indent + key.chars().count() + 2;
            self.value(&value, Room { indent, after: if index == last { room.after } else { 1 }, ..room })?;
            if index < last {
                self.out.push(',');
                self.line(room.indent)?;
            }
        }
        Ok(())
    }

    fn items(&mut self, items: &[Value], room: Room) -> Result<(), Error> {
        let last = items.len().saturating_sub(1);
        for (index, item) in items.iter().enumerate() {
            self.value(item, Room { after: if index == last { room.after } else { 1 }, ..room })?;
            if index < last {
                self.out.push(',');
                self.line(room.indent)?;
            }
        }
        Ok(())
    }

    /// A long text is printed in pieces, each in quotes; outside of containers they are in brackets.
    fn text(&mut self, text: &str, room: Room) -> Result<(), Error> {
        let outside = usize::from(room.level == 0);
        let (indent, after) = (room.indent + outside, room.after + outside);
        let pieces = pieces(self.meter, text, WIDTH.saturating_sub(indent), after)?;
        if let [only] = pieces.as_slice() {
            self.out.push_str(only);
            return Ok(());
        }
        self.out.push_str(if outside == 1 { "(" } else { "" });
        for (index, piece) in pieces.iter().enumerate() {
            if index > 0 {
                self.line(indent)?;
            }
            self.out.push_str(piece);
        }
        self.out.push_str(if outside == 1 { ")" } else { "" });
        Ok(())
    }

    fn line(&mut self, indent: usize) -> Result<(), Error> {
        self.meter.spend_made(indent as u64)?;
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n(' ', indent));
        Ok(())
    }
}

/// What a piece takes beside its text, and a line or word while it is looked at.
const BYTES_PER_PIECE: u64 = 64;

/// A text's lines, and the words of those that are too long, in quotes.
fn pieces(meter: &mut Meter, text: &str, width: usize, after: usize) -> Result<Vec<String>, Error> {
    // A word is quoted again with each word that follows it in its line.
    meter.spend_steps(text.len() as u64)?;
    let ends = text.matches(|c: char| c.is_whitespace() || ends_line(c)).count() as u64;
    meter.spend_made((ends + 1).saturating_mul(BYTES_PER_PIECE))?;
    let mut quoted = |part: &str| repr_of(meter, &Value::from(part));
    let lines: Vec<&str> = lines_with_ends(text).collect();
    let mut pieces = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let is_last = index + 1 == lines.len();
        if quoted_length(line) <= width.saturating_sub(if is_last { after } else { 0 }) {
            pieces.push(quoted(line)?);
            continue;
        }
        let words = words_with_blanks(line);
        let (mut current, mut length) = (String::new(), 0);
        for (position, word) in words.iter().enumerate() {
            let room = width.saturating_sub(if is_last && position + 1 == words.len() { after } else { 0 });
            let word_length = word.chars().count();
            // What is longer than the line already needs no exact length.
            let fits = length + word_length <= width && quoted_length(&[current.as_str(), word].concat()) <= room;
            if fits {
                current.push_str(word);
                length += word_length;
                continue;
            }
            if !current.is_empty() {
                pieces.push(quoted(&current)?);
            }
            current = (*word).to_owned();
            length = word_length;
        }
        if !current.is_empty() {
            pieces.push(quoted(&current)?);
        }
    }
    Ok(pieces)
}

/// The characters of a text in quotes.
fn quoted_length(text: &str) -> usize {
    struct Length(usize);
    impl fmt::Write for Length {
        fn write_str(&mut self, piece: &str) -> fmt::Result {
            self.0 += piece.chars().count();
            Ok(())
        }
    }
    let mut length = Length(0);
    // Counting does not fail.
    let _ = write_quoted(&mut length, text);
    length.0
}

/// Words, each with the blanks after it.
fn words_with_blanks(line: &str) -> Vec<&str> {
    let (mut words, mut start, mut after_blank) = (Vec::new(), 0, false);
    for (offset, c) in line.char_indices() {
        if after_blank && !c.is_whitespace() {
            words.push(&line[start..offset]);
            start = offset;
        }
        after_blank = c.is_whitespace();
    }
    words.push(&line[start..]);
    words
}
