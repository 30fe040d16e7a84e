//! What is kept of a workflow function.

use interline_python::{DecoratorKind, Function, Literal, Parameter, ParameterKind};

use super::check;

fn only(source: &str) -> Function {
    let mut functions = check(source).unwrap_or_else(|error| panic!("{source:?}: {error}")).functions;
    assert_eq!(functions.len(), 1);
    functions.remove(0)
}

fn parameter(name: &str, kind: ParameterKind, annotation: Option<&str>, default: Option<&str>) -> Parameter {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    Parameter { name: name.to_owned(), kind, annotation: owned(annotation), default: owned(default) }
}

#[test]
fn a_whole_function_is_known() {
    let source = r#"
@bifrost.workflow(
    name="Onboard " "user",
    description='''Makes
an account''',
    category="people",
    timeout=-30, ratio=.5, retry=True, owner=None,
    tags=["a", ("b", 1)], options={"deep": {"er": [2]}, "x": 0x10},
    computed=now(), mixed=[1, f()], text=f"{x}", keys={1: 2}, huge=99999999999999999999, bytes=b"x",
)
@other
async def onboard(a, b: int, /, c: "str" = 'x', *rest: list[int], d: dict[str, Any] = {"k": (1, 2)}, e=None, **more) -> str:
    """Makes an account.

        Indented more.
    And the end.
    """
    return c
"#;
    let text = |text: &str| Literal::Text(text.to_owned());
    let expected = Function {
        name: "onboard".to_owned(),
        decorator: DecoratorKind::Workflow,
        line: 12,
        title: Some("Onboard user".to_owned()),
        description: Some("Makes\nan account".to_owned()),
        category: Some("people".to_owned()),
        arguments: vec![
            ("timeout".to_owned(), Literal::Integer(-30)),
            ("ratio".to_owned(), Literal::Float(0.5)),
            ("retry".to_owned(), Literal::Bool(true)),
            ("owner".to_owned(), Literal::None),
            ("tags".to_owned(), Literal::List(vec![text("a"), Literal::List(vec![text("b"), Literal::Integer(1)])])),
            (
                "options".to_owned(),
                Literal::Map(vec![
                    (
                        "deep".to_owned(),
                        Literal::Map(vec![("er".to_owned(), Literal::List(vec![Literal::Integer(2)]))]),
                    ),
                    ("x".to_owned(), Literal::Integer(16)),
                ]),
            ),
        ],
        parameters: vec![
            parameter("a", ParameterKind::PositionalOnly, None, None),
            parameter("b", ParameterKind::PositionalOnly, Some("int"), None),
            parameter("c", ParameterKind::Standard, Some("\"str\""), Some("'x'")),
            parameter("rest", ParameterKind::Positions, Some("list[int]"), None),
            parameter("d", ParameterKind::KeywordOnly, Some("dict[str, Any]"), Some("{\"k\": (1, 2)}")),
            parameter("e", ParameterKind::KeywordOnly, None, Some("None")),
            parameter("more", ParameterKind::Keywords, None, None),
        ],
        doc: Some("Makes an account.\n\n    Indented more.\nAnd the end.".to_owned()),
    };
    assert_eq!(only(source), expected);
}

#[test]
fn what_is_not_said_is_not_known() {
    let function = only("@tool\ndef f(): 'doc'; return 1");
    assert_eq!((function.title, function.description, function.category), (None, None, None));
    assert_eq!(function.doc.as_deref(), Some("doc"));
    let function = only("@tool(name=1, description=x)\ndef f():\n    f'no {doc}'");
    assert_eq!((function.title, function.description, function.doc), (None, None, None));
    assert_eq!(function.arguments, [("name".to_owned(), Literal::Integer(1))]);
}

#[test]
fn doc_strings_lose_their_indentation_and_the_blank_lines_around() {
    for (written, doc) in [
        ("'''a'''", "a"),
        ("''''''", ""),
        ("'''\n    a\n      b\n    '''", "a\n  b"),
        ("'''  a\r\n    b\r\n'''", "a\nb"),
        ("'''a\n\n\n'''", "a"),
        ("'a\\n  b'", "a\nb"),
    ] {
        let function = only(&format!("@tool\ndef f():\n    {written}"));
        assert_eq!(function.doc.as_deref(), Some(doc), "{written:?}");
    }
}

#[test]
fn what_is_nested_too_deep_is_not_kept() {
    let nested = |depth: usize| format!("@tool(x={}1{}, y=2)\ndef f(): pass\n", "[".repeat(depth), "]".repeat(depth));
    let kept = |source: &str| only(source).arguments.into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(kept(&nested(16)), ["x", "y"]);
    assert_eq!(kept(&nested(17)), ["y"]);
    assert_eq!(kept(&nested(190)), ["y"]);
    let maps = format!("@tool(x={}1{}, y=2)\ndef f(): pass\n", "{'a': ".repeat(60), "}".repeat(60));
    assert_eq!(kept(&maps), ["y"]);
}

#[test]
fn a_file_says_only_so_much_about_its_functions() {
    let refused = "the workflow functions of a file say more than 1 MiB about themselves";
    let long = format!("@tool\ndef f():\n    '{}'\n", "x".repeat(1 << 20));
    let many = "@tool\ndef f(): pass\n".repeat(10_000);
    for source in [long, many] {
        assert_eq!(check(&source).unwrap_err().message, refused);
    }
    assert_eq!(check(&"@tool\ndef f(): pass\n".repeat(1_000)).unwrap().functions.len(), 1_000);
}
