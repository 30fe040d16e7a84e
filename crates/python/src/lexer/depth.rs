//! The depth limit: how deep the syntax tree of a logical line can be, counted from its tokens.

/// Levels that an expression's tree may have. Real code has a few hundred; CPython itself gives up at some thousands.
pub(super) const MAX_LEVELS: u16 = 2_000;

/// How tightly an operator binds, the loosest first.
#[derive(Clone, Copy)]
pub(super) enum Binding {
    /// `lambda`, `if`, `else`, `yield`, `not`, stars before an operand, and whatever else may take all that follows into
    /// itself, at least where the parser recovers from an error.
    All,
    /// `and`, `or`, comparisons.
    Comparison,
    /// `|`, `^`, `&`, shifts.
    Bits,
    Sum,
    Product,
    /// `**`, and signs before an operand.
    Power,
    /// Attributes, calls, subscripts.
    Postfix,
}

const BINDINGS: usize = 7;

/// An upper bound of the levels of the expression that is being read, in the bracket that is innermost.
///
/// Brackets are bounded by CPython's rule. What nests without them is not: `a.b.b.b…`, `1 + 1 + …`, `not not …`,
/// `lambda: lambda: …`. Each such link makes the tree one level deeper, and whatever walks the tree, dropping it
/// included, takes a stack frame for each level. Links that bind more tightly are inside one operand of a looser one, so
/// of `a*b + c*d` only the longest product counts.
#[derive(Default)]
pub(super) struct DepthCounter {
    // No number here comes far past the limit, which ends the lexer.
    /// Links of each binding since the last looser one between two operands.
    links: [u16; BINDINGS],
    /// The most that there were.
    most: [u16; BINDINGS],
    /// Their sum.
    levels: u16,
    /// Levels of the deepest bracket that was closed in it.
    deepest: u16,
    /// Levels of the deepest expression before a comma.
    earlier: u16,
    /// `lambda`s whose colon is still to come: commas between their parameters separate nothing.
    lambdas: u16,
}

/// The tree would be too deep.
pub(super) struct TooDeep;

impl TooDeep {
    pub(super) fn message() -> String {
        format!("an expression has more than {MAX_LEVELS} links (operators, attributes, calls)")
    }
}

impl DepthCounter {
    /// A token that nests the operands on both of its sides.
    pub(super) fn between(&mut self, binding: Binding) -> Result<(), TooDeep> {
        for (tighter, links) in self.links.iter_mut().enumerate() {
            if tighter > binding as usize {
                *links = 0;
            }
        }
        self.before(binding)
    }

    /// A token that nests the operand that follows, or the one that it follows.
    pub(super) fn before(&mut self, binding: Binding) -> Result<(), TooDeep> {
        let index = binding as usize;
        self.links[index] += 1;
        if self.links[index] > self.most[index] {
            self.most[index] = self.links[index];
            self.levels += 1;
        }
        self.bounded()
    }

    pub(super) fn lambda(&mut self) -> Result<(), TooDeep> {
        self.lambdas += 1;
        self.before(Binding::All)
    }

    /// Of a lambda, a slice, an entry or a block.
    pub(super) fn colon(&mut self) -> Result<(), TooDeep> {
        self.lambdas = self.lambdas.saturating_sub(1);
        self.before(Binding::All)
    }

    /// A comma: the operand that follows stands beside the one before.
    pub(super) fn comma(&mut self) {
        if self.lambdas == 0 {
            *self = DepthCounter { earlier: self.earlier.max(self.levels + self.deepest), ..DepthCounter::default() };
        }
    }

    /// A bracket inside of it was closed.
    pub(super) fn close(&mut self, inner: &DepthCounter) -> Result<(), TooDeep> {
        self.deepest = self.deepest.max(inner.earlier.max(inner.levels + inner.deepest) + 1);
        self.bounded()
    }

    fn bounded(&self) -> Result<(), TooDeep> {
        if self.levels + self.deepest > MAX_LEVELS { Err(TooDeep) } else { Ok(()) }
    }
}
