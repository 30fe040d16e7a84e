//! [`Sql`] on a connection to the SQLite file.

use std::future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use interline_items::StoreError;
use rusqlite::types::{FromSqlError, ToSqlOutput, ValueRef};
use rusqlite::{Connection, Row, ToSql, params_from_iter};
use uuid::Uuid;

use super::failure::Failure;
use crate::sql::{Dialect, RawRow, RowReader, Sql, Statement, Value};

/// The result of work on a connection of SQLite, which never waits: its future is ready when it is first polled.
pub(super) fn poll_once<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => outcome,
        Poll::Pending => Err(StoreError::Failed("work on SQLite waited for something else".to_owned()).into()),
    }
}

/// Statements are executed before the future is returned.
impl Sql for Connection {
    type Failure = Failure;

    const DIALECT: Dialect = Dialect::Sqlite;

    fn execute(&self, statement: Statement, values: &[Value<'_>]) -> impl Future<Output = Result<u64, Failure>> + Send {
        future::ready(execute(self, statement.sqlite, values))
    }

    fn query<T: Send>(
        &self,
        statement: Statement,
        values: &[Value<'_>],
        read: impl Fn(&mut RowReader<'_>) -> Result<T, StoreError> + Send,
    ) -> impl Future<Output = Result<Vec<T>, Failure>> + Send {
        future::ready(query(self, statement.sqlite, values, read))
    }
}

fn execute(connection: &Connection, sql: &str, values: &[Value<'_>]) -> Result<u64, Failure> {
    Ok(connection.prepare_cached(sql)?.execute(params_from_iter(values))? as u64)
}

fn query<T>(
    connection: &Connection,
    sql: &str,
    values: &[Value<'_>],
    read: impl Fn(&mut RowReader<'_>) -> Result<T, StoreError>,
) -> Result<Vec<T>, Failure> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params_from_iter(values))?;
    let mut converted = Vec::new();
    while let Some(row) = rows.next()? {
        converted.push(read(&mut RowReader::new(row))?);
    }
    Ok(converted)
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Value::Null => ValueRef::Null,
            Value::Integer(integer) => ValueRef::Integer(*integer),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Bytes(bytes) => ValueRef::Blob(bytes),
            Value::Uuid(id) => ValueRef::Blob(id.as_bytes()),
        }))
    }
}

impl RawRow for Row<'_> {
    fn integer(&self, column: usize) -> Result<Option<i64>, StoreError> {
        value(self, column)?.as_i64_or_null().map_err(|error| mismatch(column, &error))
    }

    fn text(&self, column: usize) -> Result<Option<&str>, StoreError> {
        value(self, column)?.as_str_or_null().map_err(|error| mismatch(column, &error))
    }

    fn bytes(&self, column: usize) -> Result<Option<&[u8]>, StoreError> {
        value(self, column)?.as_blob_or_null().map_err(|error| mismatch(column, &error))
    }

    fn uuid(&self, column: usize) -> Result<Option<Uuid>, StoreError> {
        let id = |bytes| Uuid::from_slice(bytes).map_err(|error| StoreError::Failed(error.to_string()));
        self.bytes(column)?.map(id).transpose()
    }
}

fn value<'row>(row: &'row Row<'_>, column: usize) -> Result<ValueRef<'row>, StoreError> {
    row.get_ref(column).map_err(|error| StoreError::Failed(error.to_string()))
}

fn mismatch(column: usize, error: &FromSqlError) -> StoreError {
    StoreError::Failed(format!("column {column} of a row: {error}"))
}
