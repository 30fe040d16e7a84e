//! Templates and the texts that they render to.

use std::collections::BTreeMap;

use interline_template::{Argument, RenderError};
use serde_json::json;

use super::{failure, render, render_with};

fn assert_renders(cases: &[(&str, &str)]) {
    let values = json!({
        "s": "hello, World", "n": 2, "xs": [3, 1, 2], "m": {"a": 1, "b": "two"}, "empty": "", "nothing": null,
        "ms": [{"k": "x", "n": 1}, {"k": "y", "n": 2}, {"k": "x", "n": 3}],
        "tree": [{"n": 1, "c": [{"n": 2, "c": []}, {"n": 3, "c": []}]}],
    });
    for (source, expected) in cases {
        assert_eq!(render_with(source, &values).as_deref(), Ok(*expected), "{source}");
    }
}

#[test]
fn values_are_filled_in_as_jinja2_does() {
    assert_renders(&[
        ("plain\n", "plain"),
        (
            "{{ s }} {{ n }} {{ xs }} {{ m }} {{ nothing }} {{ true }} {{ 3.0 }}",
            "hello, World 2 [3, 1, 2] {'a': 1, 'b': 'two'} None True 3.0",
        ),
        ("{{ m.a }}{{ m['b'] }}{{ xs[0] }}{{ xs[-1] }}{{ s[:5] }}{{ xs[::-1] }}", "1two32hello[2, 1, 3]"),
        ("{{ n + 1 }} {{ n * 2.5 }} {{ 7 // 2 }} {{ -7 % 3 }} {{ 7 / 2 }} {{ 2 ** 10 }}", "3 5.0 3 2 3.5 1024"),
        ("{{ 'ab' * 2 }}{{ 2 * 'c' }}{{ [0] * 2 }}{{ (1, 2) * 2 }}{{ 'x' * -1 }}", "ababcc[0, 0](1, 2, 1, 2)"),
        ("{{ s ~ n ~ none }}{{ 'a' + 'b' }}{{ [1] + xs }}", "hello, World2Noneab[1, 3, 1, 2]"),
        ("{{ 1 < n <= 2 }}{{ 3 in xs }}{{ 'z' not in s }}{{ xs == [3, 1, 2] }}", "TrueTrueTrueTrue"),
        ("{% if n > 1 %}many{% else %}one{% endif %}", "many"),
        ("  {{- s -}}  x", "hello, Worldx"),
        ("{# note #}{% raw %}{{ s }}{% endraw %}", "{{ s }}"),
        ("{% set a, b = 1, 2 %}{{ a }}{{ b }}{% set c %}<{{ s }}>{% endset %}{{ c }}", "12<hello, World>"),
        ("{% set n = 5 %}{% with n = 1, k = n %}{{ n }}{{ k }}{% endwith %}", "15"),
        ("{% autoescape true %}{{ '<' }}<b>{{ '<i>'|safe }}{% endautoescape %}", "&lt;<b><i>"),
        ("{% block b %}x{% endblock %}{{ self.b() }}", "xx"),
    ]);
}

#[test]
fn loops_and_macros_work() {
    assert_renders(&[
        ("{% for i in xs %}{{ loop.index }}{{ i }}{{ ',' if not loop.last }}{% endfor %}", "13,21,32"),
        ("{% for k, v in m.items() %}{{ k }}={{ v }};{% endfor %}", "a=1;b=two;"),
        ("{% for i in xs if i > 1 %}{{ i }}{% else %}none{% endfor %}", "32"),
        ("{% for i in [] %}{{ i }}{% else %}none{% endfor %}", "none"),
        ("{% for i in xs %}{% if i == 1 %}{% continue %}{% endif %}{{ i }}{% endfor %}", "32"),
        ("{% for i in tree recursive %}{{ i.n }}{% if i.c %}({{ loop(i.c) }}){% endif %}{% endfor %}", "1(23)"),
        ("{% for i in xs %}{{ loop.cycle('a', 'b') }}{{ loop.changed(i > 1) }}{% endfor %}", "aTruebTrueaTrue"),
        ("{% set ns = namespace(t=0) %}{% for i in xs %}{% set ns.t = ns.t + i %}{% endfor %}{{ ns.t }}", "6"),
        ("{% macro m(a, b=2) %}{{ a }}{{ b }}{% endmacro %}{{ m(1) }}{{ m(1, b=3) }}", "1213"),
        ("{% macro f(n) %}{% if n %}{{ n }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(5) }}", "54321"),
        ("{% macro m(x) %}<{{ caller(x) }}>{% endmacro %}{% call(u) m(3) %}{{ u }}{{ n }}{% endcall %}", "<32>"),
        ("{% filter upper %}{{ s }}{% endfilter %}", "HELLO, WORLD"),
        ("{% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.next() }}{{ c.next() }}{{ c.current }}", "abab"),
        ("{% set j = joiner(', ') %}{% for i in xs %}{{ j() }}{{ i }}{% endfor %}", "3, 1, 2"),
        (
            "{{ range(3)|list }}{{ range(5, 0, -2)|list }}{{ range(-3)|list }}{{ dict(a=1) }}",
            "[0, 1, 2][5, 3, 1][]{'a': 1}",
        ),
    ]);
}

#[test]
fn filters_tests_and_methods_work_by_position_and_by_name() {
    assert_renders(&[
        ("{{ s|upper }}{{ s|replace('l', 'L', 1) }}{{ s|length }}", "HELLO, WORLDheLlo, World12"),
        (
            "{{ 'the quick brown fox'|truncate(12) }}|{{ 'the quick brown fox'|truncate(length=12, leeway=0) }}",
            "the...|the...",
        ),
        ("{{ 'a b c d e f g'|wordwrap(5) }}", "a b c\nd e f\ng"),
        ("{{ 'abc'|center(6) }}|{{ 'abc'|center(width=7) }}|{{ 'abcd'|center(7) }}|", " abc  |  abc  |  abcd |"),
        ("{{ empty|default('z') }}{{ empty|default('z', true) }}{{ empty|default('y', boolean=true) }}", "zy"),
        (
            "{{ xs|sort }}{{ xs|sort(true) }}{{ xs|sort(reverse=true) }}{{ xs|sum }}{{ xs|max }}",
            "[1, 2, 3][3, 2, 1][3, 2, 1]63",
        ),
        ("{{ ms|sum('n') }}{{ ms|sum(attribute='n', start=10) }}{{ ms|map(attribute='k')|join('-') }}", "616x-y-x"),
        ("{{ ms|selectattr('n', 'gt', 1)|list|length }}{{ xs|select('odd')|list }}", "2[3, 1]"),
        ("{% for k, group in ms|groupby('k') %}{{ k }}{{ group|length }}{% endfor %}", "x2y1"),
        (
            "{{ xs|batch(2, 0)|list }}{{ xs|slice(2)|list }}{{ xs|reverse|list }}",
            "[[3, 1], [2, 0]][[3, 1], [2]][2, 1, 3]",
        ),
        (
            "{{ m|tojson }}{{ '%s-%03d'|format('x', 7) }}{{ '<'|e }}{{ 'a b'|urlencode }}",
            "{\"a\": 1, \"b\": \"two\"}x-007&lt;a%20b",
        ),
        (
            "{{ s.upper() }}{{ s.split(',')|length }}{{ ', '.join(['a', 'b']) }}{{ m.get('z', 5) }}",
            "HELLO, WORLD2a, b5",
        ),
        ("{{ n is even }}{{ n is divisibleby 2 }}{{ s is string }}{{ range is callable }}", "TrueTrueTrueTrue"),
        ("{{ lipsum(1, min=3, max=4)|wordcount }}", "3"),
    ]);
}

#[test]
fn an_optional_argument_without_a_value_is_quietly_undefined() {
    let arguments = [Argument { name: "given", required: true }, Argument { name: "absent", required: false }];
    let values = BTreeMap::from([("given".to_owned(), json!("x"))]);
    for (source, expected) in [
        ("{{ given }}[{{ absent }}]", "x[]"),
        ("{% if absent %}a{% else %}b{% endif %}", "b"),
        ("{{ absent|default('d') }}{{ absent is defined }}", "dFalse"),
        ("{% for i in absent %}{{ i }}{% else %}none{% endfor %}", "none"),
        ("{{ 'a' ~ absent ~ 'b' }}", "ab"),
    ] {
        assert_eq!(render(source, &arguments, &values).as_deref(), Ok(expected), "{source}");
    }
    let nested = render("{{ absent.attribute }}", &arguments, &values);
    assert!(matches!(nested, Err(RenderError::Failed { line: Some(1), .. })), "{nested:?}");
}

#[test]
fn values_must_fit_the_arguments() {
    let arguments = ["b", "a", "c"].map(|name| Argument { name, required: true });
    let values = BTreeMap::from(["c", "z", "y"].map(|name| (name.to_owned(), json!(1))));
    let error = render("{{ never parsed", &arguments, &values).unwrap_err();
    let list = |names: [&str; 2]| names.map(str::to_owned).to_vec();
    let expected = RenderError::InvalidArguments { missing: list(["a", "b"]), unknown: list(["y", "z"]) };
    assert_eq!(error, expected);
    assert_eq!(error.to_string(), "`a` is missing, `b` is missing, `y` is unknown, `z` is unknown");
}

#[test]
fn failures_say_what_and_where() {
    for (source, error) in [
        ("a\n{{ 1 / 0 }}", "line 2: unable to calculate 1 / 0"),
        ("{% set m = {} %}\n\n{{ m.missing }}", "line 3: `m.missing` is undefined"),
        ("{% set m = {} %}{{ m.a.b }}", "line 1: `m.a` is undefined"),
        ("{% set m = {} %}{% if m.a %}{% endif %}", "line 1: `m.a` is undefined"),
        ("{{ 'a' + 1 }}", "line 1: tried to use + operator on unsupported types string and number"),
        ("{{ 'a' * 'b' }}", "line 1: text and lists can only be multiplied with integers"),
        ("{% macro m(a) %}{{ a }}{% endmacro %}\n{{ m() }}", "line 1: undefined value"),
        ("{{ 'x'.nope() }}", "line 1: string has no method named nope"),
        (
            "{{ 'x'|truncate(1, 2, 3, 4, 5) }}",
            "line 1: too many arguments; the filter takes length, killwords, end, leeway",
        ),
        ("{{ ['a']|map('nope')|list }}", "line 1: unknown filter"),
        ("{{ [{'k': 1}, {}]|groupby('k') }}", "line 1: the attribute `k` is undefined in an element"),
        ("{{ [{'k': {}}]|selectattr('k.n')|list }}", "line 1: the attribute `k.n` is undefined in an element"),
        ("{{ [{}, {}]|sort(attribute='k') }}", "line 1: the attribute `k` is undefined in an element"),
        ("{{ [{'k': 1}, {}]|sum('k') }}", "line 1: the attribute `k` is undefined in an element"),
        ("{% set m = {} %}{{ m.xs|groupby('k') }}", "line 1: `m.xs` is undefined"),
        ("{{ '7'.zfill('3') }}", "line 1: a width is an integer, not string"),
        ("{{ 'a'|truncate(2) }}", "line 1: a length of 2 is below that of the end, 3"),
        ("{{ '5' > 3 }}", "line 1: string and number cannot be compared"),
        ("{{ a|nope }}", "line 1: there is no filter named `nope`"),
    ] {
        assert_eq!(render_with(source, &json!({})).unwrap_err().to_string(), error, "{source}");
    }
}

#[test]
fn an_engine_that_panics_is_a_failure_like_others() {
    assert_eq!(
        failure("{% for i in [1] %}{{ loop.cycle() }}{% endfor %}"),
        "the template engine failed on this template"
    );
}
