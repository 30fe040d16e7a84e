//! Scopes of a template: which names are assigned at a point of it.

use std::collections::HashSet;

/// The scopes around a point, from the outside in.
#[derive(Default)]
pub(crate) struct Scopes<'a> {
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
pub(crate) struct BranchAssignments<'a>(Vec<&'a str>);

impl<'a> Scopes<'a> {
    pub(crate) fn open(&mut self) {
        self.stack.push(Scope::default());
    }

    pub(crate) fn close(&mut self) {
        self.stack.pop();
    }

    pub(crate) fn is_assigned(&self, name: &str) -> bool {
        self.stack.iter().rev().any(|scope| scope.assigned.contains(name))
    }

    pub(crate) fn assign(&mut self, name: &'a str) {
        if let Some(scope) = self.stack.last_mut() {
            scope.ever.insert(name);
            if scope.assigned.insert(name) {
                scope.log.push(name);
            }
        }
    }

    /// Where a branch begins.
    pub(crate) fn mark(&self) -> usize {
        self.stack.last().map_or(0, |scope| scope.log.len())
    }

    /// Takes back what was assigned since `mark`.
    pub(crate) fn roll_back(&mut self, mark: usize) -> BranchAssignments<'a> {
        let Some(scope) = self.stack.last_mut() else { return BranchAssignments(Vec::new()) };
        let names = scope.log.split_off(mark.min(scope.log.len()));
        for name in &names {
            scope.assigned.remove(name);
        }
        BranchAssignments(names)
    }

    /// Assigns what both ways assign.
    pub(crate) fn join(&mut self, one: BranchAssignments<'a>, other: &BranchAssignments<'a>) {
        let other: HashSet<_> = other.0.iter().collect();
        for name in one.0.into_iter().filter(|name| other.contains(name)) {
            self.assign(name);
        }
    }

    /// Assigns all names that any way through the innermost scope assigns: what a macro may find when it is called.
    pub(crate) fn assume_all(&mut self) {
        if let Some(scope) = self.stack.last_mut() {
            scope.assigned.extend(scope.ever.iter());
        }
    }
}
