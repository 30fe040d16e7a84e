//! A store in PostgreSQL, on the server that `INTERLINE_TEST_POSTGRES` names.

use std::process::Stdio;

use tokio_postgres::NoTls;

use crate::harness::{CommandOutput, Sandbox};

/// The URL of a server that databases may be made on.
fn server() -> String {
    #[expect(clippy::disallowed_methods, reason = "the variable is how a test learns of the server")]
    let server = std::env::var("INTERLINE_TEST_POSTGRES");
    server
        .expect("INTERLINE_TEST_POSTGRES names no server to test on: run ./test, or tests/with-postgres and a command")
}

fn on_server(statement: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(&server(), NoTls).await.expect("a connection");
        let driver = tokio::spawn(connection);
        client.batch_execute(statement).await.expect("a statement");
        drop(client);
        driver.await.expect("the connection's task").expect("the connection's end");
    });
}

/// A database of its own, dropped at the end.
struct Database(String);

impl Database {
    fn new() -> Database {
        let name = format!("interline_command_{}", std::process::id());
        on_server(&format!("CREATE DATABASE {name}"));
        Database(name)
    }

    fn url(&self) -> String {
        let server = server();
        let (prefix, _) = server.rsplit_once('/').expect("the URL ends with a database");
        format!("{prefix}/{}", self.0)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        on_server(&format!("DROP DATABASE {} WITH (FORCE)", self.0));
    }
}

/// Machines share the database, not the data directory.
#[test]
fn machines_that_start_together_make_one_owner_in_postgresql() {
    let database = Database::new();
    let sandboxes = [(); 4].map(|()| Sandbox::new());
    let running = sandboxes.each_ref().map(|sandbox| {
        let mut command = sandbox.command(&["user", "list", "--json"]);
        command.env("INTERLINE_DATABASE", database.url()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("it starts")
    });
    let outputs = running.map(|child| CommandOutput::from(child.wait_with_output().expect("it ends")));
    assert!(outputs.iter().all(|output| output.code == Some(0)), "{outputs:?}");
    assert_eq!(outputs.iter().filter(|output| output.stderr.contains("is new")).count(), 1, "{outputs:?}");
    let owners: Vec<&Sandbox> = sandboxes.iter().filter(|sandbox| sandbox.token_file().exists()).collect();
    let [owner] = owners.as_slice() else { panic!("one machine keeps the token, not {}", owners.len()) };

    let other = Sandbox::new();
    let served = other.serve(&["--database", &database.url()]);
    assert!(!served.greeting.contains("il_"), "{}", served.greeting);
    assert!(served.greeting.contains("Bearer $INTERLINE_TOKEN\""), "no token is kept here: {}", served.greeting);
    let answer = served.get("/users/me", Some(&owner.token()));
    assert_eq!(answer.status, 200, "{answer:?}");
    served.stop();
    assert!(!other.data_dir().join("interline.db").exists(), "nothing is kept beside it");
}
