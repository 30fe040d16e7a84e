//! Outlines of Markdown: headings, text that only looks like a heading, and the last line of a section.

mod oracle;

use interline_edit::{OutlineEntry, markdown_outline};

use oracle::laws;

/// Each entry as `depth first-last title`.
fn entries(text: &str) -> Vec<String> {
    let line =
        |entry: &OutlineEntry| format!("{} {}-{} {}", entry.depth, entry.first_line, entry.last_line, entry.title);
    markdown_outline(text).iter().map(line).collect()
}

/// Checks the outline, which is the same whatever the line endings.
fn markdown(text: &str, expected: &[&str]) {
    assert_eq!(entries(text), expected, "{text}");
    assert_eq!(entries(&text.replace('\n', "\r\n")), expected, "with \\r\\n: {text}");
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
    markdown("[a]:\n/url\n'title'\n===\n", &[]);
    markdown("[a]: /url\nb\n===\n", &["1 2-3 b"]);
    markdown("[a]: /url b\n===\n", &["1 1-2 [a]: /url b"]);
}

/// As everywhere in this crate: the lines of an outline are those that a line patch takes.
#[test]
fn a_lone_carriage_return_ends_no_line() {
    for (text, expected) in [
        ("# a\rb\n# c", &["1 1-1 a\rb", "1 2-2 c"][..]),
        ("a\r# b", &[]),
        ("a\r===\nb\n---\n", &["2 1-3 a\r=== b"]),
        ("x\r\n# a\r\r\n# b", &["1 2-2 a", "1 3-3 b"]),
    ] {
        assert_eq!(entries(text), expected, "{text:?}");
    }
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

/// No input has an entry out of order or out of the text, or stops the parser.
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
        laws::outline(&text);
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
        "[",
        "[]",
        "![a](",
        "[a](<",
        ">",
        "*",
        "*_",
        "a *",
        "``a`",
        "<![CDATA[",
        "&",
        "[a]: b\n",
        "- a\n",
    ];
    for piece in repeated {
        let text = piece.repeat((1 << 18) / piece.len());
        let _ = markdown_outline(&text);
    }
}
