//! Templates that are accepted, and why others are refused.

use std::thread;

use super::parse;

#[test]
fn templates_that_are_not_jinja2_are_refused_with_their_line() {
    for (source, line, detail) in [
        ("", None, "blank"),
        (" \n\t\u{a0}", None, "blank"),
        ("{{ a", Some(1), "end of input"),
        ("a\nb {{ c", Some(2), "end of input"),
        ("{{ }}", Some(1), "unexpected end of variable block"),
        ("{{ a b }}", Some(1), "unexpected identifier"),
        ("\n\n{% if %}", Some(3), "unexpected end of block"),
        ("{% if a %}\n{% endfor %}", Some(2), "unknown statement endfor"),
        ("{% endif %}", Some(1), "unknown statement endif"),
        ("{% unknown %}", Some(1), "unknown statement unknown"),
        ("{% for i %}{% endfor %}", Some(1), "expected in"),
        ("{% for in xs %}{% endfor %}", Some(1), "a name to assign to is missing"),
        ("{% set 1 = 2 %}", Some(1), "expected identifier"),
        ("{% set loop = 1 %}", Some(1), "reserved"),
        ("{{ 'abc }}", Some(1), "end of string"),
        ("{# abc", Some(1), "end of comment"),
        ("{% raw %}abc", Some(1), "end of raw block"),
        ("{{ f(a=1, 2) }}", Some(1), "non-keyword arg after keyword arg"),
        ("{{ a ? b : c }}", Some(1), "unexpected character"),
        ("{% break %}", Some(1), "inside a loop"),
        ("{% block a %}{% endblock %}{% block a %}{% endblock %}", Some(1), "defined twice"),
    ] {
        let error = parse(source).unwrap_err();
        assert_eq!(error.line, line, "{source}: {error}");
        assert!(error.detail.contains(detail), "{source}: {error}");
    }
}

#[test]
fn words_that_do_not_exist_are_refused_with_their_line() {
    for (source, error) in [
        ("{{ a }}\n{{ a|nope }}", "line 2: there is no filter named `nope`"),
        ("{{ a is nope }}", "line 1: there is no test named `nope`"),
        ("\n\n{{ nope(1) }}", "line 3: there is no function named `nope`"),
        ("{% if false %}{{ a|nope }}{% endif %}", "line 1: there is no filter named `nope`"),
        ("{% filter nope %}{% endfilter %}", "line 1: there is no filter named `nope`"),
        ("{% set a | nope %}{% endset %}", "line 1: there is no filter named `nope`"),
        ("{% macro m() %}{{ nope() }}{% endmacro %}", "line 1: there is no function named `nope`"),
        ("{{ m() }}{% macro m() %}{% endmacro %}", "line 1: there is no function named `m`"),
        ("{{ caller() }}", "line 1: there is no function named `caller`"),
        ("{{ a|split }}", "line 1: there is no filter named `split`"),
        ("{{ debug() }}", "line 1: there is no function named `debug`"),
        ("{% macro m() %}{{ varargs }}{% endmacro %}", "line 1: `varargs` is not available in macros here"),
        ("{% do a.b(nope()) %}", "line 1: there is no function named `nope`"),
        ("{% call nope() %}{% endcall %}", "line 1: there is no function named `nope`"),
    ] {
        let refused = parse(source).unwrap_err().to_string();
        assert!(refused.starts_with(error), "{source}: {refused}");
    }
}

#[test]
fn other_templates_cannot_be_loaded() {
    for tag in ["include 'x'", "import 'x' as y", "from 'x' import y", "extends 'x'", "include name ignore missing"] {
        let error = parse(&format!("a\n{{% {tag} %}}")).unwrap_err();
        assert_eq!(error.line, Some(2), "{tag}");
        assert!(error.detail.contains("a stored prompt stands alone"), "{tag}: {error}");
    }
}

#[test]
fn lines_past_the_engines_own_numbers_are_right() {
    let blank = "\n".repeat(100_000);
    for source in ["{{ a|nope }}", "{{ a b }}", "{% include 'x' %}"] {
        assert_eq!(parse(&format!("{blank}{source}")).unwrap_err().line, Some(100_001), "{source}");
    }
}

#[test]
fn no_text_takes_long_or_ends_the_process() {
    let small_stack = thread::Builder::new().stack_size(2 * 1024 * 1024);
    let hostile = small_stack.spawn(|| {
        for (source, accepted) in hostile_texts() {
            let outcome = parse(&source);
            assert_eq!(outcome.is_ok(), accepted, "{}: {:?}", &source[..source.len().min(60)], outcome.err());
        }
    });
    hostile.unwrap().join().unwrap();
}

/// Texts, and whether they are templates all the same.
fn hostile_texts() -> Vec<(String, bool)> {
    let nested = |open: &str, close: &str, times| format!("{}{}", open.repeat(times), close.repeat(times));
    let tag = |inside: String| format!("{{{{ {inside} }}}}");
    vec![
        (tag(format!("a{}", ".b".repeat(12_000))), false),
        (tag(format!("a{}", ".b".repeat(999))), true),
        (tag(format!("1{}", " + 1".repeat(100_000))), false),
        (tag(format!("1{}", " + 1".repeat(999))), true),
        (tag(format!("1{}", "|abs".repeat(100_000))), false),
        (tag(format!("1{}", "|abs".repeat(999))), true),
        (tag(format!("{}a", "not ".repeat(999))), true),
        (tag(format!("{}1", "-".repeat(999))), true),
        (tag(format!("a{}", " if a else a".repeat(499))), true),
        (tag(format!("a{}", "[0]".repeat(499))), true),
        (tag(format!("a{}", "[0:1]".repeat(499))), true),
        (tag(nested("(", ")", 1_000)), false),
        (tag(nested("[", "]", 70)), true),
        ("[".repeat(4_000_000), true),
        (format!("{{{{ {}", "[".repeat(4_000_000)), false),
        ("{".repeat(1_000_000), false),
        ("{{ ".repeat(100_000), false),
        ("{% if a %}".repeat(10_000), false),
        (nested("{% if a %}", "{% endif %}", 10_000), false),
        (nested("{% if a %}", "{% endif %}", 140), true),
        (format!("{{% if a %}}{}{{% endif %}}", "{% elif a %}".repeat(500)), true),
        (format!("{{% if a %}}{}{{% endif %}}", "{% elif a %}".repeat(100_000)), false),
        (nested("{% macro m() %}", "{% endmacro %}", 140), false),
        (format!("{{% set {}a{} = 1 %}}", "(".repeat(199), ")".repeat(199)), true),
        ("{% raw %}".repeat(100_000), false),
        (format!("{{{{ '{}", "a".repeat(1_000_000)), false),
        ("{{ 'x' * 100000000 }}".repeat(5_000), true),
    ]
}
