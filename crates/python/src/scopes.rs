//! Scopes and their symbol tables: which names a scope binds, uses and declares, by the rules of CPython's `symtable`.

use std::collections::HashMap;
use std::mem;

use ruff_python_ast::name::Name;

use crate::error::Problem;

/// What a scope is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScopeKind {
    Module,
    Class,
    Function,
    AsyncFunction,
    Lambda,
    /// A list, set or dict that a comprehension makes at once.
    Comprehension,
    /// A generator expression, which is run later by its consumer.
    Generator,
    /// Type parameters, the value of a type alias, or an annotation that is not evaluated.
    Types,
}

impl ScopeKind {
    pub(crate) fn is_comprehension(self) -> bool {
        matches!(self, ScopeKind::Comprehension | ScopeKind::Generator)
    }
}

/// How a scope uses a name; several can be true at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NameFlags(u8);

impl NameFlags {
    pub(crate) const USED: NameFlags = NameFlags(1);
    pub(crate) const BOUND: NameFlags = NameFlags(2);
    pub(crate) const PARAMETER: NameFlags = NameFlags(4);
    pub(crate) const ANNOTATED: NameFlags = NameFlags(8);
    pub(crate) const GLOBAL: NameFlags = NameFlags(16);
    pub(crate) const NONLOCAL: NameFlags = NameFlags(32);
    /// An import binds it; that may come before a declaration.
    pub(crate) const IMPORTED: NameFlags = NameFlags(128);
    /// By the `for` of a comprehension.
    pub(crate) const ITERATED: NameFlags = NameFlags(64);

    pub(crate) fn has(self, other: NameFlags) -> bool {
        self.0 & other.0 != 0
    }

    fn and(self, other: NameFlags) -> NameFlags {
        NameFlags(self.0 | other.0)
    }
}

/// Whether the names of a scope are recorded: nobody will ask about those of most scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SymbolTable {
    Recorded,
    Needless,
}

/// A statement that declares a name to belong to another scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Declaration {
    Global,
    Nonlocal,
}

impl Declaration {
    fn as_str(self) -> &'static str {
        match self {
            Declaration::Global => "global",
            Declaration::Nonlocal => "nonlocal",
        }
    }
}

/// A name that an inner scope declared `nonlocal`, whose binding is still to be found.
struct PendingNonlocal {
    name: Name,
    offset: usize,
}

impl PendingNonlocal {
    fn unbound(&self) -> Problem {
        Problem::new(self.offset, format!("no binding for nonlocal '{}' found", self.name))
    }
}

/// A region of the text with names of its own.
pub(crate) struct Scope {
    pub(crate) kind: ScopeKind,
    /// Something in a comprehension awaits, so it can only run in an asynchronous function.
    pub(crate) awaits: bool,
    /// Inside how many iterables of comprehensions.
    pub(crate) iterables: usize,
    /// The class whose private names (`__x`) are meant.
    class: Option<Name>,
    table: SymbolTable,
    /// Uses since the last look-up; most scopes are never asked.
    recent: Vec<(Name, NameFlags)>,
    symbols: HashMap<Name, NameFlags>,
    /// `nonlocal` names of this scope, whose bindings are in those around it.
    pending: Vec<PendingNonlocal>,
    /// `nonlocal` names of inner scopes, whose bindings are in this one or those around it.
    pending_inside: Vec<PendingNonlocal>,
}

impl Scope {
    pub(crate) fn new(kind: ScopeKind, table: SymbolTable, around: Option<&Scope>) -> Scope {
        Scope {
            kind,
            awaits: false,
            iterables: around.map_or(0, |around| around.iterables),
            class: around.and_then(|around| around.class.clone()),
            table,
            recent: Vec::new(),
            symbols: HashMap::new(),
            pending: Vec::new(),
            pending_inside: Vec::new(),
        }
    }

    /// Sets the class whose body this scope is.
    pub(crate) fn name_class(&mut self, name: &Name) {
        self.class = Some(name.clone());
    }

    /// Records a use of a name.
    pub(crate) fn record(&mut self, name: &Name, flags: NameFlags) {
        match self.table {
            SymbolTable::Recorded => self.recent.push((name.clone(), flags)),
            SymbolTable::Needless => {}
        }
    }

    /// The uses of a name so far.
    pub(crate) fn flags(&mut self, name: &Name) -> NameFlags {
        let name = self.mangled(name);
        self.look_up(&name)
    }

    fn look_up(&mut self, name: &str) -> NameFlags {
        for (name, flags) in mem::take(&mut self.recent) {
            let entry = self.symbols.entry(self.mangled(&name)).or_default();
            *entry = entry.and(flags);
        }
        self.symbols.get(name).copied().unwrap_or_default()
    }

    /// A `global` or `nonlocal` statement names it.
    pub(crate) fn declare(&mut self, name: &Name, declared: Declaration, offset: usize) -> Result<(), Problem> {
        let flags = self.flags(name);
        let word = declared.as_str();
        let message = if flags.has(NameFlags::PARAMETER) {
            format!("name '{name}' is parameter and {word}")
        } else if flags.has(NameFlags::USED) {
            format!("name '{name}' is used prior to {word} declaration")
        } else if flags.has(NameFlags::ANNOTATED) {
            format!("annotated name '{name}' can't be {word}")
        } else if flags.has(NameFlags::BOUND) {
            format!("name '{name}' is assigned to before {word} declaration")
        } else {
            let other = match declared {
                Declaration::Global => NameFlags::NONLOCAL,
                Declaration::Nonlocal => NameFlags::GLOBAL,
            };
            if flags.has(other) {
                return Err(Problem::new(offset, format!("name '{name}' is nonlocal and global")));
            }
            match declared {
                Declaration::Global => self.record(name, NameFlags::GLOBAL),
                Declaration::Nonlocal => {
                    self.record(name, NameFlags::NONLOCAL);
                    self.pending.push(PendingNonlocal { name: self.mangled(name), offset });
                }
            }
            return Ok(());
        };
        Err(Problem::new(offset, message))
    }

    /// Gives the `nonlocal` names of the scopes inside what this one binds, now that all of it is known, and hands the
    /// rest on to the scope around it.
    pub(crate) fn end(mut self, around: Option<&mut Scope>) -> Result<(), Problem> {
        let mut rest = mem::take(&mut self.pending);
        for pending in mem::take(&mut self.pending_inside) {
            if !self.binds(&pending)? {
                rest.push(pending);
            }
        }
        match around {
            Some(around) => around.pending_inside.append(&mut rest),
            None => rest.first().map_or(Ok(()), |pending| Err(pending.unbound()))?,
        }
        Ok(())
    }

    fn binds(&mut self, pending: &PendingNonlocal) -> Result<bool, Problem> {
        let flags = self.look_up(&pending.name);
        match self.kind {
            ScopeKind::Module => Err(pending.unbound()),
            ScopeKind::Class => Ok(pending.name.as_str() == "__class__"),
            ScopeKind::Types if flags.has(NameFlags::BOUND) => {
                let message = format!("nonlocal binding not allowed for type parameter '{}'", pending.name);
                Err(Problem::new(pending.offset, message))
            }
            ScopeKind::Types => Ok(false),
            _ if flags.has(NameFlags::GLOBAL) => Err(pending.unbound()),
            _ => Ok((flags.has(NameFlags::BOUND) || flags.has(NameFlags::IMPORTED)) && !flags.has(NameFlags::NONLOCAL)),
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
