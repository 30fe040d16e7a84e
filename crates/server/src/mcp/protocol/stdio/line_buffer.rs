//! A buffer of bytes that were read and not yet taken as lines, with a limit on the length of a line.

/// The longest message that is read, in bytes.
pub(super) const MAX_MESSAGE_BYTES: usize = 20 * 1024 * 1024;

/// The bytes that were read and not yet taken.
#[derive(Default)]
pub(super) struct LineBuffer {
    pub(super) bytes: Vec<u8>,
    /// Where the bytes begin that are not taken yet.
    start: usize,
    /// Up to where it is known that there is no end of a line.
    searched: usize,
    /// Whether the buffer begins inside a line that is too long.
    is_skipping: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Whole(Vec<u8>),
    TooLong,
}

impl LineBuffer {
    /// Whether more may be read before a line is taken.
    pub(super) fn has_room(&self) -> bool {
        self.bytes.len() - self.start < MAX_MESSAGE_BYTES
    }

    /// The next line, if all of it is there. A line that is too long is reported as soon as that is known.
    pub(super) fn take_line(&mut self) -> Option<Line> {
        loop {
            let end = self.bytes[self.searched..].iter().position(|byte| *byte == b'\n');
            match (end.map(|end| self.searched + end), self.is_skipping) {
                (Some(end), was_skipping) => {
                    let line = self.bytes[self.start..end].to_vec();
                    self.is_skipping = false;
                    self.drop_until(end + 1);
                    if !was_skipping {
                        return Some(Line::Whole(line));
                    }
                }
                (None, was_skipping) => {
                    let is_too_long = !self.has_room();
                    if was_skipping || is_too_long {
                        self.is_skipping = true;
                        self.drop_until(self.bytes.len());
                    }
                    self.searched = self.bytes.len();
                    return (is_too_long && !was_skipping).then_some(Line::TooLong);
                }
            }
        }
    }

    /// Marks the bytes before `start` as taken, and removes taken bytes now and then: to remove them each time would move
    /// the rest of a long input as often as it has lines.
    fn drop_until(&mut self, start: usize) {
        (self.start, self.searched) = (start, start);
        if self.start * 2 >= self.bytes.len() {
            self.bytes.drain(..self.start);
            (self.start, self.searched) = (0, 0);
            self.bytes.shrink_to(64 * 1024);
        }
    }
}
