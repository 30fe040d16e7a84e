//! Outlines: functions and classes with their nesting and lines, and texts that have none.

use interline_edit::{OutlineEntry, OutlineKind};
use interline_python::CodeError;

use super::on_large_stack;

fn outline(text: &str) -> Result<Vec<OutlineEntry>, CodeError> {
    on_large_stack(|stack| interline_python::outline(text, stack))
}

/// Each entry as `depth first-last title`.
fn entries(text: &str) -> Vec<String> {
    let line =
        |entry: &OutlineEntry| format!("{} {}-{} {}", entry.depth, entry.first_line, entry.last_line, entry.title);
    outline(text).unwrap_or_else(|error| panic!("{text:?}: {error}")).iter().map(line).collect()
}

/// The outline, which is the same whatever the line endings.
fn check(text: &str, expected: &[&str]) {
    assert_eq!(entries(text), expected, "{text}");
    assert_eq!(entries(&text.replace('\n', "\r\n")), expected, "with \\r\\n: {text}");
}

#[test]
fn definitions_with_their_bodies() {
    check("", &[]);
    check("def f():\n    pass\n", &["1 1-2 f"]);
    check("def f(): pass\nx = 1\n", &["1 1-1 f"]);
    check(
        "class A(B):\n    def f(self):\n        x\n\n    async def g(self):\n        def h():\n            y\n        z\n\nasync  def k(): ...\n",
        &["1 1-8 A", "2 2-3 f", "2 5-8 g", "3 6-7 h", "1 10-10 k"],
    );
    check("if x:\n    def f():\n        a\nelse:\n    def f():\n        b\n", &["1 2-3 f", "1 5-6 f"]);
    check("class Ärger[T]: pass", &["1 1-1 Ärger"]);
    check("\u{feff}def f():\n\treturn\n", &["1 1-2 f"]);
    let kinds: Vec<OutlineKind> =
        outline("class A:\n async def f(): 0").unwrap().iter().map(|entry| entry.kind).collect();
    assert_eq!(kinds, [OutlineKind::Class, OutlineKind::Function]);
}

#[test]
fn decorators_belong_to_what_they_decorate() {
    check("@a\n@b(\n    1,\n)\ndef f():\n    x\n", &["1 1-6 f"]);
    check("@a\n\n# why\nclass A:\n    @b\n    def f(self): x\n", &["1 1-6 A", "2 5-6 f"]);
}

#[test]
fn definitions_in_strings_and_comments_are_none() {
    check("x = '''\ndef f():\n    pass\n'''\n", &[]);
    check("x = rb\"\"\"\nclass A: \\\"\"\"\ndef g(): 0\n\"\"\"\n", &[]);
    check("# def f():\nx = 'def g():' # class A:\n", &[]);
    check("x = 'a\\\ndef f(): 0'\n", &[]);
    check("def f():\n    '''\nclass A:\n    '''\n    x = \"\\\"'''\"\n    return f'{x}'\ny = 1\n", &["1 1-6 f"]);
    check("x = ''\ndef f(): ''\n", &["1 2-2 f"]);
}

#[test]
fn statements_over_several_lines_are_one() {
    check("def f(\n    a,\nb):\n    x = [\n1,\n]\n    y\nz\n", &["1 1-7 f"]);
    check("def f(a=(')', \"(\")): # (\n    x\ny\n", &["1 1-2 f"]);
    check("def f():\n    x = 1 + \\\n2\n    y\nz\n", &["1 1-4 f"]);
    check("x = \\\n  1\ndef f(): y\n", &["1 3-3 f"]);
    check("def \\\n  f():\n    x\n", &["1 1-3 f"]);
}

#[test]
fn blank_lines_end_nothing_and_comments_belong_by_indentation() {
    check("def f():\n    a\n\n# x\n    b\n\n\nc\n", &["1 1-5 f"]);
    check("class A:\n    def f(self):\n        a\n        # in f\n    # in A\n# in neither\n", &["1 1-5 A", "2 2-4 f"]);
}

#[test]
fn definitions_are_found_in_every_compound_statement() {
    check(
        "for a in b:\n def f(): 0\nelse:\n def g(): 0\nwith a:\n class C:\n  def h(self): 0\ntry:\n def i(): 0\nexcept A:\n def j(): 0\nfinally:\n def k(): 0\nmatch a:\n case 1:\n  def l(): 0\nwhile a:\n if b: 0\n elif c:\n  def m(): 0\n",
        &["1 2-2 f", "1 4-4 g", "1 6-7 C", "2 7-7 h", "1 9-9 i", "1 11-11 j", "1 13-13 k", "1 16-16 l", "1 20-20 m"],
    );
    check("def f():\n    a\n# x\n    # y\n# z\n", &["1 1-4 f"]);
    check("def f():\n\ta\n        # y\nb\n    # z\n", &["1 1-3 f"]);
    check("def ﬁ(): 0\n", &["1 1-1 ﬁ"]);
}

/// A long module is parsed in chunks, which no entry shows.
#[test]
fn long_modules_have_the_lines_of_the_whole() {
    let function = "@a\ndef f():\n    b\n    # c\n\n# d\n";
    let count = 20_000;
    let found = outline(&function.repeat(count)).unwrap();
    assert_eq!(found.len(), count);
    for (index, entry) in found.iter().enumerate() {
        let before = index * 6;
        assert_eq!((entry.first_line, entry.last_line, entry.depth), (before + 1, before + 4, 1));
    }
}

#[test]
fn a_text_that_is_not_python_has_the_error_of_the_check() {
    for text in [
        "def",
        "def ",
        "def\nf",
        "class 1:",
        "async",
        "async x",
        "define f()",
        "x def f(): y",
        ")]}",
        "@a\nx = 1\ndef f(): y\n",
        "x = (1,\ndef f():\n    y\n",
        "x = 'open\ndef f():\n    y\n",
        "x = '''open\ndef f():\n    y\n",
        "}\n  def f(:\n y\n",
        "def f():\n    x \\",
        "def f():\n    'x\\",
        "def f():\n    a\nb = = 1\ndef g(): 0\n",
    ] {
        let checked = super::check(text).unwrap_err();
        assert_eq!(outline(text), Err(checked), "{text:?}");
    }
    check("classy = 1", &[]);
    // Only the grammar is asked.
    check("return\ndef f(): nonlocal x\n", &["1 2-2 f"]);
}

/// No input has an entry out of order or out of the text, or stops the outline.
#[test]
fn outlines_are_in_order_and_in_the_text() {
    let pieces = [
        "def f(): 0\n",
        "class A:\n",
        "def g():\n",
        "\n",
        "\r\n",
        "    ",
        "\t",
        " ",
        "'''",
        "#",
        "(",
        ")",
        "\\\n",
        "@a\n",
        "é",
        "x\n",
        "\x0c",
        "\r",
        "async ",
        "x",
        "if x:\n",
    ];
    let (mut state, mut outlined) = (1_u64, 0);
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..8 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(pieces[usize::try_from(state >> 40).unwrap_or(0) % pieces.len()]);
        }
        let lines = text.split('\n').count();
        let Ok(found) = outline(&text) else { continue };
        outlined += 1;
        assert!(
            found.iter().all(|e| 1 <= e.first_line && e.first_line <= e.last_line && e.last_line <= lines),
            "{text:?}: {found:?}"
        );
        assert!(found.is_sorted_by(|a, b| a.first_line <= b.first_line), "{text:?}: {found:?}");
        assert!(found.iter().all(|e| e.depth >= 1 && !e.title.contains('\n')), "{text:?}: {found:?}");
    }
    assert!(outlined > 500, "{outlined} are Python");
}

/// Each of these takes minutes, not a second, when it is quadratic.
#[test]
fn large_texts_are_linear() {
    let repeated = [
        "# a\n",
        "=\n",
        "#",
        "-",
        "(\n",
        "'",
        "'''\\",
        "\\\n",
        "@\n",
        "@a\n",
        "def f(:\n",
        "def \\\n",
        "async ",
        " ",
        "\t",
        "\n",
        "#\n",
        "class A:\n",
        "def f(): 0\n",
        "def f():\n    0\n    #\n",
        "x;",
        "x # y\n",
    ];
    for piece in repeated {
        let text = piece.repeat((1 << 18) / piece.len());
        let _ = outline(&text);
    }
    let nested: String = (0..99).map(|depth| format!("{}def f():\n", " ".repeat(depth))).collect();
    let text = nested.clone() + &" ".repeat(99) + "0\n" + &"#\n".repeat(1 << 20);
    assert_eq!(outline(&text).unwrap().len(), 99);
    let refused = outline(&(nested + &" ".repeat(99) + "def f():\n" + &" ".repeat(100) + "0\n")).unwrap_err();
    assert!(refused.message.contains("more than 99 levels of indentation"), "{refused}");
}
