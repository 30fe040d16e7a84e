//! The meter of one rendering: its fuel (steps) and the limits of the bytes that it makes and writes.
//!
//! The engine counts its own instructions, but a single one of them can copy a megabyte or compare two trees. So every
//! value is weighed before something is done with it that takes longer, or more memory, the larger the value is.

use minijinja::value::{DynObject, ObjectRepr};
use minijinja::{Error, ErrorKind, State, Value};

/// Values visited, containers counted as 4, and 16ths of the bytes of their text: below a second of work.
const MAX_STEPS: u64 = 8_000_000;
/// Bytes of all values that are made, whether they live on or not.
const MAX_MADE_BYTES: u64 = 64 * 1024 * 1024;
/// Bytes that are written, what `set` blocks, `call` blocks, `filter` blocks and macros capture included. It is more
/// than the largest template, so that any text can be a prompt.
pub(crate) const MAX_WRITTEN_BYTES: u64 = 16 * 1024 * 1024;
/// Containers inside one another. JSON parsers stop at 128, so that no argument is refused here.
const MAX_DEPTH: usize = 130;
/// What a value takes beside its text, at most: in a list, or as digits.
pub(crate) const BYTES_PER_VALUE: u64 = 24;

/// The budget that is left of a rendering's limits.
pub(crate) struct Meter {
    steps: u64,
    made: u64,
    written: u64,
}

/// The size of a value with all that is in it; what is in it twice counts twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Weight {
    /// Values.
    pub(crate) values: u64,
    /// Bytes of text.
    pub(crate) text: u64,
    /// Containers inside one another.
    pub(crate) depth: usize,
}

impl Weight {
    /// The most bytes that it takes when it is printed.
    pub(crate) fn printed(self) -> u64 {
        // Strings inside of containers are quoted and escaped.
        let escape = if self.depth == 0 { 1 } else { 8 };
        self.text.saturating_mul(escape).saturating_add(self.values.saturating_mul(BYTES_PER_VALUE))
    }
}

impl Meter {
    /// The meter of this rendering.
    pub(crate) fn from_state<'s>(state: &'s mut State<'_, '_>) -> &'s mut Meter {
        state.get_or_insert_extension_with(Meter::full)
    }

    /// The meter that a rendering begins with.
    pub(crate) fn full() -> Meter {
        Meter { steps: MAX_STEPS, made: MAX_MADE_BYTES, written: MAX_WRITTEN_BYTES }
    }

    /// Visits all of a value.
    pub(crate) fn weigh(&mut self, value: &Value) -> Result<Weight, Error> {
        let mut weight = Weight::default();
        self.visit(value, 0, &mut weight)?;
        Ok(weight)
    }

    fn visit(&mut self, value: &Value, depth: usize, weight: &mut Weight) -> Result<(), Error> {
        let text = value.as_bytes().map_or(0, <[u8]>::len) as u64;
        weight.values += 1;
        weight.text += text;
        let Some(object) = value.as_object() else { return self.spend_steps(1 + text / 16) };
        self.spend_steps(4)?;
        weight.depth = weight.depth.max(depth + 1);
        if depth >= MAX_DEPTH {
            return Err(failure(format!("a value is nested more than {MAX_DEPTH} levels deep")));
        }
        // Most are plain lists, and these need no iterator of their own.
        if let Some(list) = object.downcast_ref::<Vec<Value>>() {
            return list.iter().try_for_each(|item| self.visit(item, depth + 1, weight));
        }
        match object.repr() {
            ObjectRepr::Map => {
                for (key, value) in object.try_iter_pairs().into_iter().flatten() {
                    self.visit(&key, depth + 1, weight)?;
                    self.visit(&value, depth + 1, weight)?;
                }
            }
            ObjectRepr::Seq | ObjectRepr::Iterable => {
                for item in object.try_iter().into_iter().flatten() {
                    self.visit(&item, depth + 1, weight)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    pub(crate) fn spend_steps(&mut self, steps: u64) -> Result<(), Error> {
        spend(&mut self.steps, steps, || "the rendering takes too many steps".to_owned())
    }

    /// Before a value of so many bytes is made.
    pub(crate) fn spend_made(&mut self, bytes: u64) -> Result<(), Error> {
        spend(&mut self.made, bytes, || {
            format!("the values that the template makes are larger than {MAX_MADE_BYTES} bytes")
        })
    }

    /// Before so many bytes are written.
    pub(crate) fn spend_written(&mut self, bytes: u64) -> Result<(), Error> {
        spend(&mut self.written, bytes, || format!("the template writes more than {MAX_WRITTEN_BYTES} bytes"))
    }
}

fn spend(left: &mut u64, amount: u64, failed: impl FnOnce() -> String) -> Result<(), Error> {
    match left.checked_sub(amount) {
        Some(rest) => {
            *left = rest;
            Ok(())
        }
        None => {
            *left = 0;
            Err(failure(failed()))
        }
    }
}

pub(crate) fn failure(detail: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidOperation, detail.into())
}

/// The bytes of a container's own lists, those of the containers directly in it included.
pub(crate) fn container_bytes(value: &Value) -> u64 {
    let length = |object: &DynObject| object.enumerator_len().unwrap_or(0) as u64;
    let Some(object) = value.as_object() else { return 0 };
    let inner = object.try_iter().into_iter().flatten().filter_map(|item| item.as_object().map(length));
    (length(object) + inner.sum::<u64>()) * BYTES_PER_VALUE
}
