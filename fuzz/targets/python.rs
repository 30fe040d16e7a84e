//! Any text as Python: a verdict with a place in the text, an outline for all that is accepted, and the same verdict when
//! the text is checked in chunks.
#![no_main]

mod large_stack;
mod text_input;

use interline_python::{CheckedModule, CodeError, LargeStack, STACK_BYTES, SdkName, check, outline};
use libfuzzer_sys::fuzz_target;

#[rustfmt::skip]
const TOKENS: &[&str] = &[
    "\n", "\n", "\n", "\n    ", "\n    ", "\n        ", "\n\t", "\r\n", "\r", "\x0c", " ", " ", "  ", ":", ":\n    ", ",",
    ".", ";", "(", ")", "[", "]", "{", "}", "=", "==", ":=", "->", "+", "-", "*", "**", "/", "//", "%", "@", "&", "|",
    "^", "~", "<", ">", "<<", "!=", "...", "\\\n", "\\", "#", "# c\n", "'", "\"", "'''", "\"\"\"", "'a'", "\"b\"", "f'",
    "f'{", "f'{a", "}'", "!r}'", ":>{w}}'", "rb'", "t'", "u'", "r\"", "b''", "0", "1", "0x1f", "1_000", "1.5", "1e9", "1j",
    "0777", "a", "b", "c", "x", "_", "__a", "self", "caf\u{E9}", "\u{AA}", "\u{20AC}", "\u{FEFF}", "\u{A0}", "\0", "def ",
    "def f():\n    ", "def f(a, b=1, *c, d, **e): ", "class ", "class C:\n    ", "class C(a, b=c): ", "async ", "await ",
    "async def f():\n    ", "return ", "yield ", "yield from ", "lambda ", "lambda a: ", "if ", "if a:\n    ", "elif ",
    "else:\n    ", " else ", " if ", "for ", "for a in b:\n    ", " for a in b", " in ", "while ", "while a:\n    ",
    "try:\n    ", "except A:\n    ", "except* A:\n    ", "finally:\n    ", "with ", "with a as b:\n    ", "match ",
    "match a:\n    ", "case ", "case 1:\n        ", "case [a, *b]:\n        ", "case {'a': 1, **b}: ", "case C(a, b=c): ",
    "import ", "import a.b as c\n", "from ", "from a import b\n", "from . import *\n",
    "from __future__ import annotations\n", "global ", "global a\n", "nonlocal ", "nonlocal a\n", "del ", "assert ",
    "raise ", "pass", "pass\n", "break", "continue", " and ", " or ", "not ", " is ", " not in ", "None", "True",
    "type X = ", "type ", "print ", "exec ", "@workflow\n", "@tool(name='A')\n", "@sdk.data_provider(category='b', x=[1])\n",
    "@a.b\n", "\"Doc.\"\n", "def f[T](a: T) -> b: pass\n", "__debug__", "a: int = 1\n",
];

/// Longer than a chunk: the next line that may begin one does.
const LONG: usize = 40_000;

struct FuzzThread;

impl LargeStack for FuzzThread {}

fn checked(source: &str) -> Result<CheckedModule, CodeError> {
    check(source, &SdkName::default(), &FuzzThread)
}

/// The place of an error is in the text, or right after it.
fn assert_place(source: &str, error: &CodeError) {
    let line = source.split('\n').nth(error.line - 1);
    let columns = line.unwrap_or_else(|| panic!("{error} is behind the text")).chars().count() + 1;
    assert!((1..=columns).contains(&error.column) && !error.message.is_empty(), "{error}");
}

fn laws(source: &str, in_chunks: bool) {
    let lines = source.matches('\n').count() + 1;
    let verdict = checked(source);
    match &verdict {
        Ok(module) => assert!(module.functions.iter().all(|function| (1..=lines).contains(&function.line))),
        Err(error) => assert_place(source, error),
    }
    match outline(source, &FuzzThread) {
        Ok(entries) => {
            assert!(entries.is_sorted_by_key(|entry| entry.first_line), "{entries:?}");
            let within = |first: usize, last: usize| 1 <= first && first <= last && last <= lines;
            assert!(entries.iter().all(|entry| within(entry.first_line, entry.last_line)), "{entries:?}");
            assert!(entries.windows(2).all(|pair| pair[1].depth <= pair[0].depth + 1), "{entries:?}");
        }
        // What has no outline is refused for the same reason.
        Err(error) => assert_eq!(verdict.as_ref(), Err(&error)),
    }
    // A byte order mark is one at the start of the text only.
    if in_chunks && !source.starts_with('\u{feff}') {
        let commented = checked(&format!("#{}\n{source}", "-".repeat(LONG)));
        let mut moved = verdict;
        match &mut moved {
            Ok(module) => module.functions.iter_mut().for_each(|function| function.line += 1),
            Err(error) => error.line += 1,
        }
        assert_eq!(commented, moved, "behind a long comment");
    }
}

fuzz_target!(
    init: large_stack::let_panics_unwind(),
    |data: &[u8]| {
        let source = text_input::text(data, TOKENS);
        large_stack::run(STACK_BYTES, &source, || laws(&source, data.len() % 8 == 0));
    }
);
