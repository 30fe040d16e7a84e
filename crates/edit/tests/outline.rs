//! Outlines: what is found, what only looks like it, and where it ends.

use interline_edit::{Language, OutlineEntry, OutlineKind, outline};

/// Each entry as `depth first-last title`.
fn entries(language: Language, text: &str) -> Vec<String> {
    let line =
        |entry: &OutlineEntry| format!("{} {}-{} {}", entry.depth, entry.first_line, entry.last_line, entry.title);
    outline(language, text).iter().map(line).collect()
}

/// The outline, which is the same whatever the line endings.
fn check(language: Language, text: &str, expected: &[&str]) {
    assert_eq!(entries(language, text), expected, "{text}");
    assert_eq!(entries(language, &text.replace('\n', "\r\n")), expected, "with \\r\\n: {text}");
}

fn markdown(text: &str, expected: &[&str]) {
    check(Language::Markdown, text, expected);
}

fn python(text: &str, expected: &[&str]) {
    check(Language::Python, text, expected);
}

#[test]
fn sections_end_before_the_next_heading_of_their_rank() {
    markdown("", &[]);
    markdown("\n", &[]);
    markdown("# a", &["1 1-1 a"]);
    markdown("# a\n", &["1 1-1 a"]);
    markdown("# a\n\n", &["1 1-2 a"]);
    markdown("x\n\n# a\n## b\n\n### c\n## d\nx\n# e\ny\n", &["1 3-8 a", "2 4-6 b", "3 6-6 c", "2 7-8 d", "1 9-10 e"]);
    markdown("### a\n# b\n## c", &["3 1-1 a", "1 2-3 b", "2 3-3 c"]);
}

#[test]
fn atx_headings() {
    markdown("#\n", &["1 1-1 "]);
    markdown("#\ta", &["1 1-1 a"]);
    markdown("   ###### six #####", &["6 1-1 six"]);
    markdown("# a #b #", &["1 1-1 a #b"]);
    markdown("# a#", &["1 1-1 a#"]);
    markdown("# a \\#", &["1 1-1 a \\#"]);
    markdown("## ##", &["2 1-1 "]);
    markdown("# `code` *é*  \n", &["1 1-1 `code` *é*"]);
    markdown("text\n# a\ntext", &["1 2-3 a"]);
    markdown("\u{feff}# a", &["1 1-1 a"]);
    for text in ["#a", "####### a", "    # a", "\t# a", "\\# a", "x # a", "#hashtag"] {
        markdown(text, &[]);
    }
}

#[test]
fn setext_headings() {
    markdown("a\n===\nb\n---\nc", &["1 1-5 a", "2 3-5 b"]);
    markdown("a\n  b  \nc\n=\n", &["1 1-4 a b c"]);
    markdown("a\n   ---   \n", &["2 1-2 a"]);
    markdown("# a\nb\n-\n", &["1 1-3 a", "2 2-3 b"]);
    markdown("a\n\n---\n", &[]);
    markdown("---\n", &[]);
    markdown("a\n    ---\n", &[]);
    markdown("a\n- - -\n", &[]);
    markdown("a\n--=\n", &[]);
    markdown("    code\n---\n", &[]);
    markdown("***\n===\n", &[]);
    markdown("[a]: /url\n===\n", &[]);
    markdown("[a][b]: c\n===\n", &["1 1-2 [a][b]: c"]);
    markdown("| a |\n|---|\n| b |\n", &[]);
}

#[test]
fn fenced_code_holds_no_headings() {
    markdown("```\n# a\n```\n# b", &["1 4-4 b"]);
    markdown("~~~ sh\n# a\n```\n# b\n~~~~\n# c", &["1 6-6 c"]);
    markdown("````\n# a\n```\n# b\n````\n# c", &["1 6-6 c"]);
    markdown("  ```\n# a\n   ```\n# b", &["1 4-4 b"]);
    markdown("```\n# a\n    ```\n# b", &[]);
    markdown("```\n# a\n``` x\n# b", &[]);
    markdown("``` a`b\n# c", &["1 2-2 c"]);
    markdown("``\n# a", &["1 2-2 a"]);
    markdown("    ```\n# a", &["1 2-2 a"]);
    markdown("```\na\n---\n", &[]);
}

#[test]
fn comments_and_html_hold_no_headings() {
    markdown("<!-- x\n# a\n\n# b\n-->\n# c", &["1 6-6 c"]);
    markdown("<!-- x -->\n# a", &["1 2-2 a"]);
    markdown("text\n<!--\n# a\n--> x\n# b", &["1 5-5 b"]);
    markdown("<PRE>\n\n# a\n</pre>\n# b", &["1 5-5 b"]);
    markdown("<script>\n# a\n</script>\n# b", &["1 4-4 b"]);
    markdown("<div>\n# a\n\n# b\n</div>\n---\n", &["1 4-6 b"]);
    markdown("<img src=\"x\">\n---\n", &[]);
    markdown("<https://example.org>\n---\n", &["2 1-2 <https://example.org>"]);
    markdown("<?php\n# a\n?>\n# b", &["1 4-4 b"]);
}

#[test]
fn front_matter_holds_no_headings() {
    markdown("---\n# a\ntitle: b\n---\n# c\n", &["1 5-5 c"]);
    markdown("---\ntitle: b\n...\nc\n===\n", &["1 4-5 c"]);
    markdown("---\n# a\n", &["1 2-2 a"]);
    markdown("\n---\n# a\n---\n", &["1 3-4 a"]);
    markdown("---\na: b\n---", &[]);
}

#[test]
fn lists_and_quotes_have_no_sections_of_their_own() {
    markdown("> # a\n# b", &["1 2-2 b"]);
    markdown("> a\n===\n", &[]);
    markdown("> a\n---\n# b", &["1 3-3 b"]);
    markdown("- a\n---\n", &[]);
    markdown("- a\nb\n===\n", &[]);
    markdown("- # a\n\n  # b\n\n# c", &["1 5-5 c"]);
    markdown("- ```\n  # a\n  ```\n# b", &["1 4-4 b"]);
    markdown("1. a\n\n   ```\n   # b\n   ```\n2. c\n\n# d", &["1 8-8 d"]);
    markdown("- ```\n  # a\n# b", &["1 3-3 b"]);
    markdown("a\n2. b\n===\n", &["1 1-3 a 2. b"]);
    markdown("a\n1. b\n===\n", &[]);
    markdown("- a\n  - b\n\n    # c\n# d", &["1 5-5 d"]);
    markdown("- a\n\nb\n===\n", &["1 3-4 b"]);
}

#[test]
fn python_definitions_with_their_bodies() {
    python("", &[]);
    python("def f():\n    pass\n", &["1 1-2 f"]);
    python("def f(): pass\nx = 1\n", &["1 1-1 f"]);
    python(
        "class A(B):\n    def f(self):\n        x\n\n    async def g(self):\n        def h():\n            y\n        z\n\nasync  def k(): ...\n",
        &["1 1-8 A", "2 2-3 f", "2 5-8 g", "3 6-7 h", "1 10-10 k"],
    );
    python("if x:\n    def f():\n        a\nelse:\n    def f():\n        b\n", &["1 2-3 f", "1 5-6 f"]);
    python("class Ärger[T]: pass", &["1 1-1 Ärger"]);
    python("\u{feff}def f():\n\treturn\n", &["1 1-2 f"]);
    let kinds: Vec<OutlineKind> =
        outline(Language::Python, "class A:\n async def f(): 0").iter().map(|entry| entry.kind).collect();
    assert_eq!(kinds, [OutlineKind::Class, OutlineKind::Function]);
}

#[test]
fn decorators_belong_to_what_they_decorate() {
    python("@a\n@b(\n    1,\n)\ndef f():\n    x\n", &["1 1-6 f"]);
    python("@a\n\n# why\nclass A:\n    @b\n    def f(self): x\n", &["1 1-6 A", "2 5-6 f"]);
    python("@a\nx = 1\ndef f(): y\n", &["1 3-3 f"]);
}

#[test]
fn python_definitions_in_strings_and_comments_are_none() {
    python("x = '''\ndef f():\n    pass\n'''\n", &[]);
    python("x = rb\"\"\"\nclass A: \\\"\"\"\ndef g(): 0\n\"\"\"\n", &[]);
    python("# def f():\nx = 'def g():' # class A:\n", &[]);
    python("x = 'a\\\ndef f(): 0'\n", &[]);
    python("def f():\n    '''\nclass A:\n    '''\n    x = \"\\\"'''\"\n    return f'{x}'\ny = 1\n", &["1 1-6 f"]);
    python("x = ''\ndef f(): ''\n", &["1 2-2 f"]);
}

#[test]
fn python_statements_over_several_lines_are_one() {
    python("def f(\n    a,\nb):\n    x = [\n1,\n]\n    y\nz\n", &["1 1-7 f"]);
    python("def f(a=(')', \"(\")): # (\n    x\ny\n", &["1 1-2 f"]);
    python("def f():\n    x = 1 + \\\n2\n    y\nz\n", &["1 1-4 f"]);
    python("x = \\\n  1\ndef f(): y\n", &["1 3-3 f"]);
    python("def \\\n  f():\n    x\n", &["1 1-3 f"]);
}

#[test]
fn blank_lines_end_nothing_and_comments_belong_by_indentation() {
    python("def f():\n    a\n\n# x\n    b\n\n\nc\n", &["1 1-5 f"]);
    python(
        "class A:\n    def f(self):\n        a\n        # in f\n    # in A\n# in neither\n",
        &["1 1-5 A", "2 2-4 f"],
    );
}

#[test]
fn what_is_not_python_is_passed_over() {
    for text in
        ["def", "def ", "def\nf", "class 1:", "async", "async x", "define f()", "classy = 1", "x def f(): y", ")]}"]
    {
        python(text, &[]);
    }
    python("x = (1,\ndef f():\n    y\n", &["1 2-3 f"]);
    python("x = 'open\ndef f():\n    y\n", &["1 2-3 f"]);
    python("x = '''open\ndef f():\n    y\n", &[]);
    python("}\n  def f(:\n y\n", &["1 2-3 f"]);
    python("def f():\n    x \\", &["1 1-2 f"]);
    python("def f():\n    'x\\", &["1 1-2 f"]);
}

/// No input has an entry out of order or out of the text, or stops the scan.
#[test]
fn any_text_has_an_outline() {
    let pieces = [
        "#", "# ", "def f", "class A:", "\n", "\r\n", "    ", "\t", " ", "'", "\"", "'''", "```", "~~~", "---", "===",
        "- ", "1. ", "> ", "<!--", "-->", "<pre>", "(", ")", "\\", "@", "é", "x", "\u{feff}", ":", "\x0c", "\r",
        "async ", "[a]: b",
    ];
    let mut state = 1_u64;
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..12 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(pieces[usize::try_from(state >> 40).unwrap_or(0) % pieces.len()]);
        }
        let lines = text.split('\n').count();
        for language in [Language::Markdown, Language::Python] {
            let found = outline(language, &text);
            assert!(
                found.iter().all(|e| 1 <= e.first_line && e.first_line <= e.last_line && e.last_line <= lines),
                "{text:?}"
            );
            assert!(found.is_sorted_by(|a, b| a.first_line < b.first_line), "{text:?}");
            assert!(found.iter().all(|e| e.depth >= 1 && !e.title.contains('\n')), "{text:?}");
        }
    }
}

/// Each of these takes minutes, not a second, when it is quadratic.
#[test]
fn large_texts_are_linear() {
    let repeated = [
        "- ",
        "> ",
        "# a\n",
        "###### a\n# b\n",
        "a\n=\n",
        "[a\n=\n",
        "=\n",
        "`",
        "```\n",
        "<!--",
        "</",
        "<a",
        "#",
        "-",
        "1. ",
        "(\n",
        "'",
        "'''\\",
        "\\\n",
        "@\n",
        "def f(:\n",
        "def \\\n",
        "async ",
        " ",
        "\t",
        "\n",
        "#\n",
        "class A:\n",
    ];
    for piece in repeated {
        let text = piece.repeat((1 << 18) / piece.len());
        for language in [Language::Markdown, Language::Python] {
            let _ = outline(language, &text);
        }
    }
    let nested: String = (0..1000).map(|depth| format!("{}def f():\n", " ".repeat(depth))).collect();
    let text = nested + &"#\n".repeat(1 << 20);
    assert_eq!(outline(Language::Python, &text).len(), 1000);
}
