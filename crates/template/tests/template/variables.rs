//! Templates and the variables that they take from outside.

use interline_template::ArgumentMismatch;

use super::parse;

fn variables(source: &str) -> String {
    let template = parse(source).unwrap_or_else(|error| panic!("{source}: {error}"));
    template.undeclared_variables().iter().map(String::as_str).collect::<Vec<_>>().join(" ")
}

fn assert_variables(cases: &[(&str, &str)]) {
    for (source, expected) in cases {
        assert_eq!(variables(source), *expected, "{source}");
    }
}

#[test]
fn variables_are_found_wherever_an_expression_is() {
    assert_variables(&[
        ("plain", ""),
        ("{{ name }}", "name"),
        ("{{ a.b.c }}", "a"),
        ("{{ a[b] }}{{ a['c'] }}", "a b"),
        ("{{ xs[1:n] }}", "n xs"),
        ("{{ xs[a:b:c] }}", "a b c xs"),
        ("{{ a.method(b, c=d) }}", "a b d"),
        ("{{ a + b - c * d / e }}", "a b c d e"),
        ("{{ not a and b or c }}", "a b c"),
        ("{{ a < b <= c }}{{ d in e }}{{ f not in g }}", "a b c d e f g"),
        ("{{ a if b else c }}", "a b c"),
        ("{{ a ~ b }}{{ -c }}{{ d ** e }}", "a b c d e"),
        ("{{ [a, (b, c)] }}{{ {d: e} }}", "a b c d e"),
        ("{{ a|default(b)|replace(c, d) }}", "a b c d"),
        ("{{ a is divisibleby(b) }}{{ c is defined }}", "a b c"),
        ("{% if a %}{% elif b %}{% else %}{{ c }}{% endif %}", "a b c"),
        ("{% filter replace(a, b) %}{{ c }}{% endfilter %}", "a b c"),
        ("{% autoescape a %}{{ b }}{% endautoescape %}", "a b"),
        ("{{ dict(a=b) }}{{ range(*c, **d) }}", "b c d"),
        ("{% raw %}{{ a }}{% endraw %}{# {{ b }} #}", ""),
        ("{{ '{{ a }}' }}", ""),
        ("{{ Name }}{{ _x }}{{ ö }}", "Name _x ö"),
    ]);
}

#[test]
fn what_the_template_assigns_first_is_no_variable() {
    assert_variables(&[
        ("{% set x = 1 %}{{ x }}", ""),
        ("{{ x }}{% set x = 1 %}", "x"),
        ("{% set x = x %}{{ x }}", "x"),
        ("{% set x, y = a, b %}{{ x }}{{ y }}", "a b"),
        ("{% set x %}{{ a }}{% endset %}{{ x }}", "a"),
        ("{% set x %}{{ x }}{% endset %}", "x"),
        ("{% set x | replace(a, '') %}{% endset %}", "a"),
        ("{% set ns = namespace(n=a) %}{% set ns.n = b %}{{ ns.n }}", "a b"),
        ("{% set ns.n = 1 %}", "ns"),
        ("{% with a = 1 %}{{ a }}{{ b }}{% endwith %}", "b"),
        ("{% with a = 1 %}{% endwith %}{{ a }}", "a"),
        ("{% with a = 1, b = a %}{{ b }}{% endwith %}", "a"),
        ("{% block b %}{{ a }}{{ super() }}{% endblock %}{{ self.b() }}", "a"),
        ("{% set a = 1 %}{% block b %}{{ a }}{% endblock %}", ""),
    ]);
}

#[test]
fn loops_have_names_of_their_own() {
    assert_variables(&[
        ("{% for i in xs %}{{ i }}{{ loop.index }}{% endfor %}", "xs"),
        ("{% for x in x %}{{ x }}{% endfor %}", "x"),
        ("{% for k, (v, w) in xs %}{{ k }}{{ v }}{{ w }}{% endfor %}", "xs"),
        ("{% for i in xs if i > n %}{% endfor %}", "n xs"),
        ("{% for i in xs %}{% else %}{{ i }}{{ loop }}{% endfor %}", "i loop xs"),
        ("{% for i in xs %}{% set y = i %}{% endfor %}{{ y }}", "xs y"),
        ("{% for i in xs %}{% endfor %}{{ i }}", "i xs"),
        ("{% for i in xs recursive %}{{ loop(i.children) }}{% endfor %}", "xs"),
        ("{% for i in xs %}{{ y }}{% endfor %}{% set y = 1 %}", "xs y"),
        ("{{ loop }}", "loop"),
    ]);
}

#[test]
fn an_assignment_counts_when_every_way_leads_through_it() {
    assert_variables(&[
        ("{% if a %}{% set x = 1 %}{{ x }}{% endif %}", "a"),
        ("{% if a %}{% set x = 1 %}{% endif %}{{ x }}", "a x"),
        ("{% if a %}{% set x = 1 %}{% else %}{% set x = 2 %}{% endif %}{{ x }}", "a"),
        ("{% if a %}{% set x = 1 %}{% elif b %}{% set x = 2 %}{% endif %}{{ x }}", "a b x"),
        ("{% if a %}{% set x = 1 %}{% elif b %}{% set x = 2 %}{% else %}{% set x = 3 %}{% endif %}{{ x }}", "a b"),
        ("{% set x = 0 %}{% if a %}{% set x = 1 %}{% endif %}{{ x }}", "a"),
        ("{% if a %}{% set x = 1 %}{% else %}{{ x }}{% endif %}", "a x"),
    ]);
}

#[test]
fn macros_see_their_parameters_and_what_surrounds_them() {
    assert_variables(&[
        ("{% macro m(a, b=c) %}{{ a }}{{ b }}{{ d }}{% endmacro %}{{ m(e) }}", "c d e"),
        ("{% macro m(a, b=a) %}{{ b }}{% endmacro %}", ""),
        ("{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}", ""),
        ("{% macro m() %}{{ x }}{% endmacro %}{% set x = 1 %}{{ m() }}", ""),
        ("{% macro m() %}{{ caller(1) }}{% endmacro %}{% call(u) m() %}{{ u }}{{ b }}{% endcall %}", "b"),
        ("{% macro m(p) %}{% set q = p %}{{ q }}{% endmacro %}{{ q }}", "q"),
    ]);
}

#[test]
fn words_of_the_language_are_no_variables() {
    assert_variables(&[
        ("{{ range(3) }}{{ dict() }}{{ namespace() }}{{ cycler(1) }}{{ joiner() }}{{ lipsum() }}", ""),
        ("{{ true }}{{ True }}{{ none }}{{ None }}{{ false }}", ""),
        ("{{ debug }}", "debug"),
    ]);
}

#[test]
fn a_template_and_its_arguments_must_name_the_same() {
    let template = parse("{{ b }}{{ a }}{{ c }}{{ c }}").unwrap();
    assert_eq!(template.check_arguments(["c", "b", "a"]), Ok(()));
    let mismatch = template.check_arguments(["z", "b", "y"]).unwrap_err();
    let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let expected = ArgumentMismatch { undefined_variables: list(&["a", "c"]), unused_arguments: list(&["y", "z"]) };
    assert_eq!(mismatch, expected);
    let words = "`a` has no argument, `c` has no argument, argument `y` is not used, argument `z` is not used";
    assert_eq!(mismatch.to_string(), words);
}
