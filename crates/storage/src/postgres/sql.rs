//! [`Sql`] on a connection to PostgreSQL, or in a transaction on one.

use std::error::Error;

use bytes::BytesMut;
use deadpool_postgres::{Client, GenericClient, Transaction};
use interline_items::StoreError;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type};
use uuid::Uuid;

use super::failure::{Failure, told};
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
    Ok(client.execute(&statement, &parameters(values)).await?)
}

async fn query<T>(
    client: &impl GenericClient,
    sql: &str,
    values: &[Value<'_>],
    read: impl Fn(&mut RowReader<'_>) -> Result<T, StoreError>,
) -> Result<Vec<T>, Failure> {
    let statement = client.prepare_cached(sql).await?;
    let rows = client.query(&statement, &parameters(values)).await?;
    rows.iter().map(|row| Ok(read(&mut RowReader::new(row))?)).collect()
}

fn parameters<'a>(values: &'a [Value<'_>]) -> Vec<&'a (dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

impl ToSql for Value<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        self.to_sql_checked(ty, out)
    }

    /// Which types a value can be depends on the value: [`Value::to_sql_checked`] looks.
    fn accepts(_: &Type) -> bool {
        true
    }

    fn to_sql_checked(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Value::Null => Ok(IsNull::Yes),
            Value::Integer(integer) => integer.to_sql_checked(ty, out),
            Value::Text(text) => text.to_sql_checked(ty, out),
            Value::Bytes(bytes) => bytes.to_sql_checked(ty, out),
            Value::Uuid(id) => id.to_sql_checked(ty, out),
        }
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
    row.try_get(column).map_err(|error| StoreError::Failed(told(&error)))
}
