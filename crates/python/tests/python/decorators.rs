//! Which functions have a workflow decorator, and which only look like it.

use interline_python::{DecoratorKind, SdkName};

use super::{check, check_with_sdk};

use DecoratorKind::{DataProvider, Tool, Workflow};

fn found(source: &str) -> Vec<(String, DecoratorKind)> {
    let checked = check(source).unwrap_or_else(|error| panic!("{source:?}: {error}"));
    checked.functions.into_iter().map(|function| (function.name, function.decorator)).collect()
}

#[test]
fn decorators_of_workflows_are_found_in_every_form() {
    for (source, kind) in [
        ("@workflow\ndef f(): pass", Workflow),
        ("@tool\ndef f(): pass", Tool),
        ("@data_provider\ndef f(): pass", DataProvider),
        ("@workflow()\ndef f(): pass", Workflow),
        ("@workflow(name='a', **more)\ndef f(): pass", Workflow),
        ("@workflow('a', *b)\ndef f(): pass", Workflow),
        ("@workflow(\n    name='a',\n)\ndef f(): pass", Workflow),
        ("@bifrost.workflow\ndef f(): pass", Workflow),
        ("@bifrost.tool()\ndef f(): pass", Tool),
        ("@bifrost.data_provider(name='x')\ndef f(): pass", DataProvider),
        ("@ workflow\ndef f(): pass", Workflow),
        ("@bifrost . workflow ( )\ndef f(): pass", Workflow),
        ("@bifrost.\\\n  workflow\ndef f(): pass", Workflow),
        ("@(workflow)\ndef f(): pass", Workflow),
        ("@(bifrost.workflow)()\ndef f(): pass", Workflow),
        ("@((workflow)())\ndef f(): pass", Workflow),
        ("@workflow  # comment\ndef f(): pass", Workflow),
        ("@workflow\n\n# comment\n\ndef f(): pass", Workflow),
        ("@workflow\nasync def f(): pass", Workflow),
        ("@tool()\nasync def f(): await x", Tool),
        ("@other\n@workflow\ndef f(): pass", Workflow),
        ("@workflow\n@other\ndef f(): pass", Workflow),
        ("@mcp.tool()\n@workflow\ndef f(): pass", Workflow),
        ("@tool\n@workflow\ndef f(): pass", Tool),
        ("if x:\n    @workflow\n    def f(): pass", Workflow),
        ("if x: pass\nelse:\n    @workflow\n    def f(): pass", Workflow),
        ("if x: pass\nelif y:\n    @workflow\n    def f(): pass", Workflow),
        ("try:\n    @workflow\n    def f(): pass\nfinally: pass", Workflow),
        ("try: pass\nexcept E:\n    @workflow\n    def f(): pass", Workflow),
        ("try: pass\nexcept E: pass\nelse:\n    @workflow\n    def f(): pass", Workflow),
        ("try: pass\nfinally:\n    @workflow\n    def f(): pass", Workflow),
        ("with x:\n    @workflow\n    def f(): pass", Workflow),
        ("for x in y:\n    @workflow\n    def f(): pass", Workflow),
        ("for x in y: pass\nelse:\n    @workflow\n    def f(): pass", Workflow),
        ("while x:\n    @workflow\n    def f(): pass", Workflow),
        ("match x:\n    case 1:\n        @workflow\n        def f(): pass", Workflow),
        ("def g():\n    @workflow\n    def f(): pass", Workflow),
        ("async def g():\n    @workflow\n    async def f(): pass", Workflow),
        ("class C:\n    @workflow\n    def f(self): pass", Workflow),
        ("class C:\n    class D:\n        def g(self):\n            @workflow\n            def f(): pass", Workflow),
        ("@workflow\ndef f[T](x: T): pass", Workflow),
        ("\u{feff}@workflow\ndef f(): pass", Workflow),
        ("@workflow\r\ndef f():\r\n    pass\r\n", Workflow),
        ("@ｗorkflow\ndef f(): pass", Workflow),
        ("x = 1; y = 2\n@workflow\ndef f(): return lambda: 1", Workflow),
    ] {
        assert_eq!(found(source), [("f".to_owned(), kind)], "{source:?}");
    }
}

#[test]
fn what_only_looks_like_a_decorator_of_a_workflow_is_none() {
    for source in [
        "",
        "def f(): pass",
        "# @workflow\ndef f(): pass",
        "'''\n@workflow\ndef f(): pass\n'''",
        "x = '@workflow'\ndef f(): pass",
        "def f():\n    '''@workflow'''",
        "def f():\n    '''\n    @workflow\n    def g(): pass\n    '''",
        "f'''{x}\n@workflow\ndef f(): pass\n'''",
        "@mcp.tool()\ndef f(): pass",
        "@mcp.tool\ndef f(): pass",
        "@toolkit.x\ndef f(): pass",
        "@toolkit\ndef f(): pass",
        "@workflows\ndef f(): pass",
        "@my_workflow\ndef f(): pass",
        "@Workflow\ndef f(): pass",
        "@WORKFLOW\ndef f(): pass",
        "@data_providers()\ndef f(): pass",
        "@bifrost.sub.workflow\ndef f(): pass",
        "@other.bifrost.workflow\ndef f(): pass",
        "@bifrost().workflow\ndef f(): pass",
        "@bifrost\ndef f(): pass",
        "@bifrost()\ndef f(): pass",
        "@bifrost.workflows\ndef f(): pass",
        "@Bifrost.workflow\ndef f(): pass",
        "@bifrost['workflow']\ndef f(): pass",
        "@workflow.foo\ndef f(): pass",
        "@workflow.foo()\ndef f(): pass",
        "@workflow().foo\ndef f(): pass",
        "@workflow()()\ndef f(): pass",
        "@workflow[0]\ndef f(): pass",
        "@workflow[T]()\ndef f(): pass",
        "@(workflow or x)\ndef f(): pass",
        "@(w := workflow)\ndef f(): pass",
        "@(lambda f: workflow(f))\ndef f(): pass",
        "@(workflow, tool)[0]\ndef f(): pass",
        "@partial(workflow, name='a')\ndef f(): pass",
        "@compose(workflow())\ndef f(): pass",
        "@'workflow'\ndef f(): pass",
        "@not_(workflow)\ndef f(): pass",
        "@wf\ndef f(): pass\nfrom bifrost import workflow as wf",
        "from bifrost import workflow\ndef f(): pass",
        "import bifrost as b\n@b.workflow\ndef f(): pass",
        "@self.workflow\ndef f(): pass",
        "@workflow\nclass C: pass",
        "@tool()\nclass C:\n    def f(self): pass",
        "workflow(f)",
        "f = workflow(lambda: 1)",
        "def f(): pass\nf = workflow(f)",
        "def workflow(f): return f\ndef f(): pass",
        "x = a @ workflow\ndef f(): pass",
        "x @= workflow\ndef f(): pass",
        "class workflow:\n    def f(self): pass",
        "def tool(): pass",
        "@property\ndef workflow(self): pass",
        "def f(workflow, tool=1): pass",
    ] {
        assert_eq!(found(source), [], "{source:?}");
    }
}

#[test]
fn several_functions_come_in_the_order_of_the_text() {
    let source = "\
@workflow
def outer():
    @tool
    def inner(): pass
class C:
    @bifrost.data_provider()
    async def method(self): pass
def plain(): pass
@tool
def last(): pass
";
    let names: Vec<_> =
        check(source).unwrap().functions.into_iter().map(|function| (function.name, function.line)).collect();
    let expected = [("outer", 2), ("inner", 4), ("method", 7), ("last", 10)];
    assert_eq!(names, expected.map(|(name, line)| (name.to_owned(), line)));
}

#[test]
fn the_name_of_the_sdk_is_configured() {
    let sdk = SdkName::parse("acme").unwrap();
    let count = |source: &str| check_with_sdk(source, &sdk).unwrap().functions.len();
    assert_eq!(count("@acme.workflow\ndef f(): pass"), 1);
    assert_eq!(count("@workflow\ndef f(): pass"), 1);
    assert_eq!(count("@bifrost.workflow\ndef f(): pass"), 0);
}
