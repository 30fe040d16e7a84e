//! Outlines of Markdown: 4 MB as people write it, and texts of nothing but marks.

use interline_edit::markdown_outline;

use super::traps::{Bound, Size, Trap, Trial};

pub(super) const TRAPS: &[Trap] = &[
    linear("outline of 4 MB of Markdown", |size| outlining(PROSE, size)),
    linear("outline of 4 MB of `[`", |size| outlining("[", size)),
    linear("outline of 4 MB of `[a](`", |size| outlining("[a](", size)),
    linear("outline of 4 MB of `>`", |size| outlining(">", size)),
    linear("outline of 4 MB of `*`", |size| outlining("*", size)),
    linear("outline of 4 MB of `*_`", |size| outlining("*_", size)),
    linear("outline of 4 MB of headings of one letter", |size| outlining("# a\n", size)),
];

/// Some of everything that people write.
const PROSE: &str = "\
# Title of a part

Some *text* with `code`, a [link](https://example.org/a) and **more** words in it that
go on over a line or two, as people write.

## A part

- one item with `code`
- another
  - nested, with text

```rust
fn main() {
    println!(\"# not a heading\");
}
```

> a quote
> of two lines

Setext
------

Last words.

";

/// A trap whose time must be linear.
const fn linear(name: &'static str, prepare: fn(Size) -> Trial) -> Trap {
    Trap { name, bound: Bound::Linear, prepare }
}

fn outlining(repeated: &str, size: Size) -> Trial {
    let text = repeated.repeat(size.scale(4_000_000) / repeated.len());
    Trial::new(text.len(), move || format!("{} headings", markdown_outline(&text).len()))
}
