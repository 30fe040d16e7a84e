//! Edits of the damaging classes with the result that each must have, in both modes of line endings.

/// Content, `old_str`, `new_str`, and the result; `None` where the edit must be refused.
pub(crate) type Example = (&'static str, &'static str, &'static str, Option<&'static str>);

/// Quotes, dashes and blanks that the document has.
pub(crate) const OF_THE_DOCUMENT: [Example; 14] = [
    ("“Hello world”", "\"Hello world\"", "\"Hello everyone\"", Some("“Hello everyone”")),
    ("“a”", "\"a\"", "\"A\"", Some("\"A\"")),
    ("say ‘hi there’ now", "say 'hi there' now", "say 'hi you' now", Some("say ‘hi you’ now")),
    ("„Hallo Welt“ sagt", "\"Hallo Welt\" sagt", "\"Hallo Leute\" sagt", Some("„Hallo Leute“ sagt")),
    ("“He said ‘go on’ now”", "\"He said 'go on' now\"", "\"He said 'go up' then\"", Some("“He said ‘go up’ then”")),
    (
        "the students’ books are old",
        "the students' books are old",
        "the students' books are new",
        Some("the students’ books are new"),
    ),
    ("“Hello world”", "\"Hello world\"", "\"Hello\" world\"", Some("\"Hello\" world\"")),
    ("// total — net", "// total - net", "total - net;", Some("total - net;")),
    ("x = a; // total — net", "x = a; // total - net", "x = a; total - net;", Some("x = a; total - net;")),
    ("say(\"wait — now\")", "say(\"wait - now\")", "say(wait - now)", Some("say(wait - now)")),
    ("# echo “done” now", "# echo \"done\" now", "echo \"done\" now", Some("echo \"done\" now")),
    ("wait — now", "wait - now", "Then wait - now", Some("Then wait — now")),
    ("REM total — net", "REM total - net", "total - net", Some("total - net")),
    ("# a\u{A0}= 1", "# a = 1", "a = 1", None),
];

/// Typography that only the request has.
pub(crate) const OF_THE_REQUEST: [Example; 3] = [
    ("it's a - b", "it’s a — b", "it’s a — c", Some("it's a - c")),
    (
        "if x == \"a\":\n    print('b - c')\n",
        "if x == “a”:\n\u{A0}\u{A0}\u{A0}\u{A0}print(‘b – c’)\n",
        "if x == “b”:\n\u{A0}\u{A0}\u{A0}\u{A0}print(‘b – d…’)\n",
        Some("if x == \"b\":\n    print('b - d…')\n"),
    ),
    ("// don’t\nx = 'a'", "// don’t\nx = ‘a’", "// don’t\nx = ‘b’", Some("// don’t\nx = 'b'")),
];

/// Lines without their indentation, or a part of it.
pub(crate) const OF_INDENTATION: [Example; 10] = [
    ("function f() {\r\n    a();\r\n}\r\n", "a();\n", "a();\n}\nfunction g() {\n    b();\n", None),
    ("def f():\r\n    x = 1\r\n", "x = 1\n", "x = 1\n\nclass B:\n    z = 1\n", None),
    ("if x:\r\n    a()\r\n", "a()\n", "a()\nelse:\n    b()\n", None),
    (
        "def f():\r\n    a = 1\r\n",
        "a = 1\n",
        "a = 1\nif a:\n    go()\nelse:\n    no()\n",
        Some("def f():\r\n    a = 1\r\n    if a:\r\n        go()\r\n    else:\r\n        no()\r\n"),
    ),
    ("def f():\r\n    a()\r\n", "  a()\n", "  a()\n    b()\n", None),
    ("def f():\r\n    a()\r\n", "  a()\n", "  a()\n  b()\n", Some("def f():\r\n    a()\r\n    b()\r\n")),
    ("def f():\r\n    a()\r\n    b()\r\n", "a()\n    b()", "new()\na()\n    b()", None),
    ("def f():\r\n    a()\r\n    b()\r\n", "a()\n    b()", "    b()", None),
    ("def f():\r\n    a()\r\n", "a() ", "    b()", None),
    // A line of blanks and a `\r` is no evidence for spaces.
    (
        "def f():\n\ta()\n    \r\r\nb\n",
        "a() \n",
        "a()\nif a:\n    go()\n",
        Some("def f():\n\ta()\n\tif a:\n\t\tgo()\n    \r\r\nb\n"),
    ),
];

/// Rows of cells between tabs.
pub(crate) const OF_ROWS: [Example; 11] = [
    ("a\tb\tc\n1\t2\t3\n", "1 2 3", "1 2 3\n4 5 6", Some("a\tb\tc\n1\t2\t3\n4\t5\t6\n")),
    ("a\tb\tc\n1\t2\t3\n", "1 2 3", "1 2 3 4", None),
    ("a\tb\tc\n1\t2\t3\n", "1 2 3", "1 2 3\nNew York 5 6", None),
    ("a\tb\tc\n1\t2\t3\n", "1 2 3", "1 2 3\n4\t5\t6", Some("a\tb\tc\n1\t2\t3\n4\t5\t6\n")),
    ("a\tb\tc\n1\t2\t\n", "1 2", "1 3", Some("a\tb\tc\n1\t3\t\n")),
    // What is added beside a row without its empty last cells.
    ("a\tb\tc\r\n1\t2\t\r\n", "a\tb\tc\n1\t2\n", "a\tb\tc\n1\t2\n4\t5\n", None),
    ("  a\tb\tc\n  1\t2\t\n", "a\tb\tc\n1\t2\n", "a\tb\tc\n1\t2\n4\t5\n", None),
    ("  a\tb\tc\n  1\t2\t\n", "a\tb\tc\n1\t2\n", "a\tb\tc\n1\t2\n4\t5\t6\n", Some("  a\tb\tc\n  1\t2\t\n  4\t5\t6\n")),
    ("a\tb\tc\r\n1\t2\t\r\n", "a\tb\tc\n1\t2", "a\tb\tc\n4\t5\n1\t2", None),
    ("a\tb\tc\n1\t2\t\n", "1 2\n", "1 2\n4\t5\n", None),
    ("a\tb\r\nk\t\r\n", "a\tb\nk", "a\tb\nk\nl", None),
];
