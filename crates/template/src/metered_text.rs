//! Text that is charged to the [`Meter`] while it is made, so that it never grows beyond what is left.

use std::fmt::{self, Write};

use minijinja::{Error, Value};

use crate::meter::{Meter, failure};
use crate::python::{write_html, write_repr, write_text};

/// What bytes are charged to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Budget {
    /// The values that are made.
    Made,
    /// The text that is written.
    Written,
}

/// A writer that charges for every piece before it passes it on.
pub(crate) struct MeteredText<'m, W> {
    meter: &'m mut Meter,
    budget: Budget,
    out: W,
    /// Why the last piece was refused; [`fmt::Error`] says nothing.
    refusal: Option<Error>,
}

impl<'m> MeteredText<'m, String> {
    /// A new text, charged as a value that is made.
    pub(crate) fn new(meter: &'m mut Meter) -> Self {
        MeteredText::onto(meter, Budget::Made, String::new())
    }
}

impl<'m, W: Write> MeteredText<'m, W> {
    pub(crate) fn onto(meter: &'m mut Meter, budget: Budget, out: W) -> Self {
        MeteredText { meter, budget, out, refusal: None }
    }

    pub(crate) fn push_str(&mut self, piece: &str) -> Result<(), Error> {
        let bytes = piece.len() as u64;
        match self.budget {
            Budget::Made => self.meter.spend_made(bytes)?,
            Budget::Written => self.meter.spend_written(bytes)?,
        }
        self.out.write_str(piece).map_err(|fmt::Error| failure("the text cannot be written"))
    }

    pub(crate) fn push(&mut self, c: char) -> Result<(), Error> {
        self.push_str(c.encode_utf8(&mut [0; 4]))
    }

    /// What was written to, or why it was not written to the end.
    pub(crate) fn finish(self, outcome: fmt::Result) -> Result<W, Error> {
        match (self.refusal, outcome) {
            (Some(refusal), _) => Err(refusal),
            (None, Err(fmt::Error)) => Err(failure("the text cannot be written")),
            (None, Ok(())) => Ok(self.out),
        }
    }
}

impl<W: Write> Write for MeteredText<'_, W> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        self.push_str(piece).map_err(|refusal| {
            self.refusal.get_or_insert(refusal);
            fmt::Error
        })
    }
}

fn made(meter: &mut Meter, write: impl FnOnce(&mut MeteredText<'_, String>) -> fmt::Result) -> Result<String, Error> {
    let mut text = MeteredText::new(meter);
    let outcome = write(&mut text);
    text.finish(outcome)
}

/// `str(value)`: what a template prints.
pub(crate) fn text_of(meter: &mut Meter, value: &Value) -> Result<String, Error> {
    made(meter, |text| write_text(text, value))
}

/// `repr(value)`: as it is printed inside of a list.
pub(crate) fn repr_of(meter: &mut Meter, value: &Value) -> Result<String, Error> {
    made(meter, |text| write_repr(text, value))
}

/// A value as HTML: what is marked as safe stays as it is.
pub(crate) fn html_of(meter: &mut Meter, value: &Value) -> Result<String, Error> {
    made(meter, |text| write_html(text, value))
}
