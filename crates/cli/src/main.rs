//! The `interline` command.

fn main() {}
