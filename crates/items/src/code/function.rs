//! What is known of a workflow function without running it.

/// A function with a workflow decorator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name in the code.
    pub name: String,
    /// The first of its workflow decorators.
    pub decorator: DecoratorKind,
    /// The 1-based line of its `def`.
    pub line: usize,
    /// The decorator's `name`.
    pub title: Option<String>,
    /// The decorator's `description`.
    pub description: Option<String>,
    /// The decorator's `category`.
    pub category: Option<String>,
    /// The decorator's other keyword arguments that are literals, in order.
    pub arguments: Vec<(String, Literal)>,
    /// What it takes, in order.
    pub parameters: Vec<Parameter>,
    /// Its doc string without its indentation, as `inspect.cleandoc` gives it.
    pub doc: Option<String>,
}

/// What a decorator makes of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DecoratorKind {
    /// `@workflow`.
    Workflow,
    /// `@tool`.
    Tool,
    /// `@data_provider`.
    DataProvider,
}

impl DecoratorKind {
    /// The decorator's name in code.
    pub fn as_str(self) -> &'static str {
        match self {
            DecoratorKind::Workflow => "workflow",
            DecoratorKind::Tool => "tool",
            DecoratorKind::DataProvider => "data_provider",
        }
    }

    /// The kind whose name in code this is.
    pub fn parse(name: &str) -> Option<DecoratorKind> {
        [DecoratorKind::Workflow, DecoratorKind::Tool, DecoratorKind::DataProvider]
            .into_iter()
            .find(|kind| kind.as_str() == name)
    }
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, without stars.
    pub name: String,
    /// How it is given.
    pub kind: ParameterKind,
    /// Its annotation, as it is written.
    pub annotation: Option<String>,
    /// Its default, as it is written.
    pub default: Option<String>,
}

/// How a parameter is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// By position only: before `/`.
    PositionalOnly,
    /// By position or name.
    Standard,
    /// All further positions: `*args`.
    Positions,
    /// By name only: after `*`.
    KeywordOnly,
    /// All further names: `**kwargs`.
    Keywords,
}

/// A value that is written out in code.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `None`.
    None,
    /// `True` or `False`.
    Bool(bool),
    /// A whole number of 64 bits.
    Integer(i64),
    /// A finite number.
    Float(f64),
    /// A text.
    Text(String),
    /// A list or a tuple.
    List(Vec<Literal>),
    /// A dict whose keys are texts, in order.
    Map(Vec<(String, Literal)>),
}

// A float here is finite, and so equal to itself.
impl Eq for Literal {}
