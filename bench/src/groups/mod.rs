//! The groups of benchmarks of `just bench`, by their names.

mod changes;
mod code_postgres;
mod code_search;
mod command_line;
mod creates;
mod edits;
mod foreign;
mod growth;
mod http;
mod mcp;
mod module;
mod process;
mod python;
mod search;

use std::error::Error;

use crate::engine;

/// Rows that are measured together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// The text engine.
    Engine,
    /// Reads over REST.
    Http,
    /// New notes over REST.
    Creates,
    /// Changes of notes over REST.
    Edits,
    /// Few items and many.
    Growth,
    /// The command as a process.
    Process,
    /// Whether stored code is Python.
    Python,
    /// Searches through stored code.
    CodeSearch,
    /// A long module that is changed precisely.
    Module,
    /// Searches over items, and their index.
    Search,
    /// An agent's server.
    Mcp,
    /// What does not exist for a user.
    Foreign,
    /// Change sets and their review.
    Changes,
}

impl Group {
    pub(crate) const ALL: [Group; 13] = [
        Group::Engine,
        Group::Http,
        Group::Creates,
        Group::Edits,
        Group::Growth,
        Group::Process,
        Group::Python,
        Group::CodeSearch,
        Group::Module,
        Group::Search,
        Group::Mcp,
        Group::Foreign,
        Group::Changes,
    ];

    /// The word that asks for it.
    const fn name(self) -> &'static str {
        match self {
            Group::Engine => "engine",
            Group::Http => "http",
            Group::Creates => "creates",
            Group::Edits => "edits",
            Group::Growth => "growth",
            Group::Process => "process",
            Group::Python => "python",
            Group::CodeSearch => "code-search",
            Group::Module => "module",
            Group::Search => "search",
            Group::Mcp => "mcp",
            Group::Foreign => "foreign",
            Group::Changes => "changes",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Group> {
        Group::ALL.into_iter().find(|group| group.name() == name)
    }

    pub(crate) fn names() -> Vec<&'static str> {
        Group::ALL.map(Group::name).to_vec()
    }

    /// Measures and prints the rows whose names contain `rows`.
    pub(crate) fn run(self, rows: &str) -> Result<(), Box<dyn Error>> {
        match self {
            Group::Engine => engine::run(rows),
            Group::Http => http::run(rows),
            Group::Creates => creates::run(rows),
            Group::Edits => edits::run(rows),
            Group::Growth => growth::run(rows),
            Group::Process => process::run(rows),
            Group::Python => python::run(rows),
            Group::CodeSearch => code_search::run(rows),
            Group::Module => module::run(rows),
            Group::Search => search::run(rows),
            Group::Mcp => mcp::run(rows),
            Group::Foreign => foreign::run(rows),
            Group::Changes => changes::run(rows),
        }
    }
}
