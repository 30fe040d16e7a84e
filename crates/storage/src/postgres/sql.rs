//! [`Sql`] on a connection to PostgreSQL, or in a transaction on one.

use deadpool_postgres::{Client, GenericClient, Transaction};
use interline_items::StoreError;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, ToSql, Type};
use uuid::Uuid;

use super::failure::{Failure, error_chain};
use crate::sql::{Dialect, RawRow, RowReader, Sql, Statement, Value};

impl Sql for Client {
    type Failure = Failure;

    const DIALECT: Dialect = Dialect::Postgres;

    async fn execute(&self, statement: Statement, values: &[Value<'_>]) -> Result<u64, Failure> {
        execute(self, statement.postgres, values).await
    }

    async fn query<T: Send>(
        &self,
        statement: Statement,
        values: &[Value<'_>],
        read: impl Fn(&mut RowReader<'_>) -> Result<T, StoreError> + Send,
    ) -> Result<Vec<T>, Failure> {
        query(self, statement.postgres, values, read).await
    }
}

impl Sql for Transaction<'_> {
    type Failure = Failure;

    const DIALECT: Dialect = Dialect::Postgres;

    async fn execute(&self, statement: Statement, values: &[Value<'_>]) -> Result<u64, Failure> {
        execute(self, statement.postgres, values).await
    }

    async fn query<T: Send>(
        &self,
        statement: Statement,
        values: &[Value<'_>],
        read: impl Fn(&mut RowReader<'_>) -> Result<T, StoreError> + Send,
    ) -> Result<Vec<T>, Failure> {
        query(self, statement.postgres, values, read).await
    }
}

async fn execute(client: &impl GenericClient, sql: &str, values: &[Value<'_>]) -> Result<u64, Failure> {
    let statement = client.prepare_cached(sql).await?;
    Ok(client.execute(&statement, &parameters(values, statement.params())).await?)
}

async fn query<T>(
    client: &impl GenericClient,
    sql: &str,
    values: &[Value<'_>],
    read: impl Fn(&mut RowReader<'_>) -> Result<T, StoreError>,
) -> Result<Vec<T>, Failure> {
    let statement = client.prepare_cached(sql).await?;
    let rows = client.query(&statement, &parameters(values, statement.params())).await?;
    rows.iter().map(|row| Ok(read(&mut RowReader::new(row))?)).collect()
}

/// The values as the client takes them, for parameters of these types.
fn parameters<'a>(values: &'a [Value<'_>], types: &[Type]) -> Vec<&'a (dyn ToSql + Sync)> {
    values.iter().enumerate().map(|(at, value)| parameter(value, types.get(at))).collect()
}

fn parameter<'a>(value: &'a Value<'_>, ty: Option<&Type>) -> &'a (dyn ToSql + Sync) {
    match value {
        Value::Null => null(ty),
        Value::Integer(integer) => integer,
        Value::Text(text) => text,
        Value::Bytes(bytes) => bytes,
        Value::Uuid(id) => id,
    }
}

/// `NULL` of a type, for the types that plain tables have: the client checks that types fit, that of `NULL` too, and refuses
/// the statement where one is missing here.
fn null(ty: Option<&Type>) -> &'static (dyn ToSql + Sync) {
    match ty {
        Some(&Type::TEXT) => &None::<&str>,
        Some(&Type::BYTEA) => &None::<&[u8]>,
        Some(&Type::UUID) => &None::<Uuid>,
        _ => &None::<i64>,
    }
}

impl RawRow for Row {
    fn integer(&self, column: usize) -> Result<Option<i64>, StoreError> {
        value(self, column)
    }

    fn text(&self, column: usize) -> Result<Option<&str>, StoreError> {
        value(self, column)
    }

    fn bytes(&self, column: usize) -> Result<Option<&[u8]>, StoreError> {
        value(self, column)
    }

    fn uuid(&self, column: usize) -> Result<Option<Uuid>, StoreError> {
        value(self, column)
    }
}

fn value<'row, T: FromSql<'row>>(row: &'row Row, column: usize) -> Result<Option<T>, StoreError> {
    row.try_get(column).map_err(|error| StoreError::Failed(error_chain(&error)))
}
