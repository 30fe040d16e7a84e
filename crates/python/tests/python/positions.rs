//! Where an error is: 1-based lines that end with `\n`, 1-based columns in characters.

use super::check;

#[test]
fn errors_say_where_they_are() {
    for (source, line, column, message) in [
        ("x = 1\nreturn x\n", 2, 1, "`return` statement outside of a function"),
        ("x = 1\ny = (\nz = 2\n", 2, 5, "`(` was never closed"),
        ("x = 'é' + 'ü' )", 1, 15, "unmatched `)`"),
        ("\u{feff}x = )", 1, 5, "unmatched `)`"),
        ("x = [1, 2)", 1, 10, "`)` does not close"),
        ("x = 'a\n", 1, 5, "unterminated string"),
        ("x = '''a\n\n", 1, 5, "unterminated string"),
        ("if x:\r\n    y\r\n  z\r\n", 3, 3, "unindent does not match"),
        ("if x:\n\ty\n        z\n", 3, 9, "inconsistent use of tabs and spaces"),
        ("def f(a, a): pass", 1, 10, "Duplicate parameter"),
        ("def f():\n    print(x)\n    global x\n", 3, 12, "name 'x' is used prior to global declaration"),
        ("def f():\n    nonlocal x\n", 2, 14, "no binding for nonlocal 'x' found"),
        ("x = 1\rreturn", 1, 7, "outside of a function"),
        ("def f():\n    await x", 2, 5, "'await' outside async function"),
        ("x = \0", 1, 5, "null character"),
        ("x = 1 +", 1, 8, "Expected an expression"),
        ("if x\n    pass", 1, 5, "Expected `:`"),
        ("(class)", 1, 2, "`class` inside brackets"),
    ] {
        let error = check(source).unwrap_err();
        assert_eq!((error.line, error.column), (line, column), "{source:?}: {error}");
        assert!(error.message.contains(message), "{source:?}: {error}");
    }
}

#[test]
fn the_first_of_several_errors_is_told() {
    let error = check("def f():\n    yield = 1\n    x = = 2\nreturn").unwrap_err();
    assert_eq!(error.line, 2);
    let error = check("x = 1\nbreak\nreturn\n").unwrap_err();
    assert_eq!((error.line, error.to_string()), (2, "line 2, column 1: `break` outside loop".to_owned()));
}
