//! Hostile templates: every rendering ends within its limits.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{failure, render_with};

/// What an unoptimised build on a busy machine may take; an optimised one takes a tenth.
const PATIENCE: Duration = Duration::from_secs(30);

fn assert_bounded(reason: &str, templates: &[&str]) {
    for source in templates {
        let start = Instant::now();
        let detail = failure(source);
        assert!(detail.contains(reason), "{source}: {detail}");
        assert!(start.elapsed() < PATIENCE, "{source}: {:?}", start.elapsed());
    }
}

#[test]
fn no_value_grows_without_bound() {
    assert_bounded(
        "the values that the template makes are larger than 67108864 bytes",
        &[
            "{{ 'x' * 10**9 }}",
            "{{ 10**9 * 'x' }}",
            "{{ [0] * 10**9 }}",
            "{{ (1, 2) * 10**8 }}",
            "{{ 'a'|center(10**9) }}",
            "{{ 'x'|indent(10**9) }}",
            "{{ ('\n' * 100000)|indent(width=100000, blank=true) }}",
            "{{ '%1000000000d'|format(1) }}",
            "{{ '%.1000000000f'|format(1.5) }}",
            "{{ '{:1000000000}'.format(1) }}",
            "{{ ('{0}' * 10000).format('x' * 10**6) }}",
            "{{ '%99999999999999999999999d'|format(1) }}",
            "{{ [1]|batch(10**9, 0) }}",
            "{{ [1]|slice(10**9) }}",
            "{{ {'a': [1, [2]]}|tojson(indent=10**9) }}",
            "{{ ('x' * 100000)|replace('x', 'y' * 100000) }}",
            "{{ ('x' * 100000).replace('', 'y' * 100000) }}",
            "{{ ('x ' * 100000)|wordwrap(1, wrapstring='y' * 1000) }}",
            "{{ range(10000)|join('x' * 10000) }}",
            "{% set ns = namespace(s='x') %}{% for i in range(100) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}",
            "{{ xs|default('x' * 10**9) }}",
            "{{ 'a'|center(10**30) }}",
            "{{ 5|center(width=10**9) }}",
            "{{ '7'.zfill(10**9) }}",
            "{{ 'a'.center(10**9) }}",
            "{{ 'a'.ljust(3 * 10**7, '\u{1F600}') }}",
            "{{ 'a'.rjust(10**30) }}",
            "{{ '\t'.expandtabs(10**9) }}",
            "{{ ('\t' * 10000).expandtabs(tabsize=10**5) }}",
            "{{ '%*d'|format(10**9, 1) }}",
            "{{ '%.*f'|format(10**9, 1.5) }}",
            "{{ '%-*s'|format(-10**9, 'x') }}",
            "{{ '%1000000000s' % 'x' }}",
            "{{ ('%(a)s' * 10000) % {'a': 'x' * 10**6} }}",
            "{{ ('\n' * 10000)|indent('x' * 10000, blank=true) }}",
            "{{ [[[1, 2], 3], 4]|tojson(indent='x' * 10**7) }}",
            "{{ {'x' * 10**6: range(100)|list}|pprint }}",
            "{{ ('x' * 10**7)|list }}",
            "{{ ('x' * 10**7)|map('upper')|list }}",
            "{% for c in 'x' * 10**7 %}{% endfor %}",
            "{% set a, b = 'x' * 10**7 %}",
            "{{ range(100)|sort(attribute='0,' * 50000) }}",
            "{{ []|map(attribute='.' * 5 * 10**6)|list }}",
            "{{ []|sort(attribute=',' * 10**7) }}",
            "{{ ('\u{390}' * 10**7)|upper }}",
            "{{ ('1' * 4 * 10**7)|int }}",
            "{{ {'a': '<' * 10**7, 'b': '<' * 10**7}|xmlattr }}",
        ],
    );
}

#[test]
fn no_text_of_another_value_grows_without_bound() {
    assert_bounded(
        "the values that the template makes are larger than 67108864 bytes",
        &[
            "{{ ['a' * 10**6]|replace('a', 'b' * 10**6) }}",
            "{{ ('x' * 100000)|replace('x', range(100000)|list) }}",
            "{{ range(90000)|join(range(90000)|list) }}",
            "{{ ['%(a)s' * 10000]|format(a='x' * 10**6) }}",
            "{{ (('&lt;' * 100000)|safe)|replace('<', 'y' * 100000) }}",
            "{{ (['\x01' * 10**6] * 30) is lower }}",
            "{{ (['\x01' * 10**6] * 30) is upper }}",
            "{% autoescape true %}{{ ('<' * 2 * 10**7) ~ (''|safe) }}{% endautoescape %}",
            "{{ ('%s'|safe) % ('<' * 2 * 10**7) }}",
            "{{ ('x'|safe)|replace('x', '<' * 2 * 10**7) }}",
            "{{ ('<' * 15 * 10**6)|truncate(14 * 10**6, true, 'x'|safe) }}",
        ],
    );
}

#[test]
fn no_loop_and_no_operation_runs_without_bound() {
    assert_bounded(
        "the rendering takes too many steps",
        &[
            "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}",
            "{% for i in range(1000) %}{% for j in range(1000) %}{% for k in range(1000) %}{% endfor %}{% endfor %}{% endfor %}",
            "{% set x = range(10000)|list %}{% for i in x %}{{ x == x }}{% endfor %}",
            "{% set x = range(10000)|list %}{% for i in x %}{{ -1 in x }}{% endfor %}",
            "{% set x = range(10000)|list %}{% for i in x %}{% for k in x %}{% break %}{% endfor %}{% endfor %}",
            "{% set x = 'x' * 10**6 %}{% for i in range(10000) %}{{ x[5] }}{% endfor %}",
            "{% set x = 'x' * 10**6 %}{% for i in range(10000) %}{{ {x: 1}|length }}{% endfor %}",
            "{% set x = 'x' * 10**6 %}{% for i in range(10000) %}{{ x is string }}{% endfor %}",
            "{% set x = 'x' * 10**6 %}{% for i in range(10000) %}{{ x|length }}{% endfor %}",
            "{% set x = 'x' * 10**6 %}{% for i in range(10000) %}{{ x.count('y') }}{% endfor %}",
            "{{ ('ab' * 500000)|trim('b' * 500000) }}",
            "{{ ('ab' * 500000).strip('cdefb' * 100000) }}",
            "{{ range(100000)|map(attribute='0' * 100000)|list }}",
            "{{ range(100000)|join('x' * 100000) }}",
            "{% set ns = namespace(s=[1]) %}{% for i in range(100) %}{% set ns.s = [ns.s, ns.s] %}{% endfor %}",
            "{% set ns = namespace(s='x') %}{% for i in range(100) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
            "{% set ns = namespace(s=[1]) %}{% for i in range(100) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
            "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}",
            "{{ (['x' * 10**6] * 70)|sort|length }}",
            "{{ (['x' * 10**6] * 70)|map('center')|list }}",
            "{% set x = range(10000)|list %}{% for i in x %}{{ x < x }}{% endfor %}",
            "{% set x = 'x' * 10**6 %}{% for i in range(10000) %}{{ x.index('x') }}{% endfor %}",
            "{{ ['x' * 10**6]|sort(attribute='999999,' * 100000) }}",
            "{{ range(600)|sort(attribute='0,' * 100000) }}",
            "{% set ns = namespace(a=[0] * 2000 + [1], b=[0] * 2000 + [2]) %}{% for i in range(120) %}\
             {% set ns.a = [ns.a] %}{% set ns.b = [ns.b] %}{% endfor %}{{ ([ns.b, ns.a] * 500)|sort }}",
            "{{ lipsum(10**9) }}",
            "{{ lipsum(1, min=10**9, max=2 * 10**9) }}",
        ],
    );
}

#[test]
fn no_output_grows_without_bound_captured_or_not() {
    let raw = "x".repeat(1_000);
    let many = format!("{{% for i in range(100000) %}}{raw}{{% endfor %}}");
    let template_in = |open: &str, close: &str| format!("{open}{many}{close}");
    for source in [
        many.clone(),
        template_in("{% set s %}", "{% endset %}"),
        template_in("{% filter upper %}", "{% endfilter %}"),
        template_in("{% macro m() %}", "{% endmacro %}{{ m() }}"),
        template_in("{% macro m() %}{{ caller() }}{% endmacro %}{% call m() %}", "{% endcall %}"),
        template_in("{% block b %}", "{% endblock %}"),
        format!("{{% set x = 'x' * 10**6 %}}{}", "{{ x }}".repeat(20)),
        "{% autoescape true %}{{ '<' * 10**7 }}{% endautoescape %}".to_owned(),
    ] {
        assert_bounded("the template writes more than 16777216 bytes", &[&source]);
    }
}

#[test]
fn no_recursion_and_no_nesting_goes_without_bound() {
    assert_bounded(
        "recursion limit exceeded",
        &[
            "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
            "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}",
            "{% macro m() %}{% call m() %}{{ caller() }}{% endcall %}{{ caller }}{% endmacro %}{{ m() }}",
            "{% block a %}{{ self.a() }}{% endblock %}",
            "{% for i in [[1]] recursive %}{{ loop([[1]]) }}{% endfor %}",
        ],
    );
    assert_bounded(
        "a value is nested more than 130 levels deep",
        &[
            "{% set ns = namespace(s=1) %}{% for i in range(50000) %}{% set ns.s = [ns.s] %}{% endfor %}",
            "{% set ns = namespace(s=1) %}{% for i in range(50000) %}{% set ns.s = {'a': ns.s} %}{% endfor %}",
            "{% set ns = namespace(s=1) %}{% for i in range(50000) %}{% set ns.s = (ns.s,) %}{% endfor %}",
        ],
    );
}

#[test]
fn nothing_can_hold_itself() {
    assert_bounded(
        "only text, numbers, lists and maps can be kept here",
        &[
            "{% set ns = namespace() %}{% set ns.x = ns %}{{ ns }}",
            "{% set ns = namespace() %}{% set ns.x = [{'a': ns}] %}{{ ns }}",
            "{% set ns = namespace() %}{% set other = namespace(a=ns) %}{{ other }}",
            "{% for i in [1] %}{{ loop.changed(loop) }}{% endfor %}",
            "{% set ns = namespace() %}{% for i in [1] %}{% set ns.l = loop %}{% endfor %}",
        ],
    );
}

#[test]
fn numbers_and_ranges_end_somewhere() {
    for (source, detail) in [
        ("{{ range(10**9) }}", "a range of 1000000000 elements; the limit is 100000"),
        ("{{ range(-9223372036854775807, 9223372036854775807) }}", "a range of 18446744073709551614 elements"),
        ("{{ range(0, 10, 0) }}", "the step of a range cannot be 0"),
        ("{{ 1 // 0 }}", "unable to calculate 1 // 0"),
        ("{{ 10 ** 10 ** 10 }}", "unable to calculate"),
        ("{{ 170141183460469231731687303715884105727 * 2 }}", "the product is too large"),
        ("{{ (['a'] * 1000)|sum(start='') }}", "`sum` adds numbers; its start is of type string"),
    ] {
        let failed = failure(source);
        assert!(failed.contains(detail), "{source}: {failed}");
    }
}

#[test]
fn what_cyclers_and_joiners_hold_is_not_printed() {
    for (source, text) in [
        ("{{ [cycler('x' * 10**6)] * 2 }}", "[<cycler>, <cycler>]"),
        ("{{ joiner('x' * 10**6) ~ '' }}", "<joiner>"),
        ("{% set j = joiner('/') %}{{ j() }}a{{ j() }}b{{ j() }}", "a/b/"),
    ] {
        assert_eq!(render_with(source, &json!({})).as_deref(), Ok(text), "{source}");
    }
}

#[test]
fn large_texts_and_long_lists_that_are_used_fairly_pass() {
    let text = "word ".repeat(200_000);
    let list: Vec<usize> = (0..2_000).collect();
    let values = json!({ "text": text, "list": list });
    for (source, length) in [
        ("{{ text }}", 1_000_000),
        ("{{ text|trim|upper }}", 999_999),
        ("{{ text|length }}", 7),
        ("{{ text|replace('word', 'words') }}", 1_200_000),
        ("{% for i in list %}{{ i }},{% endfor %}", 8_890),
        ("{% for i in list %}{{ list[loop.index0] }},{% endfor %}", 8_890),
        ("{% for i in list %}{{ 'x' if i in list }}{% endfor %}", 2_000),
        (
            "{% set ns = namespace(l=[]) %}{% for i in list %}{% set ns.l = ns.l + [i] %}{% endfor %}{{ ns.l|length }}",
            4,
        ),
        ("{{ list|map('string')|join(', ') }}", 10_888),
        ("{% for i in range(4) %}{{ range(90000)|map('string')|list|sort|unique|list|length }}{% endfor %}", 20),
    ] {
        assert_eq!(render_with(source, &values).map(|text| text.len()), Ok(length), "{source}");
    }
    let whole = "x".repeat(8 * 1024 * 1024);
    assert_eq!(render_with(&whole, &json!({})).map(|text| text.len()), Ok(whole.len()));
}
