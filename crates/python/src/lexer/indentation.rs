//! Indentation: the open blocks, by CPython's rules of tabs and spaces.

/// CPython refuses the hundredth.
const MAX_LEVELS: usize = 99;

/// How far a line is indented, with tabs that reach the next multiple of 8 and with tabs of one column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Indent {
    column: usize,
    narrow: usize,
}

impl Indent {
    pub(super) fn spaces(&mut self, count: usize) {
        self.column += count;
        self.narrow += count;
    }

    pub(super) fn tab(&mut self) {
        self.column = (self.column / 8 + 1) * 8;
        self.narrow += 1;
    }
}

/// The blocks that are open.
#[derive(Default)]
pub(super) struct Indentation {
    levels: Vec<Indent>,
}

impl Indentation {
    /// A logical line begins.
    pub(super) fn line(&mut self, indent: Indent) -> Result<(), String> {
        while self.current().column > indent.column {
            self.levels.pop();
            if self.current().column < indent.column {
                return Err("unindent does not match any outer indentation level".to_owned());
            }
        }
        let current = self.current();
        if indent.column > current.column {
            if indent.narrow <= current.narrow {
                return Err(Indentation::mixed());
            }
            if self.levels.len() >= MAX_LEVELS {
                return Err(format!("more than {MAX_LEVELS} levels of indentation"));
            }
            self.levels.push(indent);
        } else if indent.narrow != current.narrow {
            return Err(Indentation::mixed());
        }
        Ok(())
    }

    fn current(&self) -> Indent {
        self.levels.last().copied().unwrap_or_default()
    }

    fn mixed() -> String {
        "inconsistent use of tabs and spaces in indentation".to_owned()
    }
}
