//! Composition of edits: two edits, one after the other, as one edit.

use super::{Edit, EditMismatch, Splice};

impl Edit {
    /// This edit and then `next`, which was made for the text after this one, as one edit of the text before both.
    ///
    /// Linear in the two edits, however long the text is. A text that `next` restores stays a splice: only the text could show
    /// that nothing changes there.
    ///
    /// ```
    /// use interline_edit::{Edit, Replace, replace};
    ///
    /// // Each request sees the result of the one before; all of them are one change and one undo.
    /// let before = "one two\n";
    /// let (mut all, mut text) = (Edit::default(), before.to_owned());
    /// for request in [Replace::new("two", "2 + 2"), Replace::new("2 + 2", "four"), Replace::new("one ", "")] {
    ///     let done = replace(&text, &request)?;
    ///     all = all.then(&done.edit)?;
    ///     text = done.edit.apply(&text)?;
    /// }
    /// assert_eq!(text, "four\n");
    /// assert_eq!(all.apply(before)?, text);
    /// assert_eq!(all.splices().len(), 1);
    /// assert_eq!(all.invert(before)?.apply(&text)?, before);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn then(&self, next: &Edit) -> Result<Edit, EditMismatch> {
        let mut composed = Composed::default();
        let mut first = EditSteps::new(self);
        let mut second = EditSteps::new(next);
        while !(first.are_done() && second.are_done()) {
            match (first.now(), second.now()) {
                (EditStep::Remove(bytes), _) => {
                    composed.remove(bytes)?;
                    first.advance(bytes);
                }
                (_, EditStep::Write(text)) => {
                    composed.write(text);
                    second.advance(text.len());
                }
                // Both steps are about the same bytes of the text between the two edits.
                (EditStep::Keep(made), EditStep::Keep(taken)) => {
                    let bytes = made.min(taken);
                    composed.keep(bytes)?;
                    first.advance(bytes);
                    second.advance(bytes);
                }
                (EditStep::Keep(made), EditStep::Remove(taken)) => {
                    let bytes = made.min(taken);
                    composed.remove(bytes)?;
                    first.advance(bytes);
                    second.advance(bytes);
                }
                (EditStep::Write(text), EditStep::Keep(taken)) => {
                    let kept = text.get(..text.len().min(taken)).ok_or(EditMismatch)?;
                    composed.write(kept);
                    first.advance(kept.len());
                    second.advance(kept.len());
                }
                (EditStep::Write(text), EditStep::Remove(taken)) => {
                    let gone = text.get(..text.len().min(taken)).ok_or(EditMismatch)?;
                    first.advance(gone.len());
                    second.advance(gone.len());
                }
            }
        }
        Ok(Edit { splices: composed.splices })
    }
}

/// One step of an edit, from the start of the text to its end.
#[derive(Clone, Copy)]
enum EditStep<'e> {
    /// So many bytes stay.
    Keep(usize),
    /// So many bytes are removed.
    Remove(usize),
    /// This text is written.
    Write(&'e str),
}

/// The steps of an edit; the last one keeps the rest of the text, however long that is.
struct EditSteps<'e> {
    /// The splices that are not done.
    splices: &'e [Splice],
    /// Bytes of the text that were passed.
    position: usize,
    /// Bytes of the first splice's text that were passed: a character boundary.
    written: usize,
}

impl<'e> EditSteps<'e> {
    fn new(edit: &'e Edit) -> EditSteps<'e> {
        EditSteps { splices: &edit.splices, position: 0, written: 0 }
    }

    fn are_done(&self) -> bool {
        self.splices.is_empty()
    }

    fn now(&self) -> EditStep<'e> {
        match self.splices.first() {
            None => EditStep::Keep(usize::MAX),
            Some(splice) if self.position < splice.range.start => EditStep::Keep(splice.range.start - self.position),
            Some(splice) if self.position < splice.range.end => EditStep::Remove(splice.range.end - self.position),
            Some(splice) => EditStep::Write(&splice.text[self.written..]),
        }
    }

    /// Goes on by so many bytes of the present step, at most all of it.
    fn advance(&mut self, bytes: usize) {
        match (self.now(), self.splices) {
            (_, []) => {}
            (EditStep::Keep(_) | EditStep::Remove(_), _) => self.position += bytes,
            (EditStep::Write(text), [_, rest @ ..]) if bytes == text.len() => (self.splices, self.written) = (rest, 0),
            (EditStep::Write(_), _) => self.written += bytes,
        }
    }
}

/// Splices that grow by steps over the text before both edits. Steps with no kept byte between them are one splice.
#[derive(Default)]
struct Composed {
    splices: Vec<Splice>,
    position: usize,
}

impl Composed {
    fn keep(&mut self, bytes: usize) -> Result<(), EditMismatch> {
        self.position = self.position.checked_add(bytes).ok_or(EditMismatch)?;
        Ok(())
    }

    fn remove(&mut self, bytes: usize) -> Result<(), EditMismatch> {
        let end = self.position.checked_add(bytes).ok_or(EditMismatch)?;
        match self.splices.last_mut() {
            Some(last) if last.range.end == self.position => last.range.end = end,
            _ => self.splices.push(Splice { range: self.position..end, text: String::new() }),
        }
        self.position = end;
        Ok(())
    }

    fn write(&mut self, text: &str) {
        match self.splices.last_mut() {
            _ if text.is_empty() => {}
            Some(last) if last.range.end == self.position => last.text.push_str(text),
            _ => self.splices.push(Splice { range: self.position..self.position, text: text.to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;

    fn edit(splices: &[(Range<usize>, &str)]) -> Edit {
        let splice = |(range, text): &(Range<usize>, &str)| Splice { range: range.clone(), text: (*text).to_owned() };
        Edit::new(splices.iter().map(splice).collect()).unwrap()
    }

    #[test]
    fn splices_of_both_edits_are_one_where_they_touch() {
        for (first, second, both) in [
            (edit(&[]), edit(&[]), edit(&[])),
            (edit(&[(1..1, "x")]), edit(&[(1..2, "")]), edit(&[])),
            (edit(&[(1..1, "xyz")]), edit(&[(2..3, "")]), edit(&[(1..1, "xz")])),
            (edit(&[(1..1, "xyz")]), edit(&[(2..2, "-")]), edit(&[(1..1, "x-yz")])),
            (edit(&[(1..3, "x")]), edit(&[(2..3, "y")]), edit(&[(1..4, "xy")])),
            (edit(&[(1..3, "")]), edit(&[(0..2, "")]), edit(&[(0..4, "")])),
            (edit(&[(1..2, "")]), edit(&[(1..1, "y")]), edit(&[(1..2, "y")])),
            (edit(&[(1..2, "x"), (3..4, "y")]), edit(&[(0..4, "z")]), edit(&[(0..4, "z")])),
            (edit(&[(4..5, "x")]), edit(&[(1..2, "y")]), edit(&[(1..2, "y"), (4..5, "x")])),
            (edit(&[(1..2, "long")]), edit(&[(6..7, "y")]), edit(&[(1..2, "long"), (3..4, "y")])),
        ] {
            assert_eq!(first.then(&second), Ok(both), "{first:?} and {second:?}");
        }
    }

    #[test]
    fn an_edit_that_was_made_for_another_text_is_refused() {
        assert_eq!(edit(&[(0..0, "é")]).then(&edit(&[(1..1, "x")])), Err(EditMismatch));
        assert_eq!(edit(&[(0..0, "é")]).then(&edit(&[(0..1, "")])), Err(EditMismatch));
        assert_eq!(edit(&[(0..9, "")]).then(&edit(&[(usize::MAX..usize::MAX, "x")])), Err(EditMismatch));
        assert_eq!(edit(&[(0..9, "")]).then(&edit(&[(0..usize::MAX, "x")])), Err(EditMismatch));
    }
}
