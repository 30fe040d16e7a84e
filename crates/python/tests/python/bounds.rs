//! Hostile code: refused or accepted in time that grows with its length, and never the end of the process.

use std::time::{Duration, Instant};

use super::check;

/// Many times what the slowest takes, on a machine that does something else too.
const DEADLINE: Duration = Duration::from_secs(60);

const MEGABYTES: usize = 1_000_000;

fn judged(source: &str) -> Result<(), String> {
    let begun = Instant::now();
    let result = check(source);
    let head: String = source.chars().take(60).collect();
    assert!(begun.elapsed() < DEADLINE, "{head:?} took {:?}", begun.elapsed());
    result.map(|_| ()).map_err(|error| error.message)
}

#[test]
fn what_would_make_a_deep_tree_is_refused_with_its_limit() {
    let links = "an expression has more than 2000 links";
    let brackets = "brackets are nested more than 200 levels deep";
    for (source, message) in [
        (format!("x = {}1{}", "(".repeat(10_000), ")".repeat(10_000)), brackets),
        ("[".repeat(4 * MEGABYTES), brackets),
        ("{".repeat(4 * MEGABYTES), brackets),
        (format!("f{}", "(".repeat(300)), brackets),
        (format!("x = a{}", ".b".repeat(50_000)), links),
        (format!("x = 1{}", " + 1".repeat(50_000)), links),
        (format!("x = {}1", "-".repeat(50_000)), links),
        (format!("x = {}1", "~".repeat(50_000)), links),
        // Lines before and after it are short.
        (format!("x = 1\nx = {}1\nx = 1\n", "-".repeat(2_100)), links),
        (format!("x = 1\nx = {}1#\nx = 1\n", "-".repeat(2_100)), links),
        (format!("x = 'a'{}; y = 1\nx = 1\n", ".b".repeat(2_100)), links),
        (format!("x = [\n{}1]\nx = 1\n", "-".repeat(2_100)), links),
        (format!("x = [1]{}\nx = 1\n", "[0]".repeat(2_100)), links),
        (format!("x = {}1", "not ".repeat(50_000)), links),
        (format!("x = {}1", "lambda: ".repeat(50_000)), links),
        (format!("x = {}1", "lambda a, b=".repeat(50_000)), links),
        (format!("x = a{}", " if b else a".repeat(50_000)), links),
        (format!("x = 0b1{}", "if 0b1else 0b1".repeat(50_000)), links),
        (format!("x = a{}", "()".repeat(50_000)), links),
        (format!("x = a{}", "[0]".repeat(50_000)), links),
        (format!("x = a{}", " ** a".repeat(50_000)), links),
        (format!("x = a{}", " @ a".repeat(50_000)), links),
        (format!("async def f(): {}x", "await ".repeat(50_000)), links),
        (format!("def f(): x = {}1", "yield ".repeat(50_000)), links),
        (format!("x = [a{}]", " for a in b if c".repeat(50_000)), links),
        (format!("{}pass", "if a: ".repeat(50_000)), links),
        (format!("{}pass", "while a: ".repeat(50_000)), links),
        (format!("{}pass", "match a: ".repeat(50_000)), links),
        (format!("{}pass", "try: ".repeat(50_000)), links),
        (format!("{}pass", "class C: ".repeat(50_000)), links),
        (format!("x = {}b{}{}", "(a + 1, ".repeat(150), ".b".repeat(1_900), ")".repeat(150)), links),
        (format!("f'{{a{}}}'", ".b".repeat(50_000)), links),
        // None of these is right, but the parser recovers, and what it makes must not be deeper than what was counted.
        (format!("x = a{}", format!(" + {}b", "*".repeat(999)).repeat(999)), links),
        (format!("x = {}a", format!("{}not ", "-".repeat(999)).repeat(999)), links),
        (format!("x = a{}", format!(" * {}b", "not ".repeat(999)).repeat(999)), links),
        (format!("x = a{}", format!(".b * {}c", "lambda: ".repeat(900)).repeat(999)), links),
        (format!("x = a{}", format!(" ** {}b", "await ".repeat(999)).repeat(999)), links),
        (format!("x = a{}", format!(" < {}b", "<".repeat(999)).repeat(999)), links),
        (nested_strings(400), "f-strings are nested more than 149 levels deep"),
        (format!("f'{}'", "{a:".repeat(1_000)), brackets),
        (indented(100), "more than 99 levels of indentation"),
        (indented(2_000), "more than 99 levels of indentation"),
        (format!("def f[{}](): pass", "a, ".repeat(300_000)), "more than 1000 type parameters"),
    ] {
        let refused = judged(&source).unwrap_err();
        assert!(refused.contains(message), "{:?}: {refused}", &source[..60]);
    }
}

#[test]
fn letters_before_a_string_hide_no_depth() {
    let deep = "-".repeat(3 * MEGABYTES);
    for source in [
        // A name that ends in `f`, then a string, then the depth.
        format!("é1f\"{{\"{deep}1\"}}\"\n"),
        format!("é1rf\"{{\"{deep}1\"}}\"\n"),
        format!("éaf\"{{\"{deep}1\"}}\"\n"),
        // No name, so `f` is a prefix and the depth is in a replacement field.
        format!("€f\"{{{deep}1}}\"\n"),
        format!("x = a€rf\"{{{deep}1}}\"\n"),
    ] {
        let refused = judged(&source).unwrap_err();
        assert!(refused.contains("right after a name"), "{:?}: {refused}", source.get(..12));
    }
}

#[test]
fn the_deepest_tree_that_passes_fits_on_the_stack() {
    for source in [
        format!("x = {}1{}", "(".repeat(200), ")".repeat(200)),
        format!("x = {}1{}", "[".repeat(200), "]".repeat(200)),
        format!("x = {}1{}", "{1:".repeat(200), "}".repeat(200)),
        format!("x = a{}", ".b".repeat(1_990)),
        format!("x = {}1", "-".repeat(1_990)),
        format!("x = {}1", "not ".repeat(1_990)),
        format!("x = {}1", "lambda:".repeat(990)),
        format!("x = a{}", " if b else a".repeat(990)),
        format!("x = a{}", "()".repeat(990)),
        format!("x = a{}", " ** a".repeat(990)),
        format!("x = {}1{}", "(-".repeat(190), ")".repeat(190)),
        format!("x = {}1{}", "[lambda a=-not_: ".repeat(190), "]".repeat(190)),
        format!("x = {}x{}", "[y for y in ".repeat(190), "]".repeat(190)),
        format!("x = {}x{}", "[y for x in y if ".repeat(190), "]".repeat(190)),
        nested_strings(140),
        indented(99),
        format!("match x:\n case {}1{}: pass", "[".repeat(200), "]".repeat(200)),
        format!("match x:\n case {}: pass", vec!["1"; 1_900].join(" | ")),
        format!("{}{}x = {}1{}", indented(98), " ".repeat(98), "(".repeat(200), ")".repeat(200)),
        format!("x = {}", vec!["a*b**2*c.d.e(1)"; 1_900].join(" + ")),
    ] {
        assert_eq!(judged(&source), Ok(()), "{:?}", &source[..60.min(source.len())]);
    }
}

#[test]
fn long_and_flat_code_is_accepted() {
    let half = 2 * MEGABYTES;
    for source in [
        format!("x = '{}'", "[".repeat(4 * MEGABYTES)),
        format!("# {}", "(".repeat(4 * MEGABYTES)),
        format!("x = [{}]", "1, ".repeat(4 * MEGABYTES / 3)),
        format!("x = {}", "'a' ".repeat(MEGABYTES)),
        format!("x = ({})", "f'{a}' ".repeat(MEGABYTES / 2)),
        format!("{}def f(): pass", "@a\n".repeat(100_000)),
        "x;".repeat(half),
        "x\n".repeat(half),
        "\n".repeat(4 * MEGABYTES),
        " ".repeat(4 * MEGABYTES),
        format!("if a: pass\n{}", "elif b: pass\n".repeat(100_000)),
        format!("x = {{{}}}", "a: lambda: b.c(1 + 2), ".repeat(100_000)),
        format!("f({})", "*a, b if c else not d, ".repeat(100_000)),
        format!("def f({}): pass", (0..200_000).map(|index| format!("a{index}, ")).collect::<String>()),
        format!("def f(): global {}", vec!["a"; 500_000].join(", ")),
        "def f(): global a; a = 1\n".repeat(100_000),
        format!("class C: {}", "x = 1; ".repeat(400_000)),
        format!("x{} = 1", " = x".repeat(700_000)),
        format!("match x:\n{} case _: pass", " case 1: pass\n".repeat(200_000)),
        format!("{} = 1", "a".repeat(4 * MEGABYTES)),
        format!("x = 0x{}", "f".repeat(4 * MEGABYTES)),
    ] {
        assert_eq!(judged(&source), Ok(()), "{:?}", &source[..60]);
    }
}

#[test]
fn floods_of_errors_are_refused_in_time() {
    for unit in [
        ")",
        "}",
        "$",
        "?",
        "\\",
        "'",
        "\"",
        "€",
        "é ",
        "1a ",
        "@",
        ":",
        "=",
        ",",
        ";",
        "!",
        "x y ",
        "def ",
        "if ",
        "a b\n",
        "def f(\n",
        "class C\n",
        "  x\n x\n",
        "(\n)\n (",
        "f'{",
        "f'{a!",
        "'\n",
        "\\\n",
        "\0",
        "import ",
        "from . ",
        "lambda ",
        "for ",
        "match x\n",
        "case 1:\n",
        "else:\n",
        "x = (1 2)\n",
        "x = [a b c]\n",
        "try:\n",
        "except:\n",
        "@\n",
        "return return\n",
        "with (a as b, c as d\n",
        "*",
        "**",
        "->",
        ":=",
        "nonlocal x\n",
        "global x, \n",
        "\t x\n\tx\n",
        "0777 ",
        "x = f'{a b}'\n",
        "type X\n",
        "lazy ",
        "del 1, 2\n",
        "(a, b): c\n",
        "f(a=1, b)\n",
        "yield\n",
        "await x\n",
        "return\n",
        "break\n",
        "x: (y := 1) = 2\n",
        "[x := 1 for x in y]\n",
        "f(a=1, a=1)\n",
        "def f(a, a): nonlocal b\n",
        "`",
        "async ",
        "print x\n",
        "x = {a: b, c}\n",
        "x = {**a, b}\n",
        "{a}{b} = c\n",
    ] {
        let source = unit.repeat(4 * MEGABYTES / unit.len() / 4);
        // Some of them are odd but right.
        let _ = judged(&source);
    }
}

#[test]
fn names_wanted_through_many_functions_are_looked_up_in_time() {
    let names: String = (0..20_000).map(|index| format!("a{index}, ")).collect();
    let names = names.trim_end_matches(", ");
    let nested: String = (1..98).map(|depth| format!("{}def f(x{depth}):\n", " ".repeat(depth))).collect();
    let source = format!("def f({names}):\n{nested}{}nonlocal {names}\n", " ".repeat(98));
    assert_eq!(judged(&source), Ok(()));
}

fn nested_strings(depth: usize) -> String {
    format!("x = {}1{}", "f'{".repeat(depth), "}'".repeat(depth))
}

fn indented(depth: usize) -> String {
    let nested: String = (0..depth).map(|level| format!("{}if x:\n", " ".repeat(level))).collect();
    format!("{nested}{}pass\n", " ".repeat(depth))
}
