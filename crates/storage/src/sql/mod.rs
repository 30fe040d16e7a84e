//! The small SQL interface that the functions of [`tables`](crate::tables) are written on: statements, typed values, rows.
//!
//! [`Sql`] is a connection of either database. SQLite answers on the thread that calls it (the writer thread, or
//! that of a reader), so that its futures are ready when they are first polled; PostgreSQL's client waits for the server.

mod row;
mod statement;
mod value;

use interline_items::StoreError;

pub(crate) use row::{RawRow, RowReader, column};
pub(crate) use statement::{Statement, dollar_parameters, has_parameter_in_literal, statement};
pub(crate) use value::{Value, values};

use crate::codec::CodecError;

/// Which database a connection leads to, for the few places where one of them needs another step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// One writer at a time, and every function that writes has a transaction to itself.
    Sqlite,
    /// Many writers at a time; a function that is not called in a transaction should write with one statement.
    Postgres,
}

/// A connection, or a transaction on one. Every statement is prepared once for a connection and kept.
pub(crate) trait Sql {
    /// Why a statement failed.
    type Failure: From<StoreError> + From<CodecError>;

    /// The database that it leads to.
    const DIALECT: Dialect;

    /// Executes a statement that answers with no rows; how many rows it changed.
    fn execute(
        &self,
        statement: Statement,
        values: &[Value<'_>],
    ) -> impl Future<Output = Result<u64, Self::Failure>> + Send;

    /// The rows that a statement answers with, each converted by `read`.
    fn query<T: Send>(
        &self,
        statement: Statement,
        values: &[Value<'_>],
        read: impl Fn(&mut RowReader<'_>) -> Result<T, StoreError> + Send,
    ) -> impl Future<Output = Result<Vec<T>, Self::Failure>> + Send;
}

/// The first row that a statement answers with.
pub(crate) async fn query_first<S: Sql, T: Send>(
    sql: &S,
    statement: Statement,
    values: &[Value<'_>],
    read: impl Fn(&mut RowReader<'_>) -> Result<T, StoreError> + Send,
) -> Result<Option<T>, S::Failure> {
    Ok(sql.query(statement, values, read).await?.into_iter().next())
}

/// The only row that a statement such as `SELECT count(*)` answers with.
pub(crate) async fn query_only<S: Sql, T: Send>(
    sql: &S,
    statement: Statement,
    values: &[Value<'_>],
    read: impl Fn(&mut RowReader<'_>) -> Result<T, StoreError> + Send,
) -> Result<T, S::Failure> {
    let row = query_first(sql, statement, values, read).await?;
    row.ok_or_else(|| StoreError::Failed("a statement answered without a row".to_owned()).into())
}
