//! The tables themselves, for what no method of a store tells.

use rusqlite::types::ValueRef;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Config, NoTls, Row};
use uuid::Uuid;

use crate::place::{Database, Place};

/// A value of a row. Ids and hashes are bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Value {
    Null,
    Integer(i64),
    Text(String),
    Bytes(Vec<u8>),
}

impl Value {
    pub(crate) fn integer(&self) -> i64 {
        match self {
            Value::Integer(integer) => *integer,
            other => panic!("{other:?} is not an integer"),
        }
    }

    pub(crate) fn text(&self) -> &str {
        match self {
            Value::Text(text) => text,
            other => panic!("{other:?} is not a text"),
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Value::Bytes(bytes) => bytes,
            other => panic!("{other:?} is not bytes"),
        }
    }

    pub(crate) fn uuid(&self) -> Uuid {
        Uuid::from_slice(self.bytes()).expect("an id")
    }
}

impl Place {
    /// The rows of a query that both databases understand.
    pub(crate) async fn rows(&self, query: &str) -> Vec<Vec<Value>> {
        match &self.database {
            Database::Sqlite { file } => sqlite_rows(&rusqlite::Connection::open(file).unwrap(), query),
            Database::Postgres { url } => {
                let client = connect(url).await;
                client.query(query, &[]).await.unwrap().iter().map(postgres_row).collect()
            }
        }
    }

    /// The one number that a query answers with.
    pub(crate) async fn count(&self, query: &str) -> i64 {
        self.rows(query).await[0][0].integer()
    }

    /// An id, as a statement for this database writes it.
    pub(crate) fn literal(&self, id: Uuid) -> String {
        match self.database {
            Database::Sqlite { .. } => format!("x'{}'", id.simple()),
            Database::Postgres { .. } => format!("'{id}'"),
        }
    }

    /// Does what no store does.
    pub(crate) async fn execute(&self, statement: &str) {
        match &self.database {
            Database::Sqlite { file } => rusqlite::Connection::open(file).unwrap().execute_batch(statement).unwrap(),
            Database::Postgres { url } => connect(url).await.batch_execute(statement).await.unwrap(),
        }
    }
}

fn sqlite_rows(connection: &rusqlite::Connection, query: &str) -> Vec<Vec<Value>> {
    let mut statement = connection.prepare(query).unwrap();
    let columns = statement.column_count();
    let rows = statement
        .query_map([], |row| (0..columns).map(|column| Ok(sqlite_value(row.get_ref(column)?))).collect())
        .unwrap();
    rows.map(Result::unwrap).collect()
}

fn sqlite_value(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(integer) => Value::Integer(integer),
        ValueRef::Real(real) => panic!("{real} is not a value that is stored"),
        ValueRef::Text(text) => Value::Text(String::from_utf8(text.to_vec()).unwrap()),
        ValueRef::Blob(bytes) => Value::Bytes(bytes.to_vec()),
    }
}

fn postgres_row(row: &Row) -> Vec<Value> {
    (0..row.len()).map(|column| postgres_value(row, column).unwrap_or(Value::Null)).collect()
}

fn postgres_value(row: &Row, column: usize) -> Option<Value> {
    match *row.columns()[column].type_() {
        Type::INT8 => row.get::<_, Option<i64>>(column).map(Value::Integer),
        Type::INT4 => row.get::<_, Option<i32>>(column).map(|integer| Value::Integer(integer.into())),
        Type::TEXT | Type::VARCHAR => row.get::<_, Option<String>>(column).map(Value::Text),
        Type::BYTEA => row.get::<_, Option<Vec<u8>>>(column).map(Value::Bytes),
        Type::UUID => row.get::<_, Option<Uuid>>(column).map(|id| Value::Bytes(id.as_bytes().to_vec())),
        ref other => panic!("a column of type {other}"),
    }
}

/// The server that INTERLINE_TEST_POSTGRES names.
pub(crate) fn test_server() -> String {
    #[expect(clippy::disallowed_methods, reason = "the variable is how a test learns of the server")]
    let server = std::env::var("INTERLINE_TEST_POSTGRES");
    server
        .expect("INTERLINE_TEST_POSTGRES names no server to test on: run ./test, or tests/with-postgres and a command")
}

/// The URL of a database beside the one that `server` names.
pub(crate) fn url_of_database(server: &str, name: &str) -> String {
    let (address, options) = server.split_at(server.find('?').unwrap_or(server.len()));
    let authority_start = address.find("://").expect("a URL") + 3;
    let authority_end = address[authority_start..].find('/').map_or(address.len(), |slash| authority_start + slash);
    format!("{}/{name}{options}", &address[..authority_end])
}

/// Runs a statement about whole databases.
pub(crate) async fn on_server(server: &str, statement: &str) {
    connect(server).await.batch_execute(statement).await.unwrap();
}

/// A connection beside those of a store.
pub(crate) async fn connect(url: &str) -> Client {
    let config: Config = url.parse().expect("a URL of PostgreSQL");
    let (client, connection) = config.connect(NoTls).await.expect("the test's PostgreSQL answers");
    tokio::spawn(connection);
    client
}
