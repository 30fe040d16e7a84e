//! Which names have a value at a point of a template.

use std::collections::HashSet;

/// The scopes around a point, from the outside in.
#[derive(Default)]
pub(super) struct Scopes<'a> {
    stack: Vec<Scope<'a>>,
}

#[derive(Default)]
struct Scope<'a> {
    /// Names that were assigned on every way to this point.
    assigned: HashSet<&'a str>,
    /// `assigned`, in order, so that a branch can be taken back.
    log: Vec<&'a str>,
    /// Names that were assigned on any way, so far.
    ever: HashSet<&'a str>,
}

/// The names that one way through an `if` assigns.
pub(super) struct Branch<'a>(Vec<&'a str>);

impl<'a> Scopes<'a> {
    pub(super) fn open(&mut self) {
        self.stack.push(Scope::default());
    }

    pub(super) fn close(&mut self) {
        self.stack.pop();
    }

    pub(super) fn knows(&self, name: &str) -> bool {
        self.stack.iter().rev().any(|scope| scope.assigned.contains(name))
    }

    pub(super) fn assign(&mut self, name: &'a str) {
        if let Some(scope) = self.stack.last_mut() {
            scope.ever.insert(name);
            if scope.assigned.insert(name) {
                scope.log.push(name);
            }
        }
    }

    /// Where a branch begins.
    pub(super) fn mark(&self) -> usize {
        self.stack.last().map_or(0, |scope| scope.log.len())
    }

    /// Takes back what was assigned since `mark`.
    pub(super) fn take_back(&mut self, mark: usize) -> Branch<'a> {
        let Some(scope) = self.stack.last_mut() else { return Branch(Vec::new()) };
        let names = scope.log.split_off(mark.min(scope.log.len()));
        for name in &names {
            scope.assigned.remove(name);
        }
        Branch(names)
    }

    /// Assigns what both ways assign.
    pub(super) fn join(&mut self, one: Branch<'a>, other: &Branch<'a>) {
        let other: HashSet<_> = other.0.iter().collect();
        for name in one.0.into_iter().filter(|name| other.contains(name)) {
            self.assign(name);
        }
    }

    /// Assigns all names that any way through the innermost scope assigns: what a macro may find when it is called.
    pub(super) fn assume_all(&mut self) {
        if let Some(scope) = self.stack.last_mut() {
            scope.assigned.extend(scope.ever.iter());
        }
    }
}
