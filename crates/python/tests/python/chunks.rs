//! A long module is parsed in chunks, and judged as if it were not.

use interline_python::{CheckedModule, CodeError};

use super::check;

/// Longer than a chunk: the next line that may begin one does.
const LONG: usize = 40_000;

/// Code whose lines can all have a comment before them.
const SAMPLES: &[&str] = &[
    "if a:\n    b = 1\nelif c:\n    d = 1\nelse:\n    e = 1\nf = 1\n",
    "if a: b = 1\nelif c: d = 1\nelse: e = 1\n",
    "try:\n    a\nexcept A:\n    b\nelse:\n    c\nfinally:\n    d\n",
    "try: a\nexcept* A: b\n",
    "for a in b:\n    break\nelse:\n    c\nwhile d:\n    continue\nelse:\n    e\n",
    "with a as b:\n    c\nmatch d:\n    case [e]:\n        f\n    case _:\n        g\nelsewhere = 1\n",
    "@a\n@b\n\n# c\ndef d(): pass\n@e\nclass F: pass\n@g\nasync def h(): await i\n",
    "@workflow(name=\"A\")\ndef a():\n    \"A.\"\n\nx = 1\n\n@sdk.tool\ndef b(c: int = 1): pass\n",
    "\"Doc.\"\nfrom __future__ import annotations\nfrom __future__ import division\nimport a\ndef f(b: c): pass\n",
    "r'Doc.'\nfrom __future__ import annotations\na = 1\ndef f(b: c): pass\n",
    "('Doc.')\nfrom __future__ import annotations\nfrom a import b\nfrom c import d\nimport e\nf = 1\n",
    "global a\na = 1\ndef f():\n    global a\n    a = 2\nb = 1\n",
    "import a\r\ndef f():\r\n    return a\r\nx = f()\r\n",
    "x: int = 1\ndef f():\n    global x\n    x = 2\nif (y := x): pass\nclass C:\n    __a = 1\n    def f(self): return __a\n",
    "(a,\n b)\n[c]\n-d\n'e'\n*f, = g\n...\n",
    "type A[T] = list[T]\ndef f[T](a: T): pass\nclass C[T]: pass\n",
    "a = 1; b = 2\n\x0cc = 3\n",
    // What is refused, by the scan, by the parser and by what is known of names.
    "a = 1\n@b\nc = 1\nd = 1\n",
    "a = 1\n@b\n",
    "a = 1\nelse:\n    b\n",
    "a = 1\nexcept A:\n    b\n",
    "if a:\nb = 1\nc = 1\n",
    "def f():\n\nclass C:\n",
    "try:\n    a\nb = 1\n",
    "a = 1\n    b = 1\nc = 1\n",
    "if a:\n        b\n    c\n",
    "a = (1\nb = 2)\n",
    "a = 1\nb = = 2\nc = 3\n",
    "import a\nfrom __future__ import annotations\n",
    "a = 1\nfrom __future__ import nothing\n",
    "from __future__ import annotations\nimport a\ndef f(b: (yield)): pass\n",
    "a = 1\nglobal a\n",
    "def f():\n    a = 1\n    global a\nb = 1\n",
    "a = 1\ndef f():\n    nonlocal a\n",
    "a = 1\nb: int = 2\nglobal b\n",
    "return\na = 1\nb = = 2\n",
    "a = 1\nglobal a\nreturn 1\n",
    "a = 1\nfor b in c:\n    global a\nreturn 1\n",
    "a = 1\nreturn a\n",
    "a = 1\nbreak\nawait b\n",
    "import a\nx = [(y := z) for y in a]\n",
    "a = 1\nclass C:\n    [(b := c) for d in e]\n",
];

#[test]
fn a_long_comment_anywhere_changes_nothing_but_lines() {
    let comment = format!("#{}\n", "-".repeat(LONG));
    for sample in SAMPLES {
        let whole = check(sample);
        let lines: Vec<&str> = sample.split_inclusive('\n').collect();
        for at in 0..=lines.len() {
            let commented = [&lines[..at].concat(), comment.as_str(), &lines[at..].concat()].concat();
            let mut moved = moved(&whole, |line| line + usize::from(line > at));
            // What is missing at the end is missing after the comment.
            if let Err(error) = &mut moved
                && at == lines.len()
                && (error.line, error.column) == (at, lines[at - 1].len())
            {
                (error.line, error.column) = (at + 1, comment.len());
            }
            assert_eq!(check(&commented), moved, "a comment before line {}:\n{sample}", at + 1);
        }
    }
}

#[test]
fn many_long_comments_change_nothing_but_lines() {
    let comment = format!("#{}\n", "-".repeat(LONG));
    for sample in SAMPLES {
        let lines = sample.split_inclusive('\n').count();
        let commented: String = sample.split_inclusive('\n').flat_map(|line| [comment.as_str(), line]).collect();
        let moved = moved(&check(sample), |line| line + line.min(lines));
        assert_eq!(check(&commented), moved, "{sample}");
    }
}

#[test]
fn the_samples_are_judged_both_ways() {
    let accepted = SAMPLES.iter().take_while(|sample| check(sample).is_ok()).count();
    assert_eq!(accepted, 17);
    assert!(SAMPLES[accepted..].iter().all(|sample| check(sample).is_err()));
}

/// What is found where each line is another.
fn moved(found: &Result<CheckedModule, CodeError>, line: impl Fn(usize) -> usize) -> Result<CheckedModule, CodeError> {
    let mut found = found.clone();
    match &mut found {
        Ok(checked) => checked.functions.iter_mut().for_each(|function| function.line = line(function.line)),
        Err(error) => error.line = line(error.line),
    }
    found
}
