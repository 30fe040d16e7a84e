//! Which names a scope binds, uses and declares, by the rules of CPython's symbol table.

use std::collections::HashMap;
use std::mem;

use ruff_python_ast::name::Name;

use super::Problem;

/// What a scope is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScopeKind {
    Module,
    Class,
    Function,
    AsyncFunction,
    Lambda,
    /// A list, set or dict that a comprehension makes at once.
    Comprehension,
    /// A comprehension that is run later, by others.
    Generator,
    /// Type parameters, the value of a type alias, or an annotation that is not evaluated.
    Types,
}

impl ScopeKind {
    pub(super) fn is_comprehension(self) -> bool {
        matches!(self, ScopeKind::Comprehension | ScopeKind::Generator)
    }
}

/// What is said of a name; several can be true at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Said(u8);

impl Said {
    pub(super) const USED: Said = Said(1);
    pub(super) const BOUND: Said = Said(2);
    pub(super) const PARAMETER: Said = Said(4);
    pub(super) const ANNOTATED: Said = Said(8);
    pub(super) const GLOBAL: Said = Said(16);
    pub(super) const NONLOCAL: Said = Said(32);
    /// An import binds it; that may come before a declaration.
    pub(super) const IMPORTED: Said = Said(128);
    /// By the `for` of a comprehension.
    pub(super) const ITERATED: Said = Said(64);

    pub(super) fn has(self, other: Said) -> bool {
        self.0 & other.0 != 0
    }

    fn and(self, other: Said) -> Said {
        Said(self.0 | other.0)
    }
}

/// Whether anything will be asked about the names of a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    Kept,
    Needless,
}

/// How a statement takes a name from elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declared {
    Global,
    Nonlocal,
}

impl Declared {
    fn as_str(self) -> &'static str {
        match self {
            Declared::Global => "global",
            Declared::Nonlocal => "nonlocal",
        }
    }
}

/// A name that a scope inside declared `nonlocal`, whose binding is still to be found.
struct Wanted {
    name: Name,
    offset: usize,
}

impl Wanted {
    fn unbound(&self) -> Problem {
        Problem::new(self.offset, format!("no binding for nonlocal '{}' found", self.name))
    }
}

/// A part of the text with names of its own.
pub(super) struct Scope {
    pub(super) kind: ScopeKind,
    /// Something in a comprehension waits, so it can only run in what may wait.
    pub(super) waits: bool,
    /// Inside how many expressions that a comprehension goes over.
    pub(super) iterables: usize,
    /// The class whose private names (`__x`) are meant.
    class: Option<Name>,
    table: Table,
    /// What was said since the last question; most scopes are never asked.
    recent: Vec<(Name, Said)>,
    said: HashMap<Name, Said>,
    /// What this scope wants from those around it.
    wanted: Vec<Wanted>,
    /// What the scopes inside want from this one or those around it.
    wanted_inside: Vec<Wanted>,
}

impl Scope {
    pub(super) fn new(kind: ScopeKind, table: Table, around: Option<&Scope>) -> Scope {
        Scope {
            kind,
            waits: false,
            iterables: around.map_or(0, |around| around.iterables),
            class: around.and_then(|around| around.class.clone()),
            table,
            recent: Vec::new(),
            said: HashMap::new(),
            wanted: Vec::new(),
            wanted_inside: Vec::new(),
        }
    }

    /// It is of the class of this name.
    pub(super) fn name_class(&mut self, name: &Name) {
        self.class = Some(name.clone());
    }

    /// Says something of a name.
    pub(super) fn say(&mut self, name: &Name, said: Said) {
        match self.table {
            Table::Kept => self.recent.push((name.clone(), said)),
            Table::Needless => {}
        }
    }

    /// What was said of a name so far.
    pub(super) fn said(&mut self, name: &Name) -> Said {
        let name = self.mangled(name);
        self.looked_up(&name)
    }

    fn looked_up(&mut self, name: &str) -> Said {
        for (name, said) in mem::take(&mut self.recent) {
            let entry = self.said.entry(self.mangled(&name)).or_default();
            *entry = entry.and(said);
        }
        self.said.get(name).copied().unwrap_or_default()
    }

    /// A `global` or `nonlocal` statement names it.
    pub(super) fn declare(&mut self, name: &Name, declared: Declared, offset: usize) -> Result<(), Problem> {
        let said = self.said(name);
        let word = declared.as_str();
        let message = if said.has(Said::PARAMETER) {
            format!("name '{name}' is parameter and {word}")
        } else if said.has(Said::USED) {
            format!("name '{name}' is used prior to {word} declaration")
        } else if said.has(Said::ANNOTATED) {
            format!("annotated name '{name}' can't be {word}")
        } else if said.has(Said::BOUND) {
            format!("name '{name}' is assigned to before {word} declaration")
        } else {
            let other = match declared {
                Declared::Global => Said::NONLOCAL,
                Declared::Nonlocal => Said::GLOBAL,
            };
            if said.has(other) {
                return Err(Problem::new(offset, format!("name '{name}' is nonlocal and global")));
            }
            match declared {
                Declared::Global => self.say(name, Said::GLOBAL),
                Declared::Nonlocal => {
                    self.say(name, Said::NONLOCAL);
                    self.wanted.push(Wanted { name: self.mangled(name), offset });
                }
            }
            return Ok(());
        };
        Err(Problem::new(offset, message))
    }

    /// Gives the `nonlocal` names of the scopes inside what this one binds, now that all of it is known, and hands the
    /// rest on to the scope around it.
    pub(super) fn end(mut self, around: Option<&mut Scope>) -> Result<(), Problem> {
        let mut rest = mem::take(&mut self.wanted);
        for wanted in mem::take(&mut self.wanted_inside) {
            if !self.binds(&wanted)? {
                rest.push(wanted);
            }
        }
        match around {
            Some(around) => around.wanted_inside.append(&mut rest),
            None => rest.first().map_or(Ok(()), |wanted| Err(wanted.unbound()))?,
        }
        Ok(())
    }

    fn binds(&mut self, wanted: &Wanted) -> Result<bool, Problem> {
        let said = self.looked_up(&wanted.name);
        match self.kind {
            ScopeKind::Module => Err(wanted.unbound()),
            ScopeKind::Class => Ok(wanted.name.as_str() == "__class__"),
            ScopeKind::Types if said.has(Said::BOUND) => {
                let message = format!("nonlocal binding not allowed for type parameter '{}'", wanted.name);
                Err(Problem::new(wanted.offset, message))
            }
            ScopeKind::Types => Ok(false),
            _ if said.has(Said::GLOBAL) => Err(wanted.unbound()),
            _ => Ok((said.has(Said::BOUND) || said.has(Said::IMPORTED)) && !said.has(Said::NONLOCAL)),
        }
    }

    fn mangled(&self, name: &Name) -> Name {
        match &self.class {
            Some(class) if name.starts_with("__") && !name.ends_with("__") => match class.trim_start_matches('_') {
                "" => name.clone(),
                class => Name::concat(&["_", class, name]),
            },
            _ => name.clone(),
        }
    }
}
