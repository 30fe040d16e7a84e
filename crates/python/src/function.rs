//! Workflow functions: their metadata as it is read from the code, without running it.

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
    /// Its parameters, in order.
    pub parameters: Vec<Parameter>,
    /// Its doc string without its indentation, as `inspect.cleandoc` gives it.
    pub doc: Option<String>,
}

impl Function {
    /// How many bytes it takes to store it, about.
    pub(crate) fn size(&self) -> usize {
        let Function { name, title, description, category, arguments, parameters, doc, .. } = self;
        let texts = [Some(name), title.as_ref(), description.as_ref(), category.as_ref(), doc.as_ref()];
        let texts: usize = texts.into_iter().flatten().map(String::len).sum();
        let arguments: usize = arguments.iter().map(|(name, value)| name.len() + value.size()).sum();
        let parameters: usize = parameters.iter().map(Parameter::size).sum();
        size_of::<Function>() + texts + arguments + parameters
    }
}

/// A workflow decorator.
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
    /// Every one.
    pub const ALL: [DecoratorKind; 3] = [DecoratorKind::Workflow, DecoratorKind::Tool, DecoratorKind::DataProvider];

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
        DecoratorKind::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, without stars.
    pub name: String,
    /// How a call passes it.
    pub kind: ParameterKind,
    /// Its annotation, as it is written.
    pub annotation: Option<String>,
    /// Its default, as it is written.
    pub default: Option<String>,
}

impl Parameter {
    fn size(&self) -> usize {
        let texts = [Some(&self.name), self.annotation.as_ref(), self.default.as_ref()];
        size_of::<Parameter>() + texts.into_iter().flatten().map(String::len).sum::<usize>()
    }
}

/// How a call passes a parameter.
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

impl Literal {
    fn size(&self) -> usize {
        let inside = match self {
            Literal::None | Literal::Bool(_) | Literal::Integer(_) | Literal::Float(_) => 0,
            Literal::Text(text) => text.len(),
            Literal::List(values) => values.iter().map(Literal::size).sum(),
            Literal::Map(entries) => entries.iter().map(|(key, value)| key.len() + value.size()).sum(),
        };
        size_of::<Literal>() + inside
    }
}

// A float here is finite, and so equal to itself.
impl Eq for Literal {}
